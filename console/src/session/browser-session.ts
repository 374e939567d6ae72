/**
 * Session of this browser, which reloads and other tabs share (docs/people.md, "Sessions in the browser"). The service accepts its name only
 * together with the cookie.
 */
import type { Credentials } from "./client.js";
import { forgetData } from "./kept-data.js";

const path = "/console/session";
/** Names the session of a user who signed out, until the service has ended it. */
const kept = "console:signed-out";

/** Signs out. Without a connection, the next visit does. */
function endSession(name: string): void {
  localStorage.setItem(kept, name);
  void forgetData();
  // The page may be closed before the response.
  fetch(path, { method: "DELETE", keepalive: true, headers: { authorization: `Bearer ${name}` } }).then(
    ({ status }) => [204, 401].includes(status) && localStorage.removeItem(kept),
    () => undefined,
  );
}

const credentialsOf = (name: string): Credentials => ({ token: () => name, session: name, signOut: () => endSession(name) });

/** The session that the browser has. Undefined if its user signed out. */
export function resumedSession(name: string): Credentials | undefined {
  if (localStorage.getItem(kept) !== name) return credentialsOf(name);
  endSession(name);
  return undefined;
}

/** Exchanges the key for a session. If that fails, the key authenticates the requests of this page, and its error is shown. */
export async function openBrowserSession(key: string): Promise<Credentials> {
  const response = await fetch(path, { method: "POST", headers: { authorization: `Bearer ${key}` } }).catch(() => undefined);
  if (response?.status !== 201) return { token: () => key };
  return credentialsOf(((await response.json()) as { token: string }).token);
}
