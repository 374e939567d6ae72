/** Order proposals over the API, for tests. */
import { expect } from "vitest";
import type { Caller } from "../../world.js";
import { move, newPart } from "../stock/stock.js";

const query = `query ($site: String) { reorderProposals(site: $site) { part { partNumber } site projectedStock inDrafts expiringStock reorderPoint computedReorderPoint
  effectiveReorderPoint safetyStock leadTime averageDailyUse plannedDemand quantity
  offer { supplier { name } quantity unit unitFactor price currency cost nextBreak { quantity price cost } } sources { figure value source } } }`;

export const proposals = async (tenant: Caller): Promise<any[]> => (await tenant.ask(query)).reorderProposals;

/** The only proposal. */
export async function proposal(tenant: Caller): Promise<any> {
  const found = await proposals(tenant);
  expect(found).toHaveLength(1);
  return found[0];
}

export const sourceOf = (found: any, figure: string) => found.sources.find((one: any) => one.figure === figure)?.source;

/** A part with stock at N and an entered reorder point. */
export async function kept(tenant: Caller, quantity: number, fields: object): Promise<string> {
  const partId = await newPart(tenant, { site: "N", ...fields });
  await move(tenant, "receiveStock", partId, { quantity });
  return partId;
}

/** A new supplier of a part. */
export const setSupplier = async (tenant: Caller, partId: string, fields: object = {}, supplier: object = {}): Promise<string> => {
  const { createSupplier } = await tenant.ask("mutation ($input: CreateSupplierInput!) { createSupplier(input: $input) { id } }", {
    input: { name: "SKF", currency: "EUR", ...supplier },
  });
  await tenant.ask("mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }", {
    input: { supplierId: createSupplier.id, partId, ...fields },
  });
  return createSupplier.id;
};
