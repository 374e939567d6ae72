// Loaded into a gateway before its own code. On SIGUSR2, collects garbage and reports the heap in use to the benchmark.
process.on("SIGUSR2", () => {
  globalThis.gc();
  process.send({ heap: process.memoryUsage().heapUsed });
});
