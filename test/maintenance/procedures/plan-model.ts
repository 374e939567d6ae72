/**
 * A model of plans for plan-year.test.ts: calendar dates one by one, and their outcomes as described in docs/work.md. Imports nothing from
 * src.
 */

export const dayMs = 86_400_000;

export interface Site {
  name: string;
  zone: string;
  workingDays: string[];
  holidays: string[];
}

export interface Rule {
  frequency: string;
  customIntervalDays?: number;
  floating: boolean;
  missedPolicy: "collapse" | "catch_up" | "skip";
  statutory: boolean;
  workingDaysOnly: boolean;
  shift: "later" | "earlier";
  preferredDay?: string;
  avoidWeekends: boolean;
  leadTime: number;
}

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const days: Record<string, number> = { daily: 1, weekly: 7, "bi-weekly": 14, monthly: 30, quarterly: 91, "semi-annual": 182, annual: 365 };
const months: Record<string, number> = { monthly: 1, quarterly: 3, "semi-annual": 6, annual: 12 };

export const daysBetween = ({ frequency, customIntervalDays }: Rule) => customIntervalDays ?? days[frequency]!;
const toleranceMs = (rule: Rule) => Math.min(28, daysBetween(rule) / 2, Math.max(1, daysBetween(rule) / 10)) * dayMs;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local time in the zone, as if it were UTC. */
function wallTime(at: number, zone: string): number {
  let format = formats.get(zone);
  const fields = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
  if (!format) formats.set(zone, (format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...fields })));
  const of = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(of.year!, of.month! - 1, of.day!, of.hour!, of.minute!, of.second!) + (((at % 1000) + 1000) % 1000);
}

/** The instant of a local time. An ambiguous time is the first of two. A skipped time moves by the length of the gap. */
function timeAt(wall: number, zone: string): number {
  const offsetAt = (at: number) => wallTime(at, zone) - at;
  const [before, after] = [offsetAt(wall - dayMs), offsetAt(wall + dayMs)];
  const found = [before, after].map((offset) => wall - offset).filter((at) => wallTime(at, zone) === wall);
  return found.length ? Math.min(...found) : wall - before;
}

export const dayOf = (at: number, zone: string) => new Date(wallTime(at, zone)).toISOString().slice(0, 10);

/** The latest time that still counts as on time. For statutory work, at most the end of its day. */
function lastInTime(rule: Rule, { zone }: Site, dueAt: number): number {
  const last = dueAt + toleranceMs(rule);
  if (!rule.statutory) return last;
  const midnight = new Date(wallTime(dueAt, zone)).setUTCHours(24, 0, 0, 0);
  return Math.min(last, timeAt(midnight, zone) - 1);
}

/** The date that many intervals after the anchor. */
function dateOf(rule: Rule, site: Site, anchor: number, intervals: number): number {
  const wall = new Date(wallTime(anchor, site.zone));
  const byMonths = months[rule.frequency];
  if (byMonths) {
    const day = wall.getUTCDate();
    wall.setUTCDate(1);
    wall.setUTCMonth(wall.getUTCMonth() + byMonths * intervals);
    const last = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0)).getUTCDate();
    wall.setUTCDate(Math.min(day, last));
  } else wall.setUTCDate(wall.getUTCDate() + daysBetween(rule) * intervals);
  const name = () => weekdays[wall.getUTCDay()]!;
  const until = (isRight: () => boolean, direction: number) => {
    while (!isRight()) wall.setUTCDate(wall.getUTCDate() + direction);
  };
  const forward = rule.statutory ? -1 : 1;
  if (rule.preferredDay) until(() => name() === rule.preferredDay, forward);
  if (rule.avoidWeekends) until(() => !["saturday", "sunday"].includes(name()), forward);
  const isWorkingDay = () => site.workingDays.includes(name()) && !site.holidays.includes(wall.toISOString().slice(0, 10));
  if (rule.workingDaysOnly) until(isWorkingDay, rule.statutory || rule.shift === "earlier" ? -1 : 1);
  return timeAt(wall.getTime(), site.zone);
}

export interface Outcome {
  number: number;
  dueAt: number;
  outcome: string;
}

