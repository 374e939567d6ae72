/** Stock, counts and persons for the tests of counts and approvals. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { Caller, type Gateway, type GraphqlAnswer } from "../../world.js";

export async function personKey(
  admin: Caller,
  role = "MANAGER",
  principalId?: string,
): Promise<{ caller: Caller; principalId: string; id: string }> {
  const person = principalId ?? (await admin.ask('mutation { createPerson(input: { name: "Anna" }) { id } }')).createPerson.id;
  const { createApiKey } = await admin.ask(
    `mutation ($person: ID!) { createApiKey(input: { name: "k", role: ${role}, principalId: $person }) { key apiKey { principal { id authorId } } } }`,
    { person },
  );
  return {
    caller: new Caller(admin.gateway, admin.tenantId, createApiKey.key),
    principalId: person,
    id: createApiKey.apiKey.principal.authorId,
  };
}

export async function createPart(tenant: Caller, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await tenant.rest("POST", "/parts", { partNumber: `N-${randomUUID()}`, name: "Bearing", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.partId;
}

export const move = (caller: Caller, verb: "receive" | "issue", partId: string, input: object): Promise<any> =>
  caller.ask(`mutation ($partId: ID!, $input: MoveStockInput!) { ${verb}Stock(partId: $partId, input: $input) { id } }`, { partId, input });

/** Creates a part with stock at a site. */
export async function stocked(
  tenant: Caller,
  quantity: number,
  unitCost: number,
  site = "S",
  fields: Record<string, unknown> = {},
): Promise<string> {
  const partId = await createPart(tenant, fields);
  await move(tenant, "receive", partId, { site, quantity, unitCost });
  return partId;
}

export const levelOf = async (caller: Caller, partId: string, site = "S"): Promise<any> =>
  (
    await caller.ask(
      "query ($id: ID!, $site: String!) { part(id: $id) { stockAt(site: $site) { quantity blockedStock availableStock totalValue } } }",
      { id: partId, site },
    )
  ).part.stockAt;

export const movementsOf = async (caller: Caller, partId: string): Promise<any[]> =>
  (
    await caller.ask(
      `query ($id: ID!) { part(id: $id) { movements(first: 100, orderBy: { field: PERFORMED_AT }) { nodes { id type quantity value valueBalance reason reference reversalOf originId } } } }`,
      { id: partId },
    )
  ).part.movements.nodes;

const tables = ["Part", "StockLevel", "StockMovement", "StockAdjustment", "StockCount", "StockCountLine", "StockSettings"];

/** All rows related to the stock of a tenant. */
export async function stateOf(gateway: Gateway, { tenantId }: Caller): Promise<unknown> {
  const found = tables.map((table) =>
    gateway.database.query(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [tenantId]),
  );
  return Promise.all(found);
}

/** Expects exactly this error of a mutation, and no change. */
export async function refused(gateway: Gateway, tenant: Caller, call: () => Promise<GraphqlAnswer>, extensions: object): Promise<void> {
  const before = await stateOf(gateway, tenant);
  const { errors } = await call();
  expect(errors?.[0]?.extensions).toEqual(extensions);
  expect(await stateOf(gateway, tenant)).toEqual(before);
}

export const isBalanced = async (caller: Caller): Promise<boolean> =>
  (await caller.ask("{ verifyLedger { balanced } }")).verifyLedger.balanced;
