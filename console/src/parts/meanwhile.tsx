/** A concurrent change by another user, which a form reports instead of overwriting it. */
import { t } from "@lingui/core/macro";
import type { CombinedError } from "@urql/core";
import { wordOf } from "./words.js";

/** Names of the fields that someone else changed. Undefined unless the service refused the change for this reason. */
export function changedMeanwhile(error: CombinedError | undefined): string[] | undefined {
  const [refusal] = error?.graphQLErrors ?? [];
  // The versions of templates are texts.
  return ["number", "string"].includes(typeof refusal?.extensions?.version)
    ? (refusal!.extensions.changedFields as string[] | undefined)
    : undefined;
}

interface Props {
  changed: string[];
  /** Labels of the form's fields, by name. */
  labels: Record<string, string>;
  /** Whether the record has been read again. */
  isRead: boolean;
  onTakeOver: () => void;
}

export function Meanwhile({ changed, labels, isRead, onTakeOver }: Props) {
  return (
    <div className="note warn" role="alert">
      <div className="stack tight">
        <span>
          {t`Someone else changed this record while you edited it`}
          {changed.length > 0 && `: ${changed.map((name) => labels[name] ?? wordOf(name)).join(", ")}`}.
        </span>
        <button type="button" className="button small" disabled={!isRead} onClick={onTakeOver}>
          {isRead ? t`Load their changes` : t`Loading …`}
        </button>
      </div>
    </div>
  );
}
