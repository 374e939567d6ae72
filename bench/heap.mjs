// Loaded into a gateway before its own code: tells the bench on SIGUSR2 how much of the heap is in use after a garbage collection.
process.on("SIGUSR2", () => {
  globalThis.gc();
  process.send({ heap: process.memoryUsage().heapUsed });
});
