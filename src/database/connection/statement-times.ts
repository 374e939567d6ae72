/** Number and duration of statements: of all requests, of background work, and of each request. */
import { type DatabaseFault, faultOf } from "../errors.js";
import { currentActivity } from "../watch/activity.js";

interface Sent {
  count: number;
  seconds: number;
}

/** A fault is reported for this long after the last statement that encountered it. */
const faultMs = 30_000;

/** SQLSTATE or the driver's code. Not the message, which contains values. */
const codeOf = (error: unknown): string => String((error as { code?: string }).code ?? "error");

export class StatementTimes {
  readonly requests: Sent = { count: 0, seconds: 0 };
  readonly background: Sent = { count: 0, seconds: 0 };
  private lastFault: { what: DatabaseFault; at: number } | undefined;

  /** Fault that a statement encountered recently, such as a full disk. */
  get recentFault(): DatabaseFault | undefined {
    return this.lastFault && performance.now() - this.lastFault.at < faultMs ? this.lastFault.what : undefined;
  }

  /** Begins a statement. Call the returned function at its end, with the error if it failed. */
  begin(text: string): (error?: unknown) => void {
    const activity = currentActivity();
    const sent = activity?.isBackground ? this.background : this.requests;
    sent.count++;
    const span = activity?.beginStatement(text);
    const startedAt = performance.now();
    return (error) => {
      const ms = performance.now() - startedAt;
      sent.seconds += ms / 1000;
      activity?.endStatement(text, ms);
      const what = error ? faultOf(codeOf(error)) : undefined;
      if (what) this.lastFault = { what, at: performance.now() };
      if (error) span?.end({ "db.response.status_code": codeOf(error) }, codeOf(error));
      else span?.end();
    };
  }

  of<T>(text: string, work: () => Promise<T>): Promise<T> {
    const end = this.begin(text);
    const sent = work();
    sent.then(() => end(), end);
    return sent;
  }
}
