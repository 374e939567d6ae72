// Sends requests from a process of its own, so that the server that answers has its core. Each message is a load, and is answered when it is done.
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true });

/** Sends one request; fails on another status than the one expected. */
const send = ({ address, headers, body, status }, path) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const length = { "content-length": Buffer.byteLength(body) };
    const sending = request({ agent, hostname, port, path, method: "POST", headers: { ...headers, ...length } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => (answer.statusCode === status ? resolve() : reject(new Error(text))));
    });
    sending.on("error", reject);
    sending.end(body);
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
