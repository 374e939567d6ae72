/** CSV import and export (docs/people.md, "One CSV engine"): the effect of each sheet's rows over every API. */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();
const anId = expect.any(String);
const csv = { "content-type": "text/csv" };

const send = async (caller: Caller, sheet: string, file: string, query = "") => {
  const { status, body } = await caller.rest("POST", `/import/${sheet}${query}`, file, csv);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const exported = async (caller: Caller, sheet: string): Promise<string> =>
  (await caller.ask("query ($sheet: SheetName!) { exportRecords(sheet: $sheet) }", { sheet: sheet.toUpperCase() })).exportRecords;
const created = (count: number) => ({ created: count, updated: 0, unchanged: 0, failed: 0, errors: [] });
const unchanged = (count: number) => ({ created: 0, updated: 0, unchanged: count, failed: 0, errors: [] });
const lines = (...rows: string[]) => `${rows.join("\n")}\n`;

const assets = lines("name,type,serialNumber,site,externalId", "Press,press,S1,North,A1", "Mill,mill,,South,A2", "Saw,saw,S3,North,");

async function plant() {
  const tenant = await gateway.newTenant();
  expect(await send(tenant, "assets", assets)).toEqual(created(3));
  return tenant;
}

describe("assets", () => {
  test("are found by external id, then serial number, and an export includes what distinguishes them", async () => {
    const tenant = await plant();
    expect(await send(tenant, "assets", assets)).toEqual(unchanged(3));
    const renamed = lines("externalId,serialNumber,name,type", "A1,S9,Press 2,press", "A3,S3,Saw,saw", "A2,S9,Mill,mill");
    expect(await send(tenant, "assets", renamed)).toEqual({
      created: 0,
      updated: 2,
      unchanged: 0,
      failed: 1,
      errors: [{ row: 4, field: "serialNumber", message: "stands in row 2 already", value: "S9" }],
    });
    const file = await exported(tenant, "assets");
    expect(file.split("\n")[0]).toMatch(/,customFields,externalId$/);
    expect(file).toMatch(/^Press 2,press,,S9,.*,A1$/m);
    expect(file).toMatch(/^Saw,saw,,S3,.*,A3$/m);
  });

  test("a row with keys of two assets is rejected, and so is a second row for the same asset", async () => {
    const tenant = await plant();
    const before = await tenant.snapshot();
    const file = lines("externalId,serialNumber,name,type", "A2,S3,X,x", "A1,,Press,press", ",S1,Press,press");
    expect(await send(tenant, "assets", file)).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
      failed: 2,
      errors: [
        { row: 2, field: "serialNumber", message: "is that of another record", value: "S3" },
        { row: 4, message: "is about the record of row 3" },
      ],
    });
    expect(await tenant.snapshot()).toEqual(before);
  });

  test("without a key they are distinguished by their id", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ name: "Nameless" });
    const file = await exported(tenant, "assets");
    expect(file.split("\n")[0]).toMatch(/,customFields,id$/);
    expect(await send(tenant, "assets", file)).toEqual(unchanged(1));
    const other = await gateway.newTenant();
    expect(await send(other, "assets", file)).toEqual(created(1));
  });
});

