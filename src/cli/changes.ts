import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { now } from "../database/clock.js";
import { jsonOption, onSignal, printLine, requireTenant, withDatabase } from "./common.js";

const pollMs = 1_000;

/** Prints the change log as JSON lines. Each line has the token to resume after it. */
export const changesCommand = new Command("changes")
  .description("print the log of changes and the ledgers as JSON lines, each with the token to resume after it")
  .requiredOption("--tenant <name>", "the tenant")
  .option("--after <token>", "resume after this token; default: from the beginning of the log")
  .option("--follow", "wait for new changes and print them, until interrupted")
  .addOption(jsonOption().default(true, "always"))
  .action(({ tenant, after, follow }: { tenant: string; after?: string; follow?: boolean }) =>
    withDatabase(async (database, config) => {
      await requireTenant(database, tenant);
      const { readFeed } = await import("../domain/changes/feed.js");
      const { decodePosition, encodePosition } = await import("../domain/changes/position.js");
      const keptMs = config.RETENTION_CHANGES_DAYS * 86_400_000;
      let isInterrupted = false;
      const given = after === undefined ? undefined : decodePosition(after, "after", keptMs);
      let position = given?.position ?? { transaction: "0", sequence: "0" };
      const ended = onSignal(() => (isInterrupted = true));
      try {
        for (;;) {
          const [page] = await readFeed(database, [{ tenantId: tenant, position }], 500);
          if (given && page!.epoch !== given.epoch) throw new Error("the token belongs to another database; start again without --after");
          for (const { position: place, tenantId: _, sitesNow: __, trace, ...entry } of page!.entries)
            printLine(
              JSON.stringify({
                token: encodePosition({ position: place, epoch: page!.epoch, issuedAt: now() }),
                ...entry,
                ...(trace && { trace }),
              }),
            );
          position = page!.position;
          if (isInterrupted || (!page!.hasMore && !follow)) return 0;
          if (!page!.hasMore) await sleep(pollMs);
        }
      } finally {
        ended();
      }
    }),
  );
