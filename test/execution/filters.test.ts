/** Filters and orders of lists, compared with a model over records in memory. */
import fc from "fast-check";
import { beforeAll, describe, expect, it, test } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();

let tenant: Caller;
let records: any[];

const types = ["pump", "motor", "press"];
const statuses = ["OPERATIONAL", "MAINTENANCE", "OFFLINE"];
const sites = ["S0", "S1", ""];
const models = [null, "M1", "M2"];
const days = [null, "2024-01-01T00:00:00.000Z", "2024-06-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z"];

const shape = "id name type status site model installationDate";

beforeAll(async () => {
  tenant = await gateway.newTenant();
  const pick = (list: any[], n: number) => list[n % list.length];
  const inputs = Array.from({ length: 48 }, (_, n) => ({
    name: `${pick(["Alpha", "beta", "50%"], n * 7)} ${n % 5}`,
    type: pick(types, n),
    status: pick(statuses, n >> 1),
    site: pick(sites, n >> 2),
    model: pick(models, n * 5 + 1),
    installationDate: pick(days, n * 3 + (n >> 3)),
  }));
  for (const input of inputs) await tenant.ask("mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }", { input });
  records = (await tenant.ask(`{ assets(first: 100) { nodes { ${shape} } } }`)).assets.nodes;
});

const some = <T>(values: readonly T[]) => fc.array(fc.constantFrom(...values), { maxLength: 3 });
const time = fc.constantFrom(...days.slice(1));
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const conditions = {
  type: optional(fc.constantFrom(...types)),
  typeIn: optional(some(types)),
  statusIn: optional(some(statuses)),
  siteIn: optional(some(sites)),
  nameContains: optional(fc.constantFrom("ALPHA", "beta 1", "%", "_")),
  installationDate: optional(fc.record({ from: optional(time), until: optional(time) })),
  isNull: optional(some(["MODEL", "INSTALLATION_DATE"])),
};

/** Filters with this many levels of nesting. */
const filtersOf = (levels: number): fc.Arbitrary<any> => {
  if (!levels) return fc.record(conditions);
  const inner = filtersOf(levels - 1);
  const list = optional(fc.array(inner, { maxLength: 2 }));
  return fc.record({ ...conditions, and: list, or: list, not: optional(inner) });
};

const columnOf: Record<string, string> = { MODEL: "model", INSTALLATION_DATE: "installationDate" };

function holds(filter: any, record: any): boolean {
  const date = record.installationDate;
  const conditions: [unknown, () => boolean][] = [
    [filter.type, () => record.type === filter.type],
    [filter.typeIn, () => filter.typeIn.includes(record.type)],
    [filter.statusIn, () => filter.statusIn.includes(record.status)],
    [filter.siteIn, () => filter.siteIn.includes(record.site)],
    [filter.nameContains, () => record.name.toLowerCase().includes(filter.nameContains.toLowerCase())],
    [filter.installationDate?.from, () => date !== null && date >= filter.installationDate.from],
    [filter.installationDate?.until, () => date !== null && date <= filter.installationDate.until],
    [filter.isNull, () => filter.isNull.every((name: string) => record[columnOf[name]!] === null)],
    [filter.and, () => filter.and.every((one: any) => holds(one, record))],
    [filter.or, () => filter.or.some((one: any) => holds(one, record))],
    [filter.not, () => !holds(filter.not, record)],
  ];
  return conditions.every(([value, condition]) => value === undefined || condition());
}

const fieldOf: Record<string, string> = { STATUS: "status", MODEL: "model", INSTALLATION_DATE: "installationDate", TYPE: "type" };
const orders = fc.array(fc.record({ field: fc.constantFrom(...Object.keys(fieldOf)), direction: fc.constantFrom("ASC", "DESC") }), {
  minLength: 1,
  maxLength: 3,
});

const chained = (list: any[]): any => list.reduceRight((thenBy, order) => (thenBy ? { ...order, thenBy } : order), undefined);

function sorted(list: any[], all: any[]): any[] {
  const compare = (a: any, b: any) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1);
  return [...all].sort((one, other) => {
    for (const { field, direction } of [...list, { field: "ID", direction: list.at(-1).direction }]) {
      const [a, b] = [one, other].map((record) => (field === "ID" ? record.id : record[fieldOf[field]!]));
      const compared = compare(a, b);
      // Rows without a value come last in both directions.
      if (compared) return direction === "DESC" && a !== null && b !== null ? -compared : compared;
    }
    return 0;
  });
}

