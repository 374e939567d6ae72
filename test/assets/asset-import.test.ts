/** CSV import of assets (docs/interface.md 4.1): file formats, valid and invalid rows, and the round trip with export. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { loadDemo } from "../../src/demo/load.js";
import { onServer } from "../prepare.js";
import { type Caller, type Gateway, type GraphqlAnswer, type RestResponse, sharedGateway, startGateway } from "../world.js";

const gateway = await sharedGateway();
const anId = expect.any(String);
const isBig = gateway.database.kind === "postgresql";

const csv = { "content-type": "text/csv" };
const send = (caller: Caller, file: string | Uint8Array, query = "", headers: Record<string, string> = csv): Promise<RestResponse> =>
  caller.rest("POST", `/assets/import${query}`, file, headers);

/** Imports over GraphQL: a multipart form with one file. */
async function sendForm(caller: Caller, file: string | Uint8Array<ArrayBuffer>, variables: object = {}): Promise<GraphqlAnswer> {
  const query = `mutation ($file: Upload!, $dryRun: Boolean! = false, $mode: ImportMode! = CREATE) {
    importAssets(file: $file, dryRun: $dryRun, mode: $mode) { imported failed errors { row field message value } assets { id name type } }
  }`;
  const form = new FormData();
  form.append("operations", JSON.stringify({ query, variables: { file: null, ...variables } }));
  form.append("map", JSON.stringify({ 0: ["variables.file"] }));
  form.append("0", new Blob([file], { type: "text/csv" }), "assets.csv");
  const headers = { authorization: `Bearer ${caller.key}` };
  const response = await fetch(`${caller.gateway.url}/graphql`, { method: "POST", body: form, headers });
  return { status: response.status, ...((await response.json()) as object) } as GraphqlAnswer;
}

const asset = (name: string, type = "pump") => ({ id: anId, name, type });
const exported = async (caller: Caller): Promise<string> => (await caller.ask("{ exportAssets }")).exportAssets;
const listed = async (caller: Caller): Promise<any[]> =>
  gateway.database.query<any>(`select * from "Asset" where "tenantId" = $1 and "deletedAt" is null order by name, id`, [caller.tenantId]);

/** REST and GraphQL reject the file with the same error, and nothing changes. */
async function expectRejected(caller: Caller, file: string | Uint8Array<ArrayBuffer>, error: string, details: Record<string, string>) {
  const before = await caller.snapshot();
  const { status, body } = await send(caller, file);
  expect({ status, body }).toEqual({ status: 400, body: { error, details, code: "BAD_USER_INPUT", requestId: anId } });
  const { errors } = await sendForm(caller, file);
  const code = "BAD_USER_INPUT";
  const fieldErrors = Object.values(details).map((message) => expect.objectContaining({ path: ["file"], message }));
  expect(errors).toEqual([expect.objectContaining({ message: error, extensions: { code, details, fieldErrors } })]);
  expect(await caller.snapshot()).toEqual(before);
}

test("valid rows are imported despite invalid ones; each error names row, field and value", async () => {
  const tenant = await gateway.newTenant();
  await tenant.createAsset({ serialNumber: "OLD" });
  const file =
    "\ufeffname,type,location,serialNumber,manufacturer,model,installDate\r\n" +
    'P-1,pump,"Hall, 1",S1,Alfa,M1,2020-02-29\r\n' +
    ',pump,,S2,,,\r\nP-3,pump,,S1,,,\r\nP-4,pump,,OLD,,,\r\nP-5,pump,,S5,,,2021-02-29\r\nP-6,pump\r\n"P\n7",pump,,,,,\r\n';
  const outcome = {
    imported: 2,
    failed: 5,
    errors: [
      { row: 3, field: "name", message: "is required", value: "" },
      { row: 4, field: "serialNumber", message: "stands in row 2 already", value: "S1" },
      { row: 5, field: "serialNumber", message: "already exists; use mode=upsert to update", value: "OLD" },
      { row: 6, field: "installDate", message: "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z", value: "2021-02-29" },
      { row: 7, message: "has 2 columns, the header 7" },
    ],
  };
  const before = await tenant.snapshot();
  const dry = await send(tenant, file, "?dryRun=true");
  expect({ status: dry.status, body: dry.body }).toEqual({ status: 200, body: { ...outcome, assets: [] } });
  expect(await tenant.snapshot()).toEqual(before);
  const { status, body } = await send(tenant, file);
  expect({ status, body }).toEqual({ status: 200, body: { ...outcome, assets: [asset("P-1"), asset("P\n7")] } });
  const { body: stored } = await tenant.rest("GET", `/assets/${body.assets[0].id}`);
  expect(stored).toEqual({
    assetId: body.assets[0].id,
    tenantId: tenant.tenantId,
    name: "P-1",
    type: "pump",
    location: "Hall, 1",
    status: "operational",
    manufacturer: "Alfa",
    model: "M1",
    serialNumber: "S1",
    site: "",
    area: "",
    installationDate: "2020-02-29T00:00:00.000Z",
    customFields: {},
    createdAt: anId,
    updatedAt: anId,
  });
});

