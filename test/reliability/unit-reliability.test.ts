/** Reliability of units by part, position and unit, and bad actors, with figures computed by hand (docs/units.md). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { exchange, release } from "./units.js";

const gateway = await sharedGateway();

const day = (number: number, hour = 0) => new Date(Date.UTC(2026, 0, number, hour)).toISOString();

const figures = `failures censored excluded hours basis failureRate mttf mttfLowerBound90
  weibull { shape { value lower upper } scale { value lower upper } b10Life { value lower upper } }`;

const none = {
  failures: 0,
  censored: 0,
  excluded: 0,
  hours: 0,
  basis: null,
  failureRate: null,
  mttf: null,
  mttfLowerBound90: null,
  weibull: null,
};

const partOf = async (tenant: Caller, partNumber: string): Promise<{ id: string }> =>
  (
    await tenant.ask(`mutation ($partNumber: Name!) { createPart(input: { partNumber: $partNumber, name: "Bearing" }) { id } }`, {
      partNumber,
    })
  ).createPart;

const reliabilityOf = async (tenant: Caller, partId: string, site?: string) =>
  (
    await tenant.ask(`query ($partId: ID!, $site: String) { partReliability(partId: $partId, site: $site) { ${figures} } }`, {
      partId,
      site,
    })
  ).partReliability;

/** Units of a part, which the receipt of stock would make. */
async function unitsOf(tenant: Caller, partId: string | null, serials: string[], fields: { manufacturer?: string; model?: string } = {}) {
  const rows = await tenant.gateway.database.query<{ id: string }>(
    `insert into "Unit" ("tenantId", "partId", "serialNumber", manufacturer, model)
     select $1, $2, s, $4, $5 from unnest($3::text[]) with ordinality x(s, place) order by place returning id`,
    [tenant.tenantId, partId, serials, fields.manufacturer ?? null, fields.model ?? null],
  );
  return rows.map(({ id }) => id);
}

/** An installation, as exchangeUnit would record it. Without `to`, it has not ended. */
const installed = (tenant: Caller, unitId: string, componentId: string, from: string, to?: string, reason = "failure") =>
  tenant.gateway.database.query(
    `insert into "UnitPeriod" ("tenantId", "unitId", "componentId", "startedAt", "endedAt", state, condition, "removalReason", "recordedBy")
     values ($1, $2, $3, $4, $5, 'installed', 'serviceable', $6, 'test')`,
    [tenant.tenantId, unitId, componentId, from, to ?? null, to ? reason : null],
  );

async function positions(tenant: Caller, count: number, site = "North") {
  const { id: assetId } = await tenant.createAsset({ name: "P-1", site, area: "Hall", type: "pump" });
  const made = [];
  for (let i = 0; i < count; i++) made.push((await tenant.createComponent({ name: `Bearing ${i + 1}`, assetId })).id as string);
  return made;
}

