/** CSV import and export of assets (interface.md 4.1; decisions.md, "import"). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadDemo } from "../src/demo/load.js";
import { type Answer, type Caller, type Gateway, startGateway } from "./world.js";

const gateway = await startGateway();

const anId = expect.any(String);
const header = "name,type,location,serialNumber,manufacturer,model,installDate";
const noDate = "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z";
const everyColumn =
  "name, type, location, serialNumber, manufacturer, model, installDate, description, category, criticality, status, site, area, lastMaintenanceDate, nextMaintenanceDate, customFields";
const exists = "already exists; use mode=upsert to update";

const importCsv = (caller: Caller, file: string, query = "", type = "text/csv"): Promise<Answer> =>
  caller.rest("POST", `/assets/import${query}`, file, { "content-type": type });

/** As `importCsv`, for bytes that are no text. */
async function importBytes(caller: Caller, file: Uint8Array | string): Promise<{ status: number; body: any }> {
  const headers = { authorization: `Bearer ${caller.key}`, "content-type": "text/csv" };
  const body = new Uint8Array(Buffer.from(file));
  const response = await fetch(`${caller.gateway.url}/assets/import`, { method: "POST", headers, body });
  return { status: response.status, body: await response.json() };
}

/** The import answers this, and changes nothing. */
async function refused(caller: Caller, status: number, fields: object, call: () => Promise<{ status: number; body: any }>): Promise<void> {
  const before = await caller.snapshot();
  const answer = await call();
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: { ...fields, requestId: anId } });
  expect(await caller.snapshot()).toEqual(before);
}

const invalid = (body: string) => ({ error: "Invalid CSV", details: { body }, code: "BAD_USER_INPUT" });
const invalidHeader = (details: Record<string, string>) => ({ error: "Invalid CSV header", details, code: "BAD_USER_INPUT" });

const assetsOf = async ({ tenantId }: Caller): Promise<any[]> =>
  gateway.database.query(`select * from "Asset" where "tenantId" = $1 and "deletedAt" is null order by name, "serialNumber"`, [tenantId]);

const exported = async (caller: Caller): Promise<string> => (await caller.ask("{ exportAssets }")).exportAssets;

test("good rows are imported beside bad ones, each error naming row, field and value", async () => {
  const tenant = await gateway.newTenant();
  await tenant.createAsset({ serialNumber: "OLD" });
  const file = [
    `\ufeff${header}`,
    'P-1,pump,"Hall, 1",S1,Alfa,M1,2020-02-29',
    ",pump,,S2,,,",
    "P-3,pump,,S1,,,",
    "P-4,pump,,OLD,,,",
    "P-5,pump,,S5,,,2021-02-29",
    "P-6,pump",
    '"P\n7",pump,,,,,',
    "P-8, ,,,,,soon",
    `${"x".repeat(256)},pump,,,,,`,
    "P-10,pump,,,,,,,",
    "P-11,pump,a\0b,,,,",
    "",
  ].join("\r\n");
  const { status, body } = await importCsv(tenant, file);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toEqual({
    imported: 2,
    failed: 9,
    errors: [
      { row: 3, field: "name", message: "is required", value: "" },
      { row: 4, field: "serialNumber", message: "stands in row 2 already", value: "S1" },
      { row: 5, field: "serialNumber", message: exists, value: "OLD" },
      { row: 6, field: "installDate", message: noDate, value: "2021-02-29" },
      { row: 7, message: "has 2 columns, the header 7" },
      { row: 9, field: "type", message: "is required", value: " " },
      { row: 9, field: "installDate", message: noDate, value: "soon" },
      { row: 10, field: "name", message: "must have at most 255 characters", value: "x".repeat(200) },
      { row: 11, message: "has 9 columns, the header 7" },
      { row: 12, field: "location", message: "has characters that cannot be stored", value: "a\0b" },
    ],
    assets: [
      { id: anId, name: "P-1", type: "pump" },
      { id: anId, name: "P\n7", type: "pump" },
    ],
  });
  expect((await tenant.rest("GET", `/assets/${body.assets[0].id}`)).body).toMatchObject({
    name: "P-1",
    location: "Hall, 1",
    serialNumber: "S1",
    manufacturer: "Alfa",
    model: "M1",
    installationDate: "2020-02-29T00:00:00.000Z",
    status: "operational",
    customFields: {},
    site: "",
    area: "",
  });
});

