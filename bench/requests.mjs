// Sends requests from this process on keep-alive connections, one at a time per client.
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true });

export const closeConnections = () => agent.destroy();

/** Returns the response body. Rejects unless the request succeeds. */
export function send(address, { method = "GET", path, body, headers = {} }) {
  const { hostname, port } = new URL(address);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const length = payload === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) };
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, path, method, headers: { ...length, ...headers } }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode >= 300) reject(new Error(`${path} ${response.statusCode}: ${text.slice(0, 300)}`));
        else resolve(text);
      });
    });
    outgoing.on("error", reject);
    outgoing.end(payload);
  });
}

/**
 * Sends requests from `clients` clients for `seconds`, at least `least` requests. Returns the rate per second and the duration of each in
 * ms.
 */
export async function load(address, requestOf, { clients, seconds, least = 1 }) {
  // A peer may close connections that were idle during the other peers' slots.
  closeConnections();
  const took = [];
  let sent = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until || sent < least) {
        const start = performance.now();
        await send(address, requestOf(sent++));
        took.push(performance.now() - start);
      }
    }),
  );
  return { rate: (sent * 1000) / (performance.now() - began), took };
}

/** Nearest-rank quantile; `part` is between 0 and 1. */
export const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(values.length * part)];
export const median = (values) => quantile(values, 0.5);
