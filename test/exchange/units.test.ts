/** Units and installations in CSV files (docs/units.md, "Units in files"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const tables = ["Component", "Unit", "UnitPeriod"];

const exported = async (caller: Caller, sheet: "UNITS" | "INSTALLATIONS"): Promise<string> =>
  (await caller.ask("query ($sheet: SheetName!) { exportRecords(sheet: $sheet) }", { sheet })).exportRecords;

const rowsOf = (file: string) =>
  file
    .trim()
    .split("\n")
    .map((line) => line.split(","));

async function send(caller: Caller, sheet: string, lines: string[]) {
  const { status, body } = await caller.rest("POST", `/import/${sheet}`, `${lines.join("\n")}\n`, { "content-type": "text/csv" });
  expect(status, JSON.stringify(body)).toBe(200);
  const { created, updated, unchanged, failed, errors } = body;
  return { counts: [created, updated, unchanged, failed], errors };
}

const problems = (errors: any[]) => errors.map(({ row, field, message }) => [row, field, message]);

/** P-1 at North with Drive end (P1-DE), Fan end (P1-FE) and Coupling (P1-C); bearing 4711 of SKF is in Fan end since March 2026. */
async function plant() {
  const tenant = await gateway.newTenant();
  const asset = (await tenant.createAsset({ name: "P-1", site: "North" })).id as string;
  const component = async (name: string, externalId: string, fields: object = {}) =>
    (
      await tenant.ask("mutation ($input: CreateComponentInput!) { createComponent(input: $input) { id } }", {
        input: { name, type: "part", assetId: asset, externalId, ...fields },
      })
    ).createComponent.id as string;
  const ids = {
    asset,
    driveEnd: await component("Drive end", "P1-DE"),
    fanEnd: await component("Fan end", "P1-FE", { serialNumber: "4711", manufacturer: "SKF", installDate: "2026-03-01T00:00:00Z" }),
    coupling: await component("Coupling", "P1-C"),
  };
  return { tenant, ...ids };
}

const periodsOf = async (caller: Caller, serialNumber: string) =>
  (
    await caller.ask(
      `query ($n: String!) { units(filter: { serialNumber: $n }) { nodes { part { partNumber } manufacturer periods { nodes { state condition site component { name } startedAt endedAt removalReason } } } } }`,
      { n: serialNumber },
    )
  ).units.nodes;

const header = "serialNumber,manufacturer,component,startedAt,endedAt,removalReason,notes";

