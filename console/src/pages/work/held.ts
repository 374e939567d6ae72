import { minus } from "../../parts/decimals.js";
import type { Line } from "./types.js";

/** Quantity that the order holds: issued and not returned. */
export const heldOf = ({ issuedQuantity, returnedQuantity }: Pick<Line, "issuedQuantity" | "returnedQuantity">): number =>
  minus(issuedQuantity, returnedQuantity);
