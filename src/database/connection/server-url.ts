/** DATABASE_URL and similar settings: one server or several, the requested role, and the TLS checks. */
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type pg from "pg";
import { startupOptions } from "./session.js";

/** As `target_session_attrs` of libpq. */
const wishes = ["any", "read-write", "read-only", "primary", "standby"] as const;
export type Wish = (typeof wishes)[number];

const tlsModes = ["disable", "require", "verify-ca", "verify-full"] as const;

export interface ServerList {
  /** One per server, in order. */
  servers: pg.ClientConfig[];
  /** Hosts and ports as in the URL. */
  names: string[];
  wanted: Wish;
}

const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)((?:\/[^?#]*)?)(?:\?(.*))?$/;
const hostForm = /^(\[[\da-f:.%]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;

/** Reads the setting `name`. Throws an error of one line without the URL, which contains a password. */
export function readServerUrl(url: string, name: string, isPooler = false): ServerList {
  const [, before, hostList, database, queryText] = form.exec(url) ?? [];
  if (before === undefined)
    throw new Error(`${name} must be like postgresql://user:password@host:5432/database, with several hosts separated by commas`);
  const hosts = hostList!.split(",");
  const isWrong = (host: string) => !hostForm.test(host) || Number(hostForm.exec(host)![2] ?? 1) > 65535;
  const wrong = hosts.find(isWrong);
  // Without a host, the server is a local socket, or the query names the host.
  if (wrong !== undefined && (wrong || hosts.length > 1)) throw new Error(`${name}: "${wrong}" is not a valid host or host:port`);
  const query = new URLSearchParams(queryText);
  const take = (parameter: string) => {
    const value = query.get(parameter);
    query.delete(parameter);
    return value ?? undefined;
  };
  const wanted = oneOf(wishes, "target_session_attrs", take("target_session_attrs"), name) ?? (hosts.length > 1 ? "read-write" : "any");
  const ssl = tlsOf(take, name);
  // Prisma's own parameter, which PostgreSQL does not know.
  const schema = take("schema") ?? "public";
  if (schema !== "public") throw new Error(`${name}: schema=${schema} is not supported; the tables are in the schema public`);
  const own = take("options") ?? process.env.PGOPTIONS;
  const options = isPooler ? {} : { options: startupOptions(own) };
  const rest = query.size ? `?${query}` : "";
  return {
    wanted,
    names: hosts.map((host) => host || "local"),
    servers: hosts.map((host) => ({
      connectionString: `${before}${host}${database}${rest}`,
      ...options,
      ...(ssl !== undefined && { ssl }),
    })),
  };
}

function oneOf<T extends string>(allowed: readonly T[], parameter: string, value: string | undefined, name: string): T | undefined {
  if (value === undefined || allowed.includes(value as T)) return value as T | undefined;
  throw new Error(`${name}: ${parameter} must be one of ${allowed.join(", ")}`);
}

/** Undefined if the URL does not specify TLS. */
function tlsOf(take: (parameter: string) => string | undefined, name: string): false | ConnectionOptions | undefined {
  const [ssl, rootFile, certFile, keyFile] = ["ssl", "sslrootcert", "sslcert", "sslkey"].map(take);
  const given = oneOf(tlsModes, "sslmode", take("sslmode"), name);
  const mode = given ?? (ssl === undefined ? (rootFile ?? certFile) && "verify-full" : /^(true|1)$/.test(ssl) ? "verify-full" : "disable");
  if (mode === undefined) return undefined;
  if (mode === "disable") return false;
  const read = (parameter: string, path: string | undefined) => {
    try {
      return path === undefined ? undefined : readFileSync(path, "utf8");
    } catch (error) {
      throw new Error(`${name}: ${parameter} cannot be read (${(error as NodeJS.ErrnoException).code}): ${path}`);
    }
  };
  const ca = rootFile === "system" ? undefined : read("sslrootcert", rootFile);
  if (!certFile !== !keyFile) throw new Error(`${name}: sslcert and sslkey must be set together`);
  if (mode === "verify-ca" && !ca) throw new Error(`${name}: sslmode=verify-ca needs sslrootcert, the file of the CA's certificate`);
  const cert = read("sslcert", certFile);
  const own = cert === undefined ? {} : { cert, key: read("sslkey", keyFile) };
  if (mode === "verify-full") return { ...own, ...(ca && { ca }) };
  // As in libpq: with a CA, `require` verifies that it issued the certificate.
  return ca ? { ...own, ca, checkServerIdentity: () => undefined } : { ...own, rejectUnauthorized: false };
}

/** Codes and messages of failures that waiting does not fix: the certificate is invalid or missing. */
export const isTlsRefusal = ({ code = "", message }: Error & { code?: string }): boolean =>
  /CERT|_TLS_|UNABLE_TO_VERIFY|SELF_SIGNED/.test(code) || /does not support SSL|establishing an SSL connection/.test(message);
