// Loaded into the service: delays the primary process between its workers' end of the channel and its own, as a busy machine may.
import cluster from "node:cluster";

cluster.on("fork", ({ process: child }) => {
  const { disconnect } = child;
  child.disconnect = () => {
    disconnect.call(child);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  };
});
