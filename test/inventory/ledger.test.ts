/** The stock ledger: compared with a model, with concurrent writers, after tampering, and after kill -9. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/open.js";
import { build } from "../generate.js";
import { type Caller, freshDatabase, startGateway } from "../world.js";

const gateway = await startGateway();

const statusOf: Record<string, number> = { BAD_USER_INPUT: 400, FORBIDDEN: 403, NOT_FOUND: 404, CONFLICT: 409 };

/** The result of an operation: 200 for success, otherwise the error's status and details. */
interface Outcome {
  status: number;
  available?: number;
  requested?: number;
  currentBalance?: number;
  id?: string;
}

const outcome = (status: number, { available, requested, currentBalance }: any = {}): Outcome =>
  JSON.parse(JSON.stringify({ status, available, requested, currentBalance }));

async function mutate(caller: Caller, field: string, values: Record<string, unknown>): Promise<Outcome> {
  const types: Record<string, string> = {
    partId: "ID!",
    id: "ID!",
    input: field === "transferStock" ? "TransferStockInput!" : "MoveStockInput!",
  };
  const names = Object.keys(values);
  const { errors } = await caller.graphql(
    `mutation (${names.map((name) => `$${name}: ${types[name]}`).join(", ")}) { ${field}(${names.map((name) => `${name}: $${name}`).join(", ")}) { id } }`,
    values,
  );
  if (!errors) return { status: 200 };
  const { code, ...rest } = errors[0]!.extensions;
  return outcome(statusOf[code] ?? 500, rest);
}

async function send(caller: Caller, method: string, path: string, body?: unknown): Promise<Outcome> {
  const response = await caller.rest(method, path, body);
  return response.status < 300 ? { status: 200, id: response.body.adjustmentId } : outcome(response.status, response.body);
}

async function newPart(tenant: Caller, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.partId;
}

const verify = async (tenant: Caller) =>
  (await tenant.ask("{ verifyLedger { balanced faults { partId site problem } stockLevels movements totalQuantity } }")).verifyLedger;

const adjust = (tenant: Caller, partId: string, quantity: number, rest: Record<string, unknown> = {}) =>
  tenant.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "correction", quantity, ...rest });

/** The model counts in whole ten-thousandths, to avoid rounding. */
const unit = 10_000;
const asNumber = (parts: number) => parts / unit;

interface Line {
  type: string;
  quantity: number;
  previous: number;
  next: number;
}

class Level {
  quantity = 0;
  reserved = 0;
  deleted = false;
  readonly chain: Line[] = [];

  post(type: string, quantity: number): void {
    this.chain.push({ type, quantity, previous: this.quantity, next: this.quantity + quantity });
    this.quantity += quantity;
    this.deleted = false;
  }

  reserve(type: string, quantity: number): void {
    this.chain.push({ type, quantity, previous: this.quantity, next: this.quantity });
    this.reserved += quantity;
    this.deleted = false;
  }
}

class Refusal {
  constructor(readonly outcome: Outcome) {}
}
const refuse = (status: number, context: object = {}): never => {
  throw new Refusal(outcome(status, context));
};
const short = (available: number, requested: number) =>
  refuse(409, { available: asNumber(available), requested: asNumber(Math.abs(requested)) });

interface Adjusted {
  id: string;
  level: Level;
  quantity: number;
  creator: number;
  decided: boolean;
}

type Incoming = "receipt" | "return";
type Outgoing = "issue" | "reserve" | "unreserve";

/** The model: a simple implementation of one part's stock in memory. */
class Stock {
  readonly levels = new Map<string, Level>();

  live = () => [...this.levels].filter(([, level]) => !level.deleted);

  siteOf(given: string | undefined): string {
    if (given) return given;
    const sites = this.live();
    if (sites.length > 1) refuse(400);
    return sites[0]?.[0] ?? "A";
  }

  at = (site: string) => this.levels.get(site) ?? new Level();

  keep(site: string): Level {
    const level = this.at(site);
    this.levels.set(site, level);
    return level;
  }

  expected(site: string, expected: number | undefined): void {
    const { quantity } = this.at(site);
    if (expected !== undefined && expected !== quantity) refuse(409, { currentBalance: asNumber(quantity) });
  }

