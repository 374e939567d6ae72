import { t } from "@lingui/core/macro";
import { useCallback, useEffect, useRef, useState } from "react";

/** The value, once it has been stable for the given time. */
export function useSettled<T>(value: T, milliseconds = 250): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** A draft of a text that is stored elsewhere, such as in the URL. */
export function useDraft(kept: string, keep: (text: string) => void): [string, (text: string) => void] {
  const [draft, setDraft] = useState(kept);
  const settled = useSettled(draft);
  const latest = useRef(keep);
  latest.current = keep;
  const sent = useRef(kept);
  useEffect(() => {
    if (settled !== sent.current) {
      sent.current = settled;
      latest.current(settled);
    }
  }, [settled]);
  useEffect(() => {
    if (kept !== sent.current) {
      sent.current = kept;
      setDraft(kept);
    }
  }, [kept]);
  return [draft, setDraft];
}

/** Cursor after which the next page of a list starts. Another `list`, such as after a change of filters, starts at its first page. */
export function useCursor(list: string): [after: string | null | undefined, setAfter: (after?: string | null) => void] {
  const [page, setPage] = useState<{ list: string; after?: string | null }>({ list });
  const setAfter = useCallback((after?: string | null) => setPage({ list, after }), [list]);
  return [page.list === list ? page.after : undefined, setAfter];
}

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? t`${title} · Plant console` : t`Plant console`;
  }, [title]);
}

export function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    addEventListener("online", update);
    addEventListener("offline", update);
    return () => {
      removeEventListener("online", update);
      removeEventListener("offline", update);
    };
  }, []);
  return isOnline;
}

/** The width below which the stylesheet lays pages out for phones. */
const narrow = matchMedia("(max-width: 760px)");

export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const update = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", update);
    return () => narrow.removeEventListener("change", update);
  }, []);
  return isNarrow;
}

/** Calls back when the element scrolls into view. */
export function useWhenSeen(callback: () => void, isActive: boolean) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(callback);
  latest.current = callback;
  useEffect(() => {
    if (!isActive || !element.current) return;
    // On a busy page, one callback receives several observations.
    const onSeen: IntersectionObserverCallback = (entries) => entries.some((entry) => entry.isIntersecting) && latest.current();
    const observer = new IntersectionObserver(onSeen, { rootMargin: "400px" });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isActive]);
  return element;
}
