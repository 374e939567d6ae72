/** Requests with wrong lengths, without an end, or with far more data than needed. */
import { gzipSync } from "node:zlib";
import type { Caller } from "../world.js";
import { times } from "./plant.js";
import { type Outcome, onSocket, type Sent, send } from "./wire.js";

type Attack = (caller: Caller) => Promise<Outcome>;

const small = JSON.stringify({ query: "{ viewer { role } }" });
const posted =
  (rest: Omit<Sent, "body"> = {}, body: string | Uint8Array = small): Attack =>
  (caller) =>
    send(caller, { ...rest, body });
const got =
  (path: string, headers: Record<string, string> = {}, method = "GET"): Attack =>
  (caller) =>
    send(caller, { method, path, headers });
const text =
  (head: string, body = ""): Attack =>
  (caller) =>
    onSocket(caller, `${head}\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${caller.key}\r\n${body}`);

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = `${base64({ alg: "none", typ: "JWT" })}.${base64({ sub: "x", tenant: "demo", role: "admin", exp: 9e9 })}.`;
const persisted = (hash: string, query?: string) =>
  JSON.stringify({ query, extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });

function form(parts: number, boundary = "b"): string {
  const operations = `--${boundary}\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${small}\r\n`;
  const fields = times(parts, (i) => `--${boundary}\r\nContent-Disposition: form-data; name="f${i}"\r\n\r\nx\r\n`, "");
  return `${operations}${fields}--${boundary}--\r\n`;
}
const multipart = { "content-type": "multipart/form-data; boundary=b", "graphql-require-preflight": "1" };
const asset = { name: "Pump", type: "pump" };

