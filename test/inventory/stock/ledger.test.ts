/** The stock ledger with concurrent writers and after tampering. stock-model.test.ts compares it with a model. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Caller, startGateway } from "../../world.js";

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
  (
    await tenant.ask(
      "{ verifyLedger(instants: 2) { balanced faults { partId site sequence problem } stockLevels movements totalQuantity } }",
    )
  ).verifyLedger;

const adjust = (tenant: Caller, partId: string, quantity: number, rest: Record<string, unknown> = {}) =>
  tenant.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "correction", quantity, ...rest });

describe("concurrent writers", () => {
  test("16 writers on the same stock levels cause no deadlock and lose no movement", async () => {
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

  test("opposite transfers between an existing and a new site", async () => {
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
    for (const [set, back, problem] of [
      ["quantity = quantity + 1", "quantity = quantity - 1", "the balance is 4 with 0 reserved, the movements say 3 with 0"],
      ["reserved = 1", "reserved = 0", "the balance is 3 with 1 reserved, the movements say 3 with 0"],
      ["value = value + 0.0001", "value = value - 0.0001", "the value is 9.0001, the movements say 9"],
      [`"unitCost" = 3.5`, `"unitCost" = 3`, "the unit cost is 3.5, the value by quantity 3"],
      ["blocked = 0", "blocked = 1", "0 is blocked, gains of 1 wait for approval"],
      [
        `sequence = sequence + 1, "valuedSequence" = sequence + 1`,
        `sequence = sequence - 1, "valuedSequence" = sequence - 1`,
        "the level counts 3 movements, the last one is 2",
      ],
    ]) {
      await tamper(set!);
      const { balanced, faults } = await verify(tenant);
      expect([balanced, faults], set).toEqual([false, [{ partId: wrong, site: "B", sequence: null, problem }]]);
      await tamper(back!);
    }
    expect(await verify(tenant)).toMatchObject({ balanced: true });
    // Bypasses the trigger that protects movements.
    const rewrite = (table: string, set: string, where: string) =>
      gateway.database.transaction(async (tx) => {
        await tx.query("set local session_replication_role = replica");
        await tx.query(`update "${table}" set ${set} where "tenantId" = $1 and "partId" = $2 and site = 'B' and ${where}`, [
          tenant.tenantId,
          wrong,
        ]);
      });
    for (const [table, set, back, sequence, problem] of [
      ["StockMovement", "value = 5", "value = 6", 1, "the value of movement 1 does not add up: 0 and 5 are not 6"],
      ["StockMovement", `"valueBalance" = 7`, `"valueBalance" = 6`, 1, "the value of movement 1 does not add up: 0 and 6 are not 7"],
      [
        "StockMovement",
        `"previousBalance" = 1, quantity = 1`,
        `"previousBalance" = 0, quantity = 2`,
        1,
        "movement 1 begins at 1, not at 0",
      ],
      ["StockMovement", `"unitCost" = 4`, `"unitCost" = 3`, 1, "movement 1 was posted at a unit cost of 4, which its value is not of"],
      [
        "StockBalance",
        "value = value + 1",
        "value = value - 1",
        2,
        expect.stringMatching(/^the balances of \d{4}-\d\d are not those of its movements$/),
      ],
      [
        "StockBalance",
        `"valueSeconds" = "valueSeconds" + 1`,
        `"valueSeconds" = "valueSeconds" - 1`,
        2,
        expect.stringContaining("the balances of "),
      ],
      ["StockBalance", "movements = movements + 1", "movements = movements - 1", 2, expect.stringContaining("the balances of ")],
      [
        "StockBalance",
        `"issuedValue" = "issuedValue" + 1`,
        `"issuedValue" = "issuedValue" - 1`,
        2,
        expect.stringContaining("the balances of "),
      ],
      [
        "StockBalance",
        `"valueChange" = "valueChange" + 1`,
        `"valueChange" = "valueChange" - 1`,
        2,
        expect.stringContaining("the balances of "),
      ],
      ["StockBalance", "arrived = arrived + 1", "arrived = arrived - 1", 2, expect.stringContaining("the balances of ")],
      [
        "StockBalance",
        `"layeredArrivals" = "layeredArrivals" + 1`,
        `"layeredArrivals" = "layeredArrivals" - 1`,
        2,
        expect.stringContaining("the balances of "),
      ],
      [
        "StockBalance",
        `"changeSeconds" = "changeSeconds" + 1`,
        `"changeSeconds" = "changeSeconds" - 1`,
        2,
        expect.stringContaining("the balances of "),
      ],
    ] as const) {
      const where = table === "StockMovement" ? `sequence = ${sequence}` : "true";
      await rewrite(table, set, where);
      const { balanced, faults } = await verify(tenant);
      expect([balanced, faults], set).toEqual([false, [{ partId: wrong, site: "B", sequence, problem }]]);
      await rewrite(table, back, where);
    }
    expect(await verify(tenant)).toMatchObject({ balanced: true });
    await tamper("sequence = sequence + 1, quantity = quantity + 1");
    expect((await adjust(tenant, wrong, 1, { site: "B" })).status).toBe(201);
    const { faults } = await verify(tenant);
    expect(faults).toContainEqual({ partId: wrong, site: "B", sequence: 4, problem: "movement 3 is missing" });
    expect((await asOf(moments[2]!)).balanced).toBe(true);
  });
});
