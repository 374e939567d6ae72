/** Messages of PostgreSQL for everybody in this process who waits for them: one connection, whatever their number. */
import pg from "pg";
import { connectTimeoutMs, whenThereIsRoom } from "./pool.js";

type Handler = (payload: string) => void;

/** Milliseconds between attempts to listen again, doubled each time. */
const reconnectMs = { least: 250, most: 10_000 };

/** Listens on a connection of its own, of which there is never more than one. What is sent while it is lost is missed. */
async function listenOn(url: string, channel: string, handler: Handler): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  let waitMs = reconnectMs.least;
  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: "maintenance-gateway listener",
    });
    // An error ends the connection, or was that of the call below.
    next.on("error", () => {});
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
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await client?.end();
  };
}

export class Listener {
  private readonly handlers = new Set<Handler>();
  private listening: Promise<() => Promise<void>> | undefined;

  constructor(
    private readonly url: string,
    private readonly channel: string,
  ) {}

  /** Returns how to stop. The last who stops closes the connection. */
  async add(handler: Handler): Promise<() => Promise<void>> {
    // The same function may be added twice.
    const own: Handler = (payload) => handler(payload);
    this.handlers.add(own);
    const listening = (this.listening ??= listenOn(this.url, this.channel, (payload) => {
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
