/** Stock in transit between sites (docs/stock.md, "Transfers"). */
import fc from "fast-check";
import pg from "pg";
import { expect, test } from "vitest";
import { type Caller, type GraphqlAnswer, onPostgresql, sharedGateway } from "../../world.js";
import { discrepancies, level, monthsAgo, move, movements, newPart, refusal } from "../stock/stock.js";

const gateway = await sharedGateway();
const [last, before] = [monthsAgo(1), monthsAgo(2)];

const fields = "id status quantityExact inTransitExact inTransitValueExact valueExact";
const starting = `mutation ($partId: ID!, $input: StartTransferInput!) { done: startTransfer(partId: $partId, input: $input) { ${fields} } }`;
const step = (verb: string) => `mutation ($id: ID!) { done: ${verb}(id: $id) { ${fields} } }`;
const receiving = `mutation ($id: ID!, $quantity: Positive) { done: receiveTransfer(id: $id, quantity: $quantity) { ${fields} } }`;
const start = async (caller: Caller, partId: string, quantity: number): Promise<any> =>
  (await caller.ask(starting, { partId, input: { fromSite: "N", toSite: "S", quantity } })).done;
const take = async (caller: Caller, verb: string, id: string): Promise<any> => (await caller.ask(step(verb), { id })).done;
const receive = async (caller: Caller, id: string, quantity?: number): Promise<any> => (await caller.ask(receiving, { id, quantity })).done;

const underWay = async (caller: Caller, partId: string): Promise<any> =>
  caller.ask(
    `query ($partId: ID!) { part(id: $partId) { inTransit inTransitExact inTransitValueExact }
      inventoryTotals { quantity totalValue inTransit inTransitExact inTransitValueExact } }`,
    { partId },
  );

const layers = ({ tenantId }: Caller, site: string) =>
  gateway.database.query<any>(
    `select layers from "StockMovement" where "tenantId" = $1 and site = $2 and quantity > 0 and type = 'transfer' order by sequence`,
    [tenantId, site],
  );

const forbidden = { message: "This key may change only records of its own sites", code: "FORBIDDEN" };

/** A tenant with 10 of a part at the site N, worth 10.001: 4 from two months ago, 6 from last month. */
async function stocked() {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 4, unitCost: 1, performedAt: before.at(5) });
  await move(tenant, "receiveStock", partId, { quantity: 6, unitCost: 1, performedAt: last.at(6) });
  await tenant.ask(`mutation ($partId: ID!) { updateInventory(partId: $partId, input: { site: "N", unitCost: 1.0001 }) { quantity } }`, {
    partId,
  });
  return { tenant, partId };
}