describe("components", () => {
  const tree = lines(
    "asset,path,externalId,parentExternalId,type",
    "A1,Drive / Motor / Rotor,,,rotor",
    "A1,Drive / Motor,M,,motor",
    "A1,Drive,,,drive",
    "A1,Drive / Motor#2,,,motor",
    ",,B,M,bearing",
    "S3,Blade\\/Disc,,,blade",
    ",Loose,,,part",
  ).replace(",,B,M,bearing", ",Bearing,B,M,bearing");

  test("are placed in any order of their rows", async () => {
    const tenant = await plant();
    expect(await send(tenant, "components", tree)).toEqual(created(7));
    expect(await exported(tenant, "components")).toBe(
      lines(
        "asset,path,externalId,parentExternalId,name,type,description,serialNumber,manufacturer,model,installDate,status,specifications,maintenanceInterval,maintenanceRequirements,criticality,lastMaintenanceDate,nextMaintenanceDate,notes,referenceDesignation",
        "A1,Drive,,,Drive,drive,,,,,,operational,,,,,,,,",
        "A1,Drive / Motor,M,,Motor,motor,,,,,,operational,,,,,,,,",
        "A1,Drive / Motor / Rotor,,M,Rotor,rotor,,,,,,operational,,,,,,,,",
        "A1,Drive / Motor / Bearing,B,M,Bearing,bearing,,,,,,operational,,,,,,,,",
        "A1,Drive / Motor#2,,,Motor,motor,,,,,,operational,,,,,,,,",
        "S3,Blade\\/Disc,,,Blade/Disc,blade,,,,,,operational,,,,,,,,",
        ",Loose,,,Loose,part,,,,,,operational,,,,,,,,",
      ),
    );
    const before = await tenant.snapshot();
    expect(await send(tenant, "components", await exported(tenant, "components"))).toEqual(unchanged(7));
    expect(await tenant.snapshot()).toEqual(before);
  });

  test("are moved and renamed by external id, with everything below them", async () => {
    const tenant = await plant();
    await send(tenant, "components", tree);
    const file = lines("externalId,asset,path,name,type", "M,S3,Motor,Engine,motor");
    expect(await send(tenant, "components", file)).toEqual({ created: 0, updated: 1, unchanged: 0, failed: 0, errors: [] });
    const after = await exported(tenant, "components");
    expect(after.match(/^(A1|S3),[^,]*/gm)).toEqual([
      "A1,Drive",
      "A1,Drive / Motor",
      "S3,Blade\\/Disc",
      "S3,Engine",
      "S3,Engine / Rotor",
      "S3,Engine / Bearing",
    ]);
  });

  test("rows without a valid place, or that would come below themselves, fail next to valid ones", async () => {
    const tenant = await plant();
    await send(tenant, "components", tree);
    const before = await tenant.snapshot();
    const file = lines(
      "externalId,parentExternalId,asset,path,type",
      "X,Y,,X,a",
      "Y,X,,Y,a",
      "M,B,,Motor,motor",
      ",,A1,No / Such,a",
      ",,NO,Such,a",
      ",Q,,Z,a",
      ",,A1,Drive,drive",
      ",,A1, / ,drive",
    );
    const { errors, ...counts } = await send(tenant, "components", file);
    expect(counts).toEqual({ created: 0, updated: 0, unchanged: 1, failed: 7 });
    expect(errors.map(({ row, field }: any) => [row, field])).toEqual([
      [2, "path"],
      [3, "parentExternalId"],
      [4, "path"],
      [5, "path"],
      [6, "asset"],
      [7, "parentExternalId"],
      [9, "path"],
    ]);
    expect(await tenant.snapshot()).toEqual(before);
  });
});

describe("parts", () => {
  const file = lines(
    "partNumber,name,externalId,unitCost,minimumStock,maximumStock,isActive,site,tracksSerials,supplier",
    `P1,Bearing,X1,12345678901.0001,1,5,true,North,false,"{""name"":""=Ltd""}"`,
    "P2,Seal,,,,,false,,,",
    "'-P3,'=Pump,X3,,,,,South,true,",
  );

  test("keep every digit, and formulas are escaped with an apostrophe", async () => {
    const tenant = await gateway.newTenant();
    expect(await send(tenant, "parts", file)).toEqual(created(3));
    const out = await exported(tenant, "parts");
    expect(out).toMatch(/^'-P3,'=Pump,X3,/m);
    expect(out).toContain("12345678901.0001");
    expect(await send(tenant, "parts", out)).toEqual(unchanged(3));
    expect((await tenant.ask(`{ parts(filter: { externalId: "X3" }) { nodes { partNumber name externalId } } }`)).parts.nodes).toEqual([
      { partNumber: "-P3", name: "=Pump", externalId: "X3" },
    ]);
    const other = await gateway.newTenant();
    await send(other, "parts", out);
    expect(await exported(other, "parts")).toBe(out);
  });

  test("are updated where they differ; a minimum above the maximum fails", async () => {
    const tenant = await gateway.newTenant();
    await send(tenant, "parts", file);
    const changes = lines("partNumber,name,externalId,minimumStock", "P1B,Bearing,X1,", "P2,Seal,,", "'-P3,'=Pump,,9", "P1,Other,X1,6");
    expect(await send(tenant, "parts", changes)).toEqual({
      created: 0,
      updated: 2,
      unchanged: 1,
      failed: 1,
      errors: [{ row: 5, field: "externalId", message: "stands in row 2 already", value: "X1" }],
    });
    const crossed = lines("partNumber,name,minimumStock", "P1B,Bearing,6");
    expect((await send(tenant, "parts", crossed)).errors).toEqual([
      { row: 2, field: "minimumStock", message: "must not be above maximumStock", value: "6" },
    ]);
  });
});