test("of a part counts failures, and censors other removals and units that still run", async () => {
  const tenant = await gateway.newTenant();
  const part = await partOf(tenant, "B7");
  expect(await reliabilityOf(tenant, part.id)).toEqual(none);
  const [one, two] = await positions(tenant, 2);
  const [south] = await positions(tenant, 1, "South");
  const [a, b, c, d] = await unitsOf(tenant, part.id, ["A", "B", "C", "D"]);
  await installed(tenant, a!, one!, day(1), day(11));
  await installed(tenant, b!, one!, day(11), day(31), "preventive");
  await installed(tenant, c!, two!, day(1), day(6), "unknown");
  await installed(tenant, d!, south!, day(1), day(6));
  const [e] = await unitsOf(tenant, null, ["E"], { model: "6309" });
  await installed(tenant, e!, two!, day(6), day(7));
  // 10 + 20 + 5 + 5 days. χ²(0.9; 6) = 10.6446.
  const whole = await reliabilityOf(tenant, part.id);
  expect(whole).toEqual({
    failures: 2,
    censored: 2,
    excluded: 0,
    hours: 960,
    basis: "CALENDAR",
    failureRate: expect.closeTo(2 / 960, 12),
    mttf: 480,
    mttfLowerBound90: expect.closeTo(1_920 / 10.64464, 3),
    weibull: null,
  });
  // χ²(0.9; 4) = 7.77944.
  expect(await reliabilityOf(tenant, part.id, "South")).toMatchObject({
    failures: 1,
    censored: 0,
    hours: 120,
    mttfLowerBound90: expect.closeTo(240 / 7.77944, 3),
  });
  const { component, unit } = await tenant.ask(
    `query ($component: ID!, $unit: ID!) { component(id: $component) { unitReliability { ${figures} } } unit(id: $unit) { reliability { ${figures} } } }`,
    { component: two, unit: b },
  );
  expect(component.unitReliability).toMatchObject({ failures: 1, censored: 1, hours: 144, mttf: 144 });
  // Without a failure: 480 h ÷ ln 10.
  expect(unit.reliability).toMatchObject({
    failures: 0,
    censored: 1,
    mttf: null,
    failureRate: 0,
    mttfLowerBound90: expect.closeTo(480 / Math.LN10, 4),
  });
  // A unit that still runs.
  const [f] = await unitsOf(tenant, part.id, ["F"]);
  await installed(tenant, f!, one!, day(31));
  const running = await reliabilityOf(tenant, part.id);
  expect(running).toMatchObject({ failures: 2, censored: 3 });
  expect(running.hours).toBeGreaterThan(960 + 24);
});

test("fits a Weibull distribution from five failures on", async () => {
  const tenant = await gateway.newTenant();
  const part = await partOf(tenant, "B7");
  const [one] = await positions(tenant, 1);
  // Abernethy, The New Weibull Handbook, appendix C.5: failures, and two that were taken out.
  const lives = [1_500, 2_250, 4_000, 4_300, 7_000, -1_750, -5_000];
  const units = await unitsOf(
    tenant,
    part.id,
    lives.map((_, i) => `S${i}`),
  );
  let hour = Date.UTC(2020, 0, 1);
  for (const [i, life] of lives.entries()) {
    const ends = hour + Math.abs(life) * 3_600_000;
    const [from, to] = [hour, ends].map((time) => new Date(time).toISOString());
    if (i === 4) expect(await reliabilityOf(tenant, part.id)).toMatchObject({ failures: 4, weibull: null });
    await installed(tenant, units[i]!, one!, from!, to, life > 0 ? "failure" : "preventive");
    hour = ends;
  }
  const { weibull, ...rest } = await reliabilityOf(tenant, part.id);
  expect(rest).toMatchObject({ failures: 5, censored: 2, hours: 25_800, mttf: 5_160 });
  expect(weibull).toEqual({
    shape: { value: expect.closeTo(2.257, 3), lower: expect.closeTo(1.1578, 3), upper: expect.closeTo(3.7755, 3) },
    scale: { value: expect.closeTo(4_900.1, 0), lower: expect.closeTo(3_443.5, 0), upper: expect.closeTo(7_494.5, 0) },
    b10Life: { value: expect.closeTo(1_808, 0), lower: expect.closeTo(639.7, 0), upper: expect.closeTo(3_043.4, 0) },
  });
});

test("leaves out installations whose start nobody recorded", async () => {
  const tenant = await gateway.newTenant();
  const asset = await tenant.createAsset({ name: "P-1", site: "North" });
  const unknown = await tenant.createComponent({ assetId: asset.id, serialNumber: "1" });
  const known = await tenant.createComponent({ assetId: asset.id, serialNumber: "2", installDate: "2026-01-01T00:00:00Z" });
  const ask = async (id: string) =>
    (await tenant.ask(`query ($id: ID!) { component(id: $id) { unitReliability { failures censored excluded hours } } }`, { id })).component
      .unitReliability;
  expect(await ask(unknown.id)).toEqual({ failures: 0, censored: 0, excluded: 1, hours: 0 });
  expect(await ask(known.id)).toMatchObject({ failures: 0, censored: 1, excluded: 0 });
  // The date was entered later.
  await tenant.rest("PUT", `/components/${unknown.id}`, { installDate: "2026-02-01T00:00:00Z" });
  expect(await ask(unknown.id)).toMatchObject({ censored: 1, excluded: 0 });
  // A unit that was known before came to its new position with the record of this position.
  await tenant.rest("PUT", `/components/${known.id}`, { serialNumber: null });
  const next = await tenant.createComponent({ assetId: asset.id, serialNumber: "2" });
  expect(await ask(next.id)).toMatchObject({ censored: 1, excluded: 0 });
});

