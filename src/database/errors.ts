/** Errors of the drivers and of Prisma, mapped to the few that the service distinguishes. */
import { ServiceError } from "../schema/errors.js";
import { isConflictCode, WriteConflict } from "./connection/conflicts.js";
import { isTlsRefusal } from "./connection/server-url.js";
import { tables } from "./rows/catalogue.js";

const article = (noun: string) => (/^(?!uni)[aeiou]/i.test(noun) ? "An" : "A");
const spaced = (column: string) => column.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const uniques = new Map(Object.values(tables).flatMap(({ noun, uniques }) => uniques.map((unique) => [unique.index, { ...unique, noun }])));
const references = new Map(Object.values(tables).flatMap(({ references }) => references.map((one) => [one.constraint, one])));

/**
 * A unique value is in use. CONFLICT with a message derived from the index (prisma/schema.prisma). With `value`, the error also contains
 * the value under the column's name (docs/interface.md 7).
 */
export class UniqueViolation extends ServiceError {
  constructor(
    readonly constraint: string,
    value?: (column: string) => unknown,
  ) {
    const { noun = "record", column = "" } = uniques.get(constraint) ?? {};
    const message = column ? `${article(noun)} ${noun} with this ${spaced(column)} already exists` : "The record already exists";
    super("CONFLICT", message, column && value ? { [column]: value(column) } : {});
  }

  /** The error of an update: BAD_USER_INPUT naming the column, if the index is declared so (`@inUse`); undefined otherwise. */
  get asUpdateError(): ServiceError | undefined {
    const { column, inUse } = uniques.get(this.constraint) ?? {};
    return inUse ? new ServiceError("BAD_USER_INPUT", "Invalid input", { details: { [column!]: inUse } }) : undefined;
  }
}

/** A reference names a record that does not exist. BAD_USER_INPUT naming the column. */
export class ReferenceViolation extends ServiceError {
  constructor(readonly constraint: string) {
    const { column = "reference", table } = references.get(constraint) ?? {};
    const noun = table ? tables[table as keyof typeof tables].noun : "record";
    super("BAD_USER_INPUT", "Invalid input", { details: { [column]: `names no ${noun}; use the id of an existing one` } });
  }
}

/** A CHECK constraint refused a row. Validation comes first, so a violation that reaches a client is an internal error. */
export class CheckViolation extends Error {
  constructor(readonly constraint: string) {
    super(`check constraint ${constraint}`);
  }
}

/** An exclusion constraint refused a row. Callers turn it into a CONFLICT. */
export class ExclusionViolation extends Error {
  constructor(readonly constraint: string) {
    super(`exclusion constraint ${constraint}`);
  }
}

/** An isolated asset cannot become operational (migration `steps`). CONFLICT with the work order, which the trigger's message names. */
export class AssetIsolated extends ServiceError {
  constructor(message: string) {
    const workOrderId = /work order (\S+)/.exec(message)?.[1];
    const reason = `Work order ${workOrderId} isolates it; complete its RELEASE step first`;
    super("CONFLICT", "The asset is isolated and cannot become operational", { reason, workOrderId });
  }
}

export const foreignSiteMessage = "This key may change only records of its own sites";

/** A key that is limited to sites wrote a row of another site, or without a site (migration `site_wall`). FORBIDDEN. */
export class ForeignSite extends ServiceError {
  constructor(context: { details?: Record<string, string> } = {}) {
    super("FORBIDDEN", "Forbidden", { message: foreignSiteMessage, ...context });
  }
}

export class NumberTooLarge extends Error {
  readonly code = "22003";
}

/** SQLSTATEs of faults that an operator must repair, although the server responds. */
const faults = {
  53100: "DATABASE_FULL",
  53200: "DATABASE_OUT_OF_MEMORY",
  28000: "DATABASE_ACCESS_REFUSED",
  "28P01": "DATABASE_ACCESS_REFUSED",
  "3D000": "DATABASE_ACCESS_REFUSED",
} as const;
export type DatabaseFault = (typeof faults)[keyof typeof faults];