  comeIn(type: Incoming, given: string | undefined, quantity: number, expected?: number): void {
    const site = this.siteOf(given);
    this.expected(site, expected);
    this.keep(site).post(type, quantity);
  }

  goOut(type: Outgoing, given: string | undefined, quantity: number, expected?: number): void {
    const site = this.siteOf(given);
    this.expected(site, expected);
    const level = this.at(site);
    if (type === "unreserve") {
      if (level.reserved < quantity) short(level.reserved, quantity);
      level.reserve(type, -quantity);
      return;
    }
    const available = level.quantity - level.reserved;
    if (available < quantity) short(Math.max(0, available), quantity);
    if (type === "issue") level.post(type, -quantity);
    else level.reserve(type, quantity);
  }

  transfer(from: string, to: string, quantity: number): void {
    if (from === to) refuse(400);
    const out = this.at(from);
    const available = out.quantity - out.reserved;
    if (available < quantity) short(Math.max(0, available), quantity);
    out.post("transfer", -quantity);
    this.keep(to).post("transfer", quantity);
  }

  adjust(type: string, given: string | undefined, quantity: number, expected?: number): Level {
    const site = this.siteOf(given);
    this.expected(site, expected);
    const there = this.at(site).quantity;
    if (there + quantity < 0) short(there, quantity);
    const level = this.keep(site);
    level.post(type, quantity);
    return level;
  }

  set(given: string | undefined, target: number, expected?: number): void {
    const site = this.siteOf(given);
    this.expected(site, expected);
    const level = this.keep(site);
    if (level.quantity !== target) level.post("cycle_count", target - level.quantity);
    level.deleted = false;
  }

  remove(site: string | undefined): void {
    const found = this.live().filter(([name]) => !site || name === site);
    if (!found.length) refuse(404);
    for (const [, level] of found) {
      if (level.quantity) level.post("write_off", -level.quantity);
      level.deleted = true;
    }
  }

  decide(adjusted: Adjusted | undefined, by: number, decision: "approve" | "reject"): void {
    if (!adjusted) throw refuse(404);
    const { level, quantity } = adjusted;
    if (adjusted.creator === by) refuse(403);
    if (adjusted.decided) refuse(409);
    if (decision === "reject") {
      if (level.quantity - quantity < 0) short(level.quantity, quantity);
      level.post("adjustment", -quantity);
    }
    adjusted.decided = true;
  }
}

const done = (work: () => void): Outcome => {
  try {
    work();
    return { status: 200 };
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal.outcome;
    throw refusal;
  }
};

const movementOf = { count: "cycle_count", damage: "write_off", correction: "adjustment" };
const fieldOf = {
  receipt: "receiveStock",
  return: "returnStock",
  issue: "issueStock",
  reserve: "reserveStock",
  unreserve: "unreserveStock",
};

const part = fc.nat(1);
const named = fc.constantFrom("A", "B");
const site = fc.option(named, { nil: undefined, freq: 3 });
const amount = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((n) => n * unit),
  fc.integer({ min: 1, max: 50 * unit }),
);
const signed = fc.tuple(amount, fc.boolean()).map(([quantity, less]) => (less ? -quantity : quantity));
/** Offset of expectedBalance from the balance: mostly undefined, else right or wrong. */
const expectation = fc.option(fc.constantFrom(0, 1), { nil: undefined, freq: 6 });
const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom("receipt" as const, "return" as const), part, site, amount, expectation }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constantFrom("issue" as const, "reserve" as const), part, site, amount, expectation }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("unreserve" as const),
      part,
      site,
      amount: fc.integer({ min: 1, max: 10 * unit }),
      expectation,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("transfer" as const), part, from: named, to: named, amount }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("adjust" as const),
      part,
      site,
      type: fc.constantFrom("count" as const, "damage" as const, "correction" as const),
      signed,
      by: fc.nat(1),
      expectation,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("set" as const), part, site, amount: fc.oneof(amount, fc.constant(0)), expectation }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), part, site }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("approve" as const, "reject" as const), which: fc.nat(5), by: fc.nat(1) }),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const at = { part: 0, site: "A", expectation: undefined } as const;
