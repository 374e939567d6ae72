/** Creates the components of a template in an asset. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { useQuery } from "urql";
import { ApplyTemplate, TemplateChoices } from "../../generated/component-edit.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { Failed, Loading, messageBeside, Refusal } from "../../parts/states.js";
import { wordOf } from "../../parts/words.js";
import type { Node } from "./tree.js";
import type { Asset } from "./types.js";

interface Props {
  asset: Asset;
  node?: Node;
  onClose: () => void;
  onChanged: (inside?: string) => Promise<void>;
}

export function ApplyTemplateDialog({ asset, node, onClose, onChanged }: Props) {
  const apply = useChange(ApplyTemplate);
  const [{ data, fetching, error }] = useQuery({ query: TemplateChoices });
  const [chosen, setChosen] = useState<string>();
  const [parentId, setParentId] = useState<string>();
  const [prefix, setPrefix] = useState("");
  const templates = data?.templates?.nodes;
  const id = chosen ?? templates?.[0]?.id;
  const description = templates?.find((one) => one.id === id)?.description;
  const message = messageBeside(apply.error, "id", "customizations");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!id) return;
    const serialNumberPrefix = prefix.trim();
    const input = {
      ...(parentId ? { parentId } : { assetId: asset.id }),
      ...(serialNumberPrefix && { customizations: { serialNumberPrefix } }),
    };
    const created = (await apply.run({ id, input }, t`Template applied`))?.applyTemplate?.created;
    if (!created) return;
    onClose();
    await onChanged(parentId);
  };
  return (
    <Dialog title={t`Apply a template`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {!templates && (fetching ? <Loading lines={3} /> : <Failed error={error} />)}
        {templates?.length === 0 && <p className="muted">{t`There are no templates. A manager creates them under Procedures.`}</p>}
        {templates && templates.length > 0 && (
          <>
            <Select
              label={t`Template`}
              hint={description}
              value={id}
              wrong={apply.wrong.id}
              onChange={(event) => setChosen(event.target.value)}
            >
              {templates.map((one) => (
                <option key={one.id} value={one.id}>
                  {t`${one.name} (${wordOf(one.type)}, version ${one.version})`}
                </option>
              ))}
            </Select>
            {node && (
              <Select label={t`Place`} value={parentId ?? ""} onChange={(event) => setParentId(event.target.value || undefined)}>
                <option value="">{t`${asset.name}, top level`}</option>
                <option value={node.id}>{t`In ${node.name}`}</option>
              </Select>
            )}
            <TextField
              label={t`Start of the serial numbers`}
              hint={t`Empty: components get no serial numbers`}
              value={prefix}
              wrong={apply.wrong["customizations.serialNumberPrefix"]}
              onChange={(event) => setPrefix(event.target.value)}
            />
          </>
        )}
        <Refusal text={message} />
        <DialogActions verb={apply.isBusy ? t`Applying …` : t`Apply`} isDisabled={!id || apply.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