const idsOf = (list: any[]) => list.map(({ id }) => id);

describe("a filter", () => {
  it("finds the records for which its conditions hold", async () => {
    const query = "query ($filter: AssetFilter) { assets(first: 100, filter: $filter) { totalCount nodes { id } } }";
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filtersOf(2), async (filter) => {
        const { assets } = await tenant.ask(query, { filter });
        const expected = idsOf(records.filter((record) => holds(filter, record)));
        if (expected.length && expected.length < records.length) found++;
        expect(assets).toEqual({ totalCount: expected.length, nodes: expected.map((id) => ({ id })) });
      }),
      { numRuns: 150 },
    );
    expect(found).toBeGreaterThan(20);
  });

  describe("null in a comparison is refused by name", () => {
    const message = "must not be null; leave it out for all records, or use isNull for those without a value";
    const refused = async (document: string, ...paths: string[]) => {
      const { data, errors } = await tenant.graphql(document, { unset: null });
      expect(Object.values(data ?? {})).toEqual([null]);
      expect(errors).toMatchObject([{ message: "Invalid input", extensions: { code: "BAD_USER_INPUT" } }]);
      expect(errors![0]!.extensions.details).toEqual(Object.fromEntries(paths.map((path) => [path, message])));
      const parts = paths.map((path) => path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
      expect(errors![0]!.fieldErrors).toHaveLength(parts.length);
      expect(errors![0]!.fieldErrors).toEqual(expect.arrayContaining(parts.map((path) => expect.objectContaining({ path, message }))));
    };
    it.each<[string, ...string[]]>([
      ["query ($unset: String) { assets(filter: { site: $unset }) { totalCount nodes { id } } }", "filter.site"],
      ["{ assets(filter: { site: null, type: null }) { totalCount } }", "filter.site", "filter.type"],
      ["{ assets(filter: { statusIn: null }) { nodes { id } } }", "filter.statusIn"],
      ["{ assets(filter: { nameContains: null }) { nodes { id } } }", "filter.nameContains"],
      ["{ assets(filter: { updatedSince: null }) { nodes { id } } }", "filter.updatedSince"],
      ["{ assets(filter: { installationDate: { from: null } }) { nodes { id } } }", "filter.installationDate.from"],
      ['{ assets(filter: { or: [{ site: "S0" }, { not: { site: null } }] }) { nodes { id } } }', "filter.or.1.not.site"],
      ["{ assets(filter: { and: null }) { nodes { id } } }", "filter.and"],
      ["{ workOrders(filter: { asset: { site: null } }) { nodes { id } } }", "filter.asset.site"],
      ["{ workOrders(filter: { asset: null }) { nodes { id } } }", "filter.asset"],
      ["{ assetGroups(by: [SITE], filter: { site: null }) { count } }", "filter.site"],
      ["{ groupedAssets(filter: { site: null }) { nextToken } }", "filter.site"],
      ["{ inventoryTotals(filter: { site: null }) { quantity } }", "filter.site"],
      ["{ inventoryReport(reportType: SUMMARY, filter: { location: null }) { content } }", "filter.location"],
      ["{ shortages(filter: { site: null }) { date } }", "filter.site"],
      ["{ exportAssets(filter: { site: null }) }", "filter.site"],
      ['{ calendar(from: "2026-01-01", until: "2026-02-01", asset: { site: null }) { date } }', "asset.site"],
      ['{ calendar(from: "2026-01-01", until: "2026-02-01", workOrder: { assigneeId: null }) { date } }', "workOrder.assigneeId"],
    ])("%s", refused);

    it("but an omitted variable, a null filter and the empty-value operator are not comparisons", async () => {
      const all = { assets: { totalCount: 48 } };
      expect(await tenant.ask("query ($unset: String) { assets(filter: { site: $unset }) { totalCount } }")).toEqual(all);
      expect(await tenant.ask("{ assets(filter: null) { totalCount } }")).toEqual(all);
      expect(await tenant.ask("{ assets(filter: { isNull: null }) { totalCount } }")).toEqual(all);
      expect(await tenant.ask("{ parts(filter: { active: null }) { totalCount } }")).toEqual({ parts: { totalCount: 0 } });
    });

    it("for REST, where an empty parameter is ignored", async () => {
      expect(await tenant.rest("GET", "/assets?type=&search=&limit=1")).toMatchObject({ status: 200, body: { items: [{ site: "" }] } });
    });
  });

  it("may refer to the asset of a record, also below a parent", async () => {
    const [asset] = records;
    const component = await tenant.ask(
      'mutation ($id: ID!) { one: createComponent(input: { name: "C", type: "x", assetId: $id }) { id } two: createComponent(input: { name: "D", type: "x" }) { id } }',
      { id: asset.id },
    );
    const data = await tenant.ask(
      `query ($filter: ComponentFilter, $not: ComponentFilter, $id: ID!) {
        components(filter: $filter) { nodes { name } }
        not: components(filter: $not) { nodes { name } }
        asset(id: $id) { components(filter: { nameContains: "c" }, orderBy: { field: NAME, direction: DESC }) { nodes { id } totalCount } none: components(filter: { typeIn: ["y"] }) { nodes { id } } } }`,
      {
        id: asset.id,
        filter: { asset: { name: undefined, type: asset.type, nameContains: asset.name } },
        not: { not: { asset: { type: asset.type } } },
      },
    );
    expect(data).toEqual({
      components: { nodes: [{ name: "C" }] },
      not: { nodes: [{ name: "D" }] },
      asset: { components: { nodes: [{ id: component.one.id }], totalCount: 1 }, none: { nodes: [] } },
    });
  });

  it("may refer to the component, the procedure and the notification of a work order", async () => {
    const other = await gateway.newTenant();
    const { id: assetId } = await other.createAsset();
    const { id: component } = await other.createComponent({ assetId, name: "Rotor", status: "failed" });
    const { id: deleted } = await other.createComponent({ assetId, name: "Rotor" });
    const make = async (name: string, componentId: string) => {
      const { createProcedure } = await other.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
        input: { name, assetId, frequency: "WEEKLY" },
      });
      const order = "mutation ($id: ID!, $input: CreateWorkOrderInput!) { createWorkOrder(procedureId: $id, input: $input) { id } }";
      return (await other.ask(order, { id: createProcedure.id, input: { componentId } })).createWorkOrder.id;
    };
    const [grease, clean] = [await make("Grease", component), await make("Clean", deleted)];
    await other.rest("DELETE", `/components/${deleted}`);
    const alert = await other.ask(
      'mutation ($asset: ID!) { raiseNotification(input: { type: TREND, severity: CRITICAL, title: "Hot", message: "m", assetId: $asset }) { id } }',
      { asset: assetId },
    );
    const { createWorkOrderFromNotification: made } = await other.ask(
      "mutation ($id: ID!) { createWorkOrderFromNotification(notificationId: $id) { id } }",
      { id: alert.raiseNotification.id },
    );
    const find = async (filter: object) =>
      idsOf(
        (await other.ask("query ($filter: WorkOrderFilter) { workOrders(filter: $filter) { nodes { id } } }", { filter })).workOrders.nodes,
      );
    expect(await find({})).toEqual([grease, clean, made.id]);
    expect(await find({ component: { nameContains: "rotor" } })).toEqual([grease]);
    expect(await find({ component: { statusIn: ["OPERATIONAL"] } })).toEqual([]);
    expect(await find({ component: { asset: { type: "pump" } }, procedure: { nameContains: "GREASE" } })).toEqual([grease]);
    expect(await find({ procedure: { nameContains: "e" } })).toEqual([grease, clean]);
    expect(await find({ notification: { severityIn: ["CRITICAL"] } })).toEqual([made.id]);
    expect(await find({ not: { notification: {} } })).toEqual([grease, clean]);
    const { workOrderGroups } = await other.ask(
      "{ workOrderGroups(by: [ORIGIN], filter: { procedure: { frequency: WEEKLY } }) { origin count } }",
    );
    expect(workOrderGroups.map(({ count }: any) => count)).toEqual([2]);
  });

  it("may refer to the part of stock, of movements and of adjustments", async () => {
    const other = await gateway.newTenant();
    const parts: string[] = [];
    for (const [name, category] of [
      ["Seal", "seals"],
      ["Belt", "drives"],
    ]) {
      const { createPart } = await other.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
        input: { partNumber: name, name, category, isCritical: name === "Belt", site: "S", stockLevel: 4 },
      });
      parts.push(createPart.id);
      await other.ask("mutation ($id: ID!, $input: AdjustStockInput!) { adjustStock(partId: $id, input: $input) { id } }", {
        id: createPart.id,
        input: { site: "S", adjustmentType: "LOSS", quantity: -1 },
      });
    }
    const find = async (part: object) => {
      const data = await other.ask(
        `query ($stock: InventoryFilter, $movements: MovementFilter, $adjustments: AdjustmentFilter) {
          inventory(filter: $stock) { nodes { partId } } stockMovements(filter: $movements) { nodes { partId } } stockAdjustments(filter: $adjustments) { nodes { partId } } }`,
        { stock: { part }, movements: { part }, adjustments: { part } },
      );
      return Object.values<any>(data).map(({ nodes }) => [...new Set(nodes.map(({ partId }: any) => partId))]);
    };
    const [seal, belt] = parts as [string, string];
    expect(await find({ category: "seals" })).toEqual([[seal], [seal], [seal]]);
    expect(await find({ critical: true, inStock: true })).toEqual([[belt], [belt], [belt]]);
    expect(await find({ nameContains: "x" })).toEqual([[], [], []]);
    // Movements from before the deactivation stay visible. The stock of an inactive part is not listed.
    await other.ask("mutation ($id: ID!) { deactivatePart(id: $id) { id } }", { id: seal });
    expect(await find({ category: "seals" })).toEqual([[], [seal], [seal]]);
    expect(await find({ category: "seals", active: true })).toEqual([[], [], []]);
  });

  it("finds records changed since a time", async () => {
    const { createAsset } = await tenant.ask(`mutation { createAsset(input: { name: "Late", type: "late" }) { id updatedAt } }`);
    const found = await tenant.ask("query ($since: DateTime) { assets(filter: { updatedSince: $since }) { nodes { id } } }", {
      since: createAsset.updatedAt,
    });
    expect(found.assets.nodes).toEqual([{ id: createAsset.id }]);
    await tenant.ask("mutation ($id: ID!) { deleteAsset(id: $id) { id } }", { id: createAsset.id });
  });

  test("with too many conditions is rejected", async () => {
    const { errors } = await tenant.graphql("query ($filter: AssetFilter) { assets(filter: $filter) { totalCount } }", {
      filter: { or: Array.from({ length: 101 }, () => ({ type: "pump" })) },
    });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { filter: "must have at most 100 conditions" } });
  });
});

