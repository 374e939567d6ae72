/** SQL of the costs of a work order, the only source of cost figures (docs/work.md, "Costs"). $1 is the tenant. */

/** Value of the parts of order `w` by the ledger. Orders that predate movements naming them keep their stored figure. */
export const materialCost = (w: string) =>
  `coalesce((select -sum(m.value) from "StockMovement" m where m."tenantId" = $1 and m."workOrderId" = ${w}.id), ${w}."partsCost", 0)`;

/** Sum of the entered costs of order `w`, such as contractors. */
export const otherCost = (w: string) =>
  `(select coalesce(sum(k.amount), 0) from "WorkOrderCost" k where k."tenantId" = $1 and k."workOrderId" = ${w}.id)`;

/** Parts, labor and other costs of order `w`. */
export const totalCost = (w: string) => `(${materialCost(w)} + ${otherCost(w)} + coalesce(${w}."laborCost", 0))`;
