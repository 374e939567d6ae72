/** Suppliers and their parts, over GraphQL, and the documented supplier of a part (docs/supply.md). */
import { describe, expect, test } from "vitest";
import { readMigrations } from "../../../src/database/migrations/files.js";
import { onServer } from "../../prepare.js";
import { type Caller, onPostgresql, sharedGateway, startGateway } from "../../world.js";

const gateway = await sharedGateway();

const tables = ["Part", "SupplierAccount", "SupplierPart"];

const newPart = async (caller: Caller, partNumber: string, fields: object = {}): Promise<string> => {
  const { status, body } = await caller.rest("POST", "/parts", { partNumber, name: "Ball bearing", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.partId;
};

const create = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: CreateSupplierInput!) { createSupplier(input: $input) { id } }`, { input });

const newSupplier = async (caller: Caller, input: object): Promise<string> => (await create(caller, input)).data.createSupplier.id;

const update = (caller: Caller, id: string, input: object, expectedVersion?: number) =>
  caller.graphql(
    `mutation ($id: ID!, $input: UpdateSupplierInput!, $expectedVersion: Int) {
       updateSupplier(id: $id, input: $input, expectedVersion: $expectedVersion) { id version } }`,
    { id, input, expectedVersion },
  );

const set = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id version isPreferred } }`, { input });

const setOk = async (caller: Caller, input: object) => {
  const { data, errors } = await set(caller, input);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.setSupplierPart;
};

const remove = (caller: Caller, id: string) => caller.graphql(`mutation ($id: ID!) { removeSupplierPart(id: $id) { id message } }`, { id });

/** Suppliers with their parts, by name. */
const suppliersOf = async (caller: Caller) =>
  (
    await caller.ask(`{ suppliers(orderBy: { field: NAME }) { nodes { name externalId contact { email phone } isActive version
      parts { nodes { part { partNumber } partNumber isPreferred version } } } } }`)
  ).suppliers.nodes;

const textOf = async (caller: Caller, partId: string) => {
  const [rest, graphql] = [
    await caller.rest("GET", `/parts/${partId}`),
    await caller.ask(`query ($id: ID!) { part(id: $id) { version supplier { id name partNumber contact { email phone } } } }`, {
      id: partId,
    }),
  ];
  return { rest: rest.body.supplier, graphql: graphql.part.supplier, version: graphql.part.version };
};

async function refuses(caller: Caller, call: () => Promise<{ errors?: any[] }>, code: string, details: object = {}) {
  const before = await caller.snapshot(...tables);
  const { errors } = await call();
  expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining({ code, ...details })]);
  expect(await caller.snapshot(...tables)).toEqual(before);
}

const forbidden = { message: "This key may change only records of its own sites" };

