/** The signed-in user. The key exists only in this module's variables, so a reload forgets it. */
import type { Client } from "@urql/core";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Provider } from "urql";
import { type SessionQuery as SessionData, Session as SessionQuery } from "../generated/session.js";
import { type Credentials, openClient } from "./client.js";
import { isRefused } from "./errors.js";
import { Live, LiveProvider } from "./live.js";
import { Queue, type RefusedChange } from "./queue.js";
import { Reach } from "./reach.js";

/** Permissions that the pages check before offering an action. */
const fields = [
  "acceptWorkRequest",
  "addLaborEntry",
  "addWorkOrderComment",
  "adjustStock",
  "apiKeys",
  "approveAdjustment",
  "approveStockCount",
  "assets",
  "assignWorkOrder",
  "cancelStockCount",
  "changeNotificationStatus",
  "completeWorkOrder",
  "createApiKey",
  "createStockCount",
  "createWebhook",
  "createWorkOrderFromNotification",
  "deleteAsset",
  "deleteMeterReading",
  "importAssets",
  "inventory",
  "notifications",
  "openStockCount",
  "postStockCount",
  "receiveStock",
  "recordCount",
  "recordMeterReadings",
  "removeLaborEntry",
  "reportFault",
  "requestRecount",
  "startWorkOrder",
  "updateAsset",
  "updateStockSettings",
  "updateWorkOrder",
  "uploadAssetPhoto",
  "uploadAttachment",
  "workOrders",
] as const;
export type Field = (typeof fields)[number];

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
  if (!session) throw new Error("nobody is signed in");
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

/** Signs in. Returns the reason if that fails. `onRefused` is called when the key stops working later. */
export async function signIn(credentials: Credentials, onRefused: () => void): Promise<Opened | string> {
  const queue = new Queue();
  const reach = new Reach();
  // A late response to an earlier session must not end the current session.
  const client = openClient(credentials, queue, reach, () => queue.isClosed || onRefused());
  const { data, error } = await client.query(SessionQuery, { fields: [...fields] }).toPromise();
  if (data?.viewer) {
    const { tenantId, principal } = data.viewer;
    queue.restore(
      `${tenantId}:${principal.id}`,
      (query, variables, context) => void client.mutation(query, variables, context).toPromise(),
    );
    return { credentials, client, data, live: new Live(credentials.token), queue, reach };
  }
  queue.close();
  reach.close();
  credentials.end?.();
  if (isRefused(error)) return "The key is unknown, expired or revoked. Check the key, or ask an administrator for a new one.";
  if (error?.networkError) return "The service cannot be reached. Check the connection and try again.";
  return error?.graphQLErrors[0]?.message ?? "The service sent an unexpected response. Try again later.";
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
      signOut: onSignOut,
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
