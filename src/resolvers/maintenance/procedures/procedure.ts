import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../../database/records/records.js";
import { calendar } from "../../../domain/maintenance/procedures/calendar.js";
import {
  addProcedureAssets,
  assetsOfProcedures,
  plansOfAssets,
  removeProcedureAssets,
} from "../../../domain/maintenance/procedures/procedure-assets.js";
import { historyOf, partsOfProcedures, performanceOf } from "../../../domain/maintenance/procedures/procedure-batches.js";
import * as procedures from "../../../domain/maintenance/procedures/procedures.js";
import { compliance, previewSchedule, previewScheduleDraft } from "../../../domain/maintenance/procedures/schedule-preview.js";
import { upcoming } from "../../../domain/maintenance/procedures/upcoming.js";
import { schedulerStatus } from "../../../domain/maintenance/procedures/work-without-order.js";
import { Asset } from "../../../schema/assets/asset.js";
import { Deletion } from "../../../schema/deletion.js";
import { badInput } from "../../../schema/errors.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { CalendarArgs, CalendarEntry } from "../../../schema/maintenance/procedures/calendar.js";
import { Compliance, ComplianceArgs, PreviewArgs, ScheduledDate } from "../../../schema/maintenance/procedures/occurrence.js";
import {
  Procedure,
  ProcedureExecution,
  ProcedurePart,
  ProcedurePerformance,
  ProcedureStep,
  UpcomingOccurrence,
} from "../../../schema/maintenance/procedures/procedure.js";
import { ProcedureAsset } from "../../../schema/maintenance/procedures/procedure-asset.js";
import { CreateProcedureInput, ProcedureAssetInput, UpdateProcedureInput } from "../../../schema/maintenance/procedures/procedure-input.js";
import { DraftPreviewArgs } from "../../../schema/maintenance/procedures/schedule-draft.js";
import { SchedulerStatus } from "../../../schema/maintenance/procedures/scheduler-status.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import type { Context } from "../../context.js";
import { forecastCost, listCost, price, priced } from "../../cost.js";
import { declareRoots } from "../../relations.js";

