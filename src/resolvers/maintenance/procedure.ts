import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import type { Column } from "../../database/catalogue.js";
import { type List, selectPage } from "../../database/page.js";
import { rejectNull } from "../../database/records.js";
import { guardSite } from "../../domain/access/site-guard.js";
import * as procedures from "../../domain/maintenance/procedures.js";
import { isTimeZone } from "../../domain/maintenance/schedule.js";
import { Asset, Site } from "../../schema/assets/asset.js";
import { NestedPageArgs, PageArgs } from "../../schema/connection.js";
import { Deletion } from "../../schema/deletion.js";
import { badInput, notFound } from "../../schema/errors.js";
import { Part } from "../../schema/inventory/part.js";
import { ProcedureOrderField } from "../../schema/maintenance/enums.js";
import {
  Procedure,
  ProcedureConnection,
  ProcedureExecution,
  ProcedurePart,
  ProcedurePerformance,
  ProcedureStep,
  UpcomingOccurrence,
} from "../../schema/maintenance/procedure.js";
import { CreateProcedureInput, ProcedureFilter, ProcedureOrder, UpdateProcedureInput } from "../../schema/maintenance/procedure-input.js";
import { WorkOrderConnection } from "../../schema/maintenance/work-order.js";
import { Name } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { listCost, pageCost } from "../cost.js";

const orders: Record<ProcedureOrderField, Column<"Procedure">[]> = { "created-at": ["createdAt", "id"], name: ["name", "id"] };

@Resolver(() => Procedure)
export class ProcedureResolver {
  @Query(() => Procedure, {
    nullable: true,
    description: "Returns a procedure by id. For an unknown id it returns null with a NOT_FOUND error.",
  })
  async procedure(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<Procedure> {
    return (await loaders.procedure.load(id)) ?? Promise.reject(procedures.unknownProcedure(id));
  }

  @Query(() => ProcedureConnection, { complexity: pageCost })
  async procedures(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => ProcedureFilter, { nullable: true }) filter?: ProcedureFilter,
    @Arg("orderBy", () => ProcedureOrder, { nullable: true }) orderBy?: ProcedureOrder,
  ): Promise<ProcedureConnection> {
    const order = orders[orderBy?.field ?? ProcedureOrderField.CREATED_AT];
    const list: List<"Procedure"> = {
      table: "Procedure",
      where: procedures.procedureWhere(filter),
      order,
      descending: orderBy?.direction === "desc",
    };
    return new ProcedureConnection(await selectPage(db, list, page));
  }

  @Query(() => [UpcomingOccurrence], {
    complexity: listCost(100),
    description: "Forecasts the due dates of active procedures in the next `days` days, including overdue ones. Returns at most 1,000.",
  })
  upcoming(
    @Arg("days", () => Int) days: number,
    @Ctx() { db }: Context,
    @Arg("assetId", () => ID, { nullable: true }) assetId?: string,
    @Arg("site", () => String, { nullable: true }) site?: string,
  ): Promise<UpcomingOccurrence[]> {
    if (days < 0 || days > 3660) throw badInput({ days: "must be from 0 to 3660" });
    return procedures.upcoming(db, days, { assetId, site });
  }

  @FieldResolver(() => Asset, { nullable: true, description: "Null while the asset is deleted." })
  asset(@Root() { assetId }: Procedure, @Ctx() { loaders }: Context): Promise<Asset | null> {
    return loaders.asset.load(assetId);
  }

  @FieldResolver(() => String, { nullable: true })
  async assetName(@Root() { assetId }: Procedure, @Ctx() { loaders }: Context): Promise<string | null> {
    return (await loaders.asset.load(assetId))?.name ?? null;
  }

  @FieldResolver(() => [ProcedureStep], { complexity: listCost(5) })
  async steps(@Root() { id, steps }: Procedure & { steps: ProcedureStep[] }, @Ctx() { loaders }: Context): Promise<ProcedureStep[]> {
    const parts = await loaders.partsOfProcedure.load(id);
    return steps.map((step) => {
      const own = parts.filter(({ stepOrder }) => stepOrder === step.order);
      return { ...step, parts: own.length ? own : null };
    });
  }

