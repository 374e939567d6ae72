/** Tokens that only this service reads, such as cursors. */

export const encodeToken = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** The parts of a token. Undefined for malformed text. */
export function decodeToken(token: string): unknown[] | undefined {
  try {
    const parts = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

/** Error for a token of another list. */
export const foreignToken = "is not a token of this list; use a nextToken of its answer";