test("installations with history become periods without gaps, and the open one is that of the component", async () => {
  const { tenant } = await plant();
  const file = [
    header,
    // In any order.
    "B9,FAG,P1-C,2024-03-01T00:00:00Z,,,",
    "B9,FAG,P1-DE,2022-01-01T00:00:00Z,2023-01-01T00:00:00Z,failure,Seized",
    "B9,FAG,P1-FE,2023-01-01T00:00:00Z,2024-01-01T00:00:00Z,preventive,",
    "4711,SKF,P1-DE,2025-01-01T00:00:00Z,2025-06-01T00:00:00Z,opportunity,",
  ];
  expect(await send(tenant, "installations", file)).toEqual({ counts: [4, 0, 0, 0], errors: [] });
  const installed = { state: "INSTALLED", condition: "SERVICEABLE", site: null };
  const removed = { state: "REMOVED", condition: "UNSERVICEABLE", site: "North", component: null, removalReason: null };
  const time = (day: string) => `${day}T00:00:00.000Z`;
  expect(await periodsOf(tenant, "B9")).toEqual([
    {
      part: null,
      manufacturer: "FAG",
      periods: {
        nodes: [
          { ...installed, component: { name: "Coupling" }, startedAt: time("2024-03-01"), endedAt: null, removalReason: null },
          { ...removed, startedAt: time("2024-01-01"), endedAt: time("2024-03-01") },
          {
            ...installed,
            component: { name: "Fan end" },
            startedAt: time("2023-01-01"),
            endedAt: time("2024-01-01"),
            removalReason: "PREVENTIVE",
          },
          {
            ...installed,
            component: { name: "Drive end" },
            startedAt: time("2022-01-01"),
            endedAt: time("2023-01-01"),
            removalReason: "FAILURE",
          },
        ],
      },
    },
  ]);
  const [known] = await periodsOf(tenant, "4711");
  expect(known.periods.nodes.map(({ state, startedAt, endedAt }: any) => [state, startedAt, endedAt])).toEqual([
    ["INSTALLED", time("2026-03-01"), null],
    ["REMOVED", time("2025-06-01"), time("2026-03-01")],
    ["INSTALLED", time("2025-01-01"), time("2025-06-01")],
  ]);
  const { components } = await tenant.ask(
    `{ components(filter: { externalId: "P1-C" }) { nodes { serialNumber manufacturer installDate unitAt { serialNumber } } } }`,
  );
  expect(components.nodes).toEqual([
    { serialNumber: "B9", manufacturer: "FAG", installDate: time("2024-03-01"), unitAt: { serialNumber: "B9" } },
  ]);

  // Once more, and as exported.
  const before = await tenant.snapshot(...tables);
  expect((await send(tenant, "installations", file)).counts).toEqual([0, 0, 4, 0]);
  const again = await exported(tenant, "INSTALLATIONS");
  expect(rowsOf(again)[0]).toEqual(
    "unitId,serialNumber,partNumber,manufacturer,component,startedAt,endedAt,removalReason,workOrderId,notes".split(","),
  );
  expect(
    rowsOf(again)
      .slice(1)
      .map((cells) => cells.slice(1).join())
      .sort(),
  ).toEqual([
    "4711,,SKF,P1-DE,2025-01-01,2025-06-01,opportunity,,",
    "4711,,SKF,P1-FE,2026-03-01,,,,",
    "B9,,FAG,P1-C,2024-03-01,,,,",
    "B9,,FAG,P1-DE,2022-01-01,2023-01-01,failure,,Seized",
    "B9,,FAG,P1-FE,2023-01-01,2024-01-01,preventive,,",
  ]);
  expect((await send(tenant, "installations", again.trim().split("\n"))).counts).toEqual([0, 0, 5, 0]);
  expect(await tenant.snapshot(...tables)).toEqual(before);
});

test("rows that overlap or cannot have been are refused by field, next to valid ones", async () => {
  const { tenant } = await plant();
  const result = await send(tenant, "installations", [
    header,
    "B1,,P1-DE,2024-01-01T00:00:00Z,2024-06-01T00:00:00Z,failure,",
    "B2,,P1-DE,2024-05-31T00:00:00Z,,,",
    "B1,,P1-C,2024-05-01T00:00:00Z,2024-07-01T00:00:00Z,failure,",
    "B3,,P1-FE,2026-02-01T00:00:00Z,,,",
    "4711,,P1-C,2026-04-01T00:00:00Z,,,",
    "B4,,P9,2024-01-01T00:00:00Z,,,",
    "B4,,P1-C,2024-02-01T00:00:00Z,2024-02-01T00:00:00Z,failure,",
    "B4,,P1-C,2024-02-01T00:00:00Z,2024-03-01T00:00:00Z,,",
    "B4,,P1-C,2024-02-01T00:00:00Z,,failure,",
    "B4,,P1-C,2999-01-01T00:00:00Z,,,",
    "4711,,P1-FE,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,failure,",
  ]);
  expect(result.counts).toEqual([1, 0, 0, 10]);
  const since = "2026-03-01T00:00:00.000Z";
  expect(problems(result.errors)).toEqual([
    [3, "startedAt", "overlaps another installation in the component, 2024-01-01T00:00:00.000Z to 2024-06-01T00:00:00.000Z"],
    [4, "startedAt", "overlaps another installation of the unit, 2024-01-01T00:00:00.000Z to 2024-06-01T00:00:00.000Z"],
    [5, "startedAt", `overlaps another installation in the component, ${since} to now`],
    [6, "endedAt", `must not be after ${since}, since when the unit is recorded`],
    [7, "component", "names no component; use its externalId or id"],
    [8, "endedAt", "must be after startedAt"],
    [9, "removalReason", "is required with endedAt"],
    [10, "removalReason", "must be empty without endedAt"],
    [11, "startedAt", "must not be in the future"],
    [12, "endedAt", "is empty already; an installation is not changed"],
  ]);
  const { units } = await tenant.ask("{ units { nodes { serialNumber } } }");
  expect(units.nodes.map(({ serialNumber }: any) => serialNumber).sort()).toEqual(["4711", "B1"]);
});

