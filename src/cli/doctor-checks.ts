/** Checks of `doctor`. They create and migrate nothing; the test file in the storage is removed again. */
import { existsSync } from "node:fs";
import { access, constants, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { v4 as uuid } from "uuid";
import { type Config, checkConfig, settingNames } from "../config.js";
import { secretsOf } from "../database/connection/secrets.js";
import { openStorage } from "../storage/open.js";
import { engines } from "../version.js";
import { currentRun } from "./run.js";

export interface Finding {
  check: string;
  state: "ok" | "warning" | "failure";
  message: string;
  /** Suggested remedy. */
  advice?: string;
}

export type Findings = AsyncGenerator<Finding> | Generator<Finding>;

export const ok = (check: string, message: string): Finding => ({ check, state: "ok", message });
export const warning = (check: string, message: string, advice: string): Finding => ({ check, state: "warning", message, advice });
export const failure = (check: string, message: string, advice: string): Finding => ({ check, state: "failure", message, advice });

/** The error in one line, with its cause: a failed fetch gives the reason only there. */
export function reasonOf(error: unknown): string {
  const { message, cause, code } = error as Error & { code?: string };
  const reason = [message, (cause as Error | undefined)?.message].filter(Boolean).join(": ") || code || String(error);
  return reason.replace(/\s*\n\s*/g, " ");
}

const numbers = (version: string) => version.split(".").map(Number) as [number, number];

export function* checkNode(running = process.versions.node): Findings {
  const least = engines().replace(">=", "");
  const [major, minor] = numbers(running);
  const [leastMajor, leastMinor] = numbers(least);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) yield ok("node", `Node.js ${running}`);
  else yield failure("node", `Node.js ${running} is older than ${least}`, `install Node.js ${least} or newer`);
}

/** Returns the settings' values if they are valid. */
export function checkSettings(environment: Record<string, string | undefined>): { findings: Finding[]; config?: Config } {
  const findings: Finding[] = [];
  for (const name of Object.keys(currentRun().fileSettings))
    if (!settingNames.includes(name) && /^[A-Z]/.test(name) && !notOurs.includes(name))
      findings.push(
        warning(
          "settings",
          `${name} is not a setting of this version`,
          "check the name in docs/settings.md; the service ignores this variable",
        ),
      );
  const checked = checkConfig(environment);
  if ("problems" in checked) {
    for (const problem of checked.problems) findings.push(failure("settings", problem, "see docs/settings.md for the allowed values"));
    return { findings };
  }
  const { config } = checked;
  const given = settingNames.filter((name) => environment[name]).length;
  findings.push(ok("settings", `${given} set, all valid`));
  if (!["127.0.0.1", "::1", "localhost"].includes(config.HOST) && !config.PUBLIC_URL && !config.PUBLIC_HOSTS)
    findings.push(
      warning(
        "settings",
        `HOST is ${config.HOST}, but PUBLIC_URL is not set`,
        "set PUBLIC_URL to the address that clients use: links begin with it",
      ),
    );
  try {
    secretsOf(config);
  } catch (error) {
    findings.push(failure("secrets", reasonOf(error), 'correct the key or the file: docs/operations/access.md, "Secrets"'));
    return { findings };
  }
  if (config.DATABASE_URL && !config.SECRETS_KEY && !config.SECRETS_KEY_FILE)
    findings.push(
      warning(
        "secrets",
        "without SECRETS_KEY, PostgreSQL stores webhook and signing secrets as plain text",
        "set SECRETS_KEY to the output of: openssl rand -base64 32",
      ),
    );
  return { findings, config };
}

/** Settings of Node.js and the C library, which an environment file may also contain. */
const notOurs = ["MALLOC_ARENA_MAX", "NODE_OPTIONS", "NODE_ENV", "NODE_EXTRA_CA_CERTS", "TMPDIR", "TZ", "PATH", "HOME"];

/** The folder, or its nearest existing ancestor. */
function present(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) || dirname(path) === path ? path : present(dirname(path));
}

const gigabyte = 1_000_000_000;
const shown = (bytes: number) => `${(bytes / gigabyte).toFixed(1)} GB`;

