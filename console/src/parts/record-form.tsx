/** Form that creates or edits a record. A concurrent change by another user is reported, not overwritten. */
import { t } from "@lingui/core/macro";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { Change } from "./change.js";
import { Dialog } from "./dialog.js";
import { NumberField, Select, TextArea, TextField } from "./field.js";
import { changedMeanwhile, Meanwhile } from "./meanwhile.js";
import { type FieldSpec, inputOf, optionOf, unreadable, type Values, valuesOf } from "./record-values.js";
import { messageOf } from "./states.js";

interface Props<Input> {
  title: string;
  verb?: string;
  /** Suggestions may depend on other values. */
  fields: (values: Values) => readonly FieldSpec[];
  /** The record to edit. Without a record, the form creates one. */
  record?: { version: number };
  /** Values of a new record. */
  initial?: Values;
  /** The site whose time zone the days are in. */
  site?: (values: Values) => string | undefined;
  change: Pick<Change<unknown, never>, "wrong" | "error" | "isBusy" | "forget">;
  /** Stores the changed values. Resolves to a falsy value if the service rejected them. */
  onSave: (input: Input, expectedVersion: number | undefined) => Promise<unknown>;
  onClose: () => void;
  /** Reloads the record. */
  onReload?: () => void;
  children?: ReactNode;
}

export function RecordForm<Input>(props: Props<Input>) {
  const { title, verb = t`Save`, fields, record, initial, site, change, onSave, onClose, onReload, children } = props;
  const { wrong, error, isBusy, forget } = change;
  const readValues = (one: typeof record) => valuesOf(fields({}), one, site?.(valuesOf(fields({}), one)));
  // The version that the form started with. Only this version is overwritten.
  const [base, setBase] = useState(record);
  const [values, setValues] = useState<Values>(() => ({ ...readValues(record), ...initial }));
  const before = readValues(base);
  const specs = fields(values);
  const input = inputOf(specs, before, values, site?.(values));
  const unread = Object.fromEntries(specs.map((spec) => [spec.name, unreadable(spec, values[spec.name]!)]));
  const meanwhile = changedMeanwhile(error);
  const isRead = record?.version !== base?.version;
  const labels: Record<string, string> = Object.fromEntries(specs.map(({ name, label }) => [name, label]));
  const isBeside = Object.keys(wrong).length > 0 && Object.keys(wrong).every((name) => name in labels);

  /** Takes over the changes of others and keeps what the user typed. */
  const takeOver = () => {
    const now = readValues(record);
    setValues(Object.fromEntries(Object.keys(now).map((name) => [name, (values[name] === before[name] ? now : values)[name]!])));
    setBase(record);
    forget();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onSave(input as Input, base?.version)) onClose();
    onReload?.();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {children}
        <div className="field-grid">
          {specs
            .filter(({ kind }) => kind !== "long" && kind !== "pairs")
            .map((spec) => (
              <OneField
                key={spec.name}
                spec={spec}
                value={values[spec.name]!}
                wrong={unread[spec.name] ?? wrong[spec.name]}
                onChange={(text) => setValues({ ...values, [spec.name]: text })}
              />
            ))}
        </div>
        {specs
          .filter(({ kind }) => kind === "long" || kind === "pairs")
          .map(({ name, label, hint, kind }) => (
            <TextArea
              key={name}
              label={label}
              hint={hint ?? (kind === "pairs" ? t`One name and value a line, such as Voltage: 400 V` : undefined)}
              rows={3}
              value={values[name]!}
              wrong={unread[name] ?? wrong[name]}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          ))}
        {meanwhile ? (
          <Meanwhile changed={meanwhile} labels={labels} isRead={isRead} onTakeOver={takeOver} />
        ) : (
          error &&
          !isBeside && (
            <p className="note bad" role="alert">
              {Object.values(wrong)[0] ?? messageOf(error)}
            </p>
          )
        )}
        <div className="actions stays">
          <button type="button" className="button" onClick={onClose}>
            {t`Cancel`}
          </button>
          <button
            type="submit"
            className="button primary"
            disabled={isBusy || !!meanwhile || Object.values(unread).some(Boolean) || !Object.keys(input).length}
          >
            {isBusy ? t`Saving …` : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function OneField({ spec, value, wrong, onChange }: { spec: FieldSpec; value: string; wrong?: string; onChange: (text: string) => void }) {
  const id = useId();
  const { label, kind, hint, required, options = [] } = spec;
  const shared = { label, hint, wrong, required, value };
  if (kind === "flag")
    return (
      <label className="check">
        <input type="checkbox" checked={value !== ""} onChange={(event) => onChange(event.target.checked ? "true" : "")} />
        {label}
      </label>
    );
  if (kind === "choice")
    return (
      <Select {...shared} onChange={(event) => onChange(event.target.value)}>
        {!required && <option value="">–</option>}
        {options.map(optionOf).map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </Select>
    );
  if (kind === "number") return <NumberField {...shared} onChange={(event) => onChange(event.target.value)} />;
  return (
    <div>
      <TextField
        {...shared}
        type={kind === "day" ? "date" : "text"}
        list={options.length ? id : undefined}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      {options.length > 0 && (
        <datalist id={id}>
          {options.map(optionOf).map(([one, word]) => (
            <option key={one} value={one}>
              {word}
            </option>
          ))}
        </datalist>
      )}
    </div>
  );
}