describe("lives of parts", () => {
  const query = "{ parts { nodes { coreValue lifeHours lifeMonths lifeInstallations inspectionHours inspectionMonths } } }";

  test("are imported and exported; those that are no whole numbers fail", async () => {
    const tenant = await gateway.newTenant();
    const header = "partNumber,name,coreValue,lifeHours,lifeMonths,lifeInstallations,inspectionHours,inspectionMonths";
    expect(await send(tenant, "parts", lines(header, "P1,Gearbox,120.5,20000.0,,3,4000,12"))).toEqual(created(1));
    const lives = {
      coreValue: 120.5,
      lifeHours: 20000,
      lifeMonths: null,
      lifeInstallations: 3,
      inspectionHours: 4000,
      inspectionMonths: 12,
    };
    expect((await tenant.ask(query)).parts.nodes).toEqual([lives]);
    const out = await exported(tenant, "parts");
    expect(out).toMatch(/,120\.5,20000,,3,4000,12$/m);
    expect(await send(tenant, "parts", out)).toEqual(unchanged(1));
    const { errors, ...counts } = await send(tenant, "parts", lines(header, "P1,Gearbox,-1,,,,,", "P2,Motor,,1.5,,,,"));
    expect(counts).toEqual({ created: 0, updated: 0, unchanged: 0, failed: 2 });
    expect(errors.map(({ row, field }: any) => [row, field])).toEqual([
      [2, "coreValue"],
      [3, "lifeHours"],
    ]);
    expect((await tenant.ask(query)).parts.nodes).toEqual([lives]);
  });
});

describe("stock", () => {
  const parts = lines("partNumber,name,tracksSerials,unitCost", "P1,Bearing,,2", "P2,Seal,,", "P3,Pump,true,");
  const stock = lines(
    "partNumber,site,quantity,unitCost,minimumStock,location",
    "P1,North,10,2.5,3,A-1",
    "P1,South,4,,,",
    "P2,North,0,,1,",
  );
  const movements = async (caller: Caller) =>
    gateway.database.query<any>(
      `select p."partNumber", m.site, m.type, m.quantity, m."newBalance", m.reason from "StockMovement" m join "Part" p on p."tenantId" = $1 and p.id = m."partId"
       where m."tenantId" = $1 order by m.sequence, p."partNumber", m.site`,
      [caller.tenantId],
    );

  test("differences are posted to the ledger, once", async () => {
    const tenant = await gateway.newTenant();
    await send(tenant, "parts", parts);
    expect(await send(tenant, "stock", stock)).toEqual(created(3));
    const opening = { type: "receipt", reason: "Opening stock" };
    const first = [
      { partNumber: "P1", site: "North", quantity: 10, newBalance: 10, ...opening },
      { partNumber: "P1", site: "South", quantity: 4, newBalance: 4, ...opening },
    ];
    expect(await movements(tenant)).toEqual(first);
    expect(await send(tenant, "stock", stock)).toEqual(unchanged(3));
    const out = await exported(tenant, "stock");
    expect(out).toBe(
      lines(
        "partNumber,site,quantity,unitCost,minimumStock,maximumStock,reorderPoint,location",
        "P1,North,10,2.5,3,,,A-1",
        "P1,South,4,2,,,,",
        "P2,North,0,,1,,,",
      ),
    );
    expect(await send(tenant, "stock", out)).toEqual(unchanged(3));
    expect(await send(tenant, "stock", out.replace("North,10", "North,7"), "?dryRun=true")).toMatchObject({ updated: 1, unchanged: 2 });
    expect(await movements(tenant)).toEqual(first);
    expect(await send(tenant, "stock", out.replace("North,10", "North,7"))).toMatchObject({ updated: 1, unchanged: 2 });
    expect(await movements(tenant)).toEqual([
      ...first,
      { partNumber: "P1", site: "North", type: "adjustment", quantity: -3, newBalance: 7, reason: "Import" },
    ]);
  });

  test("unknown parts, and quantities of parts that track their pieces, fail", async () => {
    const tenant = await gateway.newTenant();
    await send(tenant, "parts", parts);
    const file = lines("partNumber,site,quantity", "P9,North,1", "P3,North,1", "P3,South,0", "P1,North,-1", "P1,North,=1");
    expect((await send(tenant, "stock", file)).errors).toEqual([
      { row: 2, field: "partNumber", message: "names no part; import the parts first", value: "P9" },
      {
        row: 3,
        field: "quantity",
        value: "1",
        message: "is not set for a part that tracks serial numbers or batches; move it by their numbers",
      },
      { row: 5, field: "quantity", message: "must not be negative", value: "-1" },
      { row: 6, field: "quantity", message: "must be a number with a point for decimals, such as 12.5", value: "=1" },
    ]);
    expect(await movements(tenant)).toEqual([]);
  });

  test("a gain beyond the threshold of counts waits for approval", async () => {
    const tenant = await gateway.newTenant();
    await send(tenant, "parts", parts);
    await send(tenant, "stock", stock);
    await tenant.ask(`mutation { updateStockSettings(input: { currency: "EUR", countThreshold: 5 }, expectedVersion: 0) { version } }`);
    await send(tenant, "stock", lines("partNumber,site,quantity", "P1,North,20", "P1,South,5"));
    const { parts: found } = await tenant.ask(
      `{ parts(filter: { search: "P1" }) { nodes { stockLevels { site quantity blockedStock } } } }`,
    );
    expect(found.nodes[0].stockLevels).toEqual(
      expect.arrayContaining([expect.objectContaining({ site: "North", quantity: 20, blockedStock: 10 })]),
    );
  });
});

