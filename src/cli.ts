#!/usr/bin/env node
/** Commands around the service: serve, key, demo, and two for developers. */
import { createReadStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setFlagsFromString } from "node:v8";
import { SingleBar } from "cli-progress";
import { Command, Option } from "commander";
import type { GraphQLInputObjectType } from "graphql";
import { type Config, readConfig } from "./config.js";
import { type Database, forTenant } from "./database/database.js";
import { ensureTenant, insertKey, tenants } from "./database/directory.js";
import { openDatabase } from "./database/open.js";
import { type Actor, KeyRing } from "./domain/keys.js";
import { serve } from "./main.js";
import { badInput, ServiceError } from "./schema/errors.js";
import type { RaiseNotificationInput } from "./schema/notification.js";
import type { Role } from "./schema/vocabulary.js";

// The heap is cleared before it has grown by half: a large import or answer otherwise leaves the process twice as large.
setFlagsFromString("--heap-growing-percent=50");

const say = (line: string) => console.error(line);
const program = new Command("maintenance-gateway").description("Multi-tenant maintenance-management gateway");

/** What the command ends with. */
let exitCode = 0;

async function withDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig();
  const database = await openDatabase(config, say);
  try {
    return await work(database, config);
  } finally {
    await database.close();
    // The embedded database leaves an exit code of its own.
    process.exitCode = exitCode;
  }
}

program
  .command("serve")
  .description("run the service until SIGTERM")
  .option("--demo", "load the demo plant once and fill its key into the explorer")
  .action(async ({ demo }: { demo?: boolean }) => {
    const config = readConfig();
    const isDemo = demo || config.DEMO;
    const running = await serve(
      isDemo ? { ...config, LOG_LEVEL: process.env.LOG_LEVEL ? config.LOG_LEVEL : "warn" } : config,
      say,
      isDemo ? (database) => prepareDemo(database, config.DATA_DIR) : undefined,
    );
    let stopping = false;
    const stop = () => {
      if (stopping) return;
      stopping = true;
      // Requests that do not end in time are cut, so that the end comes within 10 s.
      setTimeout(() => process.exit(0), 9_000).unref();
      running.close().then(
        () => process.exit(0),
        (error) => {
          say(`did not stop cleanly: ${error.message}`);
          process.exit(1);
        },
      );
    };
    process.on("SIGTERM", stop).on("SIGINT", stop);
    say(`maintenance-gateway answers at ${running.url}`);
    if (isDemo) {
      say(`  explore the graph   ${running.url}/graphql`);
      say(`  REST reference      ${running.url}/openapi.json`);
      say(`  demo key            ${demoKeyFile.read(config.DATA_DIR)}`);
      say(`  try                 curl -H "Authorization: Bearer ${demoKeyFile.read(config.DATA_DIR)}" "${running.url}/assets?limit=3"`);
    }
  });

program
  .command("key")
  .description("print one new API key, creating the tenant where missing")
  .requiredOption("--tenant <name>", "the tenant")
  .addOption(
    new Option("--role <role>", "what the key may do")
      .choices(["viewer", "ingest", "technician", "manager", "admin"])
      .makeOptionMandatory(),
  )
  .option("--site <site...>", "sites whose records it may change; all where left out")
  .option("--name <name>", "a name for the key", "command line")
  .action((options: { tenant: string; role: Role; site?: string[]; name: string }) =>
    withDatabase(async (database) => {
      await ensureTenant(database, options.tenant);
      console.log(await insertKey(database, options.tenant, { name: options.name, role: options.role, sites: options.site ?? [] }));
    }),
  );

program
  .command("demo")
  .description("load the demo plant into the tenant demo")
  .option("--scale <n>", "how many times the plant of 400 assets", Number, 1)
  .option("--tenant <name>", "the tenant", "demo")
  .action(({ scale, tenant }: { scale: number; tenant: string }) => {
    if (!(scale > 0)) throw new Error("--scale must be a positive number");
    return withDatabase(async (database) => {
      await ensureTenant(database, tenant);
      await loadWithProgress(database, tenant, scale);
    });
  });