test("reserved, shipped, received in parts: value and age are kept", async () => {
  const { tenant, partId } = await stocked();
  const { id, ...started } = await start(tenant, partId, 7);
  const notShipped = { inTransitExact: "0", inTransitValueExact: "0", valueExact: null };
  expect(started).toEqual({ status: "RESERVED", quantityExact: "7", ...notShipped });
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "10", reservedStockExact: "7" });
  expect(await refusal(tenant, starting, { partId, input: { fromSite: "N", toSite: "S", quantity: 4 } })).toEqual({
    message: "Insufficient stock",
    code: "CONFLICT",
    available: 3,
    requested: 4,
  });
  expect(await refusal(tenant, receiving, { id })).toEqual({
    message: "The transfer has another status",
    code: "CONFLICT",
    status: "RESERVED",
  });

  expect(await take(tenant, "shipTransfer", id)).toEqual({
    id,
    status: "SHIPPED",
    quantityExact: "7",
    inTransitExact: "7",
    inTransitValueExact: "7.0007",
    valueExact: "7.0007",
  });
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "3", totalValueExact: "3.0003", reservedStockExact: "0" });
  expect(await underWay(tenant, partId)).toEqual({
    part: { inTransit: 7, inTransitExact: "7", inTransitValueExact: "7.0007" },
    inventoryTotals: { quantity: 3, totalValue: 3.0003, inTransit: 7, inTransitExact: "7", inTransitValueExact: "7.0007" },
  });
  expect(await refusal(tenant, receiving, { id, quantity: 8 })).toEqual({
    message: "Quantity exceeds what is in transit",
    code: "CONFLICT",
    available: 7,
    requested: 8,
  });

  expect(await receive(tenant, id, 3)).toMatchObject({ status: "SHIPPED", inTransitExact: "4", inTransitValueExact: "4.0004" });
  expect(await receive(tenant, id, 2.5)).toMatchObject({ status: "SHIPPED", inTransitExact: "1.5", inTransitValueExact: "1.5001" });
  expect(await receive(tenant, id)).toMatchObject({
    status: "RECEIVED",
    inTransitExact: "0",
    inTransitValueExact: "0",
    valueExact: "7.0007",
  });
  expect(await level(tenant, partId, "S")).toMatchObject({ quantityExact: "7", totalValueExact: "7.0007" });
  expect(await layers(tenant, "S")).toEqual([
    { layers: [{ receivedAt: before.at(5), quantity: 3 }] },
    {
      layers: [
        { receivedAt: before.at(5), quantity: 1 },
        { receivedAt: last.at(6), quantity: 1.5 },
      ],
    },
    { layers: [{ receivedAt: last.at(6), quantity: 1.5 }] },
  ]);
  const { stockTransfers } = await tenant.ask(
    `{ stockTransfers(filter: { status: RECEIVED, fromSite: "N" }) { nodes { id outgoing { quantity } incoming { nodes { quantity } } } } }`,
  );
  expect(stockTransfers.nodes).toEqual([
    { id, outgoing: { quantity: -7 }, incoming: { nodes: [{ quantity: 3 }, { quantity: 2.5 }, { quantity: 1.5 }] } },
  ]);
  expect(await refusal(tenant, step("cancelTransfer"), { id })).toMatchObject({ code: "CONFLICT", status: "RECEIVED" });
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test("cancelled: released before it is shipped, back to the sender after", async () => {
  const { tenant, partId } = await stocked();
  const first = await start(tenant, partId, 2);
  expect(await take(tenant, "cancelTransfer", first.id)).toMatchObject({ status: "CANCELLED", inTransitExact: "0" });
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "10", reservedStockExact: "0" });
  const { id } = await start(tenant, partId, 5);
  await take(tenant, "shipTransfer", id);
  await receive(tenant, id, 1);
  expect(await take(tenant, "cancelTransfer", id)).toMatchObject({ status: "CANCELLED", inTransitExact: "0", inTransitValueExact: "0" });
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "9", totalValueExact: "9.0009" });
  expect(await level(tenant, partId, "S")).toMatchObject({ quantityExact: "1", totalValueExact: "1.0001" });
  expect((await layers(tenant, "N"))[0].layers).toEqual([
    { receivedAt: before.at(5), quantity: 3 },
    { receivedAt: last.at(6), quantity: 1 },
  ]);
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test("an immediate transfer keeps value and age too, and the age continues through a second one", async () => {
  const { tenant, partId } = await stocked();
  await move(tenant, "issueStock", partId, { quantity: 3 });
  const transfer = (fromSite: string, toSite: string, quantity: number) =>
    tenant.ask("mutation ($partId: ID!, $input: TransferStockInput!) { transferStock(partId: $partId, input: $input) { valueExact } }", {
      partId,
      input: { fromSite, toSite, quantity },
    });
  expect((await transfer("N", "S", 5)).transferStock).toEqual([{ valueExact: "-5.0005" }, { valueExact: "5.0005" }]);
  await transfer("S", "E", 1.5);
  await transfer("S", "E", 1);
  expect([...(await layers(tenant, "S")), ...(await layers(tenant, "E"))]).toEqual([
    {
      layers: [
        { receivedAt: before.at(5), quantity: 1 },
        { receivedAt: last.at(6), quantity: 4 },
      ],
    },
    {
      layers: [
        { receivedAt: before.at(5), quantity: 1 },
        { receivedAt: last.at(6), quantity: 0.5 },
      ],
    },
    { layers: [{ receivedAt: last.at(6), quantity: 1 }] },
  ]);
  // 2.5 remain at S, from the second receipt only. E has 1 from the first receipt and 1.5 from the second.
  const aged = async (location: string): Promise<number[]> =>
    (await tenant.rest("GET", `/inventory/reports?reportType=aging&location=${location}`)).body.aging.map(({ quantity }: any) => quantity);
  const ageOf = (at: string) => [30, 60, 90].findIndex((days) => Date.now() - Date.parse(at) <= days * 86_400_000);
  const groups = (...parts: [at: string, quantity: number][]) => {
    const all = [0, 0, 0, 0, 0, 0];
    for (const [at, quantity] of parts) all[ageOf(at)]! += quantity;
    return all;
  };
  expect([await aged("S"), await aged("E")]).toEqual([groups([last.at(6), 2.5]), groups([before.at(5), 1], [last.at(6), 1.5])]);
});

