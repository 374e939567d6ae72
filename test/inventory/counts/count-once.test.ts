/** A difference is booked once, by the first count posted (docs/stock.md, "Counts"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { isBalanced, levelOf, refused, stocked } from "./count-world.js";

const gateway = await sharedGateway();

const create = async (caller: Caller): Promise<string> =>
  (await caller.ask('mutation { createStockCount(input: { site: "S" }) { id } }')).createStockCount.id;
const record = (caller: Caller, id: string, partId: string, counted: number, countedAt?: string) =>
  caller.ask("mutation ($id: ID!, $lines: [CountedLineInput!]!) { recordCount(id: $id, lines: $lines) { id } }", {
    id,
    lines: [{ partId, counted, countedAt }],
  });
const posting = "mutation ($id: ID!) { postStockCount(id: $id) { differingLines } }";
const post = async (caller: Caller, id: string) => (await caller.ask(posting, { id })).postStockCount.differingLines;
const recount = (caller: Caller, id: string, partId: string) =>
  caller.ask("mutation ($id: ID!, $partIds: [ID!]) { requestRecount(id: $id, partIds: $partIds) { id } }", { id, partIds: [partId] });

type Otherwise = (tenant: Caller, partId: string) => Promise<unknown>;

const otherwise: Record<string, Otherwise> = {
  "by a later count that is posted first": async (tenant, partId) => {
    const later = await create(tenant);
    await record(tenant, later, partId, 12);
    expect(await post(tenant, later)).toBe(1);
  },
  "by the stock record": (tenant, partId) =>
    tenant.ask('mutation ($p: ID!) { updateInventory(partId: $p, input: { site: "S", currentStock: 12 }) { quantity } }', { p: partId }),
  "by an adjustment": (tenant, partId) =>
    tenant.ask('mutation ($p: ID!) { adjustStock(partId: $p, input: { site: "S", adjustmentType: COUNT, quantity: 2 }) { id } }', {
      p: partId,
    }),
};

test.each(Object.entries(otherwise))("a difference found %s is not found again", async (_, find) => {
  const tenant = await gateway.newTenant();
  const partId = await stocked(tenant, 10, 2);
  const first = await create(tenant);
  await record(tenant, first, partId, 12);
  await find(tenant, partId);
  await refused(gateway, tenant, () => tenant.graphql(posting, { id: first }), { code: "CONFLICT", partIds: [partId] });
  await recount(tenant, first, partId);
  await record(tenant, first, partId, 12);
  expect(await post(tenant, first)).toBe(0);
  expect((await levelOf(tenant, partId)).quantity).toBe(12);
  expect(await isBalanced(tenant)).toBe(true);
});

test("two counts of the same instant agree: the second finds nothing more", async () => {
  const tenant = await gateway.newTenant();
  const partId = await stocked(tenant, 10, 2);
  const [first, second] = [await create(tenant), await create(tenant)];
  const [{ now }] = (await gateway.database.query<{ now: Date }>("select clock_timestamp() as now")) as [{ now: Date }];
  for (const id of [first, second]) await record(tenant, id, partId, 8, now.toISOString());
  expect([await post(tenant, first), await post(tenant, second)]).toEqual([1, 0]);
  expect((await levelOf(tenant, partId)).quantity).toBe(8);
  expect(await isBalanced(tenant)).toBe(true);
});

test("a later count without differences is right too; a rejected one no longer counts", async () => {
  const tenant = await gateway.newTenant();
  const manager = await tenant.as("manager");
  const partId = await stocked(tenant, 10, 2);
  const [first, second, third] = [await create(tenant), await create(tenant), await create(tenant)];
  await record(tenant, first, partId, 12);
  await record(tenant, second, partId, 11);
  await record(tenant, third, partId, 10);
  expect(await post(tenant, third)).toBe(0);
  await refused(gateway, tenant, () => tenant.graphql(posting, { id: first }), { code: "CONFLICT", partIds: [partId] });
  await tenant.ask("mutation ($id: ID!) { cancelStockCount(id: $id) { id } }", { id: second });
  const [fourth, fifth] = [await create(tenant), await create(tenant)];
  await record(tenant, fourth, partId, 9);
  await record(tenant, fifth, partId, 8);
  await post(tenant, fifth);
  await refused(gateway, tenant, () => tenant.graphql(posting, { id: fourth }), { code: "CONFLICT", partIds: [partId] });
  await manager.ask("mutation ($id: ID!) { rejectStockCount(id: $id) { id } }", { id: fifth });
  expect(await post(tenant, fourth)).toBe(1);
  expect((await levelOf(tenant, partId)).quantity).toBe(9);
});
