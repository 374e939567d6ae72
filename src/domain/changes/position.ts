/** Positions in the change log, and the tokens that carry them (docs/changes.md, "Read order"). */
import { now } from "../../database/clock.js";
import { badInput, resyncRequired } from "../../schema/errors.js";
import { decodeToken, encodeToken } from "../../schema/token.js";
import { decodeTypes, encodeTypes, type Scope } from "./scope.js";

/** A reader has seen everything up to this position. Both values are 64-bit integers as text. */
export interface Position {
  transaction: string;
  sequence: string;
}

/** Negative if `a` comes before `b`. */
export function comparePositions(a: Position, b: Position): number {
  const difference = BigInt(a.transaction) - BigInt(b.transaction) || BigInt(a.sequence) - BigInt(b.sequence);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Contents of a token. */
export interface Token {
  position: Position;
  /** The tenant's `logEpoch`. */
  epoch: string;
  /** Time of issue, in milliseconds since the epoch. */
  issuedAt: number;
  /**
   * The reader's rights and record types. Undefined for tokens of the command line, which reads everything, and for those of older
   * releases.
   */
  scope?: Scope | undefined;
}

export const encodePosition = ({ position, epoch, issuedAt, scope }: Token): string =>
  encodeToken(
    "changes",
    position.transaction,
    position.sequence,
    epoch,
    Math.floor(issuedAt / 1000),
    ...(scope ? [scope.rights, encodeTypes(scope.recordTypes)] : []),
  );

const isCount = (value: unknown): value is string => typeof value === "string" && /^\d{1,19}$/.test(value);

/** Throws BAD_USER_INPUT naming the argument for an invalid token, RESYNC_REQUIRED for a token older than the retained log. */
export function decodePosition(token: string, argument: string, keptMs: number): Token {
  const [kind, transaction, sequence, epoch, seconds, rights, types] = decodeToken(token) ?? [];
  if (kind !== "changes" || !isCount(transaction) || !isCount(sequence) || typeof epoch !== "string" || typeof seconds !== "number")
    throw badInput({ [argument]: "is not a token of the log of changes; use one that an answer or an event had" });
  if (now() - seconds * 1000 > keptMs) throw resyncRequired();
  const scope = typeof rights === "string" && typeof types === "string" ? { rights, recordTypes: decodeTypes(types) } : undefined;
  return { position: { transaction, sequence }, epoch, issuedAt: seconds * 1000, scope };
}
