/** Closed months, and movements with their own times (docs/stock.md, "Periods" and "Times"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { discrepancies, level, monthsAgo, move, movements, newPart, refusal, refusedMove, reverse } from "./stock.js";

const gateway = await sharedGateway();
const [present, last, before] = [monthsAgo(0), monthsAgo(1), monthsAgo(2)];

const closing =
  "mutation ($month: String!) { closeStockPeriod(month: $month) { month quantityExact valueExact levels reopenedAt reason } }";
const reopening =
  "mutation ($month: String!, $reason: ShortText!) { reopenStockPeriod(month: $month, reason: $reason) { month reason reopenedBy } }";
const close = async (caller: Caller, month: string) => (await caller.ask(closing, { month })).closeStockPeriod;
const history = (caller: Caller, partId: string, performedAt: string, input: object = {}) =>
  move(caller, "receiveStock", partId, { quantity: 1, unitCost: 2, performedAt, ...input });

test("months close in order once they have ended, with their balances; nothing is posted into them", async () => {
  const tenant = await gateway.newTenant();
  const [manager, other] = [await tenant.as("manager"), await tenant.as("manager")];
  const [partId, second] = [await newPart(tenant), await newPart(tenant)];
  expect((await history(tenant, partId, before.at(5), { quantity: 4, unitCost: 2.5 })).performedAt).toBe(before.at(5));
  const issue = await move(tenant, "issueStock", partId, { quantity: 4, performedAt: last.at(3) });
  await history(tenant, second, last.at(4), { quantity: 3, unitCost: 0.1111 });
  expect(await refusal(manager, closing, { month: last.month })).toEqual({
    message: "Months are closed in order",
    code: "CONFLICT",
    next: before.month,
  });
  expect(await refusal(manager, closing, { month: present.month })).toMatchObject({ message: "The month has not ended", code: "CONFLICT" });
  for (const month of ["2026-13", "0000-01"])
    expect(await refusal(manager, closing, { month })).toMatchObject({
      code: "BAD_USER_INPUT",
      details: { month: "must be a month, such as 2026-11" },
    });
  expect(await refusal(await tenant.as("manager", ["N"]), closing, { month: before.month })).toMatchObject({ code: "FORBIDDEN" });
  const open = { reopenedAt: null, reason: null };
  expect(await close(manager, before.month)).toEqual({ month: before.month, quantityExact: "4", valueExact: "10", levels: 1, ...open });
  expect(await close(manager, last.month)).toEqual({ month: last.month, quantityExact: "3", valueExact: "0.3333", levels: 1, ...open });
  expect(await refusal(manager, closing, { month: before.month })).toMatchObject({
    message: "The month is already closed",
    last: last.month,
  });

  const third = await newPart(tenant);
  expect(await refusedMove(tenant, "receiveStock", third, { quantity: 1, performedAt: last.at(20) })).toMatchObject({
    message: "The month of the movement is closed; post it with today's date or reopen the month",
    code: "CONFLICT",
  });
  expect(await movements(tenant, third)).toEqual([]);
  const { part } = await tenant.ask("query ($id: ID!) { part(id: $id) { stockLevels { site } } }", { id: third });
  expect(part.stockLevels, "no stock record is left behind").toEqual([]);
  // Reversed today.
  await reverse(tenant, issue.id);
  expect((await level(tenant, partId)).totalValueExact).toBe("10");

  expect(await refusal(other, reopening, { month: before.month, reason: "late" })).toMatchObject({ code: "CONFLICT", last: last.month });
  expect(await refusal(manager, reopening, { month: last.month, reason: "late" })).toMatchObject({ code: "FORBIDDEN" });
  expect(await refusal(other, reopening, { month: present.month, reason: "late" })).toMatchObject({
    code: "NOT_FOUND",
    month: present.month,
  });
  const { reopenStockPeriod } = await other.ask(reopening, { month: last.month, reason: "late invoice" });
  expect(reopenStockPeriod).toEqual({ month: last.month, reason: "late invoice", reopenedBy: expect.any(String) });
  await history(tenant, third, last.at(20));
  expect(await close(manager, last.month)).toMatchObject({ quantityExact: "4", valueExact: "2.3333", levels: 2 });
  const { stockPeriods } = await tenant.ask(
    "{ stockPeriods { nodes { month valueExact reason } } closed: stockPeriods(filter: { closed: true }) { totalCount } }",
  );
  expect(stockPeriods.nodes).toEqual([
    { month: before.month, valueExact: "10", reason: null },
    { month: last.month, valueExact: "0.3333", reason: "late invoice" },
    { month: last.month, valueExact: "2.3333", reason: null },
  ]);
  expect(await discrepancies(gateway, tenant)).toEqual([]);
  await expect(gateway.database.query(`delete from "StockPeriod" where "tenantId" = $1`, [tenant.tenantId])).rejects.toThrow(
    "never changed",
  );
});

test("a month with undecided adjustments stays open, and names them", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await history(tenant, partId, last.at(2), { quantity: 5 });
  const { adjustStock } = await tenant.ask(
    `mutation ($partId: ID!, $at: DateTime) { adjustStock(partId: $partId, input: { site: "N", adjustmentType: DAMAGE, quantity: -1, performedAt: $at }) { id performedAt } }`,
    { partId, at: last.at(3) },
  );
  expect(adjustStock.performedAt).toBe(last.at(3));
  const manager = await tenant.as("manager");
  expect(await refusal(manager, closing, { month: last.month })).toEqual({
    message: "The month has undecided adjustments",
    code: "CONFLICT",
    adjustments: [adjustStock.id],
  });
  await manager.ask("mutation ($id: ID!) { approveAdjustment(id: $id) { id } }", { id: adjustStock.id });
  expect(await close(manager, last.month)).toMatchObject({ quantityExact: "4", valueExact: "8" });
});

test("a movement posted while a month is closed is in its balances, or rejected", async () => {
  const tenant = await gateway.newTenant();
  const parts = await Promise.all(Array.from({ length: 12 }, () => newPart(tenant)));
  const [closed, ...posted] = await Promise.all([
    close(tenant, last.month),
    ...parts.map((partId) =>
      tenant.graphql("mutation ($partId: ID!, $input: MoveStockInput!) { receiveStock(partId: $partId, input: $input) { id } }", {
        partId,
        input: { site: "N", quantity: 1, unitCost: 3, performedAt: last.at(9) },
      }),
    ),
  ]);
  const inside = posted.filter(({ errors }) => !errors);
  expect(new Set(posted.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions.code) ?? []))).toEqual(
    new Set(inside.length < parts.length ? ["CONFLICT"] : []),
  );
  expect(closed).toMatchObject({ quantityExact: String(inside.length), valueExact: String(3 * inside.length) });
});

test("late entries carry the time of use; a manager loads history, in order", async () => {
  const tenant = await gateway.newTenant();
  const [technician, partId] = [await tenant.as("technician"), await newPart(tenant)];
  const future = new Date(Date.now() + 3_600_000).toISOString();
  expect(await refusedMove(tenant, "receiveStock", partId, { quantity: 1, occurredAt: future, performedAt: future })).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { occurredAt: "must not be in the future", performedAt: "must not be in the future" },
  });
  expect(await refusedMove(technician, "receiveStock", partId, { quantity: 1, performedAt: last.at(3) })).toMatchObject({
    code: "FORBIDDEN",
  });
  const late = await move(tenant, "receiveStock", partId, { quantity: 2, unitCost: 5, occurredAt: last.at(3) });
  expect(late.occurredAt).toBe(last.at(3));
  expect(Date.parse(late.performedAt)).toBeGreaterThan(Date.now() - 3_600_000);
  expect(await refusedMove(tenant, "issueStock", partId, { quantity: 1, performedAt: last.at(4) })).toEqual({
    message: "The stock level has a later movement",
    code: "CONFLICT",
    lastMovement: late.id,
    lastPerformedAt: late.performedAt,
  });
  const { errors } = await tenant.graphql(
    `mutation ($partId: ID!, $at: DateTime) { transferStock(partId: $partId, input: { fromSite: "N", toSite: "S", quantity: 1, occurredAt: $at }) { id } }`,
    { partId, at: future },
  );
  expect(errors![0]!.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { occurredAt: "must not be in the future" } });
  const { transferStock } = await tenant.ask(
    `mutation ($partId: ID!, $at: DateTime) { transferStock(partId: $partId, input: { fromSite: "N", toSite: "S", quantity: 1, occurredAt: $at }) { occurredAt } }`,
    { partId, at: last.at(5) },
  );
  expect(transferStock).toEqual([{ occurredAt: last.at(5) }, { occurredAt: last.at(5) }]);
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});
