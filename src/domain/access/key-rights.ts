/** Rights that a caller may give to others: an admin who is limited to sites gives rights within these sites only. */
import { badInput, forbidden } from "../../schema/errors.js";
import type { Actor } from "./keys.js";

/** Whether the caller may manage a key for these sites. A caller limited to sites manages only keys within those sites. */
export const isWithin = (actor: Actor, sites: string[]): boolean =>
  !actor.sites.length || (sites.length > 0 && sites.every((site) => actor.sites.includes(site)));

interface IssuedRights {
  sites?: string[] | null | undefined;
  readAll?: boolean | null | undefined;
}

/**
 * Returns whether the new key reads the records of all sites. Throws FORBIDDEN beyond the caller's own rights, BAD_USER_INPUT for a key that
 * reads nothing.
 */
export function checkIssuedRights(actor: Actor, { sites, readAll: given }: IssuedRights): boolean {
  if (!isWithin(actor, sites ?? [])) throw forbidden("This key may issue keys for its own sites only");
  const readAll = given ?? !sites?.length;
  if (!readAll && !sites?.length) throw badInput({ readAll: "may be false only for a key that is limited to sites" });
  if (readAll && !actor.readAll) throw forbidden("This key may issue keys that read its own sites only");
  return readAll;
}
