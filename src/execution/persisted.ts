/**
 * Documents that clients name instead of sending them: automatic persisted queries (Apollo's protocol), by the SHA-256 of a text that was
 * sent before, and trusted documents, by their ids in the operator's file.
 */
import { createHash } from "node:crypto";
import { GraphQLError } from "graphql";
import { badInput } from "../schema/errors.js";
import { type CacheLimits, FairCache } from "./fair-cache.js";

/** An operator's documents by id, and whether no others are accepted. */
export interface TrustedDocuments {
  texts: ReadonlyMap<string, string>;
  only: boolean;
}

/** An error that has its own HTTP status. */
export class DocumentRefused extends GraphQLError {
  constructor(
    readonly status: number,
    message: string,
    code: string,
  ) {
    super(message, { extensions: { code } });
  }
}

// Clients of this protocol expect 200, send the text and go on.
const notFound = () => new DocumentRefused(200, "PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND");
const notTrusted = () =>
  new DocumentRefused(400, "Only trusted documents are accepted here; this one is not among them", "DOCUMENT_NOT_TRUSTED");

/** Of texts kept by their hash, in characters. Longer ones run, and are not kept. */
export const maxKept: CacheLimits = { entries: 1_000, size: 4_000_000, each: 100_000 };

export class PersistedDocuments {
  /** By tenant and hash: a tenant's documents are nobody else's. */
  private readonly kept = new FairCache<string>(maxKept);
  private readonly trustedTexts: ReadonlySet<string>;

  constructor(private readonly trusted: TrustedDocuments) {
    this.trustedTexts = new Set(trusted.texts.values());
  }

  /**
   * The text of the document that a request sends or names in `extensions.persistedQuery`, both unchecked. Keeps a text that comes with
   * its hash, for the tenant. Throws BAD_USER_INPUT and DocumentRefused.
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
    // Over WebSocket a query is required, if only an empty one.
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

/** Clients that were made for one set of documents leave out the version. */
function hashOf(persisted: unknown): string {
  const { version = 1, sha256Hash } = (typeof persisted === "object" ? persisted : {}) as Record<string, unknown>;
  if (version === 1 && typeof sha256Hash === "string") return sha256Hash;
  throw badInput({ "extensions.persistedQuery": "must have the version 1 and a sha256Hash" });
}
