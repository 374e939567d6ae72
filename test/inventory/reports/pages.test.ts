/** Pages of the ABC analysis and of the turnover, on a plant whose figures are computed by hand. */
import { parse } from "graphql";
import { beforeAll, describe, expect, it, test } from "vitest";
import { digestOf } from "../../../src/database/rows/cursor.js";
import { lanesOf } from "../../../src/execution/admission/lanes.js";
import { buildGatewaySchema } from "../../../src/resolvers/schema.js";
import { encodeToken } from "../../../src/schema/token.js";
import { type Caller, startGateway } from "../../world.js";
import { move, newPart } from "../stock/stock.js";

const gateway = await startGateway();
const schema = buildGatewaySchema();

const ofClass = "{ partCount totalValue totalValueExact valuePercentage }";
const turnoverFields = "issuedValue issuedValueExact averageStockValue averageStockValueExact basisDays turnover daysOnHand";

const queryOf = (report: string, fields: string) => `query ($filter: ReportFilter, $first: Int, $after: String) {
  page: ${report}(filter: $filter, first: $first, after: $after) {
    ${fields} totalCount startDate endDate pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

const queries = {
  abcAnalysis: queryOf(
    "abcAnalysis",
    `nodes { partNumber class annualUsageValue annualUsageValueExact percentage }
     totals { classA ${ofClass} classB ${ofClass} classC ${ofClass} }`,
  ),
  stockTurnover: queryOf("stockTurnover", `nodes { partNumber ${turnoverFields} } totals { ${turnoverFields} }`),
};
type Report = keyof typeof queries;

const read = async (caller: Caller, report: Report, variables: object) => (await caller.ask(queries[report], { ...variables })).page;

/** All pages of a report, read one after the other. `between` runs after each page. */
async function pagesOf(caller: Caller, report: Report, { filter, first }: { filter?: object; first: number }, between = async () => {}) {
  const pages: any[] = [];
  for (let after: string | undefined; !pages.length || pages.at(-1).pageInfo.hasNextPage; after = pages.at(-1).pageInfo.endCursor) {
    pages.push(await read(caller, report, { filter, first, after }));
    await between();
  }
  return pages;
}

const period = { startDate: "2025-01-01T00:00:00.000Z", endDate: "2025-04-11T00:00:00.000Z" };

/** Value of the issue of each part, after 50 of the 100 days. Each part is worth 100 before. P4 and P5 are equal. */
const used = { P5: 5, P1: 60, P6: 0, P3: 10, P2: 20, P4: 5 };

let tenant: Caller;
let ids: Record<string, string>;

beforeAll(async () => {
  tenant = await gateway.newTenant();
  ids = {};
  for (const [partNumber, value] of Object.entries(used)) {
    const id = await newPart(tenant, { partNumber, category: partNumber < "P4" ? "fast" : "slow" });
    await move(tenant, "receiveStock", id, { quantity: 100, unitCost: 1, performedAt: period.startDate });
    if (value) await move(tenant, "issueStock", id, { quantity: value, performedAt: "2025-02-20T00:00:00Z" });
    ids[partNumber] = id;
  }
});

/** 100 days are 1 / 3.65 of a year. The shares before each part are 0, 60, 80, 90, 95 and 100 percent. */
const abcNodes = [
  { partNumber: "P1", class: "A", annualUsageValue: 219, annualUsageValueExact: "219", percentage: 60 },
  { partNumber: "P2", class: "A", annualUsageValue: 73, annualUsageValueExact: "73", percentage: 20 },
  { partNumber: "P3", class: "B", annualUsageValue: 36.5, annualUsageValueExact: "36.5", percentage: 10 },
  { partNumber: "P4", class: "B", annualUsageValue: 18.25, annualUsageValueExact: "18.25", percentage: 5 },
  { partNumber: "P5", class: "C", annualUsageValue: 18.25, annualUsageValueExact: "18.25", percentage: 5 },
  { partNumber: "P6", class: "C", annualUsageValue: 0, annualUsageValueExact: "0", percentage: 0 },
];
const abcTotals = {
  classA: { partCount: 2, totalValue: 292, totalValueExact: "292", valuePercentage: 80 },
  classB: { partCount: 2, totalValue: 54.75, totalValueExact: "54.75", valuePercentage: 15 },
  classC: { partCount: 2, totalValue: 18.25, totalValueExact: "18.25", valuePercentage: 5 },
};

/** The average is 100 for half of the time, then 100 less the usage. The turnover is usage × 3.65 ÷ average. */
const figures = (issuedValue: number, averageStockValue: number, turnover: number, daysOnHand: number | null) => ({
  issuedValue,
  issuedValueExact: String(issuedValue),
  averageStockValue,
  averageStockValueExact: String(averageStockValue),
  basisDays: 100,
  turnover,
  daysOnHand,
});
const turnoverNodes = [
  { partNumber: "P1", ...figures(60, 70, 3.1286, 116.67) },
  { partNumber: "P2", ...figures(20, 90, 0.8111, 450) },
  { partNumber: "P3", ...figures(10, 95, 0.3842, 950) },
  { partNumber: "P4", ...figures(5, 97.5, 0.1872, 1950) },
  { partNumber: "P5", ...figures(5, 97.5, 0.1872, 1950) },
  { partNumber: "P6", ...figures(0, 100, 0, null) },
];
const turnoverTotals = figures(100, 550, 0.6636, 550);

describe.each([["abcAnalysis", abcNodes, abcTotals] as const, ["stockTurnover", turnoverNodes, turnoverTotals] as const])(
  "%s",
  (report, nodes, totals) => {
    it("has the greatest values first, with the totals of the whole report", async () => {
      expect(await read(tenant, report, { filter: period })).toMatchObject({
        ...period,
        nodes,
        totals,
        totalCount: 6,
        pageInfo: { hasNextPage: false, hasPreviousPage: false },
      });
    });

    it.each([1, 2, 4, 6])("pages of %i make up the whole, each with its totals", async (first) => {
      const pages = await pagesOf(tenant, report, { filter: period, first });
      expect(pages.flatMap((page) => page.nodes)).toEqual(nodes);
      expect(pages.map((page) => page.nodes.length)).toEqual(
        Array(Math.ceil(6 / first))
          .fill(first)
          .with(-1, 6 % first || first),
      );
      for (const [i, page] of pages.entries())
        expect(page).toMatchObject({ ...period, totals, totalCount: 6, pageInfo: { hasPreviousPage: i > 0 } });
    });

    it("continues after the first or the last part of a page", async () => {
      // P4 and P5 have equal values.
      const { pageInfo } = await read(tenant, report, { filter: period, first: 4 });
      const after = async (cursor: string) => (await read(tenant, report, { filter: period, after: cursor })).nodes;
      expect([await after(pageInfo.startCursor), await after(pageInfo.endCursor)]).toEqual([nodes.slice(1), nodes.slice(4)]);
      const last = await read(tenant, report, { filter: period });
      expect(await read(tenant, report, { filter: period, after: last.pageInfo.endCursor })).toMatchObject({
        nodes: [],
        totals,
        totalCount: 6,
        pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
      });
    });

    it("has the parts of a category, with totals of these", async () => {
      const page = await read(tenant, report, { filter: { ...period, category: "slow" }, first: 2 });
      expect(page.nodes.map(({ partNumber }: any) => partNumber)).toEqual(["P4", "P5"]);
      expect([page.totalCount, page.pageInfo.hasNextPage]).toEqual([3, true]);
    });

    it("refuses cursors of other tenants, reports and filters, and altered ones", async () => {
      const cursor = (await read(tenant, report, { filter: period, first: 2 })).pageInfo.endCursor;
      const other = await gateway.newTenant();
      const [digest, ...values] = JSON.parse(Buffer.from(cursor, "base64url").toString());
      const { parts } = await tenant.ask("{ parts(first: 1) { pageInfo { endCursor } } }");
      const refused: [Caller, Report, object][] = [
        [other, report, { filter: period, after: cursor }],
        [tenant, report === "abcAnalysis" ? "stockTurnover" : "abcAnalysis", { filter: period, after: cursor }],
        [tenant, report, { after: cursor }],
        [tenant, report, { filter: { ...period, category: "fast" }, after: cursor }],
        [tenant, report, { filter: { ...period, location: "N" }, after: cursor }],
        [tenant, report, { filter: { ...period, endDate: "2025-04-12" }, after: cursor }],
        [tenant, report, { filter: { ...period, startDate: "2025-01-02" }, after: cursor }],
        [tenant, report, { filter: period, after: parts.pageInfo.endCursor }],
        [tenant, report, { filter: period, after: `${cursor}A` }],
        [tenant, report, { filter: period, after: cursor.slice(0, -4) }],
        [tenant, report, { filter: period, after: "x" }],
        ...values.map((_: string, i: number): [Caller, Report, object] => [
          tenant,
          report,
          { filter: period, after: encodeToken(digest, ...values.with(i, "1")) },
        ]),
      ];
      const answers = [];
      for (const [caller, name, variables] of refused) answers.push((await caller.graphql(queries[name], { ...variables })).errors);
      expect(answers.map((errors) => errors?.map(({ extensions }) => [extensions.code, extensions.details]))).toEqual(
        refused.map(() => [["BAD_USER_INPUT", { after: "is not a cursor of this list; use the endCursor of its page before" }]]),
      );
    });

    it("refuses forged values in a cursor with a matching digest", async () => {
      const cursor = (await read(tenant, report, { filter: period, first: 2 })).pageInfo.endCursor;
      const [, ...values] = JSON.parse(Buffer.from(cursor, "base64url").toString());
      const name = report === "abcAnalysis" ? "abc_analysis" : "turnover";
      const seal = (values: unknown[]) =>
        encodeToken(digestOf([tenant.tenantId, name, period.startDate, period.endDate, undefined, undefined, values]), ...values);
      expect(seal(values)).toBe(cursor);
      for (const forged of [
        values.with(0, "soon"),
        values.with(1, "soon"),
        values.with(2, "much"),
        values.with(3, "P\u0000"),
        values.with(2, 5),
        values.slice(1),
      ]) {
        const { errors } = await tenant.graphql(queries[report], { filter: period, after: seal(forged) });
        expect(errors?.map(({ extensions }) => [extensions.code, Object.keys(extensions.details)])).toEqual([
          ["BAD_USER_INPUT", ["after"]],
        ]);
      }
    });

    it("refuses sizes outside of the limits, and null conditions", async () => {
      for (const [variables, name] of [
        [{ first: 0 }, "first"],
        [{ first: 501 }, "first"],
        [{ filter: { location: null } }, "filter.location"],
        [{ filter: { startDate: period.endDate, endDate: period.startDate } }, "endDate"],
      ] as const) {
        const { errors } = await tenant.graphql(queries[report], variables);
        expect(errors?.map(({ extensions }) => [extensions.code, Object.keys(extensions.details)])).toEqual([["BAD_USER_INPUT", [name]]]);
      }
    });

    it("costs a report and the page, and takes a slot of the long lane", async () => {
      const cost = async (first: number) => {
        const response = await fetch(`${gateway.url}/graphql`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, "graphql-cost": "1" },
          body: JSON.stringify({ query: `query ($first: Int) { ${report}(first: $first) { nodes { partId } } }`, variables: { first } }),
        });
        return ((await response.json()) as any).extensions.cost.requested;
      };
      expect([await cost(1), await cost(500)]).toEqual([1 + 1_001 + 1, 1 + 1_001 + 500]);
      expect(lanesOf(schema)(parse(queries[report]))).toBe("long");
    });

    it("takes one statement, and one more for the parts of a page of any size", async () => {
      const count = async (first: number, fields: string) => {
        const counts: number[] = [];
        // The minimum of several runs: looking up the key and recording its use adds statements to some.
        for (let run = 0; run < 3; run++) {
          const before = gateway.database.statements();
          await tenant.ask(`query ($first: Int) { ${report}(first: $first) { totalCount totals { __typename } ${fields} } }`, { first });
          counts.push(gateway.database.statements() - before);
        }
        return Math.min(...counts);
      };
      expect([await count(1, "nodes { partId }"), await count(6, "nodes { partId }")]).toEqual([1, 1]);
      expect([await count(1, "nodes { part { name } }"), await count(6, "nodes { part { name } }")]).toEqual([2, 2]);
    });
  },
);

test("the parts of a page are those of the catalogue", async () => {
  const { abcAnalysis } = await tenant.ask(
    `{ abcAnalysis(first: 2, filter: { startDate: "${period.startDate}", endDate: "${period.endDate}" }) { nodes { partId part { id partNumber } } } }`,
  );
  expect(abcAnalysis.nodes).toEqual(
    ["P1", "P2"].map((partNumber) => ({ partId: ids[partNumber], part: { id: ids[partNumber], partNumber } })),
  );
});

test.each(["abcAnalysis", "stockTurnover"] as const)("%s keeps the period of its first page while stock moves", async (report) => {
  const busy = await gateway.newTenant();
  const parts: string[] = [];
  for (const [i, quantity] of [30, 20, 10].entries()) {
    const id = await newPart(busy, { partNumber: `B${i}` });
    await move(busy, "receiveStock", id, { quantity: 1_000, unitCost: 1 });
    await move(busy, "issueStock", id, { quantity });
    parts.push(id);
  }
  const amountOf = ({ annualUsageValue, issuedValue }: any) => annualUsageValue ?? issuedValue;
  const issueLast = () => move(busy, "issueStock", parts[2]!, { quantity: 100 }).then(() => {});
  const pages = await pagesOf(busy, report, { first: 1 }, issueLast);
  expect(pages.map(({ nodes: [node] }) => [node.partNumber, amountOf(node)])).toEqual([
    ["B0", 30],
    ["B1", 20],
    ["B2", 10],
  ]);
  const whole = await read(busy, report, {});
  expect(whole.nodes.map((node: any) => [node.partNumber, amountOf(node)])).toEqual([
    ["B2", 310],
    ["B0", 30],
    ["B1", 20],
  ]);
  const { startDate, endDate, totals } = pages[0];
  expect(new Date(endDate).getTime() - new Date(startDate).getTime()).toBe(365 * 86_400_000);
  for (const page of pages) expect([page.startDate, page.endDate]).toEqual([startDate, endDate]);
  const sum = (of: any) => (report === "abcAnalysis" ? of.classA.totalValue + of.classB.totalValue + of.classC.totalValue : of.issuedValue);
  expect([sum(totals), ...pages.map((page) => sum(page.totals)), sum(whole.totals)]).toEqual([60, 60, 60, 60, 360]);
});

test("a key limited to sites has only the figures of its sites on every page", async () => {
  const admin = await gateway.newTenant();
  for (const [partNumber, north, south] of [
    ["N1", 10, 90],
    ["N2", 30, 5],
    ["S1", 0, 900],
  ] as const) {
    const id = await newPart(admin, { partNumber });
    for (const [site, quantity] of [
      ["North", north],
      ["South", south],
    ] as const)
      if (quantity) {
        await move(admin, "receiveStock", id, { site, quantity: 1_000, unitCost: 1 });
        await move(admin, "issueStock", id, { site, quantity });
      }
  }
  const own = await admin.as("viewer", ["North"], false);
  const pages = await pagesOf(own, "abcAnalysis", { first: 1 });
  expect(pages.flatMap(({ nodes }) => nodes).map((node: any) => [node.partNumber, node.annualUsageValue, node.class])).toEqual([
    ["N2", 30, "A"],
    ["N1", 10, "A"],
  ]);
  expect(pages.map(({ totalCount, totals }) => [totalCount, totals.classA.totalValue, totals.classC.partCount])).toEqual([
    [2, 40, 0],
    [2, 40, 0],
  ]);
  const turned = await pagesOf(own, "stockTurnover", { first: 1 });
  expect(turned.flatMap(({ nodes }) => nodes).map((node: any) => [node.partNumber, node.issuedValue])).toEqual([
    ["N2", 30],
    ["N1", 10],
  ]);
  expect(turned.map(({ totalCount, totals }) => [totalCount, totals.issuedValue])).toEqual([
    [2, 40],
    [2, 40],
  ]);
  // The administrator sees both sites, also after a cursor of the limited key.
  const everything = await read(admin, "abcAnalysis", {});
  expect(everything.nodes.map((node: any) => [node.partNumber, node.annualUsageValue])).toEqual([
    ["S1", 900],
    ["N1", 100],
    ["N2", 35],
  ]);
  const rest = await read(own, "abcAnalysis", { after: everything.pageInfo.startCursor });
  expect(rest.nodes.map((node: any) => [node.partNumber, node.annualUsageValue])).toEqual([
    ["N2", 30],
    ["N1", 10],
  ]);
});