describe("a file is read", () => {
  const rows = [
    ["P-1", "S1"],
    ["P-2", "S2"],
  ];
  const lines = [["name", "type", "serialNumber"], ...rows.map(([name, serial]) => [name, "pump", serial])];
  const joined = (delimiter: string, newline: string) => lines.map((cells) => cells.join(delimiter)).join(newline);

  test.each<[string, string]>([
    ["with line feeds", `${joined(",", "\n")}\n`],
    ["without an end of the last line", joined(",", "\n")],
    ["with carriage returns and line feeds", `${joined(",", "\r\n")}\r\n`],
    ["with both kinds of line ends", "name,type,serialNumber\nP-1,pump,S1\r\nP-2,pump,S2\r\n"],
    ["with carriage returns alone", joined(",", "\r")],
    ["with semicolons", joined(";", "\r\n")],
    ["with semicolons and commas in cells", 'name;type;serialNumber;model\nP-1;pump;S1;"1,5"\nP-2;pump;S2;1,5,5'],
    ["with a byte order mark", `\ufeff${joined(",", "\n")}`],
    ["with every cell quoted", lines.map((cells) => cells.map((cell) => `"${cell}"`).join(",")).join("\n")],
    ["with spaces around the names of columns", joined(",", "\n").replace("name,type,serialNumber", " name , type,serialNumber ")],
    ["with columns in another order", "serialNumber,type,name\nS1,pump,P-1\nS2,pump,P-2"],
    ["with blank lines", `\n\n${joined(",", "\n\n")}\n\n\n`],
  ])("%s", async (_, file) => {
    const tenant = await gateway.newTenant();
    const { body } = await importCsv(tenant, file);
    expect(body).toMatchObject({ imported: 2, failed: 0, errors: [] });
    expect((await assetsOf(tenant)).map(({ name, serialNumber }) => [name, serialNumber])).toEqual(rows);
  });

  test("with commas, quotes and line ends in quotes", async () => {
    const tenant = await gateway.newTenant();
    const { body } = await importCsv(tenant, 'name,type,description\r\n"a,b ""c""\r\n d","pump\n",";\r"\r\n');
    expect(body).toMatchObject({ imported: 1, failed: 0 });
    expect(await assetsOf(tenant)).toMatchObject([{ name: 'a,b "c"\r\n d', type: "pump\n", description: ";\r" }]);
  });

  test("with a header and no rows", async () => {
    const tenant = await gateway.newTenant();
    for (const file of [header, `${header}\r\n`, `\ufeff${header}\n\n`])
      expect((await importCsv(tenant, file)).body).toEqual({ imported: 0, failed: 0, errors: [], assets: [] });
  });

  test("with every column, under either name", async () => {
    const tenant = await gateway.newTenant();
    const other =
      "description,category,criticality,status,site,area,installationDate,lastMaintenanceDate,nextMaintenanceDate,specifications,name,type";
    const cells = 'd,c,high,Active,North,Hall,2020-01-01,2020-02-02T10:00:00Z,2020-03-03,"{""power"":""5 kW""}",P,pump';
    expect((await importCsv(tenant, `${other}\n${cells}\n`)).body).toMatchObject({ imported: 1, failed: 0 });
    const [{ assetId }] = (await tenant.rest("GET", "/assets")).body.items[0].areas[0].assets;
    expect((await tenant.rest("GET", `/assets/${assetId}`)).body).toMatchObject({
      description: "d",
      category: "c",
      criticality: "high",
      status: "operational",
      site: "North",
      area: "Hall",
      installationDate: "2020-01-01T00:00:00.000Z",
      lastMaintenanceDate: "2020-02-02T10:00:00.000Z",
      nextMaintenanceDate: "2020-03-03T00:00:00.000Z",
      customFields: { power: "5 kW" },
    });
  });

  test("with the type's charset named", async () => {
    const tenant = await gateway.newTenant();
    expect((await importCsv(tenant, "name,type\nGröße,pump", "", "text/csv; charset=utf-8")).body).toMatchObject({ imported: 1 });
    expect(await assetsOf(tenant)).toMatchObject([{ name: "Größe" }]);
  });
});

test("blank lines count as rows of the file, so that an error is found where it says", async () => {
  const tenant = await gateway.newTenant();
  const { body } = await importCsv(tenant, "name,type\n\nP-1,pump\n\n,pump\n");
  expect(body).toMatchObject({ imported: 1, failed: 1, errors: [{ row: 5, field: "name", message: "is required" }] });
});

