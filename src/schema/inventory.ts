import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { Decimal, NonNegative, Positive, Properties, ShortText, StockSite, Text, Timestamp } from "./scalars.js";
import { AdjustmentType, Direction, MovementType, ReportType, StockStatus } from "./vocabulary.js";

@ObjectType({ simpleResolvers: true, description: "Stock of a part at a site (interface.md 2.4)." })
export class StockLevel {
  @Field(() => ID)
  partId!: string;

  @Field(() => String)
  site!: string;

  @Field(() => String)
  tenantId!: string;

  @Field(() => Boolean, { description: "False where nothing was ever kept there: then the quantity is 0." })
  exists!: boolean;

  @Field(() => Float, { description: "What is there." })
  quantity!: number;

  @Field(() => Float, { description: "What of it is spoken for." })
  reservedStock!: number;

  @Field(() => Float, { description: "Quantity less reservations; below zero is a shortage." })
  availableStock!: number;

  @Field(() => Float, { nullable: true, description: "Of this site, else the part's." })
  minimumStock?: number | null;

  @Field(() => Float, { nullable: true })
  maximumStock?: number | null;

  @Field(() => Float, { nullable: true })
  reorderPoint?: number | null;

  @Field(() => Float, { nullable: true, description: "Moving average; the part's cost until one is known." })
  unitCost?: number | null;

  @Field(() => Float)
  totalValue!: number;

  @Field(() => String, { nullable: true })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "The reason given with the change that this answers." })
  adjustmentReason?: string | null;

  @Field(() => StockStatus)
  stockStatus!: StockStatus;

  @Field(() => Timestamp, { nullable: true })
  createdAt?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  updatedAt?: Date | null;
}

@ObjectType()
export class StockLevelConnection extends connectionOf(StockLevel, "StockLevel") {}

@ObjectType({ simpleResolvers: true, description: "One change of a stock level; it never changes (interface.md 2.5)." })
export class StockMovement {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  partId!: string;

  @Field(() => String)
  site!: string;

  @Field(() => Int, { description: "Place in the chain of its part and site, from 1 without gaps." })
  sequence!: number;

  @Field(() => MovementType)
  type!: MovementType;

  @Field(() => Float, { description: "Signed: negative for stock leaving." })
  quantity!: number;

  @Field(() => Float)
  previousBalance!: number;

  @Field(() => Float)
  newBalance!: number;

  @Field(() => Float, { nullable: true })
  unitCost?: number | null;

  @Field(() => Float, { nullable: true, description: "Signed like quantity." })
  totalValue?: number | null;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => String, { nullable: true })
  reference?: string | null;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => String, { description: "Id of the API key." })
  performedBy!: string;

  @Field(() => String)
  performedByName!: string;

  @Field(() => Timestamp)
  performedAt!: Date;
}

@ObjectType()
export class StockMovementConnection extends connectionOf(StockMovement, "StockMovement") {}

@ObjectType({ simpleResolvers: true, description: "Where a page by offset stands in its list." })
export class Pagination {
  @Field(() => Int)
  total!: number;

  @Field(() => Int)
  limit!: number;

  @Field(() => Int)
  offset!: number;

  @Field(() => Boolean)
  hasMore!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "Movements by offset, for the REST path that knows no cursor." })
export class MovementHistory {
  @Field(() => [StockMovement])
  movements!: StockMovement[];

  @Field(() => Pagination)
  pagination!: Pagination;
}

@ObjectType({ simpleResolvers: true, description: "A manual change of stock (interface.md 2.6)." })
export class StockAdjustment {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  partId!: string;

  @Field(() => String)
  site!: string;

  @Field(() => AdjustmentType)
  adjustmentType!: AdjustmentType;

  @Field(() => Float)
  quantity!: number;

  @Field(() => Float)
  previousBalance!: number;

  @Field(() => Float)
  newBalance!: number;

  @Field(() => Float, { nullable: true })
  unitCost?: number | null;

  @Field(() => Float, { nullable: true })
  totalValue?: number | null;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => String, { nullable: true })
  location?: string | null;

  @Field(() => String)
  performedBy!: string;

  @Field(() => Timestamp)
  performedAt!: Date;

  @Field(() => Boolean)
  approved!: boolean;

  @Field(() => String, { nullable: true })
  approvedBy?: string | null;

  @Field(() => Timestamp, { nullable: true })
  approvedAt?: Date | null;

  @Field(() => String, { nullable: true })
  rejectedBy?: string | null;

  @Field(() => Timestamp, { nullable: true })
  rejectedAt?: Date | null;
}

@ObjectType()
export class StockAdjustmentConnection extends connectionOf(StockAdjustment, "StockAdjustment") {}

@ObjectType({ simpleResolvers: true, description: "A part's stock at a site after a change, with what changed it." })
export class StockChange {
  @Field(() => StockMovement, { nullable: true, description: "Null where nothing moved." })
  movement?: StockMovement | null;

  @Field(() => StockLevel)
  stock!: StockLevel;
}

@ObjectType({ simpleResolvers: true, description: "What the stock levels of a filter come to." })
export class InventoryTotals {
  @Field(() => Int)
  stockLevels!: number;

  @Field(() => Float)
  quantity!: number;

  @Field(() => Float)
  reserved!: number;

  @Field(() => Float)
  totalValue!: number;
}

