import { Argument, Command } from "commander";
import { readConfig } from "../config.js";
import type { Migrations } from "../database/migrations/status.js";
import { log } from "./common.js";

type Verb = "status" | "check" | "apply";

/** Exits with 1 if `check` finds something missing. */
export const migrateCommand = new Command("migrate")
  .addArgument(
    new Argument("<verb>", "status: list the migrations; check: tell whether all are applied; apply: apply those that are not").choices([
      "status",
      "check",
      "apply",
    ] satisfies Verb[]),
  )
  .description("look at and apply the database's migrations, whatever MIGRATE says")
  .action(async (verb: Verb) => {
    const { withMigrations } = await import("../database/migrations/status.js");
    const look = async ({ apply, check, list }: Migrations) => {
      if (verb === "apply") await apply();
      else if (verb === "status") for (const line of await list()) console.log(line);
      else {
        const problem = await check();
        if (problem) log(problem);
        else console.log("all migrations are applied");
        return problem ? 1 : 0;
      }
      return 0;
    };
    process.exitCode = await withMigrations(readConfig(), log, look, verb === "apply");
  });