test.each<[string, string, string, string]>([
  ["status", "broken", "status", "must be one of operational, maintenance, offline, decommissioned, pending"],
  ["status", "OFFLINE", "status", "must be one of operational, maintenance, offline, decommissioned, pending"],
  ["installDate", "31.12.2020", "installDate", noDate],
  ["installationDate", "2020-13-01", "installDate", noDate],
  ["nextMaintenanceDate", "0", "nextMaintenanceDate", noDate],
  ["site", "x".repeat(151), "site", "must have at most 150 characters"],
  ["serialNumber", "x".repeat(256), "serialNumber", "must have at most 255 characters"],
  ["customFields", "power=5", "customFields", 'must be a JSON object from name to string, such as {"power":"5 kW"}'],
  ["customFields", "[]", "customFields", 'must be a JSON object from name to string, such as {"power":"5 kW"}'],
  ["specifications", '"{""a"":5}"', "customFields", 'must be a JSON object from name to string, such as {"power":"5 kW"}'],
  ["customFields", '"{""a"":""\\u0000""}"', "customFields", "has characters that cannot be stored"],
  ["customFields", '"{""\\ud800"":""a""}"', "customFields", "has characters that cannot be stored"],
])("%s %s is a row's error, and its neighbours are imported", async (column, cell, field, message) => {
  const tenant = await gateway.newTenant();
  const { status, body } = await importCsv(tenant, `name,type,${column}\nP-1,pump,\nP-2,pump,${cell}\nP-3,pump,\n`);
  expect([status, body]).toMatchObject([200, { imported: 2, failed: 1, errors: [{ row: 3, field, message }] }]);
});

describe("a file is refused as a whole", () => {
  const missing = { name: "is missing in the header", type: "is missing in the header" };
  const isNone = `is no column; use ${everyColumn}`;
  const isEmpty = "is empty; send a header row and rows below it";
  const quoteOpen = (row: number) => `cannot be read at row ${row}: a quote is left open`;
  const quoteInside = (row: number) => `cannot be read at row ${row}: a quote stands inside an unquoted cell`;

  test.each<[string, string | Uint8Array, object]>([
    ["empty", "", invalid(isEmpty)],
    ["only a byte order mark", "\ufeff", invalid(isEmpty)],
    ["only line ends", "\r\n\n", invalid(isEmpty)],
    ["with an unknown column", "name,type,colour\nP,pump,red", invalidHeader({ colour: isNone })],
    ["with an unknown column of an odd name", "name,type,__proto__\nP,pump,red", invalidHeader(JSON.parse(`{"__proto__":"${isNone}"}`))],
    ["with an unnamed column", "name,type,\nP,pump,", invalidHeader({ "(blank)": isNone })],
    ["with a column in other letters", "Name,type\nP,pump", invalidHeader({ Name: isNone, name: missing.name })],
    ["with a column twice", "name,type,model,model\nP,pump,a,b", invalidHeader({ model: "stands in the header twice" })],
    [
      "with a column under both names",
      "name,type,installDate,installationDate\nP,pump,,",
      invalidHeader({ installationDate: "stands in the header twice" }),
    ],
    ["without a name", "type,model\npump,a", invalidHeader({ name: missing.name })],
    ["without name and type", "location,model\nHall,a", invalidHeader(missing)],
    ["without a header", "P-1,pump\nP-2,pump", invalidHeader({ "P-1": isNone, pump: isNone, ...missing })],
    ["with tabs", "name\ttype\nP\tpump", invalidHeader({ "name\ttype": isNone, ...missing })],
    ["with a quote left open", 'name,type\nP-1,pump\n"P-2,pump\nP-3,pump\n', invalid(quoteOpen(3))],
    ["with a quote left open in a long file", `name,type\n"P-1,pump\n${"P,pump\n".repeat(700_000)}`, invalid(quoteOpen(2))],
    ["with a quote inside a cell", 'name,type\nP-1,pump\nP 5" 2,pump\n', invalid(quoteInside(3))],
    ["in Latin-1", Buffer.from("name,type\nGröße,pump", "latin1"), invalid("must be UTF-8 text; save the file as CSV UTF-8")],
    ["in UTF-16", Buffer.from("\ufeffname,type\nP,pump", "utf16le"), invalid("must be UTF-8 text; save the file as CSV UTF-8")],
    ["cut off in a letter", Buffer.from("name,type\nP,pumpö").subarray(0, -1), invalid("must be UTF-8 text; save the file as CSV UTF-8")],
    [
      "a spreadsheet",
      Buffer.from("PK\x03\x04\x14\0\x08\x08\x08\0\xe9\x91", "latin1"),
      invalid("must be UTF-8 text; save the file as CSV UTF-8"),
    ],
  ])("%s", async (_, file, fields) => {
    const tenant = await gateway.newTenant();
    await refused(tenant, 400, fields, () => importBytes(tenant, file));
  });

  test("with another content type", async () => {
    const tenant = await gateway.newTenant();
    const fields = { error: "Unsupported media type", message: "Send the body as text/csv" };
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", "application/vnd.ms-excel"])
      await refused(tenant, 415, fields, () => importCsv(tenant, "name,type\nP,pump", "", type));
  });

  test("with an unknown mode or flag", async () => {
    const tenant = await gateway.newTenant();
    const fields = {
      error: "Invalid input",
      details: { mode: "must be one of create, upsert", dryRun: "must be true or false" },
      code: "BAD_USER_INPUT",
    };
    await refused(tenant, 400, fields, () => importCsv(tenant, "name,type\nP,pump", "?mode=merge&dryRun=maybe"));
  });
});

