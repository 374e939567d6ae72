/** CSV files as Excel saves them, column mapping, inspection, and the outcome of each row (docs/people.md, "One CSV engine"). */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();
const csv = { "content-type": "text/csv" };
const anId = expect.any(String);

type File = string | Uint8Array<ArrayBuffer>;

const send = (caller: Caller, path: string, file: File) => caller.rest("POST", `/import/${path}`, file as string, csv);
const bytes = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding));
const utf16be = (text: string) => new Uint8Array(Buffer.from(text, "utf16le").swap16());
/** Windows-1252 beyond ISO 8859-1. */
const windows1252 = (text: string) => bytes(text.replaceAll("€", "\x80").replaceAll("–", "\x96"), "latin1");

const created = { created: 1, updated: 0, unchanged: 0, failed: 0, errors: [] };
const german = "sep=;\r\nBezeichnung;TYP;Serien-Nr.;Inbetriebnahme;Beschreibung\r\nKühlgerät;pump;S-1;31.12.2020;5 € – neu\r\n";
const plain = german.slice(german.indexOf("\n") + 1);

describe("files of Excel are read", () => {
  test.each<[string, File]>([
    ["UTF-8 with a separator line", german],
    ["UTF-8 with a byte order mark and a separator line", `\ufeff${german}`],
    ["Windows-1252", windows1252(german)],
    ["Windows-1252 without a separator line", windows1252(plain)],
    ["UTF-16 with tabs", bytes(`\ufeff${plain.replaceAll(";", "\t")}`, "utf16le")],
    ["UTF-16 without a byte order mark", bytes(plain, "utf16le")],
    ["UTF-16, big endian", utf16be(`\ufeff${german}`)],
    ["UTF-16, big endian, without a byte order mark", utf16be(plain)],
  ])("%s", async (_, file) => {
    const tenant = await gateway.newTenant();
    expect(await send(tenant, "assets", file)).toMatchObject({ status: 200, body: created });
    const { assets } = await tenant.ask("{ assets { nodes { name type serialNumber installationDate description } } }");
    const installationDate = "2020-12-31T00:00:00.000Z";
    expect(assets.nodes).toEqual([{ name: "Kühlgerät", type: "pump", serialNumber: "S-1", installationDate, description: "5 € – neu" }]);
    expect((await send(tenant, "assets", file)).body).toEqual({ ...created, created: 0, unchanged: 1 });
  });

  test("a character that is split between chunks", async () => {
    const tenant = await gateway.newTenant();
    const file = `name,type\n${Array.from({ length: 9000 }, (_, i) => `Gerät ${"ü".repeat(i % 7)},pump\n`).join("")}`;
    expect((await send(tenant, "assets?dryRun=true", utf16be(`\ufeff${file}`))).body).toEqual({ ...created, created: 9000 });
  });

  test("by the documented import too", async () => {
    const tenant = await gateway.newTenant();
    const { status, body } = await tenant.rest("POST", "/assets/import", windows1252(german) as never, csv);
    const assets = [{ id: anId, name: "Kühlgerät", type: "pump" }];
    expect({ status, body }).toEqual({ status: 200, body: { imported: 1, failed: 0, errors: [], assets } });
  });

  test("decimal commas, with stock at a site", async () => {
    const tenant = await gateway.newTenant();
    const parts = "Teilenummer;Bezeichnung;Preis;isCritical\nP1;Dichtung;1.234,5;WAHR\nP2;Lager;1.500;FALSCH\n";
    expect((await send(tenant, "parts", parts)).body).toEqual({
      ...created,
      failed: 1,
      errors: [{ row: 3, field: "Preis", message: "can be read as two numbers; write 1500, or 1.5000 for a fraction", value: "1.500" }],
    });
    expect((await send(tenant, "stock", "Teilenummer;Werk;Menge\nP1;North;12,5\n")).body).toEqual(created);
    const { parts: stored } = await tenant.ask("{ parts { nodes { unitCost isCritical } } }");
    expect(stored.nodes).toEqual([{ unitCost: 1234.5, isCritical: true }]);
    expect((await tenant.ask("query { exportRecords(sheet: STOCK) }")).exportRecords).toMatch(/\nP1,North,12\.5,/);
  });

  test("an ambiguous date is refused with its row and column, and a separator line is not counted", async () => {
    const tenant = await gateway.newTenant();
    const message = "can be read as two dates; write the date as 2020-12-31 or 31.12.2020";
    expect((await send(tenant, "assets", "sep=,\nname,type,Install Date\nA,pump,03/04/2020\nB,pump,31/12/2020\n")).body).toEqual({
      ...created,
      failed: 1,
      errors: [{ row: 2, field: "Install Date", message, value: "03/04/2020" }],
    });
  });

  test("a quote left open after a separator line is reported by its row", async () => {
    const { body } = await send(await gateway.newTenant(), "assets", 'sep=,\nname,type\nA,pump\n"B,pump\n');
    expect(body.details).toEqual({ body: "cannot be read at row 3: a quote is left open" });
  });
});

