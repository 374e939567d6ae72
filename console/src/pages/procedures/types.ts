/** The records of the procedure pages, as their queries select them. */
import type { NextDatesQuery, ProcedurePageQuery } from "../../generated/procedure.js";

export type Procedure = NonNullable<ProcedurePageQuery["procedure"]>;
export type Step = Procedure["steps"][number];
export type NeededPart = Procedure["parts"][number];
export type CoveredAsset = Procedure["assets"][number];
export type NextDate = NonNullable<NextDatesQuery["previewSchedule"]>[number];
