// Sends requests from a child process, so that the client does not compete with the server for its core. Each message describes a load; the
// reply reports its duration.
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true });

/** Rejects unless the response has the expected status. */
const send = ({ address, headers, body, status }, path) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const length = { "content-length": Buffer.byteLength(body) };
    const outgoing = request({ agent, hostname, port, path, method: "POST", headers: { ...headers, ...length } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => (response.statusCode === status ? resolve() : reject(new Error(text))));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });

process.on("message", async (load) => {
  try {
    let sent = 0;
    const client = async () => {
      while (sent < load.count) await send(load, load.paths[sent++ % load.paths.length]);
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: load.clients }, client));
    process.send({ ms: performance.now() - start });
  } catch (error) {
    process.send({ error: error.message });
  }
});
