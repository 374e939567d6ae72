/** Stock that moves with units (docs/units.md). `write` records the periods before the movement, so that the ledger finds the unit there. */
import { badInput } from "../../../schema/errors.js";
import type { PostUnit } from "../../components/unit-stock.js";
import { lockLevels, lockPlaces } from "../../inventory/stock/ledger.js";
import { postNumbered } from "../../inventory/stock/serials.js";
import { returnValue } from "../../inventory/stock/unit-values.js";
import { issueToOrder } from "./material.js";

/**
 * Issues a unit that is installed, to the work order if there is one. Throws CONFLICT with `available` and `requested` for reserved, blocked or
 * expired stock, and the errors of `issueToOrder`.
 */
export const issueUnit: PostUnit = async (tx, actor, { partId, serialNumber, site, workOrderId, notes, occurredAt }, write) => {
  const stock = { partId, site, notes, occurredAt, serialNumbers: [serialNumber] };
  if (workOrderId != null) {
    await issueToOrder(tx, actor, workOrderId, { ...stock, quantity: 1 }, write);
    return;
  }
  await lockPlaces(tx, [stock]);
  await write();
  await postNumbered(tx, actor, { ...stock, type: "issue", quantity: -1, limit: "available", reason: "Installed in a component" });
};

/**
 * Returns an inspected unit to stock at the core value of its part, or at the value with which it left if it is unworn. A repairable unit is
 * worth its repair more. One that did not leave the stock by an issue is a gain, which another person approves, and so is one with a cost
 * (docs/decisions.md, "released units"). Throws BAD_USER_INPUT naming repairCost.
 */
export const releaseUnit: PostUnit = async (tx, actor, { unitId, partId, serialNumber, site, notes, repairCost, occurredAt }, write) => {
  await lockLevels(tx, partId, [site]);
  await write();
  const [known] = await tx.query<{ unitCost: number; wasIssued: boolean; isRepairable: boolean }>(
    `select case when p."isRepairable" then coalesce(${returnValue("u", "p")}, p."coreValue", 0) + coalesce($3::numeric, 0) else coalesce(p."coreValue", 0) end as "unitCost",
       coalesce(m.type = 'issue', false) as "wasIssued", p."isRepairable"
     from "Unit" u join "Part" p on p."tenantId" = $1 and p.id = u."partId" left join "StockMovement" m on m."tenantId" = $1 and m.id = u."movementId"
     where u."tenantId" = $1 and u.id = $2`,
    unitId,
    repairCost ?? null,
  );
  const { unitCost, wasIssued, isRepairable } = known!;
  if (repairCost != null && !isRepairable)
    throw badInput({ repairCost: "needs a part with isRepairable, whose units have values of their own" });
  await postNumbered(tx, actor, {
    partId,
    site,
    type: "return",
    quantity: 1,
    unitCost,
    serialNumbers: [serialNumber],
    reason: "Released after inspection",
    notes,
    occurredAt,
    ...((!wasIssued || repairCost) && { adjustmentType: "correction" as const }),
  });
};