describe("suppliers", () => {
  test("are created, changed, found, filtered and deactivated", async () => {
    const tenant = await gateway.newTenant();
    const id = await newSupplier(tenant, {
      name: "Seal & Co",
      number: "L-100",
      contact: { email: "sales@seal.example", phone: "+45 1" },
      currency: "DKK",
      paymentTerms: "30 days net",
      deliveryTerms: "DAP",
      notes: "Closed on Fridays",
      externalId: "ERP-7",
    });
    await newSupplier(tenant, { name: "Bearings Ltd" });
    expect((await update(tenant, id, { paymentTerms: "14 days net", notes: null, isActive: false }, 1)).data).toEqual({
      updateSupplier: { id, version: 2 },
    });
    const { supplier } = await tenant.ask(
      `query ($id: ID!) { supplier(id: $id) { name number contact { email phone } currency paymentTerms deliveryTerms notes externalId isActive version
         changes { nodes { kind fields { field before after } } } } }`,
      { id },
    );
    expect(supplier).toEqual({
      name: "Seal & Co",
      number: "L-100",
      contact: { email: "sales@seal.example", phone: "+45 1" },
      currency: "DKK",
      paymentTerms: "14 days net",
      deliveryTerms: "DAP",
      notes: null,
      externalId: "ERP-7",
      isActive: false,
      version: 2,
      changes: {
        nodes: [
          {
            kind: "UPDATED",
            fields: [
              { field: "isActive", before: true, after: false },
              { field: "notes", before: "Closed on Fridays", after: null },
              { field: "paymentTerms", before: "30 days net", after: "14 days net" },
            ],
          },
          expect.objectContaining({ kind: "CREATED" }),
        ],
      },
    });
    const names = async (filter: object) =>
      (
        await tenant.ask(
          `query ($filter: SupplierAccountFilter) { suppliers(filter: $filter, orderBy: { field: NAME }) { nodes { name } } }`,
          {
            filter,
          },
        )
      ).suppliers.nodes.map(({ name }: any) => name);
    expect(await names({})).toEqual(["Bearings Ltd", "Seal & Co"]);
    expect(await names({ active: true })).toEqual(["Bearings Ltd"]);
    expect(await names({ search: "l-10" })).toEqual(["Seal & Co"]);
    expect(await names({ externalId: "ERP-7" })).toEqual(["Seal & Co"]);
    expect(await names({ isNull: ["CURRENCY"] })).toEqual(["Bearings Ltd"]);
    const found = await tenant.ask(`{ search(text: "bearings") { recordType title } }`);
    expect(found.search).toEqual([{ recordType: "SUPPLIER_ACCOUNT", title: "Bearings Ltd" }]);
  });

  test("have unique names, numbers and external ids in their tenant, and versions", async () => {
    const [tenant, other] = [await gateway.newTenant(), await gateway.newTenant()];
    const id = await newSupplier(tenant, { name: "SKF", number: "1", externalId: "E" });
    const second = await newSupplier(tenant, { name: "NSK" });
    for (const input of [{ name: "SKF" }, { name: "A", number: "1" }, { name: "B", externalId: "E" }]) {
      await refuses(tenant, () => create(tenant, input), "CONFLICT");
      await refuses(tenant, () => update(tenant, second, input), "CONFLICT");
      expect((await create(other, input)).errors).toBeUndefined();
    }
    await refuses(tenant, () => update(tenant, id, { notes: "n" }, 2), "CONFLICT", { version: 1 });
    await refuses(tenant, () => update(tenant, id, { name: null }), "BAD_USER_INPUT", { details: { name: "must not be null" } });
    await refuses(tenant, () => create(tenant, { name: "A", currency: "Euro" }), "BAD_USER_INPUT");
    await refuses(other, () => update(other, id, { notes: "n" }), "NOT_FOUND", { supplierId: id });
    expect((await other.graphql(`query ($id: ID!) { supplier(id: $id) { name } }`, { id })).data).toEqual({ supplier: null });
  });

  test("are read by keys limited to sites, and written by managers of all sites only", async () => {
    const tenant = await gateway.newTenant();
    const id = await newSupplier(tenant, { name: "SKF" });
    const part = await newPart(tenant, "6204", { site: "North" });
    const { id: item } = await setOk(tenant, { supplierId: id, partId: part, isPreferred: true });
    const north = await tenant.as("manager", ["North"], false);
    expect(await suppliersOf(north)).toEqual(await suppliersOf(tenant));
    await refuses(tenant, () => create(north, { name: "NSK" }), "FORBIDDEN", forbidden);
    await refuses(tenant, () => update(north, id, { notes: "n" }), "FORBIDDEN", forbidden);
    await refuses(tenant, () => set(north, { supplierId: id, partId: part, leadTime: 3 }), "FORBIDDEN", forbidden);
    await refuses(tenant, () => remove(north, item), "FORBIDDEN", forbidden);
    const technician = await tenant.as("technician");
    await refuses(tenant, () => create(technician, { name: "NSK" }), "FORBIDDEN");
    await refuses(tenant, () => set(technician, { supplierId: id, partId: part }), "FORBIDDEN");
    // The documented supplier of its own part it may write.
    expect((await north.rest("PUT", `/parts/${part}`, { supplier: { name: "NSK" } })).status).toBe(200);
    expect((await suppliersOf(tenant)).map(({ name }: any) => name)).toEqual(["NSK", "SKF"]);
  });
});

