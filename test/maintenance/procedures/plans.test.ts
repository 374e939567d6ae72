/** Plans: missed dates, working days, statutory procedures, compliance and maintenance dates, with a clock that the test controls. */
import { describe, expect, test } from "vitest";
import { createDueWorkOrders } from "../../../src/background/scheduler.js";
import { type Caller, startGateway } from "../../world.js";
import { act, expectRejected, failed, procedure, workOrder } from "../work-orders/orders.js";

const gateway = await startGateway();

const dayMs = 86_400_000;
const daysFrom = (time: number, days: number) => new Date(time + days * dayMs).toISOString();
const ago = (days: number) => daysFrom(Date.now(), -days);

const run = (now = new Date()) =>
  createDueWorkOrders(gateway.database, now, (error) => {
    throw error;
  });

const ordersOf = async (tenant: Caller, id: string) =>
  (await tenant.ask(`query ($id: ID!) { procedure(id: $id) { workOrders { nodes { id occurrence scheduledDate } } } }`, { id })).procedure
    .workOrders.nodes;

/** Compliance in the 400 days before and after `time`. */
const reported = async (tenant: Caller, procedureId: string, time = Date.now()) =>
  (
    await tenant.ask(
      `query ($from: DateTime!, $to: DateTime!, $procedureId: ID) { compliance(from: $from, to: $to, procedureId: $procedureId) {
        due done early late cancelled collapsed skipped overdue suppressed percentage } }`,
      { from: daysFrom(time, -400), to: daysFrom(time, 400), procedureId },
    )
  ).compliance;

const none = { done: 0, early: 0, late: 0, cancelled: 0, collapsed: 0, skipped: 0, overdue: 0, suppressed: 0 };

describe("ten missed days", () => {
  test.each([
    ["collapse", 11, { due: 10, collapsed: 10 }],
    ["catch_up", 1, { due: 1, overdue: 1 }],
    ["skip", 11, { due: 10, skipped: 10 }],
  ])("with %s become one order, of occurrence %i", async (missedPolicy, occurrence, counts) => {
    const tenant = await gateway.newTenant();
    const anchor = ago(10.4);
    const { id } = await procedure(tenant, { frequency: "daily", anchor, missedPolicy });
    await run();
    await run();
    const scheduledDate = new Date(Date.parse(anchor) + (occurrence - 1) * dayMs).toISOString();
    expect(await ordersOf(tenant, id)).toEqual([{ id: expect.any(String), occurrence, scheduledDate }]);
    expect(await reported(tenant, id)).toEqual({ ...none, percentage: 0, ...counts });
  });
});

test("with skip, a date is due until its tolerance is over", async () => {
  const anchor = "2031-04-01T08:00:00.000Z";
  // A weekly date has a tolerance of a day, a daily date has half a day.
  for (const [frequency, tolerance] of [
    ["daily", dayMs / 2],
    ["weekly", dayMs],
  ] as const)
    for (const late of [0, 1]) {
      const tenant = await gateway.newTenant();
      const { id } = await procedure(tenant, { frequency, anchor, missedPolicy: "skip" });
      await run(new Date(Date.parse(anchor) + tolerance + late));
      const orders = late ? [] : [{ id: expect.any(String), occurrence: 1, scheduledDate: anchor }];
      expect(await ordersOf(tenant, id), `${frequency} + ${late} ms`).toEqual(orders);
    }
});

