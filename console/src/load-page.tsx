/** Pages that load when they are first opened. */
import { type ComponentType, createElement, type LazyExoticComponent, lazy } from "react";
import { type PagePath, pages } from "./pages.js";
import type { Field } from "./session/fields.js";
import { Closed } from "./shell/closed.js";

/**
 * A page that loads when it is first opened, or earlier through `loadPages`. A failed load is retried the next time the page is shown. Keys
 * that may use none of the fields `needs` cannot open it.
 */
export function page(needs: readonly Field[], path: PagePath) {
  const load: () => Promise<ComponentType> = pages[path];
  let shown: LazyExoticComponent<ComponentType> | undefined;
  const attempt = () =>
    lazy(async () => {
      for (let tries = 0; ; tries++)
        try {
          return { default: await load() };
        } catch (error) {
          if (!navigator.onLine) await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
          // The service may still be starting.
          else if (tries < 3) await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** tries));
          else {
            shown = undefined;
            throw error;
          }
        }
    });
  return () => <Closed needs={needs}>{createElement((shown ??= attempt()))}</Closed>;
}

/** Preloads the other pages, so that they open without a connection. */
export const loadPages = (): Promise<unknown> => Promise.allSettled(Object.values(pages).map((load) => load()));
