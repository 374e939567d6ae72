/** Edits a procedure. A concurrent change by another user is reported, not overwritten. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { ProcedureToEdit } from "../../generated/editor.js";
import { UpdateProcedure } from "../../generated/procedure.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { changedMeanwhile, Meanwhile } from "../../parts/meanwhile.js";
import { NoRecord } from "../../parts/states.js";
import { changesOf, draftOf, mergeDrafts, type ProcedureRecord } from "./draft.js";
import { ProcedureForm } from "./editor.js";

export function EditProcedurePage(): ReactNode {
  const { id } = useParams({ from: "/procedures/$id/edit" });
  // The form starts with the latest version.
  const [{ data, error, fetching }, retry] = useQuery({ query: ProcedureToEdit, variables: { id }, requestPolicy: "network-only" });
  const procedure = data?.procedure?.id === id ? data.procedure : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useTitle(procedure && t`Edit ${procedure.name}`);
  if (!procedure) return <NoRecord isLoading={fetching} error={error} title={t`Procedure not found`} onRetry={readAgain} />;
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/procedures">{t`Procedures`}</Link>
        <ChevronRight className="icon" aria-hidden />
        <Link to="/procedures/$id" params={{ id }}>
          {procedure.name}
        </Link>
      </nav>
      <div className="page-head">
        <h1>{t`Edit ${procedure.name}`}</h1>
      </div>
      <EditForm key={id} record={procedure} onReload={readAgain} />
    </>
  );
}

/** Labels of the fields in messages, where the name alone says too little. */
const labels: Record<string, string> = {
  anchor: t`Counted from`,
  assetId: t`Asset`,
  customIntervalDays: t`Days`,
  frequency: t`Every`,
  missedPolicy: t`Missed dates`,
  requiredSkills: t`Required skills`,
  safetyRequirements: t`Safety`,
  schedulingBasis: t`Next date counts from`,
  schedulingRules: t`Day of the week and weekends`,
  statutory: t`Required by law`,
  suppressedById: t`Left out when due together with`,
  nextDue: t`Next due date`,
  estimatedDuration: t`Planned duration`,
  workingDaysOnly: t`Only on working days`,
};

function EditForm({ record, onReload }: { record: ProcedureRecord; onReload: () => void }) {
  const navigate = useNavigate();
  const update = useChange(UpdateProcedure, { onRefused: onReload });
  // The version that the form started with. Only this version is overwritten.
  const [base, setBase] = useState(record);
  const [before, setBefore] = useState(() => draftOf(record));
  const [draft, setDraft] = useState(before);
  const { id } = record;
  const leave = () => void navigate({ to: "/procedures/$id", params: { id }, ignoreBlocker: true });
  const changed = changedMeanwhile(update.error);

  /** Takes over the changes of others and keeps what the user entered. */
  const takeOver = () => {
    const now = draftOf(record);
    setDraft(mergeDrafts(before, draft, now));
    setBefore(now);
    setBase(record);
    update.forget();
  };
  const submit = async (site: string | undefined) => {
    const input = changesOf(before, draft, site);
    if (!Object.keys(input).length || (await update.run({ id, input, expectedVersion: base.version }, t`Saved`))) leave();
  };
  return (
    <ProcedureForm
      id={id}
      draft={draft}
      before={before}
      onDraft={setDraft}
      verb={t`Save`}
      change={update}
      isDisabled={!!changed}
      meanwhile={changed && <Meanwhile changed={changed} labels={labels} isRead={record.version !== base.version} onTakeOver={takeOver} />}
      onSubmit={(site) => void submit(site)}
      onCancel={leave}
    />
  );
}
