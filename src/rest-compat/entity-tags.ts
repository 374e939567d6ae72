/** The headers ETag and If-Match of REST responses (docs/rest.md, "Versions"). */
import { createHash } from "node:crypto";
import { badInput } from "../schema/errors.js";

export const digestOf = (text: string): string => createHash("sha1").update(text).digest("base64url");

/**
 * The tag of a body. It begins with the record's version, but also has a digest: a body may change without its version, such as a part's
 * with its stock.
 */
export const tagOf = (body: string, version?: unknown): string => `"${version == null ? "" : `${version}-`}${digestOf(body)}"`;

const list = /^[\t ]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*(?:,[\t ]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*)?)*$/;

/** A version with or without the digest of `digestOf`. Pure digests do not match. */
const versioned = /^(\d{1,9}|\d+\.\d+\.\d+)(?:-[\w-]{27})?$/;

/**
 * The versions that If-Match allows: those of its tags, or undefined for `*`, any version of an existing record. Weak tags are accepted,
 * because compressing proxies weaken tags without changing the version. Throws BAD_USER_INPUT for an invalid list of tags.
 */
export function versionsOf(ifMatch: string): string[] | undefined {
  if (ifMatch.trim() === "*") return undefined;
  if (!list.test(ifMatch)) throw badInput({ "If-Match": "must be * or tags in double quotes, as ETag has them" });
  const tags = ifMatch.match(/"[^"]*"/g)!.map((tag) => tag.slice(1, -1));
  return [...new Set(tags.flatMap((tag) => versioned.exec(tag)?.[1] ?? []))];
}
