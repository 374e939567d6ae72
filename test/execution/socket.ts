/** GraphQL requests over WebSocket (graphql-transport-ws), which can send any JSON text. */
import WebSocket from "ws";
import type { Caller, GraphqlAnswer } from "../world.js";

type SocketAnswer = Pick<GraphqlAnswer, "data" | "errors">;

/** Sends one query or mutation and returns its result. `payload` is an object, or JSON text that `JSON.stringify` cannot write. */
export function overWebSocket(caller: Caller, payload: object | string): Promise<SocketAnswer> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${caller.gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    const send = (text: string) => socket.send(text);
    const finish = (response: SocketAnswer) => {
      resolve(response);
      socket.close();
    };
    socket.on("open", () => send(JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${caller.key}` } })));
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.type === "connection_ack")
        send(`{"id":"1","type":"subscribe","payload":${typeof payload === "string" ? payload : JSON.stringify(payload)}}`);
      if (message.type === "next") finish(message.payload);
      if (message.type === "error") finish({ errors: message.payload, data: undefined });
    });
    socket.on("close", (code, reason) => reject(new Error(`closed with ${code} ${reason}`)));
    socket.on("error", reject);
  });
}
