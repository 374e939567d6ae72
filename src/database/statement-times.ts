/** How many statements were sent and how long they took, once somebody measures it. */
import { isInBackground } from "./background.js";

interface Sent {
  count: number;
  seconds: number;
}

export class StatementTimes {
  readonly requests: Sent = { count: 0, seconds: 0 };
  readonly background: Sent = { count: 0, seconds: 0 };
  isMeasured = false;

  /** Begins a statement. Call what it returns at its end. */
  begin(): () => void {
    const sent = isInBackground() ? this.background : this.requests;
    const startedAt = performance.now();
    sent.count++;
    return () => void (sent.seconds += (performance.now() - startedAt) / 1000);
  }

  of<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isMeasured) return work();
    const end = this.begin();
    return work().finally(end);
  }
}