describe("compliance", () => {
  const hour = dayMs / 24;
  const dueAt = Date.parse("2026-03-10T08:00:00.000Z");
  const inTokyo = { timeZone: "Asia/Tokyo" };
  /** A plan, the offset of its completion from the due date, and the outcome. */
  const cases: [name: string, plan: object, off: number, outcome: "done" | "early" | "late"][] = [
    // A tenth of the interval is 2.4 hours. The tolerance is at least a day, but at most half the interval.
    ["daily work", { frequency: "daily" }, 12 * hour, "done"],
    ["daily work", { frequency: "daily" }, 12 * hour + 1, "late"],
    ["daily work", { frequency: "daily" }, 22.9 * hour, "late"],
    ["daily work", { frequency: "daily" }, -12 * hour - 1, "early"],
    ["weekly work", { frequency: "weekly" }, 24 * hour, "done"],
    ["weekly work", { frequency: "weekly" }, 24 * hour + 1, "late"],
    ["monthly work", { frequency: "monthly" }, 3 * dayMs, "done"],
    ["monthly work", { frequency: "monthly" }, 3 * dayMs + 1, "late"],
    ["work of every two days", { frequency: "custom", customIntervalDays: 2 }, 24 * hour, "done"],
    ["annual work", { frequency: "annual" }, 28 * dayMs, "done"],
    ["annual work", { frequency: "annual" }, 28 * dayMs + 1, "late"],
    // Statutory work must be done on its day.
    ["statutory annual work", { frequency: "annual", statutory: true }, 27 * dayMs, "late"],
    ["statutory annual work", { frequency: "annual", statutory: true }, 16 * hour - 1, "done"],
    ["statutory annual work", { frequency: "annual", statutory: true }, 16 * hour, "late"],
    ["statutory annual work", { frequency: "annual", statutory: true }, -28 * dayMs, "done"],
    ["statutory daily work", { frequency: "daily", statutory: true }, 12 * hour + 1, "late"],
    // Due at 17:00 in Tokyo, where the day ends 7 hours later.
    ["statutory work in Tokyo", { frequency: "annual", statutory: true, ...inTokyo }, 7 * hour - 1, "done"],
    ["statutory work in Tokyo", { frequency: "annual", statutory: true, ...inTokyo }, 7 * hour, "late"],
  ];

  test("is in time within a tenth of the interval, at most 28 days and half the interval; of statutory work on its day", async () => {
    const tenant = await gateway.newTenant();
    const zone = "mutation ($site: String!, $timeZone: Name!) { setSiteTimeZone(site: $site, timeZone: $timeZone) { name } }";
    await tenant.createAsset({ site: "Tokyo" });
    await tenant.ask(zone, { site: "Tokyo", ...inTokyo });
    const outcomes: string[] = [];
    for (const [name, { timeZone, ...plan }, off] of cases as unknown as [string, any, number][]) {
      const { id: assetId } = await tenant.createAsset(timeZone ? { site: "Tokyo" } : {});
      const { id } = await procedure(tenant, { ...plan, assetId, anchor: new Date(dueAt).toISOString() });
      // Before any later date is due, so that the order is for the first date.
      await run(new Date(dueAt));
      const [order] = await ordersOf(tenant, id);
      const completedAt = new Date(dueAt + off).toISOString();
      await act(tenant, "start", order.id);
      await act(tenant, "complete", order.id, { completedAt, startedAt: new Date(dueAt + off - 1).toISOString() });
      const { done, early, late } = await reported(tenant, id, dueAt);
      outcomes.push(`${name} ${off}: ${Object.entries({ done, early, late }).flatMap(([outcome, count]) => (count ? [outcome] : []))}`);
    }
    expect(outcomes).toEqual(cases.map(([name, , off, outcome]) => `${name} ${off}: ${outcome}`));
  });

  test("counts statutory work as overdue from the end of its day on, other work once its tolerance is over", async () => {
    const tenant = await gateway.newTenant();
    const overdue = async (plan: object, days: number) => {
      const { id } = await procedure(tenant, { ...plan, anchor: ago(days) });
      return (await reported(tenant, id)).overdue;
    };
    expect(await overdue({ frequency: "annual" }, 27)).toBe(0);
    expect(await overdue({ frequency: "annual" }, 29)).toBe(1);
    expect(await overdue({ frequency: "annual", statutory: true }, 1)).toBe(1);
    expect(await overdue({ frequency: "daily" }, 0.45)).toBe(0);
    expect(await overdue({ frequency: "daily" }, 0.55)).toBe(1);
  });
});

test("completing moves the last and the next maintenance of the asset, by all of its procedures", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const one = await procedure(tenant, { assetId, anchor: "2031-01-31T08:00:00Z" });
  const other = await procedure(tenant, { assetId, anchor: "2031-02-10T08:00:00Z" });
  const order = await workOrder(tenant, one.id);
  await act(tenant, "start", order);
  const { completedAt } = await act(tenant, "complete", order);
  const { body } = await tenant.rest("GET", `/assets/${assetId}`);
  expect(body).toMatchObject({ lastMaintenanceDate: completedAt, nextMaintenanceDate: "2031-02-10T08:00:00.000Z" });
  expect(await reported(tenant, one.id)).toMatchObject({ due: 0, percentage: null });
  // Work recorded later but done earlier does not move dates back.
  await act(tenant, "complete", await workOrder(tenant, other.id), { startedAt: ago(2), completedAt: ago(1) });
  expect((await tenant.rest("GET", `/assets/${assetId}`)).body.lastMaintenanceDate).toBe(completedAt);
});

