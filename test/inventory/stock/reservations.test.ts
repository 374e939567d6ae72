/** Owners of reservations (docs/stock.md, "Blocked and reserved"; docs/decisions.md, "reservation"). */
import { describe, expect, test } from "vitest";
import { expireHolds } from "../../../src/domain/inventory/stock/reservations.js";
import { act, balanced, failed, part, procedure, stock, stockOf, workOrder } from "../../maintenance/work-orders/orders.js";
import { type Caller, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

const moving = (verb: string) =>
  `mutation ($id: ID!, $input: MoveStockInput!) { ${verb}Stock(partId: $id, input: $input) { id type quantity reason reference reservation { id owner heldBy quantity expiresAt } } }`;
const attempt = (caller: Caller, verb: string, id: string, input: object) => caller.graphql(moving(verb), { id, input });
const move = async (caller: Caller, verb: string, id: string, input: object) =>
  (await caller.ask(moving(verb), { id, input }))[`${verb}Stock`];

const shown = "id owner heldBy workOrderId site quantity allocated short reservedAt expiresAt reallocatedBy reallocationReason";
const list = async (caller: Caller, filter: object = {}): Promise<any[]> =>
  (await caller.ask(`query ($filter: StockReservationFilter) { stockReservations(filter: $filter) { nodes { ${shown} } } }`, { filter }))
    .stockReservations.nodes;
const releasing =
  "mutation ($id: ID!, $reason: ShortText) { releaseReservation(id: $id, reason: $reason) { type quantity reason reference } }";
const reallocating = `mutation ($id: ID!, $reason: ShortText!) { reallocateReservation(id: $id, reason: $reason) { ${shown} } }`;
const me = async (caller: Caller): Promise<string> =>
  (await caller.ask("{ viewer { principal { id } } }")).viewer.principal.id.replace("Principal:", "");

/** The reserved quantity of each level equals the sum of its owners' reservations. */
async function owned(tenant: Caller) {
  const found = await gateway.database.query(
    `select 1 from "StockLevel" s where "tenantId" = $1 and reserved <> (select coalesce(sum(quantity), 0) from "StockReservation" r
     where r."tenantId" = $1 and r."partId" = s."partId" and r.site = s.site)`,
    [tenant.tenantId],
  );
  expect(found).toEqual([]);
  await balanced(tenant);
}

/** An order that has reserved some of a part. */
async function orderFor(tenant: Caller, partId: string, quantity: number): Promise<string> {
  const { id } = await procedure(tenant, { parts: [{ partId, quantity }] });
  return workOrder(tenant, id);
}

const expire = (...ids: string[]) =>
  gateway.database.query(`update "StockHold" set "expiresAt" = clock_timestamp() where id = any($1)`, [ids]);
const runJob = () =>
  expireHolds(gateway.database, (error) => {
    throw error;
  });

describe("a person's hold", () => {
  test("is released only by its owner, the oldest first, and ends after 7 days unless specified otherwise", async () => {
    const admin = await gateway.newTenant();
    const [ada, bo] = [await admin.as("technician"), await admin.as("technician")];
    const partId = await part(admin, { stockLevel: 10 });
    const before = Date.now();
    const first = await move(ada, "reserve", partId, { quantity: 3, reference: "R-1" });
    expect(first).toMatchObject({ type: "RESERVE", quantity: 3, reservation: { owner: "PERSON", heldBy: await me(ada), quantity: 3 } });
    const reservedAt = Date.parse(first.reservation.expiresAt) - 7 * 86_400_000;
    expect(reservedAt).toBeGreaterThanOrEqual(before);
    expect(reservedAt).toBeLessThanOrEqual(Date.now());
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    expect((await move(ada, "reserve", partId, { quantity: 2, expiresAt })).reservation).toMatchObject({ quantity: 2, expiresAt });
    await move(bo, "reserve", partId, { quantity: 1 });
    await failed(admin, () => attempt(bo, "unreserve", partId, { quantity: 2 }), { code: "CONFLICT", available: 1, requested: 2 });
    await failed(admin, () => attempt(admin, "unreserve", partId, { quantity: 1 }), { code: "CONFLICT", available: 0, requested: 1 });
    expect(await move(ada, "unreserve", partId, { quantity: 4 })).toMatchObject({ type: "UNRESERVE", quantity: -4, reservation: null });
    expect((await list(admin, { heldBy: await me(ada) })).map(({ quantity, expiresAt: at }) => [quantity, at])).toEqual([[1, expiresAt]]);
    expect(await stockOf(admin, partId)).toEqual(stock(10, 2));
    await owned(admin);
    for (const verb of ["reserve", "issue", "receive", "return"])
      await failed(admin, () => attempt(ada, verb, partId, { quantity: 1, expiresAt: "2020-01-01T00:00:00Z" }), {
        code: "BAD_USER_INPUT",
        details: { expiresAt: expect.any(String) },
      });
  });

  test("is issued only by its owner, and no more than is allocated and available", async () => {
    const admin = await gateway.newTenant();
    const [ada, bo] = [await admin.as("technician"), await admin.as("technician")];
    const [partId, other] = [await part(admin, { stockLevel: 10 }), await part(admin, { stockLevel: 1 })];
    const { id } = (await move(ada, "reserve", partId, { quantity: 4 })).reservation;
    await move(bo, "reserve", partId, { quantity: 5 });
    const issuing = `mutation ($partId: ID!, $id: ID!, $input: MoveStockInput!) { issueStock(partId: $partId, reservationId: $id, input: $input) { quantity newBalance } }`;
    const issue = (caller: Caller, quantity: number, more: object = {}) =>
      caller.graphql(issuing, { partId, id, input: { quantity }, ...more });
    await failed(admin, () => issue(bo, 1), { code: "FORBIDDEN" });
    await failed(admin, () => issue(ada, 1, { partId: other }), { code: "BAD_USER_INPUT", details: { reservationId: expect.any(String) } });
    await failed(admin, () => issue(ada, 6), { code: "CONFLICT", available: 5, requested: 6 });
    expect((await issue(ada, 1)).data.issueStock).toEqual({ quantity: -1, newBalance: 9 });
    expect((await list(admin, { heldBy: await me(ada) })).map(({ quantity }) => quantity)).toEqual([3]);
    expect((await issue(ada, 4)).data.issueStock).toEqual({ quantity: -4, newBalance: 5 });
    expect(await stockOf(admin, partId)).toEqual(stock(5, 5));
    await owned(admin);
  });

  test("is never issued out of blocked stock", async () => {
    const admin = await gateway.newTenant();
    const [ada, manager] = [await admin.as("technician"), await admin.as("manager")];
    const partId = await part(admin, { stockLevel: 5 });
    const { id } = (await move(ada, "reserve", partId, { quantity: 2 })).reservation;
    // A gain that awaits approval.
    const { status } = await manager.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "correction", quantity: 5 });
    expect(status).toBe(201);
    const issuing = `mutation ($partId: ID!, $id: ID!, $input: MoveStockInput!) { issueStock(partId: $partId, reservationId: $id, input: $input) { newBalance } }`;
    const issue = (quantity: number) => ada.graphql(issuing, { partId, id, input: { quantity } });
    await failed(admin, () => issue(6), { code: "CONFLICT", available: 5, requested: 6 });
    expect((await issue(5)).data.issueStock).toEqual({ newBalance: 5 });
    expect(await stockOf(admin, partId)).toMatchObject({ quantity: 5, reservedStock: 0, availableStock: 0 });
    await owned(admin);
  });

  test("of another person is released by a manager with a reason; a work order's never", async () => {
    const admin = await gateway.newTenant();
    const [ada, bo, manager] = [await admin.as("technician"), await admin.as("technician"), await admin.as("manager")];
    const partId = await part(admin, { stockLevel: 10 });
    const { id } = (await move(ada, "reserve", partId, { quantity: 3, reference: "R-1" })).reservation;
    const own = (await move(bo, "reserve", partId, { quantity: 1 })).reservation;
    const order = await orderFor(admin, partId, 2);
    const [line] = await list(admin, { workOrderId: order });
    expect(line).toMatchObject({ owner: "WORK_ORDER", heldBy: null, quantity: 2, allocated: 2, short: 0, expiresAt: null });
    await failed(admin, () => bo.graphql(releasing, { id }), { code: "FORBIDDEN" });
    await failed(admin, () => manager.graphql(releasing, { id }), { code: "BAD_USER_INPUT", details: { reason: expect.any(String) } });
    await failed(admin, () => admin.graphql(releasing, { id: line.id, reason: "r" }), { code: "CONFLICT", workOrderId: order });
    for (const unknown of ["x", `StockReservation:${order}:x`, `${id}x`])
      await failed(admin, () => admin.graphql(releasing, { id: unknown }), { code: "NOT_FOUND", reservationId: unknown });
    const { releaseReservation } = await manager.ask(releasing, { id, reason: "left" });
    expect(releaseReservation).toEqual({ type: "UNRESERVE", quantity: -3, reason: "left", reference: "R-1" });
    await bo.ask(releasing, { id: own.id });
    expect(await stockOf(admin, partId)).toEqual(stock(10, 2));
    await owned(admin);
  });

  test("expires by the database's clock, once, also beside its release", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 10 });
    const holds = await Promise.all(Array.from({ length: 6 }, () => move(tenant, "reserve", partId, { quantity: 1, reference: "R" })));
    const kept = await move(tenant, "reserve", partId, { quantity: 2 });
    await runJob();
    expect(await stockOf(tenant, partId)).toEqual(stock(10, 8));
    await expire(...holds.map(({ id }) => id));
    const answers = await Promise.all([
      runJob(),
      runJob(),
      ...holds.map(({ reservation }) => tenant.graphql(releasing, { id: reservation.id })),
    ]);
    for (const { errors } of answers.slice(2) as { errors?: any[] }[]) if (errors) expect(errors[0].extensions.code).toBe("NOT_FOUND");
    const movements = `query ($id: ID!) { part(id: $id) { movements(filter: { type: UNRESERVE }, first: 50) { nodes { quantity } } } }`;
    expect((await tenant.ask(movements, { id: partId })).part.movements.nodes).toEqual(Array(6).fill({ quantity: -1 }));
    expect((await list(tenant)).map(({ id }) => id)).toEqual([kept.reservation.id]);
    await owned(tenant);
  });
});

