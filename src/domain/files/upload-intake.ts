/** Uploads to the gateway's /uploads endpoint, checked against the grant's policy while streaming (docs/interface.md 4.1, photo flow). */
import { Readable } from "node:stream";
import { now, nowDate } from "../../database/clock.js";
import type { TenantDatabase } from "../../database/database.js";
import { badInput, forbidden, tooLarge } from "../../schema/errors.js";
import { readPolicy } from "../../storage/policy.js";
import type { Storage } from "../../storage/storage.js";

/** Returns the tenant of a storage key. Undefined unless the key has the form of a grant's key. */
export const tenantOfKey = (key: string | undefined): string | undefined => /^incoming\/([^/]+)\/[^/]+$/.exec(key ?? "")?.[1];

const required = ["key", "policy", "signature", "Content-Type"] as const;
const allowed = new Set<string>([...required, "StorageAccessKeyId"]);

/**
 * Returns the signed policy. Throws FORBIDDEN for missing or extra fields, or an invalid signature, expiry or key; BAD_USER_INPUT naming
 * contentType for the wrong type.
 */
export function checkForm(fields: Map<string, string>, secret: string): { key: string; contentType: string; size: number } {
  const [missing] = required.filter((name) => !fields.has(name));
  if (missing) throw forbidden(`The form lacks the field ${missing}; send all fields of the grant before the file`);
  const [extra] = [...fields.keys()].filter((name) => !allowed.has(name));
  if (extra) throw forbidden(`The field ${extra.slice(0, 50)} is not part of the grant`);
  const policy = readPolicy(fields.get("policy")!, fields.get("signature")!, secret);
  if (!policy) throw forbidden("The signature does not fit the policy");
  if (Date.parse(policy.expiration) <= now()) throw forbidden("The upload grant has expired; request a new one");
  if (policy.key !== fields.get("key")) throw forbidden("The key is not that of the grant");
  if (policy.contentType !== fields.get("Content-Type"))
    throw badInput({ contentType: `must be ${policy.contentType}, as granted` }, "Invalid file type or size");
  return policy;
}

/**
 * Streams a file to the storage. `announced` is the size in bytes that the request declares. Among concurrent uploads for one grant, the
 * first complete one succeeds. Throws FORBIDDEN for a used grant, PAYLOAD_TOO_LARGE or BAD_USER_INPUT for a file of another size.
 */
export async function receiveFile(
  db: TenantDatabase,
  storage: Storage,
  policy: { key: string; contentType: string; size: number },
  file: Readable,
  announced?: number,
): Promise<void> {
  const id = policy.key.slice(policy.key.lastIndexOf("/") + 1);
  const open = { id, storedAt: null, uploadedAt: null };
  const used = () => forbidden("The upload grant was already used; request a new one");
  if (!(await db.records.Photo.find(open, "all"))) throw used();
  const source = Readable.from(exactly(policy.size, file, announced));
  await storage.put(policy.key, source, policy.contentType, async () => {
    if (!(await db.records.Photo.update("", open, { storedAt: nowDate() }, "all"))) throw used();
  });
}

/** Passes the file through. Throws unless it has exactly `granted` bytes. */
async function* exactly(granted: number, file: Readable, announced = 0): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of file) {
    size += chunk.length;
    if (size > granted) throw tooLarge(granted, Math.max(size, announced));
    yield chunk;
  }
  if (size < granted) throw badInput({ size: `must be the ${granted} bytes granted, not ${size}` }, "Invalid file type or size");
}
