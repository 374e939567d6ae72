/** Suppliers, supplier parts and purchase orders in CSV files (docs/supply.md, "Files"). */
import { expect, test } from "vitest";
import { orderOk, stepOk } from "../inventory/supply/purchases.js";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const exported = async (caller: Caller, sheet: "SUPPLIERS" | "SUPPLIER_PARTS" | "PURCHASE_ORDERS"): Promise<string[]> =>
  (await caller.ask("query ($sheet: SheetName!) { exportRecords(sheet: $sheet) }", { sheet })).exportRecords.trim().split("\n");

const post = (caller: Caller, sheet: string, lines: string[]) =>
  caller.rest("POST", `/import/${sheet}`, `${lines.join("\n")}\n`, { "content-type": "text/csv" });

async function send(caller: Caller, sheet: string, lines: string[]) {
  const { status, body } = await post(caller, sheet, lines);
  expect(status, JSON.stringify(body)).toBe(200);
  const { created, updated, unchanged, failed, errors } = body;
  return { counts: [created, updated, unchanged, failed], problems: errors.map(({ row, field, message }: any) => [row, field, message]) };
}

const supplierHeader = "name,number,externalId,contact,currency,paymentTerms,deliveryTerms,notes,isActive";
const suppliers = [
  supplierHeader,
  `NSK,,ERP-8,,EUR,,,,true`,
  `SKF,L-100,ERP-7,"{""email"":""orders@example.com""}",EUR,30 days net,DAP,Fast,true`,
];
const partHeader =
  "supplierExternalId,supplier,partNumber,supplierPartNumber,orderUnit,unitFactor,packSize,minimumQuantity,priceBreaks,currency,leadTime,isPreferred";
const supplierParts = [
  partHeader,
  `ERP-8,NSK,6204,N-6204,,1,1,,"[{""price"":2.75,""quantity"":0}]",USD,3.5,false`,
  `ERP-7,SKF,6204,6204-S,box,12,2,4,"[{""price"":30,""quantity"":0},{""price"":28.5,""quantity"":10}]",,7,true`,
];

const tables = ["SupplierAccount", "SupplierPart", "Part", "PurchaseOrder", "PurchaseOrderLine"] as const;

/** A tenant with the part 6204, and the suppliers SKF and NSK from files. */
async function plant(): Promise<Caller> {
  const tenant = await gateway.newTenant();
  await tenant.ask('mutation { createPart(input: { partNumber: "6204", name: "Bearing", site: "North" }) { id } }');
  expect(await send(tenant, "suppliers", suppliers)).toEqual({ counts: [2, 0, 0, 0], problems: [] });
  expect(await send(tenant, "supplier-parts", supplierParts)).toEqual({ counts: [2, 0, 0, 0], problems: [] });
  return tenant;
}

const supplierOf = async (caller: Caller) =>
  (await caller.ask("{ parts { nodes { supplier { id name partNumber contact { email } } } } }")).parts.nodes[0].supplier;

test("exports of suppliers and supplier parts change nothing when they are imported", async () => {
  const tenant = await plant();
  expect(await exported(tenant, "SUPPLIERS")).toEqual(suppliers);
  expect(await exported(tenant, "SUPPLIER_PARTS")).toEqual([partHeader, supplierParts[1], supplierParts[2]]);
  const before = await tenant.snapshot();
  expect((await send(tenant, "suppliers", suppliers)).counts).toEqual([0, 0, 2, 0]);
  expect((await send(tenant, "supplier-parts", supplierParts)).counts).toEqual([0, 0, 2, 0]);
  expect(await tenant.snapshot()).toEqual(before);
  const other = await gateway.newTenant();
  expect(await exported(other, "SUPPLIERS")).toEqual([supplierHeader]);
  expect(await exported(other, "SUPPLIER_PARTS")).toEqual([partHeader]);
});

test("a supplier is found by its external id, else its number or name, and the parts that prefer it show it", async () => {
  const tenant = await plant();
  expect(await supplierOf(tenant)).toEqual({ id: "ERP-7", name: "SKF", partNumber: "6204-S", contact: { email: "orders@example.com" } });
  const changed = ["name,number,externalId,notes", "SKF Group,,ERP-7,", "NSK,N-1,,", "FAG,,ERP-9,"];
  expect(await send(tenant, "suppliers", changed)).toEqual({ counts: [1, 2, 0, 0], problems: [] });
  expect(await supplierOf(tenant)).toMatchObject({ id: "ERP-7", name: "SKF Group", partNumber: "6204-S" });
  const { suppliers: all } = await tenant.ask("{ suppliers(orderBy: { field: NAME }) { nodes { name number externalId notes } } }");
  expect(all.nodes).toEqual([
    { name: "FAG", number: null, externalId: "ERP-9", notes: null },
    { name: "NSK", number: "N-1", externalId: "ERP-8", notes: null },
    { name: "SKF Group", number: "L-100", externalId: "ERP-7", notes: "Fast" },
  ]);
  const before = await tenant.snapshot(...tables);
  expect(await send(tenant, "suppliers", ["name,number,externalId,currency", "FAG,,ERP-7,", "New,N-1,ERP-9,", "Else,,,eur"])).toEqual({
    counts: [0, 0, 0, 3],
    problems: [
      [2, "name", "is that of another record"],
      [3, "number", "is that of another record"],
      [4, "currency", expect.stringContaining("ISO 4217")],
    ],
  });
  expect(await tenant.snapshot(...tables)).toEqual(before);
});

