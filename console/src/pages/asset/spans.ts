import { type Span, spansOf } from "../../parts/strip.js";
import type { Asset } from "./types.js";

export const spansOfAsset = ({ statusChanges, status, downtimes, installationDate }: Asset, from: Date, until: Date): Span[] =>
  spansOf(statusChanges.nodes, !statusChanges.pageInfo.hasNextPage, status, downtimes.nodes, installationDate, from, until);