/** A plan's schedule for one of its assets. */
export class Line {
  /** Outcomes of the past dates. */
  readonly settled: Outcome[] = [];
  /** Number and date of the pending order. */
  pending: { number: number; dueAt: number; endsAt: number; isCancelled: boolean } | undefined;
  /** Dates of a fixed schedule, with dates of the same day merged. For a floating schedule, the dates since the last completion. */
  private dates: number[] = [];
  private intervals = 0;
  private anchor: number;
  /** Index of the next date in `dates`. */
  private next = 0;
  /** Number of the first entry of `dates`. */
  private first = 1;
  private readonly covering: number[] = [];

  constructor(
    readonly rule: Rule,
    readonly site: Site,
    readonly procedureId: string,
    readonly assetId: string,
    anchor: number,
    /** The line of the same asset that covers this line: on the same day, or within this line's tolerance. */
    covering?: Line,
  ) {
    this.anchor = anchor;
    for (let i = 0; covering && i < 400; i++) this.covering.push(dateOf(covering.rule, site, anchorOf(covering), i));
  }

  private date(index: number): number {
    while (this.dates.length <= index) {
      const date = dateOf(this.rule, this.site, this.anchor, this.intervals++);
      if (!this.dates.length || date > this.dates.at(-1)!) this.dates.push(date);
    }
    return this.dates[index]!;
  }

  get nextDue(): number {
    return this.date(this.next);
  }

  private isCovered(index: number): boolean {
    const at = this.date(index);
    const tolerance = toleranceMs(this.rule);
    const isWithin = (other: number) => tolerance < (daysBetween(this.rule) * dayMs) / 2 && Math.abs(other - at) <= tolerance;
    return this.covering.some((other) => isWithin(other) || dayOf(other, this.site.zone) === dayOf(at, this.site.zone));
  }

  private isMade(index: number, now: number): boolean {
    return this.date(index) - this.rule.leadTime * dayMs <= now;
  }

  private settle(index: number, outcome: string): void {
    this.settled.push({ number: this.first + index, dueAt: this.date(index), outcome });
  }

  /** Passes dates without an order, up to the first date that `stays`. */
  private passUntil(stays: (index: number) => boolean, missed: string, now: number): void {
    const isOver = (index: number) => (this.isCovered(index) ? this.date(index) <= now || this.isMade(index, now) : !stays(index));
    for (; isOver(this.next); this.next++) this.settle(this.next, this.isCovered(this.next) ? "suppressed" : missed);
  }

  /** The scheduler's run. Returns the date of a new order. */
  run(now: number): number | undefined {
    if (this.pending || !this.isMade(this.next, now)) return undefined;
    const { floating, missedPolicy } = this.rule;
    if (floating || missedPolicy === "catch_up") this.passUntil(() => true, "", now);
    else if (missedPolicy === "skip") this.passUntil((index) => lastInTime(this.rule, this.site, this.date(index)) >= now, "skipped", now);
    else {
      let latest: number | undefined;
      for (let index = this.next; this.date(index) <= now; index++) if (!this.isCovered(index)) latest = index;
      if (latest === undefined) this.passUntil(() => true, "", now);
      else for (; this.next < latest; this.next++) this.settle(this.next, this.isCovered(this.next) ? "suppressed" : "collapsed");
    }
    return !this.isCovered(this.next) && this.isMade(this.next, now) ? this.nextDue : undefined;
  }

  begin(endsAt: number, isCancelled: boolean): void {
    this.pending = { number: this.first + this.next, dueAt: this.nextDue, endsAt, isCancelled };
  }

  cancel(): void {
    this.settle(this.next++, "cancelled");
    this.pending = undefined;
  }

  complete(at: number): void {
    const isLate = at > lastInTime(this.rule, this.site, this.nextDue);
    const isEarly = this.nextDue - at > toleranceMs(this.rule);
    this.settle(this.next++, isLate ? "late" : isEarly ? "early" : "done");
    this.pending = undefined;
    const { floating, missedPolicy } = this.rule;
    if (floating) {
      this.first += this.next;
      Object.assign(this, { anchor: at, intervals: 1, dates: [], next: 0 });
    } else if (missedPolicy === "catch_up") this.passUntil(() => true, "", at);
    else this.passUntil((index) => this.date(index) > at, missedPolicy === "skip" ? "skipped" : "collapsed", at);
  }

  isOverdue(now: number): boolean {
    return lastInTime(this.rule, this.site, this.nextDue) < now;
  }

  /** The dates from the next one on. */
  ahead(until: number): number[] {
    const found: number[] = [];
    for (let index = this.next; this.date(index) <= until; index++) found.push(this.date(index));
    return found;
  }
}

const anchorOf = (line: Line) => (line as unknown as { anchor: number }).anchor;
