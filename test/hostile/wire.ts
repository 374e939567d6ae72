/** Raw bytes on a socket, which no client library would send, and the response. */
import { connect } from "node:net";
import type { Caller } from "../world.js";

export interface Outcome {
  /** Undefined if the connection was closed without a response. */
  status?: number;
  body: string;
}

/** Sends the pieces and reads until the server closes the connection, as requested. Keeps the first `kept` chunks of the response. */
function readSocket({ gateway }: Caller, pieces: (string | Uint8Array)[], kept = Number.POSITIVE_INFINITY): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.on("data", (chunk) => void (chunks.length < kept && chunks.push(chunk)));
    socket.on("error", () => {});
    socket.on("close", () => resolve(parsed(Buffer.concat(chunks).toString("latin1"))));
    for (const piece of pieces) socket.write(piece);
  });
}

export const onSocket = (caller: Caller, ...pieces: (string | Uint8Array)[]): Promise<Outcome> => readSocket(caller, pieces);

function parsed(text: string): Outcome {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  const [, ...body] = text.split("\r\n\r\n");
  return { body: body.join("\r\n\r\n"), ...(status && { status: Number(status) }) };
}

export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Omits Content-Length. */
  unsized?: boolean;
}

/** The pieces of a request with a key that asks the server to close the connection. */
function piecesOf(caller: Caller, { method = "POST", path = "/graphql", headers = {}, body, unsized = false }: Sent) {
  const sent: Record<string, string> = {
    host: "localhost",
    connection: "close",
    authorization: `Bearer ${caller.key}`,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(body !== undefined && !unsized && { "content-length": String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return [`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, body ?? ""];
}

export const send = (caller: Caller, sent: Sent): Promise<Outcome> => readSocket(caller, piecesOf(caller, sent));

export const sendDocument = (caller: Caller, query: string, variables?: unknown): Promise<Outcome> =>
  send(caller, { body: JSON.stringify({ query, variables }) });

/** The status of the response to a document. The body is discarded. */
export const statusOf = async (caller: Caller, query: string, variables?: unknown): Promise<string> =>
  String((await readSocket(caller, piecesOf(caller, { body: JSON.stringify({ query, variables }) }), 1)).status);
