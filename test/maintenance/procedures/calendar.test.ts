/** The calendar: work orders, and occurrences without an order, each once. */
import { beforeAll, describe, expect, it, test } from "vitest";
import { type Caller, startGateway } from "../../world.js";

const gateway = await startGateway();

let tenant: Caller;
const ids: Record<string, string> = {};

const day = (n: number) => new Date(Date.UTC(2031, 0, 6 + n)).toISOString();

beforeAll(async () => {
  tenant = await gateway.newTenant();
  for (const site of ["North", "South"]) {
    ids[site] = (await tenant.createAsset({ site })).id;
    const input = { name: `Weekly ${site}`, assetId: ids[site], frequency: "WEEKLY", anchor: day(0) };
    ids[`weekly ${site}`] = (
      await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", { input })
    ).createProcedure.id;
  }
  // North's first occurrence has an order on another day.
  const { createWorkOrder } = await tenant.ask(
    'mutation ($id: ID!, $at: DateTime!) { createWorkOrder(procedureId: $id, input: { scheduledDate: $at, assignedTechnician: "Mads" }) { id } }',
    { id: ids["weekly North"], at: day(2) },
  );
  ids.order = createWorkOrder.id;
});

const query = `query ($from: DateTime!, $until: DateTime!, $asset: AssetFilter, $assignedTechnician: String, $withoutOrder: Boolean) {
  calendar(from: $from, until: $until, asset: $asset, assignedTechnician: $assignedTechnician, withoutOrder: $withoutOrder) { date dueDate occurrence asset { site } procedure { name } workOrder { id title } } }`;

const entries = async (from: number, until: number, variables: object = {}) =>
  (await tenant.ask(query, { from: day(from), until: day(until), ...variables })).calendar;

const order = () => ({
  date: day(2),
  dueDate: day(0),
  occurrence: 1,
  asset: { site: "North" },
  procedure: { name: "Weekly North" },
  workOrder: { id: ids.order, title: "Weekly North" },
});
const due = (site: string, n: number, occurrence: number) => ({
  date: day(n),
  dueDate: day(n),
  occurrence,
  asset: { site },
  procedure: { name: `Weekly ${site}` },
  workOrder: null,
});

describe("calendar", () => {
  it("has every occurrence once: by its order, or by its due date", async () => {
    expect(await entries(0, 13)).toEqual([due("South", 0, 1), order(), ...sorted([due("North", 7, 2), due("South", 7, 2)])]);
  });

  it("omits work planned for another time, and its due date too", async () => {
    expect(await entries(-1, 1)).toEqual([due("South", 0, 1)]);
    expect(await entries(1, 3)).toEqual([order()]);
  });

  it("filters by assets, or by technician", async () => {
    expect(await entries(0, 8, { asset: { site: "North" } })).toEqual([order(), due("North", 7, 2)]);
    expect(await entries(0, 8, { assignedTechnician: "Mads" })).toEqual([order()]);
    expect(await entries(0, 8, { assignedTechnician: "Nobody" })).toEqual([]);
  });

  it("lists only occurrences without an order on request", async () => {
    expect(await entries(0, 13, { withoutOrder: true })).toEqual([due("South", 0, 1), ...sorted([due("North", 7, 2), due("South", 7, 2)])]);
    // The occurrence of North on day 0 has an order that is planned for another time.
    expect(await entries(-1, 1, { withoutOrder: true })).toEqual([due("South", 0, 1)]);
    expect(await entries(0, 8, { withoutOrder: true, asset: { site: "North" } })).toEqual([due("North", 7, 2)]);
  });

  it("keeps a completed order, but not a cancelled one", async () => {
    const other = await tenant.ask(
      "mutation ($id: ID!, $at: DateTime!) { createWorkOrder(procedureId: $id, input: { scheduledDate: $at }) { id } }",
      {
        id: ids["weekly South"],
        at: day(1),
      },
    );
    expect((await entries(0, 6)).map(({ workOrder }: any) => workOrder?.id)).toEqual([other.createWorkOrder.id, ids.order]);
    await tenant.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", other.createWorkOrder);
    expect((await entries(0, 6)).map(({ workOrder }: any) => workOrder?.id ?? null)).toEqual([null, ids.order]);
    await tenant.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } completeWorkOrder(id: $id) { id } }", { id: ids.order });
    expect(await entries(1, 3)).toEqual([{ ...order(), dueDate: null }]);
  });

  test.each([
    ["a time that ends before it begins", 1, 0, "must not be before from"],
    ["more than 400 days", 0, 401, "must be at most 400 days after from"],
  ])("rejects %s", async (_, from, until, message) => {
    const { errors } = await tenant.graphql(query, { from: day(from), until: day(until) });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { until: message } });
  });

  it("has every order of its period, with any number of other pending orders", async () => {
    const crowded = await gateway.newTenant();
    const { id } = await crowded.createAsset();
    const orders = (count: number, at: string) =>
      gateway.database.query(
        `with made as (
           insert into "Procedure" ("tenantId", id, name, "assetId", frequency, anchor, "anchorSteps", "nextDue")
           select $1, $3::text || n, 'P', $2, 'weekly', $3::timestamptz, 0, $3::timestamptz from generate_series(1, $4::int) n returning id
         ) insert into "WorkOrder" ("tenantId", id, "procedureId", occurrence, "assetId", origin, title, priority, "scheduledDate", "createdBy")
         select $1, id, id, 1, $2, 'manual', 'O', 'low', $3::timestamptz, 'x' from made`,
        [crowded.tenantId, id, at, count],
      );
    await orders(4_100, day(-10));
    await orders(3, day(3));
    const { calendar } = await crowded.ask(query, { from: day(3), until: day(3) });
    expect(calendar.map(({ dueDate, workOrder }: any) => [dueDate, workOrder.title])).toEqual(Array(3).fill([day(3), "O"]));
  });

  it("refuses to compute a daily procedure of centuries", async () => {
    const old = await gateway.newTenant();
    const { id } = await old.createAsset();
    const input = { name: "Old", assetId: id, frequency: "DAILY", anchor: "0100-01-01" };
    const create = "mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }";
    const ask = () => old.graphql(query, { from: day(0), until: day(1) });
    await old.ask(create, { input });
    // Missed dates collapse, so there is little to compute.
    expect((await ask()).errors).toBeUndefined();
    await old.ask(create, { input: { ...input, missedPolicy: "CATCH_UP" } });
    const { errors } = await ask();
    expect(errors?.[0]?.extensions.details).toEqual({ until: "makes more than 2000 entries; ask for a shorter time or filter" });
  });

  it("shows nothing of another tenant", async () => {
    const other = await gateway.newTenant();
    expect((await other.ask(query, { from: day(0), until: day(30) })).calendar).toEqual([]);
  });
});

/** Sorts simultaneous entries by procedure id. */
function sorted<T extends { procedure: { name: string } }>(list: T[]): T[] {
  const idOf = ({ procedure }: T) => ids[procedure.name.replace("Weekly", "weekly")]!;
  return list.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}
