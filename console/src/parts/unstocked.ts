interface Proposal {
  projectedStock: number;
  reorderPoint: number | null;
  minimumStock: number | null;
  part: { stockLevels: unknown[] };
}

/** Shortages of parts that no site keeps. The list of stock levels lacks them. */
export const unstocked = <T extends Proposal>(proposals: readonly T[] | null | undefined): T[] =>
  (proposals ?? []).filter(
    ({ projectedStock, reorderPoint, minimumStock, part }) =>
      !part.stockLevels.length && projectedStock < Math.max(reorderPoint ?? 0, minimumStock ?? 0),
  );