/** Run first: random sequences seldom have a transfer that succeeds. */
const everyKind: Operation[] = [
  { ...at, kind: "receipt", amount: 20 * unit },
  { ...at, kind: "issue", amount: unit },
  { ...at, kind: "issue", amount: 90 * unit },
  { ...at, kind: "reserve", amount: 90 * unit },
  { kind: "transfer", part: 0, from: "A", to: "B", amount: 3 * unit },
  { kind: "transfer", part: 0, from: "A", to: "B", amount: 90 * unit },
  { ...at, kind: "adjust", type: "count", signed: unit, by: 0 },
  { ...at, kind: "set", amount: 5 * unit },
];

test("any sequence of operations has the same results as in the model", { timeout: 180_000 }, async () => {
  const kinds = new Map<string, number>();
  const property = fc.asyncProperty(fc.array(operation, { minLength: 20, maxLength: 40, size: "max" }), async (operations) => {
    const tenant = await gateway.newTenant();
    const callers = [tenant, await tenant.as("manager")];
    const stocks = [new Stock(), new Stock()];
    const partIds = [await newPart(tenant, { partNumber: "0", site: "A" }), await newPart(tenant, { partNumber: "1", site: "A" })];
    const adjusted: Adjusted[] = [];

    /** The expectedBalance that the caller sends, if any. */
    const expectedOf = (stock: Stock, place: string | undefined, off: number | undefined) =>
      off === undefined ? undefined : stock.at(place ?? stock.live()[0]?.[0] ?? "A").quantity + off;
    const numberOrNone = (value: number | undefined) => (value === undefined ? undefined : asNumber(value));

    async function both(op: Operation): Promise<[Outcome, Outcome]> {
      if ("which" in op) {
        const target = adjusted[op.which];
        const expected = done(() => stocks[0]!.decide(target, op.by, op.kind));
        return [await mutate(callers[op.by]!, `${op.kind}Adjustment`, { id: target?.id ?? "none" }), expected];
      }
      const stock = stocks[op.part]!;
      const partId = partIds[op.part]!;
      const path = `/inventory/${partId}`;
      if (op.kind === "transfer") {
        const input = { fromSite: op.from, toSite: op.to, quantity: asNumber(op.amount) };
        return [await mutate(tenant, "transferStock", { partId, input }), done(() => stock.transfer(op.from, op.to, op.amount))];
      }
      if (op.kind === "delete")
        return [await send(tenant, "DELETE", op.site ? `${path}?site=${op.site}` : path), done(() => stock.remove(op.site))];
      const balance = expectedOf(stock, op.site, op.expectation);
      const given = { site: op.site, expectedBalance: numberOrNone(balance) };
      if (op.kind === "set") {
        const expected = done(() => stock.set(op.site, op.amount, balance));
        return [await send(tenant, "PUT", path, { ...given, currentStock: asNumber(op.amount) }), expected];
      }
      if (op.kind === "adjust") {
        let level: Level | undefined;
        const expected = done(() => {
          level = stock.adjust(movementOf[op.type], op.site, op.signed, balance);
        });
        const body = { ...given, adjustmentType: op.type, quantity: asNumber(op.signed) };
        const { id, ...actual } = await send(callers[op.by]!, "POST", `${path}/adjustments`, body);
        if (level && id) adjusted.push({ id, level, quantity: op.signed, creator: op.by, decided: false });
        return [actual, expected];
      }
      const { kind } = op;
      const expected = done(() =>
        kind === "receipt" || kind === "return"
          ? stock.comeIn(kind, op.site, op.amount, balance)
          : stock.goOut(kind, op.site, op.amount, balance),
      );
      return [await mutate(tenant, fieldOf[kind], { partId, input: { ...given, quantity: asNumber(op.amount) } }), expected];
    }

    for (const [index, op] of operations.entries()) {
      const [{ id, ...actual }, expected] = await both(op);
      expect(actual, `operation ${index}: ${JSON.stringify(op)}`).toEqual(expected);
      const name = `${op.kind} ${expected.status}`;
      kinds.set(name, (kinds.get(name) ?? 0) + 1);
    }

    const parts = (value: unknown) => Math.round(Number(value) * unit);
    for (const [index, stock] of stocks.entries()) {
      const levels = await gateway.database.query<any>(
        `select site, quantity, reserved, sequence, "deletedAt" from "StockLevel" where "tenantId" = $1 and "partId" = $2 order by site`,
        [tenant.tenantId, partIds[index]],
      );
      expect(levels.map((row) => [row.site, parts(row.quantity), parts(row.reserved), row.sequence, row.deletedAt !== null])).toEqual(
        [...stock.levels]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, level]) => [name, level.quantity, level.reserved, level.chain.length, level.deleted]),
      );
      // The history must list the movements of each stock level in order.
      const { body } = await tenant.rest("GET", `/inventory/${partIds[index]}/history?limit=500`);
      const places = await tenant.ask(`query ($id: ID!) { part(id: $id) { movements(first: 500) { nodes { id site } } } }`, {
        id: partIds[index],
      });
      expect(places.part.movements.nodes).toHaveLength(body.movements.length);
      for (const [name, level] of stock.levels) {
        const moved = body.movements.filter((_: unknown, i: number) => places.part.movements.nodes[i].site === name);
        expect(
          moved.map((m: any) => ({
            type: m.type,
            quantity: parts(m.quantity),
            previous: parts(m.previousBalance),
            next: parts(m.newBalance),
          })),
        ).toEqual(level.chain);
      }
    }
    const all = stocks.flatMap((stock) => [...stock.levels.values()]);
    expect(await verify(tenant)).toEqual({
      balanced: true,
      faults: [],
      stockLevels: all.filter(({ chain }) => chain.length).length,
      movements: all.reduce((sum, { chain }) => sum + chain.length, 0),
      totalQuantity: asNumber(all.reduce((sum, { quantity }) => sum + quantity, 0)),
    });
  });
  await fc.assert(property, { numRuns: 15, examples: [[everyKind]], interruptAfterTimeLimit: 120_000 });
  for (const kind of ["receipt 200", "issue 200", "transfer 200", "adjust 200", "set 200", "issue 409", "reserve 409", "transfer 409"])
    expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(0);
});