describe("limits", async () => {
  const small = await startGateway({ MAX_IMPORT_ROWS: "5", MAX_IMPORT_BYTES: "2000" });
  const rows = (count: number) => Array.from({ length: count }, (_, i) => `P-${i},pump`);
  const countOf = async (tenant: Caller) => (await tenant.ask("{ assets { totalCount } }")).assets.totalCount;

  test("a row more than allowed refuses the file", async () => {
    const tenant = await small.newTenant();
    const { status, body } = await importCsv(tenant, ["name,type", ...rows(6)].join("\n"));
    expect([status, body]).toMatchObject([400, invalid("has more than 5 rows; split the file")]);
    expect(await countOf(tenant)).toBe(0);
    expect((await importCsv(tenant, ["name,type", ...rows(5), "", ""].join("\n\n"))).body).toMatchObject({ imported: 5 });
  });

  test("a byte more than allowed refuses the file, however much follows", async () => {
    const tenant = await small.newTenant();
    const file = `name,type,description\nP,pump,${"x".repeat(1971)}`;
    expect(file.length).toBe(2000);
    for (const text of [`${file}x`, file + "x".repeat(5_000_000)]) {
      const { status, body } = await importCsv(tenant, text);
      expect([status, body]).toMatchObject([
        413,
        { error: "File too large", maxSize: "2000 bytes", receivedSize: anId, code: "PAYLOAD_TOO_LARGE" },
      ]);
    }
    expect(await countOf(tenant)).toBe(0);
    expect((await importCsv(tenant, file)).body).toMatchObject({ imported: 1 });
  });

  test("a file that is no text is answered, however much follows", async () => {
    const tenant = await gateway.newTenant();
    const { status, body } = await importBytes(tenant, Buffer.alloc(5_000_000, 0xff));
    expect([status, body.details]).toEqual([400, { body: "must be UTF-8 text; save the file as CSV UTF-8" }]);
  });
});

test("a dry run answers what an import would and writes nothing", async () => {
  const tenant = await gateway.newTenant();
  await tenant.createAsset({ name: "Old", serialNumber: "S1" });
  const file = "name,type,serialNumber\nNew,pump,S1\nP-2,pump,S2\n,pump,S3\n";
  const errors = [{ row: 4, field: "name", message: "is required", value: "" }];
  const taken = { row: 2, field: "serialNumber", message: exists, value: "S1" };
  const before = await tenant.snapshot();
  expect((await importCsv(tenant, file, "?dryRun=true")).body).toEqual({ imported: 1, failed: 2, errors: [taken, ...errors], assets: [] });
  expect((await importCsv(tenant, file, "?dryRun=true&mode=upsert")).body).toEqual({ imported: 2, failed: 1, errors, assets: [] });
  expect(await tenant.snapshot()).toEqual(before);
});

