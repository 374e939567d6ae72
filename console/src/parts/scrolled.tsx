import type { ReactNode } from "react";

/** A table that scrolls sideways where it is wider than the page. The keyboard reaches and scrolls it. */
export function Scrolled({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll the focused table
    <section className="table-wrap" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
