/** Failure codes of corrective work: problem, cause and remedy. */
import { t } from "@lingui/core/macro";
import { failureName } from "../../parts/failure-labels.js";
import { Select } from "../../parts/field.js";
import { wordOf } from "../../parts/words.js";
import type { Code, Order } from "./types.js";

const fields = [
  ["failureMode", "MODE", t`Problem`],
  ["failureCause", "CAUSE", t`Cause`],
  ["remedy", "REMEDY", t`Remedy`],
] as const;
export type CodeDraft = Record<(typeof fields)[number][0], string>;

export const codeFields = fields.map(([field]) => field);
export const codesOf = ({ failureMode, failureCause, remedy }: Order): CodeDraft => ({
  failureMode: failureMode ?? "",
  failureCause: failureCause ?? "",
  remedy: remedy ?? "",
});
/** The specified codes, for an input. */
export const codeInput = (draft: CodeDraft): Partial<CodeDraft> => Object.fromEntries(Object.entries(draft).filter(([, code]) => code));

const asWords = (text: string) => `-${text.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-`;
/** The service's rule: a class applies to the assets whose type contains its words, `general` to all. */
const isFor = (equipmentClass: string, type = "") =>
  equipmentClass === "general" || asWords(type).includes(`-${equipmentClass}-`) || asWords(type).includes(`-${equipmentClass}s-`);

/** The recorded codes as labels and names, for a list of facts. */
export const recordedCodes = (order: Order, codes: Code[]) =>
  fields.flatMap(([field, kind, label]) => {
    const code = order[field];
    const name = codes.find((one) => one.kind === kind && one.code === code && isFor(one.equipmentClass, order.ofType?.type))?.name;
    return code ? [{ label, name: name ? failureName(name) : wordOf(code) }] : [];
  });

interface Props {
  order: Order;
  codes: Code[];
  draft: CodeDraft;
  wrong: Record<string, string>;
  isRequired?: boolean;
  onChange: (draft: CodeDraft) => void;
}

export function CodeFields({ order, codes, draft, wrong, isRequired, onChange }: Props) {
  const type = order.ofType?.type;
  return (
    <div className="field-grid">
      {fields.map(([field, kind, label]) => {
        const offered = new Map(
          codes.filter((one) => one.kind === kind && isFor(one.equipmentClass, type)).map(({ code, name }) => [code, failureName(name)]),
        );
        // A recorded code stays valid when it is no longer in use.
        if (draft[field] && !offered.has(draft[field])) offered.set(draft[field], wordOf(draft[field]));
        return (
          <Select
            key={field}
            label={label}
            required={isRequired}
            value={draft[field]}
            wrong={wrong[field]}
            onChange={(event) => onChange({ ...draft, [field]: event.target.value })}
          >
            <option value="">{t`Not specified`}</option>
            {[...offered].map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </Select>
        );
      })}
    </div>
  );
}
