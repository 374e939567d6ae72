import type { FastifyBaseLogger } from "fastify";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.js";
import type { Database } from "../database/database.js";
import { KeyRing } from "../domain/access/keys.js";
import { AccessLog } from "../domain/changes/access-events.js";
import { ChangeTail } from "../domain/changes/tail.js";
import { PhotoReader } from "../domain/files/image.js";
import type { PlanLog, Services, SlowOperations } from "../resolvers/context.js";
import { openStorage } from "../storage/open.js";
import { tokenVerifier } from "./oidc.js";

/** All services except those that need the pipeline, which depends on these. */
export type OpenedServices = Omit<Services, "checkSelection">;

/** Opens the resources that all requests share. */
export async function openServices(
  config: Config,
  database: Database,
  log: FastifyBaseLogger,
  slowOperations?: SlowOperations,
): Promise<OpenedServices> {
  const accessLog = new AccessLog(database, (error) => log.error({ err: error }, "access not logged"));
  const tenants: Services["tenants"] = new LRUCache({ max: 10_000 });
  const keys = new KeyRing(database, {
    onError: (error) => log.warn({ err: error }, "last use of an API key not recorded"),
    verify: tokenVerifier(config, (error) => log.error({ err: error }, "identity provider not reached")),
    log: accessLog,
    sessionIdleMs: config.SESSION_IDLE_MINUTES * 60_000,
  });
  // A deleted tenant may be recreated under its name with another secret.
  keys.onRightsChanged((tenantId) => tenants.delete(tenantId));
  return {
    database,
    tail: new ChangeTail(database, (error) => log.warn({ err: error }, "the log of changes was not read")),
    keptChangesMs: config.RETENTION_CHANGES_DAYS * 86_400_000,
    accessLog,
    storage: await openStorage(config),
    maxPhotoSize: config.MAX_PHOTO_BYTES,
    isMailed: config.SMTP_URL !== undefined,
    hasConsole: config.CONSOLE === "on",
    maxAttachmentSize: config.MAX_ATTACHMENT_BYTES,
    photos: new PhotoReader({
      maxPixels: config.MAX_PHOTO_PIXELS,
      maxDecoding: config.MAX_DECODING,
      maxDecodingBytes: config.MAX_DECODING_BYTES,
      keepLocation: config.KEEP_PHOTO_LOCATION,
    }),
    importLimits: { maxBytes: config.MAX_IMPORT_BYTES, maxRows: config.MAX_IMPORT_ROWS, maxReport: config.MAX_ANSWER_BYTES },
    answerLimits: { maxBytes: config.MAX_ANSWER_BYTES, maxListed: config.MAX_QUERY_COST },
    logPlan:
      config.QUERY_PLANS === "log" ? (plan: PlanLog, requestId: string) => log.info({ ...plan, requestId }, "query plan") : undefined,
    slowOperations,
    tenants,
    keys,
  };
}