program
  .command("import <what> <file>")
  .description("import assets from a CSV file, as POST /assets/import does")
  .requiredOption("--tenant <name>", "the tenant")
  .option("--dry-run", "only say what would happen", false)
  .option("--upsert", "update assets whose serial number exists", false)
  .action((what: string, file: string, { tenant, dryRun, upsert }: { tenant: string; dryRun: boolean; upsert: boolean }) => {
    if (what !== "assets") throw new Error(`cannot import ${what}; import assets`);
    return withDatabase(async (database, config) => {
      await ensureTenant(database, tenant);
      const { importAssets } = await import("./domain/asset-import.js");
      const bar = new SingleBar({ format: "importing {bar} {value} rows", noTTYOutput: false, clearOnComplete: true, hideCursor: true });
      if (process.stderr.isTTY) bar.start(await countLines(file), 0);
      const outcome = await importAssets(forTenant(database, tenant), commandLine(tenant), createReadStream(file), {
        dryRun,
        mode: upsert ? "upsert" : "create",
        maxBytes: config.MAX_IMPORT_BYTES,
        maxRows: config.MAX_IMPORT_ROWS,
        progress: (rows) => bar.update(rows),
      }).finally(() => bar.stop());
      for (const { row, field, message, value } of outcome.errors)
        say(`row ${row}${field ? `, ${field}` : ""}: ${message}${value ? ` (${value})` : ""}`);
      say(`${dryRun ? "would import" : "imported"} ${outcome.imported} rows, ${outcome.failed} failed`);
      if (outcome.failed) exitCode = 2;
    });
  });

program
  .command("export <what>")
  .description("print assets as a CSV file that import takes back")
  .requiredOption("--tenant <name>", "the tenant")
  .action((what: string, { tenant }: { tenant: string }) => {
    if (what !== "assets") throw new Error(`cannot export ${what}; export assets`);
    return withDatabase(async (database) => {
      const { exportAssets } = await import("./domain/asset-export.js");
      await pipeline(Readable.from(exportAssets(forTenant(database, tenant))), process.stdout, { end: false });
    });
  });

program
  .command("notify")
  .description("raise notifications from JSON lines, each as GraphQL raiseNotification takes it, with the documented words")
  .requiredOption("--tenant <name>", "the tenant")
  .requiredOption("--json <file>", "the file; - for standard input")
  .action(({ tenant, json }: { tenant: string; json: string }) =>
    withDatabase(async (database) => {
      if (!(await tenants(database)).includes(tenant)) throw new Error(`there is no tenant ${tenant}`);
      const { raiseNotification } = await import("./domain/notifications.js");
      const db = forTenant(database, tenant);
      const read = await notificationReader();
      let [line, raised, failed] = [0, 0, 0];
      for await (const text of createInterface({ input: json === "-" ? process.stdin : createReadStream(json), crlfDelay: Infinity })) {
        line++;
        if (!text.trim()) continue;
        try {
          console.log((await raiseNotification(db, commandLine(tenant), read(text))).id);
          raised++;
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          failed++;
          say(`line ${line}: ${JSON.stringify(error.context.details ?? error.message)}`);
        }
      }
      say(`raised ${raised}, failed ${failed}`);
      if (failed) exitCode = 2;
    }),
  );

program
  .command("ledger <verb>")
  .description("verify: replay the stock movements and say whether they add up")
  .option("--tenant <name>", "one tenant; all where left out")
  .action((verb: string, { tenant }: { tenant?: string }) => {
    if (verb !== "verify") throw new Error(`cannot ${verb} the ledger; verify it`);
    return withDatabase(async (database) => {
      const { verifyLedger } = await import("./domain/ledger.js");
      for (const tenantId of tenant ? [tenant] : await tenants(database)) {
        const { balanced, faults, stockLevels, movements } = await verifyLedger(forTenant(database, tenantId));
        console.log(`${tenantId}: ${balanced ? "balanced" : "NOT balanced"}, ${movements} movements of ${stockLevels} stock levels`);
        for (const { partId, site, problem } of faults) console.log(`  part ${partId} at ${site}: ${problem}`);
        if (!balanced) exitCode = 1;
      }
    });
  });

