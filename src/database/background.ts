/** Work that no request asked for and none waits for: its statements are not counted among those of requests. */
import { AsyncLocalStorage } from "node:async_hooks";

const background = new AsyncLocalStorage<true>();

export const inBackground = <T>(work: () => T): T => background.run(true, work);

export const isInBackground = (): boolean => background.getStore() === true;