describe("orders", () => {
  const query = `query ($first: Int! = 100, $last: Int, $after: String, $before: String, $orderBy: AssetOrder) {
    assets(first: $first, last: $last, after: $after, before: $before, orderBy: $orderBy) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

  it("are applied one after the other, page by page, from either end", async () => {
    await fc.assert(
      fc.asyncProperty(orders, fc.integer({ min: 3, max: 30 }), async (list, size) => {
        const expected = idsOf(sorted(list, records));
        const orderBy = chained(list);
        const forward: string[] = [];
        for (let after: string | undefined; ; ) {
          const { nodes, pageInfo } = (await tenant.ask(query, { orderBy, first: size, after })).assets;
          forward.push(...idsOf(nodes));
          if (!pageInfo.hasNextPage) break;
          after = pageInfo.endCursor;
        }
        expect(forward).toEqual(expected);
        const backward: string[] = [];
        for (let before: string | undefined; ; ) {
          const { nodes, pageInfo } = (await tenant.ask(query, { orderBy, last: size, before })).assets;
          backward.unshift(...idsOf(nodes));
          if (!pageInfo.hasPreviousPage) break;
          before = pageInfo.startCursor;
        }
        expect(backward).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it("by priority go from the lowest to the highest", async () => {
    const [{ id }] = records;
    for (const priority of ["HIGH", "LOW", "CRITICAL", "MEDIUM"])
      await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
        input: { name: priority, assetId: id, frequency: "WEEKLY", priority },
      });
    const names = async (direction: string) =>
      (await tenant.ask(`{ procedures(orderBy: { field: PRIORITY, direction: ${direction} }) { nodes { name } } }`)).procedures.nodes.map(
        ({ name }: any) => name,
      );
    expect(await names("ASC")).toEqual(["LOW", "MEDIUM", "HIGH", "CRITICAL"]);
    expect(await names("DESC")).toEqual(["CRITICAL", "HIGH", "MEDIUM", "LOW"]);
  });

  test("with more than five fields are rejected", async () => {
    const { errors } = await tenant.graphql(query, { orderBy: chained(Array.from({ length: 6 }, () => ({ field: "NAME" }))) });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { orderBy: "must have at most 5 orders" } });
  });
});