program
  .command("migration <name>")
  .description("for developers: write the migration that brings prisma/migrations to prisma/schema.prisma")
  .action(async (name: string) => {
    const { writeMigration } = await import("./database/migration-author.js");
    say((await writeMigration(name)) ?? "the migrations already match prisma/schema.prisma");
  });

program
  .command("print-schema")
  .description("for developers: write src/schema/schema.graphql")
  .action(async () => {
    const { printGatewaySchema } = await import("./resolvers/schema.js");
    writeFileSync("src/schema/schema.graphql", printGatewaySchema());
  });

/** Reads a line as the graph's input. Throws BAD_USER_INPUT naming every bad field. */
async function notificationReader(): Promise<(line: string) => RaiseNotificationInput> {
  const { buildGatewaySchema } = await import("./resolvers/schema.js");
  const { inOurWords } = await import("./rest-compat/bind.js");
  const { inWords } = await import("./rest-compat/words.js");
  const { unstorable } = await import("./server/unstorable.js");
  const { coerceInputValue, GraphQLNonNull } = await import("graphql");
  const type = new GraphQLNonNull(inWords(buildGatewaySchema()).getType("RaiseNotificationInput") as GraphQLInputObjectType);
  return (line) => {
    let given: unknown;
    try {
      given = JSON.parse(line);
    } catch {
      throw badInput({ line: "must be valid JSON" });
    }
    const problem = unstorable(given);
    if (problem) throw badInput({ [problem.path || "line"]: problem.message });
    const details: Record<string, string> = {};
    const input = coerceInputValue(given, type, (path, _, error) => {
      const { field, message } = inOurWords(error.message);
      details[[...path, ...(field ? [field] : [])].join(".") || "line"] ??= message;
    });
    if (Object.keys(details).length) throw badInput(details);
    return input as RaiseNotificationInput;
  };
}

/** Who acts when a command changes records. */
const commandLine = (tenantId: string): Actor => ({
  tenantId,
  keyId: "command line",
  keyName: "command line",
  role: "admin",
  sites: [],
  expiresAt: Infinity,
});

async function countLines(file: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(file)) for (const byte of chunk as Buffer) if (byte === 10) lines++;
  return lines;
}

async function loadWithProgress(database: Database, tenant: string, scale: number): Promise<void> {
  const { loadDemo } = await import("./demo/load.js");
  const total = Math.round(400 * scale);
  const onTerminal = process.stderr.isTTY;
  const show = (assets: number) => {
    if (onTerminal) process.stderr.write(`\rloading the demo plant: ${assets} of ${total} assets`);
  };
  if (!onTerminal) say(`loading the demo plant: ${total} assets …`);
  const { assets, components } = await loadDemo(database, tenant, scale, show);
  const { loadDemoWork } = await import("./demo/work.js");
  const { parts, procedures } = await loadDemoWork(forTenant(database, tenant), commandLine(tenant));
  say(
    `${onTerminal ? "\r" : ""}loaded the demo plant: ${assets} assets, ${components} components, ${parts} parts, ${procedures} procedures`,
  );
}

/** Only the hash of a key is in the database, so the demo's key is kept in a file for the next start. */
const demoKeyFile = {
  read: (folder: string) => {
    try {
      return readFileSync(join(folder, "demo-key"), "utf8").trim();
    } catch {
      return undefined;
    }
  },
  write: (folder: string, key: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "demo-key"), `${key}\n`, { mode: 0o600 });
  },
};

async function prepareDemo(database: Database, folder: string): Promise<string> {
  await ensureTenant(database, "demo");
  const [first] = await forTenant(database, "demo").query(`select 1 from "Asset" where "tenantId" = $1 limit 1`);
  if (!first) await loadWithProgress(database, "demo", 1);
  const kept = demoKeyFile.read(folder);
  if (kept && (await new KeyRing(database, () => {}).authenticate(`Bearer ${kept}`))) return kept;
  const key = await insertKey(database, "demo", { name: "demo", role: "admin", sites: [] });
  demoKeyFile.write(folder, key);
  return key;
}

program.parseAsync().catch((error: Error) => {
  say(`maintenance-gateway: ${error.message}`);
  process.exit(1);
});
