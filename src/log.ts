export type Level = "info" | "warn" | "error";

export type Log = (line: string, level?: Level) => void;

/** Prefixes each line with its time in UTC (ISO 8601) and its level. */
export const timestamped =
  (write: (line: string) => void): Log =>
  (line, level = "info") =>
    write(`${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${line.replace(/\s*\n\s*/g, " ")}`);

/** Drops lines that follow another one within `ms`. */
export function throttled(log: Log, ms: number): Log {
  let last = -Infinity;
  return (line, level) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    log(line, level);
  };
}

/** Message of an error. An AggregateError, as from connecting to each address of a host name, has an empty message of its own. */
export function reasonOf(error: Error): string {
  const { message, errors, code } = error as Error & { errors?: Error[]; code?: string };
  return message || errors?.map((one) => one.message).join("; ") || code || error.name;
}
