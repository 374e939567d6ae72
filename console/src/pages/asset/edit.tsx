/** Asset form: creates an asset, or edits one. */
import { t } from "@lingui/core/macro";
import { CreateAsset, UpdateAsset, type UpdateAssetMutationVariables } from "../../generated/edit.js";
import { useChange } from "../../parts/change.js";
import { usePlaces } from "../../parts/places.js";
import { RecordForm } from "../../parts/record-form.js";
import type { FieldSpec, Values } from "../../parts/record-values.js";
import { wordOf } from "../../parts/words.js";
import type { Asset } from "./types.js";

const statuses = ["OPERATIONAL", "MAINTENANCE", "OFFLINE", "PENDING", "DECOMMISSIONED"].map((one) => [one, wordOf(one)] as const);
const rated = ["low", "medium", "high", "critical"];

const fieldsOf = (sites: string[], areas: string[]): FieldSpec[] => [
  { name: "name", label: t`Name`, required: true },
  { name: "type", label: t`Type`, required: true },
  { name: "site", label: t`Site`, keepsEmpty: true, options: sites },
  { name: "area", label: t`Area`, keepsEmpty: true, options: areas },
  { name: "location", label: t`Location` },
  { name: "serialNumber", label: t`Serial number` },
  { name: "manufacturer", label: t`Manufacturer` },
  { name: "model", label: t`Model` },
  { name: "category", label: t`Category` },
  { name: "criticality", label: t`Criticality`, options: rated },
  { name: "externalId", label: t`Id in another system` },
  { name: "status", label: t`Status`, kind: "choice", required: true, options: statuses },
  { name: "installationDate", label: t`Installed`, kind: "day" },
  { name: "lastMaintenanceDate", label: t`Last maintained`, kind: "day" },
  { name: "nextMaintenanceDate", label: t`Next maintenance`, kind: "day" },
  { name: "historyCompleteSince", label: t`Downtimes recorded since`, kind: "day" },
  { name: "description", label: t`Description`, kind: "long" },
  { name: "customFields", label: t`More fields`, kind: "pairs" },
];

function useFields(): (values: Values) => FieldSpec[] {
  const sites = usePlaces();
  return ({ site }) =>
    fieldsOf(
      sites.map(({ name }) => name),
      sites.find(({ name }) => name === site)?.areas.map(({ name }) => name) ?? [],
    );
}
const siteOf = ({ site }: Values) => site;

interface EditProps {
  asset: Asset;
  onClose: () => void;
  /** Reloads the asset. */
  onReload: () => void;
}

export function EditAsset({ asset, onClose, onReload }: EditProps) {
  const update = useChange(UpdateAsset);
  return (
    <RecordForm<UpdateAssetMutationVariables["input"]>
      title={t`Edit ${asset.name}`}
      fields={useFields()}
      record={asset}
      site={siteOf}
      change={update}
      onSave={(input, expectedVersion) => update.run({ id: asset.id, expectedVersion: expectedVersion!, input }, t`Saved`)}
      onClose={onClose}
      onReload={onReload}
    />
  );
}

interface NewProps {
  site?: string;
  area?: string;
  onClose: () => void;
  onMade: (id: string) => void;
}

export function NewAsset({ site = "", area = "", onClose, onMade }: NewProps) {
  const create = useChange(CreateAsset);
  return (
    <RecordForm<{ name: string; type: string }>
      title={t`New asset`}
      verb={t`Create asset`}
      fields={useFields()}
      initial={{ site, area, status: "OPERATIONAL" }}
      site={siteOf}
      change={create}
      onSave={async (input) => {
        const made = (await create.run({ input }, t`${input.name} created`))?.createAsset;
        if (made) onMade(made.id);
        return made;
      }}
      onClose={onClose}
    />
  );
}
