import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { exportAssets } from "../../domain/assets/export.js";
import { importAssets } from "../../domain/assets/import.js";
import { AssetFilter } from "../../schema/assets/asset.js";
import { ImportMode } from "../../schema/assets/enums.js";
import { ImportOutcome } from "../../schema/assets/import.js";
import { type IncomingFile, Upload } from "../../schema/files/upload.js";
import type { Context } from "../context.js";
import { price, priced } from "../cost.js";

@Resolver()
export class AssetImportResolver {
  @Authorized("manager")
  @Mutation(() => ImportOutcome, {
    complexity: priced(price.import),
    description: "Imports assets from a CSV file. Valid rows are imported; invalid rows are reported in `errors`.",
  })
  async importAssets(
    @Arg("file", () => Upload, { description: "CSV in UTF-8 with a header row, such as `exportAssets` returns." })
    file: Promise<IncomingFile>,
    @Ctx() { db, actor, importLimits, ending }: Context,
    @Arg("dryRun", () => Boolean, {
      defaultValue: false,
      description: "Checks the file and returns the result of the import without writing anything.",
    })
    dryRun: boolean,
    @Arg("mode", () => ImportMode, {
      defaultValue: ImportMode.CREATE,
      description: "What happens to rows whose serial number exists already.",
    })
    mode: ImportMode,
  ): Promise<ImportOutcome> {
    ending?.takeLong();
    const { createReadStream } = await file;
    return importAssets(db, actor, createReadStream(), { dryRun, mode, ...importLimits });
  }

  @Query(() => String, {
    complexity: priced(price.export),
    description: "Exports the assets as CSV text, which `importAssets` accepts unchanged.",
  })
  async exportAssets(
    @Ctx() { db, actor, accessLog, requestId, source, bounds, ending }: Context,
    @Arg("filter", () => AssetFilter, { nullable: true, description: "Which assets are exported. Default: all." }) filter?: AssetFilter,
  ): Promise<string> {
    ending?.takeLong();
    const file = await bounds.textOf(exportAssets(db, filter));
    const { tenantId, principalId, keyId } = actor;
    accessLog.add({ kind: "exported", tenantId, principalId, keyId, requestId, source, details: { field: "exportAssets" } });
    return file;
  }
}