test("a supplier part is found by supplier and part, and a preference is taken from another supplier", async () => {
  const tenant = await plant();
  const preferred = ["supplier,partNumber,isPreferred", "NSK,6204,true"];
  expect(await send(tenant, "supplier-parts", preferred)).toEqual({ counts: [0, 1, 0, 0], problems: [] });
  expect(await supplierOf(tenant)).toEqual({ id: "ERP-8", name: "NSK", partNumber: "N-6204", contact: null });
  const rows = await exported(tenant, "SUPPLIER_PARTS");
  expect(rows.map((row) => row.split(",").at(-1))).toEqual(["isPreferred", "true", "false"]);
  expect((await send(tenant, "supplier-parts", ["supplier,partNumber,isPreferred", "NSK,6204,false"])).counts).toEqual([0, 1, 0, 0]);
  expect(await supplierOf(tenant)).toBeNull();
});

test("rows of supplier parts that name nothing, an inactive supplier or unordered prices are refused", async () => {
  const tenant = await plant();
  await tenant.ask(
    'mutation { createPart(input: { partNumber: "P2", name: "Belt" }) { id } createSupplier(input: { name: "Old", isActive: false }) { id } }',
  );
  const before = await tenant.snapshot(...tables);
  const refused = [
    "supplier,supplierExternalId,partNumber,isPreferred,priceBreaks",
    "Nobody,,6204,,",
    ",ERP-0,6204,,",
    ",,6204,,",
    "SKF,,P0,,",
    "Old,,6204,,",
    `SKF,,P2,,"[{""quantity"":5,""price"":1},{""quantity"":5,""price"":2}]"`,
    `SKF,,P2,,"[{""quantity"":5}]"`,
  ];
  expect(await send(tenant, "supplier-parts", refused)).toEqual({
    counts: [0, 0, 0, 7],
    problems: [
      [2, "supplier", "names no supplier; import the suppliers first"],
      [3, "supplierExternalId", "names no supplier; import the suppliers first"],
      [4, "supplier", "or supplierExternalId is required"],
      [5, "partNumber", "names no part; import the parts first"],
      [6, "supplier", "names an inactive supplier; activate it first"],
      [7, "priceBreaks", expect.stringContaining("must be greater than the quantity before it")],
      [8, "priceBreaks", "needs a quantity and a price in each entry"],
    ],
  });
  expect(await tenant.snapshot(...tables)).toEqual(before);
  const twice = ["supplier,supplierExternalId,partNumber,isPreferred", "SKF,,P2,true", ",ERP-7,P2,true", "NSK,,P2,true"];
  expect(await send(tenant, "supplier-parts", twice)).toEqual({
    counts: [1, 0, 0, 2],
    problems: [
      [3, undefined, "is about the record of row 2"],
      [4, "isPreferred", "is set for the same part in row 2"],
    ],
  });
});

test("purchase orders are exported by line, and not imported", async () => {
  const tenant = await plant();
  const { suppliers: all, parts } = await tenant.ask(
    '{ suppliers(filter: { externalId: "ERP-7" }) { nodes { id } } parts { nodes { id } } }',
  );
  const order = (site: string, input: object) => orderOk(tenant, { supplierId: all.nodes[0].id, site, externalId: `PO-${site}`, ...input });
  const north = await order("North", {
    lines: [
      { partId: parts.nodes[0].id, quantity: 4, promisedAt: "2026-12-01" },
      { description: "Crane, one day", quantity: 1, price: 900 },
    ],
  });
  await stepOk(tenant, "cancelLine", (await stepOk(tenant, "submit", north.id)).lines[1].id, { reason: "Own crane" });
  await order("South", { currency: "USD", exchangeRate: 0.9, lines: [{ description: "Advice", quantity: 2, price: 10.5 }] });
  const lines = await exported(tenant, "PURCHASE_ORDERS");
  const number = (n: number) => `PO-${new Date().getUTCFullYear()}-0000${n}`;
  expect(lines).toEqual([
    "number,externalId,supplierExternalId,supplier,site,status,currency,exchangeRate,sentAt,position,partNumber,description,quantity,unit,unitFactor,price,amount,accepted,cancelled,openQuantity,promisedAt,repromisedAt",
    `${number(1)},PO-North,ERP-7,SKF,North,approved,EUR,,,1,6204,,4,box,12,30,120,0,0,48,2026-12-01,`,
    `${number(1)},PO-North,ERP-7,SKF,North,approved,EUR,,,2,,"Crane, one day",1,,1,900,0,0,1,0,,`,
    `${number(2)},PO-South,ERP-7,SKF,South,draft,USD,0.9,,1,,Advice,2,,1,10.5,21,0,0,2,,`,
  ]);
  const south = await tenant.as("viewer", ["South"], false);
  expect(await exported(south, "PURCHASE_ORDERS")).toEqual([lines[0], lines[3]]);
  expect(await exported(await gateway.newTenant(), "PURCHASE_ORDERS")).toEqual([lines[0]]);
  const before = await tenant.snapshot();
  expect(await post(tenant, "purchase-orders", lines)).toMatchObject({
    status: 400,
    body: { details: { sheet: "is only exported; create purchase orders with createPurchaseOrder" } },
  });
  expect(await tenant.snapshot()).toEqual(before);
});

test("keys limited to sites and technicians import no suppliers", async () => {
  const tenant = await plant();
  const before = await tenant.snapshot();
  for (const caller of [await tenant.as("manager", ["North"]), await tenant.as("technician")])
    for (const [sheet, lines] of [
      ["suppliers", ["name,externalId", "FAG,ERP-9"]],
      ["suppliers", ["name,externalId", "SKF Group,ERP-7"]],
      ["supplier-parts", ["supplier,partNumber,leadTime", "SKF,6204,9"]],
    ] as const)
      expect((await post(caller, sheet, [...lines])).status).toBe(403);
  expect(await tenant.snapshot()).toEqual(before);
});
