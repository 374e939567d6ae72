/** Cursors: tokens with the values at which a page starts, and a digest that binds them to a tenant and a list. */
import { createHash } from "node:crypto";
import type { PageRequest } from "../../schema/connection.js";
import { badInput } from "../../schema/errors.js";
import { foreignToken } from "../../schema/token.js";
import type { TenantQueryable } from "../database.js";

/** Digest of a list and of the values in its cursor. */
export const digestOf = (list: unknown[]): string => createHash("sha256").update(JSON.stringify(list)).digest("base64url").slice(0, 12);

/** Error for a cursor that is malformed or belongs to another list. */
export function foreignCursor({ token }: PageRequest, name: "after" | "before") {
  if (token) return badInput({ [token]: foreignToken });
  const right = name === "after" ? "the endCursor of its page before" : "the startCursor of its page after";
  return badInput({ [name]: `is not a cursor of this list; use ${right}` });
}

/** Reads rows. PostgreSQL's errors of class 22 mean that a cursor's values were tampered with. */
export async function readPage<T>(db: TenantQueryable, sql: string, values: unknown[], request: PageRequest): Promise<T[]> {
  try {
    return await db.query<T>(sql, ...values);
  } catch (error) {
    const isCursors = (request.after || request.before) && /^22/.test((error as { code?: string }).code ?? "");
    throw isCursors ? foreignCursor(request, request.after ? "after" : "before") : error;
  }
}