test("statutory dates move to an earlier working day, others to a later one, and the preview names the holiday", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ site: "North" });
  const fields = { assetId, frequency: "annual", anchor: "2031-12-25T08:00:00Z", workingDaysOnly: true };
  const [plain, statutory] = [await procedure(tenant, fields), await procedure(tenant, { ...fields, statutory: true })];
  await tenant.ask(
    `mutation { updateSite(name: "North", input: { holidays: [{ date: "2031-12-26", name: "Boxing Day" }, { date: "2031-12-25", name: "Christmas Day" }] }) { name } }`,
  );
  const due = async (id: string) => (await tenant.rest("GET", `/pms/${id}`)).body.nextDue;
  expect([await due(plain.id), await due(statutory.id)]).toEqual(["2031-12-29T08:00:00.000Z", "2031-12-24T08:00:00.000Z"]);
  const { previewSchedule } = await tenant.ask(
    `query ($id: ID!) { previewSchedule(procedureId: $id, from: "2031-01-01", to: "2032-01-31") { dueAt outcome isRecorded makesWorkOrderAt reasons { kind text } } }`,
    { id: statutory.id },
  );
  expect(previewSchedule).toEqual([
    {
      dueAt: "2031-12-24T08:00:00.000Z",
      outcome: null,
      isRecorded: false,
      makesWorkOrderAt: "2031-12-24T08:00:00.000Z",
      reasons: [
        { kind: "INTERVAL", text: "annual from 2031-12-25: 2031-12-25" },
        { kind: "HOLIDAY", text: "2031-12-25 is a holiday (Christmas Day)" },
        { kind: "MOVED_EARLIER", text: "moved earlier to Wednesday 2031-12-24" },
      ],
    },
  ]);
  const order = await workOrder(tenant, statutory.id);
  const cancel = (caller: Caller, reason?: string) =>
    caller.graphql(`mutation ($id: ID!, $reason: String) { cancelWorkOrder(id: $id, reason: $reason) { status } }`, { id: order, reason });
  await failed(tenant, async () => cancel(await tenant.as("technician"), "no time"), { code: "FORBIDDEN" });
  for (const reason of [undefined, "", " "])
    await failed(tenant, () => cancel(tenant, reason), {
      code: "BAD_USER_INPUT",
      details: { reason: "is required to cancel the work of a statutory procedure" },
    });
  expect((await cancel(tenant, "decommissioned soon")).data).toEqual({ cancelWorkOrder: { status: "CANCELLED" } });
});

test("statutory dates on a weekend that is avoided move to Friday, others to Monday", async () => {
  const tenant = await gateway.newTenant();
  // A Saturday.
  const fields = { frequency: "annual", anchor: "2032-05-01T08:00:00Z", schedulingRules: { avoidWeekends: true } };
  expect((await procedure(tenant, fields)).nextDue).toBe("2032-05-03T08:00:00.000Z");
  expect((await procedure(tenant, { ...fields, statutory: true })).nextDue).toBe("2032-04-30T08:00:00.000Z");
});

test("work that was done, reopened and cancelled counts as cancelled", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await procedure(tenant, { anchor: ago(0), frequency: "annual" });
  const order = await workOrder(tenant, id);
  await act(tenant, "start", order);
  await act(tenant, "complete", order);
  expect(await reported(tenant, id)).toEqual({ ...none, due: 1, done: 1, percentage: 100 });
  await tenant.ask(`mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Another machine") { id } }`, { id: order });
  await act(tenant, "cancel", order);
  expect(await reported(tenant, id)).toEqual({ ...none, due: 1, cancelled: 1, percentage: 0 });
});

const preview = async (tenant: Caller, id: string, from: string, to: string, fields: string) =>
  (
    await tenant.ask(
      `query ($id: ID!, $from: DateTime!, $to: DateTime!) { previewSchedule(procedureId: $id, from: $from, to: $to) { ${fields} } }`,
      { id, from, to },
    )
  ).previewSchedule;