describe("a given format", () => {
  test("goes before the detected one", async () => {
    const tenant = await gateway.newTenant();
    // As Windows-1252, the bytes of ü in UTF-8 are two characters.
    expect((await send(tenant, "assets?encoding=windows-1252&separator=semicolon", "name;type\nBüro;a,b,c\n")).body).toEqual(created);
    expect((await tenant.ask("{ assets { nodes { name type } } }")).assets.nodes).toEqual([{ name: "BÃ¼ro", type: "a,b,c" }]);
  });

  test.each<[string, File, object]>([
    ["encoding=utf-8", windows1252(german), { body: "must be UTF-8 text; save the file as CSV UTF-8" }],
    ["encoding=utf-7", german, { encoding: "must be one of utf-8, utf-16le, utf-16be, windows-1252" }],
    ["separator=colon", german, { separator: "must be one of comma, semicolon, tab" }],
  ])("is refused if it does not fit: %s", async (query, file, details) => {
    const { status, body } = await send(await gateway.newTenant(), `assets?${query}`, file);
    expect([status, body.details]).toEqual([400, details]);
  });
});

describe("mapped columns", () => {
  const file = "Kennung,Maschine,Klasse,Notiz\nK1,Presse,press,x\n";

  test("take the place of the header, and an empty name ignores a column", async () => {
    const tenant = await gateway.newTenant();
    expect((await send(tenant, "assets?columns=externalId,name,type,", file)).body).toEqual(created);
    expect((await tenant.ask("{ assets { nodes { externalId name type description } } }")).assets.nodes).toEqual([
      { externalId: "K1", name: "Presse", type: "press", description: null },
    ]);
  });

  test.each<[string, object]>([
    ["name,type", { columns: "has 2 names, the header 4 columns" }],
    ["externalId,name,,", { columns: "needs type" }],
    ["name,name,type,", { "columns.1": "is duplicated: name" }],
    ["name,type,colour,", { "columns.2": expect.stringMatching(/^is no column; use name, type, /) }],
  ])("are refused: %s", async (columns, details) => {
    const tenant = await gateway.newTenant();
    const before = await tenant.snapshot();
    const { status, body } = await send(tenant, `assets?columns=${columns}`, file);
    expect([status, body.details]).toEqual([400, details]);
    expect(await tenant.snapshot()).toEqual(before);
  });
});

test("an inspection reports format, columns and suggestions, and stores nothing", async () => {
  const tenant = await gateway.newTenant();
  const before = await tenant.snapshot();
  const file = windows1252("sep=;\nArtikelnummer;Bezeichnung;Farbe;Name\nP1;Größe;rot;x\nP2;B\nP3;C;;\nP4;D;;\n");
  const { status, body } = await send(tenant, "parts/inspection", file);
  const { sheetColumns, ...rest } = body;
  expect({ status, ...rest }).toEqual({
    status: 200,
    encoding: "windows-1252",
    separator: "semicolon",
    fileColumns: [
      { header: "Artikelnummer", column: "partNumber", samples: ["P1", "P2", "P3"] },
      { header: "Bezeichnung", column: "name", samples: ["Größe", "B", "C"] },
      { header: "Farbe", samples: ["rot", "", ""] },
      { header: "Name", samples: ["x", "", ""] },
    ],
  });
  expect(sheetColumns.slice(0, 3)).toEqual([
    { name: "partNumber", required: true },
    { name: "name", required: true },
    { name: "externalId", required: false },
  ]);
  expect(await tenant.snapshot()).toEqual(before);
  expect((await send(tenant, "parts/inspection", "")).body.details).toEqual({ body: "is empty; send a header row and rows below it" });
});

