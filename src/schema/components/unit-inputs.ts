/** Inputs of exchanges, moves and corrections of units (docs/units.md). */
import { Field, ID, InputType } from "type-graphql";
import { DateTime, Name, NonNegative, ShortText, Text } from "../scalars.js";
import { RemovalReason, UnitCondition, UnitState } from "./enums.js";

@InputType({
  description:
    "The unit to install: by its id, by part and serial number, or by a serial number that one unit at the site has. Another serial number is that of a new unit.",
})
export class UnitInput {
  @Field(() => ID, { nullable: true, description: "Id of a unit. Leave out the other fields then." })
  id?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the part to which the serial number belongs. Default: any part, or none." })
  partId?: string | null;

  @Field(() => Name, { nullable: true, description: "Serial number of the unit." })
  serialNumber?: string | null;

  @Field(() => Name, { nullable: true, description: "Manufacturer of a new unit without a part. Default: that of the component." })
  manufacturer?: string | null;

  @Field(() => Name, { nullable: true, description: "Model designation of a new unit without a part. Default: that of the component." })
  model?: string | null;
}

@InputType({ description: "An exchange, a first installation or a removal." })
export class ExchangeUnitInput {
  @Field(() => ID, { description: "Id of the component that is the position." })
  componentId!: string;

  @Field(() => UnitInput, { nullable: true, description: "Unit that goes in. If omitted, the position is empty afterwards." })
  unit?: UnitInput | null;

  @Field(() => RemovalReason, { nullable: true, description: "Why the present unit comes out. Required if there is one." })
  reason?: RemovalReason | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the exchange, which may be recorded afterwards. Default: now." })
  at?: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the work order for which it is done. It must be about the asset of the component.",
  })
  workOrderId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the components below the position leave with the unit. Default: only if a unit is installed in one of them. Components that left with the unit that goes in always come along.",
  })
  withContents?: boolean | null;

  @Field(() => Text, {
    nullable: true,
    description:
      "Notes. Required to install an unserviceable unit, or one of a part that the component does not list, which only managers can do.",
  })
  notes?: string | null;
}

@InputType({ description: "A swap of the units of two components." })
export class SwapUnitsInput {
  @Field(() => [ID], { description: "Ids of the two components. Each must have a unit." })
  componentIds!: string[];

  @Field(() => RemovalReason, { description: "Why the units come out." })
  reason!: RemovalReason;

  @Field(() => DateTime, { nullable: true, description: "Time of the swap, which may be recorded afterwards. Default: now." })
  at?: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the work order for which it is done. It must be about the asset of one of the components.",
  })
  workOrderId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the components below the positions change places with the units. Default: those of a position only if a unit is installed in one of them. Fails if one component is below the other.",
  })
  withContents?: boolean | null;

  @Field(() => Text, {
    nullable: true,
    description:
      "Notes. Required to swap an unserviceable unit, or one of a part that the other component does not list, which only managers can do.",
  })
  notes?: string | null;
}

@InputType({ description: "New place or condition of a unit that is not installed." })
export class MoveUnitInput {
  @Field(() => ID, { description: "Id of the unit." })
  unitId!: string;

  @Field(() => UnitState, {
    description:
      "New state: REMOVED, IN_REPAIR, IN_STOCK, SCRAPPED or LOST. IN_STOCK releases a serviceable unit of a part to the stock of its site, at the core value of the part and the cost of its repair.",
  })
  state!: UnitState;

  @Field(() => UnitCondition, { nullable: true, description: "Result of an inspection. Default: as before." })
  condition?: UnitCondition | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the change, which may be recorded afterwards. Default: now." })
  at?: Date | null;

  @Field(() => Text, { nullable: true, description: "Notes." })
  notes?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Supplier or workshop that repairs the unit. Only with IN_REPAIR." })
  supplier?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description:
      "Cost of the repair, in the currency of the stock, which adds to the value of a repairable unit. Another person must approve it. Only with IN_STOCK. Default: 0.",
  })
  repairCost?: number | null;
}

@InputType({ description: "Whether a unit without a part is the unit of a part that has its serial number." })
export class ResolveUnitConflictInput {
  @Field(() => ID, { description: "Id of the unit of the part." })
  keepId!: string;

  @Field(() => ID, { description: "Id of the unit without a part. The other one gets its periods, and it is deleted, unless `distinct`." })
  mergeId!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: "Whether they are different items. The conflict is then not listed any more. Default: false.",
  })
  distinct!: boolean;

  @Field(() => Text, { nullable: true, description: "Reason, stored in the change log." })
  reason?: string | null;
}

@InputType({ description: "Corrected values of an installation. Values that are omitted or null stay as recorded." })
export class CorrectInstallationInput {
  @Field(() => ID, { description: "Id of the installation, which is a period in the state INSTALLED." })
  periodId!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time at which the unit was installed. A removal or another place that ended at the former time is corrected too.",
  })
  startedAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Time at which the unit was removed. Refused while it is installed. The stay that began at the former time is corrected too.",
  })
  endedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the unit that was installed." })
  unitId?: string | null;

  @Field(() => RemovalReason, { nullable: true, description: "Reason for the removal. Refused while the unit is installed." })
  reason?: RemovalReason | null;

  @Field(() => Text, {
    nullable: true,
    description: "Why it is corrected. Required to name an unserviceable unit, which only managers can do.",
  })
  notes?: string | null;
}
