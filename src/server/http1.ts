/** Requests that may leave HTTP/1.1. */
import { IncomingMessage } from "node:http";

/**
 * Only WebSocket upgrades leave HTTP/1.1. Node passes every request with `Upgrade` to the upgrade listeners, including requests that only
 * offer HTTP/2 (`Upgrade: h2c`), such as those of Java's client. These get a response over HTTP/1.1. Node sets and reads `upgrade`.
 */
export class Http1Message extends IncomingMessage {
  private offersUpgrade = false;

  set upgrade(value: unknown) {
    this.offersUpgrade = Boolean(value);
  }

  get upgrade(): boolean {
    return this.offersUpgrade && (this.method === "CONNECT" || /\bwebsocket\b/i.test(this.headers?.upgrade ?? ""));
  }
}
