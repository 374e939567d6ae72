/** Counts and sums of lists by field, compared with the lists themselves. */
import { beforeAll, describe, expect, it, test } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();

let tenant: Caller;

beforeAll(async () => {
  tenant = await gateway.newTenant();
  const create = (input: object) => tenant.ask("mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }", { input });
  const ids: string[] = [];
  for (let n = 0; n < 12; n++)
    ids.push(
      (await create({ name: `A${n}`, type: n % 3 ? "pump" : "press", site: `S${n % 2}`, status: n % 4 ? "OPERATIONAL" : "OFFLINE" }))
        .createAsset.id,
    );
  for (const [n, id] of ids.slice(0, 6).entries()) {
    const { createProcedure } = await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: `P${n}`, assetId: id, frequency: "WEEKLY", priority: n % 2 ? "HIGH" : "LOW", estimatedDuration: 12.5 * (n + 1) },
    });
    const { createWorkOrder: order } = await tenant.ask(
      "mutation ($id: ID!, $at: DateTime!) { createWorkOrder(procedureId: $id, input: { scheduledDate: $at }) { id } }",
      { id: createProcedure.id, at: n % 2 ? "2031-03-02T23:59:59Z" : "2031-03-03T00:00:00Z" },
    );
    if (n < 3)
      await tenant.ask(
        "mutation ($id: ID!, $cost: NonNegative!) { startWorkOrder(id: $id) { id } completeWorkOrder(id: $id, input: { laborCost: $cost, duration: 30 }) { id } }",
        {
          id: order.id,
          cost: 10.5 * (n + 1),
        },
      );
  }
  const { createPart } = await tenant.ask(
    'mutation { createPart(input: { partNumber: "P", name: "Seal", reorderPoint: 10, unitCost: 2 }) { id } }',
  );
  for (const site of ["S0", "S1"])
    await tenant.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", {
      id: createPart.id,
      input: { site, quantity: site === "S0" ? 4 : 20, unitCost: 2 },
    });
});