  @FieldResolver(() => [ProcedurePart], {
    complexity: listCost(5),
    description: "Parts that the whole procedure needs, apart from those of its steps.",
  })
  async parts(@Root() { id }: Procedure, @Ctx() { loaders }: Context): Promise<ProcedurePart[]> {
    return (await loaders.partsOfProcedure.load(id)).filter(({ stepOrder }) => stepOrder === null);
  }

  @FieldResolver(() => [ProcedureExecution], { complexity: listCost(20), description: "The last 100 executions, oldest first." })
  history(@Root() { id }: Procedure, @Ctx() { loaders }: Context): Promise<ProcedureExecution[]> {
    return loaders.historyOfProcedure.load(id);
  }

  @FieldResolver(() => ProcedurePerformance)
  async performance(@Root() { id }: Procedure, @Ctx() { loaders }: Context): Promise<ProcedurePerformance> {
    return (await loaders.performanceOfProcedure.load(id)) ?? { averageDuration: null, completionRate: null, averageCost: null };
  }

  @FieldResolver(() => WorkOrderConnection, { complexity: pageCost, description: "Work orders, oldest first." })
  async workOrders(
    @Root() { id }: Procedure,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
  ): Promise<WorkOrderConnection> {
    return new WorkOrderConnection(await loaders.workOrdersOfProcedure(id, page, undefined));
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Creates a procedure." })
  createProcedure(
    @Arg("input", () => CreateProcedureInput) input: CreateProcedureInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Procedure> {
    return procedures.createProcedure(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Updates a procedure." })
  updateProcedure(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateProcedureInput) input: UpdateProcedureInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Procedure> {
    rejectNull("Procedure", input);
    return procedures.updateProcedure(db, actor, id, input);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a procedure. Its work orders are kept." })
  async deleteProcedure(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<Deletion> {
    return { id, message: "PM procedure deleted", deletedAt: await procedures.deleteProcedure(db, actor, id) };
  }

  @Authorized("manager")
  @Mutation(() => Procedure, { description: "Restores a deleted procedure." })
  restoreProcedure(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<Procedure> {
    return procedures.restoreProcedure(db, actor, id);
  }
}

@Resolver(() => ProcedurePart)
export class ProcedurePartResolver {
  @FieldResolver(() => Part)
  async part(@Root() { partId }: ProcedurePart, @Ctx() { loaders }: Context): Promise<Part> {
    return (await loaders.part.load(partId))!;
  }

  @FieldResolver(() => String)
  async partName(@Root() { partId }: ProcedurePart, @Ctx() { loaders }: Context): Promise<string> {
    return (await loaders.part.load(partId))!.name;
  }
}

@Resolver(() => Asset)
export class AssetWorkResolver {
  @FieldResolver(() => [Procedure], { complexity: listCost(5), description: "Procedures of the asset, oldest first." })
  procedures(@Root() { id }: Asset, @Ctx() { loaders }: Context): Promise<Procedure[]> {
    return loaders.proceduresOfAsset.load(id);
  }

  @FieldResolver(() => WorkOrderConnection, { complexity: pageCost, description: "Work orders, oldest first." })
  async workOrders(
    @Root() { id }: Asset,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
  ): Promise<WorkOrderConnection> {
    return new WorkOrderConnection(await loaders.workOrdersOfAsset(id, page, undefined));
  }
}

@Resolver(() => Site)
export class SiteTimeResolver {
  @FieldResolver(() => String, { description: "IANA name of the time zone in which due dates are computed. Default: UTC." })
  timeZone(@Root() { name }: Site, @Ctx() { loaders }: Context): Promise<string> {
    return loaders.timeZone.load(name);
  }

  @Authorized("manager")
  @Mutation(() => Site, { description: "Sets the time zone of a site and recomputes the due dates of its procedures." })
  async setSiteTimeZone(
    @Arg("site", () => String) name: string,
    @Arg("timeZone", () => Name, { description: "IANA name, e.g. Europe/Copenhagen." }) timeZone: string,
    @Ctx() { db, actor, loaders }: Context,
  ): Promise<Site> {
    guardSite(actor, name);
    if (!isTimeZone(timeZone)) throw badInput({ timeZone: "is not a time zone; use an IANA name such as Europe/Copenhagen" });
    const site = (await loaders.places()).find((one) => one.name === name);
    if (!site) throw notFound("Site", { site: name });
    await procedures.setTimeZone(db, name, timeZone);
    return site;
  }
}
