/** Recalls as their queries select them, and what is said of them. */
import { t } from "@lingui/core/macro";
import type { RecallListQuery, RecallPageQuery } from "../../generated/recalls.js";

export type ListedRecall = NonNullable<RecallListQuery["recalls"]>["nodes"][number];
export type Recall = NonNullable<RecallPageQuery["recall"]>;
export type RecalledUnit = Recall["units"]["nodes"][number];
export type Period = NonNullable<RecalledUnit["located"]>;

/** Which units are recalled. */
export function choiceText({ batchNumber, serialNumbers, serialFrom, serialTo }: ListedRecall): string {
  if (batchNumber !== null) return t`batch ${batchNumber}`;
  if (serialFrom !== null) return t`serial numbers ${serialFrom} to ${serialTo ?? ""}`;
  return t`serial numbers ${serialNumbers.join(", ")}`;
}

export const progressText = ({ replaced, toReplace }: ListedRecall["counts"]): string => t`${replaced} of ${toReplace} replaced`;

export const placeOf = (period: Period | null): string => {
  const { component, site } = period ?? {};
  if (!component) return site ?? "";
  return [component.asset?.site, component.asset?.name, component.name].filter(Boolean).join(" › ");
};
