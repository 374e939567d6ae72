/** Stock operations of clients, and the figures that must agree after any operation. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Caller, Gateway } from "../../world.js";

export const movementFields = `id type quantityExact newBalanceExact valueExact valueBalanceExact expensedExact costMissing reason originId reversalOf reversedBy { id }`;

export async function newPart(tenant: Caller, input: object = {}): Promise<string> {
  const { createPart } = await tenant.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
    input: { partNumber: randomUUID(), name: "Bearing", ...input },
  });
  return createPart.id;
}

type Verb = "receiveStock" | "issueStock" | "returnStock" | "reserveStock" | "unreserveStock";

const moveQuery = (verb: Verb) =>
  `mutation ($partId: ID!, $input: MoveStockInput!) { moved: ${verb}(partId: $partId, input: $input) { ${movementFields} performedAt occurredAt } }`;

/** Moves stock, by default at the site N. Returns the movement. */
export const move = async (tenant: Caller, verb: Verb, partId: string, input: object): Promise<any> =>
  (await tenant.ask(moveQuery(verb), { partId, input: { site: "N", ...input } })).moved;

/** Code and details of a refusal, as in the response. */
export async function refusal(tenant: Caller, query: string, variables: object): Promise<any> {
  const { errors } = await tenant.graphql(query, variables as Record<string, unknown>);
  expect(errors, "it is refused").toHaveLength(1);
  return { message: errors![0]!.message, ...errors![0]!.extensions };
}

export const refusedMove = (tenant: Caller, verb: Verb, partId: string, input: object) =>
  refusal(tenant, moveQuery(verb), { partId, input: { site: "N", ...input } });

export const reverse = async (tenant: Caller, id: string, reason = "wrong"): Promise<any> =>
  (
    await tenant.ask(`mutation ($id: ID!, $reason: ShortText!) { reverseMovement(id: $id, reason: $reason) { ${movementFields} } }`, {
      id,
      reason,
    })
  ).reverseMovement;

export const refusedReversal = (tenant: Caller, id: string, reason = "wrong") =>
  refusal(tenant, "mutation ($id: ID!, $reason: ShortText!) { reverseMovement(id: $id, reason: $reason) { id } }", { id, reason });

/** Quantity, value and cost of a level. */
export const level = async (tenant: Caller, partId: string, site = "N"): Promise<any> =>
  (
    await tenant.ask(
      "query ($partId: ID!, $site: String) { part(id: $partId) { stockAt(site: $site) { quantityExact totalValueExact unitCostExact reservedStockExact } } }",
      { partId, site },
    )
  ).part.stockAt;

export const movements = async (tenant: Caller, partId: string): Promise<any[]> =>
  (await tenant.ask(`query ($partId: ID!) { part(id: $partId) { movements { nodes { ${movementFields} site } } } }`, { partId })).part
    .movements.nodes;

/** The levels whose quantity or value differs from the sum of the movements, their last balance, or the month's sums. Must be empty. */
export const discrepancies = (gateway: Gateway, { tenantId }: Caller) =>
  gateway.database.query(
    `select s."partId", s.site from "StockLevel" s
     left join lateral (select sum(value) as value, sum(quantity) filter (where type not in ('reserve', 'unreserve')) as quantity, max(sequence) as last, count(*) as number
       from "StockMovement" m where m."tenantId" = s."tenantId" and m."partId" = s."partId" and m.site = s.site) m on true
     left join "StockMovement" l on l."tenantId" = s."tenantId" and l."partId" = s."partId" and l.site = s.site and l.sequence = m.last
     left join lateral (select value, quantity from "StockBalance" b where b."tenantId" = s."tenantId" and b."partId" = s."partId" and b.site = s.site
       order by month desc limit 1) b on true
     where s."tenantId" = $1 and ((s.quantity, s.value) is distinct from (coalesce(m.quantity, 0), coalesce(m.value, 0))
       or (s.quantity, s.value) is distinct from (coalesce(l."newBalance", 0), coalesce(l."valueBalance", 0))
       or (s.quantity, s.value) is distinct from (coalesce(b.quantity, 0), coalesce(b.value, 0))
       or s.sequence <> m.number or s."valuedSequence" <> s.sequence)`,
    [tenantId],
  );

/** The month `count` months before this one, such as 2026-11, and times in it. */
export function monthsAgo(count: number): { month: string; at: (day: number, hour?: number) => string } {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString().slice(0, 7);
  return { month, at: (day, hour = 12) => `${month}-${String(day).padStart(2, "0")}T${String(hour).padStart(2, "0")}:00:00.000Z` };
}
