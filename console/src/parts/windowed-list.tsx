/** The rows of a long list near the visible part of the page, in a list as tall as all rows. */
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { Item, type Props } from "./long-list.js";

const overscan = 10;

/** Height of a row until one of its kind was measured. */
const firstEstimate = 64;
const usualHeights = new Map<string, number>();

export function WindowedList<Row extends { id: string }>({ rows, kind, children }: Props<Row>) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  /** The row that has the focus stays in the document. */
  const [focused, setFocused] = useState<string>();
  const focusedIndex = focused === undefined ? -1 : rows.findIndex(({ id }) => id === focused);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => usualHeights.get(kind) ?? firstEstimate,
    getItemKey: (index) => rows[index]!.id,
    overscan,
    scrollMargin: top,
    useFlushSync: false,
    rangeExtractor: useCallback(
      (range: Range) => {
        const indexes = defaultRangeExtractor(range);
        if (focusedIndex < 0 || indexes.includes(focusedIndex)) return indexes;
        return [...indexes, focusedIndex].sort((a, b) => a - b);
      },
      [focusedIndex],
    ),
  });
  useLayoutEffect(() => {
    const place = () => {
      const element = list.current!;
      setTop(Math.round(element.getBoundingClientRect().top + scrollY));
      const row = element.querySelector("li");
      if (row) usualHeights.set(kind, row.offsetHeight);
    };
    place();
    // Content above the list moves it.
    const observer = new ResizeObserver(place);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [kind]);

  let end = top;
  const items = virtualizer.getVirtualItems().map(({ index, start, end: next }) => {
    const gap = start - end;
    end = next;
    const row = rows[index]!;
    return (
      <Item key={row.id} row={row} render={children} index={index} gap={gap} total={rows.length} measure={virtualizer.measureElement} />
    );
  });
  return (
    <ul
      ref={list}
      className="list long"
      style={{ paddingBottom: Math.max(0, top + virtualizer.getTotalSize() - end) }}
      onFocus={({ target }) => setFocused(rows[Number(target.closest("[data-index]")?.getAttribute("data-index"))]?.id)}
      onBlur={() => setFocused(undefined)}
    >
      {items}
    </ul>
  );
}
