import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../database/records/records.js";
import { calendar } from "../../domain/maintenance/procedures/calendar.js";
import {
  addProcedureAssets,
  assetsOfProcedures,
  plansOfAssets,
  removeProcedureAssets,
} from "../../domain/maintenance/procedures/procedure-assets.js";
import { historyOf, partsOfProcedures, performanceOf } from "../../domain/maintenance/procedures/procedure-batches.js";
import * as procedures from "../../domain/maintenance/procedures/procedures.js";
import { compliance, previewSchedule } from "../../domain/maintenance/procedures/schedule-preview.js";
import { upcoming } from "../../domain/maintenance/procedures/upcoming.js";
import { schedulerStatus } from "../../domain/maintenance/procedures/work-without-order.js";
import { Asset } from "../../schema/assets/asset.js";
import { Deletion } from "../../schema/deletion.js";
import { badInput } from "../../schema/errors.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { CalendarArgs, CalendarEntry } from "../../schema/maintenance/calendar.js";
import { Compliance, ComplianceArgs, PreviewArgs, ScheduledDate } from "../../schema/maintenance/occurrence.js";
import {
  Procedure,
  ProcedureExecution,
  ProcedurePart,
  ProcedurePerformance,
  ProcedureStep,
  UpcomingOccurrence,
} from "../../schema/maintenance/procedure.js";
import { ProcedureAsset } from "../../schema/maintenance/procedure-asset.js";
import { CreateProcedureInput, ProcedureAssetInput, UpdateProcedureInput } from "../../schema/maintenance/procedure-input.js";
import { SchedulerStatus } from "../../schema/maintenance/scheduler-status.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import type { Context } from "../context.js";
import { listCost, price, priced } from "../cost.js";
import { declareRoots } from "../relations.js";

export const procedureRoots = declareRoots({
  procedure: one<IdArgs>("Procedure", {
    args: IdArgs,
    unknown: ({ id }) => procedures.unknownProcedure(id),
    description: "Returns a procedure by id. For an unknown id it returns null with a NOT_FOUND error.",
  }),
  procedures: pages("Procedure", { description: "Lists procedures, oldest first unless ordered otherwise." }),
});

@Resolver(() => Procedure)
export class ProcedureResolver {
  @Query(() => [UpcomingOccurrence], {
    complexity: listCost(100, price.groups),
    description:
      "Forecasts the due dates of active procedures in the next `days` days, by date and by meter, including overdue ones. Returns at most 1,000.",
  })
  upcoming(
    @Arg("days", () => Int, { description: "How far to look ahead, from 0 to 3,660 days." }) days: number,
    @Ctx() { db }: Context,
    @Arg("assetId", () => ID, { nullable: true, description: "Only due dates of this asset. Default: all." }) assetId?: string,
    @Arg("site", () => String, { nullable: true, description: "Only due dates of assets at this site. Default: all." }) site?: string,
  ): Promise<UpcomingOccurrence[]> {
    if (days < 0 || days > 3660) throw badInput({ days: "must be from 0 to 3660" });
    return upcoming(db, days, { assetId, site });
  }

  @Query(() => SchedulerStatus, {
    complexity: listCost(50, price.groups),
    description: "Tells whether procedures that are due get their work orders.",
  })
  schedulerStatus(@Ctx() { db }: Context): Promise<SchedulerStatus> {
    return schedulerStatus(db);
  }

  @Query(() => [CalendarEntry], {
    complexity: listCost(100, price.groups),
    description:
      "What is planned and due between two times, in order: work orders, and occurrences of procedures that have none yet. At most 2,000.",
  })
  calendar(@Args(() => CalendarArgs) args: CalendarArgs, @Ctx() { db }: Context): Promise<CalendarEntry[]> {
    return calendar(db, args);
  }

  @Query(() => [ScheduledDate], {
    complexity: listCost(50, price.groups),
    description:
      "The dates of a procedure between two times, what became of each or will, and why. The scheduler goes by the same. At most 2,000.",
  })
  previewSchedule(@Args(() => PreviewArgs) args: PreviewArgs, @Ctx() { db }: Context): Promise<ScheduledDate[]> {
    return previewSchedule(db, args);
  }

  @Query(() => Compliance, {
    complexity: priced(price.groups),
    description: "How much of what procedures had due in a period was done in time.",
  })
  compliance(@Args(() => ComplianceArgs) args: ComplianceArgs, @Ctx() { db }: Context): Promise<Compliance> {
    return compliance(db, args);
  }

