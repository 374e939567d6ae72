/** Configuration from environment variables. docs/settings.md lists every setting. */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { z } from "zod";

function whole(fallback: number, min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int(error).min(min, error).max(max, error).default(fallback);
}
const flagOf = (preset: "true" | "false") =>
  z
    .enum(["true", "false"])
    .default(preset)
    .transform((value) => value === "true");
const flag = flagOf("false");

/** Parameters of a sign-in that are not the operator's choice (RFC 6749, RFC 7636). */
const signInParameters = new Set([
  "client_id",
  "code",
  "code_challenge",
  "code_challenge_method",
  "code_verifier",
  "grant_type",
  "redirect_uri",
  "refresh_token",
  "response_type",
  "scope",
  "state",
]);

const roles = ["requester", "viewer", "ingest", "technician", "manager", "admin"] as const;
type Role = (typeof roles)[number];
const claim = (fallback: string) => z.string().min(1).default(fallback);

/** Parses `value=role,value=role`. Undefined if a pair is invalid. */
function rolesByValue(text: string): Map<string, Role> | undefined {
  const pairs = text.split(",").map((pair) => {
    const at = pair.lastIndexOf("=");
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim() as Role] as const;
  });
  return pairs.every(([value, role]) => value && roles.includes(role)) ? new Map(pairs) : undefined;
}

/** Whether the URL is https, or http on this machine. */
function isSafe(text: string): boolean {
  const { protocol, hostname } = URL.canParse(text) ? new URL(text) : { protocol: "", hostname: "" };
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));
}

/** Whether browsers can send this as `Origin`: scheme, host, and a port unless it is the scheme's default. */
const isOrigin = (text: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s]+$/.test(text) && URL.canParse(text) && (!text.startsWith("http") || new URL(text).origin === text);

const portError = "must be a whole number from 1 to 65535";

/** 32 bytes in base64. */
const key = /^[\w+/-]{43}=?$/;
const keyError = "must be 32 bytes in base64, as of: openssl rand -base64 32";

