/** Sites and areas as records (docs/decisions.md, "sites and areas"): created empty, renamed, ordered, deleted. */
import { describe, expect, it, test } from "vitest";
import { type Caller, type GraphqlAnswer, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const fields = "name displayName code position version timeZone assetCount areas { name displayName code position version assetCount }";
const sitesOf = async (caller: Caller) => (await caller.ask(`{ sites { ${fields} } }`)).sites;
const namesOf = async (caller: Caller) =>
  (await sitesOf(caller)).map(({ name, areas }: any) => [name, ...areas.map((area: any) => area.name)].join(" / "));

const bareSite = { code: null, position: null, version: null, timeZone: "UTC", assetCount: 0, areas: [] };
const bareArea = { code: null, position: null, version: null, assetCount: 0 };

const createSite = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: CreateSiteInput!) { createSite(input: $input) { ${fields} } }`, { input });
const updateSite = (caller: Caller, name: string, input: object) =>
  caller.graphql(`mutation ($name: String!, $input: UpdateSiteInput!) { updateSite(name: $name, input: $input) { ${fields} } }`, {
    name,
    input,
  });
const deletion = "id message deletedAt belongedTo { id __typename }";
const deleteSite = (caller: Caller, name: string) =>
  caller.graphql(`mutation ($name: String!) { deleteSite(name: $name) { ${deletion} } }`, { name });

const areaFields = "id site name displayName code position version assetCount";
const createArea = (caller: Caller, site: string, input: object) =>
  caller.graphql(`mutation ($site: PlaceName!, $input: CreateAreaInput!) { createArea(site: $site, input: $input) { ${areaFields} } }`, {
    site,
    input,
  });
const updateArea = (caller: Caller, site: string, name: string, input: object) =>
  caller.graphql(
    `mutation ($site: PlaceName!, $name: PlaceName!, $input: UpdateAreaInput!) { updateArea(site: $site, name: $name, input: $input) { ${areaFields} } }`,
    { site, name, input },
  );
const deleteArea = (caller: Caller, site: string, name: string) =>
  caller.graphql(`mutation ($site: PlaceName!, $name: PlaceName!) { deleteArea(site: $site, name: $name) { ${deletion} } }`, {
    site,
    name,
  });

/** The result of a mutation that must succeed. */
async function done(answer: Promise<GraphqlAnswer>): Promise<any> {
  const { data, errors } = await answer;
  expect(errors).toBeUndefined();
  return Object.values(data)[0];
}

/** All rows of the tenant's places, including times and authors. */
const recordsOf = async ({ tenantId }: Caller) => [
  await gateway.database.query<any>(`select * from "SiteSetting" where "tenantId" = $1 order by site`, [tenantId]),
  await gateway.database.query<any>(`select * from "AreaSetting" where "tenantId" = $1 order by site, area`, [tenantId]),
  await gateway.database.query<any>(`select id, "nextDue" from "Procedure" where "tenantId" = $1 order by id`, [tenantId]),
];

/** Expects a rejection that changes nothing. Returns its error. */
async function refused(tenant: Caller, code: string, call: () => Promise<GraphqlAnswer>) {
  const before = await recordsOf(tenant);
  const { data, errors } = await call();
  const error = errors![0]!;
  expect({ code: error.extensions.code, rest: errors!.length }).toEqual({ code, rest: 1 });
  expect(data === undefined || Object.values(data).every((value) => value === null)).toBe(true);
  expect(await recordsOf(tenant)).toEqual(before);
  return error;
}

describe("sites", () => {
  it("named by assets are shown by that text until a record exists", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ site: "North", area: "Hall" });
    await tenant.createAsset({ site: "North" });
    expect(await sitesOf(tenant)).toEqual([
      {
        ...bareSite,
        name: "North",
        displayName: "North",
        assetCount: 2,
        areas: [
          { ...bareArea, name: "", displayName: "", assetCount: 1 },
          { ...bareArea, name: "Hall", displayName: "Hall", assetCount: 1 },
        ],
      },
    ]);
    expect(await recordsOf(tenant)).toEqual([[], [], []]);
  });

  it("are created empty, and REST does not list them then", async () => {
    const tenant = await gateway.newTenant();
    const other = await gateway.newTenant();
    await tenant.createAsset({ site: "South", area: "Yard" });
    const paths = ["/assets", "/assets?search=North", "/inventory", "/parts", "/components", "/pms", "/notifications"];
    const lists = async () => Promise.all(paths.map(async (path) => (await tenant.rest("GET", path)).body));
    const before = await lists();
    expect(await done(createSite(tenant, { name: "North" }))).toEqual({ ...bareSite, name: "North", displayName: "North", version: 1 });
    expect(await done(createArea(tenant, "North", { name: "Hall" }))).toEqual({
      ...bareArea,
      id: "Area:North:Hall",
      site: "North",
      name: "Hall",
      displayName: "Hall",
      version: 1,
    });
    expect(await lists()).toEqual(before);
    expect(before[0]).toMatchObject({ items: [{ site: "South", areas: [{ name: "Yard" }] }] });
    expect(await namesOf(tenant)).toEqual(["North / Hall", "South / Yard"]);
    expect(
      await tenant.ask(
        `{ site(name: "North") { assets { totalCount nodes { id } } stock { totalCount } areas { assets { totalCount } } } }`,
      ),
    ).toEqual({
      site: { assets: { totalCount: 0, nodes: [] }, stock: { totalCount: 0 }, areas: [{ assets: { totalCount: 0 } }] },
    });
    const nodes = `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Site { displayName } ... on Area { site assetCount } } }`;
    const ids = ["Site:North", "Area:North:Hall"];
    expect((await tenant.ask(nodes, { ids })).nodes).toEqual([
      { id: "Site:North", displayName: "North" },
      { id: "Area:North:Hall", site: "North", assetCount: 0 },
    ]);
    expect((await other.ask(nodes, { ids })).nodes).toEqual([null, null]);
    // An existing asset refers to the area.
    await tenant.createAsset({ site: "North", area: "Hall" });
    expect((await sitesOf(tenant))[0]).toMatchObject({ name: "North", assetCount: 1, areas: [{ name: "Hall", assetCount: 1 }] });
    expect((await tenant.rest("GET", "/assets")).body.items[0]).toMatchObject({ site: "North", areas: [{ name: "Hall" }] });
  });

  it("named only by assets get a record by creating or updating it", async () => {
    const tenant = await gateway.newTenant();
    for (const site of ["North", "South"]) await tenant.createAsset({ site });
    const north = await done(createSite(tenant, { name: "North", displayName: "The north", code: "N", position: 2 }));
    const shown = { displayName: "The north", code: "N", position: 2, version: 1, timeZone: "UTC", assetCount: 1 };
    const areas = [{ ...bareArea, name: "", displayName: "", assetCount: 1 }];
    expect(north).toEqual({ name: "North", ...shown, areas });
    expect(await done(updateSite(tenant, "South", { displayName: "The south", position: 1 }))).toEqual({
      name: "South",
      ...shown,
      displayName: "The south",
      code: null,
      position: 1,
      areas,
    });
    expect(await namesOf(tenant)).toEqual(["South / ", "North / "]);
  });

  it("change only in the fields sent; null clears, and each change is a version", async () => {
    const tenant = await gateway.newTenant();
    await done(createSite(tenant, { name: "North", displayName: "A", code: "N", position: -1, timeZone: "Asia/Tokyo" }));
    const all = { ...bareSite, name: "North", displayName: "A", code: "N", position: -1, timeZone: "Asia/Tokyo" };
    expect(await done(updateSite(tenant, "North", { displayName: "B" }))).toEqual({ ...all, displayName: "B", version: 2 });
    expect(await done(updateSite(tenant, "North", { code: "N" }))).toEqual({ ...all, displayName: "B", version: 3 });
    const cleared = { displayName: null, code: null, position: null, timeZone: null };
    expect(await done(updateSite(tenant, "North", cleared))).toEqual({ ...bareSite, name: "North", displayName: "North", version: 4 });
    const record = (await recordsOf(tenant))[0]![0];
    expect(record).toMatchObject({ site: "North", displayName: null, timeZone: "UTC", version: 4 });
    expect(record.updatedAt.getTime()).toBeGreaterThan(record.createdAt.getTime());
    expect(record.updatedBy).toEqual(expect.any(String));
  });

  it("are sorted by position and then by name, those without a position last", async () => {
    const tenant = await gateway.newTenant();
    for (const [name, position] of [
      ["b", null],
      ["a", 7],
      ["c", 7],
      ["Z", null],
      ["d", -3],
    ] as const)
      await done(createSite(tenant, { name, position }));
    await tenant.createAsset({ site: "", area: "" });
    await tenant.createAsset({ site: "a", area: "x" });
    for (const [name, position] of [
      ["z", 1],
      ["y", 0],
      ["B", null],
    ] as const)
      await done(createArea(tenant, "a", { name, position }));
    expect(await namesOf(tenant)).toEqual(["d", "a / y / z / B / x", "c", " / ", "Z", "b"]);
  });

  it("reject a second record, a code in use, and values that are too long or blank", async () => {
    const tenant = await gateway.newTenant();
    await done(createSite(tenant, { name: "North", code: "N" }));
    await done(createSite(tenant, { name: "South" }));
    const named = await refused(tenant, "CONFLICT", () => createSite(tenant, { name: "North", code: "X" }));
    expect(named).toMatchObject({ message: "A site with this name already exists", extensions: { name: "North" } });
    expect(named.fieldErrors?.map(({ path }) => path)).toEqual([["input", "name"]]);
    for (const call of [() => createSite(tenant, { name: "West", code: "N" }), () => updateSite(tenant, "South", { code: "N" })]) {
      const coded = await refused(tenant, "CONFLICT", call);
      expect(coded.message).toBe("A site with this code already exists");
      expect(coded.fieldErrors).toEqual([{ path: ["input", "code"], code: "TAKEN", message: coded.message }]);
    }
    for (const [field, value] of Object.entries({
      code: "x".repeat(51),
      displayName: "x".repeat(256),
      timeZone: "Mars/Olympus",
      position: 1.5,
    })) {
      for (const call of [
        () => createSite(tenant, { name: "West", [field]: value }),
        () => updateSite(tenant, "South", { [field]: value }),
      ]) {
        const error = await refused(tenant, "BAD_USER_INPUT", call);
        expect(error.fieldErrors?.map(({ path }) => path)).toEqual([["input", field]]);
      }
    }
    for (const name of ["", "  ", "x".repeat(151)]) await refused(tenant, "BAD_USER_INPUT", () => createSite(tenant, { name }));
    for (const code of ["", " "]) await refused(tenant, "BAD_USER_INPUT", () => updateSite(tenant, "South", { code }));
    // Codes are unique per tenant, and the longest values fit.
    const other = await gateway.newTenant();
    const longest = { name: "n".repeat(150), code: "c".repeat(50), displayName: "d".repeat(255) };
    expect(await done(createSite(other, { ...longest, position: 2 ** 31 - 1 }))).toMatchObject(longest);
    await done(createSite(other, { name: "North", code: "N" }));
  });

  it("that are unknown, or another tenant's, are not updated or deleted", async () => {
    const tenant = await gateway.newTenant();
    const other = await gateway.newTenant();
    await done(createSite(tenant, { name: "North" }));
    await done(createArea(tenant, "North", { name: "Hall" }));
    for (const call of [
      () => updateSite(other, "North", { displayName: "Taken" }),
      () => deleteSite(other, "North"),
      () => createArea(other, "North", { name: "Mine" }),
    ]) {
      const before = await recordsOf(tenant);
      const error = await refused(other, "NOT_FOUND", call);
      expect(error).toMatchObject({ message: "Site not found", extensions: { site: "North" } });
      expect(await recordsOf(tenant)).toEqual(before);
    }
    for (const call of [() => updateArea(other, "North", "Hall", { code: "H" }), () => deleteArea(other, "North", "Hall")]) {
      const error = await refused(other, "NOT_FOUND", call);
      expect(error).toMatchObject({ message: "Area not found", extensions: { site: "North", area: "Hall" } });
    }
    expect(await namesOf(other)).toEqual([]);
    expect(await namesOf(tenant)).toEqual(["North / Hall"]);
  });

  it("are deleted only when empty", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ site: "North", area: "Hall" });
    const part = (await tenant.ask('mutation { createPart(input: { partNumber: "P", name: "Seal" }) { id } }')).createPart.id;
    await tenant.ask(`mutation ($id: ID!) { receiveStock(partId: $id, input: { site: "North", quantity: 1 }) { id } }`, { id: part });
    for (const isRecorded of [false, true]) {
      if (isRecorded) await done(createArea(tenant, "North", { name: "Hall" }));
      if (isRecorded) await done(updateSite(tenant, "North", { code: "N" }));
      const error = await refused(tenant, "CONFLICT", () => deleteSite(tenant, "North"));
      expect(error).toMatchObject({
        message: `The site still has 1 asset, ${isRecorded ? "1 area, " : ""}1 stock level`,
        extensions: { assets: 1, areas: isRecorded ? 1 : 0, stockLevels: 1 },
      });
    }
    const held = await refused(tenant, "CONFLICT", () => deleteArea(tenant, "North", "Hall"));
    expect(held).toMatchObject({ message: "The area still has 1 asset", extensions: { assets: 1 } });
    await tenant.rest("DELETE", `/assets/${asset.id}`);
    expect(await done(deleteArea(tenant, "North", "Hall"))).toEqual({
      id: "Area:North:Hall",
      message: "Area deleted",
      deletedAt: expect.any(String),
      belongedTo: { id: "Site:North", __typename: "Site" },
    });
    const stocked = await refused(tenant, "CONFLICT", () => deleteSite(tenant, "North"));
    expect(stocked.message).toBe("The site still has 1 stock level");
    await tenant.rest("DELETE", `/inventory/${part}?site=North`);
    expect(await done(deleteSite(tenant, "North"))).toEqual({
      id: "Site:North",
      message: "Site deleted",
      deletedAt: expect.any(String),
      belongedTo: null,
    });
    expect(await recordsOf(tenant)).toEqual([[], [], []]);
    for (const call of [() => deleteSite(tenant, "North"), () => deleteArea(tenant, "North", "Hall")])
      await refused(tenant, "NOT_FOUND", call);
    // The name stays as text in the assets that use it.
    await tenant.ask("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id: asset.id });
    expect(await sitesOf(tenant)).toMatchObject([{ name: "North", version: null, code: null, areas: [{ name: "Hall", version: null }] }]);
  });

  it("without a name represent assets without a site, as long as there are any", async () => {
    const tenant = await gateway.newTenant();
    await refused(tenant, "NOT_FOUND", () => updateSite(tenant, "", { displayName: "Nowhere" }));
    const asset = await tenant.createAsset();
    expect(await done(updateSite(tenant, "", { displayName: "Nowhere" }))).toMatchObject({ name: "", displayName: "Nowhere", version: 1 });
    await refused(tenant, "CONFLICT", () => deleteSite(tenant, ""));
    await refused(tenant, "BAD_USER_INPUT", () => createArea(tenant, "", { name: "Hall" }));
    await tenant.rest("DELETE", `/assets/${asset.id}`);
    expect(await sitesOf(tenant)).toEqual([]);
    await refused(tenant, "NOT_FOUND", () => updateSite(tenant, "", { displayName: "Still nowhere" }));
    expect(await done(deleteSite(tenant, ""))).toMatchObject({ id: "Site:", belongedTo: null });
  });
});

describe("areas", () => {
  it("are renamed, ordered and coded within their site", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ site: "North", area: "Hall" });
    await done(createSite(tenant, { name: "South" }));
    const hall = { id: "Area:North:Hall", site: "North", name: "Hall", assetCount: 1 };
    const shown = { displayName: "Hall 1", code: "H", position: 4 };
    expect(await done(updateArea(tenant, "North", "Hall", shown))).toEqual({ ...hall, ...shown, version: 1 });
    expect(await done(updateArea(tenant, "North", "Hall", { displayName: null }))).toEqual({
      ...hall,
      ...shown,
      displayName: "Hall",
      version: 2,
    });
    // The site needs no record, and another site may use the code.
    expect((await sitesOf(tenant))[0]).toMatchObject({ name: "North", version: null });
    await done(createArea(tenant, "South", { name: "Hall", code: "H" }));
    const named = await refused(tenant, "CONFLICT", () => createArea(tenant, "North", { name: "Hall", code: "X" }));
    expect(named).toMatchObject({ message: "An area with this name already exists", extensions: { name: "Hall" } });
    expect(named.fieldErrors?.map(({ path }) => path)).toEqual([["input", "name"]]);
    const coded = await refused(tenant, "CONFLICT", () => createArea(tenant, "North", { name: "Yard", code: "H" }));
    expect(coded.message).toBe("An area with this code already exists");
    expect(coded.fieldErrors?.map(({ path }) => path)).toEqual([["input", "code"]]);
    await done(createArea(tenant, "North", { name: "Yard" }));
    await refused(tenant, "CONFLICT", () => updateArea(tenant, "North", "Yard", { code: "H" }));
    for (const name of ["", "x".repeat(151)]) await refused(tenant, "BAD_USER_INPUT", () => createArea(tenant, "North", { name }));
    await refused(tenant, "BAD_USER_INPUT", () => updateArea(tenant, "North", "Yard", { code: "x".repeat(51) }));
    await refused(tenant, "NOT_FOUND", () => updateArea(tenant, "North", "Cellar", { code: "C" }));
    await refused(tenant, "NOT_FOUND", () => createArea(tenant, "West", { name: "Hall" }));
    expect(await namesOf(tenant)).toEqual(["North / Hall / Yard", "South / Hall"]);
  });
});

describe("a key of one site", () => {
  it("writes and, unless it reads all, sees only the records of its own site", async () => {
    const tenant = await gateway.newTenant();
    for (const name of ["North", "South"]) {
      await done(createSite(tenant, { name, displayName: `The ${name}` }));
      await done(createArea(tenant, name, { name: `Hall ${name}` }));
    }
    const manager = await tenant.as("manager", ["North", "East"], false);
    for (const call of [
      () => createSite(manager, { name: "West" }),
      () => updateSite(manager, "South", { displayName: "Mine" }),
      () => deleteSite(manager, "South"),
      () => createArea(manager, "South", { name: "Mine" }),
      () => updateArea(manager, "South", "Hall South", { code: "M" }),
      () => deleteArea(manager, "South", "Hall South"),
    ]) {
      const error = await refused(tenant, "FORBIDDEN", call);
      expect(error.extensions.message).toBe("This key may change only records of its own sites");
    }
    expect(await done(updateSite(manager, "North", { code: "N" }))).toMatchObject({ displayName: "The North", code: "N" });
    expect(await done(createSite(manager, { name: "East" }))).toMatchObject({ name: "East", version: 1 });
    expect(await done(createArea(manager, "East", { name: "Yard" }))).toMatchObject({ site: "East", name: "Yard" });
    expect(await namesOf(manager)).toEqual(["East / Yard", "North / Hall North"]);
    expect((await manager.graphql(`{ site(name: "South") { name } }`)).errors?.[0]?.extensions.code).toBe("NOT_FOUND");
    expect((await manager.ask(`{ node(id: "Area:South:Hall%20South") { id } }`)).node).toBe(null);
    expect(await namesOf(await tenant.as("viewer", ["North"]))).toEqual(["East / Yard", "North / Hall North", "South / Hall South"]);
    await done(deleteArea(manager, "East", "Yard"));
    await done(deleteSite(manager, "East"));
    expect(await namesOf(tenant)).toEqual(["North / Hall North", "South / Hall South"]);
  });
});

describe("time zones", () => {
  const noon = "2031-05-02T20:00:00Z";
  const procedureAt = async (tenant: Caller, site: string) => {
    const { id } = await tenant.createAsset({ site });
    // Friday evening in UTC is Saturday in Auckland.
    const body = { name: "P", assetId: id, frequency: "weekly", anchor: noon, schedulingRules: { avoidWeekends: true } };
    return (await tenant.rest("POST", "/pms", body)).body.id as string;
  };
  const [friday, sunday] = ["2031-05-02T20:00:00.000Z", "2031-05-04T20:00:00.000Z"];

  it("of a site that is created, updated or deleted move the due dates there, and no others", async () => {
    const tenant = await gateway.newTenant();
    const [north, south] = [await procedureAt(tenant, "North"), await procedureAt(tenant, "South")];
    const due = async () => Promise.all([north, south].map(async (id) => (await tenant.rest("GET", `/pms/${id}`)).body.nextDue));
    await done(updateSite(tenant, "South", { displayName: "S" }));
    expect(await due()).toEqual([friday, friday]);
    await done(createSite(tenant, { name: "North", timeZone: "Pacific/Auckland" }));
    expect(await due()).toEqual([sunday, friday]);
    await done(updateSite(tenant, "North", { code: "N" }));
    expect(await due()).toEqual([sunday, friday]);
    await refused(tenant, "CONFLICT", () => createSite(tenant, { name: "North", timeZone: "UTC" }));
    expect(await done(updateSite(tenant, "North", { timeZone: null }))).toMatchObject({ timeZone: "UTC", code: "N" });
    expect(await due()).toEqual([friday, friday]);
    // The older mutation writes the same record.
    const set = `mutation { setSiteTimeZone(site: "North", timeZone: "Pacific/Auckland") { timeZone code version } }`;
    expect((await tenant.ask(set)).setSiteTimeZone).toEqual({ timeZone: "Pacific/Auckland", code: "N", version: 4 });
    expect(await due()).toEqual([sunday, friday]);
    // A deleted asset keeps its procedures, and is restored to a site without a record.
    const { asset } = (await tenant.ask(`query ($id: ID!) { procedure(id: $id) { asset { id } } }`, { id: north })).procedure;
    await tenant.rest("DELETE", `/assets/${asset.id}`);
    await done(deleteSite(tenant, "North"));
    await tenant.ask("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id: asset.id });
    expect(await due()).toEqual([friday, friday]);
  });

  it("inserted by the previous version need nothing else", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ site: "North" });
    const upsert = `insert into "SiteSetting" ("tenantId", site, "timeZone") values ($1, 'North', $2)
      on conflict ("tenantId", site) do update set "timeZone" = excluded."timeZone"`;
    await gateway.database.query<any>(upsert, [tenant.tenantId, "Asia/Tokyo"]);
    expect((await sitesOf(tenant))[0]).toMatchObject({ name: "North", displayName: "North", timeZone: "Asia/Tokyo", version: 1 });
    await done(updateSite(tenant, "North", { code: "N" }));
    await gateway.database.query<any>(upsert, [tenant.tenantId, "Asia/Seoul"]);
    expect((await sitesOf(tenant))[0]).toMatchObject({ code: "N", timeZone: "Asia/Seoul", version: 2 });
  });
});

describe("concurrently", () => {
  const outcomes = async (calls: Promise<GraphqlAnswer>[]) =>
    (await Promise.all(calls)).map(({ errors }) => errors?.[0]?.extensions.code ?? "done").sort();

  test("creating the same place succeeds once, and the other requests are rejected", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ site: "South" });
    const five = [1, 2, 3, 4, 5];
    const once = ["CONFLICT", "CONFLICT", "CONFLICT", "CONFLICT", "done"];
    expect(await outcomes(five.map((n) => createSite(tenant, { name: "North", displayName: `${n}` })))).toEqual(once);
    expect(await outcomes(five.map((n) => createArea(tenant, "North", { name: "Hall", displayName: `${n}` })))).toEqual(once);
    expect(await outcomes(five.map((n) => createSite(tenant, { name: `Site ${n}`, code: "C" })))).toEqual(once);
    expect(await outcomes(five.map((n) => updateSite(tenant, "South", { displayName: `${n}` })))).toEqual(five.map(() => "done"));
    const [sites, areas] = await recordsOf(tenant);
    expect([sites!.length, areas!.length]).toEqual([3, 1]);
    expect(sites!.find(({ site }) => site === "South").version).toBe(5);
  });

  test("a site is either deleted or gets an area", async () => {
    const tenant = await gateway.newTenant();
    for (let round = 0; round < 10; round++) {
      await done(createSite(tenant, { name: "North" }));
      const calls = [deleteSite(tenant, "North"), createArea(tenant, "North", { name: "Hall" })];
      const [deleted, created] = await Promise.all(calls);
      const codes = [deleted, created].map((answer) => answer!.errors?.[0]?.extensions.code ?? "done");
      expect([
        ["done", "NOT_FOUND"],
        ["CONFLICT", "done"],
      ]).toContainEqual(codes);
      if (codes[1] !== "done") continue;
      await done(deleteArea(tenant, "North", "Hall"));
      await done(deleteSite(tenant, "North"));
    }
  });
});