test("references of installations are checked: parts, units, work orders and sites", async () => {
  const { tenant } = await plant();
  await tenant.ask(
    `mutation { createPart(input: { partNumber: "BRG", name: "Bearing", tracksSerials: true, unitCost: 1, site: "North" }) { id } }`,
  );
  const other = (await tenant.createAsset({ name: "P-2", site: "South" })).id;
  await tenant.ask(
    `mutation ($id: ID!) { createComponent(input: { name: "Seal", type: "seal", assetId: $id, externalId: "P2-S" }) { id } }`,
    { id: other },
  );
  const { createWorkOrder: order } = await tenant.ask(
    `mutation ($id: ID!) { createWorkOrder(input: { title: "Overhaul", assetId: $id }) { id } }`,
    { id: other },
  );
  const north = await tenant.as("technician", ["North"]);
  const columns = "unitId,serialNumber,partNumber,component,startedAt,workOrderId";
  expect((await send(tenant, "installations", [columns, ",S1,BRG,P1-DE,2024-01-01,", ",S2,,P1-C,2024-01-01,"])).counts).toEqual([
    2, 0, 0, 0,
  ]);
  expect((await periodsOf(tenant, "S1"))[0].part).toEqual({ partNumber: "BRG" });
  const { errors } = await send(north, "installations", [
    columns,
    ",S3,NONE,P1-DE,2020-01-01,",
    "unknown,S3,,P1-DE,2020-01-01,",
    ",S3,,P2-S,2020-01-01,",
    `,S3,,P1-DE,2020-01-01,${order.id}`,
  ]);
  expect(problems(errors)).toEqual([
    [2, "partNumber", "names no part; import parts first"],
    [3, "unitId", "names no unit with these numbers; leave it out for a new unit"],
    [4, "component", "is not at one of this key's sites"],
    [5, "workOrderId", "names no work order of the component's asset"],
  ]);
});

test("units are exported with their place, and an import changes only those that are not installed", async () => {
  const { tenant, fanEnd } = await plant();
  await tenant.ask(
    `mutation ($id: ID!) { exchangeUnit(input: { componentId: $id, unit: { serialNumber: "4712", manufacturer: "FAG" }, reason: FAILURE, at: "2026-05-01T00:00:00Z" }) { id } }`,
    { id: fanEnd },
  );
  const file = await exported(tenant, "UNITS");
  const [head, first, second] = rowsOf(file);
  expect(head).toEqual("id,serialNumber,partNumber,manufacturer,model,batchNumber,state,condition,site,componentId,since".split(","));
  expect(first!.slice(1)).toEqual(["4711", "", "SKF", "", "", "removed", "unserviceable", "North", "", "2026-05-01"]);
  expect(second!.slice(1)).toEqual(["4712", "", "FAG", "", "", "installed", "serviceable", "North", fanEnd, "2026-05-01"]);
  const before = await tenant.snapshot(...tables);
  expect(await send(tenant, "units", file.trim().split("\n"))).toEqual({ counts: [0, 0, 2, 0], errors: [] });
  expect(await tenant.snapshot(...tables)).toEqual(before);

  const result = await send(tenant, "units", [
    "serialNumber,manufacturer,model,state",
    "4711,NTN,6309,",
    "4712,NTN,,",
    "4711,,,scrapped",
    "4713,NTN,,",
  ]);
  expect(result.counts).toEqual([0, 1, 0, 3]);
  expect(problems(result.errors)).toEqual([
    [3, "manufacturer", "is that of the component while the unit is installed; import components instead"],
    [4, "state", "is removed; an import of units does not change it"],
    [5, "serialNumber", "names no unit; receive it into stock, or import its installation"],
  ]);
  const { units } = await tenant.ask("{ units(orderBy: { field: SERIAL_NUMBER }) { nodes { serialNumber manufacturer model } } }");
  expect(units.nodes).toEqual([
    { serialNumber: "4711", manufacturer: "NTN", model: "6309" },
    { serialNumber: "4712", manufacturer: "FAG", model: null },
  ]);
});
