/** Alerts as they come, by one connection for the whole page. What came while it was lost comes first when it is back. */
import { stringifyDocument } from "@urql/core";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { createSubscriptions, type Subscriptions } from "../../../packages/client/src/subscriptions.js";
import { Alerts, type AlertsSubscription } from "../generated/session.js";

export type LiveAlert = AlertsSubscription["notificationChanged"];
type Listener = (alert: LiveAlert) => void;

export class Live {
  private readonly listeners = new Set<Listener>();
  private readonly ending = new AbortController();
  private readonly subscriptions: Subscriptions;

  constructor(token: () => string) {
    this.subscriptions = createSubscriptions({ url: new URL("/graphql", location.href).href, getToken: () => token() });
    void this.follow();
  }

  private async follow(): Promise<void> {
    const events = this.subscriptions.subscribe<AlertsSubscription>(stringifyDocument(Alerts), {}, { signal: this.ending.signal });
    try {
      for await (const { notificationChanged } of events) for (const listener of this.listeners) listener(notificationChanged);
    } catch {
      // A role that may not read alerts is refused; the pages show what they read.
    }
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  close(): void {
    this.ending.abort();
    this.subscriptions.close();
  }
}

const Context = createContext<{ live: Live; open: number } | undefined>(undefined);

export function LiveProvider({ live, openAtFirst, children }: { live: Live; openAtFirst: number; children: ReactNode }) {
  const [open, setOpen] = useState(openAtFirst);
  useEffect(() => {
    const known = new Map<string, boolean>();
    return live.listen(({ id, status, version }) => {
      const isOpen = status === "OPEN";
      // A first version is a new alert; of others only what was open before can leave.
      const was = known.get(id) ?? version > 1;
      known.set(id, isOpen);
      if (was !== isOpen) setOpen((count) => Math.max(0, count + (isOpen ? 1 : -1)));
    });
  }, [live]);
  return <Context value={{ live, open }}>{children}</Context>;
}

export const useOpenAlerts = (): number => useContext(Context)?.open ?? 0;

export function useLiveAlerts(listener: Listener): void {
  const { live } = useContext(Context)!;
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => live.listen((alert) => latest.current(alert)), [live]);
}
