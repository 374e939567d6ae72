/** PostgreSQL notifications for all listeners of this process over one connection. */
import { lasting, whenThereIsRoom } from "./pool.js";
import type { ServerClient } from "./server-client.js";
import type { Servers } from "./servers.js";

type Handler = (payload: string) => void;

/** Milliseconds between reconnection attempts, doubled each time. While the server is known to be unreachable, attempts are free. */
const reconnectMs = { least: 250, most: 1_000 };

/** Listens on a dedicated connection; there is never more than one. Notifications sent while it is lost are missed. */
async function listenOn(servers: Servers, channel: string, handler: Handler): Promise<() => Promise<void>> {
  let client: ServerClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  let waitMs = reconnectMs.least;
  const connect = async () => {
    const next = servers.client({ ...lasting, application_name: "maintenance-gateway listener" });
    next.on("notification", ({ payload }) => handler(payload ?? ""));
    try {
      await next.connect();
      await next.query(`listen "${channel}"`);
    } catch (error) {
      void next.end().catch(() => {});
      throw error;
    }
    client = next;
    waitMs = reconnectMs.least;
    next.once("end", retryLater);
  };
  const retryLater = () => {
    client = undefined;
    if (isEnded) return;
    timer = setTimeout(() => void connect().catch(retryLater), waitMs).unref();
    waitMs = Math.min(waitMs * 2, reconnectMs.most);
  };
  await whenThereIsRoom(connect);
  const stopMoving = servers.onMove(() => void client?.end());
  return async () => {
    isEnded = true;
    stopMoving();
    clearTimeout(timer);
    await client?.end();
  };
}

export class Listener {
  private readonly handlers = new Set<Handler>();
  private listening: Promise<() => Promise<void>> | undefined;

  constructor(
    private readonly servers: Servers,
    private readonly channel: string,
  ) {}

  /** Returns a function that stops listening. The last listener closes the connection. */
  async add(handler: Handler): Promise<() => Promise<void>> {
    // A wrapper, since the same function may be added twice.
    const own: Handler = (payload) => handler(payload);
    this.handlers.add(own);
    const listening = (this.listening ??= listenOn(this.servers, this.channel, (payload) => {
      for (const one of [...this.handlers]) one(payload);
    }));
    try {
      await listening;
    } catch (error) {
      this.handlers.delete(own);
      if (this.listening === listening) this.listening = undefined;
      throw error;
    }
    return async () => {
      if (!this.handlers.delete(own) || this.handlers.size || this.listening !== listening) return;
      this.listening = undefined;
      await (await listening)();
    };
  }
}