describe("upsert", () => {
  test("changes the cells that are given, and nothing else", async () => {
    const tenant = await gateway.newTenant();
    const old = await tenant.createAsset({
      name: "Old",
      serialNumber: "S1",
      manufacturer: "Alfa",
      model: "M1",
      location: "Hall",
      specifications: { a: "b" },
      installDate: "2020-01-01",
    });
    const same = await tenant.createAsset({ name: "Same", serialNumber: "S2", model: "M2" });
    const untouched = await tenant.createAsset({ name: "Untouched", serialNumber: "S3" });
    const file = "name,type,serialNumber,model,manufacturer,status\nNew,pump,S1,M9,,offline\nSame,pump,S2,,,\nP-4,pump,S4,,,pending\n";
    const { body } = await importCsv(tenant, file, "?mode=upsert");
    expect(body).toEqual({
      imported: 3,
      failed: 0,
      errors: [],
      assets: [
        { id: old.id, name: "New", type: "pump" },
        { id: anId, name: "P-4", type: "pump" },
      ],
    });
    const read = async (id: string) => (await tenant.rest("PUT", `/assets/${id}`, {})).body;
    const { updatedAt: _, ...kept } = old;
    expect(await read(old.id)).toMatchObject({ ...kept, name: "New", model: "M9", status: "offline" });
    const rows = new Map((await assetsOf(tenant)).map((row) => [row.id, row]));
    for (const asset of [same, untouched]) expect(rows.get(asset.id)).toMatchObject({ name: asset.name });

    const log = await gateway.database.query(
      `select c."assetId", "fromStatus", "toStatus", "changedBy" from "AssetStatusChange" c where "tenantId" = $1 order by c.id`,
      [tenant.tenantId],
    );
    const changedBy = rows.get(old.id).updatedBy;
    expect(log.filter(({ assetId }) => assetId === old.id)).toEqual([
      { assetId: old.id, fromStatus: null, toStatus: "operational", changedBy: anId },
      { assetId: old.id, fromStatus: "operational", toStatus: "offline", changedBy },
    ]);
    expect(log.filter(({ assetId }) => assetId === same.id)).toHaveLength(1);
    expect(log.filter(({ assetId }) => assetId === body.assets[1].id)).toEqual([
      { assetId: body.assets[1].id, fromStatus: null, toStatus: "pending", changedBy },
    ]);
  });

  test("leaves rows that say nothing new as they are, to the date", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ name: "P", serialNumber: "S1", installDate: "2020-01-01T10:00:00Z", specifications: { b: "1", a: "2" } });
    const before = await tenant.snapshot();
    const file =
      'name,type,serialNumber,installDate,customFields,status\nP,pump,S1,2020-01-01T12:00:00+02:00,"{""a"":""2"",""b"":""1""}",Active\n';
    expect((await importCsv(tenant, file, "?mode=upsert")).body).toEqual({ imported: 1, failed: 0, errors: [], assets: [] });
    expect(await tenant.snapshot()).toEqual(before);
  });

  test("takes rows without a serial number as new, and a deleted asset's number as free", async () => {
    const tenant = await gateway.newTenant();
    const gone = await tenant.createAsset({ serialNumber: "S1" });
    await tenant.rest("DELETE", `/assets/${gone.id}`);
    const file = "name,type,serialNumber\nP-1,pump,S1\nP-2,pump,\nP-2,pump,\n";
    expect((await importCsv(tenant, file, "?mode=upsert")).body).toMatchObject({ imported: 3, failed: 0, assets: [{}, {}, {}] });
    expect((await assetsOf(tenant)).map(({ name }) => name)).toEqual(["P-1", "P-2", "P-2"]);
  });

  test("does not touch another tenant's asset of the same number", async () => {
    const [tenant, stranger] = [await gateway.newTenant(), await gateway.newTenant()];
    await stranger.createAsset({ name: "Theirs", serialNumber: "S1" });
    const before = await stranger.snapshot();
    expect((await importCsv(tenant, "name,type,serialNumber\nMine,pump,S1\n", "?mode=upsert")).body).toMatchObject({ imported: 1 });
    expect(await stranger.snapshot()).toEqual(before);
  });

  test("refuses a serial number that stands in the file twice", async () => {
    const tenant = await gateway.newTenant();
    const rows = Array.from({ length: 2500 }, (_, i) => `P-${i},pump,N${i}`);
    const { body } = await importCsv(tenant, ["name,type,serialNumber", ...rows, "Again,pump,N3"].join("\n"), "?mode=upsert");
    expect([body.imported, body.failed, body.errors]).toEqual([
      2500,
      1,
      [{ row: 2502, field: "serialNumber", message: "stands in row 5 already", value: "N3" }],
    ]);
  });
});

