/**
 * Secrets at rest (docs/operations/access.md, "Secrets"): `enc:1:<key>:<nonce, tag, text>` with AES-256-GCM. Each is bound to its tenant and
 * record, so that secrets cannot be swapped. Without a key, they are plain text.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const form = "enc:1:";

/** The tenant and record that a secret belongs to. */
export type Place = readonly [tenantId: string, table: "Tenant" | "Webhook", id: string];

interface Key {
  /** Identifies the key of a secret without revealing it. */
  id: string;
  bytes: Buffer;
}

/** Parses a base64 key. Throws an error of one line that names the source of the text. */
function keyOf(text: string, from: string): Key {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== 32 || !/^[\w+/-]+=*$/.test(text))
    throw new Error(`${from} must be 32 bytes in base64, as of: openssl rand -base64 32`);
  return { id: createHash("sha256").update("id of ").update(bytes).digest("hex").slice(0, 8), bytes };
}

export class Secrets {
  private readonly keys: Map<string, Key>;

  /** `current` encrypts; all decrypt. */
  constructor(
    private readonly current?: Key,
    previous: Key[] = [],
  ) {
    this.keys = new Map([...previous, ...(current ? [current] : [])].map((key) => [key.id, key]));
  }

  get isEncrypting(): boolean {
    return this.current !== undefined;
  }

  /** Ids of the known keys. */
  get keyIds(): string[] {
    return [...this.keys.keys()];
  }

  /** Prefix of secrets that need no re-encryption; undefined if secrets are plain text. */
  get prefix(): string | undefined {
    return this.current && `${form}${this.current.id}:`;
  }

  seal(secret: string, place: Place): string {
    if (!this.current) return secret;
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.current.bytes, nonce).setAAD(Buffer.from(JSON.stringify(place)));
    const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return `${this.prefix}${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64")}`;
  }

  /** Throws if the key is missing, or if the secret belongs to another place. */
  open(stored: string, place: Place): string {
    if (!stored.startsWith(form)) return stored;
    const [id = "", sealed = ""] = stored.slice(form.length).split(":");
    const key = this.keys.get(id);
    if (!key) throw new Error(missingKey(id));
    const bytes = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(JSON.stringify(place))).setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  }
}

export const missingKey = (id: string) =>
  `secrets in the database are encrypted with the key ${id}, which this process does not have; set SECRETS_KEY, SECRETS_KEY_FILE or SECRETS_KEY_PREVIOUS to it`;

export interface SecretSettings {
  SECRETS_KEY?: string | undefined;
  SECRETS_KEY_FILE?: string | undefined;
  SECRETS_KEY_PREVIOUS?: string | undefined;
}

function readKeys(file: string, name: string): Key[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`);
  }
  const lines = text.split(/\s+/).filter(Boolean);
  if (!lines.length) throw new Error(`${name} is empty: ${file}`);
  return lines.map((line) => keyOf(line, `each line of ${name}`));
}

/** The keys that the settings name. The first key of a file encrypts. */
export function secretsOf({ SECRETS_KEY, SECRETS_KEY_FILE, SECRETS_KEY_PREVIOUS }: SecretSettings): Secrets {
  const [first, ...others] = SECRETS_KEY_FILE ? readKeys(SECRETS_KEY_FILE, "SECRETS_KEY_FILE") : [];
  const previous = (SECRETS_KEY_PREVIOUS?.split(",") ?? []).map((text) => keyOf(text.trim(), "SECRETS_KEY_PREVIOUS"));
  return new Secrets(SECRETS_KEY ? keyOf(SECRETS_KEY, "SECRETS_KEY") : first, [...others, ...previous]);
}

/** As `secretsOf`, for a data folder: creates a key file for the owner only, when first needed. */
export function secretsOfFolder(folder: string, settings: SecretSettings): Secrets {
  const file = join(folder, "secrets.key");
  try {
    const descriptor = openSync(file, "wx", 0o600);
    writeSync(descriptor, `${randomBytes(32).toString("base64")}\n`);
    closeSync(descriptor);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const own = readFileSync(file, "utf8").trim();
  if (!settings.SECRETS_KEY && !settings.SECRETS_KEY_FILE) return secretsOf({ ...settings, SECRETS_KEY: own });
  return secretsOf({ ...settings, SECRETS_KEY_PREVIOUS: [settings.SECRETS_KEY_PREVIOUS, own].filter(Boolean).join() });
}
