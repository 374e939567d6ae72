/** The next dates of a procedure's form, computed by the service while the user types. */
import { t } from "@lingui/core/macro";
import { type ReactNode, useMemo } from "react";
import { useQuery } from "urql";
import { type DatePreviewQueryVariables, DatePreview as Document } from "../../generated/editor.js";
import { useSettled } from "../../parts/hooks.js";
import { fieldErrorsOf, messageOf } from "../../parts/states.js";
import { type Draft, scheduleOf } from "./draft.js";
import { DateList } from "./next-dates.js";

interface Props {
  id?: string;
  draft: Draft;
  /** The stored values. Undefined for a new procedure. */
  before?: Draft;
  site: string | undefined;
}

export function DatePreview({ id, draft, before, site }: Props): ReactNode {
  const { suppressedById: _, ...schedule } = scheduleOf(draft, site);
  // An unchanged anchor keeps the place in the schedule.
  const isKept = before?.anchor.day === draft.anchor.day;
  const text = useSettled(
    JSON.stringify({ ...schedule, anchor: isKept ? undefined : schedule.anchor, assetId: draft.assetId, procedureId: id }),
  );
  const variables = useMemo(() => ({ draft: JSON.parse(text) as DatePreviewQueryVariables["draft"] }), [text]);
  const hasDates = draft.frequency !== "NONE" && !(draft.frequency === "CUSTOM" && !draft.customIntervalDays);
  const [{ data, error, fetching }] = useQuery({ query: Document, variables, pause: !hasDates || !draft.assetId });
  if (!hasDates) return null;
  const dates = data?.previewScheduleDraft;
  return (
    <section className="note info preview" aria-labelledby="date-preview" aria-busy={fetching}>
      <div className="stack tight grow">
        <h3 id="date-preview">{t`Next dates`}</h3>
        {!draft.assetId && <p className="muted">{t`Choose an asset to see the dates.`}</p>}
        {draft.assetId && error && <p className="status bad wrap-text">{Object.values(fieldErrorsOf(error))[0] ?? messageOf(error)}</p>}
        {draft.assetId && !error && dates && <DateList dates={dates} site={site} />}
      </div>
    </section>
  );
}