test("importAssets returns the same over GraphQL", async () => {
  const tenant = await gateway.newTenant();
  const file = "name,type,serialNumber\nA,pump,1\n,pump,2\nC,fan,1\n";
  const errors = [
    { row: 3, field: "name", message: "is required", value: "" },
    { row: 4, field: "serialNumber", message: "stands in row 2 already", value: "1" },
  ];
  const dry = await sendForm(tenant, file, { dryRun: true });
  expect(dry).toEqual({ status: 200, data: { importAssets: { imported: 1, failed: 2, errors, assets: [] } } });
  expect(await listed(tenant)).toEqual([]);
  const done = await sendForm(tenant, file);
  expect(done.data).toEqual({ importAssets: { imported: 1, failed: 2, errors, assets: [asset("A")] } });
  const again = await sendForm(tenant, "name,type,serialNumber\nB,pump,1\n", { mode: "UPSERT" });
  expect(again.data).toEqual({
    importAssets: { imported: 1, failed: 0, errors: [], assets: [{ ...done.data.importAssets.assets[0], name: "B" }] },
  });
});

describe("file formats", () => {
  const rows = [
    { name: "Pumpe Ä", location: "Hall 1, north", model: "a;b" },
    { name: 'Say "x"', location: "two\nlines", model: null },
  ];
  const commas = ["name,type,location,model", '"Pumpe Ä",pump,"Hall 1, north",a;b', '"Say ""x""",pump,"two\nlines",'];
  const semicolons = ["name;type;location;model", 'Pumpe Ä;pump;Hall 1, north;"a;b"', '"Say ""x""";pump;"two\nlines";'];

  test.each<[string, string]>([
    ["commas", commas.join("\n")],
    ["commas with a final line break", `${commas.join("\n")}\n`],
    ["commas and CRLF", `${commas.join("\r\n")}\r\n`],
    ["commas and CR", commas.join("\r")],
    ["commas after a byte order mark", `\ufeff${commas.join("\n")}`],
    ["semicolons", semicolons.join("\n")],
    ["semicolons and CRLF after a byte order mark", `\ufeff${semicolons.join("\r\n")}`],
    ["semicolons and CR", semicolons.join("\r")],
    ["blank lines", `${commas.join("\n\n")}\n\n`],
    ["a quoted header with spaces around names", [`"name "," type", location,model`, ...commas.slice(1)].join("\n")],
  ])("%s", async (_, file) => {
    const tenant = await gateway.newTenant();
    const { body } = await send(tenant, file);
    expect(body).toEqual({ imported: 2, failed: 0, errors: [], assets: rows.map(({ name }) => asset(name)) });
    expect(await listed(tenant)).toMatchObject(rows.map((row) => ({ ...row, type: "pump", manufacturer: null })));
  });

  test("columns in any order, under either of their names", async () => {
    const tenant = await gateway.newTenant();
    const file =
      "specifications;area;site;status;type;name;installationDate;nextMaintenanceDate;lastMaintenanceDate;criticality;category;description\n" +
      '"{""kW"":""5""}";A 1;North;Active;pump;P;2020-01-02T03:04:05+01:00;2030-01-01;2024-05-01T08:00:00Z;high;rotating;text\n';
    const { body } = await send(tenant, file);
    expect(body).toEqual({ imported: 1, failed: 0, errors: [], assets: [asset("P")] });
    expect((await tenant.rest("GET", `/assets/${body.assets[0].id}`)).body).toMatchObject({
      customFields: { kW: "5" },
      area: "A 1",
      site: "North",
      status: "operational",
      installationDate: "2020-01-02T02:04:05.000Z",
      nextMaintenanceDate: "2030-01-01T00:00:00.000Z",
      lastMaintenanceDate: "2024-05-01T08:00:00.000Z",
      criticality: "high",
      category: "rotating",
      description: "text",
    });
  });

  test("a header without rows imports nothing", async () => {
    const tenant = await gateway.newTenant();
    for (const file of ["name,type", "name,type\r\n", "\ufeffname;type\n\n"])
      expect((await send(tenant, file)).body).toEqual({ imported: 0, failed: 0, errors: [], assets: [] });
  });
});

