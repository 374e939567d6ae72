/** Lists that grow to thousands of rows. Above `fewest` rows, only the rows near the visible part of the page are in the document. */
import { type CSSProperties, lazy, memo, type ReactNode, type Ref, Suspense } from "react";

/** Shorter lists stay complete, so that the browser's own search finds all rows. Long lists have a filter or search field. */
const fewest = 150;

/** Attributes of a row's `li`. In a long list, they tell screen readers its place among all rows. */
export interface ItemProps {
  ref?: Ref<HTMLLIElement>;
  style?: CSSProperties;
  "aria-setsize"?: number;
  "aria-posinset"?: number;
  "data-index"?: number;
}

export interface Props<Row> {
  rows: readonly Row[];
  /** Name of the kind of rows, which have about the same height. */
  kind: string;
  /** Renders the `li` of a row, to which it passes `item`. */
  children: (row: Row, item: ItemProps) => ReactNode;
}

const none: ItemProps = {};

const Plain = <Row extends { id: string }>({ rows, children }: Props<Row>) => (
  <ul className="list">
    {rows.map((row) => (
      <Item key={row.id} row={row} render={children} />
    ))}
  </ul>
);

/** Loaded when the first long list is shown. If that fails, the list stays complete. */
const Windowed = lazy(async () => {
  try {
    return { default: (await import("./windowed-list.js")).WindowedList };
  } catch {
    return { default: Plain };
  }
}) as typeof Plain;

export function LongList<Row extends { id: string }>(props: Props<Row>) {
  const plain = <Plain {...props} />;
  if (props.rows.length <= fewest) return plain;
  return (
    <Suspense fallback={plain}>
      <Windowed {...props} />
    </Suspense>
  );
}

interface Item<Row> {
  row: Row;
  render: Props<Row>["children"];
  index?: number;
  /** Height of the rows above that are not in the document. */
  gap?: number;
  total?: number;
  measure?: (element: HTMLLIElement | null) => void;
}

/** A row. Rendered again only if its data or place changed. */
export const Item = memo(function Item<Row>({ row, render, index, gap, total, measure }: Item<Row>) {
  if (index === undefined) return render(row, none);
  return render(row, {
    ref: measure,
    style: { marginTop: gap || undefined },
    "aria-setsize": total,
    "aria-posinset": index + 1,
    "data-index": index,
  });
}) as <Row>(props: Item<Row>) => ReactNode;