const settings = z
  .object({
    HOST: z.string().min(1).default("127.0.0.1"),
    PORT: whole(4000, 0, 65535),
    WORKERS: z
      .string()
      .regex(/^(auto|[1-9]|[1-5]\d|6[0-4])$/, "must be auto, or a whole number from 1 to 64")
      .default("1")
      .transform((text) => (text === "auto" ? text : Number(text))),
    DATA_DIR: z.string().min(1).default("./data"),
    DATABASE_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, "must begin with postgresql://")
      .optional(),
    DATABASE_MIGRATE_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, "must begin with postgresql://")
      .optional(),
    MIGRATE: z.enum(["auto", "check", "off"]).default("auto"),
    MIGRATE_WAIT_SECONDS: whole(600, 0, 86_400),
    UPGRADE_COPY: z.enum(["on", "off"]).default("on"),
    DATABASE_DIRECT_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, "must begin with postgresql://")
      .optional(),
    DATABASE_REPLICA_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, "must begin with postgresql://")
      .optional(),
    REPLICA_MAX_LAG_SECONDS: whole(10, 1, 86_400),
    ROW_SECURITY: z.enum(["on", "off"]).default("off"),
    DATABASE_CONNECTIONS: whole(10, 1, 500),
    DATABASE_WAIT_SECONDS: whole(30, 0, 3600),
    STATEMENT_TIMEOUT_MS: whole(30_000, 100, 3_600_000),
    SECRETS_KEY: z.string().regex(key, keyError).optional(),
    SECRETS_KEY_FILE: z.string().min(1).optional(),
    SECRETS_KEY_PREVIOUS: z
      .string()
      .refine((text) => text.split(",").every((one) => key.test(one.trim())), `${keyError}, or several separated by commas`)
      .optional(),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
    METRICS_PORT: z.coerce.number({ error: portError }).int(portError).min(1, portError).max(65535, portError).optional(),
    METRICS_TOKEN: z
      .string()
      .regex(/^[\w.~+/=-]{16,}$/, "must be 16 or more letters, digits and -._~+/=, as of: openssl rand -hex 32")
      .optional(),
    SLOW_OPERATION_MS: whole(1_000, 0, 3_600_000),
    OTEL_EXPORTER_OTLP_ENDPOINT: z
      .url({ protocol: /^https?$/, error: "must be like http://collector:4318, where OTLP is taken over HTTP" })
      .optional(),
    OTEL_SERVICE_NAME: z.string().min(1).default("maintenance-gateway"),
    DEMO: flag,
    TRUST_PROXY: flag,
    CORS_ORIGINS: z
      .string()
      .transform((text) => text.split(",").map((origin) => origin.trim()))
      .refine(
        (origins) => origins.every(isOrigin) || origins.join() === "*",
        "must be origins like https://app.example.com, without a path and separated by commas, or * alone",
      )
      .optional(),
    CONSOLE: z.enum(["on", "off"]).default("on"),
    COMPRESSION: z.enum(["on", "off"]).default("on"),
    TRUSTED_DOCUMENTS: z.string().min(1).optional(),
    TRUSTED_DOCUMENTS_ONLY: flag,
    REQUEST_SECONDS: whole(60, 1, 86_400),
    LONG_REQUEST_SECONDS: whole(600, 1, 86_400),
    STALLED_SECONDS: whole(30, 1, 3_600),
    MAX_UNSENT_BYTES: whole(96 * 1_048_576, 1_048_576, 1_099_511_627_776),
    MAX_CONNECTIONS: whole(10_000, 10, 1_000_000),
    MAX_SUBSCRIPTIONS_PER_SOCKET: whole(20, 1, 100_000),
    MAX_SUBSCRIPTIONS_PER_KEY: whole(100, 1, 1_000_000),
    MAX_SOCKET_MESSAGE_BYTES: whole(65_536, 1_024, 104_857_600),
    MAX_SOCKET_OPERATIONS: whole(10_000, 1, 10_000_000),
    MAX_BODY_BYTES: whole(1_048_576, 1024, 104_857_600),
    MAX_QUERY_DEPTH: whole(20, 1, 1000),
    MAX_QUERY_COST: whole(50_000, 1, 100_000_000),
    MAX_QUERY_SELECTIONS: whole(1_500, 10, 100_000),
    MAX_QUERY_ALIASES: whole(30, 0, 10_000),
    MAX_QUERY_ROOT_FIELDS: whole(20, 1, 1000),
    MAX_QUERY_TOKENS: whole(5_000, 100, 1_000_000),
    MAX_ANSWER_BYTES: whole(64 * 1_048_576, 1024, 536_870_912),
    MAX_INPUT_LIST: whole(1_000, 1, 100_000),
    RATE_LIMIT_KEY: whole(20_000, 0, 1_000_000_000),
    RATE_LIMIT_TENANT: whole(50_000, 0, 1_000_000_000),
    RATE_LIMIT_BURST: whole(60, 1, 86_400),
    MAX_RUNNING: whole(10, 1, 10_000).optional(),
    MAX_RUNNING_LONG: whole(3, 1, 10_000).optional(),
    TENANT_QUEUE: whole(200, 0, 100_000),
    MAX_QUEUE: whole(1_000, 0, 1_000_000),
    QUEUE_SECONDS: whole(10, 1, 3600),
    QUERY_PLANS: z.enum(["on", "off", "log"]).default("on"),
    MAX_PAGE_SIZE: whole(500, 1, 10_000),
    MAX_PHOTO_BYTES: whole(25 * 1_048_576, 1024, 1_073_741_824),
    MAX_ATTACHMENT_BYTES: whole(50 * 1_048_576, 1024, 1_073_741_824),
    MAX_PHOTO_PIXELS: whole(50_000_000, 1, 1_000_000_000),
    MAX_DECODING: whole(2, 1, 100),
    MAX_DECODING_BYTES: whole(512 * 1_048_576, 1_048_576, 64 * 1_073_741_824),
    KEEP_PHOTO_LOCATION: flag,
    MAX_IMPORT_BYTES: whole(50 * 1_048_576, 1024, 1_073_741_824),
    MAX_IMPORT_ROWS: whole(100_000, 1, 10_000_000),
    SESSION_IDLE_MINUTES: whole(480, 1, 43_200),
    SCHEDULER: flagOf("true"),
    SCHEDULER_SECONDS: whole(60, 1, 86_400),
    RETENTION_CHANGES_DAYS: whole(400, 1, 36_500),
    RETENTION_DELIVERIES_DAYS: whole(30, 1, 36_500),
    RETENTION_READINGS_DAYS: whole(0, 0, 36_500),
    RETENTION_NOTIFICATIONS_DAYS: whole(0, 0, 36_500),
    RETENTION_DELETED_DAYS: whole(0, 0, 36_500),
    WEBHOOK_ALLOW_PRIVATE: flag,
    WEBHOOK_TIMEOUT_MS: whole(10_000, 100, 30_000),
    WEBHOOK_POLL_MS: whole(1_000, 10, 3_600_000),
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\/[^/\s]+/, "must be like smtps://user:password@mail.example.com")
      .optional(),
    MAIL_FROM: z
      .string()
      .regex(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/, "must be an address like gateway@example.com or Maintenance <gateway@example.com>")
      .optional(),
    PUBLIC_URL: z
      .string()
      .regex(/^https?:\/\/[^/]+$/, "must be like https://gateway.example.com, without a path")
      .optional(),
    PUBLIC_HOSTS: z
      .string()
      .transform((text) => text.split(",").map((host) => host.trim().toLowerCase()))
      .refine(
        (hosts) => hosts.every((host) => /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/.test(host)),
        "must be hosts like gateway.example.com or 10.0.0.5:4000, separated by commas",
      )
      .optional(),
    OIDC_ISSUER: z.string().refine(isSafe, "must be a URL with https, as the provider's tokens name it").optional(),
    OIDC_AUDIENCE: z
      .string()
      .transform((text) => text.split(",").map((audience) => audience.trim()))
      .refine((audiences) => audiences.every(Boolean), "must be one audience or several, separated by commas")
      .optional(),
    OIDC_CLIENT_ID: z.string().min(1).optional(),
    OIDC_SCOPE: z
      .string()
      .default("openid profile email")
      .refine((text) => text.split(" ").includes("openid"), "must contain openid, such as: openid profile email offline_access"),
    OIDC_SIGN_IN_PARAMETERS: z
      .string()
      .default("")
      .transform((text) => Object.fromEntries(new URLSearchParams(text)))
      .refine(
        (parameters) => !Object.keys(parameters).some((name) => signInParameters.has(name)),
        `must not contain ${[...signInParameters].join(", ")}, which the console sets`,
      ),
    OIDC_CLAIM_TENANT: claim("tenant"),
    OIDC_CLAIM_ROLE: claim("role"),
    OIDC_CLAIM_SITES: claim("sites"),
    OIDC_CLAIM_NAME: claim("name"),
    OIDC_CLAIM_EMAIL: claim("email"),
    OIDC_ROLES: z
      .string()
      .default(roles.map((role) => `${role}=${role}`).join())
      .refine((text) => rolesByValue(text), `must be like plant-admins=admin,fitters=technician, with the roles ${roles.join(", ")}`)
      .transform((text) => rolesByValue(text) ?? new Map<string, Role>()),
    OIDC_CLOCK_SKEW_SECONDS: whole(30, 0, 300),
    S3_BUCKET: z.string().min(1).optional(),
    S3_ENDPOINT: z.url().optional(),
    S3_REGION: z.string().min(1).default("us-east-1"),
    S3_ACCESS_KEY_ID: z.string().min(1).optional(),
    S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  })
  .refine(({ S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }) => !S3_BUCKET || (S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY), {
    path: ["S3_BUCKET"],
    message: "needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY beside it",
  })
  .refine(({ DATABASE_URL, DATABASE_MIGRATE_URL }) => DATABASE_URL || !DATABASE_MIGRATE_URL, {
    path: ["DATABASE_MIGRATE_URL"],
    message: "needs DATABASE_URL beside it",
  })
  .refine(({ DATABASE_URL, DATABASE_DIRECT_URL }) => DATABASE_URL || !DATABASE_DIRECT_URL, {
    path: ["DATABASE_DIRECT_URL"],
    message: "needs DATABASE_URL beside it, the pooler's",
  })
  .refine(({ DATABASE_URL, DATABASE_REPLICA_URL }) => DATABASE_URL || !DATABASE_REPLICA_URL, {
    path: ["DATABASE_REPLICA_URL"],
    message: "needs DATABASE_URL beside it, the primary's",
  })
  .refine(({ DATABASE_URL, ROW_SECURITY }) => DATABASE_URL || ROW_SECURITY === "off", {
    path: ["ROW_SECURITY"],
    message: "needs DATABASE_URL: the embedded database has one role",
  })
  .refine(({ DATABASE_URL, WORKERS }) => DATABASE_URL || WORKERS === 1 || WORKERS === "auto", {
    path: ["WORKERS"],
    message: "needs DATABASE_URL: the embedded database has one process",
  })
  .refine(({ PORT, METRICS_PORT }) => PORT !== METRICS_PORT, {
    path: ["METRICS_PORT"],
    message: "must be another one than PORT; to serve /metrics at PORT, set METRICS_TOKEN alone",
  })
  .refine(({ SECRETS_KEY, SECRETS_KEY_FILE }) => !SECRETS_KEY || !SECRETS_KEY_FILE, {
    path: ["SECRETS_KEY_FILE"],
    message: "must not be set beside SECRETS_KEY",
  })
  .refine(({ OIDC_ISSUER, OIDC_AUDIENCE }) => !OIDC_ISSUER === !OIDC_AUDIENCE, {
    path: ["OIDC_ISSUER"],
    message: "needs OIDC_AUDIENCE beside it, and the other way round",
  })
  .refine(({ OIDC_ISSUER, OIDC_CLIENT_ID }) => OIDC_ISSUER || !OIDC_CLIENT_ID, {
    path: ["OIDC_CLIENT_ID"],
    message: "needs OIDC_ISSUER beside it",
  })
  .refine(({ SMTP_URL, MAIL_FROM }) => !SMTP_URL === !MAIL_FROM, {
    path: ["SMTP_URL"],
    message: "needs MAIL_FROM beside it, and the other way round",
  })
  .refine(({ TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_ONLY }) => TRUSTED_DOCUMENTS || !TRUSTED_DOCUMENTS_ONLY, {
    path: ["TRUSTED_DOCUMENTS_ONLY"],
    message: "needs TRUSTED_DOCUMENTS beside it",
  });

