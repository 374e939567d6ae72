/** Units and where they are and were (docs/units.md). */
import { ArgsType, Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { author, many, one, pages, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { Where } from "../where.js";
import { RemovalReason, UnitCondition, UnitState } from "./enums.js";

@ObjectType({
  implements: [Node],
  simpleResolvers: true,
  description: "A physical item with a serial number. Components are the positions into which units are installed.",
})
@Relations({
  part: one("Part", { description: "Part of the unit. Null if it is known only from the serial number of a component." }),
  changes: changesOfRecord,
  periods: pages("UnitPeriod", { descending: true, order: ["startedAt", "id"], description: "Where the unit is and was, newest first." }),
})
export class Unit {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, {
    description:
      "Serial number, unique within the part. Units without a part may share a number, because manufacturers may use the same one.",
  })
  serialNumber!: string;

  @Field(() => String, { nullable: true, description: "Manufacturer of the unit. Null if unknown." })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true, description: "Model designation of the manufacturer. Null if unknown." })
  model?: string | null;

  @Field(() => DateTime, { description: "Time of the first record about the unit." })
  createdAt!: Date;

  @Field(() => ID, { nullable: true, description: "Id of the part. Null if the unit is known only from the serial number of a component." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Batch with which the unit was received. Null if none was entered." })
  batchNumber?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Expiry date. Null if unknown." })
  expiryDate?: Date | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Value in stock, or with which the unit left it, in the currency of the stock. Null unless the part is repairable, and if it was never in stock.",
  })
  value?: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time at which the unit was marked as another one than those of parts with its serial number. Null if it was not.",
  })
  distinctSince?: Date | null;
}

/** SQL condition: unit `k` of a part has the serial number of unit `w` without one, and nobody has told them apart. */
export const areRivals = (w: string, k: string) =>
  `${k}."serialNumber" = ${w}."serialNumber" and ${k}."partId" is not null and ${w}."partId" is null
    and (${w}."distinctSince" is null or ${k}."createdAt" > ${w}."distinctSince")`;

/** Units without a part whose number units of parts have. */
export const inConflict = () =>
  new Where().add(
    `id in (select w.id from "Unit" w join "Unit" k on k."tenantId" = $1 and ${areRivals("w", "k")} where w."tenantId" = $1)`,
  );

@ObjectType({ description: "A page of units." })
export class UnitConnection extends connectionOf(Unit, "Unit") {}

/** The period that has not ended. */
const now = (condition: string) =>
  `id in (select p."unitId" from "UnitPeriod" p where p."tenantId" = $1 and p."endedAt" is null and ${condition})`;

/** SQL of the site of the open period `p` of a unit. */
export const siteNow = `case when p."componentId" is null then p.site else
  (select case when c."assetId" is null then holder_site($1, c.id, true) else a.site end
    from "Component" c left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId" where c."tenantId" = $1 and c.id = p."componentId") end`;

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<UnitFilter>({
  oneOf: ["serialNumber", "manufacturer", "model", "partId", "batchNumber"],
  contains: ["serialNumber"],
  times: ["createdAt", "expiryDate"],
  empty: ["manufacturer", "model", "partId", "batchNumber", "expiryDate"],
  where: ({ state, condition, site, ...exact }) => {
    const where = new Where().equal(exact);
    if (state) where.add(now("p.state = ?"), state);
    if (condition) where.add(now("p.condition = ?"), condition);
    return site == null ? where : where.add(now(`${siteNow} = ?`), site);
  },
})
export class UnitFilter {
  @Field(() => UnitState, { nullable: true, description: "Only units in this state now." })
  state?: UnitState | null;

  @Field(() => UnitCondition, { nullable: true, description: "Only units in this condition now." })
  condition?: UnitCondition | null;

  @Field(() => String, {
    nullable: true,
    description: "Only units at this site now: installed in an asset of the site, kept there, or inside such a unit.",
  })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Exact serial number." })
  serialNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Exact manufacturer." })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true, description: "Exact model." })
  model?: string | null;

  @Field(() => ID, { nullable: true, description: "Only units of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact batch number." })
  batchNumber?: string | null;
}

declareList("Unit", { Filter: UnitFilter, orders: ["createdAt", "serialNumber"] });

