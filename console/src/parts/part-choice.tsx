import { t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { useQuery } from "urql";
import { PartChoices, type PartChoicesQuery } from "../generated/part-choice.js";
import { useSettled } from "./hooks.js";
import { SearchField } from "./search-field.js";

export type ChosenPart = NonNullable<PartChoicesQuery["parts"]>["nodes"][number];

interface Props {
  label: string;
  /** Ids of the parts that are not offered. */
  without?: string[];
  onChoose: (part: ChosenPart) => void;
}

/** A search field that lists the parts found, to choose one. */
export function PartChoice({ label, without = [], onChoose }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const search = useSettled(text.trim());
  const [{ data, fetching }] = useQuery({ query: PartChoices, variables: { search }, pause: !search });
  const found = search ? data?.parts?.nodes.filter((part) => !without.includes(part.id)) : undefined;
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <SearchField id={id} placeholder={t`Name or part number`} value={text} onChange={setText} />
      {found && (
        <ul className="list choices" aria-label={t`Parts found`} aria-busy={fetching}>
          {found.map((part) => (
            <li key={part.id}>
              <button
                type="button"
                onClick={() => {
                  setText("");
                  onChoose(part);
                }}
              >
                <span className="strong anywhere">{part.name}</span>
                <span className="muted small mono">{part.partNumber}</span>
              </button>
            </li>
          ))}
          {!found.length && <li className="muted">{t`Nothing found.`}</li>}
        </ul>
      )}
    </div>
  );
}
