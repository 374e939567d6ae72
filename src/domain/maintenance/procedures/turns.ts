import { setImmediate as nextTurn } from "node:timers/promises";

/** Longer computations delay all other requests of the process. */
const longestMs = 5;

/** Lets other requests run in between a long computation. Returns a function to await between two of its steps. */
export function inTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestMs) return undefined;
    return nextTurn().then(() => void (since = performance.now()));
  };
}
