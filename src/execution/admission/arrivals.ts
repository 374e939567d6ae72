/**
 * Holds requests of a tenant whose queue is full, before their bodies are read, until the queue has room. Refuses late those for which it
 * has none: clients that send again at once would otherwise take more time of the process than those that are served.
 */
import type { Slots } from "./slots.js";

/** One refusal per `refusalMs`, unless a client would wait longer than `longestMs`. */
const refusalMs = 20;
const shortestMs = 1_000;
const longestMs = 5_000;

export class Arrivals {
  /** Requests of this turn of the event loop by tenant, most of which have not entered the queue. */
  private readonly arriving = new Map<string, number>();
  /** Functions that let a request go on, by tenant, in order of arrival. */
  private readonly held = new Map<string, Set<() => void>>();
  private heldCount = 0;

  constructor(private readonly slots: Slots) {
    slots.onRoom = () => this.admitHeld();
  }

  /**
   * Undefined if the request may go on. Otherwise resolves when it may, or rejects with RATE_LIMITED after a wait that grows with the number
   * of such requests.
   */
  admit(tenantId: string): Promise<void> | undefined {
    if (this.held.has(tenantId) || this.isFull(tenantId)) return this.hold(tenantId);
    this.noteArriving(tenantId);
    return undefined;
  }

  /** Call when an operation enters a queue, which counts it from then on. */
  noteEntered(tenantId: string): void {
    const arriving = this.arriving.get(tenantId);
    if (arriving) this.arriving.set(tenantId, arriving - 1);
  }

  private isFull(tenantId: string): boolean {
    return this.slots.isQueueFull(tenantId, this.arriving.get(tenantId) ?? 0);
  }

  private noteArriving(tenantId: string): void {
    if (!this.arriving.size) setImmediate(() => this.endTurn());
    this.arriving.set(tenantId, (this.arriving.get(tenantId) ?? 0) + 1);
  }

  /** Requests that did not enter a queue leave their place to others. */
  private endTurn(): void {
    this.arriving.clear();
    this.admitHeld();
  }

  private hold(tenantId: string): Promise<void> {
    const held = this.held.get(tenantId) ?? new Set();
    this.held.set(tenantId, held);
    this.heldCount++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        held.delete(goOn);
        if (!held.size) this.held.delete(tenantId);
        this.heldCount--;
      };
      const goOn = () => {
        leave();
        this.noteArriving(tenantId);
        resolve();
      };
      const refuse = () => {
        leave();
        reject(this.slots.refuse());
      };
      const timer = setTimeout(refuse, Math.min(longestMs, Math.max(shortestMs, this.heldCount * refusalMs)));
      held.add(goOn);
    });
  }

  private admitHeld(): void {
    for (const [tenantId, held] of this.held)
      for (const goOn of held) {
        if (this.isFull(tenantId)) break;
        goOn();
      }
  }
}
