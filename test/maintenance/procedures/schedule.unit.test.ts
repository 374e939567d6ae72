/** Due dates (docs/decisions.md, "nextDue"): examples, and properties that hold for every rule. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dueDate,
  dueDateAfter,
  dueDateBeyond,
  dueDatesUntil,
  isTimeZone,
  type ScheduleRule,
} from "../../../src/domain/maintenance/procedures/schedule.js";
import type { ProcedureFrequency } from "../../../src/schema/maintenance/enums.js";
import { weekdays } from "../../../src/schema/scalars.js";

const rule = (frequency: ProcedureFrequency, anchor: string, more: Partial<ScheduleRule> = {}): ScheduleRule => ({
  frequency,
  anchor: new Date(anchor),
  timeZone: "UTC",
  ...more,
});

const iso = (of: ScheduleRule, steps: number[]) =>
  steps.map((step) =>
    dueDate(of, step)
      ?.at.toISOString()
      .replace(/:00\.000Z$/, "Z"),
  );

/** Consecutive due dates of a procedure. */
function walk(of: ScheduleRule, count: number): string[] {
  const dates: string[] = [];
  for (let due = dueDate(of, 0); due && dates.length < count; due = dueDateAfter(of, due.steps))
    dates.push(due.at.toISOString().slice(0, 10));
  return dates;
}

/** The local time of a moment, computed by the platform and not by the code under test. */
function wallClock(at: Date, timeZone: string) {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "short", timeStyle: "medium", hourCycle: "h23" }).formatToParts(at);
  const get = (type: string) => Number(parts.find((part) => part.type === type)!.value);
  const date = new Date(Date.UTC(get("year"), get("month") - 1, get("day")));
  return { date, weekday: weekdays[(date.getUTCDay() + 6) % 7]!, time: `${get("hour")}:${get("minute")}:${get("second")}` };
}

describe("steps", () => {
  test.each<[string, ScheduleRule, number[], string[]]>([
    ["daily", rule("daily", "2026-02-27T06:00Z"), [0, 1, 2], ["2026-02-27T06:00Z", "2026-02-28T06:00Z", "2026-03-01T06:00Z"]],
    ["weekly", rule("weekly", "2026-12-28T06:00Z"), [1], ["2027-01-04T06:00Z"]],
    ["bi-weekly", rule("bi-weekly", "2026-12-28T06:00Z"), [1, 2], ["2027-01-11T06:00Z", "2027-01-25T06:00Z"]],
    [
      "monthly from 31 January uses the last day of shorter months",
      rule("monthly", "2026-01-31T06:00Z"),
      [1, 2, 3, 4],
      ["2026-02-28T06:00Z", "2026-03-31T06:00Z", "2026-04-30T06:00Z", "2026-05-31T06:00Z"],
    ],
    ["monthly from 31 January of a leap year", rule("monthly", "2028-01-31T06:00Z"), [1, 2], ["2028-02-29T06:00Z", "2028-03-31T06:00Z"]],
    ["quarterly from 30 November", rule("quarterly", "2026-11-30T06:00Z"), [1, 2], ["2027-02-28T06:00Z", "2027-05-30T06:00Z"]],
    ["semi-annual from 31 August", rule("semi-annual", "2026-08-31T06:00Z"), [1, 2], ["2027-02-28T06:00Z", "2027-08-31T06:00Z"]],
    [
      "annual from 29 February",
      rule("annual", "2028-02-29T06:00Z"),
      [1, 2, 3, 4],
      ["2029-02-28T06:00Z", "2030-02-28T06:00Z", "2031-02-28T06:00Z", "2032-02-29T06:00Z"],
    ],
    [
      "annual from 29 February across the year 2100",
      rule("annual", "2096-02-29T06:00Z"),
      [4, 8],
      ["2100-02-28T06:00Z", "2104-02-29T06:00Z"],
    ],
    ["custom", rule("custom", "2026-01-01T06:00Z", { customIntervalDays: 10 }), [1, 3], ["2026-01-11T06:00Z", "2026-01-31T06:00Z"]],
  ])("%s", (_, of, steps, expected) => expect(iso(of, steps)).toEqual(expected));

  test.each([undefined, null])("custom without an interval (%s) has no due dates", (customIntervalDays) => {
    const of = rule("custom", "2026-01-01T06:00Z", { customIntervalDays });
    expect([dueDate(of, 0), dueDate(of, 1), dueDateAfter(of, 0), dueDateBeyond(of, new Date())]).toEqual(Array(4).fill(undefined));
    expect([...dueDatesUntil(of, 0, new Date("2027-01-01"))]).toEqual([]);
  });

  test("there are no due dates beyond the end of the calendar", () => {
    const of = rule("annual", "9990-06-01T00:00Z");
    expect(walk(of, 100).at(-1)).toBe("9998-06-01");
    expect(dueDateBeyond(of, new Date("9998-12-31"))).toBeUndefined();
  });
});

