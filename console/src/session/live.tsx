/**
 * Live alerts and changes over one connection for the whole page. After a disconnect, the stream resumes after the last alert received. Without such an
 * alert it resumes from now, and the pages reload their data.
 */
import { type DocumentInput, stringifyDocument } from "@urql/core";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { useClient } from "urql";
import { GatewayError } from "../../../packages/client/src/error.js";
import { createSubscriptions, type Subscriptions } from "../../../packages/client/src/subscriptions.js";
import { Alerts, type AlertsSubscription, Changes, type ChangesSubscription, OpenAlerts } from "../generated/session.js";
import type { Seen } from "./seen.js";

export type LiveAlert = AlertsSubscription["notificationChanged"];
type Listener = (alert: LiveAlert) => void;
type ReconnectListener = () => void;
export type LiveChange = ChangesSubscription["changes"];
type LiveType = LiveChange["recordType"];

/** Types of records that the pages show. */
const liveTypes = [
  "API_KEY",
  "ASSET",
  "ATTACHMENT",
  "COMPONENT",
  "COMPONENT_TEMPLATE",
  "DOWNTIME",
  "METER",
  "PART",
  "PRINCIPAL",
  "PROCEDURE",
  "PURCHASE_APPROVAL_RULE",
  "PURCHASE_DELEGATION",
  "PURCHASE_ORDER",
  "SITE",
  "STOCK_ADJUSTMENT",
  "STOCK_COUNT",
  "STOCK_LEVEL",
  "STOCK_MOVEMENT",
  "SUPPLIER_ACCOUNT",
  "SUPPLIER_INVOICE",
  "SUPPLIER_PART",
  "UNIT",
  "WORK_ORDER",
  "WORK_REQUEST",
] as const satisfies LiveType[];

export class Live {
  private readonly listeners = new Set<Listener>();
  private readonly changeListeners = new Set<(change: LiveChange) => void>();
  private readonly reconnectListeners = new Set<ReconnectListener>();
  private readonly ending = new AbortController();
  private readonly subscriptions: Subscriptions;

  /** `hasChanges` is false for roles that may not read the changes. */
  constructor(
    token: () => string,
    readonly seen: Seen,
    readonly hasChanges: boolean,
    /** Called when the service closes the connection because the credentials are no longer valid. */
    private readonly onRefused: () => void,
  ) {
    this.subscriptions = createSubscriptions({
      url: new URL("/graphql", location.href).href,
      getToken: () => token(),
      onReconnect: () => {
        for (const listener of this.reconnectListeners) listener();
      },
    });
    void this.follow<AlertsSubscription>(Alerts, {}, ({ notificationChanged }) => {
      for (const listener of this.listeners) listener(notificationChanged);
    });
    if (hasChanges)
      void this.follow<ChangesSubscription>(Changes, { recordTypes: liveTypes }, ({ changes }) => {
        for (const listener of this.changeListeners) listener(changes);
      });
  }

  private async follow<Data>(document: DocumentInput, variables: object, onEvent: (data: Data) => void): Promise<void> {
    const events = this.subscriptions.subscribe<Data>(stringifyDocument(document), variables, { signal: this.ending.signal });
    try {
      for await (const event of events) onEvent(event);
    } catch (error) {
      if (error instanceof GatewayError && error.code === "UNAUTHENTICATED") this.onRefused();
      // A role that may not read alerts is refused. The pages still show the data they have loaded.
    }
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  onChange(listener: (change: LiveChange) => void): () => void {
    this.changeListeners.add(listener);
    return () => void this.changeListeners.delete(listener);
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

/** Alerts whose state is remembered, before all are counted again. */
const mostKnown = 10_000;

export function LiveProvider({ live, openAtFirst, children }: { live: Live; openAtFirst: number; children: ReactNode }) {
  const [open, setOpen] = useState(openAtFirst);
  const client = useClient();
  useEffect(() => {
    const known = new Map<string, boolean>();
    const recount = async () => {
      const { data } = await client.query(OpenAlerts, {}, { requestPolicy: "network-only" }).toPromise();
      if (data?.notificationGroups) setOpen(data.notificationGroups[0]?.count ?? 0);
    };
    const stopRecounting = live.onReconnect(recount);
    const stopListening = live.listen(({ id, status, version }) => {
      const isOpen = status === "OPEN";
      if (known.size >= mostKnown) {
        known.clear();
        void recount();
      }
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

/** Time for further changes and own responses to arrive before a page reloads, and the minimum between two reloads. */
const settlingMilliseconds = 300;
const leastBetween = 3000;
/** For roles that may not read the changes. */
const pollMilliseconds = 60_000;

/**
 * Reloads a page's data after changes of these types that it does not show yet, and after a reconnect. With `id`, only changes of that
 * record count; with `withAlerts`, alerts do too. Reloads are at least `leastBetween` apart. A hidden page reloads when it is shown.
 */
export function useLiveData(
  types: readonly LiveType[],
  reload: () => void,
  { id, withAlerts }: { id?: string; withAlerts?: boolean } = {},
): void {
  const { live } = useContext(Context)!;
  const latest = useRef({ types, reload, id });
  latest.current = { types, reload, id };
  useEffect(() => {
    let changes: LiveChange[] = [];
    let isAlerted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastAt = 0;
    const act = () => {
      timer = undefined;
      // A failed request would replace the page. After a reconnect the page reloads anyway.
      if (document.hidden || !navigator.onLine) return;
      const isNews = isAlerted || changes.some((change) => !live.seen.has(change));
      changes = [];
      isAlerted = false;
      if (!isNews) return;
      lastAt = Date.now();
      latest.current.reload();
    };
    const plan = () => {
      timer ??= setTimeout(act, Math.max(settlingMilliseconds, lastAt + leastBetween - Date.now()));
    };
    const onShown = () => (isAlerted || changes.length) && plan();
    const stopListening = live.onChange((change) => {
      const { types: wanted, id: one } = latest.current;
      if (!wanted.includes(change.recordType) || (one !== undefined && change.recordId !== one)) return;
      // A page that stays hidden needs no more to know that it is old.
      if (changes.length < 100) changes.push(change);
      plan();
    });
    const stopAlerts = withAlerts
      ? live.listen(() => {
          isAlerted = true;
          plan();
        })
      : undefined;
    const stopReconnects = live.onReconnect(() => latest.current.reload());
    document.addEventListener("visibilitychange", onShown);
    const poll = live.hasChanges
      ? undefined
      : setInterval(() => document.hidden || !navigator.onLine || latest.current.reload(), pollMilliseconds);
    return () => {
      clearTimeout(timer);
      clearInterval(poll);
      stopListening();
      stopAlerts?.();
      stopReconnects();
      document.removeEventListener("visibilitychange", onShown);
    };
  }, [live, withAlerts]);
}
