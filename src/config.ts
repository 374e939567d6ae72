/** Configuration from environment variables. README.md lists every setting. */
import { z } from "zod";

/** An integer setting. */
function whole(fallback: number, min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int(error).min(min, error).max(max, error).default(fallback);
}
const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((value) => value === "true");

/** Whether browsers can send this as `Origin`: scheme, host, and a port that is not the scheme's own. */
const isOrigin = (text: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s]+$/.test(text) && URL.canParse(text) && (!text.startsWith("http") || new URL(text).origin === text);

const settings = z
  .object({
    HOST: z.string().min(1).default("127.0.0.1"),
    PORT: whole(4000, 0, 65535),
    DATA_DIR: z.string().min(1).default("./data"),
    DATABASE_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, "must begin with postgresql://")
      .optional(),
    DATABASE_CONNECTIONS: whole(10, 1, 500),
    DATABASE_WAIT_SECONDS: whole(30, 0, 3600),
    STATEMENT_TIMEOUT_MS: whole(30_000, 100, 3_600_000),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
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
    COMPRESSION: z.enum(["on", "off"]).default("on"),
    TRUSTED_DOCUMENTS: z.string().min(1).optional(),
    TRUSTED_DOCUMENTS_ONLY: flag,
    MAX_BODY_BYTES: whole(1_048_576, 1024, 104_857_600),
    MAX_QUERY_DEPTH: whole(20, 1, 1000),
    MAX_QUERY_COST: whole(50_000, 1, 100_000_000),
    MAX_QUERY_ALIASES: whole(30, 0, 10_000),
    MAX_QUERY_ROOT_FIELDS: whole(20, 1, 1000),
    MAX_QUERY_TOKENS: whole(5_000, 100, 1_000_000),
    MAX_INPUT_LIST: whole(1_000, 1, 100_000),
    QUERY_PLANS: z.enum(["on", "off", "log"]).default("on"),
    MAX_PAGE_SIZE: whole(500, 1, 10_000),
    MAX_PHOTO_BYTES: whole(25 * 1_048_576, 1024, 1_073_741_824),
    MAX_IMPORT_BYTES: whole(50 * 1_048_576, 1024, 1_073_741_824),
    MAX_IMPORT_ROWS: whole(100_000, 1, 10_000_000),
    SCHEDULER: flag,
    SCHEDULER_SECONDS: whole(60, 1, 86_400),
    WEBHOOK_ALLOW_PRIVATE: flag,
    WEBHOOK_TIMEOUT_MS: whole(10_000, 100, 30_000),
    WEBHOOK_POLL_MS: whole(1_000, 10, 3_600_000),
    PUBLIC_URL: z
      .string()
      .regex(/^https?:\/\/[^/]+$/, "must be like https://gateway.example.com, without a path")
      .optional(),
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
  .refine(({ TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_ONLY }) => TRUSTED_DOCUMENTS || !TRUSTED_DOCUMENTS_ONLY, {
    path: ["TRUSTED_DOCUMENTS_ONLY"],
    message: "needs TRUSTED_DOCUMENTS beside it",
  });

export type Config = z.infer<typeof settings>;

/** Throws an error of one line that names every invalid setting. An empty setting counts as absent. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const values = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = settings.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(`wrong configuration: ${parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")}`);
}