export const procedureRoots = declareRoots({
  procedure: one<IdArgs>("Procedure", {
    args: IdArgs,
    unknown: ({ id }) => procedures.unknownProcedure(id),
    description: "Returns a procedure by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  procedures: pages("Procedure", { description: "Lists procedures, oldest first unless ordered otherwise." }),
});

@Resolver(() => Procedure)
export class ProcedureResolver {
  @Query(() => [UpcomingOccurrence], {
    complexity: forecastCost({ days: "days" }, 100, 1_000, price.forecast),
    description:
      "Forecasts the due dates of active procedures in the next `days` days, by date and by meter, including overdue ones. At most 1,000.",
  })
  upcoming(
    @Arg("days", () => Int, { description: "Number of days to look ahead, from 0 to 3,660." }) days: number,
    @Ctx() { data: { db } }: Context,
    @Arg("assetId", () => ID, { nullable: true, description: "Only due dates of this asset. Default: all." }) assetId?: string,
    @Arg("site", () => String, { nullable: true, description: "Only due dates of assets at this site. Default: all." }) site?: string,
  ): Promise<UpcomingOccurrence[]> {
    if (days < 0 || days > 3660) throw badInput({ days: "must be from 0 to 3660" });
    return upcoming(db, days, { assetId, site });
  }

  @Query(() => SchedulerStatus, {
    complexity: listCost(50, price.pass),
    description: "Whether procedures that are due get their work orders.",
  })
  schedulerStatus(@Ctx() { data: { db } }: Context): Promise<SchedulerStatus> {
    return schedulerStatus(db);
  }

  @Query(() => [CalendarEntry], {
    complexity: forecastCost({ from: "from", to: "until" }, 100, 2_000, price.forecast),
    description:
      "Lists planned and due work between two times, in order: work orders, and occurrences of procedures without an order. At most 2,000.",
  })
  calendar(@Args(() => CalendarArgs) args: CalendarArgs, @Ctx() { data: { db } }: Context): Promise<CalendarEntry[]> {
    return calendar(db, args);
  }

  @Query(() => [ScheduledDate], {
    complexity: forecastCost({ from: "from", to: "to" }, 50, 2_000, price.pass),
    description:
      "Lists the dates of a procedure between two times, each with its past or future outcome and the reason. Follows the scheduler's rules. At most 2,000.",
  })
  previewSchedule(@Args(() => PreviewArgs) args: PreviewArgs, @Ctx() { data: { db } }: Context): Promise<ScheduledDate[]> {
    return previewSchedule(db, args);
  }

  @Query(() => [ScheduledDate], {
    complexity: ({ args, childComplexity }) => 1 + price.pass + (args.first ?? 10) * (1 + childComplexity),
    description:
      "Lists the next dates on which the work of a new or changed procedure would be due, without storing it. Ignores meters, conditions and covering procedures.",
  })
  previewScheduleDraft(@Args(() => DraftPreviewArgs) args: DraftPreviewArgs, @Ctx() { data: { db } }: Context): Promise<ScheduledDate[]> {
    return previewScheduleDraft(db, args);
  }

  @Query(() => Compliance, {
    complexity: priced(price.pass),
    description: "Schedule compliance: the share of due work in a period that was done in time.",
  })
  compliance(@Args(() => ComplianceArgs) args: ComplianceArgs, @Ctx() { data: { db } }: Context): Promise<Compliance> {
    return compliance(db, args);
  }

  @FieldResolver(() => [ProcedureStep], { complexity: listCost(5), description: "Steps, in numerical order." })
  async steps(
    @Root() { id, steps }: Procedure & { steps: ProcedureStep[] },
    @Ctx() { data: { loaders } }: Context,
  ): Promise<ProcedureStep[]> {
    const parts = await loaders.load(partsOfProcedures, id);
    return steps.map((step) => {
      const own = parts.filter(({ stepOrder }) => stepOrder === step.order);
      // Steps that predate step kinds have neither field.
      return { ...step, kind: step.kind ?? "task", required: step.required ?? false, parts: own.length ? own : null };
    });
  }

  @FieldResolver(() => [ProcedurePart], {
    complexity: listCost(5),
    description: "Parts of the whole procedure, excluding those of its steps.",
  })
  async parts(@Root() { id }: Procedure, @Ctx() { data: { loaders } }: Context): Promise<ProcedurePart[]> {
    return (await loaders.load(partsOfProcedures, id)).filter(({ stepOrder }) => stepOrder === null);
  }

  @FieldResolver(() => [ProcedureAsset], {
    complexity: listCost(10),
    description:
      "Assets that the procedure covers, each with its own dates: the procedure's own asset first, then the others by name. At most 1,001.",
  })
  assets(@Root() { id }: Procedure, @Ctx() { data: { loaders } }: Context): Promise<ProcedureAsset[]> {
    return loaders.load(assetsOfProcedures, id);
  }

  @FieldResolver(() => [ProcedureExecution], {
    complexity: listCost(20),
    description: "Last 100 executions on the procedure's own asset, oldest first. `workOrders` lists those of all assets.",
  })
  history(@Root() { id }: Procedure, @Ctx() { data: { loaders } }: Context): Promise<ProcedureExecution[]> {
    return loaders.load(historyOf, id);
  }

  @FieldResolver(() => ProcedurePerformance, { description: "Key figures of the work orders on the procedure's own asset." })
  performance(@Root() { id }: Procedure, @Ctx() { data: { loaders } }: Context): Promise<ProcedurePerformance> {
    return loaders.load(performanceOf, id);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Creates a procedure." })
  createProcedure(
    @Arg("input", () => CreateProcedureInput, { description: "Values of the procedure." }) input: CreateProcedureInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Procedure> {
    return procedures.createProcedure(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Updates a procedure." })
  updateProcedure(
    @Arg("id", () => ID, { description: "Id of the procedure." }) id: string,
    @Arg("input", () => UpdateProcedureInput, { description: "Values to change." }) input: UpdateProcedureInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Procedure> {
    rejectNull("Procedure", input);
    return procedures.updateProcedure(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a procedure. Its work orders are kept." })
  async deleteProcedure(
    @Arg("id", () => ID, { description: "Id of the procedure." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    const { deletedAt, assetId } = await procedures.deleteProcedure(db, actor, id, expectedVersion);
    return { id, message: "PM procedure deleted", deletedAt: deletedAt!, owner: async () => assetId };
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Restores a deleted procedure." })
  restoreProcedure(
    @Arg("id", () => ID, { description: "Id of a deleted procedure." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Procedure> {
    return procedures.restoreProcedure(db, actor, id);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, {
    description:
      "Adds assets to a procedure, each with its own dates and work orders. If an anchor is given for an asset that is already covered, its dates restart from the anchor.",
  })
  addProcedureAssets(
    @Arg("procedureId", () => ID, { description: "Id of the procedure." }) procedureId: string,
    @Arg("assets", () => [ProcedureAssetInput], { description: "Assets to add, at most 1,000." }) assets: ProcedureAssetInput[],
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Procedure> {
    return addProcedureAssets(db, actor, procedureId, assets);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, {
    description:
      "Removes assets from a procedure. Their work orders are kept. Fails with CONFLICT while an asset has a pending work order; the error contains `workOrderId`.",
  })
  removeProcedureAssets(
    @Arg("procedureId", () => ID, { description: "Id of the procedure." }) procedureId: string,
    @Arg("assetIds", () => [ID], { description: "Ids of the assets, at most 1,000. Assets that the procedure does not cover are ignored." })
    assetIds: string[],
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Procedure> {
    return removeProcedureAssets(db, actor, procedureId, assetIds);
  }
}

@Resolver(() => Asset)
export class PlanResolver {
  @FieldResolver(() => [ProcedureAsset], {
    complexity: listCost(5),
    description: "All procedures that cover the asset, with its dates. Procedures with the asset as their own asset come first.",
  })
  plans(@Root() { id }: Asset, @Ctx() { data: { loaders } }: Context): Promise<ProcedureAsset[]> {
    return loaders.load(plansOfAssets, id);
  }
}
