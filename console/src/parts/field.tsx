import { t } from "@lingui/core/macro";
import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";
import { useId, useLayoutEffect, useRef } from "react";
import { exact, notANumber, numberOf } from "./words.js";

interface Labelled {
  label: string;
  hint?: ReactNode;
  wrong?: string;
}

function Frame({ id, label, hint, wrong, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children}
      {hint && !wrong && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {wrong && (
        <span className="wrong" id={`${id}-wrong`} role="alert">
          {wrong}
        </span>
      )}
    </div>
  );
}

const described = (id: string, { hint, wrong }: Labelled) => ({
  id,
  "aria-invalid": !!wrong,
  "aria-describedby": wrong ? `${id}-wrong` : hint ? `${id}-hint` : undefined,
});

export function TextField({ label, hint, wrong, ...rest }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <input className="input" {...rest} {...described(id, { label, hint, wrong })} />
    </Frame>
  );
}

interface NumberProps
  extends Labelled,
    Omit<InputHTMLAttributes<HTMLInputElement>, "type" | "inputMode" | "min" | "max" | "step" | "value"> {
  value: string;
  min?: number;
  max?: number;
  isWhole?: boolean;
}

/**
 * A number in the console's language. Inputs with `type="number"` are not used, because browsers read them in their own language. A wrong
 * number prevents the submission of its form.
 */
export function NumberField({ label, hint, wrong, min, max, isWhole, ...rest }: NumberProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const unread = notANumber(rest.value) ?? outOfRange(numberOf(rest.value), min, max, isWhole);
  const shown = unread ?? wrong;
  useLayoutEffect(() => input.current?.setCustomValidity(unread ?? ""), [unread]);
  return (
    <Frame id={id} label={label} hint={hint} wrong={shown}>
      <input
        ref={input}
        className="input"
        inputMode="decimal"
        autoComplete="off"
        {...rest}
        {...described(id, { label, hint, wrong: shown })}
      />
    </Frame>
  );
}

function outOfRange(value: number | undefined, min = -Infinity, max = Infinity, isWhole = false): string | undefined {
  if (value === undefined) return undefined;
  if (value < min) return t`At least ${exact(min)}`;
  if (value > max) return t`At most ${exact(max)}`;
  return isWhole && !Number.isInteger(value) ? t`A whole number` : undefined;
}

export function TextArea({ label, hint, wrong, ...rest }: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <textarea className="input" {...rest} {...described(id, { label, hint, wrong })} />
    </Frame>
  );
}

export function Select({ label, hint, wrong, children, ...rest }: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <select className="input" {...rest} {...described(id, { label, hint, wrong })}>
        {children}
      </select>
    </Frame>
  );
}
