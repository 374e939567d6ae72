/** Error masking, the last step of the pipeline. Clients never see the cause of an unexpected error. */
import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from "graphql";
import { ConnectionsBusy, DatabaseUnavailable, NumberTooLarge } from "../database/errors.js";
import { badInput, type Code, internal, ServiceError, serverFull, statusOf, unavailable, unusable } from "../schema/errors.js";

export type LogFailure = (cause: unknown, requestId: string) => void;

/**
 * Returns the error that a client sees (docs/interface.md 7). Errors of the service and of the query itself are unchanged. A lost database
 * connection or a full disk becomes SERVICE_UNAVAILABLE, any other error INTERNAL_SERVER_ERROR with the request id. Logs the last two.
 */
export function maskError(error: unknown, requestId: string, logFailure: LogFailure): GraphQLError {
  const cause = rootCause(error);
  if (cause instanceof ServiceError) return cause;
  if (cause instanceof DatabaseUnavailable) {
    logFailure(cause, requestId);
    return cause.fault ? unusable(cause.fault) : unavailable();
  }
  const diskFault = diskFaultOf(cause);
  if (diskFault) {
    logFailure(cause, requestId);
    return unusable(diskFault);
  }
  if (cause instanceof ConnectionsBusy) return serverFull();
  if (cause instanceof NumberTooLarge) return badInput({ numbers: "come to more than can be kept; use smaller ones" });
  if (cause instanceof GraphQLError) return cause;
  logFailure(cause, requestId);
  return internal(requestId);
}

/** Reasons by error code of file writes. Linux remounts a file system read-only after I/O errors. */
const diskFaults: Record<string, DiskFault> = { ENOSPC: "DISK_FULL", EDQUOT: "DISK_FULL", EROFS: "DISK_READ_ONLY" };

export type DiskFault = "DISK_FULL" | "DISK_READ_ONLY";

/** Why a file could not be written; undefined for other errors. */
export const diskFaultOf = (cause: unknown): DiskFault | undefined => diskFaults[(cause as { code?: string } | undefined)?.code ?? ""];

/** Whether the database or a disk is temporarily unusable. */
export const isUnavailable = (cause: unknown): cause is Error => cause instanceof DatabaseUnavailable || diskFaultOf(cause) !== undefined;

/** Unwraps the GraphQLErrors that graphql-js puts around an error. */
export function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError && !(cause instanceof ServiceError)) cause = cause.originalError;
  return cause;
}

/** Masks each error of a result. Keeps its locations and path. */
export function maskResult(result: ExecutionResult, requestId: string, logFailure: LogFailure): ExecutionResult {
  if (!result.errors?.length) return result;
  return { ...result, errors: result.errors.map((error) => maskFieldError(error, requestId, logFailure)) };
}

function maskFieldError(error: GraphQLError, requestId: string, logFailure: LogFailure): GraphQLError {
  const masked = maskError(error, requestId, logFailure);
  const { message, extensions } = masked.extensions?.code ? masked : addCode(masked, error, requestId, logFailure);
  const { nodes, source, positions, path } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions, originalError: masked });
}

/**
 * Adds a code. An error without a path concerns the request, e.g. its variables. An error with a path is a value that violates the schema.
 */
function addCode(masked: GraphQLError, { path }: GraphQLError, requestId: string, logFailure: LogFailure): GraphQLError {
  if (!path) return new GraphQLError(masked.message, { extensions: { ...masked.extensions, code: "BAD_USER_INPUT" } });
  logFailure(masked, requestId);
  return internal(requestId);
}

/** Returns the highest HTTP status of the errors' codes, or 200 without errors. */
export const statusOfErrors = (errors: readonly (GraphQLError | GraphQLFormattedError)[] = []): number =>
  Math.max(200, ...errors.map(({ extensions }) => statusOf[extensions?.code as Code] ?? 400));

/** Seconds after which to retry a temporary error; undefined for other errors. */
export function retryAfterOf({ extensions }: GraphQLError | GraphQLFormattedError): number | undefined {
  if (extensions?.code !== "RATE_LIMITED" && extensions?.code !== "SERVICE_UNAVAILABLE") return undefined;
  return typeof extensions.retryAfter === "number" ? extensions.retryAfter : 2;
}

/** HTTP status and retry delay of a result that failed temporarily. */
export function refusalOf(errors: readonly GraphQLFormattedError[]): { status: number; retryAfter: number } | undefined {
  for (const error of errors) {
    const retryAfter = retryAfterOf(error);
    if (retryAfter !== undefined) return { status: statusOf[error.extensions!.code as Code], retryAfter };
  }
  return undefined;
}