const columns =
  "name, type, location, serialNumber, manufacturer, model, installDate, description, category, criticality, status, site, area, lastMaintenanceDate, nextMaintenanceDate, customFields, externalId, id";
const empty = { body: "is empty; send a header row and rows below it" };
const notUtf8 = { body: "must be UTF-8 text; save the file as CSV UTF-8" };
const workbook = {
  body: "must be CSV, but is an Excel workbook; in Excel, save it with the file type CSV UTF-8 (comma delimited)",
};
const open = { body: "cannot be read at row 3: a quote is left open" };
const stray = (row: number) => ({
  body: `cannot be read at row ${row}: a cell with a quote inside stands in quotes, with the quote doubled`,
});

test.each<[string, string | Uint8Array<ArrayBuffer>, string, Record<string, string>]>([
  ["an empty file", "", "Invalid CSV", empty],
  ["only a byte order mark", "\ufeff", "Invalid CSV", empty],
  ["only line breaks", "\r\n\r\n", "Invalid CSV", empty],
  ["damaged UTF-8", new Uint8Array(Buffer.concat([Buffer.from("name,type\nGerät,Größe "), Buffer.from([0xe4])])), "Invalid CSV", notUtf8],
  [
    "damaged UTF-8 after a byte order mark",
    new Uint8Array(Buffer.concat([Buffer.from("\ufeffname,type\nA,"), Buffer.from([0xe9])])),
    "Invalid CSV",
    notUtf8,
  ],
  [
    "UTF-16 that ends within a character",
    new Uint8Array(Buffer.from("\ufeffname,type\nA,pump\n", "utf16le")).slice(0, -1),
    "Invalid CSV",
    notUtf8,
  ],
  ["an Excel workbook", new Uint8Array([...Buffer.from("PK\x03\x04"), 20, 0, 6, 0, 8, 0, 0xe4, 0x2c]), "Invalid CSV", workbook],
  ["an Excel 97 workbook", new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]), "Invalid CSV", workbook],
  ["other binary data", new Uint8Array([...Buffer.from('PK"'), 3, 4, 20, 0, 6, 0, 8, 0, 0xe4, 0x2c]), "Invalid CSV", notUtf8],
  ["an unknown separator", "sep=|\nname|type\n", "Invalid CSV", { body: 'has the separator "|"; use a comma, semicolon or tab' }],
  ["an unclosed quote", 'name,type\nA,pump\n"B,pump\nC,pump\n', "Invalid CSV", open],
  ["a quote inside an unquoted cell", 'name,type\nA,pump\nB 6" wide,pump\n', "Invalid CSV", stray(3)],
  ["a quote inside an unquoted cell in row 3,002", `name,type\n${"A,pump\n".repeat(3_000)}B 6" wide,pump\n`, "Invalid CSV", stray(3_002)],
  [
    "an unclosed quote in row 3,002",
    `name,type\n${"A,pump\n".repeat(3_000)}"B,pump\n`,
    "Invalid CSV",
    { body: open.body.replace("3", "3002") },
  ],
  ["a cell of more than 4 MB", `name,type\nA,pump\n"${"B\n".repeat(2_100_000)}"`, "Invalid CSV", open],
  ["text after a quoted cell", 'name,type\n"A"b,pump\n', "Invalid CSV", stray(2)],
  ["no name column", "type\npump\n", "Invalid CSV header", { name: "is missing in the header" }],
  [
    "neither a name nor a type column",
    "model\nM\n",
    "Invalid CSV header",
    { name: "is missing in the header", type: "is missing in the header" },
  ],
  ["a duplicate column", "name,type,name\nA,pump,B\n", "Invalid CSV header", { name: "stands in the header twice" }],
  [
    "a column under both of its names",
    "name,type,installDate,installationDate\nA,pump,,\n",
    "Invalid CSV header",
    { installationDate: "stands in the header twice" },
  ],
  [
    "unknown and blank columns, and a missing one",
    "name,colour,,__proto__\nA,red,,\n",
    "Invalid CSV header",
    {
      colour: `is no column; use ${columns}`,
      "(blank)": `is no column; use ${columns}`,
      ["__proto__"]: `is no column; use ${columns}`,
      type: "is missing in the header",
    },
  ],
])("the whole file is rejected: %s", async (_, file, error, details) => {
  await expectRejected(await gateway.newTenant(), file, error, details);
});