describe("supplier parts", () => {
  test("hold numbers, packs and prices, and omitted fields stay", async () => {
    const tenant = await gateway.newTenant();
    const supplierId = await newSupplier(tenant, { name: "SKF", currency: "EUR" });
    const partId = await newPart(tenant, "6204");
    const first = await setOk(tenant, {
      supplierId,
      partId,
      partNumber: "6204-S",
      orderUnit: "box",
      unitFactor: 12,
      packSize: 2,
      minimumQuantity: 4,
      priceBreaks: [
        { quantity: 0, price: 30 },
        { quantity: 10, price: 28.5 },
      ],
      leadTime: 7,
    });
    expect(first).toMatchObject({ version: 1, isPreferred: false });
    expect(await setOk(tenant, { supplierId, partId, currency: "SEK", minimumQuantity: null })).toEqual({
      id: first.id,
      version: 2,
      isPreferred: false,
    });
    const { part } = await tenant.ask(
      `query ($id: ID!) { part(id: $id) { version supplier { name } supplierParts { id supplier { name } partNumber orderUnit unitFactor unitFactorExact packSize
         minimumQuantity priceBreaks { quantity price } currency leadTime isPreferred } } }`,
      { id: partId },
    );
    expect(part).toEqual({
      version: 1,
      supplier: null,
      supplierParts: [
        {
          id: first.id,
          supplier: { name: "SKF" },
          partNumber: "6204-S",
          orderUnit: "box",
          unitFactor: 12,
          unitFactorExact: "12",
          packSize: 2,
          minimumQuantity: null,
          priceBreaks: [
            { quantity: 0, price: 30 },
            { quantity: 10, price: 28.5 },
          ],
          currency: "SEK",
          leadTime: 7,
          isPreferred: false,
        },
      ],
    });
    expect((await remove(tenant, first.id)).data).toEqual({ removeSupplierPart: { id: first.id, message: "Supplier part removed" } });
    await refuses(tenant, () => remove(tenant, first.id), "NOT_FOUND", { supplierPartId: first.id });
  });

  test("are refused for unknown parts, other tenants, inactive suppliers and wrong prices", async () => {
    const [tenant, other] = [await gateway.newTenant(), await gateway.newTenant()];
    const supplierId = await newSupplier(tenant, { name: "SKF" });
    const inactive = await newSupplier(tenant, { name: "Old", isActive: false });
    const partId = await newPart(tenant, "6204");
    const foreign = await newPart(other, "6204");
    const foreignSupplier = await newSupplier(other, { name: "SKF" });
    const refused = (input: object, code: string, details: object) =>
      refuses(tenant, () => set(tenant, { supplierId, partId, ...input }), code, details);
    await refused({ partId: foreign }, "BAD_USER_INPUT", { details: { partId: "names no part; use the id of an existing one" } });
    await refused({ supplierId: foreignSupplier }, "BAD_USER_INPUT", {
      details: { supplierId: "names no supplier; use the id of an existing one" },
    });
    await refused({ supplierId: inactive }, "CONFLICT", { supplierId: inactive });
    const twice = [
      { quantity: 1, price: 2 },
      { quantity: 1, price: 1 },
    ];
    await refused({ priceBreaks: twice }, "BAD_USER_INPUT", {
      details: { "priceBreaks.1.quantity": "must be greater than the quantity before it" },
    });
    const many = Array.from({ length: 21 }, (_, i) => ({ quantity: i, price: 1 }));
    await refused({ priceBreaks: many }, "BAD_USER_INPUT", { details: { priceBreaks: "must have at most 20 prices" } });
    await refused({ unitFactor: 0 }, "BAD_USER_INPUT", {});
    const { id } = await setOk(tenant, { supplierId, partId });
    await refuses(tenant, () => remove(other, id), "NOT_FOUND");
  });

  test("one of a part is preferred, whoever asks at once, and the part shows it", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant, "6204");
    const names = ["A", "B", "C", "D"];
    const ids = await Promise.all(names.map((name) => newSupplier(tenant, { name })));
    const answers = await Promise.all(ids.map((supplierId) => set(tenant, { supplierId, partId, isPreferred: true })));
    expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined, undefined]);
    const items = (await suppliersOf(tenant)).flatMap(({ name, parts }: any) => parts.nodes.map((item: any) => ({ name, ...item })));
    const [preferred, ...others] = items.filter(({ isPreferred }: any) => isPreferred);
    expect([items.length, others]).toEqual([4, []]);
    expect((await textOf(tenant, partId)).rest).toEqual({ name: preferred.name });
  });

  test("the preferred one, and changes of its supplier, show in the documented supplier", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant, "6204");
    const supplierId = await newSupplier(tenant, { name: "SKF", externalId: "S-1", contact: { phone: "1" } });
    const { id } = await setOk(tenant, { supplierId, partId, partNumber: "6204-S", isPreferred: true });
    expect(await textOf(tenant, partId)).toEqual({
      rest: { id: "S-1", name: "SKF", partNumber: "6204-S", contact: { phone: "1" } },
      graphql: { id: "S-1", name: "SKF", partNumber: "6204-S", contact: { email: null, phone: "1" } },
      version: 2,
    });
    await update(tenant, supplierId, { name: "SKF AB", contact: { email: "a@skf.example" } });
    expect((await textOf(tenant, partId)).rest).toEqual({
      id: "S-1",
      name: "SKF AB",
      partNumber: "6204-S",
      contact: { email: "a@skf.example" },
    });
    // Values that the part does not show leave it unchanged.
    await update(tenant, supplierId, { notes: "n" });
    await setOk(tenant, { supplierId, partId, leadTime: 4 });
    expect((await textOf(tenant, partId)).version).toBe(3);
    const { changes } = await tenant.ask(
      `query ($id: ID!) { changes(filter: { recordId: $id }) { nodes { operation fields { field } } } }`,
      {
        id: partId,
      },
    );
    expect(changes.nodes.slice(0, 2)).toEqual([
      { operation: "updateSupplier", fields: [{ field: "supplier" }] },
      { operation: "setSupplierPart", fields: [{ field: "supplier" }] },
    ]);
    await remove(tenant, id);
    expect(await textOf(tenant, partId)).toEqual({ rest: undefined, graphql: null, version: 4 });
  });
});