@ObjectType({
  implements: [Node],
  simpleResolvers: true,
  description: "Where a unit was from one time to another. The periods of a unit don't overlap, and neither do those of a position.",
})
@Relations({
  unit: one("Unit", { required: true, description: "The unit." }),
  component: one("Component", { description: "Position in which it was. Null in states other than INSTALLED." }),
  workOrder: one("WorkOrder", { description: "Work order for which it was brought there. Null if none was named." }),
  recordedByPrincipal: author("recordedBy", "Person or system that recorded the period."),
  corrections: many("InstallationCorrection", {
    order: ["recordedAt", "id"],
    usual: 1,
    description: "Corrections of the installation, oldest first.",
  }),
})
export class UnitPeriod {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the unit." })
  unitId!: string;

  @Field(() => DateTime, { description: "Start of the period." })
  startedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "End of the period. Null if it has not ended." })
  endedAt?: Date | null;

  @Field(() => UnitState, { description: "Where the unit was." })
  state!: UnitState;

  @Field(() => UnitCondition, { description: "Condition of the unit at the start of the period." })
  condition!: UnitCondition;

  @Field(() => ID, { nullable: true, description: "Id of the component in which it was installed. Null in other states." })
  componentId?: string | null;

  @Field(() => String, { nullable: true, description: "Site at which it was. Null while installed, and if unknown." })
  site?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the work order for which it was brought there. Null if none was named." })
  workOrderId?: string | null;

  @Field(() => RemovalReason, {
    nullable: true,
    description: "Why the installation ended. Null in other states, and while it is installed.",
  })
  removalReason?: RemovalReason | null;

  @Field(() => String, { nullable: true, description: "Notes. Null if none were entered." })
  notes?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Supplier or workshop that repairs the unit. Null in states other than IN_REPAIR, and if unknown.",
  })
  supplier?: string | null;

  @Field(() => DateTime, { description: "Time at which the period was recorded." })
  recordedAt!: Date;

  @Field(() => String, { nullable: true, description: "Id of the person or system that recorded it. Null for migrations, and if unknown." })
  recordedBy?: string | null;
}

@ObjectType({ description: "A page of periods of units." })
export class UnitPeriodConnection extends connectionOf(UnitPeriod, "UnitPeriod") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<UnitPeriodFilter>({
  oneOf: ["state", "removalReason"],
  times: ["startedAt", "endedAt"],
  empty: ["endedAt", "removalReason"],
})
export class UnitPeriodFilter {
  @Field(() => UnitState, { nullable: true, description: "Only periods in this state." })
  state?: UnitState | null;

  @Field(() => RemovalReason, { nullable: true, description: "Only installations that ended for this reason." })
  removalReason?: RemovalReason | null;
}

declareList("UnitPeriod", { Filter: UnitPeriodFilter, orders: ["startedAt", "endedAt"] });

@ObjectType({
  implements: [Node],
  simpleResolvers: true,
  description: "Correction of an installation, with the former values. The period has the corrected ones.",
})
@Relations({
  unit: one("Unit", { required: true, description: "Unit that was recorded before." }),
  recordedByPrincipal: author("recordedBy", "Person or system that corrected the installation."),
})
export class InstallationCorrection {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the period that was corrected." })
  periodId!: string;

  @Field(() => ID, { description: "Id of the unit that was recorded before." })
  unitId!: string;

  @Field(() => DateTime, { description: "Start that was recorded before." })
  startedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "End that was recorded before. Null if the installation had not ended." })
  endedAt?: Date | null;

  @Field(() => RemovalReason, { nullable: true, description: "Reason for the removal that was recorded before. Null if there was none." })
  removalReason?: RemovalReason | null;

  @Field(() => String, { nullable: true, description: "Notes on the correction. Null if none were entered." })
  notes?: string | null;

  @Field(() => DateTime, { description: "Time of the correction." })
  recordedAt!: Date;

  @Field(() => String, { nullable: true, description: "Id of the person or system that corrected it." })
  recordedBy?: string | null;
}

@ArgsType()
export class InstantArgs {
  @Field(() => DateTime, { nullable: true, description: "Instant. Default: now." })
  at?: Date | null;
}
