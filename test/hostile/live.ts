/** Floods over live connections. */
import WebSocket from "ws";
import { postStream } from "../execution/event-stream.js";
import type { Caller } from "../world.js";
import { times } from "./plant.js";
import type { Outcome } from "./wire.js";

/** A WebSocket that runs `act` once it is authenticated. Ends when the server closes it, or when `isDone` accepts the received messages. */
function overSocket(
  { gateway, key }: Caller,
  act: (socket: WebSocket) => void,
  isDone: (received: string[]) => boolean,
  authenticate = true,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    const received: string[] = [];
    socket.on("open", () => {
      if (!authenticate) return act(socket);
      socket.send(JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${key}` } }));
    });
    socket.on("message", (data) => {
      if (received.push(String(data)) === 1 && authenticate) act(socket);
      if (isDone(received)) socket.close();
    });
    socket.on("error", () => {});
    socket.on("close", (code) => resolve({ body: `${received.join("\n").slice(0, 100_000)}\nclosed with ${code}` }));
  });
}

const subscription = (id: number | string, query: string) => JSON.stringify({ id: String(id), type: "subscribe", payload: { query } });
const changes = "subscription { changes(recordTypes: [ASSET]) { kind } }";
const onlyClosed = () => false;

export const liveAttacks: Record<string, (caller: Caller) => Promise<Outcome>> = {
  "a WebSocket with 1,500 subscriptions": (caller) =>
    overSocket(
      caller,
      (socket) => {
        for (let i = 0; i < 1_500; i++) socket.send(subscription(i, changes));
      },
      (received) => received.length >= 1_481,
    ),
  "a WebSocket with 2,000 pings": (caller) =>
    overSocket(
      caller,
      (socket) => {
        for (let i = 0; i < 2_000; i++) socket.send('{"type":"ping"}');
      },
      onlyClosed,
    ),
  "a WebSocket with 5,000 frames of ping": (caller) =>
    overSocket(
      caller,
      (socket) => {
        for (let i = 0; i < 5_000; i++) socket.ping();
      },
      onlyClosed,
    ),
  "a WebSocket with a message of 1 MB": (caller) => overSocket(caller, (socket) => socket.send("x".repeat(1_048_576)), onlyClosed),
  "a WebSocket with a binary message": (caller) => overSocket(caller, (socket) => socket.send(Buffer.alloc(1_000, 0xff)), onlyClosed),
  "a WebSocket with JSON that is none": (caller) => overSocket(caller, (socket) => socket.send("{".repeat(10_000)), onlyClosed),
  "a WebSocket that subscribes unauthenticated": (caller) =>
    overSocket(caller, (socket) => socket.send(subscription(1, changes)), onlyClosed, false),
  "a WebSocket with the same id twice": (caller) =>
    overSocket(
      caller,
      (socket) => {
        for (const id of [1, 1]) socket.send(subscription(id, changes));
      },
      onlyClosed,
    ),
  "a WebSocket with the deepest document": (caller) =>
    overSocket(
      caller,
      (socket) => socket.send(subscription(1, `{${"a{".repeat(20_000)}`)),
      (received) => received.length > 1,
    ),
  "a WebSocket with exports by aliases": (caller) =>
    overSocket(
      caller,
      (socket) => socket.send(subscription(1, `{ ${times(20, (i) => `a${i}: exportAssets`)} }`)),
      (received) => received.length > 1,
    ),
  "150 event streams": async (caller) => {
    const end = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: 150 }, () => postStream(caller, { query: changes }, { signal: end.signal }).then(({ status }) => status)),
    );
    end.abort();
    return { body: streams.join(), status: Math.max(...streams) };
  },
  "an event stream of a batch": async (caller) => {
    const response = await postStream(caller, "[{},{}]");
    return { status: response.status, body: await response.text() };
  },
};
