/**
 * Refuses requests of a tenant whose queue is full before their bodies are read, and late: clients that send again at once would otherwise
 * take more time of the process than those that are served.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Slots } from "./slots.js";

/** One refusal per `pauseMs`, unless a client would wait longer than `longestPauseMs`. */
const pauseMs = 20;
const shortestPauseMs = 100;
const longestPauseMs = 5_000;

export class EarlyRefusal {
  /** Requests of this turn of the event loop by tenant, most of which have not entered the queue. */
  private readonly arriving = new Map<string, number>();
  /** Requests that wait for their refusal. */
  private refusing = 0;

  constructor(private readonly slots: Slots) {}

  /** Undefined if the request may go on. Otherwise rejects with RATE_LIMITED after a pause that grows with the number of such requests. */
  ofTenant(tenantId: string): Promise<never> | undefined {
    const arriving = this.arriving.get(tenantId) ?? 0;
    if (this.slots.isQueueFull(tenantId, arriving)) return this.refuse();
    if (!this.arriving.size) setImmediate(() => this.arriving.clear());
    this.arriving.set(tenantId, arriving + 1);
    return undefined;
  }

  /** Call when an operation enters a queue, which counts it from then on. */
  noteEntered(tenantId: string): void {
    const arriving = this.arriving.get(tenantId);
    if (arriving) this.arriving.set(tenantId, arriving - 1);
  }

  private async refuse(): Promise<never> {
    this.refusing++;
    await sleep(Math.min(longestPauseMs, Math.max(shortestPauseMs, this.refusing * pauseMs)));
    this.refusing--;
    throw this.slots.refuse();
  }
}