describe("concurrent writers", () => {
  test("16 writers on the same stock levels cause no deadlock and lose no movement", { timeout: 180_000 }, async () => {
    const tenant = await gateway.newTenant();
    const partIds = [await newPart(tenant, { partNumber: "0", site: "A" }), await newPart(tenant, { partNumber: "1", site: "A" })];
    const sites = ["A", "B"];
    for (const partId of partIds)
      for (const place of sites) await mutate(tenant, "receiveStock", { partId, input: { site: place, quantity: 200 } });
    let sum = 800;
    let next = 0;
    const writer = async () => {
      for (let i = next++; i < 320; i = next++) {
        const partId = partIds[i % 2]!;
        const [here, there] = i % 4 < 2 ? sites : [...sites].reverse();
        const quantity = 1 + (i % 7);
        const turn = i % 8;
        let response: Outcome;
        let change = 0;
        if (turn < 4) response = await mutate(tenant, "transferStock", { partId, input: { fromSite: here, toSite: there, quantity } });
        else if (turn === 4) {
          response = await mutate(tenant, "issueStock", { partId, input: { site: here, quantity } });
          change = -quantity;
        } else if (turn === 5) {
          response = await mutate(tenant, "receiveStock", { partId, input: { site: there, quantity } });
          change = quantity;
        } else if (turn === 6)
          response = await mutate(tenant, i % 3 ? "reserveStock" : "unreserveStock", { partId, input: { site: here, quantity } });
        else {
          response = await send(tenant, "POST", `/inventory/${partId}/adjustments`, { site: there, adjustmentType: "loss", quantity: -1 });
          change = -1;
        }
        expect([200, 409], JSON.stringify(response)).toContain(response.status);
        if (response.status === 200) sum += change;
      }
    };
    await Promise.all(Array.from({ length: 16 }, writer));
    expect(await verify(tenant)).toMatchObject({ balanced: true, faults: [], totalQuantity: sum });
    const backwards = await gateway.database.query<any>(
      `select 1 from (select "performedAt" <= lag("performedAt") over (partition by "partId", site order by sequence) as wrong
         from "StockMovement" where "tenantId" = $1) m where wrong`,
      [tenant.tenantId],
    );
    expect(backwards, "times increase along each chain").toEqual([]);
  });

  test("opposite transfers between an existing and a new site", { timeout: 120_000 }, async () => {
    for (let round = 0; round < 10; round++) {
      const tenant = await gateway.newTenant();
      const partId = await newPart(tenant, { site: "B", stockLevel: 50 });
      const transfer = (fromSite: string, toSite: string) =>
        mutate(tenant, "transferStock", { partId, input: { fromSite, toSite, quantity: 1 } });
      const responses = await Promise.all(Array.from({ length: 16 }, (_, i) => (i % 2 ? transfer("A", "B") : transfer("B", "A"))));
      for (const response of responses) expect([200, 409], JSON.stringify(response)).toContain(response.status);
      expect(await verify(tenant)).toMatchObject({ balanced: true, totalQuantity: 50 });
    }
  });

  test("concurrent first movements of a new stock level are all counted", async () => {
    for (let round = 0; round < 5; round++) {
      const tenant = await gateway.newTenant();
      const partId = await newPart(tenant);
      const responses = await Promise.all(Array.from({ length: 20 }, () => adjust(tenant, partId, 1.5, { site: "New" })));
      expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(201));
      expect(responses.map(({ body }) => body.newBalance).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, i) => (i + 1) * 1.5),
      );
      expect(await verify(tenant)).toMatchObject({ balanced: true, stockLevels: 1, movements: 20, totalQuantity: 30 });
    }
  });

  test("20 concurrent writes with the same expectedBalance: one succeeds", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant, { stockLevel: 10 });
    const responses = await Promise.all(Array.from({ length: 20 }, () => adjust(tenant, partId, 5, { expectedBalance: 10 })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of responses.filter((response) => response.status !== 201)) {
      expect(status).toBe(409);
      expect(body).toMatchObject({ expectedBalance: 10, currentBalance: 15 });
    }
    const set = await Promise.all(
      Array.from({ length: 20 }, (_, i) => tenant.rest("PUT", `/inventory/${partId}`, { currentStock: 100 + i, expectedBalance: 15 })),
    );
    expect(set.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(set.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(await verify(tenant)).toMatchObject({ balanced: true, movements: 3 });
  });
});

