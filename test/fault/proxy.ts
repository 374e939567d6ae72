/** Network faults between the gateway and its database: a TCP proxy controlled by a test. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * `refuse`: nobody listens, and open connections are closed. `reset`: open and new connections are reset. `hole`: connections are accepted,
 * but no data passes. `slow`: each direction takes 150 ms longer.
 */
export type Fault = "refuse" | "reset" | "hole" | "slow";

const slowMs = 150;

export class FaultyNetwork {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private fault: Fault | undefined;
  private port = 0;

  constructor(private readonly target: number) {}

  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.port}/postgres`;
  }

  async open(): Promise<this> {
    this.server = createServer((near) => this.accept(near)).listen(this.port, "127.0.0.1");
    await once(this.server, "listening");
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  begin(fault: Fault): void {
    this.fault = fault;
    if (fault === "refuse") this.close();
    if (fault === "reset") for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Swallowed data is lost: as after a pulled cable, earlier connections never get a response. */
  async heal(): Promise<void> {
    const { fault } = this;
    this.fault = undefined;
    if (fault === "refuse") await this.open();
  }

  close(): void {
    this.server?.close();
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(near: Socket): void {
    near.on("error", () => {});
    if (this.fault === "reset") return void near.resetAndDestroy();
    let isLost = this.fault === "hole";
    const far = connect(this.target, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => {});
      one.on("data", (chunk) => {
        isLost ||= this.fault === "hole";
        if (isLost) return;
        if (this.fault === "slow") setTimeout(() => other.write(chunk), slowMs);
        else other.write(chunk);
      });
      one.on("close", () => {
        this.sockets.delete(one);
        if (!isLost) other.destroy();
      });
    }
  }
}
