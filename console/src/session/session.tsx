/** The signed-in user. A key or token exists only in this module's variables. */
import { t } from "@lingui/core/macro";
import type { Client } from "@urql/core";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Provider } from "urql";
import { type SessionQuery as SessionData, Session as SessionQuery } from "../generated/session.js";
import { forgetZones, setZones } from "../parts/zones.js";
import { type Credentials, openClient } from "./client.js";
import { isRefused } from "./errors.js";
import { type Field, fields } from "./fields.js";
import { forgetData, keptData } from "./kept-data.js";
import { Live, LiveProvider } from "./live.js";
import { Queue, type RefusedChange } from "./queue.js";
import { Reach } from "./reach.js";
import { Seen } from "./seen.js";

export interface Session {
  name: string;
  keyName: string;
  role: string;
  sites: string[];
  tenantId: string;
  openAlerts: number;
  /** At sign-in, the time since which due work had no work order. */
  workDueSince: string | null;
  principalId: string;
  /** The id that records store for their author. */
  authorId: string;
  crew: string | null;
  can: (field: Field) => boolean;
  signOut: () => void;
  /** The credentials for requests outside GraphQL. */
  token: () => string;
  /** Changes that wait for a connection. */
  queue: Queue;
  reach: Reach;
  /** Id of the key in use. */
  keyId: string;
}

const Context = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error(t`nobody is signed in`);
  return session;
}

/** Number of changes that wait for a connection. */
export function useWaiting(): number {
  const { queue } = useSession();
  return useSyncExternalStore(queue.listen, () => queue.size);
}

/** Queued changes that the service rejected. */
export function useRefused(): RefusedChange[] {
  const { queue } = useSession();
  return useSyncExternalStore(queue.listen, () => queue.refused);
}

/** True while the service does not respond. */
export function useAway(): boolean {
  const { reach } = useSession();
  return useSyncExternalStore(reach.listen, () => reach.isAway);
}

export interface Opened {
  credentials: Credentials;
  reach: Reach;
  client: Client;
  live: Live;
  queue: Queue;
  data: SessionData;
}

export const unknownKey = t`The key is unknown, expired or revoked. Check the key, or ask an administrator for a new one.`;

/** Signs in. Returns the reason if that fails. `onRefused` is called when the key stops working later. */
export async function signIn(credentials: Credentials, onRefused: () => void): Promise<Opened | string> {
  const queue = new Queue(credentials.session !== undefined);
  const reach = new Reach();
  // A late response to an earlier session must not end the current session.
  const seen = new Seen();
  const kept = credentials.session === undefined ? await forgetData() : await keptData(credentials.session);
  const refuse = () => {
    if (queue.isClosed) return;
    void forgetData();
    onRefused();
  };
  const client = openClient(credentials, { queue, reach, seen, storage: kept?.storage, onRefused: refuse });
  await kept?.isRead;
  const { data, error } = await client.query(SessionQuery, { fields: [...fields] }).toPromise();
  if (data?.viewer) {
    const { tenantId, principal } = data.viewer;
    forgetZones();
    setZones(data.sites ?? []);
    await queue.restore(
      `${tenantId}:${principal.id}`,
      (query, variables, context) => void client.mutation(query, variables, context).toPromise(),
    );
    const live = new Live(credentials.token, seen, data.viewer.role !== "REQUESTER", refuse);
    return { credentials, client, data, live, queue, reach };
  }
  queue.close();
  reach.close();
  credentials.end?.();
  const [refusal] = error?.graphQLErrors ?? [];
  if (credentials.isAccount && refusal && !error?.networkError)
    return t`The service refused this account. ${String(refusal.extensions.message ?? refusal.message)}.`;
  if (isRefused(error)) return unknownKey;
  if (error?.networkError) return t`The service cannot be reached. Check the connection and try again.`;
  return error?.graphQLErrors[0]?.message ?? t`The service sent an unexpected response. Try again later.`;
}

export function SessionProvider({ opened, onSignOut, children }: { opened: Opened; onSignOut: () => void; children: ReactNode }) {
  const { credentials, client, live, data, queue, reach } = opened;
  const [openAlerts] = useState(data.notificationGroups?.[0]?.count ?? 0);
  useEffect(
    () => () => {
      live.close();
      queue.close();
      reach.close();
      credentials.end?.();
    },
    [live, queue, reach, credentials],
  );
  const session = useMemo<Session>(() => {
    const viewer = data.viewer!;
    const allowed = new Set(viewer.permissions.filter(({ isAllowed }) => isAllowed).map(({ field }) => field));
    return {
      name: viewer.principal.name,
      keyName: viewer.keyName,
      keyId: viewer.keyId,
      role: viewer.role,
      sites: viewer.sites,
      tenantId: viewer.tenantId,
      principalId: viewer.principal.id,
      authorId: viewer.principal.authorId,
      crew: viewer.principal.crew,
      openAlerts,
      workDueSince: data.schedulerStatus?.dueSince ?? null,
      can: (field) => allowed.has(field),
      signOut: () => {
        credentials.signOut?.();
        onSignOut();
      },
      token: credentials.token,
      queue,
      reach,
    };
  }, [credentials, data, openAlerts, onSignOut, queue, reach]);
  return (
    <Provider value={client}>
      <Context value={session}>
        <LiveProvider live={live} openAtFirst={openAlerts}>
          {children}
        </LiveProvider>
      </Context>
    </Provider>
  );
}
