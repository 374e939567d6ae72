import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { NonNegative, Positive, ShortText, StockSite, Text, Timestamp } from "./scalars.js";
import { StockStatus } from "./vocabulary.js";

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
export class StockPlace {
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

@ObjectType({ simpleResolvers: true })
export class InventoryDeletion {
  @Field(() => String)
  message!: string;

  @Field(() => Float)
  finalStock!: number;

  @Field(() => Timestamp)
  deletedAt!: Date;
}
