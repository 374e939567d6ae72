import type { FastifyBaseLogger } from "fastify";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.js";
import type { Database } from "../database/database.js";
import { KeyRing } from "../domain/access/keys.js";
import { PubSub } from "../domain/pubsub.js";
import type { PlanLog, Services } from "../resolvers/context.js";
import { openStorage } from "../storage/open.js";

/** Opens the resources that all requests share. */
export async function openServices(config: Config, database: Database, log: FastifyBaseLogger): Promise<Services> {
  return {
    database,
    pubsub: new PubSub(database),
    storage: await openStorage(config),
    maxPhotoSize: config.MAX_PHOTO_BYTES,
    importLimits: { maxBytes: config.MAX_IMPORT_BYTES, maxRows: config.MAX_IMPORT_ROWS },
    logPlan:
      config.QUERY_PLANS === "log" ? (plan: PlanLog, requestId: string) => log.info({ ...plan, requestId }, "query plan") : undefined,
    tenants: new LRUCache({ max: 10_000 }),
    keys: new KeyRing(database, (error) => log.warn({ err: error }, "last use of an API key not recorded")),
  };
}
