/** Creates a new version of a template. A concurrent version of another user is reported, not overwritten. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import type { UpdateTemplateInput } from "../../../../packages/client/src/generated/schema.js";
import { TemplateToEdit, type TemplateToEditQuery, UpdateTemplate } from "../../generated/templates.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { changedMeanwhile, Meanwhile } from "../../parts/meanwhile.js";
import { NoRecord } from "../../parts/states.js";
import { inputOfRows, rowsOfItems } from "./items.js";
import { type Draft, TemplateForm } from "./template-form.js";

type Template = NonNullable<TemplateToEditQuery["template"]>;

export function EditTemplatePage(): ReactNode {
  const { id } = useParams({ from: "/procedures/templates/$id/edit" });
  // The form starts with the latest version.
  const [{ data, error, fetching }, retry] = useQuery({ query: TemplateToEdit, variables: { id }, requestPolicy: "network-only" });
  const template = data?.template?.id === id ? data.template : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useTitle(template && t`New version of ${template.name}`);
  if (!template) return <NoRecord isLoading={fetching} error={error} title={t`Template not found`} onRetry={readAgain} />;
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/procedures/templates">{t`Templates`}</Link>
        <ChevronRight className="icon" aria-hidden />
        <Link to="/procedures/templates/$id" params={{ id }}>
          {template.name}
        </Link>
      </nav>
      <div className="page-head">
        <div>
          <h1>{t`New version of ${template.name}`}</h1>
          <p>{t`Components that were made from it change only when they are upgraded.`}</p>
        </div>
      </div>
      <EditForm key={id} template={template} onReload={readAgain} />
    </>
  );
}

const draftOf = ({ name, type, description, items }: Template): Draft => ({
  name,
  type,
  description: description ?? "",
  rows: rowsOfItems(items),
});

/** The changed values. */
function changesOf(before: Draft, after: Draft): UpdateTemplateInput {
  const inputOf = ({ name, type, description, rows }: Draft) => ({
    name: name.trim(),
    type: type.trim(),
    description: description.trim() || null,
    components: inputOfRows(rows),
  });
  const [was, now] = [inputOf(before), inputOf(after)];
  return Object.fromEntries(
    (Object.keys(now) as (keyof typeof now)[])
      .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(now[name]))
      .map((name) => [name, now[name]]),
  );
}

const labels = { type: "Kind of equipment", components: t`Components` };

function EditForm({ template, onReload }: { template: Template; onReload: () => void }) {
  const navigate = useNavigate();
  const update = useChange(UpdateTemplate, { onRefused: onReload });
  const [base, setBase] = useState(template);
  const [draft, setDraft] = useState(() => draftOf(template));
  const { id } = template;
  const leave = () => void navigate({ to: "/procedures/templates/$id", params: { id }, ignoreBlocker: true });
  const changed = changedMeanwhile(update.error);
  /** Takes over the new version of others and keeps the fields that the user changed. */
  const takeOver = () => {
    const mine = changesOf(draftOf(base), draft);
    const theirs = draftOf(template);
    setDraft({
      name: "name" in mine ? draft.name : theirs.name,
      type: "type" in mine ? draft.type : theirs.type,
      description: "description" in mine ? draft.description : theirs.description,
      rows: "components" in mine ? draft.rows : theirs.rows,
    });
    setBase(template);
    update.forget();
  };
  const submit = async () => {
    const input = changesOf(draftOf(base), draft);
    if (!Object.keys(input).length || (await update.run({ id, input, expectedVersion: base.version }, t`New version created`))) leave();
  };
  return (
    <TemplateForm
      draft={draft}
      onDraft={setDraft}
      verb={t`Create version`}
      change={update}
      isDisabled={!!changed}
      meanwhile={
        changed && <Meanwhile changed={changed} labels={labels} isRead={template.version !== base.version} onTakeOver={takeOver} />
      }
      onSubmit={() => void submit()}
      onCancel={leave}
    />
  );
}