test.each<[string, string, object]>([
  ["too few columns", "A,pump", { message: "has 2 columns, the header 4" }],
  ["too many columns", "A,pump,,,", { message: "has 5 columns, the header 4" }],
  ["no name", ",pump,,", { field: "name", message: "is required", value: "" }],
  ["a blank name", "  ,pump,,", { field: "name", message: "is required", value: "  " }],
  ["no type", "A,,,", { field: "type", message: "is required", value: "" }],
  ["NUL in a cell", "A\0B,pump,,", { field: "name", message: "has characters that cannot be stored", value: "A\0B" }],
  [
    "a name that is too long",
    `${"x".repeat(256)},pump,,`,
    { field: "name", message: "must have at most 255 characters", value: "x".repeat(200) },
  ],
  [
    "a date that does not exist",
    "A,pump,2023-02-30,",
    { field: "installationDate", message: "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z", value: "2023-02-30" },
  ],
  [
    "a date in another format",
    "A,pump,May 2023,",
    { field: "installationDate", message: "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z", value: "May 2023" },
  ],
  [
    "an ambiguous date",
    "A,pump,01/02/2023,",
    {
      field: "installationDate",
      message: "can be read as two dates; write the date as 2020-12-31 or 31.12.2020",
      value: "01/02/2023",
    },
  ],
  [
    "a day that does not exist",
    "A,pump,31.02.2023,",
    {
      field: "installationDate",
      message: "is not a date of the calendar; write the date as 2020-12-31 or 31.12.2020",
      value: "31.02.2023",
    },
  ],
  [
    "an unknown status",
    "A,pump,,broken",
    { field: "status", message: "must be one of operational, maintenance, offline, decommissioned, pending", value: "broken" },
  ],
])("a row is rejected: %s", async (_, row, error) => {
  const tenant = await gateway.newTenant();
  const { status, body } = await send(tenant, `name,type,installationDate,status\n${row}\nGood,fan,2023-02-28,offline\n`);
  expect({ status, body }).toEqual({
    status: 200,
    body: { imported: 1, failed: 1, errors: [{ row: 2, ...error }], assets: [asset("Good", "fan")] },
  });
});

test("a row with several errors lists each and counts once", async () => {
  const tenant = await gateway.newTenant();
  const { body } = await send(tenant, 'name,type,status,customFields\n,,no,"{""a"":1}"\n');
  expect(body).toEqual({
    imported: 0,
    failed: 1,
    errors: [
      { row: 2, field: "name", message: "is required", value: "" },
      { row: 2, field: "type", message: "is required", value: "" },
      { row: 2, field: "status", message: "must be one of operational, maintenance, offline, decommissioned, pending", value: "no" },
      {
        row: 2,
        field: "customFields",
        message: 'must be a JSON object from name to string, such as {"power":"5 kW"}',
        value: '{"a":1}',
      },
    ],
    assets: [],
  });
});

