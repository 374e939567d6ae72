import { t } from "@lingui/core/macro";
import { CreateSite } from "../../generated/set-up.js";
import { useChange } from "../../parts/change.js";
import { RecordForm } from "../../parts/record-form.js";
import type { FieldSpec } from "../../parts/record-values.js";
import { setZones } from "../../parts/zones.js";

const fields: FieldSpec[] = [
  { name: "name", label: t`Name`, required: true, hint: t`Assets and stock refer to this name. It cannot be changed later.` },
  { name: "code", label: t`Short code` },
  {
    name: "timeZone",
    label: t`Time zone`,
    required: true,
    hint: t`Such as Europe/Copenhagen`,
    options: Intl.supportedValuesOf("timeZone"),
  },
];

export function NewSite({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const create = useChange(CreateSite);
  return (
    <RecordForm<{ name: string }>
      title={t`New site`}
      verb={t`Create site`}
      fields={() => fields}
      initial={{ timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone }}
      change={create}
      onSave={async (input) => {
        const site = (await create.run({ input }, t`${input.name} created`))?.createSite;
        if (site) {
          setZones([site]);
          onMade();
        }
        return site;
      }}
      onClose={onClose}
    />
  );
}
