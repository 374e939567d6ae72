/** Calendar feeds over HTTP: anyone with the link can read a person's due work. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { calendarFeedAt } from "../domain/access/calendar-feeds.js";
import type { Actor } from "../domain/access/keys.js";
import { calendarOf, dueWorkOf } from "../domain/maintenance/procedures/due-work-calendar.js";
import { type Admission, pointsOf } from "../execution/admission/admission.js";
import { type Services, scopeOf } from "../resolvers/context.js";
import { notFound } from "../schema/errors.js";
import { sendTagged } from "./caching.js";
import type { LifetimeOf } from "./requests.js";

/** Points deducted before the number of events is known. */
const price = 100;

export interface CalendarOptions {
  services: Services;
  admission: Admission;
  lifetimeOf: LifetimeOf;
  /** The console's address as seen by the client; undefined without a console. */
  consoleUrlOf(request: FastifyRequest): string | undefined;
}

export function registerCalendar(app: FastifyInstance, { services, admission, lifetimeOf, consoleUrlOf }: CalendarOptions): void {
  app.get("/calendar/:file", async (request, reply) => {
    const secret = /^([0-9a-f]{64})\.ics$/.exec((request.params as { file: string }).file)?.[1];
    const feed = secret && (await calendarFeedAt(services.database, secret));
    if (!feed) throw notFound("Calendar feed");
    const { tenantId, principalId, principalName, name, sites } = feed;
    const actor: Actor = { tenantId, principalId, principalName, role: "viewer", sites, readAll: !sites.length, expiresAt: Infinity };
    request.actor = actor;
    const lifetime = lifetimeOf(reply);
    const { db } = scopeOf(services, tenantId);
    const work = admission.run(
      { actor, lifetime },
      { cost: price, lane: "short" },
      async () => calendarOf(name, await dueWorkOf(db, principalId, sites), consoleUrlOf(request)),
      pointsOf,
    );
    const { result } = await lifetime.within(work);
    return sendTagged(request, reply.header("cache-control", "private, no-cache").type("text/calendar; charset=utf-8"), result);
  });
}
