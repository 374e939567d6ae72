import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { rejectNull } from "../../../database/records/records.js";
import * as suppliers from "../../../domain/inventory/supply/suppliers.js";
import { Deletion } from "../../../schema/deletion.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { CreateSupplierInput, SupplierAccount, UpdateSupplierInput } from "../../../schema/inventory/supply/supplier.js";
import { SetSupplierPartInput, SupplierPart } from "../../../schema/inventory/supply/supplier-part.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import type { Context } from "../../context.js";
import { declareRoots } from "../../relations.js";

export const supplierRoots = declareRoots({
  supplier: one<IdArgs>("SupplierAccount", {
    args: IdArgs,
    unknown: ({ id }) => suppliers.unknownSupplier(id),
    description: "Returns a supplier by id, including inactive ones. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  suppliers: pages("SupplierAccount", {
    description: "Lists suppliers, active and inactive ones, oldest first unless ordered otherwise.",
  }),
  supplierParts: pages("SupplierPart", { description: "Lists supplier parts, oldest first unless ordered otherwise." }),
});

@Resolver(() => SupplierAccount)
export class SupplierResolver {
  @Authorized("manager")
  @Mutation(() => SupplierAccount, { description: "Creates a supplier. Keys limited to sites cannot create suppliers." })
  createSupplier(
    @Arg("input", () => CreateSupplierInput, { description: "Values of the supplier." }) input: CreateSupplierInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<SupplierAccount> {
    return suppliers.createSupplier(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => SupplierAccount, {
    description:
      "Updates a supplier. `Part.supplier` of the parts that prefer it shows the new name, contact and id. Keys limited to sites cannot update suppliers.",
  })
  updateSupplier(
    @Arg("id", () => ID, { description: "Id of the supplier." }) id: string,
    @Arg("input", () => UpdateSupplierInput, { description: "Values to change." }) input: UpdateSupplierInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<SupplierAccount> {
    rejectNull("SupplierAccount", input);
    return suppliers.updateSupplier(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => SupplierPart, {
    description:
      "Creates or changes the supplier part of a supplier and a part. Fails with CONFLICT if the supplier is inactive. Keys limited to sites cannot set supplier parts.",
  })
  setSupplierPart(
    @Arg("input", () => SetSupplierPartInput, { description: "Supplier, part and values." }) input: SetSupplierPartInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<SupplierPart> {
    return suppliers.setSupplierPart(db, actor, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, {
    description:
      "Deletes a supplier part permanently. If it was the preferred one, `Part.supplier` is null afterwards. Keys limited to sites cannot remove supplier parts.",
  })
  async removeSupplierPart(
    @Arg("id", () => ID, { description: "Id of the supplier part." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    return { id, message: "Supplier part removed", deletedAt: await suppliers.removeSupplierPart(db, actor, id, expectedVersion) };
  }
}
