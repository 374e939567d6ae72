/** What the drivers and Prisma throw, reduced to the few failures the service distinguishes. */

export class UniqueViolation extends Error {
  constructor(readonly constraint: string) {
    super(`unique constraint ${constraint}`);
  }
}

export class ReferenceViolation extends Error {
  constructor(readonly constraint: string) {
    super(`foreign key ${constraint}`);
  }
}

export class CheckViolation extends Error {
  constructor(readonly constraint: string) {
    super(`check constraint ${constraint}`);
  }
}

export class NumberTooLarge extends Error {
  readonly code = "22003";
}

export class DatabaseUnavailable extends Error {}

const ours = [UniqueViolation, ReferenceViolation, CheckViolation, NumberTooLarge, DatabaseUnavailable];

const gone = /^(08|57P0[123]|53300)/;
const goneCodes = new Set([
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
const goneMessage =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after|PGlite is closed/i;

/** What the drivers and Prisma hang on their errors. Prisma 7 with a driver adapter keeps the driver's words at the cause. */
interface Thrown {
  code?: string;
  constraint?: string;
  meta?: { driverAdapterError?: { cause?: { originalCode?: string; originalMessage?: string; constraint?: { index?: string } } } };
}

/** The failure behind `error` where it is one of ours, else the error itself. */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (ours.some((kind) => error instanceof kind)) return error;
  const thrown: Error & Thrown = error;
  const driver = thrown.meta?.driverAdapterError?.cause;
  const code = driver?.originalCode ?? thrown.code ?? "";
  const named = /constraint "([^"]+)"/.exec(driver?.originalMessage ?? "")?.[1];
  const constraint = driver?.constraint?.index ?? named ?? thrown.constraint ?? "";
  if (code === "23505" || code === "P2002") return new UniqueViolation(constraint);
  if (code === "23503" || code === "P2003") return new ReferenceViolation(constraint);
  if (code === "22003") return new NumberTooLarge(error.message, { cause: error });
  if (code === "23514") return new CheckViolation(constraint);
  if (gone.test(code) || goneCodes.has(code) || goneMessage.test(error.message))
    return new DatabaseUnavailable(error.message, { cause: error });
  return error;
}
