import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";
import { useId } from "react";

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