describe("upsert", () => {
  test("updates by serial number, creates new assets, and blank cells change nothing", async () => {
    const tenant = await gateway.newTenant();
    const kept = await tenant.createAsset({ name: "Old", serialNumber: "1", location: "Hall", model: "M", specifications: { a: "b" } });
    const gone = await tenant.createAsset({ serialNumber: "2" });
    await tenant.rest("DELETE", `/assets/${gone.id}`);
    const file = "name,type,location,serialNumber,model,status\nNew,fan,,1,N,offline\nTwo,pump,,2,,\nNone,pump,,,,\n";
    const { body } = await send(tenant, file, "?mode=upsert");
    expect(body).toEqual({
      imported: 3,
      failed: 0,
      errors: [],
      assets: [{ id: kept.id, name: "New", type: "fan" }, asset("Two"), asset("None")],
    });
    expect(body.assets[1].id).not.toBe(gone.id);
    const after = (await tenant.rest("GET", `/assets/${kept.id}`)).body;
    expect(after).toMatchObject({ name: "New", type: "fan", location: "Hall", model: "N", status: "offline", customFields: { a: "b" } });
    expect(after.createdAt).toBe(kept.createdAt);
    expect(after.updatedAt > kept.updatedAt).toBe(true);
    const changes = await gateway.database.query<any>(
      `select "toStatus" from "AssetStatusChange" where "tenantId" = $1 and "assetId" = $2 order by id`,
      [tenant.tenantId, kept.id],
    );
    expect(changes).toEqual([{ toStatus: "operational" }, { toStatus: "offline" }]);
  });

  test("importing a file again changes nothing, not even updatedAt", async () => {
    const tenant = await gateway.newTenant();
    const file = 'name,type,serialNumber,installDate,customFields\nA,pump,1,2020-01-01,"{""a"":""b""}"\nB,pump,2,,\n';
    await send(tenant, file);
    const before = await tenant.snapshot();
    for (const again of [file, file.replace("installDate", "installationDate"), "name,type,serialNumber\nB,pump,2\nA,pump,1\n"])
      expect((await send(tenant, again, "?mode=upsert")).body).toEqual({ imported: 2, failed: 0, errors: [], assets: [] });
    expect(await tenant.snapshot()).toEqual(before);
  });

  test("a duplicate serial number in the file is an error", async () => {
    const tenant = await gateway.newTenant();
    const { body } = await send(tenant, "name,type,serialNumber\nA,pump,1\nB,pump,1\n", "?mode=upsert");
    expect(body).toMatchObject({ imported: 1, failed: 1, errors: [{ row: 3, field: "serialNumber", message: "stands in row 2 already" }] });
  });

  test("another tenant's serial numbers never match", async () => {
    const [one, other] = [await gateway.newTenant(), await gateway.newTenant()];
    await one.createAsset({ serialNumber: "1" });
    const before = await one.snapshot();
    expect((await send(other, "name,type,serialNumber\nA,pump,1\n", "?mode=upsert")).body).toMatchObject({ imported: 1, failed: 0 });
    expect(await one.snapshot()).toEqual(before);
  });
});

test.each<[string, Record<string, string>]>([
  ["mode=replace", { mode: "must be one of create, upsert" }],
  ["dryRun=perhaps", { dryRun: "must be true or false" }],
  ["mode=create&mode=upsert", { mode: anId }],
])("?%s is rejected", async (query, details) => {
  const tenant = await gateway.newTenant();
  const { status, body } = await send(tenant, "name,type\nA,pump\n", `?${query}`);
  expect({ status, body }).toEqual({ status: 400, body: { error: "Invalid input", details, code: "BAD_USER_INPUT", requestId: anId } });
  expect(await listed(tenant)).toEqual([]);
});

test.each(["application/json", "text/plain", "application/x-www-form-urlencoded", "text/tab-separated-values"])(
  "the content type %s is 415",
  async (type) => {
    const tenant = await gateway.newTenant();
    const { status, body } = await send(tenant, "name,type\nA,pump\n", "", { "content-type": type });
    expect({ status, body }).toEqual({
      status: 415,
      body: { error: anId, message: anId, code: "UNSUPPORTED_MEDIA_TYPE", requestId: anId },
    });
    expect(await listed(tenant)).toEqual([]);
  },
);

test("text/csv may specify a charset", async () => {
  const tenant = await gateway.newTenant();
  const { body } = await send(tenant, "name,type\nÄ,pump\n", "", { "content-type": "text/csv; charset=utf-8" });
  expect(body.assets).toEqual([asset("Ä")]);
});

