/** Files sent to the gateway's own /uploads: checked against the grant's policy while they stream (interface.md 4.1, photo flow). */
import { Readable } from "node:stream";
import type { TenantDatabase } from "../database/database.js";
import { badInput, forbidden, tooLarge } from "../schema/errors.js";
import { readPolicy } from "../storage/policy.js";
import type { Storage } from "../storage/storage.js";

/** The tenant that a form's key belongs to; undefined where the key is not of this service. */
export const tenantOfKey = (key: string | undefined): string | undefined => /^incoming\/([^/]+)\/[^/]+$/.exec(key ?? "")?.[1];

const required = ["key", "policy", "signature", "Content-Type"] as const;
const known = new Set<string>([...required, "StorageAccessKeyId"]);

/** Throws FORBIDDEN for a form whose signature, expiry or key are not those of a grant, BAD_USER_INPUT for the wrong type. */
export function checkForm(fields: Map<string, string>, secret: string): { key: string; contentType: string; size: number } {
  const [missing] = required.filter((name) => !fields.has(name));
  if (missing) throw forbidden(`The form lacks the field ${missing}; send all fields of the grant before the file`);
  const [extra] = [...fields.keys()].filter((name) => !known.has(name));
  if (extra) throw forbidden(`The field ${extra.slice(0, 50)} is not part of the grant`);
  const policy = readPolicy(fields.get("policy")!, fields.get("signature")!, secret);
  if (!policy) throw forbidden("The signature does not fit the policy");
  if (Date.parse(policy.expiration) <= Date.now()) throw forbidden("The upload grant has expired; request a new one");
  if (policy.key !== fields.get("key")) throw forbidden("The key is not that of the grant");
  if (policy.contentType !== fields.get("Content-Type"))
    throw badInput({ contentType: `must be ${policy.contentType}, as granted` }, "Invalid file type or size");
  return policy;
}

/** Streams a file into the storage, cut off at the granted size. Of uploads for one grant the first whole one counts. */
export async function takeFile(
  db: TenantDatabase,
  storage: Storage,
  policy: { key: string; contentType: string; size: number },
  file: Readable,
  announced?: number,
): Promise<void> {
  const id = policy.key.slice(policy.key.lastIndexOf("/") + 1);
  const open = `"tenantId" = $1 and id = $2 and "storedAt" is null and "uploadedAt" is null`;
  const used = () => forbidden("The upload grant was already used; request a new one");
  if (!(await db.query(`select 1 from "Photo" where ${open}`, id)).length) throw used();
  const whole = Readable.from(exactly(policy.size, file, announced));
  await storage.put(policy.key, whole, policy.contentType, async () => {
    if (!(await db.query(`update "Photo" set "storedAt" = now() where ${open} returning id`, id)).length) throw used();
  });
}

async function* exactly(granted: number, file: Readable, announced = 0): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of file) {
    size += chunk.length;
    if (size > granted) throw tooLarge(granted, Math.max(size, announced));
    yield chunk;
  }
  if (size < granted) throw badInput({ size: `must be the ${granted} bytes granted, not ${size}` }, "Invalid file type or size");
}
