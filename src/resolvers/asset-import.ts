import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { exportAssets } from "../domain/asset-export.js";
import { importAssets } from "../domain/asset-import.js";
import { AssetFilter } from "../schema/asset.js";
import { ImportMode, ImportOutcome } from "../schema/asset-import.js";
import { type IncomingFile, Upload } from "../schema/upload.js";
import type { Context } from "./context.js";

@Resolver()
export class AssetImportResolver {
  @Authorized("manager")
  @Mutation(() => ImportOutcome, { description: "Imports assets from a CSV file; bad rows are answered beside good ones." })
  async importAssets(
    @Arg("file", () => Upload) file: Promise<IncomingFile>,
    @Ctx() { db, actor, importLimits }: Context,
    @Arg("dryRun", () => Boolean, { defaultValue: false, description: "Answers what an import would, and writes nothing." })
    dryRun: boolean,
    @Arg("mode", () => ImportMode, { defaultValue: ImportMode.CREATE }) mode: ImportMode,
  ): Promise<ImportOutcome> {
    const { createReadStream } = await file;
    return importAssets(db, actor, createReadStream(), { dryRun, mode, ...importLimits });
  }

  @Query(() => String, { description: "The assets as a CSV file that importAssets takes back unchanged." })
  async exportAssets(@Ctx() { db }: Context, @Arg("filter", () => AssetFilter, { nullable: true }) filter?: AssetFilter): Promise<string> {
    let file = "";
    for await (const piece of exportAssets(db, filter)) file += piece;
    return file;
  }
}