test("each step needs its site", async () => {
  const { tenant, partId } = await stocked();
  const [sender, receiver] = [await tenant.as("technician", ["N"]), await tenant.as("technician", ["S"], false)];
  expect(await refusal(receiver, starting, { partId, input: { fromSite: "N", toSite: "S", quantity: 1 } })).toMatchObject({
    code: "FORBIDDEN",
  });
  expect(await refusal(sender, starting, { partId, input: { fromSite: "N", toSite: "N", quantity: 1 } })).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { toSite: "must be another site than fromSite" },
  });
  const { id } = await start(sender, partId, 1);
  expect(await refusal(receiver, step("shipTransfer"), { id })).toMatchObject({ code: "FORBIDDEN" });
  await take(sender, "shipTransfer", id);
  // The same error for more than is in transit. Only the receiving site may learn that quantity.
  for (const quantity of [undefined, 2]) expect(await refusal(sender, receiving, { id, quantity })).toEqual(forbidden);
  expect((await receiver.ask("{ stockTransfers { nodes { id } } stockPeriods { nodes { id } } }")).stockTransfers.nodes).toEqual([{ id }]);
  expect(await receive(receiver, id)).toMatchObject({ status: "RECEIVED" });
  expect(await refusal(tenant, step("shipTransfer"), { id: "none" })).toEqual({
    message: "Transfer not found",
    code: "NOT_FOUND",
    transferId: "none",
  });
  expect((await movements(tenant, partId)).filter(({ type }) => type === "TRANSFER")).toHaveLength(2);
});

