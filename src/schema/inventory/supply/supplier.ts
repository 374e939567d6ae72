/** Suppliers (docs/supply.md). The type `Supplier` is the supplier of a part as documented for REST. */
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, RecordNode } from "../../node.js";
import { author, pages, Relations } from "../../relation.js";
import { Currency, DateTime, Name, ShortText, Text } from "../../scalars.js";
import { Where } from "../../where.js";
import { SupplierContact } from "../parts/part.js";
import { SupplierContactInput } from "../parts/part-input.js";

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A supplier of parts and services." })
@Relations({
  changes: changesOfRecord,
  parts: pages("SupplierPart", { description: "Parts that the supplier sells, oldest first unless ordered otherwise." }),
  purchaseOrders: pages("PurchaseOrder", {
    relation: "orders",
    description: "Purchase orders from the supplier, oldest first unless ordered otherwise.",
  }),
  invoices: pages("SupplierInvoice", { description: "Invoices of the supplier, oldest first unless ordered otherwise." }),
  createdByPrincipal: author("createdBy", "Person or system that created the supplier."),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
})
export class SupplierAccount {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Name, unique within the tenant." })
  name!: string;

  @Field(() => String, { nullable: true, description: "Number of the supplier, unique within the tenant. Null if none was entered." })
  number?: string | null;

  @Field(() => SupplierContact, { nullable: true, description: "Contact at the supplier. Null if none was entered." })
  contact?: SupplierContact | null;

  @Field(() => String, { nullable: true, description: "Currency of orders, in ISO 4217. Null if none was entered." })
  currency?: string | null;

  @Field(() => String, { nullable: true, description: "Terms of payment, e.g. 30 days net. Null if none were entered." })
  paymentTerms?: string | null;

  @Field(() => String, { nullable: true, description: "Terms of delivery, e.g. DAP. Null if none were entered." })
  deliveryTerms?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Id in another system, unique within the tenant. `Part.supplier` has the same value as `id`. Null if not set.",
  })
  externalId?: string | null;

  @Field(() => Boolean, { description: "Whether the supplier may be used for new supplier parts." })
  isActive!: boolean;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of suppliers." })
export class SupplierAccountConnection extends connectionOf(SupplierAccount, "SupplierAccount") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<SupplierAccountFilter>({
  oneOf: ["externalId", "number", "currency"],
  contains: ["name"],
  times: ["createdAt", "updatedAt"],
  empty: ["externalId", "number", "currency"],
  where: ({ search, active, ...exact }) => new Where().equal({ ...exact, isActive: active }).search(search),
})
export class SupplierAccountFilter {
  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact number of the supplier." })
  number?: string | null;

  @Field(() => String, { nullable: true, description: "Exact currency." })
  currency?: string | null;

  @Field(() => String, { nullable: true, description: "Case-insensitive substring of the name, number or notes." })
  search?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only active suppliers, or only the others." })
  active?: boolean | null;
}

declareList("SupplierAccount", { Filter: SupplierAccountFilter, orders: ["createdAt", "updatedAt", "name", "number"] });

@InputType({ description: "Values of a supplier." })
class SupplierFields {
  @Field(() => ShortText, {
    nullable: true,
    description: "Number of the supplier. Fails with CONFLICT unless it is unique within the tenant.",
  })
  number?: string | null;

  @Field(() => SupplierContactInput, { nullable: true, description: "Contact at the supplier. Replaced as a whole on update." })
  contact?: SupplierContactInput | null;

  @Field(() => Currency, { nullable: true, description: "Currency of orders." })
  currency?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Terms of payment, e.g. 30 days net." })
  paymentTerms?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Terms of delivery, e.g. DAP." })
  deliveryTerms?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;

  @Field(() => Name, {
    nullable: true,
    description: "Id in another system. Fails with CONFLICT unless it is unique within the tenant.",
  })
  externalId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the supplier may be used for new supplier parts. Default on creation: true.",
  })
  isActive?: boolean | null;
}

@InputType({ description: "New supplier." })
export class CreateSupplierInput extends SupplierFields {
  @Field(() => Name, { description: "Name. Fails with CONFLICT unless it is unique within the tenant, including inactive suppliers." })
  name!: string;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdateSupplierInput extends SupplierFields {
  @Field(() => Name, {
    nullable: true,
    description: "Name, unique within the tenant, including inactive suppliers. Must not be null.",
  })
  name?: string | null;
}