describe("readings", () => {
  const file = lines(
    "asset,parameter,value,unit,sensorID,recordedAt",
    "A1,vibration,-2.5,mm/s,T1,2024-05-01T08:00:00Z",
    "A1,vibration,1e-7,,,2024-05-01",
    "S3,temperature,60,°C,,2024-05-01T08:00:00.123Z",
    "S3,temperature,60,°C,,2024-05-01T08:00:00.123Z",
  );

  test("are stored once; another value is rejected", async () => {
    const tenant = await plant();
    expect(await send(tenant, "readings", file)).toEqual({ ...created(3), unchanged: 1 });
    expect(await exported(tenant, "readings")).toBe(
      lines(
        "asset,parameter,value,unit,sensorID,recordedAt",
        "A1,vibration,-2.5,mm/s,T1,2024-05-01T08:00:00.000Z",
        "A1,vibration,1e-7,,,2024-05-01",
        "S3,temperature,60,°C,,2024-05-01T08:00:00.123Z",
      ),
    );
    const { errors, ...counts } = await send(tenant, "readings", file.replace("-2.5", "3").replaceAll("S3,", "S4,"));
    expect(counts).toEqual({ created: 0, updated: 0, unchanged: 1, failed: 3 });
    expect(errors[0]).toEqual({ row: 2, field: "value", message: "is -2.5 mm/s already; a reading is not changed", value: "3" });
    const ahead = lines("asset,parameter,value,recordedAt", "A1,vibration,1,2099-01-01");
    expect((await send(tenant, "readings", ahead)).errors).toMatchObject([{ field: "recordedAt" }]);
  });
});

