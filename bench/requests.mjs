// Sends requests from this process on keep-alive connections. The client speaks HTTP/1.1 itself, because Node's own would use more of the
// machine than a fast server.
import { connect } from "node:net";

/** A keep-alive connection for one request at a time. Opens when it is first used, and again after the server closed it. */
class Connection {
  #address;
  #socket;
  #chunks = [];
  #received = 0;
  /** Bytes to wait for before the response is parsed. */
  #needed = 0;
  #waiting;

  constructor(address) {
    this.#address = new URL(address);
  }

  /** Resolves to the status and the body as a Buffer. */
  ask(bytes) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket ??= this.#open();
      this.#socket.write(bytes);
    });
  }

  close() {
    this.#socket?.destroy();
  }

  #open() {
    const socket = connect({ host: this.#address.hostname, port: this.#address.port, noDelay: true });
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#settle("reject", new Error("the server closed the connection"));
    });
    return socket;
  }

  #settle(how, value) {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#chunks = [];
    this.#received = this.#needed = 0;
    waiting?.[how](value);
  }

  #read(chunk) {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#received < this.#needed) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    const { needed, response, isLast } = parse(bytes);
    if (response === undefined) {
      this.#needed = needed;
      return;
    }
    if (isLast) {
      this.#socket.destroy();
      this.#socket = undefined;
    }
    this.#settle("resolve", response);
  }
}

/** Returns the response, or the number of bytes needed to continue. */
function parse(bytes) {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return { needed: bytes.length + 1 };
  const head = bytes.latin1Slice(0, end).toLowerCase();
  const status = Number(head.slice(9, 12));
  const isLast = head.includes("\r\nconnection: close");
  const [, length] = /\r\ncontent-length: (\d+)/.exec(head) ?? [];
  const isChunked = head.includes("\r\ntransfer-encoding: chunked");
  if (isChunked) {
    // With the preceding line end, because the last header can end with a zero too.
    if (bytes.subarray(-7).toString("latin1") !== "\r\n0\r\n\r\n") return { needed: bytes.length + 1 };
    return { response: { status, body: joined(bytes.subarray(end + 4)) }, isLast };
  }
  const needed = end + 4 + Number(length ?? 0);
  return bytes.length < needed ? { needed } : { response: { status, body: bytes.subarray(end + 4, needed) }, isLast };
}

/** The body of a chunked response. */
function joined(bytes) {
  const parts = [];
  for (let at = 0; ; ) {
    const start = bytes.indexOf("\r\n", at) + 2;
    const size = Number.parseInt(bytes.latin1Slice(at, start), 16);
    if (!size) return Buffer.concat(parts);
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

/** Bytes of a request. `host` is constant, so that the same request is built once for several addresses. */
function bytesOf({ method = "GET", path, body, headers = {} }) {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const length = payload && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(payload)}\r\n`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join("")}${length}\r\n${payload}`;
}

const failed = ({ path }, { status, body }) => new Error(`${path} ${status}: ${String(body).slice(0, 300)}`);

/** Idle connections of `send`, by address. */
const idle = new Map();

export function closeConnections() {
  for (const connections of idle.values()) for (const one of connections) one.close();
  idle.clear();
}

/** Returns the response body. Rejects unless the request succeeds. */
export async function send(address, request) {
  const free = idle.get(address) ?? idle.set(address, []).get(address);
  const connection = free.pop() ?? new Connection(address);
  const response = await connection.ask(bytesOf(request));
  free.push(connection);
  if (response.status >= 300) throw failed(request, response);
  return response.body.toString();
}

const isRefusal = (status) => status === 429 || status === 503;

/**
 * Sends requests from `clients` clients for `seconds`, at least `least` requests. Returns the rate of successful requests per second, the
 * duration of each in ms, and the rate of refusals. A client whose request was refused sends the next one immediately. Without `refusals`,
 * a refusal is an error.
 */
export async function load(address, requestOf, { clients, seconds, least = 1, refusals = false }) {
  const took = [];
  let sent = 0;
  let refused = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const connection = new Connection(address);
      while (performance.now() < until || sent < least) {
        const request = requestOf(sent++);
        const start = performance.now();
        const response = await connection.ask(bytesOf(request));
        if (response.status < 300) took.push(performance.now() - start);
        else if (refusals && isRefusal(response.status)) refused++;
        else throw failed(request, response);
      }
      connection.close();
    }),
  );
  const lasted = (performance.now() - began) / 1000;
  return { rate: took.length / lasted, refused: refused / lasted, took };
}

/**
 * Sends `rate` requests per second for `seconds`, without waiting for responses (an open loop). Returns the duration of each in ms, from
 * sending. Rejects if a request fails.
 */
export async function steadyLoad(address, requestOf, { rate, seconds }) {
  const took = [];
  const free = [];
  const all = [];
  const began = performance.now();
  const one = async (request) => {
    const connection = free.pop() ?? new Connection(address);
    const start = performance.now();
    const response = await connection.ask(bytesOf(request));
    took.push(performance.now() - start);
    free.push(connection);
    if (response.status >= 300) throw failed(request, response);
  };
  while (all.length < rate * seconds) {
    const due = Math.min(rate * seconds, ((performance.now() - began) * rate) / 1000);
    while (all.length < due) all.push(one(requestOf(all.length)));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(all);
  for (const connection of free) connection.close();
  return took;
}

/** Nearest-rank quantile; `part` is between 0 and 1. */
export const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(values.length * part)];
export const median = (values) => quantile(values, 0.5);