test("a rejected operation creates no stock level", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { site: "A", stockLevel: 3 });
  const before = await tenant.rest("GET", `/inventory/${partId}`);
  const input = { site: "B", quantity: 1 };
  for (const field of ["reserveStock", "unreserveStock", "issueStock"])
    expect(await mutate(tenant, field, { partId, input }), field).toEqual({ status: 409, available: 0, requested: 1 });
  expect(await mutate(tenant, "receiveStock", { partId, input: { ...input, expectedBalance: 7 } })).toEqual({
    status: 409,
    currentBalance: 0,
  });
  expect(await mutate(tenant, "transferStock", { partId, input: { fromSite: "A", toSite: "B", quantity: 4 } })).toMatchObject({
    available: 3,
  });
  expect((await tenant.rest("PUT", `/inventory/${partId}?site=B`, { currentStock: 4, expectedBalance: 9 })).status).toBe(409);
  expect((await tenant.rest("GET", `/inventory/${partId}`)).body).toEqual(before.body);
  expect((await tenant.rest("GET", `/inventory/${partId}?site=B`)).body.exists).toBe(false);
});

describe("the database", () => {
  test("does not allow changing a movement, or stock below zero", async () => {
    const tenant = await gateway.newTenant();
    await newPart(tenant, { stockLevel: 4 });
    const run = (sql: string) => gateway.database.query<any>(sql, [tenant.tenantId]);
    const before = await tenant.snapshot("StockMovement");
    for (const sql of [
      `update "StockMovement" set quantity = 5, "newBalance" = 5 where "tenantId" = $1`,
      `update "StockMovement" set notes = 'x' where "tenantId" = $1`,
      `delete from "StockMovement" where "tenantId" = $1`,
      `update "StockLevel" set quantity = -1 where "tenantId" = $1`,
      `update "StockLevel" set reserved = -0.0001 where "tenantId" = $1`,
      `insert into "StockMovement" select "tenantId", 'x', "partId", site, 2, 'issue', -5, 4, -1, 0, null, null, null, null, null, 'k', 'k' from "StockMovement" where "tenantId" = $1`,
      `insert into "StockMovement" select "tenantId", 'x', "partId", site, 2, 'issue', -1, 4, 2, 0, null, null, null, null, null, 'k', 'k' from "StockMovement" where "tenantId" = $1`,
      `insert into "StockMovement" select "tenantId", 'x', "partId", site, 1, 'issue', -1, 4, 3, 0, null, null, null, null, null, 'k', 'k' from "StockMovement" where "tenantId" = $1`,
    ])
      await expect(run(sql), sql).rejects.toThrow();
    expect(await tenant.snapshot("StockMovement")).toEqual(before);
    expect(await verify(tenant)).toMatchObject({ balanced: true, totalQuantity: 4 });
  });

  test("verifyLedger reports stock levels that were tampered with, and totals at a past time", async () => {
    const tenant = await gateway.newTenant();
    const [sound, wrong] = [
      await newPart(tenant, { partNumber: "0", stockLevel: 10, cost: 2 }),
      await newPart(tenant, { partNumber: "1", stockLevel: 7, cost: 3 }),
    ];
    const moments: Date[] = [];
    const moment = async () => {
      await sleep(5);
      moments.push(new Date());
      await sleep(5);
    };
    await moment();
    expect((await adjust(tenant, sound, -4)).status).toBe(201);
    await moment();
    expect(await mutate(tenant, "transferStock", { partId: wrong, input: { fromSite: "main", toSite: "B", quantity: 2 } })).toEqual({
      status: 200,
    });
    expect((await adjust(tenant, wrong, 1, { site: "B" })).status).toBe(201);
    await moment();
    const asOf = async (at: Date) =>
      (
        await tenant.ask(`query ($at: DateTime!) { verifyLedger(asOf: $at) { balanced stockLevels movements totalQuantity totalValue } }`, {
          at,
        })
      ).verifyLedger;
    expect(await asOf(new Date(0))).toEqual({ balanced: true, stockLevels: 0, movements: 0, totalQuantity: 0, totalValue: 0 });
    expect(await asOf(moments[0]!)).toEqual({
      balanced: true,
      stockLevels: 2,
      movements: 2,
      totalQuantity: 17,
      totalValue: 10 * 2 + 7 * 3,
    });
    expect(await asOf(moments[1]!)).toEqual({ balanced: true, stockLevels: 2, movements: 3, totalQuantity: 13, totalValue: 6 * 2 + 7 * 3 });
    expect(await asOf(moments[2]!)).toEqual({ balanced: true, stockLevels: 3, movements: 6, totalQuantity: 14, totalValue: 6 * 2 + 8 * 3 });

    const tamper = (set: string) =>
      gateway.database.query<any>(`update "StockLevel" set ${set} where "tenantId" = $1 and "partId" = $2 and site = 'B'`, [
        tenant.tenantId,
        wrong,
      ]);
    for (const [set, back] of [
      ["quantity = quantity + 1", "quantity = quantity - 1"],
      ["reserved = 1", "reserved = 0"],
      ["sequence = sequence + 1", "sequence = sequence - 1"],
    ]) {
      await tamper(set!);
      const { balanced, faults } = await verify(tenant);
      expect([balanced, faults.length], set).toEqual([false, 1]);
      expect(faults[0]).toMatchObject({ partId: wrong, site: "B" });
      await tamper(back!);
      expect(await verify(tenant)).toMatchObject({ balanced: true });
    }
    await tamper("sequence = sequence + 1, quantity = quantity + 1");
    expect((await adjust(tenant, wrong, 1, { site: "B" })).status).toBe(201);
    const { faults } = await verify(tenant);
    expect(faults).toContainEqual({ partId: wrong, site: "B", problem: "movement 3 is missing" });
    expect((await asOf(moments[2]!)).balanced).toBe(true);
  });
});

