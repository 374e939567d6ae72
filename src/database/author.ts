/** Who writes, for the log of changes: every transaction that writes tells the database, whose triggers log it (docs/changes.md). */
import { AsyncLocalStorage } from "node:async_hooks";
import { currentActivity } from "./watch/activity.js";

/** The door that a change came through. */
export type ChangeSource = "graphql" | "rest" | "websocket" | "job" | "command";

export interface Author {
  /** The tenant, if all that is written is its own. */
  tenantId?: string;
  /** Id of the principal. */
  by: string;
  /** Id of the API key. */
  key?: string;
  /** The sites that the key is limited to: the database refuses rows of others (migration `site_wall`). Undefined for all sites. */
  sites?: readonly string[];
  /** Id of the request, as in the log lines. */
  request?: string;
  source: ChangeSource;
  /** The mutation's field, or the name of the job or command. */
  operation?: string;
  reason?: string | undefined;
}

const authors = new AsyncLocalStorage<Author>();

/** Runs `work`; what it writes is logged as the author's. */
export const writeAs = <T>(author: Author, work: () => T): T => authors.run(author, work);

/** The current author as the database's triggers read it; undefined if there is none. It begins with the trace, if there is one (`log_trace`). */
export function authorText(): string | undefined {
  const author = authors.getStore();
  return author && JSON.stringify({ trace: currentActivity()?.traceparent, ...author, tenantId: undefined });
}

export const currentAuthor = (): Author | undefined => authors.getStore();

const onlyReads = /^(\/\*.*?\*\/\s*)?select\b/i;

/** Whether a statement may write. */
export const mayWrite = (text: string): boolean => !onlyReads.test(text);
