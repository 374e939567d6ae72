import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { CustomStepInput, StepPartInput } from "./procedure-input.js";
import { Name, NonNegative, ShortText, Text, Timestamp } from "./scalars.js";
import { Direction } from "./vocabulary.js";
import {
  Priority,
  WorkOrderOrderField,
  WorkOrderOrigin,
  WorkOrderPartStatus,
  WorkOrderStatus,
  WorkOrderStepStatus,
} from "./work-vocabulary.js";

@ObjectType({ simpleResolvers: true })
export class WorkOrderStep {
  @Field(() => Int)
  order!: number;

  @Field(() => String)
  description!: string;

  @Field(() => Float, { nullable: true, description: "Minutes." })
  estimatedTime?: number | null;

  @Field(() => [String])
  tools!: string[];

  @Field(() => String, { nullable: true })
  safetyNote?: string | null;

  @Field(() => [String])
  checkpoints!: string[];

  @Field(() => WorkOrderStepStatus)
  status!: WorkOrderStepStatus;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the API key that changed its status last." })
  changedBy?: string | null;

  @Field(() => Timestamp, { nullable: true })
  changedAt?: Date | null;
}

@ObjectType({ description: "A part that a work order needs, or used." })
export class WorkOrderPart {
  @Field(() => ID, { simple: true })
  partId!: string;

  @Field(() => String, { simple: true, description: "Where it is taken from." })
  site!: string;

  @Field(() => Float, { simple: true, description: "What was asked for; 0 for a part that was only used." })
  quantity!: number;

  @Field(() => WorkOrderPartStatus, { simple: true })
  status!: WorkOrderPartStatus;

  @Field(() => Float, { simple: true, nullable: true, description: "What was taken out of stock; null until completed." })
  usedQuantity?: number | null;
}

@ObjectType({ simpleResolvers: true, description: "One change of a work order's status: who, from, to, when, why." })
export class WorkOrderStatusChange {
  @Field(() => WorkOrderStatus, { nullable: true, description: "Null for the entry made when it was created." })
  fromStatus?: WorkOrderStatus | null;

  @Field(() => WorkOrderStatus)
  toStatus!: WorkOrderStatus;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => String, { description: "Id of the API key." })
  changedBy!: string;

  @Field(() => String)
  changedByName!: string;

  @Field(() => Timestamp)
  changedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "Work to be done on an asset (interface.md 2.8)." })
export class WorkOrder {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => ID, { nullable: true })
  procedureId?: string | null;

  @Field(() => ID)
  assetId!: string;

  @Field(() => ID, { nullable: true })
  componentId?: string | null;

  @Field(() => ID, { nullable: true })
  notificationId?: string | null;

  @Field(() => WorkOrderOrigin)
  origin!: WorkOrderOrigin;

  @Field(() => Int, { nullable: true, description: "Which occurrence of its procedure it covers." })
  occurrence?: number | null;

  @Field(() => String)
  title!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => WorkOrderStatus)
  status!: WorkOrderStatus;

  @Field(() => Priority)
  priority!: Priority;

  @Field(() => Timestamp)
  scheduledDate!: Date;

  @Field(() => String, { nullable: true })
  assignedTechnician?: string | null;

  @Field(() => Float, { nullable: true, description: "Minutes." })
  estimatedDuration?: number | null;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => Timestamp, { nullable: true })
  startedAt?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  completedAt?: Date | null;

  @Field(() => Float, { nullable: true, description: "Minutes it took." })
  duration?: number | null;

  @Field(() => String, { nullable: true, description: "Who did it." })
  technician?: string | null;

  @Field(() => Float, { nullable: true })
  laborCost?: number | null;

  @Field(() => Float, { nullable: true, description: "Value of the parts issued." })
  partsCost?: number | null;

  @Field(() => String, { description: "Id of the API key that created it." })
  createdBy!: string;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType()
export class WorkOrderConnection extends connectionOf(WorkOrder, "WorkOrder") {}

@InputType()
class WorkOrderFields {
  @Field(() => Timestamp, { nullable: true, description: "The procedure's nextDue, else now, where left out." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true, description: "The procedure's where left out." })
  priority?: Priority | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}

@InputType()
export class CreateWorkOrderInput extends WorkOrderFields {
  @Field(() => [CustomStepInput], { nullable: true, description: "Appended to the procedure's steps and numbered after them." })
  customSteps?: CustomStepInput[] | null;

  @Field(() => ID, { nullable: true, description: "The component of the asset that it is about." })
  componentId?: string | null;
}

@InputType()
export class CreateWorkOrderFromNotificationInput extends CreateWorkOrderInput {
  @Field(() => ID, { nullable: true, description: "Takes its steps and parts; its asset must be the notification's." })
  procedureId?: string | null;

  @Field(() => Name, { nullable: true, description: "The notification's title where left out." })
  title?: string | null;

  @Field(() => [StepPartInput], { nullable: true, description: "Parts to reserve beside the procedure's." })
  parts?: StepPartInput[] | null;
}

@InputType({ description: "Only while it is pending." })
export class UpdateWorkOrderInput extends WorkOrderFields {
  @Field(() => Name, { nullable: true })
  title?: string | null;
}

@InputType()
export class UpdateWorkOrderStepInput {
  @Field(() => WorkOrderStepStatus)
  status!: WorkOrderStepStatus;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}

@InputType()
export class UsedPartInput {
  @Field(() => ID)
  partId!: string;

  @Field(() => NonNegative, { description: "0 for a part that was not needed after all." })
  quantity!: number;
}

@InputType()
export class CompleteWorkOrderInput {
  @Field(() => [UsedPartInput], { nullable: true, description: "What was used; of reserved parts not named here, all that was reserved." })
  usedParts?: UsedPartInput[] | null;

  @Field(() => NonNegative, { nullable: true, description: "Minutes; from start to now where left out." })
  duration?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Who did it; the assigned technician, else the caller, where left out." })
  technician?: string | null;

  @Field(() => NonNegative, { nullable: true })
  laborCost?: number | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}

@InputType({ description: "All conditions given must hold." })
export class WorkOrderFilter {
  @Field(() => [WorkOrderStatus], { nullable: true })
  status?: WorkOrderStatus[] | null;

  @Field(() => Boolean, { nullable: true, description: "Whether it is neither completed, closed nor cancelled." })
  pending?: boolean | null;

  @Field(() => ID, { nullable: true })
  procedureId?: string | null;

  @Field(() => ID, { nullable: true })
  assetId?: string | null;

  @Field(() => ID, { nullable: true })
  componentId?: string | null;

  @Field(() => ID, { nullable: true })
  notificationId?: string | null;

  @Field(() => String, { nullable: true })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true })
  priority?: Priority | null;

  @Field(() => Timestamp, { nullable: true, description: "Scheduled at or after." })
  scheduledFrom?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Scheduled at or before." })
  scheduledUntil?: Date | null;
}

@InputType()
export class WorkOrderOrder {
  @Field(() => WorkOrderOrderField, { nullable: true, defaultValue: WorkOrderOrderField.CREATED_AT })
  field?: WorkOrderOrderField | null;

  @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC })
  direction?: Direction | null;
}