describe("APIs", () => {
  test("failed rows are returned as a file that can be sent again", async () => {
    const tenant = await plant();
    const bad = `name;type;status\nA;pump;operational\n'=B;;"wr;ong"\nC\n`;
    const { failedRows, ...counts } = await send(tenant, "assets", bad, "?failedRows=true");
    expect(counts).toMatchObject({ created: 1, failed: 2 });
    const mustBe = "must be one of operational, maintenance, offline, decommissioned, pending";
    expect(failedRows).toBe(
      `name;type;status;error\n'=B;;"wr;ong";type is required; status ${mustBe}\nC;;;has 1 columns, the header 3\n`.replace(
        /type is.*pending/,
        (text) => `"${text}"`,
      ),
    );
    const mended = failedRows.replace('"wr;ong"', "offline").replace("'=B;;", "'=B;pump;").replace("C;;", "C;pump;");
    expect(await send(tenant, "assets", mended, "?failedRows=true")).toEqual({ ...created(2), failedRows: "" });
  });

  test("REST sends the file as text", async () => {
    const tenant = await plant();
    const response = await fetch(`${gateway.url}/export/assets`, { headers: { authorization: `Bearer ${tenant.key}` } });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(await response.text()).toBe(await exported(tenant, "assets"));
    const { status, body } = await tenant.rest("GET", "/export/nothing");
    expect({ status, body }).toEqual({ status: 400, body: expect.objectContaining({ error: "Invalid input", details: { sheet: anId } }) });
  });

  test.each([
    ["assets", "technician", 403],
    ["parts", "technician", 403],
    ["stock", "technician", 403],
    ["components", "technician", 200],
    ["components", "viewer", 403],
    ["components", "ingest", 403],
    ["readings", "ingest", 200],
    ["readings", "viewer", 403],
  ] as const)("%s by the role %s is %d", async (sheet, role, expected) => {
    const tenant = await plant();
    const caller = await tenant.as(role);
    const file = {
      assets: "name,type\nA,a\n",
      parts: "partNumber,name\nA,a\n",
      stock: "partNumber,site,quantity\n",
      components: "asset,name,type\nA1,C,c\n",
      readings: "asset,parameter,value,recordedAt\nA1,t,1,2024-01-01\n",
    }[sheet];
    const before = await tenant.snapshot();
    const { status } = await caller.rest("POST", `/import/${sheet}`, file, csv);
    expect(status).toBe(expected);
    if (status === 403) expect(await tenant.snapshot()).toEqual(before);
  });

  test("a key limited to sites imports only its rows, and exports what it sees", async () => {
    const tenant = await plant();
    await send(tenant, "parts", "partNumber,name,site\nP,p,South\n");
    const manager = await tenant.as("manager", ["North"]);
    const row = (field: string, value: string) => [{ row: 3, field, message: expect.stringContaining("this key's sites"), value }];
    expect((await send(manager, "components", "asset,name,type\nA1,C,c\nA2,C,c\n")).errors).toEqual(row("asset", "A2"));
    expect((await send(manager, "readings", "asset,parameter,value,recordedAt\nA1,t,1,2024-01-01\nA2,t,1,2024-01-01\n")).errors).toEqual(
      row("asset", "A2"),
    );
    expect((await send(manager, "stock", "partNumber,site,quantity\nP,North,1\nP,South,1\n")).errors).toEqual(row("site", "South"));
    expect((await send(manager, "parts", "partNumber,name,site\nQ,q,North\nP,p2,North\n")).errors).toEqual(row("site", "South"));
    expect((await send(manager, "assets", "externalId,name,type\nA1,Press,press\nA2,Mill,mill\n")).errors).toEqual(row("site", "South"));
  });

  test("another tenant's records are never found", async () => {
    const [one, other] = [await plant(), await gateway.newTenant()];
    const before = await one.snapshot();
    expect(await send(other, "assets", assets.replaceAll("Press", "Other"))).toEqual(created(3));
    expect((await send(other, "components", "asset,name,type\nA1,C,c\n")).created).toBe(1);
    expect(await one.snapshot()).toEqual(before);
  });
});

describe("procedures", () => {
  const parts = "partNumber,name\nP1,Oil\n";
  const file = lines(
    "name,asset,frequency,externalId,anchor,nextDue,estimatedDuration,schedulingRules,steps,parts",
    `Check,A1,monthly,R1,2020-01-31,2031-03-01,30.5,"{""leadTime"":3}","[{""description"":""Oil it"",""parts"":[{""partNumber"":""P1"",""quantity"":0.5}]}]","[{""partNumber"":""P1"",""quantity"":2,""isOptional"":true}]"`,
    "Look,S3,annual,R2,2031-05-01,,,,,",
  );

  test("are imported with steps and parts, and continue at their next date", async () => {
    const tenant = await plant();
    await send(tenant, "parts", parts);
    expect(await send(tenant, "procedures", file)).toEqual(created(2));
    expect(await send(tenant, "procedures", file)).toEqual(unchanged(2));
    const { procedures } = await tenant.ask(
      `{ procedures { nodes { externalId frequency nextDue steps { order description kind parts { quantity } } parts { quantity isOptional } } } }`,
    );
    expect(procedures.nodes).toEqual([
      {
        externalId: "R1",
        frequency: "MONTHLY",
        nextDue: "2031-03-31T00:00:00.000Z",
        steps: [{ order: 1, description: "Oil it", kind: "TASK", parts: [{ quantity: 0.5 }] }],
        parts: [{ quantity: 2, isOptional: true }],
      },
      { externalId: "R2", frequency: "ANNUAL", nextDue: "2031-05-01T00:00:00.000Z", steps: [], parts: [] },
    ]);
    expect(await send(tenant, "procedures", file.replace("30.5", "45").replace("Oil it", "Oil all"))).toMatchObject({
      updated: 1,
      unchanged: 1,
    });
    expect(await exported(tenant, "procedures")).toContain("Oil all");
  });

  test("rows with unknown parts, or invalid steps, fail next to valid ones", async () => {
    const tenant = await plant();
    const bad = lines(
      "name,asset,frequency,externalId,steps,parts,missedPolicy,statutory",
      `A,A1,monthly,B1,,"[{""partNumber"":""NO"",""quantity"":1}]",,`,
      `B,A1,monthly,B2,"[{""description"":""x"",""order"":1},{""description"":""y"",""order"":1}]",,,`,
      `C,A1,monthly,B3,"[{""text"":""x""}]",,,`,
      `D,A1,monthly,B4,,,skip,true`,
      `E,A1,monthly,B5,,,,`,
    );
    const { errors, ...counts } = await send(tenant, "procedures", bad);
    expect(counts).toEqual({ created: 1, updated: 0, unchanged: 0, failed: 4 });
    expect(errors.map(({ row, field }: any) => [row, field])).toEqual([
      [2, "parts"],
      [3, "steps"],
      [4, "steps"],
      [5, "missedPolicy"],
    ]);
  });
});

