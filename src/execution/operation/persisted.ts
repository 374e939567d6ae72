/**
 * Documents referenced by clients. Automatic persisted queries (Apollo's protocol) use the SHA-256 of a text that was sent before; trusted
 * documents use their ids in the operator's file.
 */
import { createHash } from "node:crypto";
import { GraphQLError } from "graphql";
import { badInput } from "../../schema/errors.js";
import { type CacheLimits, FairCache } from "../admission/fair-cache.js";

/** An operator's documents by id, and whether no others are accepted. */
export interface TrustedDocuments {
  texts: ReadonlyMap<string, string>;
  only: boolean;
}

/** An error with its own HTTP status. */
export class DocumentRefused extends GraphQLError {
  constructor(
    readonly status: number,
    message: string,
    code: string,
  ) {
    super(message, { extensions: { code } });
  }
}

// Clients of this protocol expect 200, and then send the text.
const notFound = () => new DocumentRefused(200, "PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND");
const notTrusted = () =>
  new DocumentRefused(400, "The document is not trusted; only trusted documents are accepted", "DOCUMENT_NOT_TRUSTED");

/** Limits of the texts cached by hash, in characters. Longer texts run without being cached. */
export const maxKept: CacheLimits = { entries: 1_000, size: 4_000_000, each: 100_000 };

export class PersistedDocuments {
  /** By tenant and hash: tenants cannot use each other's documents. */
  private readonly kept = new FairCache<string>(maxKept);
  private readonly trustedTexts: ReadonlySet<string>;

  constructor(private readonly trusted: TrustedDocuments) {
    this.trustedTexts = new Set(trusted.texts.values());
  }

  /**
   * The document text that a request sends, or references in `extensions.persistedQuery`; both are unchecked. Caches a text sent with its
   * hash for the tenant. Throws BAD_USER_INPUT and DocumentRefused.
   */
  textOf(tenant: string, query: unknown, persisted: unknown): unknown {
    const text = persisted == null ? query : this.named(tenant, query, hashOf(persisted));
    // A value that is not a string is refused when the request is parsed.
    if (this.trusted.only && typeof text === "string" && text && !this.trustedTexts.has(text)) throw notTrusted();
    return text;
  }

  private named(tenant: string, query: unknown, hash: string): unknown {
    const key = `${tenant}\0${hash}`;
    const known = this.trusted.texts.get(hash) ?? this.kept.get(key);
    // WebSocket messages require a query, which may be empty.
    if (query == null || query === "") {
      if (known === undefined) throw this.trusted.only ? notTrusted() : notFound();
      return known;
    }
    if (typeof query !== "string" || query === known) return query;
    if (createHash("sha256").update(query).digest("hex") !== hash)
      throw badInput({ "extensions.persistedQuery.sha256Hash": "is not the SHA-256 of the query" }, "provided sha does not match query");
    if (!this.trusted.only) this.kept.set(tenant, key, query, query.length || 1);
    return query;
  }
}

/** Clients built for a fixed set of documents omit the version. */
function hashOf(persisted: unknown): string {
  const { version = 1, sha256Hash } = (typeof persisted === "object" ? persisted : {}) as Record<string, unknown>;
  if (version === 1 && typeof sha256Hash === "string") return sha256Hash;
  throw badInput({ "extensions.persistedQuery": "must have the version 1 and a sha256Hash" });
}