describe("who may", () => {
  test("a manager imports; a technician and a viewer do not; all export", async () => {
    const tenant = await gateway.newTenant();
    for (const role of ["viewer", "technician"] as const) {
      const caller = await tenant.as(role);
      const fields = { error: "Forbidden", message: anId, code: "FORBIDDEN" };
      await refused(tenant, 403, fields, () => importCsv(caller, "name,type\nP,pump"));
    }
    expect((await importCsv(await tenant.as("manager"), "name,type\nP,pump")).body).toMatchObject({ imported: 1 });
    expect(await exported(await tenant.as("viewer"))).toContain("\nP,pump,");
  });

  test("a key limited to sites writes only there, row by row", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ name: "N", serialNumber: "N1", site: "North" });
    await tenant.createAsset({ name: "S", serialNumber: "S1", site: "South" });
    const north = await tenant.as("manager", ["North"]);
    const elsewhere = (row: number, value: string) => ({ row, field: "site", message: "is not one of this key's sites", value });
    const created = await importCsv(north, "name,type,site\nA,pump,North\nB,pump,South\nC,pump,\n");
    expect(created.body).toMatchObject({
      imported: 1,
      failed: 2,
      errors: [elsewhere(3, "South"), elsewhere(4, "")],
      assets: [{ name: "A" }],
    });
    const file = "name,type,serialNumber,site\nN new,pump,N1,\nS new,pump,S1,North\nS new,pump,S1,\nN gone,pump,N1x,South\n";
    const updated = await importCsv(north, file, "?mode=upsert");
    expect(updated.body).toMatchObject({ imported: 1, failed: 3, assets: [{ name: "N new" }] });
    expect(updated.body.errors).toEqual([
      elsewhere(3, "North"),
      { row: 4, field: "serialNumber", message: "stands in row 3 already", value: "S1" },
      elsewhere(5, "South"),
    ]);
    const moved = await importCsv(north, "name,type,serialNumber,site\nN new,pump,N1,South\n", "?mode=upsert");
    expect(moved.body).toMatchObject({ imported: 0, failed: 1, errors: [elsewhere(2, "South")] });
    expect((await assetsOf(tenant)).map(({ name, site }) => [name, site])).toEqual([
      ["A", "North"],
      ["N new", "North"],
      ["S", "South"],
    ]);
  });
});

describe("over GraphQL", () => {
  const query = `mutation ($f: Upload!, $d: Boolean! = false, $m: ImportMode! = CREATE) {
    importAssets(file: $f, dryRun: $d, mode: $m) { imported failed errors { row field message value } assets { id name type } }
  }`;

  async function importForm(caller: Caller, file: string, variables: object = {}): Promise<any> {
    const form = new FormData();
    form.append("operations", JSON.stringify({ query, variables: { f: null, d: false, m: "CREATE", ...variables } }));
    form.append("map", JSON.stringify({ 0: ["variables.f"] }));
    form.append("0", new Blob([file], { type: "text/csv" }), "assets.csv");
    const headers = { authorization: `Bearer ${caller.key}` };
    return (await fetch(`${caller.gateway.url}/graphql`, { method: "POST", body: form, headers })).json();
  }

  test("a form's file is imported as over REST", async () => {
    const tenant = await gateway.newTenant();
    const file = "name,type,serialNumber\nP-1,pump,S1\n,pump,S2\n";
    const errors = [{ row: 3, field: "name", message: "is required", value: "" }];
    const outcome = async (variables?: object) => (await importForm(tenant, file, variables)).data.importAssets;
    expect(await outcome({ d: true })).toEqual({ imported: 1, failed: 1, errors, assets: [] });
    expect(await outcome()).toEqual({ imported: 1, failed: 1, errors, assets: [{ id: anId, name: "P-1", type: "pump" }] });
    expect(await outcome({ m: "UPSERT" })).toEqual({ imported: 1, failed: 1, errors, assets: [] });
  });

  test("refusals carry code and details", async () => {
    const tenant = await gateway.newTenant();
    const refusal = async (caller: Caller, file: string) => (await importForm(caller, file)).errors[0].extensions;
    expect(await refusal(tenant, "name,colour\n")).toEqual({
      code: "BAD_USER_INPUT",
      details: { colour: `is no column; use ${everyColumn}`, type: "is missing in the header" },
    });
    expect(await refusal(tenant, "")).toEqual({
      code: "BAD_USER_INPUT",
      details: { body: "is empty; send a header row and rows below it" },
    });
    expect(await refusal(await tenant.as("viewer"), "name,type\nP,pump")).toMatchObject({ code: "FORBIDDEN" });
  });
});