describe("the documented supplier", () => {
  test("creates and changes the supplier and the preferred supplier part", async () => {
    const tenant = await gateway.newTenant();
    const supplier = { id: "S-1", name: "SKF", partNumber: "6204-S", contact: { email: "a@b", phone: "1" } };
    const partId = await newPart(tenant, "6204", { supplier });
    const skf = (fields: object, item: object) => ({
      name: "SKF",
      externalId: "S-1",
      contact: { email: "a@b", phone: "1" },
      isActive: true,
      version: 1,
      parts: { nodes: [{ part: { partNumber: "6204" }, partNumber: "6204-S", isPreferred: true, version: 1, ...item }] },
      ...fields,
    });
    expect(await suppliersOf(tenant)).toEqual([skf({}, {})]);
    // A response that is sent back changes nothing.
    const { body } = await tenant.rest("GET", `/parts/${partId}`);
    await tenant.rest("PUT", `/parts/${partId}`, body);
    expect(await suppliersOf(tenant)).toEqual([skf({}, {})]);
    const put = await tenant.rest("PUT", `/parts/${partId}`, { supplier: { ...supplier, partNumber: "6204-T", contact: { phone: "2" } } });
    expect(put.body.supplier).toEqual({ ...supplier, partNumber: "6204-T", contact: { phone: "2" } });
    const changed = { contact: { email: null, phone: "2" }, version: 2 };
    expect(await suppliersOf(tenant)).toEqual([skf(changed, { partNumber: "6204-T", version: 2 })]);
    // Another name is another supplier; the former one stays, not preferred.
    await tenant.rest("PUT", `/parts/${partId}`, { supplier: { name: "NSK", contact: null } });
    expect(await suppliersOf(tenant)).toEqual([
      {
        name: "NSK",
        externalId: null,
        contact: null,
        isActive: true,
        version: 1,
        parts: { nodes: [{ part: { partNumber: "6204" }, partNumber: null, isPreferred: true, version: 1 }] },
      },
      skf(changed, { partNumber: "6204-T", isPreferred: false, version: 3 }),
    ]);
    await tenant.rest("PUT", `/parts/${partId}`, { supplier: null });
    expect((await suppliersOf(tenant)).map(({ parts }: any) => parts.nodes[0].isPreferred)).toEqual([false, false]);
    expect((await textOf(tenant, partId)).rest).toBeUndefined();
  });

  test("of parts that contradict each other is kept as written, for one supplier", async () => {
    const tenant = await gateway.newTenant();
    const texts = [
      { id: "S-1", name: "SKF", contact: { phone: "1" } },
      { name: "SKF", contact: { phone: "2" } },
      { id: "S-2", name: "SKF" },
      { id: "S-1" },
      { partNumber: "X" },
      { name: " ", contact: { phone: "3" } },
    ];
    const parts: string[] = [];
    for (const [i, supplier] of texts.entries()) parts.push(await newPart(tenant, `P-${i}`, { supplier }));
    const shown = await Promise.all(parts.map(async (id) => (await textOf(tenant, id)).rest));
    expect(shown).toEqual(texts);
    expect(await suppliersOf(tenant)).toEqual([
      {
        name: "SKF",
        externalId: "S-1",
        contact: { email: null, phone: "2" },
        isActive: true,
        version: 2,
        parts: {
          nodes: ["P-0", "P-1", "P-2", "P-3"].map((partNumber) => ({
            part: { partNumber },
            partNumber: null,
            isPreferred: true,
            version: 1,
          })),
        },
      },
    ]);
  });

  test("a new name of a known external id renames the supplier", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant, "6204", { supplier: { id: "S-1", name: "SKF" } });
    await tenant.rest("PUT", `/parts/${partId}`, { supplier: { id: "S-1", name: "SKF AB" } });
    expect((await suppliersOf(tenant)).map(({ name, version }: any) => [name, version])).toEqual([["SKF AB", 2]]);
    await newSupplier(tenant, { name: "NSK" });
    expect((await tenant.rest("PUT", `/parts/${partId}`, { supplier: { id: "S-1", name: "NSK" } })).body.supplier).toEqual({
      id: "S-1",
      name: "NSK",
    });
    expect((await suppliersOf(tenant)).map(({ name }: any) => name)).toEqual(["NSK", "SKF AB"]);
  });

  test("twenty writers at once make one supplier", async () => {
    const tenant = await gateway.newTenant();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        newPart(tenant, `P-${i}`, { supplier: { id: "S", name: "SKF", contact: { phone: String(i) } } }),
      ),
    );
    const [skf, ...others] = await suppliersOf(tenant);
    expect([skf.name, skf.parts.nodes.length, others]).toEqual(["SKF", 20, []]);
  });
});