describe("permissions", () => {
  const file = "name,type,site,serialNumber\nA,pump,North,1\nB,pump,South,2\nC,pump,,3\nD,pump,North,OTHER\n";

  test.each(["viewer", "technician"] as const)("the role %s cannot import", async (role) => {
    const tenant = await gateway.newTenant();
    const caller = await tenant.as(role);
    const message = anId;
    const { status, body } = await send(caller, file);
    expect({ status, body }).toEqual({ status: 403, body: { error: "Forbidden", message, code: "FORBIDDEN", requestId: anId } });
    const { errors } = await sendForm(caller, file);
    expect(errors?.[0]).toMatchObject({ message: "Forbidden", extensions: { code: "FORBIDDEN", message } });
    expect(await listed(tenant)).toEqual([]);
  });

  test("an import without a key is 401", async () => {
    const { status } = await gateway.rest("POST", "/assets/import", file, csv);
    expect(status).toBe(401);
  });

  test("a key limited to sites imports only rows of its sites; the others are errors", async () => {
    const tenant = await gateway.newTenant();
    const theirs = await tenant.createAsset({ site: "South", serialNumber: "OTHER" });
    const manager = await tenant.as("manager", ["North"]);
    const problem = (row: number, value: string) => ({ row, field: "site", message: "is not one of this key's sites", value });
    const errors = [problem(3, "South"), problem(4, ""), problem(5, "North")];
    expect((await send(manager, file, "?mode=upsert")).body).toEqual({ imported: 1, failed: 3, errors, assets: [asset("A")] });
    expect((await tenant.rest("GET", `/assets/${theirs.id}`)).body).toMatchObject({ name: "Pump", site: "South" });
    // A file without a site column does not change the site.
    expect((await send(manager, "name,type,serialNumber\nA2,pump,1\n", "?mode=upsert")).body).toMatchObject({ imported: 1, failed: 0 });
  });
});

test("concurrent imports of the same rows: each serial number is imported once", async () => {
  const tenant = await gateway.newTenant();
  const rows = Array.from({ length: 300 }, (_, i) => `A${i},pump,${i}`);
  const files = [rows, [...rows].reverse(), rows].map((lines) => ["name,type,serialNumber", ...lines].join("\n"));
  const responses = await Promise.all(files.map((file) => send(tenant, file)));
  expect(responses.map(({ body }) => [body.imported, body.failed]).sort()).toEqual([
    [0, 300],
    [0, 300],
    [300, 0],
  ]);
  expect(await listed(tenant)).toHaveLength(300);
});

test("an import repeated with its Idempotency-Key runs once; another file with the key is rejected", async () => {
  const tenant = await gateway.newTenant();
  const headers = { ...csv, "idempotency-key": "k" };
  const first = await send(tenant, "name,type\nA,pump\n", "", headers);
  const again = await send(tenant, "name,type\nA,pump\n", "", headers);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await send(tenant, "name,type\nB,pump\n", "", headers)).status).toBe(422);
  expect(await listed(tenant)).toHaveLength(1);
});

describe("with small limits", async () => {
  const small = await startGateway({ MAX_IMPORT_BYTES: "1024", MAX_IMPORT_ROWS: "3" });

  test("413 reports the maximum and the received size", async () => {
    const tenant = await small.newTenant();
    const file = `name,type\n${"A,pump\n".repeat(200)}`;
    const tooLarge = { maxSize: "1024 bytes", receivedSize: expect.stringMatching(/^\d+ bytes$/) };
    for (const headers of [csv, { ...csv, "idempotency-key": "k" }]) {
      const { status, body } = await send(tenant, file, "", headers);
      expect({ status, body }).toEqual({
        status: 413,
        body: { error: "File too large", ...tooLarge, code: "PAYLOAD_TOO_LARGE", requestId: anId },
      });
      expect(Number.parseInt(body.receivedSize, 10)).toBeGreaterThan(1024);
    }
    const { errors } = await sendForm(tenant, file);
    expect(errors?.[0]).toMatchObject({ message: "File too large", extensions: { code: "PAYLOAD_TOO_LARGE", ...tooLarge } });
    expect(await tenant.snapshot()).toEqual({ Asset: [], Component: [], AssetStatusChange: [] });
  });

  test("a file with too many rows is rejected as a whole; the maximum is accepted", async () => {
    const tenant = await small.newTenant();
    const { status, body } = await send(tenant, "name,type\nA,p\n,p\nC,p\nD,p\n");
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: "Invalid CSV",
        details: { body: "has more than 3 rows; split the file" },
        code: "BAD_USER_INPUT",
        requestId: anId,
      },
    });
    expect(await tenant.snapshot()).toEqual({ Asset: [], Component: [], AssetStatusChange: [] });
    expect((await send(tenant, "name,type\nA,p\nB,p\nC,p\n")).body.imported).toBe(3);
  });
});