describe("export and import", () => {
  test("cells that a spreadsheet would run are neutralised, numbers are not", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({
      name: "=1+1",
      type: "+x",
      serialNumber: "-5",
      manufacturer: "@SUM(A1)",
      model: "+1.5",
      location: "'=a",
      description: "\tx",
    });
    expect(await exported(tenant)).toBe(
      `${everyColumn.replaceAll(", ", ",")}\n'=1+1,'+x,''=a,-5,'@SUM(A1),+1.5,,'\tx,,,operational,,,,,\n`,
    );
  });

  test("a cell that another program neutralised is read as it was meant", async () => {
    const tenant = await gateway.newTenant();
    await importCsv(tenant, "name,type,model\n'=1+1,pump,'-5\n");
    expect(await assetsOf(tenant)).toMatchObject([{ name: "=1+1", model: "-5" }]);
  });

  test("only what the filter names is exported, in the order of the plants", async () => {
    const tenant = await gateway.newTenant();
    for (const [name, site] of [
      ["B", "North"],
      ["A", "South"],
      ["C", "North"],
    ])
      await tenant.createAsset({ name, site });
    const names = async (filter: string) =>
      (await tenant.ask(`{ exportAssets${filter} }`)).exportAssets
        .split("\n")
        .slice(1, -1)
        .map((line: string) => line[0]);
    expect(await names("")).toEqual(["B", "C", "A"]);
    expect(await names('(filter: { site: "South" })')).toEqual(["A"]);
  });

  /** What an asset is, without what the service sets. */
  const substance = async (tenant: Caller) =>
    (await assetsOf(tenant)).map(({ tenantId, id, createdAt, updatedAt, updatedBy, searchText, ...fields }) => fields);

  const nasty = fc.constantFrom(
    "=",
    "+",
    "-",
    "@",
    "'",
    '"',
    ",",
    ";",
    "\t",
    "\r",
    "\n",
    "\r\n",
    " ",
    "\ufeff",
    "-5",
    "+1,5",
    "=1+1",
    "''=x",
    "{}",
    "null",
    "\\",
    "%",
    "é",
    "漢",
    "😀",
  );
  const text = (maxLength: number) =>
    fc
      .array(fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 5 })), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join("").replaceAll("\0", ""))
      .filter((value) => value !== "" && value.length <= maxLength && value.isWellFormed());
  const named = text(100).filter((value) => value.trim() !== "");
  const moment = fc.oneof(
    fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }).map((date) => date.toISOString()),
    fc.constantFrom("2020-02-29T00:00:00.000Z", "1969-12-31T23:59:59.999Z"),
  );
  const status = fc.constantFrom("operational", "maintenance", "offline", "decommissioned", "pending");
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const asset = fc.record({
    name: named,
    type: named,
    location: optional(text(100)),
    manufacturer: optional(text(100)),
    model: optional(text(100)),
    description: optional(text(1000)),
    category: optional(text(100)),
    criticality: optional(text(100)),
    status: optional(status),
    site: optional(text(100)),
    area: optional(text(100)),
    installationDate: optional(moment),
    lastMaintenanceDate: optional(moment),
    nextMaintenanceDate: optional(moment),
    customFields: optional(fc.dictionary(text(30), fc.oneof(text(100), fc.constant("")), { maxKeys: 4, noNullPrototype: true })),
  });

  test("are the identity, whatever the fields hold", { timeout: 180_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(asset, { minLength: 1, maxLength: 20 }), async (assets) => {
        const [tenant, other] = [await gateway.newTenant(), await gateway.newTenant()];
        const made = assets.map((fields, i) => ({ ...fields, serialNumber: `${["", "-", "=", "'", " "][i % 5]}${i}` }));
        for (const fields of made) await tenant.createAsset(fields);
        const file = await exported(tenant);
        const before = await tenant.snapshot();
        expect((await importCsv(tenant, file, "?mode=upsert")).body).toEqual({ imported: made.length, failed: 0, errors: [], assets: [] });
        expect(await tenant.snapshot()).toEqual(before);
        expect((await importCsv(other, file)).body).toMatchObject({ imported: made.length, failed: 0 });
        expect(await substance(other)).toEqual(await substance(tenant));
      }),
      { numRuns: 25 },
    );
  });

  test("of an asset as large as a request can make it", async () => {
    const [tenant, other] = [await gateway.newTenant(), await gateway.newTenant()];
    const specifications = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`field ${i}`, '"\n'.repeat(25_000)]));
    await tenant.createAsset({ description: "ö".repeat(10_000), specifications });
    expect((await importCsv(other, await exported(tenant))).body).toMatchObject({ imported: 1, failed: 0 });
    expect(await substance(other)).toEqual(await substance(tenant));
  });

  test("of the demo plant are the identity, and again as upsert change nothing", async () => {
    const [tenant, other] = [await gateway.newTenant(), await gateway.newTenant()];
    const { assets } = await loadDemo(gateway.database, tenant.tenantId, 1, () => {});
    const file = await exported(tenant);
    expect((await importCsv(other, file)).body).toMatchObject({ imported: assets, failed: 0, errors: [] });
    expect(await substance(other)).toEqual(await substance(tenant));
    expect(await exported(other)).toBe(file);
    for (const caller of [tenant, other]) {
      const before = await caller.snapshot();
      expect((await importCsv(caller, file, "?mode=upsert")).body).toEqual({ imported: assets, failed: 0, errors: [], assets: [] });
      expect(await caller.snapshot()).toEqual(before);
    }
  });
});

