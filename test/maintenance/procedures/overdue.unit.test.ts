/** Forecasts of procedures that are overdue by years take little time, and let other requests run. */
import { describe, expect, test } from "vitest";
import {
  hasPlainDates,
  type Plan,
  type Settled,
  settle,
  settleBriefly,
  settleDone,
} from "../../../src/domain/maintenance/procedures/plan-dates.js";
import { upcoming } from "../../../src/domain/maintenance/procedures/upcoming.js";
import { weekdays } from "../../../src/schema/scalars.js";

const now = new Date("2026-11-26T12:00:00Z");

const daily: Plan = {
  frequency: "daily",
  anchor: new Date("2020-01-01T08:00:00Z"),
  timeZone: "UTC",
  anchorSteps: 1,
  occurrence: 1,
  schedulingBasis: "fixed",
  missedPolicy: "collapse",
};

describe("the due date of a plan that is overdue by years", () => {
  // The last one at 08:00 that has passed, and the ones before it, back to 1,000 before the next one.
  test("is found without the dates that passed", () => {
    expect(settleBriefly(daily, now).next!.at.toISOString()).toBe("2026-11-26T08:00:00.000Z");
    expect(settleBriefly(daily, now).passed).toEqual([]);
    expect(settle(daily, now).passed.length).toBe(999);
  });

  test.each<[string, Partial<Plan>]>([
    ["collapse", {}],
    ["for 2,500 days", { anchor: new Date("2020-01-22T08:00:00Z") }],
    ["skip", { missedPolicy: "skip" }],
    ["catch up", { missedPolicy: "catch_up" }],
    ["floating", { schedulingBasis: "floating" }],
    ["weekends", { schedulingRules: { avoidWeekends: true } as never }],
    ["working days", { workingDaysOnly: true, workingDays: ["friday"] }],
    ["statutory", { statutory: true, workingDaysOnly: true }],
    ["weekly", { frequency: "weekly", missedPolicy: "skip" }],
    ["annual", { frequency: "annual", missedPolicy: "skip" }],
    [
      "covered by another",
      {
        suppressor: { ...daily, name: "Service", frequency: "custom", customIntervalDays: 2, nextDue: null, occurrence: 2 },
      },
    ],
    ["moved to one day of the week", { schedulingRules: { preferredDay: "wednesday" } as never }],
    [
      "moved behind a shutdown of 40 days",
      {
        workingDaysOnly: true,
        workingDays: [...weekdays],
        holidays: Array.from({ length: 40 }, (_, n) => ({
          date: new Date(Date.UTC(2026, 9, 20 + n)).toISOString().slice(0, 10),
          name: "Shutdown",
        })),
      },
    ],
    [
      "covered in the last 70 days",
      {
        workingDaysOnly: true,
        workingDays: ["friday"],
        suppressor: {
          ...daily,
          name: "Overhaul",
          frequency: "custom",
          customIntervalDays: 7,
          anchor: new Date("2026-09-18T08:00:00Z"),
          nextDue: null,
          occurrence: 2,
        },
      },
    ],
  ])("is the same as from all of them: %s", (_, change) => {
    for (let hours = 0; hours < 200; hours += 29) {
      const at = new Date(now.getTime() + hours * 3_600_000);
      const plan = { ...daily, anchor: new Date("2026-01-01T08:00:00Z"), ...change };
      const dateOf = ({ next }: Settled) =>
        next && { at: next.at, reason: next.reason, steps: next.steps, ...(hasPlainDates(plan) && { occurrence: next.occurrence }) };
      expect(dateOf(settleBriefly(plan, at)), at.toISOString()).toEqual(dateOf(settle(plan, at)));
      expect(dateOf(settleBriefly(plan, at, true)), `completed ${at.toISOString()}`).toEqual(dateOf(settleDone(plan, at)));
    }
  });
});

test("a forecast of 300 overdue procedures lets other work run in between", async () => {
  const procedures = Array.from({ length: 300 }, (_, n) => ({
    ...daily,
    id: `r${n}`,
    assetId: "a",
    planAssetId: "",
    hasOrder: false,
    counters: null,
    suppressor: null,
    anchor: new Date(Date.UTC(2015, 0, 1, 8) - n * 60_000),
  }));
  let reads = 0;
  const db = { query: async () => (reads++ ? [] : procedures) };
  let turns = 0;
  let isOver = false;
  const other = () => void (++turns && !isOver && setImmediate(other));
  setImmediate(other);
  const found = await upcoming(db as never, 30, {});
  isOver = true;
  expect(found.length).toBe(1_000);
  expect(turns).toBeGreaterThan(10);
});