describe("previewScheduleDraft", () => {
  const draftOf = (tenant: Caller, draft: object, first = 3) =>
    tenant.graphql(
      `query ($draft: ScheduleDraftInput!, $first: Int!) { previewScheduleDraft(draft: $draft, first: $first) { dueAt number outcome isRecorded makesWorkOrderAt workOrder { id } reasons { kind text } } }`,
      { draft, first },
    );
  const datesOf = async (tenant: Caller, draft: object) =>
    (await draftOf(tenant, draft)).data.previewScheduleDraft.map(({ dueAt, number }: any) => [dueAt, number]);

  test("lists the dates of a new procedure in the site's time zone, and stores nothing", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset({ site: "North" });
    await tenant.ask(`mutation { updateSite(name: "North", input: { timeZone: "Europe/Copenhagen" }) { name } }`);
    // Friday. The clocks change on 30 March.
    const draft = { assetId, frequency: "WEEKLY", anchor: "2031-03-28T08:00:00Z", schedulingRules: { leadTime: 2 } };
    const { data } = await draftOf(tenant, draft, 2);
    expect(data.previewScheduleDraft).toEqual([
      {
        dueAt: "2031-03-28T08:00:00.000Z",
        number: 1,
        outcome: null,
        isRecorded: false,
        makesWorkOrderAt: "2031-03-26T08:00:00.000Z",
        workOrder: null,
        reasons: [{ kind: "INTERVAL", text: "weekly from 2031-03-28: 2031-03-28" }],
      },
      {
        dueAt: "2031-04-04T07:00:00.000Z",
        number: 2,
        outcome: null,
        isRecorded: false,
        makesWorkOrderAt: "2031-04-02T07:00:00.000Z",
        workOrder: null,
        reasons: [{ kind: "INTERVAL", text: "weekly from 2031-03-28: 2031-04-04" }],
      },
    ]);
    expect((await tenant.ask("{ procedures { totalCount } }")).procedures.totalCount).toBe(0);
    // Equal to the dates of the procedure once it is stored.
    const { id } = await procedure(tenant, { ...draft, frequency: "weekly" });
    const stored = await preview(tenant, id, "2031-03-01", "2031-04-05", "dueAt number");
    expect(await datesOf(tenant, draft)).toEqual([
      ...stored.map(({ dueAt, number }: any) => [dueAt, number]),
      ["2031-04-11T07:00:00.000Z", 3],
    ]);
    expect(await datesOf(tenant, { assetId, frequency: "CUSTOM" })).toEqual([]);
  });

  test("of a stored procedure, keeps its place in the schedule and skips missed dates, as an update does", async () => {
    const tenant = await gateway.newTenant();
    const anchor = ago(10.4);
    const { id, assetId } = await procedure(tenant, { frequency: "daily", anchor });
    const draft = { assetId, procedureId: id, frequency: "DAILY" };
    const at = (days: number) => daysFrom(Date.parse(anchor), days);
    expect(await datesOf(tenant, draft)).toEqual([
      [at(10), 11],
      [at(11), 12],
      [at(12), 13],
    ]);
    const restarted = { ...draft, anchor: "2031-01-01T08:00:00Z", frequency: "WEEKLY" };
    expect(await datesOf(tenant, restarted)).toEqual([
      ["2031-01-01T08:00:00.000Z", 1],
      ["2031-01-08T08:00:00.000Z", 2],
      ["2031-01-15T08:00:00.000Z", 3],
    ]);
  });

  test("rejects an unknown asset or procedure, and a wrong number of dates", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const draft = { assetId, frequency: "DAILY" };
    const assetMessage = "names no asset; use the id of an existing one";
    await failed(tenant, () => draftOf(tenant, { ...draft, assetId: "x" }), {
      code: "BAD_USER_INPUT",
      details: { "draft.assetId": assetMessage },
    });
    await failed(tenant, () => draftOf(tenant, { ...draft, procedureId: "x" }), { code: "NOT_FOUND" });
    for (const first of [0, 101])
      await failed(tenant, () => draftOf(tenant, draft, first), { code: "BAD_USER_INPUT", details: { first: "must be from 1 to 100" } });
  });
});