describe("kill -9", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  beforeAll(build, 300_000);

  function run(args: string[], settings: Record<string, string>) {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, LOG_LEVEL: "silent", PORT: "0", ...settings } as Record<string, string>;
    const child: ChildProcess = spawn(process.execPath, ["dist/cli/main.js", ...args], { cwd: root, env });
    const output = { out: "", err: "" };
    child.stdout!.on("data", (chunk) => {
      output.out += chunk;
    });
    child.stderr!.on("data", (chunk) => {
      output.err += chunk;
    });
    const ended = once(child, "close").then(([code, signal]) => code ?? signal);
    onTestFinished(() => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      return ended.then(() => {});
    });
    return { child, output, ended };
  }

  async function serve(settings: Record<string, string>) {
    const running = run(["serve"], settings);
    for (let waited = 0; ; waited += 20) {
      const url = /answers at (http:\S+)/.exec(running.output.err)?.[1];
      if (url) return { ...running, url };
      if (running.child.exitCode !== null || waited > 45_000) throw new Error(`did not come up: ${running.output.err}`);
      await sleep(20);
    }
  }

  // Half of the time before the kill, half after it. Set KILL_TEST_SECONDS=20 for the acceptance run.
  const half = Number(process.env.KILL_TEST_SECONDS ?? 2) * 500;

  test("during writes by 16 clients: each Idempotency-Key has one effect, however often it is sent", { timeout: 600_000 }, async () => {
    const { environment, remove } = await freshDatabase();
    onTestFinished(remove);
    const issued = run(["key", "--tenant", "plant", "--role", "admin"], environment);
    expect(await issued.ended, issued.output.err).toBe(0);
    const authorization = `Bearer ${issued.output.out.trim()}`;
    const post = async (url: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
      return { status: response.status, replayed: response.headers.get("idempotent-replayed"), body: (await response.json()) as any };
    };

    let { url, ...server } = await serve(environment);
    const partIds: string[] = [];
    for (const partNumber of ["0", "1", "2"])
      partIds.push((await post(url, "/parts", { partNumber, name: "P", stockLevel: 100 })).body.partId);

    interface Sent {
      key: string;
      path: string;
      body: Record<string, unknown>;
      response?: any;
    }
    const sent: Sent[] = [];
    const attempt = (request: Sent) => post(url, request.path, request.body, { "idempotency-key": request.key });
    let stopped = false;
    const client = async () => {
      while (!stopped) {
        const key = `key-${sent.length}`;
        const quantity = sent.length % 4 ? 1.25 : -0.75;
        const request: Sent = {
          key,
          path: `/inventory/${partIds[sent.length % 3]}/adjustments`,
          body: { adjustmentType: "correction", quantity, reason: key },
        };
        sent.push(request);
        try {
          const { status, body } = await attempt(request);
          if (status === 201) request.response = body;
          else expect(status, JSON.stringify(body)).toBe(503);
        } catch (error) {
          // The connection broke. The retry must work whether or not the write was committed.
          if (!(error instanceof TypeError)) throw error;
          await sleep(20);
        }
      }
    };
    const clients = Array.from({ length: 16 }, client);
    // Enough writes before and after the kill, however slow the machine is.
    const answered = () => sent.filter(({ response }) => response).length;
    const enough = { timeout: 120_000, interval: 50 };
    await sleep(half);
    await expect.poll(answered, enough).toBeGreaterThan(50);
    server.child.kill("SIGKILL");
    await server.ended;
    ({ url, ...server } = await serve(environment));
    await sleep(half);
    await expect.poll(answered, enough).toBeGreaterThan(100);
    stopped = true;
    await Promise.all(clients);

    const unanswered = sent.filter(({ response }) => !response);
    expect(unanswered.length).toBeGreaterThan(0);
    expect(sent.length - unanswered.length).toBeGreaterThan(100);
    for (const request of unanswered) {
      const { status, body } = await attempt(request);
      expect(status, JSON.stringify(body)).toBe(201);
      request.response = body;
    }
    for (let from = 0; from < sent.length; from += 16) {
      const responses = await Promise.all(sent.slice(from, from + 16).map(attempt));
      for (const [i, { status, replayed, body }] of responses.entries())
        expect([status, replayed, body]).toEqual([201, "true", sent[from + i]!.response]);
    }

    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    const verified = run(["ledger", "verify", "--tenant", "plant"], environment);
    expect(await verified.ended, verified.output.err).toBe(0);
    expect(verified.output.out).toBe(`plant: balanced, ${sent.length + 3} movements of 3 stock levels\n`);
    const database = await openDatabase(readConfig({ LOG_LEVEL: "silent", ...environment }), () => {});
    onTestFinished(() => database.close());
    const effects = await database.query<any>(
      `select reason, count(*)::int as count, sum(quantity)::float as quantity from "StockMovement" where reason like 'key-%' group by 1`,
    );
    expect(new Map(effects.map(({ reason, count, quantity }) => [reason, [count, quantity]]))).toEqual(
      new Map(sent.map(({ key, body }) => [key, [1, body.quantity]])),
    );
  });
});