describe("work orders", () => {
  const file = lines(
    "asset,title,type,startedAt,completedAt,technician,laborCost,productionStopped,downtimeFrom,downtimeTo,failureMode,failureCause,remedy,externalId",
    "A1,Bearing,corrective,2023-05-01T08:00:00Z,2023-05-01T09:30:00Z,Anna,93.5,true,2023-05-01T07:00:00Z,2023-05-01T09:45:00Z,breakdown,design,replaced,W1",
    "S3,Oil,preventive,2023-06-01T08:00:00Z,2023-06-01T08:20:00Z,,,,,,,,,W2",
  );

  test("are imported closed, with their times and downtimes, and are not changed", async () => {
    const tenant = await plant();
    expect(await send(tenant, "work-orders", file)).toEqual(created(2));
    expect(await send(tenant, "work-orders", file)).toEqual(unchanged(2));
    const { workOrders } = await tenant.ask(
      `{ workOrders { nodes { externalId status completedAt duration laborCost failureMode statusChanges { nodes { toStatus reason } } } } }`,
    );
    const log = { statusChanges: { nodes: [{ toStatus: "CLOSED", reason: "Import" }] } };
    expect(workOrders.nodes).toEqual([
      {
        externalId: "W1",
        status: "CLOSED",
        completedAt: "2023-05-01T09:30:00.000Z",
        duration: 90,
        laborCost: 93.5,
        failureMode: "breakdown",
        ...log,
      },
      {
        externalId: "W2",
        status: "CLOSED",
        completedAt: "2023-06-01T08:20:00.000Z",
        duration: 20,
        laborCost: null,
        failureMode: null,
        ...log,
      },
    ]);
    const downtimes = await gateway.database.query<any>(`select "startedAt", cause from "Downtime" where "tenantId" = $1`, [
      tenant.tenantId,
    ]);
    expect(downtimes).toEqual([{ startedAt: new Date("2023-05-01T07:00:00Z"), cause: "failure" }]);
    expect((await send(tenant, "work-orders", file.replace("93.5", "94"))).errors).toEqual([
      { row: 2, field: "laborCost", message: "differs from the work order; what is closed is not changed", value: "94" },
    ]);
  });

  test("impossible times, unknown codes and open orders fail", async () => {
    const tenant = await plant();
    const { assets: found } = await tenant.ask("{ assets { nodes { id } } }");
    await tenant.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", {
      input: { assetId: found.nodes[0].id, title: "Open", externalId: "OPEN" },
    });
    const bad = lines(
      "asset,title,type,startedAt,completedAt,failureMode,externalId",
      "A1,x,corrective,2023-05-01,2099-05-01,,W1",
      "A1,x,corrective,2023-05-02,2023-05-01,,W2",
      "A1,x,corrective,2023-05-01,2023-05-02,nonsense,W3",
      "A1,x,preventive,2023-05-01,2023-05-02,breakdown,W4",
      "A1,Open,corrective,2023-05-01,2023-05-02,,OPEN",
    );
    const { errors } = await send(tenant, "work-orders", bad);
    expect(errors.map(({ row, field }: any) => [row, field ?? null])).toEqual([
      [2, "completedAt"],
      [3, "completedAt"],
      [4, "failureMode"],
      [5, "failureMode"],
      [6, null],
    ]);
  });
});