export const faultOf = (code: string): DatabaseFault | undefined => (faults as Record<string, DatabaseFault>)[code];

export class DatabaseUnavailable extends Error {
  /** Reason other than a lost connection. */
  fault?: DatabaseFault | undefined;
}

/** The database responds, but all connections stayed busy for too long. */
export class ConnectionsBusy extends Error {}

const translatedErrors = [
  AssetIsolated,
  ForeignSite,
  UniqueViolation,
  ReferenceViolation,
  CheckViolation,
  NumberTooLarge,
  DatabaseUnavailable,
  ConnectionsBusy,
  WriteConflict,
];

/**
 * PgBouncer's error before it closes a connection for which it has no server. PostgreSQL reports a protocol violation as an error of the
 * statement.
 */
const isEndByPooler = (code: string, severity: string | undefined): boolean => code === "08P01" && severity === "FATAL";

/**
 * Excludes protocol violations (08P01), which a new connection would not fix. Includes 25006: a standby refuses writes until it is
 * promoted.
 */
const connectionLost = /^(08(?!P01)|57P0[123]|53300|25006)/;
const connectionLostCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EAI_AGAIN",
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
]);
const connectionLostMessage =
  /Connection terminated|Query read timeout|Client has encountered a connection error|Cannot use a pool after|PGlite is closed/i;

/** Message of node-postgres when all connections stayed in use for the whole wait. */
const busyMessage = /timeout exceeded when trying to connect/;

/** Fields that the drivers and Prisma add to their errors. Prisma 7 with a driver adapter keeps the driver's fields in the cause. */
interface DriverError {
  code?: string;
  constraint?: string;
  severity?: string;
  meta?: {
    driverAdapterError?: {
      cause?: { originalCode?: string; originalMessage?: string; severity?: string; constraint?: { index?: string } };
    };
  };
}

/** Maps an error of a driver or of Prisma to an error of the service. Other errors are returned unchanged. */
export function toServiceError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (translatedErrors.some((kind) => error instanceof kind)) return error;
  const thrown: Error & DriverError = error;
  const driver = thrown.meta?.driverAdapterError?.cause;
  const code = driver?.originalCode ?? thrown.code ?? "";
  // Prisma passes the name of a check constraint only in the message, whose words and quotes depend on the server's language.
  const named = /\w+_(?:check|fkey|key)\b/.exec(driver?.originalMessage ?? "")?.[0];
  const constraint = driver?.constraint?.index ?? named ?? thrown.constraint ?? "";
  if (code === "23505" || code === "P2002") return new UniqueViolation(constraint);
  if (code === "23503" || code === "P2003") return new ReferenceViolation(constraint);
  if (isConflictCode(code)) return new WriteConflict(error);
  if (code === "22003") return new NumberTooLarge(error.message, { cause: error });
  if (code === "23514" && constraint === "Asset_isolated_check") return new AssetIsolated(driver?.originalMessage ?? error.message);
  if (code === "23514" && constraint === "own_sites_check") return new ForeignSite();
  if (code === "23514") return new CheckViolation(constraint);
  if (code === "23P01") return new ExclusionViolation(constraint);
  if (busyMessage.test(error.message)) return new ConnectionsBusy(error.message, { cause: error });
  const fault = faultOf(code);
  if (fault) return Object.assign(new DatabaseUnavailable(error.message, { cause: error }), { fault });
  if (isEndByPooler(code, driver?.severity ?? thrown.severity)) return new DatabaseUnavailable(error.message, { cause: error });
  if (connectionLost.test(code) || connectionLostCodes.has(code) || connectionLostMessage.test(error.message) || isTlsRefusal(thrown))
    return new DatabaseUnavailable(error.message, { cause: error });
  return error;
}
