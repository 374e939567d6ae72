/**
 * The settings, and who is signed in by the session of this browser. Both are requested while the other modules still load, which halves the
 * time until a page of a phone shows its data.
 */
import { SessionText } from "../generated/early.js";
import { fields } from "./fields.js";
import { invitation } from "./invitation.js";

/** An identity provider. */
export interface Provider {
  issuer: string;
  clientId: string;
  scope: string;
  /** Sent to both endpoints, such as `audience` or `resource`. */
  parameters: Record<string, string>;
}

export interface Settings {
  demoKey: string | null;
  provider: Provider | null;
  /** Name of the browser's session. */
  session: string | null;
}

/** Names in the browser's storage: the session whose data is kept, and that of a user who signed out without a connection. */
export const dataOwner = "console:data-of";
export const signedOut = "console:signed-out";

/** The session of the last visit. */
export const lastSession = (): string | undefined => localStorage.getItem(dataOwner) ?? undefined;

/** Time after which the settings of the last visit are used, in milliseconds. */
const patience = 6_000;

const fetchSettings = (): Promise<Settings> =>
  fetch("/console/settings.json", { signal: AbortSignal.timeout(patience) })
    .then((response) => response.json() as Promise<Settings>)
    .catch(() => ({ demoKey: null, provider: null, session: lastSession() ?? null }));

/** GraphQL's CSRF check requires a header that forms of other pages cannot send. */
export const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, "apollo-require-preflight": "true" });

let settings: Promise<Settings> | undefined = fetchSettings();
let answer: { authorization: string; response: Promise<Response | undefined> } | undefined;

void settings.then(({ session }) => {
  if (!session || invitation || localStorage.getItem(signedOut) === session) return;
  const headers = headersOf(session);
  const body = JSON.stringify({ operationName: "Session", query: SessionText, variables: { fields } });
  const sent = fetch("/graphql", { method: "POST", headers: { ...headers, "content-type": "application/json" }, body });
  answer = { authorization: headers.authorization, response: sent.catch(() => undefined) };
});

/** The settings that the page requested as it loaded, and later the current ones. */
export function readSettings(): Promise<Settings> {
  const first = settings ?? fetchSettings();
  settings = undefined;
  return first;
}

/** `fetch` that answers the first query for the session with the response to the early request. */
export async function fetchOrTake(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const early = answer;
  if (early && String(init.body).includes('"operationName":"Session"')) {
    answer = undefined;
    const isSame = new Headers(init.headers).get("authorization") === early.authorization;
    const response = isSame && (await early.response);
    if (response) return response;
  }
  return fetch(input, init);
}
