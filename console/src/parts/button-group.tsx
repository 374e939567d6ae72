import type { HTMLAttributes } from "react";

/** Buttons that filter a list or act on a selection. `aria-label` names them together. */
export function ButtonGroup(props: HTMLAttributes<HTMLDivElement> & { "aria-label": string }) {
  // biome-ignore lint/a11y/useSemanticElements: a fieldset groups the fields of a form
  return <div role="group" {...props} />;
}
