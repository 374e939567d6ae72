import type { Socket } from "node:net";
import { v4 as uuid } from "uuid";
import type { Code } from "../schema/errors.js";

interface ClientError {
  status: string;
  message: string;
  code: Code;
}

const malformed: ClientError = { status: "400 Bad Request", message: "Malformed HTTP request", code: "BAD_USER_INPUT" };

const clientErrors: Record<string, ClientError> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    message: "The path or the headers are too long",
    code: "HEADERS_TOO_LARGE",
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", message: "The request did not arrive in time", code: "REQUEST_TIMEOUT" },
};

/** Sends the error response for a request that Node could not parse, and closes the connection (docs/interface.md 7). */
export function sendClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return;
  const { status, message, code } = clientErrors[error.code ?? ""] ?? malformed;
  const requestId = uuid();
  const body = JSON.stringify({ error: message, code, requestId });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
  // Destroying the socket immediately would lose the response.
  setTimeout(() => socket.destroy(), 5_000).unref();
}
