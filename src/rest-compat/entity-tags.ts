/** The headers ETag and If-Match of REST responses (docs/rest.md, "Versions"). */
import { createHash } from "node:crypto";
import { badInput } from "../schema/errors.js";

export const digestOf = (text: string): string => createHash("sha1").update(text).digest("base64url");

/** The tag of a body, beginning with the version of the record that it shows: a body may change without it, as that of a part with its stock. */
export const tagOf = (body: string, version?: unknown): string => `"${version == null ? "" : `${version}-`}${digestOf(body)}"`;

const list = /^[\t ]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*(?:,[\t ]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*)?)*$/;

/** A version, with the digest of `digestOf` or without. A tag that is a digest alone has none. */
const versioned = /^(\d{1,9}|\d+\.\d+\.\d+)(?:-[\w-]{27})?$/;

/**
 * The versions that If-Match allows: those of its tags, or undefined for `*`, any version of a record that exists. Weak tags count, because a
 * proxy that compresses makes tags weak, and the version is the same. Throws BAD_USER_INPUT for what is no list of tags.
 */
export function versionsOf(ifMatch: string): string[] | undefined {
  if (ifMatch.trim() === "*") return undefined;
  if (!list.test(ifMatch)) throw badInput({ "If-Match": "must be * or tags in double quotes, as ETag has them" });
  const tags = ifMatch.match(/"[^"]*"/g)!.map((tag) => tag.slice(1, -1));
  return [...new Set(tags.flatMap((tag) => versioned.exec(tag)?.[1] ?? []))];
}