test("parts of a small value add up to the whole, none is below zero", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 2, unitCost: 0.0001 });
  const { id } = await start(tenant, partId, 2);
  expect(await take(tenant, "shipTransfer", id)).toMatchObject({ valueExact: "0.0002" });
  // A quarter of the value each, 0.00005, is rounded up until nothing remains.
  const left: string[] = [];
  for (let i = 0; i < 4; i++) left.push((await receive(tenant, id, 0.5)).inTransitValueExact);
  expect(left).toEqual(["0.0001", "0", "0", "0"]);
  expect(await level(tenant, partId, "S")).toMatchObject({ quantityExact: "2", totalValueExact: "0.0002" });
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test.runIf(onPostgresql)("of two who ship a transfer at the same time, one succeeds", async () => {
  const { tenant, partId } = await stocked();
  await move(tenant, "receiveStock", partId, { quantity: 10, unitCost: 1 });
  // There is enough for both, and another person's reservation would cover the release of the second.
  await move(tenant, "reserveStock", partId, { quantity: 4 });
  const { id } = await start(tenant, partId, 4);
  const other = new pg.Client({ connectionString: gateway.config.DATABASE_URL });
  await other.connect();
  await other.query("begin");
  await other.query(`select 1 from "StockLevel" where "tenantId" = $1 and "partId" = $2 for update`, [tenant.tenantId, partId]);
  const both = [1, 2].map(() => tenant.graphql(step("shipTransfer"), { id }));
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(() => gateway.database.query(waiting)).toHaveLength(2);
  await other.query("commit");
  await other.end();
  const answers = await Promise.all(both);
  expect(answers.flatMap(({ data }) => data?.done ?? []).map(({ status }) => status)).toEqual(["SHIPPED"]);
  expect(answers.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions)).toEqual([
    { code: "CONFLICT", status: "SHIPPED" },
  ]);
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "16", reservedStockExact: "4" });
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test("ships what is allocated to it, never what an order before it has", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { site: "N", unitCost: 1 });
  await move(tenant, "receiveStock", partId, { quantity: 10 });
  await move(tenant, "reserveStock", partId, { quantity: 5 });
  const { id } = await start(tenant, partId, 5);
  const damage = (quantity: number) =>
    tenant.ask(
      `mutation ($partId: ID!, $quantity: NonZero!) { adjustStock(partId: $partId, input: { site: "N", adjustmentType: DAMAGE, quantity: $quantity }) { id } }`,
      { partId, quantity: -quantity },
    );
  const foreign = await tenant.as("technician", ["S"]);
  for (const [damaged, available] of [
    [1, 4],
    [2, 2],
  ] as const) {
    await damage(damaged);
    const before = await movements(tenant, partId);
    expect(await refusal(tenant, step("shipTransfer"), { id })).toMatchObject({ code: "CONFLICT", available, requested: 5 });
    // Another site's key is refused, and the error does not reveal the available quantity.
    expect(await refusal(foreign, step("shipTransfer"), { id })).toEqual(forbidden);
    expect(await movements(tenant, partId)).toEqual(before);
  }
  await move(tenant, "receiveStock", partId, { quantity: 3 });
  expect((await take(tenant, "shipTransfer", id)).status).toBe("SHIPPED");
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "5", reservedStockExact: "5" });
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test("stock allocated to others is not shipped; verification names a transfer that holds stock that never left", async () => {
  const { tenant, partId } = await stocked();
  const { id } = await start(tenant, partId, 7);
  const { reserved } = await tenant.ask(
    `mutation ($partId: ID!) { reserved: reserveStock(partId: $partId, input: { site: "N", quantity: 3 }) { reservation { id } } }`,
    { partId },
  );
  await tenant.ask(`mutation ($id: ID!) { reallocateReservation(id: $id, reason: "Urgent") { id } }`, { id: reserved.reservation.id });
  await tenant.ask(
    `mutation ($partId: ID!) { adjustStock(partId: $partId, input: { site: "N", adjustmentType: LOSS, quantity: -2 }) { id } }`,
    { partId },
  );
  const before = await tenant.snapshot("StockMovement", "StockTransfer");
  expect(await refusal(tenant, step("shipTransfer"), { id })).toEqual({
    message: "Insufficient stock",
    code: "CONFLICT",
    available: 5,
    requested: 7,
  });
  expect(await tenant.snapshot("StockMovement", "StockTransfer")).toEqual(before);
  await move(tenant, "receiveStock", partId, { quantity: 2, unitCost: 1 });
  await take(tenant, "shipTransfer", id);
  await receive(tenant, id, 3);

  const verify = async () => (await tenant.ask("{ verifyLedger { balanced faults { partId site problem } } }")).verifyLedger;
  const tamper = (set: string) => gateway.database.query<any>(`update "StockTransfer" set ${set} where "tenantId" = $1`, [tenant.tenantId]);
  expect(await verify()).toEqual({ balanced: true, faults: [] });
  // For a key of one of the sites the figures agree too.
  for (const site of ["N", "S"]) {
    const limited = await tenant.as("viewer", [site], false);
    expect((await limited.ask("{ verifyLedger { balanced faults { problem } } }")).verifyLedger, site).toEqual({
      balanced: true,
      faults: [],
    });
  }
  const [{ value }] = await gateway.database.query<any>(
    `select "inTransitValue"::float as value from "StockTransfer" where "tenantId" = $1`,
    [tenant.tenantId],
  );
  for (const [set, back, has] of [
    [`"inTransit" = "inTransit" - 1`, `"inTransit" = "inTransit" + 1`, `3 worth ${value}`],
    [`"inTransitValue" = "inTransitValue" + 1`, `"inTransitValue" = "inTransitValue" - 1`, `4 worth ${value + 1}`],
  ] as const) {
    await tamper(set);
    const problem = `transfer ${id} has ${has} under way, the movements say 4 worth ${value}`;
    expect(await verify()).toEqual({ balanced: false, faults: [{ partId, site: "N", problem }] });
    await tamper(back);
  }
});