test("is NOT_FOUND for an unknown part", async () => {
  const tenant = await gateway.newTenant();
  const { errors } = await tenant.graphql(`{ partReliability(partId: "none") { failures } }`);
  expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND", partId: "none" } }]);
});

const period = { from: day(1), to: day(101) };
const actor =
  "kind componentId unitId partId manufacturer model failures expectedFailures hours probability component { name } unit { serialNumber } part { partNumber }";
const badActorsOf = async (tenant: Caller, args: object = {}) =>
  (
    await tenant.ask(
      `query ($from: DateTime, $to: DateTime, $site: String, $area: String, $type: String, $first: Int!) {
         badActors(from: $from, to: $to, site: $site, area: $area, type: $type, first: $first) { ${actor} } }`,
      { ...period, first: 20, ...args },
    )
  ).badActors;

/**
 * Five positions with bearings for 100 days each. In the first one, five different ones failed, each after 10 days, and the last one stays.
 * In the fifth, one failed after 50 days.
 */
async function eater(tenant: Caller, partId: string | null, fields: { manufacturer?: string; model?: string } = {}) {
  const places = await positions(tenant, 5);
  const units = await unitsOf(
    tenant,
    partId,
    Array.from({ length: 11 }, (_, i) => `B${i}`),
    fields,
  );
  for (let i = 0; i < 5; i++) await installed(tenant, units[i]!, places[0]!, day(1 + 10 * i), day(11 + 10 * i));
  await installed(tenant, units[5]!, places[0]!, day(51));
  for (const i of [1, 2, 3]) await installed(tenant, units[5 + i]!, places[i]!, day(1));
  await installed(tenant, units[9]!, places[4]!, day(1), day(51));
  await installed(tenant, units[10]!, places[4]!, day(51));
  return places;
}

test("finds a position that eats units", async () => {
  const tenant = await gateway.newTenant();
  const part = await partOf(tenant, "B7");
  const [place] = await eater(tenant, part.id);
  const expected = {
    kind: "POSITION",
    componentId: place,
    unitId: null,
    partId: part.id,
    manufacturer: null,
    model: null,
    failures: 5,
    // One failure in 400 days elsewhere.
    expectedFailures: 0.25,
    hours: 2_400,
    // 6 × 0.2⁵ × 0.8 + 0.2⁶: 5 or 6 of 6 failures in a fifth of the hours.
    probability: expect.closeTo(0.0016, 10),
    component: { name: "Bearing 1" },
    unit: null,
    part: { partNumber: "B7" },
  };
  expect(await badActorsOf(tenant)).toEqual([expected]);
  expect(await badActorsOf(tenant, { site: "North", area: "Hall", type: "pump" })).toEqual([expected]);
  for (const scope of [{ site: "South" }, { area: "Yard" }, { type: "fan" }]) expect(await badActorsOf(tenant, scope)).toEqual([]);
  // Only the failures after 20, 30, 40 and 50 days are in this period: 4 of 5 in 80 of 400 days, 5 × 0.2⁴ × 0.8 + 0.2⁵ = 0.00672.
  expect(await badActorsOf(tenant, { from: day(21) })).toMatchObject([
    { failures: 4, hours: 1_920, probability: expect.closeTo(0.00672, 10) },
  ]);
  // 3 of 4 failures: 4 × 0.2³ × 0.8 + 0.2⁴ = 0.0272.
  expect(await badActorsOf(tenant, { from: day(31) })).toEqual([]);
  const { errors } = await tenant.graphql(`{ badActors(first: 101) { kind } }`);
  expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", details: { first: "must be from 1 to 100" } } }]);
});