describe("suppressedById", () => {
  test("a date covered by another procedure on the same day gets no order, and does not count", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const annual = await procedure(tenant, { assetId, name: "Overhaul", frequency: "annual", anchor: "2031-03-10T06:00:00Z" });
    const { id } = await procedure(tenant, {
      assetId,
      frequency: "weekly",
      anchor: "2031-03-03T08:00:00Z",
      suppressedById: annual.id,
    });
    const expected = (first: object, second: object) => [
      { dueAt: "2031-03-03T08:00:00.000Z", ...first },
      { dueAt: "2031-03-10T08:00:00.000Z", outcome: "SUPPRESSED", ...second },
      { dueAt: "2031-03-17T08:00:00.000Z", outcome: null, isRecorded: false, explanation: "weekly from 2031-03-03: 2031-03-17" },
    ];
    const explanation = "weekly from 2031-03-03: 2031-03-10, covered by Overhaul, which is due on the same day";
    const shown = () => preview(tenant, id, "2031-03-01", "2031-03-18", "dueAt outcome isRecorded explanation");
    const first = { isRecorded: false, explanation: "weekly from 2031-03-03: 2031-03-03" };
    expect(await shown()).toEqual(expected({ ...first, outcome: null }, { isRecorded: false, explanation }));
    await run(new Date("2031-03-03T09:00:00Z"));
    const [order] = await ordersOf(tenant, id);
    await act(tenant, "start", order.id);
    await act(tenant, "complete", order.id);
    await run(new Date("2031-03-10T09:00:00Z"));
    expect(await ordersOf(tenant, id)).toEqual([order]);
    expect(await ordersOf(tenant, annual.id)).toHaveLength(1);
    expect(await shown()).toEqual(expected({ ...first, outcome: "EARLY", isRecorded: true }, { isRecorded: true, explanation }));
    const { compliance } = await tenant.ask(
      `query ($id: ID) { compliance(from: "2031-03-01", to: "2031-04-01", procedureId: $id) { due early suppressed percentage } }`,
      { id },
    );
    expect(compliance).toEqual({ due: 1, early: 1, suppressed: 1, percentage: 0 });
  });

  test("a covered date stays ahead while an earlier one has its order", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const annual = await procedure(tenant, { assetId, name: "Overhaul", frequency: "annual", anchor: "2031-06-09T06:00:00Z" });
    const { id } = await procedure(tenant, {
      assetId,
      frequency: "weekly",
      anchor: "2031-06-02T08:00:00Z",
      suppressedById: annual.id,
    });
    // Both dates are past, and the second is covered.
    await run(new Date("2031-06-10T09:00:00Z"));
    expect(await ordersOf(tenant, id)).toMatchObject([{ occurrence: 1, scheduledDate: "2031-06-02T08:00:00.000Z" }]);
    const recorded = async (outcome?: string) =>
      (await preview(tenant, id, "2031-06-01", "2031-06-10", "dueAt outcome isRecorded")).filter(
        (date: any) => date.isRecorded && (!outcome || date.outcome === outcome),
      );
    expect(await recorded()).toEqual([]);
    const [order] = await ordersOf(tenant, id);
    await act(tenant, "start", order.id);
    await act(tenant, "complete", order.id);
    await run(new Date("2031-06-10T09:00:00Z"));
    expect(await recorded("SUPPRESSED")).toEqual([{ dueAt: "2031-06-09T08:00:00.000Z", outcome: "SUPPRESSED", isRecorded: true }]);
  });

  // The tolerance of a quarterly plan is 9.1 days: a tenth of 91.
  test.each([
    ["9 days before", "2031-03-01T08:00:00Z", "SUPPRESSED"],
    ["9 days after", "2031-03-19T08:00:00Z", "SUPPRESSED"],
    ["10 days before", "2031-02-28T08:00:00Z", null],
    ["10 days after", "2031-03-20T08:00:00Z", null],
  ])("a quarterly service %s an annual one has the outcome %s", async (_, anchor, outcome) => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const annual = await procedure(tenant, { assetId, name: "Overhaul", frequency: "annual", anchor: "2031-03-10T08:00:00Z" });
    const { id } = await procedure(tenant, { assetId, frequency: "quarterly", anchor, suppressedById: annual.id });
    const [first] = await preview(tenant, id, "2031-02-01", "2031-04-01", "outcome explanation");
    const [day] = anchor.split("T");
    const covered = outcome ? ", covered by Overhaul, which is due on 2031-03-10, within the tolerance of 9.1 days" : "";
    expect(first).toEqual({ outcome, explanation: `quarterly from ${day}: ${day}${covered}` });
    await run(new Date("2031-03-21T08:00:00Z"));
    expect(await ordersOf(tenant, id)).toHaveLength(outcome ? 0 : 1);
    expect(await ordersOf(tenant, annual.id)).toHaveLength(1);
  });

  test("only the same day's date of a daily plan is covered", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const weekly = await procedure(tenant, { assetId, frequency: "weekly", anchor: "2031-03-10T20:00:00Z" });
    const { id } = await procedure(tenant, { assetId, frequency: "daily", anchor: "2031-03-09T06:00:00Z", suppressedById: weekly.id });
    const shown = await preview(tenant, id, "2031-03-09", "2031-03-12", "dueAt outcome");
    expect(shown.map(({ outcome }: any) => outcome)).toEqual([null, "SUPPRESSED", null]);
  });

  test("completed work covers what is due within the tolerance afterwards", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const annual = await procedure(tenant, { assetId, frequency: "annual", schedulingBasis: "floating", anchor: ago(0) });
    const anchor = ago(-5);
    const { id } = await procedure(tenant, { assetId, frequency: "quarterly", anchor, suppressedById: annual.id });
    const shown = () => preview(tenant, id, ago(0), ago(-6), "dueAt outcome");
    expect(await shown()).toEqual([{ dueAt: anchor, outcome: "SUPPRESSED" }]);
    const order = await workOrder(tenant, annual.id);
    await act(tenant, "start", order);
    await act(tenant, "complete", order);
    expect(await shown()).toEqual([{ dueAt: anchor, outcome: "SUPPRESSED" }]);
  });

  test("the creation time of a procedure, without a date of its own, covers nothing", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const annual = await procedure(tenant, { assetId, frequency: "annual", anchor: undefined });
    const anchor = ago(-2);
    const { id } = await procedure(tenant, { assetId, frequency: "monthly", anchor, suppressedById: annual.id });
    expect(await preview(tenant, id, ago(0), ago(-3), "dueAt outcome")).toEqual([{ dueAt: anchor, outcome: null }]);
  });

  test.each(["another asset", "as often", "statutory"])("is rejected: %s", async (why) => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const other = await procedure(tenant, {
      ...(why === "another asset" ? {} : { assetId }),
      frequency: why === "as often" ? "weekly" : "annual",
    });
    const fields = { name: "Check", assetId, frequency: "weekly", suppressedById: other.id, statutory: why === "statutory" };
    const suppressedById =
      why === "statutory"
        ? "must be null: a statutory procedure is never left out"
        : "must name a procedure of the same asset that is due less often";
    await expectRejected(tenant, () => tenant.rest("POST", "/pms", fields), 400, {
      error: "Invalid input",
      code: "BAD_USER_INPUT",
      details: { suppressedById },
    });
  });
});

