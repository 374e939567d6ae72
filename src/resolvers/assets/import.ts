import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { exportAssets } from "../../domain/assets/export.js";
import { importAssets } from "../../domain/assets/import.js";
import { AssetFilter } from "../../schema/assets/asset.js";
import { ImportMode } from "../../schema/assets/enums.js";
import { ImportOutcome } from "../../schema/assets/import.js";
import { type IncomingFile, Upload } from "../../schema/files/upload.js";
import type { Context } from "../context.js";

@Resolver()
export class AssetImportResolver {
  @Authorized("manager")
  @Mutation(() => ImportOutcome, {
    description: "Imports assets from a CSV file. Valid rows are imported; invalid rows are reported in `errors`.",
  })
  async importAssets(
    @Arg("file", () => Upload, { description: "CSV in UTF-8 with a header row, such as `exportAssets` returns." })
    file: Promise<IncomingFile>,
    @Ctx() { db, actor, importLimits }: Context,
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
    const { createReadStream } = await file;
    return importAssets(db, actor, createReadStream(), { dryRun, mode, ...importLimits });
  }

  @Query(() => String, { description: "Exports the assets as CSV text, which `importAssets` accepts unchanged." })
  async exportAssets(
    @Ctx() { db }: Context,
    @Arg("filter", () => AssetFilter, { nullable: true, description: "Which assets are exported. Default: all." }) filter?: AssetFilter,
  ): Promise<string> {
    let file = "";
    for await (const piece of exportAssets(db, filter)) file += piece;
    return file;
  }
}
