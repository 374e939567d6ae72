import { Command } from "commander";
import { log } from "./common.js";

export const migrationCommand = new Command("migration")
  .argument("<name>")
  .description("for developers: write the migration that brings prisma/migrations to prisma/schema.prisma")
  .action(async (name: string) => {
    const { writeMigration } = await import("../database/migration-author.js");
    log((await writeMigration(name)) ?? "the migrations already match prisma/schema.prisma");
  });
