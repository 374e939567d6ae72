import type { Actor } from "../domain/access/keys.js";
import { type Role, roleOrder } from "../schema/access/enums.js";
import { forbidden } from "../schema/errors.js";

/** Throws FORBIDDEN for a key that reads only its sites, where records tell of all. */
export function requireAllSites({ sites, readAll }: Actor): void {
  if (sites.length && !readAll) throw forbidden("Webhooks are sent the events of all sites; this key reads its own sites only");
}

/**
 * Throws FORBIDDEN unless the actor has at least one of the roles. The INGEST role is outside the hierarchy and must be listed
 * explicitly.
 */
export function requireRole(actor: Actor, roles: Role[]): void {
  if (roles.includes(actor.role)) return;
  const needed = Math.min(...roles.flatMap((role) => (role === "ingest" ? [] : roleOrder.indexOf(role))));
  if (roleOrder.indexOf(actor.role === "ingest" ? "viewer" : actor.role) < needed)
    throw forbidden(`This needs the role ${roleOrder[needed]}; the key has the role ${actor.role}`);
}