describe("allocation", () => {
  test("two orders for the last unit: one gets it, the other is short, until a manager reallocates", async () => {
    const admin = await gateway.newTenant();
    const [technician, manager] = [await admin.as("technician"), await admin.as("manager")];
    const partId = await part(admin, { stockLevel: 1 });
    const procedures = [
      await procedure(admin, { parts: [{ partId, quantity: 1 }] }),
      await procedure(admin, { parts: [{ partId, quantity: 1 }] }),
    ];
    await Promise.all(procedures.map(({ id }) => workOrder(technician, id)));
    const [first, second] = await list(admin);
    expect([first.allocated, first.short, second.allocated, second.short]).toEqual([1, 0, 0, 1]);
    expect(await list(admin, { isShort: true })).toEqual([second]);
    const lines = `query ($id: ID!) { workOrder(id: $id) { requiredParts { reserved allocated short reservation { id } } } }`;
    expect((await admin.ask(lines, { id: second.workOrderId })).workOrder.requiredParts).toEqual([
      { reserved: 1, allocated: 0, short: 1, reservation: { id: second.id } },
    ]);
    for (const id of [first.workOrderId, second.workOrderId]) await act(admin, "start", id);
    const done = (id: string) => technician.graphql("mutation ($id: ID!) { completeWorkOrder(id: $id) { status } }", { id });
    await failed(admin, () => done(second.workOrderId), { code: "CONFLICT", available: 0, requested: 1 });

    await failed(admin, () => technician.graphql(reallocating, { id: second.id, reason: "line is down" }), { code: "FORBIDDEN" });
    await failed(admin, () => manager.graphql(reallocating, { id: second.id, reason: " " }), { code: "BAD_USER_INPUT" });
    const elsewhere = await admin.as("manager", ["South"]);
    await failed(admin, () => elsewhere.graphql(reallocating, { id: second.id, reason: "line is down" }), { code: "FORBIDDEN" });
    const { reallocateReservation } = await manager.ask(reallocating, { id: second.id, reason: "line is down" });
    const moved = { allocated: 1, short: 0, reallocatedBy: await me(manager), reallocationReason: "line is down" };
    expect(reallocateReservation).toEqual({ ...second, ...moved });
    await failed(admin, () => done(first.workOrderId), { code: "CONFLICT", available: 0, requested: 1 });
    expect((await done(second.workOrderId)).data.completeWorkOrder).toEqual({ status: "COMPLETED" });
    expect(await list(admin)).toEqual([{ ...first, allocated: 0, short: 1 }]);
    await owned(admin);
  });

  test("the list is filtered, paged and found by id; a key limited to sites sees its own", async () => {
    const admin = await gateway.newTenant();
    const partId = await part(admin, { site: "North", stockLevel: 5 });
    await admin.ask(moving("receive"), { id: partId, input: { site: "South", quantity: 5 } });
    for (const site of ["North", "South", "South"]) await move(admin, "reserve", partId, { site, quantity: 2 });
    const all = await list(admin);
    expect(all.map(({ site }) => site)).toEqual(["North", "South", "South"]);
    expect(await list(admin, { site: "South" })).toEqual(all.slice(1));
    expect(await list(admin, { owner: "WORK_ORDER" })).toEqual([]);
    const paging = `query ($after: String) { stockReservations(first: 2, after: $after, orderBy: { field: QUANTITY }) { nodes { id } pageInfo { endCursor } totalCount } }`;
    const one = (await admin.ask(paging)).stockReservations;
    const two = (await admin.ask(paging, { after: one.pageInfo.endCursor })).stockReservations;
    expect([one.totalCount, [...one.nodes, ...two.nodes].map(({ id }: any) => id).sort()]).toEqual([3, all.map(({ id }) => id).sort()]);
    expect(
      (await admin.ask("query ($id: ID!) { node(id: $id) { id ... on StockReservation { quantity } } }", { id: all[1].id })).node,
    ).toEqual({
      id: all[1].id,
      quantity: 2,
    });
    const below = `query ($id: ID!) { part(id: $id) { reservations { nodes { id } } stockAt(site: "South") { reservations { nodes { id } } } } }`;
    const found = (await admin.ask(below, { id: partId })).part;
    expect([found.reservations.nodes, found.stockAt.reservations.nodes].map((nodes) => nodes.map(({ id }: any) => id))).toEqual([
      all.map(({ id }) => id),
      all.slice(1).map(({ id }) => id),
    ]);
    const north = await admin.as("technician", ["North"], false);
    expect((await list(north)).map(({ id }) => id)).toEqual([all[0].id]);
  });
});

