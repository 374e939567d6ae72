import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { checkConfig } from "../config.js";
import { jsonOption, program, report, WrongUsage } from "./common.js";

interface InitOptions {
  databaseUrl?: string;
  dataDir: string;
  host?: string;
  port?: string;
  publicUrl?: string;
  secretsKey: boolean;
  force?: boolean;
}

/** Quotes where needed: an unquoted `#` would begin a comment, and surrounding spaces would be lost. */
const quoted = (value: string) => (/[#'"`\s]/.test(value) ? (value.includes("'") ? `"${value}"` : `'${value}'`) : value);

/** A comment and a setting. Settings without a value are commented out. */
function settingLines(comment: string, name: string, value: string | undefined, example = ""): string {
  return `# ${comment}\n${value === undefined ? `#${name}=${example}` : `${name}=${quoted(value)}`}\n`;
}

export const initCommand = new Command("init")
  .argument("[file]", "the new file", "maintenance.env")
  .description("write an initial settings file, readable only by its owner; pass the file to other commands with --settings")
  .option("--database-url <url>", "use PostgreSQL: postgresql://…; without it the embedded database, which needs no set-up")
  .option("--data-dir <folder>", "folder of the embedded database, and of files unless S3 is set", "./data")
  .option("--host <address>", "address to listen on")
  .option("--port <number>", "port to listen on")
  .option("--public-url <url>", "address that clients use, such as https://maintenance.example.com")
  .option("--no-secrets-key", "with PostgreSQL: do not generate a key that encrypts secrets in the database")
  .option("--force", "replace the file if it exists")
  .addOption(jsonOption())
  .action((file: string, { databaseUrl, dataDir, host, port, publicUrl, secretsKey, force }: InitOptions) => {
    const values = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      HOST: host,
      PORT: port,
      PUBLIC_URL: publicUrl,
      // The embedded database creates its own key beside its data.
      SECRETS_KEY: databaseUrl && secretsKey ? randomBytes(32).toString("base64") : undefined,
    };
    const checked = checkConfig(values);
    if ("problems" in checked) throw new WrongUsage(checked.problems.join("; "));
    write(file, textOf(values), force);
    const database = databaseUrl ? "postgresql" : "embedded";
    const steps = [`${program()} doctor --settings ${file}`, `${program()} serve --settings ${file}`];
    report({ file, database, secretsKey: Boolean(values.SECRETS_KEY), next: steps }, [
      `wrote ${file} for ${databaseUrl ? "PostgreSQL" : "the embedded database"}${values.SECRETS_KEY ? ", with a key for secrets: keep a copy of the key apart from database backups" : ""}`,
      "next:",
      ...steps.map((step) => `  ${step}`),
    ]);
  });

function textOf(values: Record<string, string | undefined>): string {
  return [
    "# Settings of maintenance-gateway, one NAME=value per line. Environment variables take precedence.\n# All settings: docs/settings.md\n",
    settingLines(
      "PostgreSQL. Without it the embedded database in DATA_DIR is used.",
      "DATABASE_URL",
      values.DATABASE_URL,
      "postgresql://user:password@host:5432/database",
    ),
    settingLines(
      "Folder of the embedded database, and of files unless S3 is set; relative to where the program is started.",
      "DATA_DIR",
      values.DATA_DIR,
    ),
    settingLines("Address and port to listen on; 0.0.0.0 for all addresses.", "HOST", values.HOST, "127.0.0.1"),
    settingLines("Port to listen on.", "PORT", values.PORT, "4000"),
    settingLines(
      "Address that clients use, without a path: links in responses begin with it.",
      "PUBLIC_URL",
      values.PUBLIC_URL,
      "https://maintenance.example.com",
    ),
    settingLines(
      "Encrypts webhook and signing secrets in PostgreSQL. Without this key, the secrets cannot be recovered.",
      "SECRETS_KEY",
      values.SECRETS_KEY,
    ),
    settingLines("trace, debug, info, warn, error, fatal or silent.", "LOG_LEVEL", undefined, "info"),
  ].join("\n");
}

function write(file: string, text: string, force = false): void {
  try {
    writeFileSync(file, text, { flag: force ? "w" : "wx", mode: 0o600 });
    // An existing file keeps its mode when it is overwritten.
    chmodSync(file, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new Error(`${file} exists; name another file, or replace it with --force`);
    throw new Error(`cannot write ${file} (${code})`);
  }
}