describe("imports at once", () => {
  const count = 3000;
  const rows = Array.from({ length: count }, (_, i) => `P-${i},pump,N${i}`);
  const file = ["name,type,serialNumber", ...rows].join("\n");
  const backwards = ["name,type,serialNumber", ...rows.toReversed()].join("\n");
  const serialsOf = async (of: Gateway, { tenantId }: Caller) =>
    (await of.database.query(`select "serialNumber" from "Asset" where "tenantId" = $1`, [tenantId])).map((row) => row.serialNumber);

  test.each([
    ["the same file", file],
    ["the same rows backwards", backwards],
  ])("of %s make every serial number once", async (_, second) => {
    const tenant = await gateway.newTenant();
    const outcomes = await Promise.all([importCsv(tenant, file), importCsv(await tenant.as("manager"), second)]);
    expect(outcomes.map(({ status }) => status)).toEqual([200, 200]);
    expect(outcomes.map(({ body }) => [body.imported, body.failed]).sort((a, b) => a[0] - b[0])).toEqual([
      [0, count],
      [count, 0],
    ]);
    const serials = await serialsOf(gateway, tenant);
    expect([serials.length, new Set(serials).size]).toEqual([count, count]);
  });

  test("as upsert both take every row", async () => {
    const tenant = await gateway.newTenant();
    const outcomes = await Promise.all([file, backwards].map((text) => importCsv(tenant, text, "?mode=upsert")));
    expect(outcomes.map(({ body }) => [body.imported, body.failed])).toEqual([
      [count, 0],
      [count, 0],
    ]);
    expect(new Set(await serialsOf(gateway, tenant)).size).toBe(count);
  });
});

test("100,000 rows, 100 of them bad; the same again as upsert changes nothing", { timeout: 300_000 }, async () => {
  const tenant = await gateway.newTenant();
  const lines = ["name,type,serialNumber"];
  for (let i = 1; i <= 100_000; i++) lines.push(i % 1000 ? `Asset ${i},pump,N${i}` : `,pump,N${i}`);
  const file = lines.join("\n");
  const { body } = await importCsv(tenant, file);
  expect([body.imported, body.failed, body.assets.length]).toEqual([99_900, 100, 99_900]);
  const errors = Array.from({ length: 100 }, (_, i) => ({ row: (i + 1) * 1000 + 1, field: "name", message: "is required", value: "" }));
  expect(body.errors).toEqual(errors);
  const state = `select count(*)::int, count(distinct "serialNumber")::int as serials, max("updatedAt") from "Asset" where "tenantId" = $1`;
  const before = await gateway.database.query(state, [tenant.tenantId]);
  expect(before).toMatchObject([{ count: 99_900, serials: 99_900 }]);
  const again = await importCsv(tenant, file, "?mode=upsert");
  expect(again.body).toEqual({ imported: 99_900, failed: 100, errors, assets: [] });
  expect(await gateway.database.query(state, [tenant.tenantId])).toEqual(before);
});
