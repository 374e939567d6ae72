/**
 * Live alerts over one connection for the whole page. After a disconnect, the stream resumes after the last alert received. Without such an
 * alert it resumes from now, and the pages reload their data.
 */
import { stringifyDocument } from "@urql/core";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { useClient } from "urql";
import { createSubscriptions, type Subscriptions } from "../../../packages/client/src/subscriptions.js";
import { Alerts, type AlertsSubscription, OpenAlerts } from "../generated/session.js";

export type LiveAlert = AlertsSubscription["notificationChanged"];
type Listener = (alert: LiveAlert) => void;
type ReconnectListener = () => void;

export class Live {
  private readonly listeners = new Set<Listener>();
  private readonly reconnectListeners = new Set<ReconnectListener>();
  private readonly ending = new AbortController();
  private readonly subscriptions: Subscriptions;

  constructor(token: () => string) {
    this.subscriptions = createSubscriptions({
      url: new URL("/graphql", location.href).href,
      getToken: () => token(),
      onReconnect: () => {
        for (const listener of this.reconnectListeners) listener();
      },
    });
    void this.follow();
  }

  private async follow(): Promise<void> {
    const events = this.subscriptions.subscribe<AlertsSubscription>(stringifyDocument(Alerts), {}, { signal: this.ending.signal });
    try {
      for await (const { notificationChanged } of events) for (const listener of this.listeners) listener(notificationChanged);
    } catch {
      // A role that may not read alerts is refused. The pages still show the data they have loaded.
    }
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  onReconnect(listener: ReconnectListener): () => void {
    this.reconnectListeners.add(listener);
    return () => void this.reconnectListeners.delete(listener);
  }

  close(): void {
    this.ending.abort();
    this.subscriptions.close();
  }
}

const Context = createContext<{ live: Live; open: number } | undefined>(undefined);

export function LiveProvider({ live, openAtFirst, children }: { live: Live; openAtFirst: number; children: ReactNode }) {
  const [open, setOpen] = useState(openAtFirst);
  const client = useClient();
  useEffect(() => {
    const known = new Map<string, boolean>();
    const stopRecounting = live.onReconnect(async () => {
      const { data } = await client.query(OpenAlerts, {}, { requestPolicy: "network-only" }).toPromise();
      if (data?.notificationGroups) setOpen(data.notificationGroups[0]?.count ?? 0);
    });
    const stopListening = live.listen(({ id, status, version }) => {
      const isOpen = status === "OPEN";
      // Version 1 is a new alert. Any other unknown alert was open before.
      const was = known.get(id) ?? version > 1;
      known.set(id, isOpen);
      if (was !== isOpen) setOpen((count) => Math.max(0, count + (isOpen ? 1 : -1)));
    });
    return () => {
      stopListening();
      stopRecounting();
    };
  }, [live, client]);
  return <Context value={{ live, open }}>{children}</Context>;
}

export const useOpenAlerts = (): number => useContext(Context)?.open ?? 0;

/** `onReconnect` reloads the page's data. */
export function useLiveAlerts(listener: Listener, onReconnect: ReconnectListener): void {
  const { live } = useContext(Context)!;
  const latest = useRef({ listener, onReconnect });
  latest.current = { listener, onReconnect };
  useEffect(() => live.listen((alert) => latest.current.listener(alert)), [live]);
  useEffect(() => live.onReconnect(() => latest.current.onReconnect()), [live]);
}
