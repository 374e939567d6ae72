/** Which requests leave HTTP/1.1. */
import { IncomingMessage } from "node:http";

/**
 * Only WebSockets do. Node hands every request with `Upgrade` to whoever listens for upgrades, also those that merely offer
 * HTTP/2 (`Upgrade: h2c`), as Java's client does: these are answered over HTTP/1.1. Node sets and asks `upgrade`.
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