describe("export", () => {
  test("importing an export with upsert changes nothing", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ name: "=1+1", serialNumber: "-5", site: "@x", specifications: { a: 'b;c,"d"' }, installDate: "2020-01-01" });
    await tenant.createAsset({ name: "'=quoted", serialNumber: "2", status: "offline", lastMaintenanceDate: "2021-05-01T10:20:30.123Z" });
    const file = await exported(tenant);
    const before = await tenant.snapshot();
    expect((await send(tenant, file, "?mode=upsert")).body).toEqual({ imported: 2, failed: 0, errors: [], assets: [] });
    expect(await tenant.snapshot()).toEqual(before);
    const other = await gateway.newTenant();
    expect((await send(other, file)).body).toMatchObject({ imported: 2, failed: 0 });
    expect(await exported(other)).toBe(file);
  });

  test("carries the id of an asset without a serial number, so that its import as UPSERT changes nothing in either engine", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset({ name: "A", serialNumber: null });
    await tenant.createAsset({ name: "B", serialNumber: null });
    const [file, records] = [await exported(tenant), (await tenant.ask("{ exportRecords(sheet: ASSETS) }")).exportRecords];
    expect(file).toBe(records);
    expect(
      file
        .split("\n")
        .slice(0, 2)
        .map((line) => line.split(",").at(-1)),
    ).toEqual(["id", id]);
    const before = await tenant.snapshot();
    expect((await send(tenant, file, "?mode=upsert")).body).toEqual({ imported: 2, failed: 0, errors: [], assets: [] });
    const sent = await fetch(`${gateway.url}/import/assets`, {
      method: "POST",
      body: records,
      headers: { authorization: `Bearer ${tenant.key}`, "content-type": "text/csv" },
    });
    expect(await sent.json()).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect((await send(tenant, file)).body).toMatchObject({ imported: 0, failed: 2, errors: [{ field: "id" }, { field: "id" }] });
    expect(await tenant.snapshot()).toEqual(before);
  });

  test.each(["=1+1", "+x", "+49 30", "-5", "@a", "\t=1", "\r=1", "\n=1", "＝1", "'=1", "''-5", " ", "\ufeff"])(
    "escapes %j",
    async (text) => {
      const tenant = await gateway.newTenant();
      await tenant.createAsset({ name: "A", serialNumber: text, model: text });
      const [, ...lines] = (await exported(tenant)).split("\n");
      expect(lines.join("\n")).toContain(`'${text}`);
    },
  );

  test("leaves other cells unchanged", async () => {
    const tenant = await gateway.newTenant();
    const plain = ["5", "a=1", "'", "'a", "O'Hara", " =1", "a-b"];
    await tenant.createAsset({ name: "A", location: plain.join("|") });
    for (const text of plain) await tenant.createAsset({ name: text, model: text });
    const file = await exported(tenant);
    for (const text of plain) expect(file).toContain(`\n${text},pump,,,,${text},`);
  });

  test("export and import preserve any text", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(..."'\"=+-@,;\t\r\n \ufeff\u00a0aä5{}"), maxLength: 8 }),
    );
    const text = piece.filter((value) => value.isWellFormed() && !value.includes("\0"));
    const name = text.filter((value) => value.trim() !== "");
    const optional = fc.option(text, { nil: undefined });
    const record = fc.record({
      name,
      type: name,
      location: optional,
      manufacturer: optional,
      description: optional,
      site: text,
      specifications: fc.dictionary(
        text.filter((key) => key !== "__proto__"),
        text,
        { maxKeys: 2 },
      ),
    });
    // A blank cell means no value, so a CSV file cannot tell an empty string from null.
    const fieldsOf = (row: any) =>
      ["name", "type", "location", "manufacturer", "description", "site", "serialNumber"]
        .map((field) => row[field] || null)
        .concat(row.customFields);
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (records) => {
        const [from, to] = [await gateway.newTenant(), await gateway.newTenant()];
        for (const [i, fields] of records.entries()) await from.createAsset({ ...fields, serialNumber: `S${i}` });
        const file = await exported(from);
        expect((await send(to, file)).body).toMatchObject({ imported: records.length, errors: [] });
        const bySerial = async (caller: Caller) => (await listed(caller)).map(fieldsOf).sort(([...a], [...b]) => (a[6] < b[6] ? -1 : 1));
        expect(await bySerial(to)).toEqual(await bySerial(from));
        expect(await exported(to)).toBe(file);
        const before = await from.snapshot();
        expect((await send(from, file, "?mode=upsert")).body).toMatchObject({ imported: records.length, assets: [] });
        expect(await from.snapshot()).toEqual(before);
      }),
      { numRuns: 12 },
    );
  });

  test("exporting and importing the whole demo plant changes nothing", async () => {
    const [from, to] = [await gateway.newTenant(), await gateway.newTenant()];
    const { assets } = await loadDemo(forTenant(gateway.database, from.tenantId), from.actor(), 1, () => {});
    const file = await exported(from);
    const before = await from.snapshot("Asset", "AssetStatusChange");
    expect((await send(from, file, "?mode=upsert")).body).toEqual({ imported: assets, failed: 0, errors: [], assets: [] });
    expect(await from.snapshot("Asset", "AssetStatusChange")).toEqual(before);
    expect((await send(to, file)).body).toMatchObject({ imported: assets, failed: 0, errors: [] });
    expect(await exported(to)).toBe(file);
    const without = ({ id, tenantId, createdAt, updatedAt, updatedBy, version, ...fields }: any) => fields;
    expect((await listed(to)).map(without)).toEqual((await listed(from)).map(without));
  });
});

