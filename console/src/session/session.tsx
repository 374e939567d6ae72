/** Who is signed in. The key is held by this module's variables alone: a reload forgets it. */
import type { Client } from "@urql/core";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Provider } from "urql";
import { type SessionQuery as SessionData, Session as SessionQuery } from "../generated/session.js";
import { type Credentials, openClient } from "./client.js";
import { isRefused } from "./errors.js";
import { Live, LiveProvider } from "./live.js";
import { Queue, type RefusedChange } from "./queue.js";
import { Reach } from "./reach.js";

/** What pages ask before they offer something. */
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
  /** Since when due work waited for its order at sign-in. */
  workDueSince: string | null;
  principalId: string;
  /** As it stands in records. */
  authorId: string;
  crew: string | null;
  can: (field: Field) => boolean;
  signOut: () => void;
  /** What requests beside the graph send as their key. */
  token: () => string;
  /** Changes that wait for the connection. */
  queue: Queue;
  reach: Reach;
  /** Id of the key that is signed in with. */
  keyId: string;
}

const Context = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("nobody is signed in");
  return session;
}

/** How many changes wait for the connection. */
export function useWaiting(): number {
  const { queue } = useSession();
  return useSyncExternalStore(queue.listen, () => queue.size);
}

/** Changes that waited, and were refused. */
export function useRefused(): RefusedChange[] {
  const { queue } = useSession();
  return useSyncExternalStore(queue.listen, () => queue.refused);
}

/** Whether the service gives no answer. */
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

/** Signs in, or says why not. `onRefused` is called when the key ends meanwhile. */
export async function signIn(credentials: Credentials, onRefused: () => void): Promise<Opened | string> {
  const queue = new Queue();
  const reach = new Reach();
  // What an earlier session still receives does not end a later one.
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
  if (isRefused(error)) return "The service does not know this key, or it has ended.";
  if (error?.networkError) return "The service cannot be reached. Check the connection and try again.";
  return error?.graphQLErrors[0]?.message ?? "The service did not answer as expected.";
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
