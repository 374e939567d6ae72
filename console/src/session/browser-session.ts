/**
 * Session of this browser, which reloads and other tabs share (docs/people.md, "Sessions in the browser"). The service accepts its name only
 * together with the cookie.
 */
import type { Credentials } from "./client.js";
import { signedOut } from "./early.js";
import { forgetData } from "./kept-data.js";

const path = "/console/session";

/** Signs out. Without a connection, the next visit does. */
function endSession(name: string): void {
  localStorage.setItem(signedOut, name);
  void forgetData();
  // The page may be closed before the response.
  fetch(path, { method: "DELETE", keepalive: true, headers: { authorization: `Bearer ${name}` } }).then(
    ({ status }) => [204, 401].includes(status) && localStorage.removeItem(signedOut),
    () => undefined,
  );
}

const credentialsOf = (name: string): Credentials => ({ token: () => name, session: name, signOut: () => endSession(name) });

/** The session that the browser has. Undefined if its user signed out. */
export function resumedSession(name: string): Credentials | undefined {
  if (localStorage.getItem(signedOut) !== name) return credentialsOf(name);
  endSession(name);
  return undefined;
}

/** Exchanges the key for a session. If that fails, the key authenticates the requests of this page, and its error is shown. */
export async function openBrowserSession(key: string): Promise<Credentials> {
  const response = await fetch(path, { method: "POST", headers: { authorization: `Bearer ${key}` } }).catch(() => undefined);
  if (response?.status !== 201) return { token: () => key };
  return credentialsOf(((await response.json()) as { token: string }).token);
}

/** The terms of an invitation. */
export interface Invited {
  tenantId: string;
  /** Name of the invited person. */
  name: string;
  invitedBy: string | null;
  role: string;
  /** Empty for all sites. */
  sites: string[];
  keyExpiresAt: string | null;
}

/** Why an invitation cannot be accepted. `failed`: it may work later. */
export type Refused = "used" | "expired" | "revoked" | "unknown" | "failed";

async function send<T>(method: "GET" | "POST", secret: string): Promise<T | Refused> {
  try {
    const response = await fetch("/console/invitation", { method, headers: { authorization: `Invitation ${secret}` } });
    const body = await response.json();
    if (response.ok) return body as T;
    if (response.status === 410) return body.reason as Refused;
    return response.status === 404 ? "unknown" : "failed";
  } catch {
    return "failed";
  }
}

/** Reads the invitation without using it. */
export const readInvitation = (secret: string): Promise<Invited | Refused> => send<Invited>("GET", secret);

/** Uses the invitation. The session is then this browser's. */
export async function acceptInvitation(secret: string): Promise<Credentials | Refused> {
  const opened = await send<{ token: string }>("POST", secret);
  return typeof opened === "string" ? opened : credentialsOf(opened.token);
}
