/** Creates a template, from the components of an asset or from nothing. */
import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useClient } from "urql";
import { CreateTemplate, TreeOfAsset } from "../../generated/templates.js";
import { AssetChoice } from "../../parts/asset-choice.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { messageOf } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { count } from "../../parts/words.js";
import { inputOfRows, rowsOfComponents } from "./items.js";
import { type Draft, TemplateForm } from "./template-form.js";

export function NewTemplatePage(): ReactNode {
  const navigate = useNavigate();
  const client = useClient();
  const toast = useToast();
  useTitle(t`New template`);
  const [draft, setDraft] = useState<Draft>({ name: "", type: "", description: "", rows: [] });
  const [isChoosing, setChoosing] = useState(false);
  const create = useChange(CreateTemplate);
  /** Copies the components of an asset into the form. */
  const take = async (id: string) => {
    const { data, error } = await client.query(TreeOfAsset, { id }, { requestPolicy: "network-only" }).toPromise();
    const asset = data?.asset;
    if (!asset) return toast(messageOf(error) || t`The asset was not found.`, true);
    const { nodes, totalCount } = asset.components;
    // A part of the tree would be a wrong template.
    if (totalCount > nodes.length)
      return toast(
        t`${asset.name} has ${count(totalCount)} components. At most ${count(nodes.length)} can be copied here; use the API.`,
        true,
      );
    if (!totalCount) return toast(t`${asset.name} has no components.`, true);
    setDraft({ ...draft, name: draft.name || asset.name, type: draft.type || asset.type, rows: rowsOfComponents(nodes) });
    setChoosing(false);
  };
  const submit = async () => {
    const { name, type, description, rows } = draft;
    const input = { name: name.trim(), type: type.trim(), description: description.trim() || null, components: inputOfRows(rows) };
    const made = (await create.run({ input }, t`${input.name} created`))?.createTemplate;
    if (made) void navigate({ to: "/procedures/templates/$id", params: { id: made.id } });
  };
  return (
    <>
      <div className="page-head">
        <h1>{t`New template`}</h1>
      </div>
      <TemplateForm
        draft={draft}
        onDraft={setDraft}
        verb={t`Create template`}
        change={create}
        onSubmit={() => void submit()}
        onCancel={() => void navigate({ to: "/procedures/templates", search: {}, ignoreBlocker: true })}
      >
        {isChoosing ? (
          <AssetChoice onChoose={(id) => void take(id)} />
        ) : (
          <span>
            <button type="button" className="button" onClick={() => setChoosing(true)}>
              {t`Copy from an asset`}
            </button>
          </span>
        )}
      </TemplateForm>
    </>
  );
}