@ObjectType({ simpleResolvers: true, description: "A part's stock at a past moment, by its movements." })
export class PastStock {
  @Field(() => Float)
  quantity!: number;

  @Field(() => Float, { description: "By the costs of the movements." })
  totalValue!: number;
}

@InputType()
export class InventoryFilter {
  @Field(() => String, {
    nullable: true,
    description: "Part of the part's name, description, numbers, category or manufacturer, in any case.",
  })
  search?: string | null;

  @Field(() => String, { nullable: true })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "The storage location, or the site." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "The part's category." })
  category?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Below the reorder point or the minimum." })
  lowStock?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Nothing there." })
  outOfStock?: boolean | null;
}

@InputType()
export class MovementFilter {
  @Field(() => String, { nullable: true })
  site?: string | null;

  @Field(() => MovementType, { nullable: true })
  type?: MovementType | null;

  @Field(() => Timestamp, { nullable: true, description: "At or after." })
  startDate?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Before or at." })
  endDate?: Date | null;
}

@InputType()
export class AdjustmentFilter {
  @Field(() => ID, { nullable: true })
  partId?: string | null;

  @Field(() => Boolean, { nullable: true, description: "True: neither approved nor rejected." })
  pending?: boolean | null;
}

@InputType()
export class MovementOrder {
  @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC })
  direction?: Direction | null;
}

@InputType()
class StockPlace {
  @Field(() => StockSite, {
    nullable: true,
    description: "Where the stock is; left out: the part's only stock level, else the part's site, else main.",
  })
  site?: string | null;
}

@InputType({ description: "Sets what is counted and the thresholds of a part at a site." })
export class UpdateInventoryInput extends StockPlace {
  @Field(() => NonNegative, { nullable: true, description: "What was counted: the difference is moved as a cycle_count." })
  currentStock?: number | null;

  @Field(() => NonNegative, { nullable: true })
  minimumStock?: number | null;

  @Field(() => NonNegative, { nullable: true })
  maximumStock?: number | null;

  @Field(() => NonNegative, { nullable: true })
  reorderPoint?: number | null;

  @Field(() => ShortText, { nullable: true })
  location?: string | null;

  @Field(() => Positive, { nullable: true })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true })
  reason?: string | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;

  @Field(() => NonNegative, { nullable: true, description: "Only if this is the balance now; CONFLICT with the current one otherwise." })
  expectedBalance?: number | null;
}

@InputType()
export class AdjustStockInput extends StockPlace {
  @Field(() => AdjustmentType)
  adjustmentType!: AdjustmentType;

  @Field(() => Decimal, { description: "Signed: negative takes away." })
  quantity!: number;

  @Field(() => ShortText, { nullable: true })
  reason?: string | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;

  @Field(() => Positive, { nullable: true })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true })
  location?: string | null;

  @Field(() => NonNegative, { nullable: true, description: "Only if this is the balance now; CONFLICT with the current one otherwise." })
  expectedBalance?: number | null;
}

@InputType()
export class MoveStockInput extends StockPlace {
  @Field(() => Positive)
  quantity!: number;

  @Field(() => Positive, { nullable: true, description: "What one cost, for a receipt or return: it goes into the moving average." })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true, description: "E.g. the number of an order." })
  reference?: string | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;

  @Field(() => NonNegative, { nullable: true, description: "Only if this is the balance now; CONFLICT with the current one otherwise." })
  expectedBalance?: number | null;
}

@InputType()
export class TransferStockInput {
  @Field(() => StockSite)
  fromSite!: string;

  @Field(() => StockSite)
  toSite!: string;

  @Field(() => Positive)
  quantity!: number;

  @Field(() => ShortText, { nullable: true })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true })
  reference?: string | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}

@ObjectType({ simpleResolvers: true })
export class InventoryDeletion {
  @Field(() => String)
  message!: string;

  @Field(() => Float)
  finalStock!: number;

  @Field(() => Timestamp)
  deletedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "A stock level whose movements do not add up." })
export class LedgerFault {
  @Field(() => ID)
  partId!: string;

  @Field(() => String)
  site!: string;

  @Field(() => String)
  problem!: string;
}

@ObjectType({ simpleResolvers: true, description: "The ledger replayed." })
export class LedgerVerification {
  @Field(() => Boolean)
  balanced!: boolean;

  @Field(() => Int)
  stockLevels!: number;

  @Field(() => Int)
  movements!: number;

  @Field(() => [LedgerFault])
  faults!: LedgerFault[];

  @Field(() => Float, { description: "Everything in stock at that moment." })
  totalQuantity!: number;

  @Field(() => Float, { description: "Its value, by the costs of the movements." })
  totalValue!: number;
}

@InputType()
export class ReportFilter {
  @Field(() => Timestamp, { nullable: true, description: "A year before the end where left out." })
  startDate?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Now where left out." })
  endDate?: Date | null;

  @Field(() => String, { nullable: true })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "The storage location, or the site." })
  location?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "A report on the inventory; its content by its type (interface.md 4.3)." })
export class InventoryReport {
  @Field(() => ReportType)
  reportType!: ReportType;

  @Field(() => Timestamp)
  generatedAt!: Date;

  @Field(() => Properties, { description: "What the report of this type holds." })
  content!: Record<string, unknown>;
}
