import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { whereaboutsAt } from "../../../domain/components/units.js";
import * as evidence from "../../../domain/maintenance/recalls/recall-evidence.js";
import * as recalls from "../../../domain/maintenance/recalls/recalls.js";
import { UnitPeriod } from "../../../schema/components/unit.js";
import {
  CreateRecallOrdersInput,
  OpenRecallInput,
  Recall,
  RecallCounts,
  RecallReplacement,
  RecallStock,
  RecallUnit,
} from "../../../schema/maintenance/recalls/recall.js";
import { WorkOrder } from "../../../schema/maintenance/work-orders/work-order.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import type { Context } from "../../context.js";
import { listCost, price, priced } from "../../cost.js";
import { declareRoots } from "../../relations.js";

export const recallRoots = declareRoots({
  recall: one<IdArgs>("Recall", {
    args: IdArgs,
    unknown: ({ id }) => recalls.unknownRecall(id),
    description: "Returns a recall by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  recalls: pages("Recall", { description: "Lists recalls, oldest first unless ordered otherwise." }),
});

@Resolver(() => Recall)
export class RecallResolver {
  @FieldResolver(() => RecallCounts, {
    complexity: priced(price.pass),
    description: "Numbers of units by their present states, and the progress of their replacement.",
  })
  counts(@Root() { id }: Recall, @Ctx() { data: { loaders } }: Context): Promise<RecallCounts> {
    return loaders.load(evidence.recallCounts, id);
  }

  @FieldResolver(() => [RecallStock], {
    complexity: listCost(3),
    description: "Stock of the batch, by sites that have some. Empty if the units are not chosen by their batch.",
  })
  stock(@Root() { id }: Recall, @Ctx() { data: { loaders } }: Context): Promise<RecallStock[]> {
    return loaders.load(evidence.recallStock, id);
  }

  @Authorized("manager")
  @Mutation(() => Recall, {
    description:
      "Opens a recall and locates its units. Units that are received later are added automatically. Keys limited to sites cannot open recalls.",
  })
  openRecall(
    @Arg("input", () => OpenRecallInput, { description: "Part, choice of units and reason." }) input: OpenRecallInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Recall> {
    return recalls.openRecall(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => [WorkOrder], {
    complexity: listCost(recalls.mostOrders),
    description: `Creates a work order for each installed unit of a recall that has no pending one, at most ${recalls.mostOrders}, and returns them by serial number. Repeating the call creates no second order for a unit. Units in decommissioned assets get none.`,
  })
  createRecallOrders(
    @Arg("input", () => CreateRecallOrdersInput, { description: "Recall and values of the work orders." }) input: CreateRecallOrdersInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkOrder[]> {
    return recalls.createRecallOrders(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Recall, {
    description: "Closes a recall. Fails with CONFLICT while units are installed. Keys limited to sites cannot close recalls.",
  })
  closeRecall(
    @Arg("id", () => ID, { description: "Id of the recall." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Recall> {
    return recalls.closeRecall(db, actor, id);
  }
}

@Resolver(() => RecallUnit)
export class RecallUnitResolver {
  @FieldResolver(() => UnitPeriod, {
    nullable: true,
    description: "Where the unit was when it was located. Null at sites that the key cannot read.",
  })
  located(@Root() { unitId, locatedAt }: RecallUnit, @Ctx() { data: { loaders } }: Context): Promise<UnitPeriod | null> {
    return loaders.load(whereaboutsAt, [unitId, locatedAt] as const);
  }

  @FieldResolver(() => RecallReplacement, {
    nullable: true,
    description: "The exchange that took the unit out after it was located. Null if it was not installed since, or is installed now.",
  })
  replacement(@Root() { unitId, locatedAt }: RecallUnit, @Ctx() { data: { loaders } }: Context): Promise<RecallReplacement | null> {
    return loaders.load(evidence.replacementsOf, [unitId, locatedAt] as const);
  }
}