test("completing moves the maintenance dates of the order's component, and of no other one", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const [one, other] = [await tenant.createComponent({ assetId }), await tenant.createComponent({ assetId })];
  const dates = async (id: string) => {
    const { component } = await tenant.ask("query ($id: ID!) { component(id: $id) { lastMaintenanceDate nextMaintenanceDate } }", { id });
    return component;
  };
  const { id } = await procedure(tenant, { assetId });
  await procedure(tenant, { assetId, anchor: "2031-02-01T08:00:00Z" });
  const order = await workOrder(tenant, id, { componentId: one.id });
  await act(tenant, "start", order);
  const { completedAt } = await act(tenant, "complete", order);
  expect(await dates(one.id)).toEqual({ lastMaintenanceDate: completedAt, nextMaintenanceDate: "2031-02-28T08:00:00.000Z" });
  expect(await dates(other.id)).toEqual({ lastMaintenanceDate: null, nextMaintenanceDate: null });
});

test("the preview of a floating plan counts from the last completion", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await procedure(tenant, {
    frequency: "custom",
    customIntervalDays: 10,
    schedulingBasis: "floating",
    anchor: "2031-01-01T08:00:00Z",
  });
  const shown = (from: string, to: string) => preview(tenant, id, from, to, "dueAt isRecorded reasons { kind text }");
  const floating = (anchor: string, dueAt: string, text: string) => ({
    dueAt,
    isRecorded: false,
    reasons: [
      { kind: "INTERVAL", text: `custom from ${anchor.slice(0, 10)}: ${dueAt.slice(0, 10)}` },
      { kind: "FLOATING", text },
    ],
  });
  const [fromLast, ifDone] = ["counted from the last completion", "if the one before is done when it is due"];
  expect(await shown("2031-01-01", "2031-01-12")).toEqual([
    floating("2031-01-01", "2031-01-01T08:00:00.000Z", fromLast),
    floating("2031-01-01", "2031-01-11T08:00:00.000Z", ifDone),
  ]);
  const order = await workOrder(tenant, id);
  await act(tenant, "start", order);
  const { completedAt } = await act(tenant, "complete", order);
  const after = (days: number) => new Date(Date.parse(completedAt) + days * dayMs).toISOString();
  expect(await shown(after(-1), after(20))).toEqual([floating(completedAt, after(10), fromLast), floating(completedAt, after(20), ifDone)]);
});

