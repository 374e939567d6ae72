/** The records of the page of a work order, as its query selects them. */
import type { OrderPageQuery } from "../../generated/order.js";

export type Order = NonNullable<OrderPageQuery["workOrder"]>;
export type Line = Order["requiredParts"][number];
export type Code = NonNullable<OrderPageQuery["failureCodes"]>[number];