describe("the outcome of each row", () => {
  const rowsOf = async (caller: Caller, path: string, file: File) => {
    const { status, body } = await send(caller, `${path}rows=true`, file);
    expect(status, JSON.stringify(body)).toBe(200);
    const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 } as Record<string, number>;
    for (const { outcome } of body.rows) counts[outcome]! += 1;
    const { created, updated, unchanged, failed } = body;
    expect(counts).toEqual({ created, updated, unchanged, failed });
    return body.rows;
  };

  test("of assets names old and new values, and a dry run stores nothing", async () => {
    const tenant = await gateway.newTenant();
    await send(tenant, "assets", "name,type,serialNumber,installDate\nA,pump,1,\nB,pump,2,2020-12-31\n");
    const before = await tenant.snapshot();
    const file = "name;type;serialNumber;installDate\nA1;pump;1;31.12.2021\nB;pump;2;31.12.2020\nC;pump;3;\nD;;4;03/04/2020\nE;x\n";
    const rows = await rowsOf(tenant, "assets?dryRun=true&", file);
    expect(rows).toEqual([
      {
        row: 2,
        outcome: "updated",
        id: anId,
        cells: ["A1", "pump", "1", "31.12.2021"],
        changes: [
          { column: "name", before: "A", after: "A1" },
          { column: "installDate", before: "", after: "2021-12-31" },
        ],
      },
      { row: 3, outcome: "unchanged", id: anId, cells: ["B", "pump", "2", "31.12.2020"], changes: [] },
      { row: 4, outcome: "created", cells: ["C", "pump", "3", ""], changes: [] },
      { row: 5, outcome: "failed", cells: ["D", "", "4", "03/04/2020"], changes: [] },
      { row: 6, outcome: "failed", cells: ["E", "x"], changes: [] },
    ]);
    expect(await tenant.snapshot()).toEqual(before);
    const stored = await rowsOf(tenant, "assets?", file);
    expect(stored).toEqual(rows.map((row: any) => (row.outcome === "created" ? { ...row, id: anId } : row)));
    expect((await tenant.ask("query ($id: ID!) { asset(id: $id) { name } }", { id: stored[2].id })).asset).toEqual({ name: "C" });
  });

  test("of every other sheet", async () => {
    const tenant = await gateway.newTenant();
    await send(tenant, "assets", "name,type,externalId\nPress,press,A1\nMill,mill,A2\n");
    const twice = async (sheet: string, first: string, second: string) => {
      const fresh = await rowsOf(tenant, `${sheet}?`, first);
      const again = await rowsOf(tenant, `${sheet}?dryRun=true&`, second);
      return [fresh, again].map((rows) => rows.map(({ outcome, changes }: any) => [outcome, ...changes.map(Object.values)]));
    };
    expect(
      await twice("components", "asset,path,type\nA1,Drive,d\nA1,Drive / Motor,m\n", "asset,path,type\nA1,Drive,d\nA1,Drive / Motor,e\n"),
    ).toEqual([
      [["created"], ["created"]],
      [["unchanged"], ["updated", ["type", "m", "e"]]],
    ]);
    expect(await twice("parts", "partNumber,name,unitCost\nP1,Seal,2\n", "partNumber,name,unitCost\nP1,Seal,2.5\nP2,Belt,\n")).toEqual([
      [["created"]],
      [["updated", ["unitCost", "2", "2.5"]], ["created"]],
    ]);
    expect(await twice("stock", "partNumber,site,quantity\nP1,North,3\n", "partNumber,site,quantity\nP1,North,4\nP1,South,1\n")).toEqual([
      [["created"]],
      [["updated", ["quantity", "3", "4"]], ["created"]],
    ]);
    const steps = (text: string) => `asset,name,frequency,externalId,steps\nA1,Check,monthly,E1,"[{""description"":""${text}""}]"\n`;
    expect(await twice("procedures", steps("Look"), steps("Listen"))).toEqual([
      [["created"]],
      [["updated", ["steps", '[{"order":1,"description":"Look"}]', '[{"order":1,"description":"Listen"}]']]],
    ]);
    const reading = "asset,parameter,value,recordedAt\nA1,T,5,2020-01-01\n";
    expect(await twice("readings", reading, `${reading}A1,T,5,2020-01-01\nA1,T,6,2020-01-02\n`)).toEqual([
      [["created"]],
      [["unchanged"], ["unchanged"], ["created"]],
    ]);
    const order = "asset,title,type,startedAt,completedAt,externalId\nA1,Fix,corrective,2020-01-01,2020-01-02,W1\n";
    expect(await twice("work-orders", order, order)).toEqual([[["created"]], [["unchanged"]]]);
  });

  test("is left out unless requested", async () => {
    const tenant = await gateway.newTenant();
    expect((await send(tenant, "assets?rows=false", "name,type\nA,pump\n")).body).toEqual(created);
  });

  test("covers at most 10,000 rows", async () => {
    const tenant = await gateway.newTenant();
    const file = `name,type\n${"A,p\n".repeat(10_001)}`;
    const { body } = await send(tenant, "assets?dryRun=true&rows=true", file);
    expect([body.created, body.rows.length, body.rows.at(-1).row]).toEqual([10_001, 10_000, 10_001]);
  });
});
