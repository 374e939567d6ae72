import { Command } from "commander";
import { jsonOption, print, printLine, wantsJson } from "./common.js";
import type { Finding, Findings } from "./doctor-checks.js";
import { currentRun } from "./run.js";

const signs = { ok: "ok     ", warning: "warning", failure: "FAILURE" } as const;

/** Exits with 1 if a problem keeps the service from running. Creates and migrates nothing. */
export const doctorCommand = new Command("doctor")
  .description("check configuration and dependencies, from settings to storage, and suggest fixes; changes nothing")
  .addOption(jsonOption())
  .action(async () => {
    const checks = await import("./doctor-checks.js");
    const { checkDatabase } = await import("./doctor-database.js");
    const run = currentRun();
    const found: Finding[] = [];
    const tell = async (findings: Findings | Finding[]) => {
      for await (const finding of findings) {
        found.push(finding);
        if (wantsJson()) continue;
        const { check, state, message, advice } = finding;
        printLine(`${signs[state]}  ${check.padEnd(10)}  ${message}${advice ? `\n${" ".repeat(21)}→ ${advice}` : ""}`);
      }
    };
    await tell(checks.checkNode());
    const { findings, config } = checks.checkSettings(run.environment);
    await tell(findings);
    if (config) {
      const { checkAddress, checkMail, checkProvider, checkSpace, checkStorage } = checks;
      for (const look of [checkDatabase, checkStorage, checkSpace, checkMail, checkProvider, checkAddress]) await tell(look(config));
    }
    const count = (state: Finding["state"]) => found.filter((finding) => finding.state === state).length;
    const [failures, warnings] = [count("failure"), count("warning")];
    const rest = config ? "" : "; the remaining checks need valid settings";
    print({ ok: !failures, checks: found }, `${failures} failed, ${warnings} ${warnings === 1 ? "warning" : "warnings"}${rest}`);
    run.exitCode = failures ? 1 : 0;
  });