describe("moved dates", () => {
  test.each<[string, ScheduleRule, string[], string]>([
    // 1 January 2026 is a Thursday.
    [
      "forward to the preferred day",
      rule("monthly", "2026-01-01T06:00Z", { schedulingRules: { preferredDay: "Tuesday" } }),
      ["2026-01-06", "2026-02-03", "2026-03-03", "2026-04-07"],
      "monthly from 2026-01-01: 2026-02-01, moved to Tuesday",
    ],
    [
      "a preferred day in capitals",
      rule("monthly", "2026-01-01T06:00Z", { schedulingRules: { preferredDay: "SUNDAY" } }),
      ["2026-01-04", "2026-02-01", "2026-03-01", "2026-04-05"],
      "monthly from 2026-01-01: 2026-02-01",
    ],
    [
      "off the weekend",
      rule("monthly", "2026-01-31T06:00Z", { schedulingRules: { avoidWeekends: true } }),
      ["2026-02-02", "2026-03-02", "2026-03-31", "2026-04-30"],
      "monthly from 2026-01-31: 2026-02-28, the month's last day, off the weekend to Monday",
    ],
    [
      "back off the weekend, if they are statutory",
      rule("monthly", "2026-01-31T06:00Z", { schedulingRules: { avoidWeekends: true }, statutory: true }),
      ["2026-01-30", "2026-02-27", "2026-03-31", "2026-04-30"],
      "monthly from 2026-01-31: 2026-02-28, the month's last day, off the weekend to Friday",
    ],
    [
      "a preferred day on a weekend that is avoided",
      rule("monthly", "2026-01-01T06:00Z", { schedulingRules: { preferredDay: "saturday", avoidWeekends: true } }),
      ["2026-01-05", "2026-02-09", "2026-03-09", "2026-04-06"],
      "monthly from 2026-01-01: 2026-02-01, moved to Saturday, off the weekend to Monday",
    ],
    [
      "daily off weekends: three days are one",
      rule("daily", "2026-01-01T06:00Z", { schedulingRules: { avoidWeekends: true } }),
      ["2026-01-01", "2026-01-02", "2026-01-05", "2026-01-06", "2026-01-07"],
      "daily from 2026-01-01: 2026-01-02",
    ],
    [
      "daily on Wednesdays is weekly",
      rule("daily", "2026-01-01T06:00Z", { schedulingRules: { preferredDay: "wednesday" } }),
      ["2026-01-07", "2026-01-14", "2026-01-21"],
      "daily from 2026-01-01: 2026-01-02, moved to Wednesday",
    ],
    [
      "empty rules",
      rule("weekly", "2026-01-03T06:00Z", { schedulingRules: { preferredDay: null, avoidWeekends: false } }),
      ["2026-01-03", "2026-01-10"],
      "weekly from 2026-01-03: 2026-01-10",
    ],
  ])("%s", (_, of, expected, reason) => {
    expect(walk(of, expected.length)).toEqual(expected);
    expect(dueDate(of, 1)!.reason).toBe(reason);
  });

  test("weekends are those of local time", () => {
    // Friday 23:30 in New York is Saturday in UTC; Sunday 23:30 in UTC is Monday in Copenhagen.
    const avoiding = { schedulingRules: { avoidWeekends: true } };
    expect(iso(rule("weekly", "2026-01-03T04:30Z", { ...avoiding, timeZone: "America/New_York" }), [0, 1])).toEqual([
      "2026-01-03T04:30Z",
      "2026-01-10T04:30Z",
    ]);
    expect(iso(rule("weekly", "2026-01-04T23:30Z", { ...avoiding, timeZone: "Europe/Copenhagen" }), [0])).toEqual(["2026-01-04T23:30Z"]);
    expect(iso(rule("weekly", "2026-01-02T23:30Z", { ...avoiding, timeZone: "Europe/Copenhagen" }), [0])).toEqual(["2026-01-04T23:30Z"]);
  });
});

