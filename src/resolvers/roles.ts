import type { GraphQLField } from "graphql";
import type { Actor } from "../domain/access/keys.js";
import { type Role, roleOrder } from "../schema/access/enums.js";
import { forbidden } from "../schema/errors.js";

/** Throws FORBIDDEN for a key that reads only its sites, where records reveal data of all sites. */
export function requireAllSites({ sites, readAll }: Actor): void {
  if (sites.length && !readAll) throw forbidden("Webhooks are sent the events of all sites; this key reads its own sites only");
}

const neededOf = (roles: readonly Role[]) =>
  Math.min(...roles.flatMap((role) => (roleOrder.includes(role) ? roleOrder.indexOf(role) : [])));

/**
 * Whether the actor has at least one of the roles. Without roles, every role except REQUESTER is allowed. The roles INGEST and REQUESTER
 * are outside the hierarchy and must be listed explicitly.
 */
export const isAllowed = ({ role }: Actor, roles: readonly Role[]): boolean => {
  if (roles.includes(role)) return true;
  if (role === "requester") return false;
  return !roles.length || roleOrder.indexOf(role === "ingest" ? "viewer" : role) >= neededOf(roles);
};

/** Throws FORBIDDEN for a requester, who may only report faults and follow their outcome. */
export function refuseRequester({ role }: Actor): void {
  if (role === "requester") throw forbidden("This needs the role viewer; the key has the role requester");
}

/** Throws FORBIDDEN unless the actor has at least one of the roles. */
export function requireRole(actor: Actor, roles: Role[]): void {
  if (!isAllowed(actor, roles))
    throw forbidden(`This needs the role ${roleOrder[neededOf(roles)] ?? "viewer"}; the key has the role ${actor.role}`);
}

/** The roles of which a root field requires one. Empty if every role may call it. */
export const rolesOf = (field: GraphQLField<unknown, unknown>): Role[] => (field.extensions.roles as Role[] | undefined) ?? [];

/** Stores the roles that a root field requires. */
export const setRoles = (field: GraphQLField<unknown, unknown>, roles: Role[]): void => {
  field.extensions = { ...field.extensions, roles };
};
