/** Creates a work order for an asset or one of its components, also as the follow-up of another order. */
import { t } from "@lingui/core/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { useQuery } from "urql";
import type { Priority, WorkOrderType } from "../../../../packages/client/src/generated/schema.js";
import { AssignOrder } from "../../generated/assign.js";
import { NewOrder } from "../../generated/new-order.js";
import { CreateOrder } from "../../generated/work.js";
import { AssetChoice, ChosenAsset } from "../../parts/asset-choice.js";
import { useChange } from "../../parts/change.js";
import { Select, TextArea, TextField } from "../../parts/field.js";
import { useTitle } from "../../parts/hooks.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useSession } from "../../session/session.js";
import { DoerFields, nobody } from "./doer-fields.js";
import { type PartDraft, PartFields, partsOf } from "./part-fields.js";
import { dateInput, PrioritySelect, TypeSelect } from "./plan-fields.js";
import { type StepDraft, stepsOf } from "./step-drafts.js";
import { StepFields } from "./step-fields.js";

export function NewOrderPage(): ReactNode {
  const { asset: id, component, follows } = useSearch({ from: "/work/new" });
  const navigate = useNavigate({ from: "/work/new" });
  const { can } = useSession();
  const [title, setTitle] = useState("");
  const [type, setType] = useState<WorkOrderType>("CORRECTIVE");
  const [priority, setPriority] = useState<Priority>("MEDIUM");
  const [day, setDay] = useState("");
  const [description, setDescription] = useState("");
  const [doer, setDoer] = useState(nobody);
  const [steps, setSteps] = useState<StepDraft[]>([]);
  const [parts, setParts] = useState<PartDraft[]>([]);
  // The assignment needs the new order's id, so assigned orders are not queued.
  const create = useChange(CreateOrder, { waits: !doer.personId });
  const assign = useChange(AssignOrder);
  const [{ data, fetching }] = useQuery({
    query: NewOrder,
    variables: { id: id ?? "", follows: follows ?? "", isFollowUp: !!follows },
    pause: !id,
  });
  useTitle(t`New work order`);
  const asset = data?.asset ?? undefined;
  const site = asset?.site;
  const followed = follows ? data?.workOrder : undefined;
  const { wrong } = create;
  const shown = ["title", "scheduledDate", "description", "componentId", "assignedTechnician", "customSteps", "parts"];
  const refusal = messageBeside(create.error, ...shown);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      assetId: id,
      title: title.trim(),
      type,
      priority,
      ...(component && { componentId: component }),
      ...(follows && { followUpOf: follows }),
      ...dateInput(day, site),
      ...(description.trim() && { description: description.trim() }),
      ...(doer.crew.trim() && { assignedTechnician: doer.crew.trim() }),
      ...(steps.length && { customSteps: stepsOf(steps) }),
      ...(parts.length && { parts: partsOf(parts) }),
    };
    const done = await create.run({ input }, t`Work order created`);
    if (!done) return;
    const made = done.createWorkOrder;
    if (!made) return void navigate({ to: "/work", search: {} });
    if (doer.personId) await assign.run({ id: made.id, principalId: doer.personId });
    void navigate({ to: "/work/$id", params: { id: made.id }, search: {} });
  };
  const isBusy = create.isBusy || assign.isBusy;

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`New work order`}</h1>
          {followed && <p>{t`Follow-up of “${followed.title}”`}</p>}
        </div>
      </div>
      <form className="card narrow" onSubmit={submit} aria-busy={isBusy}>
        <div className="body stack" style={{ padding: 20 }}>
          {id ? (
            <ChosenAsset
              asset={asset}
              unknown={fetching ? "…" : t`Unknown asset`}
              onChange={() => void navigate({ search: { follows }, replace: true })}
            />
          ) : (
            <AssetChoice onChoose={(asset) => void navigate({ search: { asset, follows }, replace: true })} />
          )}
          {asset && asset.components.nodes.length > 0 && (
            <Select
              label={t`Component`}
              hint={asset.components.pageInfo.hasNextPage ? t`Lists the first 200 components by name.` : undefined}
              value={component ?? ""}
              wrong={wrong.componentId}
              onChange={({ target }) =>
                void navigate({ search: (was) => ({ ...was, component: target.value || undefined }), replace: true })
              }
            >
              <option value="">{t`The whole asset`}</option>
              {asset.components.nodes.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.parent ? `${one.name} (${one.parent.name})` : one.name}
                </option>
              ))}
            </Select>
          )}
          <TextField
            label={t`Title`}
            required
            maxLength={255}
            value={title}
            wrong={wrong.title}
            onChange={(event) => setTitle(event.target.value)}
          />
          <div className="grid-2 keep">
            <TypeSelect value={type} onChange={setType} />
            <PrioritySelect value={priority} onChange={setPriority} />
          </div>
          <TextField
            label={t`Planned for`}
            type="date"
            max="9999-12-31"
            hint={t`Leave empty for today.`}
            value={day}
            wrong={wrong.scheduledDate}
            onChange={(event) => setDay(event.target.value)}
          />
          <ZoneNote site={site} />
          {can("assignWorkOrder") && <DoerFields assetId={asset?.id} draft={doer} wrong={wrong.assignedTechnician} onChange={setDoer} />}
          <TextArea
            label={t`Description`}
            value={description}
            wrong={wrong.description}
            onChange={(event) => setDescription(event.target.value)}
          />
          <StepFields name="customSteps" assetId={id} drafts={steps} wrong={wrong} onChange={setSteps} />
          <fieldset className="stack tight">
            <legend className="strong">{t`Parts`}</legend>
            <PartFields
              label={t`Add a part`}
              drafts={parts}
              wrongAt={(index) => wrong[`parts.${index}.quantity`] ?? wrong[`parts.${index}.partId`]}
              onChange={setParts}
            />
          </fieldset>
          <Refusal text={refusal} />
          <div className="actions">
            <button type="submit" className="button primary" disabled={!id || !title.trim() || isBusy}>
              {isBusy ? t`Creating …` : t`Create work order`}
            </button>
          </div>
        </div>
      </form>
    </>
  );
}
