/**
 * Distinguishes an unreachable server from one that runs a long statement. While a response is pending and no connection receives a byte,
 * sends a probe on a separate connection; if that stays silent as well, the server is gone. Time is counted in turns of the event loop:
 * after a blocked process, received data is read first.
 */
import type { ServerClient } from "./server-client.js";

const tickMs = 250;
/** Ticks of silence until the probe, and until the server counts as gone: 0.5 and 1.5 s. */
const askedAfter = 2;
const goneAfter = 6;
/** Lifetime of the probe connection after a response. */
const keptMs = 30_000;

export interface Watched {
  readonly open: ReadonlySet<ServerClient>;
  /** Whether a response is pending, as far as is known. */
  isAwaited(): boolean;
  scout(): ServerClient;
  gone(): void;
}

export class Watchdog {
  private timer: NodeJS.Timeout | undefined;
  private silent = 0;
  private scout: ServerClient | undefined;
  private asking: Promise<void> | undefined;
  private leaving: NodeJS.Timeout | undefined;

  constructor(private readonly watched: Watched) {}

  /** Milliseconds without a received byte, although the server was probed. */
  get silentMs(): number {
    return this.silent * tickMs;
  }

  /** Call whenever a statement is sent. */
  wake(): void {
    if (this.timer) return;
    this.silent = 0;
    this.timer = setInterval(() => this.tick(), tickMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    clearTimeout(this.leaving);
    this.timer = undefined;
    this.dismiss();
  }

  private tick(): void {
    const { watched } = this;
    if (!watched.isAwaited()) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    let isHeard = false;
    for (const client of watched.open) if (client.hasHeard()) isHeard = true;
    this.silent = isHeard ? 0 : this.silent + 1;
    if (this.silent >= askedAfter) this.ask();
    if (this.silent < goneAfter) return;
    this.silent = 0;
    this.dismiss();
    watched.gone();
  }

  private ask(): void {
    this.asking ??= this.send().finally(() => (this.asking = undefined));
  }

  private async send(): Promise<void> {
    clearTimeout(this.leaving);
    const known = this.scout;
    const scout = (this.scout = known ?? this.watched.scout());
    try {
      if (!known) {
        scout.once("end", () => this.scout === scout && this.dismiss());
        await scout.connect();
      }
      await scout.query("select 1");
      this.silent = 0;
      this.leaving = setTimeout(() => this.dismiss(), keptMs).unref();
    } catch {
      if (this.scout === scout) this.dismiss();
    }
  }

  private dismiss(): void {
    const { scout } = this;
    this.scout = undefined;
    void scout?.end();
  }
}
