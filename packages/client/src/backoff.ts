export const longestDelay = 30_000;

/** Doubles with each attempt; half of it is random, so that clients of a restarted server come back one by one. */
export const backoff = (attempt: number, firstDelay: number): number =>
  Math.min(firstDelay * 2 ** attempt, longestDelay) * (0.5 + Math.random() / 2);

/** Rejects with the signal's reason when it aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
