import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { rejectNull } from "../../../database/records/records.js";
import * as invoices from "../../../domain/inventory/supply/supplier-invoices.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { SupplierInvoice } from "../../../schema/inventory/supply/supplier-invoice.js";
import { CreateSupplierInvoiceInput, UpdateSupplierInvoiceInput } from "../../../schema/inventory/supply/supplier-invoice-input.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import { RequiredText } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { declareRoots } from "../../relations.js";

export const supplierInvoiceRoots = declareRoots({
  supplierInvoice: one<IdArgs>("SupplierInvoice", {
    args: IdArgs,
    unknown: ({ id }) => invoices.unknownInvoice(id),
    description: "Returns a supplier invoice by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  supplierInvoices: pages("SupplierInvoice", { description: "Lists supplier invoices, oldest first unless ordered otherwise." }),
  supplierInvoiceLines: pages("SupplierInvoiceLine", {
    description:
      "Lists lines of supplier invoices, oldest first unless ordered otherwise. Lines that do not match have the status ON_HOLD.",
  }),
});

@Resolver(() => SupplierInvoice)
export class SupplierInvoiceResolver {
  @Authorized("manager")
  @Mutation(() => SupplierInvoice, {
    description:
      "Creates a supplier invoice as a draft. Fails with CONFLICT if the supplier's number is in use, or if an order was not sent yet.",
  })
  createSupplierInvoice(
    @Arg("input", () => CreateSupplierInvoiceInput, { description: "Supplier, number, site and lines." }) input: CreateSupplierInvoiceInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<SupplierInvoice> {
    return invoices.createSupplierInvoice(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => SupplierInvoice, { description: "Changes a draft. Fails with CONFLICT and the status if the invoice is no draft." })
  updateSupplierInvoice(
    @Arg("id", () => ID, { description: "Id of a draft." }) id: string,
    @Arg("input", () => UpdateSupplierInvoiceInput, { description: "Values to change." }) input: UpdateSupplierInvoiceInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<SupplierInvoice> {
    rejectNull("SupplierInvoice", input);
    return invoices.updateSupplierInvoice(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => SupplierInvoice, {
    description:
      "Posts a draft. Lines are matched with receipts, oldest first, and the cost of these receipts is corrected to the invoiced amount. Lines that do not match are on hold.",
  })
  postSupplierInvoice(
    @Arg("id", () => ID, { description: "Id of a draft." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<SupplierInvoice> {
    return invoices.postSupplierInvoice(db, actor, id, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => SupplierInvoice, {
    description: "Matches the lines of a posted invoice again, with receipts that arrived later or a changed tolerance.",
  })
  matchSupplierInvoice(
    @Arg("id", () => ID, { description: "Id of a posted invoice." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<SupplierInvoice> {
    return invoices.matchSupplierInvoice(db, actor, id, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => SupplierInvoice, {
    description:
      "Accepts the difference of a line on hold, in price or quantity. Fails with FORBIDDEN for the author of the invoice and for the one who posted it.",
  })
  acceptInvoiceDifference(
    @Arg("id", () => ID, { description: "Id of an invoice line on hold." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Reason." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<SupplierInvoice> {
    return invoices.acceptInvoiceDifference(db, actor, id, reason);
  }

  @Authorized("manager")
  @Mutation(() => SupplierInvoice, {
    description: "Cancels a draft or posted invoice. Reverses its corrections, and frees its number and the receipts that it covers.",
  })
  cancelSupplierInvoice(
    @Arg("id", () => ID, { description: "Id of the invoice." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Reason." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<SupplierInvoice> {
    return invoices.cancelSupplierInvoice(db, actor, id, reason, expectedVersion);
  }
}