  @FieldResolver(() => [ProcedureStep], { complexity: listCost(5), description: "Steps in the order of their numbers." })
  async steps(@Root() { id, steps }: Procedure & { steps: ProcedureStep[] }, @Ctx() { loaders }: Context): Promise<ProcedureStep[]> {
    const parts = await loaders.load(partsOfProcedures, id);
    return steps.map((step) => {
      const own = parts.filter(({ stepOrder }) => stepOrder === step.order);
      // Steps from before there were kinds have neither.
      return { ...step, kind: step.kind ?? "task", required: step.required ?? false, parts: own.length ? own : null };
    });
  }

  @FieldResolver(() => [ProcedurePart], {
    complexity: listCost(5),
    description: "Parts that the whole procedure needs, apart from those of its steps.",
  })
  async parts(@Root() { id }: Procedure, @Ctx() { loaders }: Context): Promise<ProcedurePart[]> {
    return (await loaders.load(partsOfProcedures, id)).filter(({ stepOrder }) => stepOrder === null);
  }

  @FieldResolver(() => [ProcedureAsset], {
    complexity: listCost(10),
    description: "The assets that it covers, each with its own dates: its own one, then the others by name. At most 1,001.",
  })
  assets(@Root() { id }: Procedure, @Ctx() { loaders }: Context): Promise<ProcedureAsset[]> {
    return loaders.load(assetsOfProcedures, id);
  }

  @FieldResolver(() => [ProcedureExecution], {
    complexity: listCost(20),
    description: "The last 100 executions on its own asset, oldest first; `workOrders` has those of all.",
  })
  history(@Root() { id }: Procedure, @Ctx() { loaders }: Context): Promise<ProcedureExecution[]> {
    return loaders.load(historyOf, id);
  }

  @FieldResolver(() => ProcedurePerformance, { description: "Key figures over its work orders of its own asset." })
  performance(@Root() { id }: Procedure, @Ctx() { loaders }: Context): Promise<ProcedurePerformance> {
    return loaders.load(performanceOf, id);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Creates a procedure." })
  createProcedure(
    @Arg("input", () => CreateProcedureInput, { description: "Values of the procedure." }) input: CreateProcedureInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Procedure> {
    return procedures.createProcedure(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Updates a procedure." })
  updateProcedure(
    @Arg("id", () => ID, { description: "Id of the procedure." }) id: string,
    @Arg("input", () => UpdateProcedureInput, { description: "The values to change." }) input: UpdateProcedureInput,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Procedure> {
    rejectNull("Procedure", input);
    return procedures.updateProcedure(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a procedure. Its work orders are kept." })
  async deleteProcedure(
    @Arg("id", () => ID, { description: "Id of the procedure." }) id: string,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    const { deletedAt, assetId } = await procedures.deleteProcedure(db, actor, id, expectedVersion);
    return { id, message: "PM procedure deleted", deletedAt: deletedAt!, owner: async () => assetId };
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Restores a deleted procedure." })
  restoreProcedure(
    @Arg("id", () => ID, { description: "Id of a deleted procedure." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<Procedure> {
    return procedures.restoreProcedure(db, actor, id);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, {
    description:
      "Covers further assets, each with its own dates and work orders. One that is covered already starts anew from an anchor that is given.",
  })
  addProcedureAssets(
    @Arg("procedureId", () => ID, { description: "Id of the procedure." }) procedureId: string,
    @Arg("assets", () => [ProcedureAssetInput], { description: "The assets, at most 1,000." }) assets: ProcedureAssetInput[],
    @Ctx() { db, actor }: Context,
  ): Promise<Procedure> {
    return addProcedureAssets(db, actor, procedureId, assets);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, {
    description:
      "Covers further assets no longer. Their work orders are kept. While one has a pending work order, fails with CONFLICT; the error contains `workOrderId`.",
  })
  removeProcedureAssets(
    @Arg("procedureId", () => ID, { description: "Id of the procedure." }) procedureId: string,
    @Arg("assetIds", () => [ID], { description: "Ids of the assets, at most 1,000. Those that it does not cover are passed over." })
    assetIds: string[],
    @Ctx() { db, actor }: Context,
  ): Promise<Procedure> {
    return removeProcedureAssets(db, actor, procedureId, assetIds);
  }
}

@Resolver(() => Asset)
export class PlanResolver {
  @FieldResolver(() => [ProcedureAsset], {
    complexity: listCost(5),
    description: "All procedures that cover the asset, with its dates: those whose own asset it is, then the others.",
  })
  plans(@Root() { id }: Asset, @Ctx() { loaders }: Context): Promise<ProcedureAsset[]> {
    return loaders.load(plansOfAssets, id);
  }
}
