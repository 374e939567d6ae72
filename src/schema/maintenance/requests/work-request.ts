import { Field, ID, InputType, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { attachments } from "../../files/attachment.js";
import { type IncomingFile, Upload } from "../../files/upload.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, one, Relations } from "../../relation.js";
import { DateTime, Name, RequiredText, ShortText } from "../../scalars.js";
import { Where } from "../../where.js";
import { Priority, WorkOrderStatus, WorkRequestStatus } from "../enums.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Reported fault. Accepting the request creates a work order; otherwise it is declined or withdrawn.",
})
@Relations({
  changes: changesOfRecord,
  asset: one("Asset", { description: "Asset of the request. Null while the asset is deleted." }),
  component: one("Component", { description: "Component that the request concerns. Null if there is none or the component is deleted." }),
  workOrder: one("WorkOrder", { description: "Work order created from the request. Null unless accepted." }),
  attachments: attachments({ forRequesters: true }),
  createdByPrincipal: author("createdBy", "Person or system that reported the fault."),
  decidedByPrincipal: author("decidedBy", "Person or system that accepted, declined or withdrew the request."),
})
export class WorkRequest {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset, also while the asset is deleted." })
  assetId!: string;

  @Field(() => ID, { nullable: true, description: "Id of the component that the request concerns. Null if there is none." })
  componentId?: string | null;

  @Field(() => String, { description: "Observed fault." })
  description!: string;

  @Field(() => Priority, { description: "Urgency, according to the person who reported the fault." })
  urgency!: Priority;

  @Field(() => Boolean, { description: "Whether the fault stops production." })
  productionStopped!: boolean;

  @Field(() => DateTime, { description: "Time at which the fault was observed." })
  occurredAt!: Date;

  @Field(() => WorkRequestStatus, { description: "Status of the request." })
  status!: WorkRequestStatus;

  @Field(() => ID, { nullable: true, description: "Id of the work order created from the request. Null unless accepted." })
  workOrderId?: string | null;

  @Field(() => String, { nullable: true, description: "Reason for declining or withdrawing the request. Null if none was given." })
  decisionReason?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that decided. Null while open." })
  decidedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the decision. Null while open." })
  decidedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Name entered by a reporter without a key, at a report link. Null otherwise." })
  reporterName?: string | null;

  @Field(() => String, { description: "Id of the person, system or report link that reported the fault." })
  createdBy!: string;

  @Field(() => DateTime, { description: "Time of the report." })
  createdAt!: Date;
}

@ObjectType({
  simpleResolvers: true,
  description: "Progress of the work that a work request led to. Requesters may read it, unlike the work order.",
})
export class WorkRequestProgress {
  @Field(() => WorkOrderStatus, { description: "Status of the work order." })
  status!: WorkOrderStatus;

  @Field(() => DateTime, { description: "Scheduled date of the work order." })
  scheduledDate!: Date;

  @Field(() => DateTime, { nullable: true, description: "Time at which the work was completed. Null if it is not completed." })
  completedAt?: Date | null;
}

@ObjectType({ description: "A page of work requests." })
export class WorkRequestConnection extends connectionOf(WorkRequest, "WorkRequest") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<WorkRequestFilter>({
  oneOf: ["assetId", "componentId", "urgency", "createdBy"],
  contains: ["description"],
  times: ["createdAt", "occurredAt", "decidedAt"],
  empty: ["componentId", "workOrderId"],
  related: { asset: { type: "Asset", column: "assetId" } },
  where({ status, ...equal }) {
    const where = new Where().equal(equal);
    if (status) where.oneOf("status", status);
    return where;
  },
})
export class WorkRequestFilter {
  @Field(() => [WorkRequestStatus], { nullable: true, description: "Only requests in one of these statuses." })
  status?: WorkRequestStatus[] | null;

  @Field(() => ID, { nullable: true, description: "Only requests that concern this asset." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only requests that concern this component." })
  componentId?: string | null;

  @Field(() => Priority, { nullable: true, description: "Only requests of exactly this urgency." })
  urgency?: Priority | null;

  @Field(() => String, { nullable: true, description: "Only requests reported by this person or system." })
  createdBy?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only requests where the fault stops production, or only the others." })
  productionStopped?: boolean | null;
}

declareList("WorkRequest", {
  Filter: WorkRequestFilter,
  orders: ["createdAt", "occurredAt", { column: "urgency", ranked: Object.values(Priority) }],
});

@InputType({ description: "Observed fault. An asset, a component or both must be set." })
export class ReportFaultInput {
  @Field(() => ID, { nullable: true, description: "Id of the asset. Default: the component's asset." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of a component of the asset." })
  componentId?: string | null;

  @Field(() => RequiredText, { description: "Observed fault." })
  description!: string;

  @Field(() => Priority, { nullable: true, description: "Urgency of the fault. Default: MEDIUM." })
  urgency?: Priority | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the fault stops production. Default: false." })
  productionStopped?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: "Time at which the fault was observed, not in the future. Default: now." })
  occurredAt?: Date | null;

  @Field(() => [Upload], { nullable: true, description: "Photos of the fault, at most 10: JPEG, PNG, GIF or WebP." })
  photos?: Promise<IncomingFile>[] | null;
}

@InputType({ description: "Values of the work order in addition to those of the request. All fields are optional." })
export class AcceptWorkRequestInput {
  @Field(() => Name, { nullable: true, description: "One-line title for lists. Default: the beginning of the description." })
  title?: string | null;

  @Field(() => Priority, { nullable: true, description: "Priority. Default: the request's urgency." })
  priority?: Priority | null;

  @Field(() => DateTime, { nullable: true, description: "Scheduled date. Default: now." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Technician, as free text." })
  assignedTechnician?: string | null;
}