test("compares units without a part by manufacturer and model, and none without a model", async () => {
  const tenant = await gateway.newTenant();
  await eater(tenant, null, { manufacturer: "SKF", model: "6309" });
  await eater(tenant, null, { manufacturer: "SKF" });
  expect(await badActorsOf(tenant)).toMatchObject([
    { kind: "POSITION", partId: null, manufacturer: "SKF", model: "6309", failures: 5, part: null },
  ]);
});

test("finds a unit that fails everywhere, and blames neither a unit for its position nor a position for its unit", async () => {
  const tenant = await gateway.newTenant();
  const part = await partOf(tenant, "B7");
  const places = await positions(tenant, 4);
  const units = await unitsOf(tenant, part.id, ["ROGUE", "B1", "B2", "B3", "B4"]);
  // It failed in three positions after 10 days each, while the others ran for 90, 90, 90 and 100 days.
  for (const i of [0, 1, 2]) {
    await installed(tenant, units[0]!, places[i]!, day(1 + 10 * i), day(11 + 10 * i));
    if (i) await installed(tenant, units[i + 1]!, places[i]!, day(11 + 10 * i));
    else await installed(tenant, units[1]!, places[0]!, day(11));
  }
  await installed(tenant, units[4]!, places[3]!, day(1));
  expect(await badActorsOf(tenant)).toMatchObject([
    {
      kind: "UNIT",
      componentId: null,
      unitId: units[0],
      failures: 3,
      expectedFailures: 0,
      hours: 720,
      // All 3 failures in 30 of 370 - 10 - 20 days: 90 + 80 + 70 + 100 of the others.
      probability: expect.closeTo((30 / 370) ** 3, 10),
      unit: { serialNumber: "ROGUE" },
      component: null,
    },
  ]);
  // A unit that fails three times in one position could be either.
  const other = await partOf(tenant, "B8");
  const [place, quiet] = await positions(tenant, 2);
  const [same, steady] = await unitsOf(tenant, other.id, ["SAME", "STEADY"]);
  for (const i of [0, 1, 2]) await installed(tenant, same!, place!, day(1 + 10 * i), day(6 + 10 * i));
  await installed(tenant, steady!, quiet!, day(1));
  expect(await badActorsOf(tenant)).toHaveLength(1);
});

test("omits deleted positions, and keeps to the key's sites", async () => {
  const tenant = await gateway.newTenant();
  const part = await partOf(tenant, "B7");
  const [place] = await eater(tenant, part.id);
  const south = await tenant.as("viewer", ["South"], false);
  expect(await badActorsOf(south)).toEqual([]);
  expect(await reliabilityOf(south, part.id)).toEqual(none);
  const north = await tenant.as("viewer", ["North"], false);
  expect(await badActorsOf(north)).toHaveLength(1);
  await tenant.rest("DELETE", `/components/${place}`);
  expect(await badActorsOf(tenant)).toEqual([]);
});

test("counts an exchange by its reason", async () => {
  const tenant = await gateway.newTenant();
  const [place] = await positions(tenant, 1);
  const a = await exchange(tenant, place!, { serialNumber: "A" }, day(1));
  await exchange(tenant, place!, { serialNumber: "B" }, day(3), "FAILURE");
  await release(tenant, a, day(4));
  await exchange(tenant, place!, { id: a }, day(5), "WRONG_ITEM");
  await exchange(tenant, place!, null, day(6), "PREVENTIVE");
  const { unit, component } = await tenant.ask(
    `query ($unit: ID!, $component: ID!) { unit(id: $unit) { reliability { failures censored hours } } component(id: $component) { unitReliability { failures censored hours } } }`,
    { unit: a, component: place },
  );
  expect(unit.reliability).toEqual({ failures: 1, censored: 1, hours: 72 });
  expect(component.unitReliability).toEqual({ failures: 1, censored: 2, hours: 120 });
});
