import { t } from "@lingui/core/macro";
import type { TemplatePageQuery } from "../../generated/templates.js";
import { factLabel } from "../../parts/fact-label.js";
import { wordOf } from "../../parts/words.js";

export type InstanceDifference = NonNullable<TemplatePageQuery["template"]>["instances"][number]["differences"][number];

const textOf = (value: unknown): string =>
  value == null || value === "" ? "–" : typeof value === "string" ? value : JSON.stringify(value);

const fieldLabel = (field: string) =>
  field.startsWith("specifications.") ? factLabel(field.slice("specifications.".length)) : wordOf(field);

const kinds = {
  ADDED: t`is new in the template`,
  MISSING: t`was deleted here`,
  REMOVED: t`is no longer in the template`,
  CHANGED: t`differs`,
};

/** Differences from the latest version, and the reasons why an upgrade keeps some. */
export const DifferenceList = ({ differences, label }: { differences: InstanceDifference[]; label: string }) => (
  <ul className="stack tight small" aria-label={label}>
    {differences.map(({ key, kind, name, fields, keptBecause }) => (
      <li key={`${kind} ${key}`} className="anywhere">
        <span className="strong">{name}</span> <span>{kinds[kind]}</span>
        {keptBecause && <span className="muted"> {t`(kept: ${keptBecause})`}</span>}
        {fields.length > 0 && (
          <ul className="differing">
            {fields.map((one) => (
              <li key={one.field}>
                {one.field === "parent"
                  ? t`Place`
                  : t`${fieldLabel(one.field)}: here ${textOf(one.component)}, in the template ${textOf(one.template)}`}
                {one.keptBecause && !keptBecause && <span className="muted"> {t`(kept: ${one.keptBecause})`}</span>}
              </li>
            ))}
          </ul>
        )}
      </li>
    ))}
  </ul>
);
