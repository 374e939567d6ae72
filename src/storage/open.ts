import { join } from "node:path";
import type { Config } from "../config.js";
import { localStorage } from "./local.js";
import type { Storage } from "./storage.js";

/** Opens S3 if S3_BUCKET is set, else the folder DATA_DIR/files. Loads the S3 client only if needed, because it is large. */
export async function openStorage(config: Config): Promise<Storage> {
  if (!config.S3_BUCKET) return localStorage(join(config.DATA_DIR, "files"));
  const { s3Storage } = await import("./s3.js");
  return s3Storage({
    bucket: config.S3_BUCKET,
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    accessKeyId: config.S3_ACCESS_KEY_ID!,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY!,
  });
}
