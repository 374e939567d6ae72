/** Rows of a form that are moved and removed with buttons. */
import type { LucideIcon } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";

/** The list of rows, and the function that focuses a part of a row: a moved or removed element loses the focus. */
export function useRowFocus() {
  const list = useRef<HTMLOListElement>(null);
  const [focus, setFocus] = useState<{ at: number; part: string }>();
  useLayoutEffect(() => {
    if (!focus) return;
    const row = list.current?.children[focus.at];
    (row?.querySelector<HTMLElement>(focus.part) ?? row?.querySelector<HTMLElement>("button:enabled"))?.focus();
  }, [focus]);
  return [list, setFocus] as const;
}

interface Props {
  label: string;
  icon: LucideIcon;
  /** Marks the button for the focus after the change. */
  data: object;
  isDisabled?: boolean;
  onClick: () => void;
}

export const RowButton = ({ label, icon: Icon, data, isDisabled, onClick }: Props) => (
  <button
    type="button"
    className="button plain small icon-only"
    {...data}
    aria-label={label}
    title={label}
    disabled={isDisabled}
    onClick={onClick}
  >
    <Icon className="icon" aria-hidden />
  </button>
);