describe("trees whose rows spell, number and move components", () => {
  const paths = async (tenant: Caller) => (await exported(tenant, "components")).match(/^(A1|S3|),[^,\n]+/gm);

  test("two spellings of a path, or of its asset, are one place", async () => {
    const tenant = await plant();
    const file = lines("asset,path,type", "A1,Drive,d", "A1,Drive/Motor,m", "A1,Drive / Motor,n", "S1,Drive / Motor,o");
    const errors = [
      { row: 4, field: "path", message: "stands in row 3 already", value: "Drive / Motor" },
      { row: 5, field: "path", message: "is that of the component of row 3", value: "Drive / Motor" },
    ];
    expect(await send(tenant, "components", file)).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 2, errors });
    expect(await send(tenant, "components", file)).toEqual({ created: 0, updated: 0, unchanged: 2, failed: 2, errors });
  });

  test("namesakes are numbered in any order of the rows, and none without those before it", async () => {
    const tenant = await plant();
    const file = lines("asset,path,type", "A1,Pump#2,second", "A1,Pump#2 / Seal,s", "A1,Pump,first", "A1,Fan#2,f", "A1,Fan#2 / Blade,b");
    const failed = {
      failed: 2,
      errors: [
        { row: 5, field: "path", message: "needs Fan before it, here or in the file", value: "Fan#2" },
        { row: 6, field: "path", message: "names the component of row 5, which failed" },
      ],
    };
    expect(await send(tenant, "components", file)).toEqual({ created: 3, updated: 0, unchanged: 0, ...failed });
    expect(await paths(tenant)).toEqual(["A1,Pump", "A1,Pump#2", "A1,Pump#2 / Seal"]);
    expect(await exported(tenant, "components")).toMatch(/^A1,Pump,,,Pump,first,/m);
    expect(await send(tenant, "components", file)).toEqual({ created: 0, updated: 0, unchanged: 3, ...failed });
  });

  test("components below a moved component are found by its new path, at another asset too", async () => {
    const tenant = await plant();
    const at = (asset: string, under: string) =>
      lines("asset,path,externalId,type", `${asset},${under}M,M,m`, `${asset},${under}M / R,,r`, `A1,N,N,n`);
    expect(await send(tenant, "components", at("A1", ""))).toEqual(created(3));
    const moved = { created: 0, updated: 1, unchanged: 2, failed: 0, errors: [] };
    expect(await send(tenant, "components", at("A1", "N / "))).toEqual(moved);
    expect(await paths(tenant)).toEqual(["A1,N", "A1,N / M", "A1,N / M / R"]);
    expect(await send(tenant, "components", at("S3", ""))).toEqual(moved);
    expect(await paths(tenant)).toEqual(["A1,N", "S3,M", "S3,M / R"]);
    expect(await send(tenant, "components", at("S3", ""))).toEqual(unchanged(3));
    const grown = lines("asset,path,externalId,type", "A1,M,M,m", "A1,M / New,,x");
    expect(await send(tenant, "components", grown)).toEqual({ ...moved, created: 1, unchanged: 0 });
    expect(await paths(tenant)).toEqual(["A1,N", "A1,M", "A1,M / R", "A1,M / New"]);
  });

  test("compatible moves are made in any order of the rows", async () => {
    const tenant = await plant();
    await send(tenant, "components", lines("asset,path,externalId,type", "A1,M,M,m", "A1,M / N,N,n", "A1,M / N / O,O,o"));
    const file = lines("asset,path,externalId,type", "A1,O / N / M,M,m", "A1,O / N,N,n", "A1,O,O,o");
    expect(await send(tenant, "components", file)).toEqual({ created: 0, updated: 3, unchanged: 0, failed: 0, errors: [] });
    expect(await paths(tenant)).toEqual(["A1,O", "A1,O / N", "A1,O / N / M"]);
    expect(await send(tenant, "components", file)).toEqual(unchanged(3));
  });

  test("a blank asset leaves a component at its asset", async () => {
    const tenant = await plant();
    await send(tenant, "components", lines("asset,path,externalId,type", "A1,M,M,m", "A1,M / N,N,n"));
    expect(await send(tenant, "components", lines("externalId,path,type", "M,M,m", "N,M / N,n"))).toEqual(unchanged(2));
    expect(await paths(tenant)).toEqual(["A1,M", "A1,M / N"]);
  });
});

