// Loaded into a gateway before its own code. The first SIGUSR2 starts a CPU profile, and the second reports it to the benchmark.
import { Session } from "node:inspector";

const session = new Session();
session.connect();
let isRunning = false;
process.on("SIGUSR2", () => {
  if (!isRunning) {
    session.post("Profiler.enable");
    session.post("Profiler.setSamplingInterval", { interval: 200 });
    session.post("Profiler.start");
  } else session.post("Profiler.stop", (_, { profile }) => process.send({ profile }));
  isRunning = !isRunning;
});
