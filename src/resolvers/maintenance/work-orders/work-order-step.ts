import { Arg, Authorized, Ctx, ID, Int, Mutation, Resolver } from "type-graphql";
import * as steps from "../../../domain/maintenance/work-orders/steps.js";
import { WorkOrder } from "../../../schema/maintenance/work-orders/work-order.js";
import { FollowUpInput } from "../../../schema/maintenance/work-orders/work-order-input.js";
import { UpdateWorkOrderStepInput, WorkOrderStep } from "../../../schema/maintenance/work-orders/work-order-step.js";
import { Name } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";

@Resolver(() => WorkOrderStep)
export class WorkOrderStepResolver {
  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Changes the status of a step. Allowed only while the work is in progress. Fails with CONFLICT naming an earlier ISOLATE or VERIFY step that is unfinished. A measured value becomes a reading of the asset. An EXCHANGE step exchanges the unit, all or nothing.",
  })
  updateWorkOrderStep(
    @Arg("id", () => ID, { description: "Id of the work order." }) id: string,
    @Arg("order", () => Int, { description: "Number of the step (`order`)." }) order: number,
    @Arg("input", () => UpdateWorkOrderStepInput, { description: "Progress of the step." }) input: UpdateWorkOrderStepInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkOrder> {
    return steps.updateWorkOrderStep(db, actor, id, order, input);
  }

  @Authorized("manager")
  @Mutation(() => WorkOrder, {
    description: "Permits skipping a step. An ISOLATE or VERIFY step can be skipped only with another person's permission.",
  })
  allowWorkOrderStepSkip(
    @Arg("id", () => ID, { description: "Id of the work order." }) id: string,
    @Arg("order", () => Int, { description: "Number of the step (`order`)." }) order: number,
    @Arg("reason", () => Name, { description: "Reason why the step may be skipped." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkOrder> {
    return steps.allowWorkOrderStepSkip(db, actor, id, order, reason);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Creates a corrective work order for a measurement that is out of limits. Fails with CONFLICT while the measurement has a pending one.",
  })
  createFollowUpWorkOrder(
    @Arg("id", () => ID, { description: "Id of the work order with the measurement." }) id: string,
    @Arg("order", () => Int, { description: "Number of the measurement's step." }) order: number,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("input", () => FollowUpInput, { nullable: true, description: "Values of the work order. Default: derived from the measurement." })
    input?: FollowUpInput,
  ): Promise<WorkOrder> {
    return steps.createFollowUpWorkOrder(db, actor, id, order, input ?? {});
  }
}
