import type { GraphQLResolveInfo } from "graphql";
import { Arg, Authorized, Ctx, Extensions, Info, Mutation, Query, Resolver } from "type-graphql";
import { exportAssets, importAssets } from "../../domain/exchange/asset-sheet.js";
import { importSheet } from "../../domain/exchange/engine.js";
import { exportSheet } from "../../domain/exchange/export.js";
import { inspectFile } from "../../domain/exchange/inspect.js";
import { sheets } from "../../domain/exchange/sheets.js";
import { AssetFilter } from "../../schema/assets/asset.js";
import { ImportMode } from "../../schema/assets/enums.js";
import { CsvEncoding, CsvSeparator, SheetName } from "../../schema/exchange/enums.js";
import { ImportOutcome, InspectedFile, SheetOutcome } from "../../schema/exchange/import.js";
import { type IncomingFile, Upload } from "../../schema/files/upload.js";
import type { Context } from "../context.js";
import { price, priced } from "../cost.js";
import { requireRole } from "../roles.js";
import { isIncluded, selectedFields } from "../selection.js";

@Resolver()
export class ImportResolver {
  @Authorized("manager")
  @Extensions({ importsFile: true })
  @Mutation(() => ImportOutcome, {
    complexity: priced(price.import),
    description: "Imports assets from a CSV file. Valid rows are imported; invalid rows are reported in `errors`.",
  })
  async importAssets(
    @Arg("file", () => Upload, { description: "CSV with a header row, in the format of `exportAssets`." })
    file: Promise<IncomingFile>,
    @Ctx() { data: { db }, caller: { actor }, services: { importLimits }, lifetime }: Context,
    @Arg("dryRun", () => Boolean, {
      defaultValue: false,
      description: "Whether to only check the file. Returns the result of the import without writing anything.",
    })
    dryRun: boolean,
    @Arg("mode", () => ImportMode, {
      defaultValue: ImportMode.CREATE,
      description: "Treatment of rows with an existing serial number.",
    })
    mode: ImportMode,
  ): Promise<ImportOutcome> {
    lifetime?.takeLong();
    const { createReadStream } = await file;
    return importAssets(db, actor, createReadStream(), { dryRun, mode, ...importLimits });
  }

  @Query(() => String, {
    complexity: priced(price.export),
    description: "Exports assets as CSV text, which `importAssets` accepts unchanged.",
  })
  async exportAssets(
    @Ctx() { data: { db, bounds }, caller: { actor, requestId, source }, services: { accessLog }, lifetime }: Context,
    @Arg("filter", () => AssetFilter, { nullable: true, description: "Assets to export. Default: all." }) filter?: AssetFilter,
  ): Promise<string> {
    lifetime?.takeLong();
    const file = await bounds.textOf(exportAssets(db, filter));
    const { tenantId, principalId, keyId } = actor;
    accessLog.add({ kind: "exported", tenantId, principalId, keyId, requestId, source, details: { field: "exportAssets" } });
    return file;
  }

  @Authorized("technician", "ingest")
  @Extensions({ importsFile: true })
  @Mutation(() => SheetOutcome, {
    complexity: priced(price.import),
    description:
      "Imports records from a CSV file. New rows create records; other rows update the records that they match. Valid rows are imported; invalid rows are reported. Components and readings require the role of the mutations that write them; all other sheets require the role manager.",
  })
  async importRecords(
    @Arg("sheet", () => SheetName, { description: "Type of the records in the file." }) sheet: SheetName,
    @Arg("file", () => Upload, { description: "CSV with a header row, in the format of `exportRecords`." })
    file: Promise<IncomingFile>,
    @Ctx() { data: { db }, caller: { actor, progress }, services: { importLimits }, lifetime }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg("dryRun", () => Boolean, {
      defaultValue: false,
      description: "Whether to only check the file. Returns the result of the import without writing anything.",
    })
    dryRun: boolean,
    @Arg("encoding", () => CsvEncoding, { nullable: true, description: "Encoding of the file. Default: detected." })
    encoding: CsvEncoding | undefined,
    @Arg("separator", () => CsvSeparator, { nullable: true, description: "Separator of the cells. Default: detected." })
    separator: CsvSeparator | undefined,
    @Arg("columns", () => [String], {
      nullable: true,
      description: "Column of the sheet for each column of the file, in order. An empty name ignores a column. Default: by header.",
    })
    columns: string[] | undefined,
  ): Promise<SheetOutcome> {
    requireRole(actor, sheets[sheet].roles);
    lifetime?.takeLong();
    const { createReadStream } = await file;
    const keepFailed = selectedFields(info).has("failedRows");
    const keepRows = isIncluded(info, "rows");
    const form = { encoding: encoding ?? undefined, separator: separator ?? undefined, columns: columns ?? undefined };
    return importSheet(db, actor, sheets[sheet], createReadStream(), { dryRun, keepFailed, keepRows, progress, ...form, ...importLimits });
  }

  @Query(() => InspectedFile, {
    complexity: priced(price.import),
    description: "Detects the format and the columns of a CSV file, to be confirmed or changed before its import. Stores nothing.",
  })
  async inspectFile(
    @Arg("sheet", () => SheetName, { description: "Type of the records in the file." }) sheet: SheetName,
    @Arg("file", () => Upload, { description: "CSV with a header row." }) file: Promise<IncomingFile>,
    @Ctx() { services: { importLimits }, lifetime }: Context,
    @Arg("encoding", () => CsvEncoding, { nullable: true, description: "Encoding of the file. Default: detected." })
    encoding?: CsvEncoding,
    @Arg("separator", () => CsvSeparator, { nullable: true, description: "Separator of the cells. Default: detected." })
    separator?: CsvSeparator,
  ): Promise<InspectedFile> {
    lifetime?.takeLong();
    const { createReadStream } = await file;
    const { maxBytes } = importLimits;
    return inspectFile(createReadStream(), sheets[sheet], { maxBytes, encoding: encoding ?? undefined, separator: separator ?? undefined });
  }

  @Query(() => String, {
    complexity: priced(price.export),
    description: "Exports all records of a sheet as CSV text, which `importRecords` accepts unchanged.",
  })
  async exportRecords(
    @Arg("sheet", () => SheetName, { description: "Type of the records to export." }) sheet: SheetName,
    @Ctx() { data: { db, bounds }, caller: { actor, requestId, source }, services: { accessLog }, lifetime }: Context,
  ): Promise<string> {
    lifetime?.takeLong();
    const file = await bounds.textOf(exportSheet(db, sheets[sheet]));
    const { tenantId, principalId, keyId } = actor;
    accessLog.add({ kind: "exported", tenantId, principalId, keyId, requestId, source, details: { field: "exportRecords" } });
    return file;
  }
}