describe("hostile files", () => {
  test("a second row for the same record fails, at any distance", async () => {
    const tenant = await plant();
    const others = Array.from({ length: 250 }, (_, i) => `X${i},,f,f`);
    const file = lines("externalId,serialNumber,name,type", "A1,,Press,press", ...others, ",S1,Other,press");
    expect(await send(tenant, "assets", file)).toEqual({
      created: 250,
      updated: 0,
      unchanged: 1,
      failed: 1,
      errors: [{ row: 253, message: "is about the record of row 2" }],
    });
    expect(await exported(tenant, "assets")).not.toContain("Other");
  });

  test("keys of JSON cells are only those of the form, and values are reported as JSON", async () => {
    const tenant = await plant();
    const parts = lines("partNumber,name,dimensions", `Q1,q,"{""constructor"":1}"`, `Q2,q,"{""toString"":null}"`);
    expect((await send(tenant, "parts", parts)).errors.map(({ message }: any) => message)).toEqual([
      'has "constructor"; use length, width, height, unit',
      'has "toString"; use length, width, height, unit',
    ]);
    const steps = [
      { order: 1, description: "x" },
      { order: 1, description: "y" },
    ];
    const cell = `"${JSON.stringify(steps).replaceAll('"', '""')}"`;
    const { errors } = await send(tenant, "procedures", lines("name,asset,frequency,steps", `P,A1,monthly,${cell}`));
    expect(errors).toEqual([
      { row: 2, field: "steps", message: "steps.1.order is the order of another step", value: JSON.stringify(steps) },
    ]);
  });

  test.each([
    [
      "a header of very many cells",
      Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(","),
      { body: expect.stringMatching(/^has 100000 columns; use name, type, /) },
    ],
    ["NUL in the header", Buffer.from("na\0me,type\nA,b\n"), { body: "must be UTF-8 text; save the file as CSV UTF-8" }],
  ])("%s is rejected with a short message", async (_, file, details) => {
    const tenant = await plant();
    const { status, body } = await tenant.rest("POST", "/import/assets", file, csv);
    expect([status, body.details]).toEqual([400, details]);
  });

  test("a request with an Idempotency-Key but no file is rejected like one without the key", async () => {
    const tenant = await plant();
    for (const path of ["/import/assets", "/assets/import"]) {
      const headers = { authorization: `Bearer ${tenant.key}`, "idempotency-key": `none:${path}` };
      const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers });
      expect([response.status, ((await response.json()) as any).details]).toEqual([
        400,
        { body: "is empty; send a header row and rows below it" },
      ]);
    }
  });
});

test("clients that accept JSON lines receive the progress of an import, and a rejection as usual", async () => {
  const tenant = await plant();
  const post = async (sheet: string, file: string, headers: Record<string, string> = {}) => {
    const accept = { accept: "application/jsonl, application/json", authorization: `Bearer ${tenant.key}` };
    const response = await fetch(`${gateway.url}/import/${sheet}`, {
      method: "POST",
      body: file,
      headers: { ...csv, ...accept, ...headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      text,
      said: text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    };
  };
  const file = lines("name,type", ...Array.from({ length: 1_000 }, (_, i) => `P${i},p`), "Q,");
  const { status, type, said } = await post("assets", file);
  expect([status, type]).toEqual([200, "application/jsonl; charset=utf-8"]);
  const last = said.pop();
  expect(last).toEqual({
    status: 200,
    body: {
      created: 1_000,
      updated: 0,
      unchanged: 0,
      failed: 1,
      errors: [{ row: 1_002, field: "type", message: "is required", value: "" }],
    },
  });
  expect(said[0]).toEqual({ rows: 200 });
  const told = said.map(({ rows }) => rows);
  expect(told).toEqual([...told].sort((a, b) => a - b));

  const late = `${lines("name,type", ...Array.from({ length: 1_000 }, (_, i) => `R${i},p`))}"open,\n`;
  const broken = await post("assets", late);
  expect([broken.status, broken.said.at(-1)]).toEqual([
    200,
    {
      status: 400,
      body: {
        error: "Invalid CSV",
        code: "BAD_USER_INPUT",
        requestId: anId,
        details: { body: "cannot be read at row 1002: a quote is left open" },
      },
    },
  ]);
  expect(await exported(tenant, "assets")).not.toContain("R0,p");

  const refused = await post("assets", "name\n");
  expect([refused.status, refused.type, refused.said[0].details]).toEqual([
    400,
    "application/json; charset=utf-8",
    { type: "is missing in the header" },
  ]);
  const once = { "idempotency-key": "progress-1" };
  const first = await post("parts", "partNumber,name\nL1,l\n", once);
  const again = await post("parts", "partNumber,name\nL1,l\n", once);
  const bodyOf = ({ said: [...all] }: typeof first) => all.at(-1).body ?? all.at(-1);
  expect([bodyOf(first), bodyOf(again)]).toEqual([created(1), created(1)]);
});