/** Checks DATA_DIR and the folder for temporary files, which holds uploads and imports during their transfer. */
export async function* checkSpace({ DATA_DIR }: Config): Findings {
  for (const [what, folder] of [
    ["DATA_DIR", present(DATA_DIR)],
    ["temporary files", tmpdir()],
  ] as const) {
    const { bavail, bsize, blocks } = await statfs(folder);
    const [free, all] = [bavail * bsize, blocks * bsize];
    const message = `${shown(free)} of ${shown(all)} free for ${what} (${folder})`;
    const advice = "free some space, or choose a folder on a larger file system (DATA_DIR; TMPDIR for temporary files)";
    if (free < 0.1 * gigabyte) yield failure("space", message, advice);
    else if (free < gigabyte) yield warning("space", message, advice);
    else yield ok("space", message);
  }
}

export async function* checkStorage(config: Config): Findings {
  const where = config.S3_BUCKET ? `S3, bucket ${config.S3_BUCKET}` : join(config.DATA_DIR, "files");
  const advice = config.S3_BUCKET
    ? "check S3_ENDPOINT, S3_REGION, S3_BUCKET, the access key and its permissions to put, get and delete objects"
    : "grant the service's user write access to this folder, or set DATA_DIR to another folder";
  try {
    if (!config.S3_BUCKET && !existsSync(where)) {
      await access(present(where), constants.W_OK);
      yield ok("storage", `${where} is created with the first file; ${present(where)} is writable`);
      return;
    }
    const storage = await openStorage(config);
    const [key, text] = [`doctor/${uuid()}`, "written by doctor, and removed again"];
    try {
      await storage.put(key, Readable.from([Buffer.from(text)]), "text/plain");
      const opened = await storage.open(key);
      if (!opened || String(await buffer(opened.stream)) !== text) throw new Error("the file read back differs from the file written");
    } finally {
      // A local storage created the folder for the test file; remove both.
      if (storage.kind === "local") await storage.removeFolder("doctor").catch(() => {});
      await storage.remove([key]);
    }
    yield ok("storage", `${where}: a file was written, read and deleted`);
  } catch (error) {
    yield failure("storage", `${where}: ${reasonOf(error)}`, advice);
  }
}

export async function* checkMail({ SMTP_URL, MAIL_FROM }: Config): Findings {
  if (!SMTP_URL || !MAIL_FROM) return;
  const { transportTo } = await import("../background/mail-sender.js");
  const transport = transportTo({ url: SMTP_URL, from: MAIL_FROM }, 5_000);
  const { host } = new URL(SMTP_URL);
  try {
    await transport.verify();
    yield ok("mail", `${host} accepts mail`);
  } catch (error) {
    yield failure("mail", `${host}: ${reasonOf(error)}`, "check SMTP_URL: host, port, smtp or smtps, user and password");
  } finally {
    transport.close();
  }
}

export async function* checkProvider({ OIDC_ISSUER }: Config): Findings {
  if (!OIDC_ISSUER) return;
  const { findKeys } = await import("../server/oidc.js");
  try {
    yield ok("sign-in", `${OIDC_ISSUER} publishes its keys at ${(await findKeys(OIDC_ISSUER)).href}`);
  } catch (error) {
    const advice = "check that OIDC_ISSUER is exactly the iss claim of the provider's tokens, and that this machine can reach it";
    yield failure("sign-in", `${OIDC_ISSUER}: ${reasonOf(error)}`, advice);
  }
}

/** Identifies the server that responds at the service's address. */
export async function* checkAddress({ HOST, PORT }: Config): Findings {
  if (!PORT) return;
  const host = HOST === "0.0.0.0" ? "127.0.0.1" : HOST === "::" ? "[::1]" : HOST.includes(":") ? `[${HOST}]` : HOST;
  const url = `http://${host}:${PORT}`;
  try {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) });
    const { status, error } = (await response.json().catch(() => ({}))) as { status?: string; error?: string };
    if (status === "ready") yield ok("service", `ready at ${url}`);
    else if (status === "unavailable") yield failure("service", `${url}/ready: ${error}`, 'see docs/operations/monitor.md, "Health"');
    else yield warning("service", `another program responds at ${url}`, "stop that program, or set PORT to a free port");
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === "ECONNREFUSED") yield ok("service", `nothing listens at ${url}: the port is free`);
    else yield warning("service", `${url}: ${reasonOf(error)}`, "check HOST and PORT, and the program that listens on that address");
  }
}