/** Random steps of clients. `which` selects an existing transfer. */
const randomStep = fc.record({
  verb: fc.constantFrom("start", "shipTransfer", "receiveTransfer", "receivePart", "cancelTransfer", "transferStock"),
  which: fc.nat(),
  quantity: fc.integer({ min: 1, max: 60 }).map((tenths) => tenths / 10),
  isReturn: fc.boolean(),
});

test("concurrent transfers of four clients neither lose nor create stock", async () => {
  const property = fc.asyncProperty(fc.array(randomStep, { minLength: 60, maxLength: 60 }), async (steps) => {
    const { tenant, partId } = await stocked();
    const ids: string[] = [];
    const moving = "mutation ($partId: ID!, $input: TransferStockInput!) { transferStock(partId: $partId, input: $input) { __typename } }";
    const act = async ({ verb, which, quantity, isReturn }: (typeof steps)[number]): Promise<GraphqlAnswer> => {
      const [fromSite, toSite] = isReturn ? ["S", "N"] : ["N", "S"];
      const id = ids[which % ids.length] ?? "none";
      if (verb === "transferStock") return tenant.graphql(moving, { partId, input: { fromSite, toSite, quantity } });
      if (verb === "receivePart") return tenant.graphql(receiving, { id, quantity });
      if (verb !== "start") return tenant.graphql(step(verb), { id });
      const answer = await tenant.graphql(starting, { partId, input: { fromSite, toSite, quantity } });
      if (answer.data?.done) ids.push(answer.data.done.id);
      return answer;
    };
    const queue = steps.values();
    const client = async () => {
      for (const next of queue) {
        const { errors } = await act(next);
        if (errors) expect(errors[0]!.extensions.code, JSON.stringify(errors)).toBeOneOf(["CONFLICT", "NOT_FOUND"]);
      }
    };
    await Promise.all([client(), client(), client(), client()]);

    const [north, south] = [await level(tenant, partId), await level(tenant, partId, "S")];
    const { stockTransfers } = await tenant.ask(`{ stockTransfers(first: 100) { nodes { ${fields} fromSite } } }`);
    const sum = (of: any[], field: string) => of.reduce((total, row) => total + Number(row?.[field] ?? 0), 0);
    const reserved = (site: string) =>
      stockTransfers.nodes.filter((transfer: any) => transfer.status === "RESERVED" && transfer.fromSite === site);
    expect(sum([north, south], "quantityExact") + sum(stockTransfers.nodes, "inTransitExact")).toBeCloseTo(10, 9);
    expect(sum([north, south], "totalValueExact") + sum(stockTransfers.nodes, "inTransitValueExact")).toBeCloseTo(10.001, 9);
    expect(Number(north.reservedStockExact)).toBeCloseTo(sum(reserved("N"), "quantityExact"), 9);
    expect(Number(south?.reservedStockExact ?? 0)).toBeCloseTo(sum(reserved("S"), "quantityExact"), 9);
    for (const one of [north, south].filter(Boolean))
      expect(Number(one.quantityExact)).toBeGreaterThanOrEqual(Number(one.reservedStockExact));
    const { part } = await underWay(tenant, partId);
    expect(part.inTransit).toBeCloseTo(sum(stockTransfers.nodes, "inTransitExact"), 9);
    expect(await discrepancies(gateway, tenant)).toEqual([]);
  });
  await fc.assert(property, { numRuns: 4, endOnFailure: true });
});