describe("fixed work that is done early", () => {
  const gap = "gapWarning { lastExecuted nextDue gapDays intervalDays text }";
  /**
   * Completes the first order of a plan of 91 days that is due in `dueInDays` days. Returns the response and the calendar's entries for the
   * next date.
   */
  const doneEarly = async (dueInDays: number, more: object = {}) => {
    const tenant = await gateway.newTenant();
    const plan = { frequency: "custom", customIntervalDays: 91, anchor: ago(-dueInDays), ...more };
    const { id } = await procedure(tenant, plan);
    const order = await workOrder(tenant, id);
    await act(tenant, "start", order);
    const { completeWorkOrder } = await tenant.ask(`mutation ($id: ID!) { completeWorkOrder(id: $id) { completedAt ${gap} } }`, {
      id: order,
    });
    const { calendar } = await tenant.ask(
      `query ($from: DateTime!, $until: DateTime!) { calendar(from: $from, until: $until) { occurrence dueDate workOrder { id } ${gap} } }`,
      { from: ago(-80), until: ago(-240) },
    );
    return { tenant, id, order, plan, completed: completeWorkOrder, calendar };
  };

  test("leaves 142 days of 91: the response and the calendar show it, and no date moves", async () => {
    const { tenant, id, order, plan, completed, calendar } = await doneEarly(51);
    const nextDue = new Date(Date.parse(plan.anchor) + 91 * dayMs).toISOString();
    const gapWarning = {
      lastExecuted: completed.completedAt,
      nextDue,
      gapDays: 142,
      intervalDays: 91,
      text: `142 days from ${completed.completedAt.slice(0, 10)} to ${nextDue.slice(0, 10)}, instead of 91`,
    };
    expect(completed.gapWarning).toEqual(gapWarning);
    const later = new Date(Date.parse(nextDue) + 91 * dayMs).toISOString();
    expect(calendar).toEqual([
      { occurrence: 2, dueDate: nextDue, workOrder: null, gapWarning },
      { occurrence: 3, dueDate: later, workOrder: null, gapWarning: null },
    ]);
    // The next order has the value too, until it is completed.
    const next = await workOrder(tenant, id);
    const asked = async () => (await tenant.ask(`{ workOrders { nodes { id ${gap} } } }`)).workOrders.nodes;
    expect(Object.fromEntries((await asked()).map((one: any) => [one.id, one.gapWarning]))).toEqual({ [order]: gapWarning, [next]: null });
    await act(tenant, "start", next);
    await act(tenant, "complete", next);
    expect((await asked()).find((one: any) => one.id === order).gapWarning).toBeNull();
  });

  // The tolerance is 9.1 days.
  test.each([
    [9, null],
    [10, 101],
  ])("%i days before its date has the gap %s", async (days, gapDays) => {
    const { completed, calendar } = await doneEarly(days);
    expect([completed.gapWarning?.gapDays ?? null, calendar[0].gapWarning?.gapDays ?? null]).toEqual([gapDays, gapDays]);
  });

  test("has no gap if the next date is counted from the completion", async () => {
    expect((await doneEarly(51, { schedulingBasis: "floating" })).completed.gapWarning).toBeNull();
  });
});