describe("release 0.2.0 beside", () => {
  /** Writes like the ledger of release 0.2.0, without values and owners. */
  const write = (tenant: Caller, partId: string, type: string, quantity: number, reserve: number, reference: string | null = null) =>
    gateway.database.query(
      `with moved as (
         update "StockLevel" set "previousQuantity" = quantity, "previousReserved" = reserved, quantity = quantity + $4, reserved = reserved + $5, sequence = sequence + 1,
           "updatedAt" = "updatedAt" + interval '1 millisecond' where "tenantId" = $1 and "partId" = $2 returning site, sequence, quantity, "previousQuantity", reserved, "updatedAt"
       ) insert into "StockMovement" ("tenantId", id, "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", "totalValue", reason, reference,
         "performedBy", "performedByName", "performedAt")
       select $1, gen_random_uuid()::text, $2, site, sequence, $3, case when $3 in ('reserve', 'unreserve') then $5 else quantity - "previousQuantity" end, "previousQuantity", quantity, reserved,
         0, case when $6::text is null then null when $3 = 'reserve' then 'Work order' else 'Work order completed' end, $6, 'somebody', 'Somebody', "updatedAt" from moved`,
      [tenant.tenantId, partId, type, quantity, reserve, reference],
    );

  test("manual reservations and releases by hand are holds, and orders keep their parts", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 10 });
    const order = await orderFor(tenant, partId, 4);
    await move(tenant, "reserve", partId, { quantity: 1 });
    await write(tenant, partId, "reserve", 0, 3);
    expect((await list(tenant, { heldBy: "somebody" })).map(({ quantity }) => quantity)).toEqual([3]);
    await owned(tenant);
    await write(tenant, partId, "unreserve", 0, -2);
    expect((await list(tenant, { owner: "PERSON" })).map(({ quantity }) => quantity)).toEqual([1, 1]);
    await owned(tenant);
    // More than persons hold. The order's reservation stays.
    await write(tenant, partId, "unreserve", 0, -5);
    expect((await list(tenant)).map(({ workOrderId, quantity }) => [workOrderId, quantity])).toEqual([[order, 4]]);
    await owned(tenant);
  });

  test("the lines of its orders reserve, and include its issues", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 10 });
    const { id } = await procedure(tenant);
    const order = await workOrder(tenant, id);
    const values = [tenant.tenantId, order, partId];
    await gateway.database.query(
      `insert into "WorkOrderPart" ("tenantId", "workOrderId", "partId", site, quantity, status) values ($1, $2, $3, 'main', 3, 'reserved')`,
      values,
    );
    await write(tenant, partId, "reserve", 0, 3, order);
    const parts = `query ($id: ID!) { workOrder(id: $id) { materialCost requiredParts { status reserved allocated issuedQuantity issuedValue } } }`;
    const line = async () => (await tenant.ask(parts, { id: order })).workOrder;
    expect((await line()).requiredParts).toEqual([{ status: "RESERVED", reserved: 3, allocated: 3, issuedQuantity: 0, issuedValue: 0 }]);
    await owned(tenant);
    await gateway.database.query(
      `update "WorkOrderPart" set status = 'issued', "usedQuantity" = 2 where "tenantId" = $1 and "workOrderId" = $2 and "partId" = $3`,
      values,
    );
    await write(tenant, partId, "issue", -2, -3, order);
    expect(await line()).toEqual({
      materialCost: 4,
      requiredParts: [{ status: "ISSUED", reserved: 0, allocated: 0, issuedQuantity: 2, issuedValue: 4 }],
    });
    await owned(tenant);
  });
});
