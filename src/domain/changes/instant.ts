/** Instants at which records are read from the change log. */
import { now } from "../../database/clock.js";
import { badInput } from "../../schema/errors.js";

/** Tolerance for clients whose clocks are ahead. */
const maxAheadMs = 60_000;

/** Throws BAD_USER_INPUT naming `at` unless the log, of which `keptMs` are kept, covers the instant. */
export function requireLogged(at: Date, keptMs: number): void {
  const earliest = now() - keptMs;
  if (at.getTime() < earliest)
    throw badInput({ at: `must not be before ${new Date(earliest).toISOString()}, because older entries of the change log are removed` });
  if (at.getTime() > now() + maxAheadMs) throw badInput({ at: "must not be in the future" });
}