describe("groups", () => {
  it("are counted by one field or several, with the list's filter", async () => {
    const data = await tenant.ask(`{
      bySite: assetGroups(by: [SITE]) { site count status }
      both: assetGroups(by: [STATUS, TYPE], filter: { site: "S0" }) { status type count }
      none: assetGroups(by: [SITE], filter: { site: "nowhere" }) { count }
    }`);
    expect(data).toEqual({
      bySite: [
        { site: "S0", count: 6, status: null },
        { site: "S1", count: 6, status: null },
      ],
      both: [
        { status: "OFFLINE", type: "press", count: 1 },
        { status: "OFFLINE", type: "pump", count: 2 },
        { status: "OPERATIONAL", type: "press", count: 1 },
        { status: "OPERATIONAL", type: "pump", count: 2 },
      ],
      none: [],
    });
  });

  it("sum costs by status, month, and the asset's site", async () => {
    const data = await tenant.ask(
      `{
      byStatus: workOrderGroups(by: [STATUS]) { status count laborCost duration estimatedDuration }
      bySite: workOrderGroups(by: [SITE], filter: { statusIn: null, pending: false, asset: { type: "pump" } }) { site count laborCost }
      byWeek: workOrderGroups(by: [SCHEDULED_WEEK, SCHEDULED_MONTH]) { scheduledWeek scheduledMonth count }
    }`.replace("statusIn: null, ", ""),
    );
    expect(data).toEqual({
      byStatus: [
        { status: "COMPLETED", count: 3, laborCost: 63, duration: 90, estimatedDuration: 75 },
        { status: "SCHEDULED", count: 3, laborCost: 0, duration: 0, estimatedDuration: 187.5 },
      ],
      bySite: [
        { site: "S0", count: 1, laborCost: 31.5 },
        { site: "S1", count: 1, laborCost: 21 },
      ],
      byWeek: [
        { scheduledWeek: "2031-02-24", scheduledMonth: "2031-03-01", count: 3 },
        { scheduledWeek: "2031-03-03", scheduledMonth: "2031-03-01", count: 3 },
      ],
    });
  });

  it("have the conditions of their list", async () => {
    const groups = async () =>
      (await tenant.ask("{ inventoryGroups(by: [STOCK_STATUS]) { stockStatus count quantity totalValue belowReorderPoint } }"))
        .inventoryGroups;
    expect(await groups()).toEqual([
      { stockStatus: "ADEQUATE", count: 1, quantity: 20, totalValue: 40, belowReorderPoint: 0 },
      { stockStatus: "LOW", count: 1, quantity: 4, totalValue: 8, belowReorderPoint: 6 },
    ]);
    const [{ id }] = (await tenant.ask("{ parts { nodes { id } } }")).parts.nodes;
    await tenant.ask("mutation ($id: ID!) { deactivatePart(id: $id) { id } }", { id });
    expect(await groups()).toEqual([]);
    await tenant.ask("mutation ($id: ID!) { reactivatePart(id: $id) { id } }", { id });
  });

  test.each([
    ["assets", "assetGroups", "SITE"],
    ["components", "componentGroups", "TYPE"],
    ["parts", "partGroups", "IS_CRITICAL"],
    ["inventory", "inventoryGroups", "LOCATION"],
    ["procedures", "procedureGroups", "DUE_WEEK"],
    ["workOrders", "workOrderGroups", "COMPLETED_MONTH"],
    ["notifications", "notificationGroups", "CREATED_MONTH"],
  ])("%s: %s add up to the whole list", async (list, groups, by) => {
    const data = await tenant.ask(`{ list: ${list} { totalCount } groups: ${groups}(by: [${by}]) { count } }`);
    expect(data.groups.reduce((sum: number, { count }: any) => sum + count, 0)).toBe(data.list.totalCount);
  });

  it("require a field", async () => {
    const { errors } = await tenant.graphql("{ assetGroups(by: []) { count } }");
    expect(errors?.[0]).toMatchObject({ extensions: { details: { by: "must name at least one field" } } });
  });

  describe("by weeks and months", () => {
    const raised = ["2031-03-30T00:30:00Z", "2031-03-31T21:59:59Z", "2031-03-31T22:00:00Z", "2031-12-31T22:59:59Z", "2031-12-31T23:00:00Z"];
    let other: Caller;
    beforeAll(async () => {
      other = await gateway.newTenant();
      const { id } = await other.createAsset();
      for (const [n, at] of raised.entries()) {
        const { createProcedure } = await other.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
          input: { name: `P${n}`, assetId: id, frequency: "WEEKLY" },
        });
        await other.ask("mutation ($id: ID!, $at: DateTime!) { createWorkOrder(procedureId: $id, input: { scheduledDate: $at }) { id } }", {
          id: createProcedure.id,
          at,
        });
      }
    });
    const query = "query ($zone: String) { groups: workOrderGroups(by: [SCHEDULED_MONTH], timeZone: $zone) { scheduledMonth count } }";
    const months = async (zone?: string | null) =>
      Object.fromEntries((await other.ask(query, { zone })).groups.map((group: any) => [group.scheduledMonth, group.count]));

    // Two hours ahead in summer, one in winter.
    const inBerlin = { "2031-03-01": 2, "2031-04-01": 1, "2031-12-01": 1, "2032-01-01": 1 };
    test.each<[string | null | undefined, object]>([
      [undefined, { "2031-03-01": 3, "2031-12-01": 2 }],
      [null, { "2031-03-01": 3, "2031-12-01": 2 }],
      ["UTC", { "2031-03-01": 3, "2031-12-01": 2 }],
      ["Europe/Berlin", inBerlin],
      ["europe/berlin", inBerlin],
      // The zone's rules apply, not the fixed offset of winter time.
      ["CET", inBerlin],
      ["America/Los_Angeles", { "2031-03-01": 3, "2031-12-01": 2 }],
      ["Pacific/Kiritimati", { "2031-03-01": 1, "2031-04-01": 2, "2032-01-01": 2 }],
    ])("in %s begin at its midnight", async (zone, expected) => expect(await months(zone)).toEqual(expected));

    it("begin on Monday of the zone, in several buckets at once", async () => {
      const { groups } = await other.ask(
        `{ groups: workOrderGroups(by: [SCHEDULED_WEEK, SCHEDULED_MONTH], timeZone: "Pacific/Kiritimati", filter: { scheduledUntil: "2031-04-01T00:00:00Z" })
          { scheduledWeek scheduledMonth count } }`,
      );
      expect(groups).toEqual([
        { scheduledWeek: "2031-03-24", scheduledMonth: "2031-03-01", count: 1 },
        { scheduledWeek: "2031-03-31", scheduledMonth: "2031-04-01", count: 2 },
      ]);
    });

    test.each(["Europe/Nowhere", "+02:00", "-5", "", "UTC'", "posixrules/x"])("in %s are rejected, naming the argument", async (zone) => {
      const message = "is not a time zone; use an IANA name such as Europe/Copenhagen";
      const { data, errors } = await other.graphql(query, { zone });
      expect({ data, errors }).toEqual({
        data: { groups: null },
        errors: [
          {
            message: "Invalid input",
            path: ["groups"],
            extensions: { code: "BAD_USER_INPUT", details: { timeZone: message } },
            fieldErrors: [{ path: ["timeZone"], code: "INVALID_FORMAT", message }],
          },
        ],
      });
    });
  });

  it("of another tenant are not counted", async () => {
    const other = await gateway.newTenant();
    expect(await other.ask("{ assetGroups(by: [SITE]) { count } workOrderGroups(by: [SITE]) { count } }")).toEqual({
      assetGroups: [],
      workOrderGroups: [],
    });
  });
});
