/** Effects of changed intervals on the work of a period (docs/work.md, "Simulating changes"). */
import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../../relation.js";
import { DateTime, Positive, WholeNumber } from "../../scalars.js";
import { ProcedureFrequency } from "../enums.js";

/** Cost of a list of a usual length. */
const listed =
  (length: number) =>
  ({ childComplexity }: { childComplexity: number }) =>
    1 + length * (1 + childComplexity);

@InputType({
  description:
    "Simulated change of procedures. Selects the active ones that match all of `procedureIds`, `assetType` and `site`, and sets one of `intervalFactor`, `frequency` and `isPaused`.",
})
export class PlanChangeInput {
  @Field(() => [ID], { nullable: true, description: "Only these procedures, at most 1,000. Default: all." })
  procedureIds?: string[] | null;

  @Field(() => String, { nullable: true, description: "Only procedures for assets of this type. Default: all." })
  assetType?: string | null;

  @Field(() => String, { nullable: true, description: "Only procedures for assets at this site. Default: all." })
  site?: string | null;

  @Field(() => Positive, {
    nullable: true,
    description: "Factor of the interval by date and by meter, from 0.1 to 10. Twice MONTHLY is CUSTOM with 60 days.",
  })
  intervalFactor?: number | null;

  @Field(() => ProcedureFrequency, { nullable: true, description: "New frequency. CUSTOM uses `customIntervalDays`." })
  frequency?: ProcedureFrequency | null;

  @Field(() => WholeNumber, { nullable: true, description: "Interval in days for the frequency CUSTOM." })
  customIntervalDays?: number | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the procedures are paused, so that they are never due." })
  isPaused?: boolean | null;
}

@ArgsType()
export class SimulatePlanArgs {
  @Field(() => [PlanChangeInput], {
    description: "Changes, at most 100. The first one that selects a procedure applies to it, on all of its assets.",
  })
  changes!: PlanChangeInput[];

  @Field(() => DateTime, { description: "Start of the period. Overdue work is due now." })
  from!: Date;

  @Field(() => DateTime, { description: "End of the period, at most 3,660 days later." })
  to!: Date;
}

@ObjectType({ simpleResolvers: true, description: "Work due in a period, without the occurrences that have a work order." })
export class PlanFigures {
  @Field(() => Int, { description: "Number of occurrences." })
  occurrences!: number;

  @Field(() => Float, { description: "Estimated hours of the occurrences whose procedure has an `estimatedDuration`." })
  hours!: number;

  @Field(() => Int, { description: "Number of occurrences whose procedure has no `estimatedDuration`." })
  withoutDuration!: number;

  @Field(() => Float, { description: "Value of the planned parts at the present cost of each site, in the currency of the stock." })
  partsCost!: number;

  @Field(() => Int, { description: "Number of occurrences with planned parts whose cost is unknown." })
  withoutCost!: number;
}

@ObjectType({ simpleResolvers: true, description: "Due date that only the plan or only the simulation has." })
export class SimulatedDate {
  @Field(() => DateTime, { description: "Due date. In the past if overdue." })
  dueAt!: Date;

  @Field(() => String, { description: "Explanation of the date." })
  reason!: string;
}

@ObjectType({ simpleResolvers: true, description: "Effect of a simulation on a procedure and one of its assets." })
@Relations({
  procedure: one("Procedure", { on: { id: "procedureId" }, required: true, description: "Procedure." }),
  asset: one("Asset", { on: { id: "assetId" }, description: "Asset. Null if it has been deleted." }),
})
export class SimulatedProcedure {
  procedureId!: string;
  assetId!: string;

  @Field(() => Boolean, { description: "Whether a change applies. False for work that a changed procedure covers or no longer covers." })
  isChanged!: boolean;

  @Field(() => ProcedureFrequency, { description: "Simulated frequency." })
  frequency!: ProcedureFrequency;

  @Field(() => Int, { nullable: true, description: "Simulated interval in days of the frequency CUSTOM. Null for other frequencies." })
  customIntervalDays?: number | null;

  @Field(() => PlanFigures, { description: "Work of the plan." })
  planned!: PlanFigures;

  @Field(() => PlanFigures, { description: "Work of the simulation." })
  simulated!: PlanFigures;

  @Field(() => [SimulatedDate], {
    complexity: listed(5),
    description: "Due dates of the plan that the simulation does not have.",
  })
  dropped!: SimulatedDate[];

  @Field(() => [SimulatedDate], {
    complexity: listed(5),
    description: "Due dates of the simulation that the plan does not have.",
  })
  added!: SimulatedDate[];
}

@ObjectType({ simpleResolvers: true, description: "Planned quantity of a part from a site, without and with the simulated changes." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "Part." }) })
export class SimulatedPart {
  partId!: string;

  @Field(() => String, { description: "Site that supplies the part, by the rules for reservations of work orders." })
  site!: string;

  @Field(() => Float, { description: "Quantity of the plan, in the part's unit." })
  planned!: number;

  @Field(() => Float, { description: "Quantity of the simulation, in the part's unit." })
  simulated!: number;
}

@ObjectType({ simpleResolvers: true, description: "Procedure that a change selects and that stays as planned." })
@Relations({ procedure: one("Procedure", { on: { id: "procedureId" }, required: true, description: "Procedure." }) })
export class UnchangedProcedure {
  procedureId!: string;

  @Field(() => String, { description: "Reason." })
  reason!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: "Work of a period without and with simulated changes: of the changed procedures, and of those that they cover.",
})
export class PlanSimulation {
  @Field(() => PlanFigures, { description: "Work of the plan." })
  planned!: PlanFigures;

  @Field(() => PlanFigures, { description: "Work of the simulation." })
  simulated!: PlanFigures;

  @Field(() => [SimulatedProcedure], {
    complexity: listed(50),

    description: "Procedures whose due dates differ, by asset, the largest difference in occurrences first.",
  })
  procedures!: SimulatedProcedure[];

  @Field(() => [SimulatedPart], {
    complexity: listed(20),
    description: "Parts whose quantity differs.",
  })
  parts!: SimulatedPart[];

  @Field(() => [UnchangedProcedure], {
    complexity: listed(5),
    description: "Selected procedures that no change affects, such as statutory ones.",
  })
  unchanged!: UnchangedProcedure[];
}
