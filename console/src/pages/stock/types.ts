/** Records of the part page, as its query selects them. */
import type { PartPageQuery } from "../../generated/stock.js";

export type Part = NonNullable<PartPageQuery["part"]>;
export type Price = NonNullable<PartPageQuery["priceHistory"]>[number];
export type Batch = NonNullable<PartPageQuery["batches"]>[number];
export type Movement = "receive" | "issue" | "return" | "transfer" | "count" | "adjust";

export interface MoveProps {
  part: Part;
  /** Batches on hand, at all sites. */
  batches: Batch[];
  site: string;
  onSite: (site: string) => void;
  onClose: () => void;
  onDone: () => void;
}
