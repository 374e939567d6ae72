import { Argument, Command } from "commander";
import { readConfig } from "../config.js";
import type { Migrations } from "../database/migrations/status.js";
import { jsonOption, log, print, report } from "./common.js";
import { currentRun } from "./run.js";

type Verb = "status" | "check" | "apply";

/** Exits with 1 if `check` finds a problem. */
export const migrateCommand = new Command("migrate")
  .addArgument(
    new Argument(
      "<verb>",
      "status: list the migrations; check: report whether all are applied; apply: apply the missing migrations",
    ).choices(["status", "check", "apply"] satisfies Verb[]),
  )
  .description("list, check or apply the database's migrations, regardless of MIGRATE")
  .addOption(jsonOption())
  .action(async (verb: Verb) => {
    const run = currentRun();
    const { withMigrations } = await import("../database/migrations/status.js");
    const look = async ({ apply, check, list }: Migrations) => {
      if (verb === "apply") report({ applied: await apply() }, []);
      else if (verb === "status") for (const { line, ...standing } of await list()) print(standing, line);
      else {
        const problem = await check();
        if (problem) report({ complete: false, problem }, [problem]);
        else print({ complete: true }, "all migrations are applied");
        return problem ? 1 : 0;
      }
      return 0;
    };
    run.exitCode = await withMigrations(readConfig(run.environment), log, look, verb === "apply");
  });
