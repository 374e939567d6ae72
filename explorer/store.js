import { useSyncExternalStore } from "react";

/** A value that components read with `use()`. */
export function createStore(value) {
  const listeners = new Set();
  const get = () => value;
  const subscribe = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

/** The line below the result. */
export const status = createStore("");

/** The files chosen for variables: name of the variable → list of files. */
export const files = createStore({});

/** What a phone shows while no panel is open: "query" or "result". */
export const part = createStore("query");
