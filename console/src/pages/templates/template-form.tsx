/** The form of a template, to create one or a new version. */
import { t } from "@lingui/core/macro";
import type { FormEvent, ReactNode } from "react";
import type { Change } from "../../parts/change.js";
import { TextArea, TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { ItemFields } from "./item-fields.js";
import type { Row } from "./items.js";

export interface Draft {
  name: string;
  type: string;
  description: string;
  rows: Row[];
}

interface Props {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  verb: string;
  change: Pick<Change<unknown, never>, "wrong" | "error" | "isBusy">;
  isDisabled?: boolean;
  /** Above the fields. */
  children?: ReactNode;
  /** A concurrent change, instead of the message. */
  meanwhile?: ReactNode;
  onSubmit: () => void;
  onCancel: () => void;
}

export function TemplateForm({ draft, onDraft, verb, change, isDisabled, children, meanwhile, onSubmit, onCancel }: Props) {
  const { wrong, error, isBusy } = change;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const text = (name: "name" | "type", label: string) => (
    <TextField
      label={label}
      required
      maxLength={255}
      value={draft[name]}
      wrong={wrong[name]}
      onChange={({ target }) => onDraft({ ...draft, [name]: target.value })}
    />
  );
  return (
    <form className="card narrow-wide" onSubmit={submit} aria-busy={isBusy}>
      <div className="body stack form-sections">
        {children}
        <div className="grid-2">
          {text("name", t`Name`)}
          {text("type", t`Kind of equipment`)}
        </div>
        <TextArea
          label={t`Description`}
          value={draft.description}
          wrong={wrong.description}
          onChange={({ target }) => onDraft({ ...draft, description: target.value })}
        />
        <ItemFields rows={draft.rows} onChange={(rows) => onDraft({ ...draft, rows })} />
        {meanwhile ?? <Refusal text={messageBeside(error, "name", "type", "description")} />}
        <div className="actions stays">
          <button type="button" className="button" onClick={onCancel}>
            {t`Cancel`}
          </button>
          <button type="submit" className="button primary" disabled={!draft.name.trim() || !draft.type.trim() || isBusy || isDisabled}>
            {isBusy ? t`Saving …` : verb}
          </button>
        </div>
      </div>
    </form>
  );
}
