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

/** Text of the line below the result. */
export const status = createStore("");

/** The files chosen for each variable: name of the variable → list of files. */
export const files = createStore({});

/** The view on a phone while no panel is open: "query" or "result". */
export const part = createStore("query");
