import { Field, ID, InputType, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { attachments } from "../files/attachment.js";
import { type IncomingFile, Upload } from "../files/upload.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { author, one, Relations } from "../relation.js";
import { DateTime, Name, RequiredText, ShortText } from "../scalars.js";
import { Where } from "../where.js";
import { Priority, WorkRequestStatus } from "./enums.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "A fault that somebody reported. It is accepted, which makes a work order, or declined, or withdrawn.",
})
@Relations({
  changes: changesOfRecord,
  asset: one("Asset", { description: "Null while the asset is deleted." }),
  component: one("Component", { description: "The component it is about. Null if it is about none, or the component is deleted." }),
  workOrder: one("WorkOrder", { description: "What it became. Null unless it was accepted." }),
  attachments: attachments({ forRequesters: true }),
  createdByPrincipal: author("createdBy", "Who reported it."),
  decidedByPrincipal: author("decidedBy", "Who accepted, declined or withdrew it."),
})
export class WorkRequest {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset, also while the asset is deleted." })
  assetId!: string;

  @Field(() => ID, { nullable: true, description: "Id of the component it is about. Null if it is about none." })
  componentId?: string | null;

  @Field(() => String, { description: "What was seen." })
  description!: string;

  @Field(() => Priority, { description: "How urgent it is to whoever reported it." })
  urgency!: Priority;

  @Field(() => Boolean, { description: "Whether the fault stops production." })
  productionStopped!: boolean;

  @Field(() => DateTime, { description: "When it was seen." })
  occurredAt!: Date;

  @Field(() => WorkRequestStatus, { description: "What became of it." })
  status!: WorkRequestStatus;

  @Field(() => ID, { nullable: true, description: "Id of the work order that it became. Null unless it was accepted." })
  workOrderId?: string | null;

  @Field(() => String, { nullable: true, description: "Why it was declined or withdrawn. Null if nothing was said." })
  decisionReason?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that decided it. Null while it is open." })
  decidedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was decided. Null while it is open." })
  decidedAt?: Date | null;

  @Field(() => String, { description: "Id of the person or system that reported it." })
  createdBy!: string;

  @Field(() => DateTime, { description: "When it was reported." })
  createdAt!: Date;
}

@ObjectType({ description: "One page of a list of work requests." })
export class WorkRequestConnection extends connectionOf(WorkRequest, "WorkRequest") {}

@InputType({ description: "All conditions that are set must match." })
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

  @Field(() => ID, { nullable: true, description: "Only requests about this asset." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only requests about this component." })
  componentId?: string | null;

  @Field(() => Priority, { nullable: true, description: "Only requests of exactly this urgency." })
  urgency?: Priority | null;

  @Field(() => String, { nullable: true, description: "Only requests of this person or system." })
  createdBy?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only requests where production stands, or only the others." })
  productionStopped?: boolean | null;
}

declareList("WorkRequest", {
  Filter: WorkRequestFilter,
  orders: ["createdAt", "occurredAt", { column: "urgency", ranked: Object.values(Priority) }],
});

@InputType({ description: "A fault that was seen. It names an asset, a component, or both." })
export class ReportFaultInput {
  @Field(() => ID, { nullable: true, description: "The asset. Default: that of the component." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "The component that it is about, of the asset." })
  componentId?: string | null;

  @Field(() => RequiredText, { description: "What was seen." })
  description!: string;

  @Field(() => Priority, { nullable: true, description: "How urgent it is. Default: MEDIUM." })
  urgency?: Priority | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the fault stops production. Default: false." })
  productionStopped?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: "When it was seen, not in the future. Default: now." })
  occurredAt?: Date | null;

  @Field(() => [Upload], { nullable: true, description: "Up to 10 photos of it: JPEG, PNG, GIF or WebP." })
  photos?: Promise<IncomingFile>[] | null;
}

@InputType({ description: "What the work order has beside what the request gives. All fields are optional." })
export class AcceptWorkRequestInput {
  @Field(() => Name, { nullable: true, description: "Default: the beginning of what was seen." })
  title?: string | null;

  @Field(() => Priority, { nullable: true, description: "Default: the request's urgency." })
  priority?: Priority | null;

  @Field(() => DateTime, { nullable: true, description: "When the work is planned. Default: now." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Who is to do the work, as text." })
  assignedTechnician?: string | null;
}