export type Config = z.infer<typeof settings>;

/** Number of processes that serve requests. */
export const workersOf = ({ WORKERS, DATABASE_URL }: Config): number =>
  WORKERS !== "auto" ? WORKERS : DATABASE_URL ? availableParallelism() : 1;

/** Secret settings, which can also be read from a file named by `…_FILE`. SECRETS_KEY_FILE is a separate setting, with several keys. */
export const secretSettings = [
  "DATABASE_URL",
  "DATABASE_MIGRATE_URL",
  "DATABASE_DIRECT_URL",
  "DATABASE_REPLICA_URL",
  "METRICS_TOKEN",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "SECRETS_KEY_PREVIOUS",
  "SMTP_URL",
] as const satisfies readonly (keyof Config)[];

/** Reads the named files into `values`. Returns the errors. */
function readSecretFiles(values: Record<string, string | undefined>): string[] {
  return secretSettings.flatMap((name) => {
    const setting = `${name}_FILE`;
    const path = values[setting];
    if (path === undefined) return [];
    if (values[name] !== undefined) return [`${setting}: must not be set beside ${name}`];
    try {
      values[name] = readFileSync(path, "utf8").trim();
      return values[name] ? [] : [`${setting}: is empty: ${path}`];
    } catch (error) {
      return [`${setting}: cannot be read (${(error as NodeJS.ErrnoException).code}): ${path}`];
    }
  });
}

export const settingNames: readonly string[] = [...Object.keys(settings.shape), ...secretSettings.map((name) => `${name}_FILE`)];

/** Returns the settings, or the problems, one line each. An empty setting counts as absent. */
export function checkConfig(environment: Record<string, string | undefined>): { config: Config } | { problems: string[] } {
  const values = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const unread = readSecretFiles(values);
  const parsed = settings.safeParse(values);
  if (parsed.success && !unread.length) return { config: parsed.data };
  const wrong = parsed.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
  return { problems: [...unread, ...wrong] };
}

/** Throws an error of one line that names every invalid setting. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const checked = checkConfig(environment);
  if ("config" in checked) return checked.config;
  throw new Error(`wrong configuration: ${checked.problems.join("; ")}`);
}
