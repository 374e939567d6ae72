/** Java's HTTP client offers HTTP/2 on every plain connection. The service responds over HTTP/1.1. */
import { connect } from "node:net";
import { expect, test } from "vitest";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();
const { port } = new URL(gateway.url);

const offer = "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAEAAEAAAAIAAAAA\r\nUpgrade: h2c\r\n";

/** Sends the texts one after the other. Returns the bodies and statuses of `count` responses. */
function exchange(count: number, ...texts: string[]): Promise<{ status: number; body: any }[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    let received = Buffer.alloc(0);
    const answers: { status: number; body: any }[] = [];
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const head = received.indexOf("\r\n\r\n");
        if (head < 0) return;
        const headers = received.subarray(0, head).toString();
        const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1] ?? 0);
        if (received.length < head + 4 + length) return;
        const body = received.subarray(head + 4, head + 4 + length).toString();
        received = received.subarray(head + 4 + length);
        answers.push({ status: Number(headers.split(" ")[1]), body: body && JSON.parse(body) });
        if (answers.length === count) socket.destroy();
      }
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answers));
    (async () => {
      for (const text of texts) {
        socket.write(text);
        await new Promise((sent) => setTimeout(sent, 50));
      }
    })();
  });
}

const request = (key: string, line: string, more = "", body = "") =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${more}${offer}\r\n${body}`;

const post = (key: string, path: string, body: object) => {
  const text = JSON.stringify(body);
  return request(key, `POST ${path}`, `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`, text);
};

const viewer = { status: 200, body: { data: { viewer: { role: "ADMIN" } } } };

test("requests that offer h2c reach the same routes, one after the other on their connection", async () => {
  const { key } = await gateway.newTenant();
  const graphql = post(key, "/graphql", { query: "{ viewer { role } }" });
  expect(
    await exchange(
      5,
      request(key, "GET /assets"),
      graphql,
      request(key, "GET /nothing"),
      request(key, "GET /graphql?query=%7Bviewer%7Brole%7D%7D"),
      post(key, "/assets", { name: "Pump", type: "pump" }),
    ),
  ).toMatchObject([
    { status: 200, body: { items: [] } },
    viewer,
    { status: 404, body: { code: "NOT_FOUND" } },
    viewer,
    { status: 201, body: { name: "Pump" } },
  ]);
});

test("a body may come in pieces and in chunks", async () => {
  const { key } = await gateway.newTenant();
  const graphql = post(key, "/graphql", { query: "{ viewer { role } }" });
  const middle = graphql.length - 10;
  expect(await exchange(1, graphql.slice(0, middle), graphql.slice(middle))).toEqual([viewer]);
  const text = JSON.stringify({ query: "{ viewer { role } }" });
  const chunked = request(
    key,
    "POST /graphql",
    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
    `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
  );
  expect(await exchange(2, chunked, chunked)).toEqual([viewer, viewer]);
});

test("an upgrade to WebSocket on another path is rejected", async () => {
  const socket = `GET /assets HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  expect(await exchange(1, socket)).toEqual([{ status: 404, body: "" }]);
});
