/** The items of a template, as fields of a form: a tree as indented rows. */
import { t } from "@lingui/core/macro";
import { ArrowDown, ArrowUp, IndentDecrease, IndentIncrease, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { TextField } from "../../parts/field.js";
import { RowButton, useRowFocus } from "../../parts/row-buttons.js";
import { lengthAt, type Row } from "./items.js";

interface Props {
  rows: Row[];
  onChange: (rows: Row[]) => void;
}

let lastId = 0;

export function ItemFields({ rows, onChange }: Props) {
  const [list, setFocus] = useRowFocus();
  const [said, setSaid] = useState("");
  const set = (index: number, change: Partial<Row>) => onChange(rows.map((one, at) => (at === index ? { ...one, ...change } : one)));
  const blockAt = (index: number) => rows.slice(index, index + lengthAt(rows, index));
  const add = () => {
    const depth = rows.at(-1)?.depth ?? 0;
    onChange([...rows, { id: `new ${++lastId}`, depth, name: "", type: "", maintenanceInterval: "", specifications: {} }]);
    setFocus({ at: rows.length, part: "input" });
  };
  const indent = (index: number, by: 1 | -1) => {
    const length = lengthAt(rows, index);
    onChange(rows.map((one, at) => (at >= index && at < index + length ? { ...one, depth: one.depth + by } : one)));
    setFocus({ at: index, part: `[data-indent="${by}"]:enabled` });
  };
  /** The sibling before, or after the item's own sub-items. Undefined at either end. */
  const siblingOf = (index: number, by: 1 | -1): number | undefined => {
    const { depth } = rows[index]!;
    if (by > 0) {
      const next = index + lengthAt(rows, index);
      return rows[next]?.depth === depth ? next : undefined;
    }
    for (let at = index - 1; at >= 0 && rows[at]!.depth >= depth; at--) if (rows[at]!.depth === depth) return at;
    return undefined;
  };
  const move = (index: number, by: 1 | -1) => {
    const sibling = siblingOf(index, by)!;
    const [first, second] = by < 0 ? [sibling, index] : [index, sibling];
    const [a, b] = [blockAt(first), blockAt(second)];
    onChange([...rows.slice(0, first), ...b, ...a, ...rows.slice(second + b.length)]);
    setFocus({ at: by < 0 ? first : first + b.length, part: `[data-move="${by}"]:enabled` });
    const name = rows[index]!.name || t`The component`;
    setSaid(by < 0 ? t`${name} moved up` : t`${name} moved down`);
  };
  const remove = (index: number) => {
    onChange(rows.filter((_, at) => at < index || at >= index + lengthAt(rows, index)));
    setFocus({ at: Math.max(0, index - 1), part: "[data-remove]" });
  };
  return (
    <fieldset className="stack tight">
      <legend className="strong">{t`Components`}</legend>
      <ol className="step-fields stack tight" ref={list} aria-label={t`Components`}>
        {rows.map((row, index) => {
          const name = row.name || t`component ${index + 1}`;
          const below = lengthAt(rows, index) - 1;
          const canIndent = index > 0 && rows[index - 1]!.depth >= row.depth;
          return (
            <li key={row.id} style={{ marginInlineStart: Math.min(row.depth, 4) * 14 }}>
              <fieldset className="stack tight">
                <legend className="hidden-text">{t`Component ${index + 1}, level ${row.depth + 1}`}</legend>
                <div className="grid-2">
                  <TextField
                    label={t`Component ${index + 1}`}
                    required
                    maxLength={255}
                    value={row.name}
                    onChange={({ target }) => set(index, { name: target.value })}
                  />
                  <TextField
                    label={t`Type`}
                    required
                    maxLength={255}
                    value={row.type}
                    onChange={({ target }) => set(index, { type: target.value })}
                  />
                </div>
                <TextField
                  label={t`Maintenance interval`}
                  placeholder={t`Such as 6 months`}
                  value={row.maintenanceInterval}
                  onChange={({ target }) => set(index, { maintenanceInterval: target.value })}
                />
                <span className="row wrap" style={{ justifyContent: "flex-end" }}>
                  <RowButton
                    label={t`Move ${name} out`}
                    data={{ "data-indent": -1 }}
                    icon={IndentDecrease}
                    isDisabled={row.depth === 0}
                    onClick={() => indent(index, -1)}
                  />
                  <RowButton
                    label={t`Move ${name} into the one above`}
                    data={{ "data-indent": 1 }}
                    icon={IndentIncrease}
                    isDisabled={!canIndent}
                    onClick={() => indent(index, 1)}
                  />
                  <RowButton
                    label={t`Move ${name} up`}
                    data={{ "data-move": -1 }}
                    icon={ArrowUp}
                    isDisabled={siblingOf(index, -1) === undefined}
                    onClick={() => move(index, -1)}
                  />
                  <RowButton
                    label={t`Move ${name} down`}
                    data={{ "data-move": 1 }}
                    icon={ArrowDown}
                    isDisabled={siblingOf(index, 1) === undefined}
                    onClick={() => move(index, 1)}
                  />
                  <RowButton
                    label={below ? t`Remove ${name} and what is in it` : t`Remove ${name}`}
                    data={{ "data-remove": "" }}
                    icon={Trash2}
                    onClick={() => remove(index)}
                  />
                </span>
              </fieldset>
            </li>
          );
        })}
      </ol>
      <span>
        <button type="button" className="button small" onClick={add}>
          <Plus className="icon" aria-hidden />
          {t`Add component`}
        </button>
      </span>
      <span className="hidden-text" role="status">
        {said}
      </span>
    </fieldset>
  );
}