describe("daylight saving", () => {
  test.each<[string, ScheduleRule, string[]]>([
    [
      "8 o'clock in Copenhagen stays 8 o'clock",
      rule("daily", "2026-03-28T07:00Z", { timeZone: "Europe/Copenhagen" }),
      ["2026-03-28T07:00Z", "2026-03-29T06:00Z", "2026-03-30T06:00Z"],
    ],
    [
      "8 o'clock stays 8 o'clock in October too",
      rule("daily", "2026-10-24T06:00Z", { timeZone: "Europe/Copenhagen" }),
      ["2026-10-24T06:00Z", "2026-10-25T07:00Z", "2026-10-26T07:00Z"],
    ],
    [
      "New York changes its clocks on other days",
      rule("daily", "2026-03-07T13:00Z", { timeZone: "America/New_York" }),
      ["2026-03-07T13:00Z", "2026-03-08T12:00Z", "2026-03-09T12:00Z"],
    ],
    [
      "a skipped local time becomes an hour later, on that day only",
      rule("daily", "2026-03-28T01:30Z", { timeZone: "Europe/Copenhagen" }),
      ["2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"],
    ],
    [
      "a repeated local time is the first of the two",
      rule("daily", "2026-10-24T00:30Z", { timeZone: "Europe/Copenhagen" }),
      ["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "a skipped local time in New York",
      rule("daily", "2026-03-07T07:30Z", { timeZone: "America/New_York" }),
      ["2026-03-07T07:30Z", "2026-03-08T07:30Z", "2026-03-09T06:30Z"],
    ],
    [
      "monthly across both changes",
      rule("quarterly", "2026-01-15T07:00Z", { timeZone: "Europe/Copenhagen" }),
      ["2026-01-15T07:00Z", "2026-04-15T06:00Z", "2026-07-15T06:00Z", "2026-10-15T06:00Z", "2027-01-15T07:00Z"],
    ],
    ["UTC has no daylight saving", rule("daily", "2026-03-28T07:00Z"), ["2026-03-28T07:00Z", "2026-03-29T07:00Z", "2026-03-30T07:00Z"]],
  ])("%s", (_, of, expected) =>
    expect(
      iso(
        of,
        expected.map((_date, step) => step),
      ),
    ).toEqual(expected),
  );
});

describe("for any rule", () => {
  const zones = ["UTC", "Europe/Copenhagen", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"];
  const frequencies: ProcedureFrequency[] = ["daily", "weekly", "bi-weekly", "monthly", "quarterly", "semi-annual", "annual", "custom"];
  const anyRule = fc.record({
    frequency: fc.constantFrom(...frequencies),
    customIntervalDays: fc.integer({ min: 1, max: 400 }),
    anchor: fc
      .date({ min: new Date("1990-01-01"), max: new Date("2080-01-01"), noInvalidDate: true })
      .map((date) => new Date(Math.floor(date.getTime() / 60_000) * 60_000)),
    timeZone: fc.constantFrom(...zones),
    schedulingRules: fc.option(
      fc.record({ preferredDay: fc.option(fc.constantFrom(...weekdays)), avoidWeekends: fc.option(fc.boolean()) }),
    ),
  });
  const steps = fc.integer({ min: 0, max: 200 });
  const dayMs = 86_400_000;
  // Enough runs to cover the clock changes of each zone.
  const runs = { numRuns: 300 };

  test("dates do not drift: days are counted from the anchor by the calendar, and local time is the anchor's", () => {
    fc.assert(
      fc.property(anyRule, steps, (any, n) => {
        const of = { ...any, schedulingRules: null };
        const anchor = wallClock(of.anchor, of.timeZone);
        const due = wallClock(dueDate(of, n)!.at, of.timeZone);
        const days = { daily: 1, weekly: 7, "bi-weekly": 14, custom: of.customIntervalDays }[of.frequency as "daily"];
        const months = { monthly: 1, quarterly: 3, "semi-annual": 6, annual: 12 }[of.frequency as unknown as "monthly"];
        const expected = new Date(anchor.date);
        if (days) expected.setUTCDate(expected.getUTCDate() + days * n);
        else {
          expected.setUTCDate(1);
          expected.setUTCMonth(expected.getUTCMonth() + months * n);
          const lastDay = new Date(Date.UTC(expected.getUTCFullYear(), expected.getUTCMonth() + 1, 0)).getUTCDate();
          expected.setUTCDate(Math.min(anchor.date.getUTCDate(), lastDay));
        }
        // Samoa had no 30 December 2011. A skipped time becomes the time after the gap.
        const isSkipped = due.time !== anchor.time || due.date.getTime() !== expected.getTime();
        if (isSkipped) {
          const wanted = expected.getTime() + toMs(anchor.time);
          const got = due.date.getTime() + toMs(due.time);
          expect(got - wanted).toBeGreaterThan(0);
          expect(got - wanted).toBeLessThanOrEqual(dayMs);
          expect(offset(dueDate(of, n)!.at, of.timeZone)).not.toBe(offset(new Date(dueDate(of, n)!.at.getTime() - dayMs), of.timeZone));
        }
      }),
      runs,
    );
  });

  test("dates fall on the preferred day and not on weekends, and move forward by at most a week and a weekend", () => {
    fc.assert(
      fc.property(anyRule, steps, (of, n) => {
        const { at } = dueDate(of, n)!;
        const plain = dueDate({ ...of, schedulingRules: null }, n)!.at;
        const { weekday, date } = wallClock(at, of.timeZone);
        const { preferredDay, avoidWeekends } = of.schedulingRules ?? {};
        const isWeekend = (day: string) => day === "saturday" || day === "sunday";
        // A date moved onto Samoa's skipped day falls on the day after it.
        fc.pre(of.timeZone !== "Pacific/Apia" || date.getUTCFullYear() !== 2011 || date.getUTCMonth() !== 11);
        if (avoidWeekends) expect(isWeekend(weekday)).toBe(false);
        if (preferredDay) expect(weekday).toBe(avoidWeekends && isWeekend(preferredDay) ? "monday" : preferredDay);
        expect(at.getTime() - plain.getTime()).toBeGreaterThanOrEqual(0);
        expect(at.getTime() - plain.getTime()).toBeLessThan(9 * dayMs);
      }),
      runs,
    );
  });

  test("dates increase strictly, and none is skipped", () => {
    fc.assert(
      fc.property(anyRule, steps, (of, n) => {
        const from = dueDate(of, n)!;
        const next = dueDateAfter(of, n)!;
        expect(next.at.getTime()).toBeGreaterThan(from.at.getTime());
        for (let between = n + 1; between < next.steps; between++) expect(dueDate(of, between)!.at).toEqual(from.at);
      }),
      runs,
    );
  });

  test("dueDateBeyond returns the same as stepping through all dates", () => {
    fc.assert(
      fc.property(anyRule, fc.integer({ min: -500, max: 700 }), (of, days) => {
        const moment = new Date(of.anchor.getTime() + days * dayMs);
        let due = dueDate(of, 1);
        while (due && due.at <= moment) due = dueDateAfter(of, due.steps);
        expect(dueDateBeyond(of, moment)).toEqual(due);
      }),
      { numRuns: 60 },
    );
  });

  test("dueDatesUntil returns every date once", () => {
    fc.assert(
      fc.property(anyRule, fc.integer({ min: 0, max: 120 }), (of, days) => {
        const until = new Date(of.anchor.getTime() + days * dayMs);
        const expected = new Set<number>();
        for (let step = 0; step <= days + 1; step++) {
          const { at } = dueDate(of, step)!;
          if (at <= until) expected.add(at.getTime());
        }
        expect([...dueDatesUntil(of, 0, until)].map(({ at }) => at.getTime())).toEqual([...expected]);
      }),
      { numRuns: 60 },
    );
  });

  const toMs = (time: string) => {
    const [hours, minutes, seconds] = time.split(":").map(Number);
    return ((hours! * 60 + minutes!) * 60 + seconds!) * 1000;
  };
  const offset = (at: Date, timeZone: string) => {
    const { date, time } = wallClock(at, timeZone);
    return date.getTime() + toMs(time) - at.getTime();
  };
});

test("time zones are IANA names", () => {
  expect(["UTC", "Europe/Copenhagen", "America/New_York"].map(isTimeZone)).toEqual([true, true, true]);
  expect(["", "Mars/Olympus", "Copenhagen"].map(isTimeZone)).toEqual([false, false, false]);
});
