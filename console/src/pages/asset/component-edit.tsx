/** Component form: creates a component at its place, or edits one. */
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { useQuery } from "urql";
import {
  ComponentToEdit,
  CreateComponent,
  UpdateComponent,
  type UpdateComponentMutationVariables,
} from "../../generated/component-edit.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { Select } from "../../parts/field.js";
import { RecordForm } from "../../parts/record-form.js";
import type { FieldSpec } from "../../parts/record-values.js";
import { useSite } from "../../parts/site.js";
import { Failed, Loading } from "../../parts/states.js";
import { wordOf } from "../../parts/words.js";
import type { Node } from "./tree.js";
import type { Asset } from "./types.js";

const statuses = ["OPERATIONAL", "MAINTENANCE", "FAULTY", "FAILED", "REPLACED", "DECOMMISSIONED"].map((one) => [one, wordOf(one)] as const);

const fields: FieldSpec[] = [
  { name: "name", label: t`Name`, required: true },
  { name: "type", label: t`Type`, required: true },
  { name: "serialNumber", label: t`Serial number` },
  { name: "manufacturer", label: t`Manufacturer` },
  { name: "model", label: t`Model` },
  { name: "criticality", label: t`Criticality`, options: ["low", "medium", "high", "critical"] },
  { name: "status", label: t`Status`, kind: "choice", required: true, options: statuses },
  { name: "externalId", label: t`Id in another system` },
  { name: "installDate", label: t`Installed`, kind: "day" },
  { name: "lastMaintenanceDate", label: t`Last maintained`, kind: "day" },
  { name: "nextMaintenanceDate", label: t`Next maintenance`, kind: "day" },
  { name: "maintenanceInterval", label: t`Maintenance interval` },
  { name: "maintenanceRequirements", label: t`Maintenance requirements`, kind: "long" },
  { name: "description", label: t`Description`, kind: "long" },
  { name: "notes", label: t`Notes`, kind: "long" },
];

interface Props {
  onClose: () => void;
  onChanged: (inside?: string) => Promise<void>;
}

export function NewComponent({ asset, node, onClose, onChanged }: Props & { asset: Asset; node?: Node }) {
  const site = useSite();
  const create = useChange(CreateComponent);
  const [parentId, setParentId] = useState<string>();
  return (
    <RecordForm<{ name: string; type: string }>
      title={t`New component`}
      verb={t`Add component`}
      fields={() => fields}
      initial={{ status: "OPERATIONAL" }}
      site={() => site}
      change={create}
      onSave={async (input) => {
        const made = await create.run({ input: { ...input, assetId: asset.id, parentId } }, t`${input.name} added`);
        if (made) void onChanged(parentId);
        return made;
      }}
      onClose={onClose}
    >
      {node && (
        <Select label={t`Place`} value={parentId ?? ""} onChange={(event) => setParentId(event.target.value || undefined)}>
          <option value="">{t`${asset.name}, top level`}</option>
          <option value={node.id}>{t`In ${node.name}`}</option>
        </Select>
      )}
    </RecordForm>
  );
}

export function EditComponent({ node, onClose, onChanged }: Props & { node: Node }) {
  const site = useSite();
  const update = useChange(UpdateComponent);
  const [{ data, error, fetching }, retry] = useQuery({
    query: ComponentToEdit,
    variables: { id: node.id },
    requestPolicy: "network-only",
  });
  const component = data?.component;
  if (!component)
    return (
      <Dialog title={t`Edit ${node.name}`} onClose={onClose}>
        <div className="dialog-body">{fetching ? <Loading /> : <Failed error={error} />}</div>
      </Dialog>
    );
  return (
    <RecordForm<UpdateComponentMutationVariables["input"]>
      title={t`Edit ${component.name}`}
      fields={() => fields}
      record={component}
      site={() => site}
      change={update}
      onSave={async (input, expectedVersion) => {
        const done = await update.run({ id: node.id, expectedVersion, input }, t`Saved`);
        if (done) void onChanged();
        else retry({ requestPolicy: "network-only" });
        return done;
      }}
      onClose={onClose}
    />
  );
}
