/**
 * The author of changes. Every transaction that writes sets its author, which the database's triggers add to the change log
 * (docs/changes.md).
 */
import { ContextPart } from "../async-context.js";
import { currentActivity } from "../watch/activity.js";

/** The API or component that made the change. */
export type ChangeSource = "graphql" | "rest" | "websocket" | "job" | "command";

export interface Author {
  /** Set if all writes are in one tenant. */
  tenantId?: string;
  /** Id of the principal. */
  by: string;
  /** Id of the API key. */
  key?: string;
  /** The sites that the key is limited to: the database refuses rows of other sites (migration `site_wall`). Undefined for all sites. */
  sites?: readonly string[];
  /** Id of the request, as in the log lines. */
  request?: string;
  source: ChangeSource;
  /** The mutation's field, or the name of the job or command. */
  operation?: string;
  reason?: string | undefined;
}

const authors = new ContextPart<Author>();

/** Runs `work`; its writes are logged under the author. */
export const writeAs = <T>(author: Author, work: () => T): T => authors.run(author, work);

/**
 * The current author in the format of the database's triggers; undefined if there is none. Begins with the trace, if there is one
 * (`log_trace`).
 */
export function authorText(): string | undefined {
  const author = authors.current();
  return author && JSON.stringify({ trace: currentActivity()?.traceparent, ...author, tenantId: undefined });
}

export const currentAuthor = (): Author | undefined => authors.current();

const onlyReads = /^(\/\*.*?\*\/\s*)?select\b/i;

export const mayWrite = (text: string): boolean => !onlyReads.test(text);
