/** Returns by hand (docs/stock.md, "Corrections"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { discrepancies, level, move, newPart, refusal, reverse } from "./stock.js";

const gateway = await sharedGateway();

const returning = `mutation ($partId: ID!, $issueId: ID, $input: MoveStockInput!) {
  done: returnStock(partId: $partId, issueId: $issueId, input: $input) { id type valueExact originId site } }`;

/** 3 of a part at the site N, worth 10, all of it issued; then 7 others worth 70 are there. */
async function issued() {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 3, unitCost: 3.3333 });
  await tenant.ask('mutation ($partId: ID!) { updateInventory(partId: $partId, input: { site: "N", unitCost: 3.3334 }) { quantity } }', {
    partId,
  });
  const issue = await move(tenant, "issueStock", partId, { quantity: 3 });
  await move(tenant, "receiveStock", partId, { quantity: 7, unitCost: 10 });
  const back = async (input: object): Promise<any> => (await tenant.ask(returning, { partId, issueId: issue.id, input })).done;
  const refused = (input: object, issueId = issue.id) => refusal(tenant, returning, { partId, issueId, input });
  return { tenant, partId, issue, back, refused };
}

const movementsOf = (tenant: Caller) => tenant.snapshot("StockMovement");

test("what was issued comes back at the value it left with, and no more than it", async () => {
  const { tenant, partId, issue, back, refused } = await issued();
  expect(issue.valueExact).toBe("-10.0002");
  expect(await back({ quantity: 1 })).toMatchObject({ type: "RETURN", valueExact: "3.3334", originId: issue.id, site: "N" });
  // To another site, if it says so.
  const second = await back({ quantity: 1, site: "S" });
  expect(second).toMatchObject({ valueExact: "3.3334", site: "S" });
  const before = await movementsOf(tenant);
  expect(await refused({ quantity: 1.0001 })).toEqual({
    ...{ message: "Not that much was issued and not returned", code: "CONFLICT", available: 1, requested: 1.0001 },
  });
  expect(await refused({ quantity: 1, unitCost: 4 })).toMatchObject({ code: "BAD_USER_INPUT", details: { unitCost: expect.any(String) } });
  expect(await refused({ quantity: 1 }, second.id)).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { issueId: "must be an issue of the part" },
  });
  expect(await refused({ quantity: 1 }, "none")).toMatchObject({ code: "NOT_FOUND" });
  const other = await newPart(tenant);
  expect(await refusal(tenant, returning, { partId: other, issueId: issue.id, input: { quantity: 1 } })).toMatchObject({
    code: "BAD_USER_INPUT",
  });
  expect(await movementsOf(tenant)).toEqual(before);
  // What was taken back may come back again; the last takes the rest.
  await reverse(tenant, second.id);
  expect(await back({ quantity: 2 })).toMatchObject({ valueExact: "6.6668" });
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "10", totalValueExact: "80.0002" });
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test("of an issue that was taken back nothing comes back, whoever is first", async () => {
  const { tenant, issue, refused } = await issued();
  const reversal = await reverse(tenant, issue.id);
  expect(await refused({ quantity: 1 })).toEqual({ message: "The issue is taken back already", code: "CONFLICT", reversedBy: reversal.id });
});

test("returns at the same time are no more than what was issued", async () => {
  const { tenant, partId, issue } = await issued();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      tenant.graphql(returning, { partId, issueId: issue.id, input: { quantity: 1, ...(i % 2 && { site: "S" }) } }),
    ),
  );
  expect(answers.filter(({ errors }) => !errors)).toHaveLength(3);
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test("a key of one site returns neither to another nor from another", async () => {
  const { tenant, partId, issue } = await issued();
  const limited = await tenant.as("technician", ["S"]);
  const before = await tenant.snapshot("StockMovement");
  for (const input of [{ quantity: 1 }, { quantity: 1, site: "S" }])
    expect(await refusal(limited, returning, { partId, issueId: issue.id, input })).toMatchObject({ code: "FORBIDDEN" });
  expect(await tenant.snapshot("StockMovement")).toEqual(before);
});