/**
 * A figure of the statistics. PostgreSQL updates them when a session ends, and up to ten seconds late for an idle session. The sessions are
 * therefore closed first, except on the embedded database.
 */
async function statistic({ config, database }: Gateway, expression: string): Promise<number> {
  const name = config.DATABASE_URL && new URL(config.DATABASE_URL).pathname.slice(1);
  if (name) await onServer(`select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${name}'`);
  const statement = `select ${expression}::int as figure from pg_stat_user_indexes where relname = 'Asset'`;
  const [row] = name ? await onServer(statement, name) : await database.query<{ figure: number }>(statement);
  return row.figure;
}

test("on a new database, constraint checks look up rows by index", async () => {
  const fresh = await startGateway();
  const tenant = await fresh.newTenant();
  expect((await send(tenant, `name,type\n${"A,pump\n".repeat(3000)}`)).body.imported).toBe(3000);
  const lookups = () => statistic(fresh, `sum(idx_scan) filter (where indexrelname = 'Asset_pkey')`);
  await expect.poll(lookups).toBeGreaterThanOrEqual(1000);
});

test("on a new database, an upsert looks up assets by serial number", async () => {
  const fresh = await startGateway();
  const tenant = await fresh.newTenant();
  const file = ["name,type,serialNumber", ...Array.from({ length: 3000 }, (_, i) => `A,pump,${i}`)].join("\n");
  await send(tenant, file);
  const found = () => statistic(fresh, "sum(idx_tup_read)");
  for (const caller of [tenant, await tenant.as("manager", [""])]) {
    const before = await found();
    expect((await send(caller, file, "?mode=upsert")).body.imported).toBe(3000);
    await expect.poll(found).toBeGreaterThanOrEqual(before + 3000);
    // Each row takes a few index lookups. Without the index, each would scan all rows.
    expect((await found()) - before).toBeLessThan(100_000);
  }
});

/** The embedded database is slower, so it gets a tenth of the rows. */
const rows = isBig ? 40_000 : 10_000;

test("of many rows, the valid ones are imported; importing them again with upsert changes nothing", { timeout: 300_000 }, async () => {
  const tenant = await gateway.newTenant();
  const lines = ["name,type,serialNumber"];
  for (let i = 1; i <= rows; i++) lines.push(i % (rows / 100) ? `Asset ${i},pump,N${i}` : `,pump,N${i}`);
  const file = lines.join("\r\n");
  const errors = Array.from({ length: 100 }, (_, i) => ({
    row: ((i + 1) * rows) / 100 + 1,
    field: "name",
    message: "is required",
    value: "",
  }));
  const { body } = await send(tenant, file);
  expect([body.imported, body.failed, body.assets.length]).toEqual([rows - 100, 100, rows - 100]);
  expect(body.errors).toEqual(errors);
  const digest = () =>
    gateway.database.query<any>(`select count(*)::int, md5(string_agg(a::text, '' order by id)) from "Asset" a where "tenantId" = $1`, [
      tenant.tenantId,
    ]);
  const before = await digest();
  expect(before).toMatchObject([{ count: rows - 100 }]);
  const again = await send(tenant, file, "?mode=upsert");
  expect(again.body).toEqual({ imported: rows - 100, failed: 100, errors, assets: [] });
  expect(await digest()).toEqual(before);
});
