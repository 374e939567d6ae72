import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf, Pagination } from "./connection.js";
import { StockPlace } from "./inventory.js";
import { NonNegative, Positive, ShortText, StockSite, Text, Timestamp } from "./scalars.js";
import { Direction, MovementType } from "./vocabulary.js";

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

@ObjectType({ simpleResolvers: true, description: "Movements by offset, for the REST path that knows no cursor." })
export class MovementHistory {
  @Field(() => [StockMovement])
  movements!: StockMovement[];

  @Field(() => Pagination)
  pagination!: Pagination;
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
export class MovementOrder {
  @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC })
  direction?: Direction | null;
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
