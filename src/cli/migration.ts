import { Command } from "commander";
import { log, WrongUsage } from "./common.js";

export const migrationCommand = new Command("migration")
  .argument("[name]", "name of the migration")
  .option("--record <folder>", "instead: record the checksum of a migration that was edited or renamed before it landed")
  .description("for developers: write the migration that brings prisma/migrations to prisma/schema.prisma")
  .action(async (name: string | undefined, { record }: { record?: string }) => {
    const { recordChecksum, writeMigration } = await import("../database/migrations/migration-author.js");
    if (record) recordChecksum(record);
    else if (name) log((await writeMigration(name)) ?? "the migrations already match prisma/schema.prisma");
    else throw new WrongUsage("give the migration a name, or use --record with its folder");
  });