export const hostileRequests: Record<string, Attack> = {
  "bad UTF-8": posted({}, Buffer.from([...Buffer.from('{"query":"'), 0xff, 0xfe, 0xc0, 0x80, ...Buffer.from('"}')])),
  "JSON of a million brackets": posted({}, "[".repeat(1_000_000)),
  "JSON of 200,000 objects in each other": posted({}, '{"a":'.repeat(200_000)),
  "prototype keys": posted({ path: "/assets" }, '{"__proto__":{"role":"admin"},"constructor":{"prototype":{}},"name":"x","type":"y"}'),
  "a batch of 1,000": posted({}, JSON.stringify(Array.from({ length: 1_000 }, () => ({ query: "{ viewer { role } }" })))),
  "a body of 2 MB": posted({}, JSON.stringify({ query: "x".repeat(2_000_000) })),
  "a body of another type": posted({ headers: { "content-type": "text/plain" } }),
  "a body of a type that is none": posted({ headers: { "content-type": `;;;${"x".repeat(2_000)}` } }),
  "a body in UTF-7": posted({ headers: { "content-type": "application/json; charset=utf-7" } }),
  "a body that is gzip": posted({ headers: { "content-encoding": "gzip" } }, gzipSync(Buffer.alloc(50_000_000))),
  "a body shorter than it says, and no more": (caller) => send(caller, { headers: { "content-length": "5" }, body: small }),
  "two lengths": text("POST /graphql HTTP/1.1", "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}"),
  "a length and chunks": text("POST /graphql HTTP/1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
  "a negative length": text("POST /graphql HTTP/1.1", "Content-Length: -1\r\n\r\n"),
  "a chunk of 2^68 bytes": text(
    "POST /graphql HTTP/1.1",
    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
  ),
  "100,000 chunks of a byte": text(
    "POST /graphql HTTP/1.1",
    `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(100_000)}0\r\n\r\n`,
  ),
  "chunks with long extensions": text(
    "POST /graphql HTTP/1.1",
    `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(100_000)}\r\n{\r\n0\r\n\r\n`,
  ),
  "20,000 header lines": text("GET /assets HTTP/1.1", `${times(20_000, (i) => `X-${i}: y\r\n`, "")}\r\n`),
  "a header of 100 KB": got("/assets", { "x-long": "x".repeat(100_000) }),
  "a header folded into two lines": text("GET /assets HTTP/1.1", "X-A: b\r\n c\r\n\r\n"),
  "a header with a NUL": text("GET /assets HTTP/1.1", "X-A: b\0c\r\n\r\n"),
  "a path of 100 KB": got(`/${"x".repeat(100_000)}`),
  "a path of 10,000 slashes": got("/".repeat(10_000)),
  "a path out of the folder": got("/files/..%2f..%2f..%2fetc%2fpasswd"),
  "a path that is no UTF-8": got("/assets/%ff%fe%00"),
  "an id of 14 KB": got(`/assets/${"x".repeat(14_000)}`),
  "3,000 query parameters": got(`/assets?${times(3_000, (i) => `a${i}=1`, "&")}`),
  "the same parameter 3,000 times": got(`/assets?${times(3_000, () => "limit=1", "&")}`),
  "a parameter named __proto__": got("/assets?__proto__[role]=admin&constructor=x&limit=1"),
  "a page of 10^15": got("/assets?limit=1000000000000000"),
  "the largest list of REST": got("/components?limit=1000"),
  "a method of its own": text("PWN /assets HTTP/1.1", "\r\n"),
  TRACE: text("TRACE /assets HTTP/1.1", "\r\n"),
  "HTTP/0.9": text("GET /assets", "\r\n"),
  "TLS to a plain port": (caller) => onSocket(caller, Uint8Array.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), "\r\n\r\n"),
  "HTTP/2 without an upgrade": (caller) => onSocket(caller, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  "a document of 14 KB by GET": got(`/graphql?query=${encodeURIComponent(`{ viewer { ${"role ".repeat(1_200)} } }`)}`),
  "a mutation by GET": got(`/graphql?query=${encodeURIComponent("mutation { createApiKey { id } }")}`),
  "GET with two documents": got("/graphql?query={viewer{role}}&query={assets{totalCount}}"),
  "a persisted query of another text": posted({}, persisted("0".repeat(64), "{ viewer { role } }")),
  "a persisted query that is not known": posted({}, persisted("a".repeat(64))),
  "a persisted query with a hash of 500 KB": posted({}, persisted("a".repeat(500_000))),
  "a persisted query that is a list": posted({}, '{"extensions":{"persistedQuery":[1,2,3]}}'),
  "an idempotency key of 10,000 letters": posted(
    { path: "/assets", headers: { "idempotency-key": "k".repeat(10_000) } },
    JSON.stringify(asset),
  ),
  "an idempotency key that is empty": posted({ path: "/assets", headers: { "idempotency-key": "" } }, JSON.stringify(asset)),
  "If-Match of 1,000 tags": posted(
    { method: "PUT", path: "/assets/a1", headers: { "if-match": times(1_000, (i) => `"${i + 9}"`, ", ") } },
    JSON.stringify({ name: "Pump" }),
  ),
  "If-Match of 10,000 tags": posted(
    { method: "PUT", path: "/assets/a1", headers: { "if-match": times(10_000, (i) => `"${i}"`, ", ") } },
    JSON.stringify({ name: "Pump" }),
  ),
  "If-None-Match of 2,000 tags": got("/assets/a1", { "if-none-match": times(2_000, (i) => `"${i}"`, ",") }),
  "Accept of 2,000 types": got("/assets", { accept: times(2_000, (i) => `a/${i}`, ",") }),
  "Accept-Encoding of 2,000 names": got("/assets", { "accept-encoding": times(2_000, (i) => `e${i}`, ",") }),
  "a range of a million parts": got("/assets", { range: `bytes=${times(1_000, (i) => `${i}-${i}`, ",")}` }),
  "a form of 5,000 parts": posted({ headers: multipart }, form(5_000)),
  "a form that does not end": posted({ headers: multipart }, form(3).slice(0, -8)),
  "a form without a boundary": posted({ headers: { "content-type": "multipart/form-data" } }, form(1)),
  "a form with a boundary of 10 KB": posted(
    { headers: { ...multipart, "content-type": `multipart/form-data; boundary=${"b".repeat(10_000)}` } },
    form(1),
  ),
  "a form whose map names __proto__": posted(
    { headers: multipart },
    `--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${small}\r\n--b\r\nContent-Disposition: form-data; name="map"\r\n\r\n{"0":["__proto__.x","variables.constructor.prototype.y"]}\r\n--b--\r\n`,
  ),
  "a token with the algorithm none": got("/assets", { authorization: `Bearer ${unsigned}` }),
  "a token of 14 KB": got("/assets", { authorization: `Bearer ${"e".repeat(14_000)}` }),
  "a key with SQL": got("/assets", { authorization: "Bearer mg_' or 1=1 --" }),
  "an import of one line of 500 KB": posted(
    { path: "/assets/import", headers: { "content-type": "text/csv" } },
    `name,type\n"${"x".repeat(500_000)}`,
  ),
  "an import with 5,000 columns": posted(
    { path: "/assets/import", headers: { "content-type": "text/csv" } },
    `${times(5_000, (i) => `c${i}`, ",")}\n`,
  ),
  "a host that is another's": got("/openapi.json", { host: `evil.example${"x".repeat(500)}` }),
  "a WebSocket without its key": got("/graphql", { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" }),
  "an upgrade to what is not there": got("/assets", { connection: "Upgrade, close", upgrade: "h2c" }),
};