test.runIf(onPostgresql)("the migration makes the suppliers of existing parts once, and leaves the parts as they are", async () => {
  const own = await startGateway();
  const [tenant, other] = [await own.newTenant(), await own.newTenant()];
  const name = new URL(own.config.DATABASE_URL!).pathname.slice(1);
  await onServer(`drop trigger "Part_supplier_insert" on "Part"`, name);
  const skf = { id: "S-1", name: "SKF", partNumber: "1", contact: { phone: "1" } };
  for (const [i, supplier] of [skf, { name: "SKF" }, { id: "S-1", name: "Other" }, { id: "S-3" }, { partNumber: "X" }].entries())
    await newPart(tenant, `P-${i}`, { supplier });
  await newPart(other, "P-0", { supplier: skf });
  expect(await suppliersOf(tenant)).toEqual([]);
  const before = await tenant.snapshot("Part");
  const script = readMigrations().find((migration) => migration.name.endsWith("_suppliers_online"))!.sql;
  // An interrupted migration is repeated.
  for (const _ of [1, 2]) await onServer(script, name);
  expect(await tenant.snapshot("Part")).toEqual(before);
  const item = (partNumber: string, number: string | null) => ({
    part: { partNumber },
    partNumber: number,
    isPreferred: true,
    version: 1,
  });
  const facts = { isActive: true, version: 1 };
  expect(await suppliersOf(other)).toEqual([
    { name: "SKF", externalId: "S-1", contact: { email: null, phone: "1" }, ...facts, parts: { nodes: [item("P-0", "1")] } },
  ]);
  const suppliers = await suppliersOf(tenant);
  expect(suppliers.flatMap(({ parts }: any) => parts.nodes).length).toBe(4);
  expect(suppliers.find(({ name }: any) => name === "S-3")).toEqual({
    name: "S-3",
    externalId: "S-3",
    contact: null,
    ...facts,
    parts: { nodes: [item("P-3", null)] },
  });
});
