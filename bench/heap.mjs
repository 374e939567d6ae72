// Loaded into a gateway before its own code. On SIGUSR2, collects garbage and reports the heap in use to the benchmark.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
process.on("SIGUSR2", () => {
  collect();
  process.send({ heap: process.memoryUsage().heapUsed });
});
