/** Meter form: creates a meter of an asset, or edits or deletes one. */
import { t } from "@lingui/core/macro";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { CreateMeter, DeleteMeter, UpdateMeter } from "../../generated/meters.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { RecordForm } from "../../parts/record-form.js";
import type { FieldSpec } from "../../parts/record-values.js";
import { messageOf } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import type { Meter } from "./types.js";

type Kind = "RUN_HOURS" | "CYCLES" | "DISTANCE" | "OTHER";

const kinds = [
  ["RUN_HOURS", t`Run hours`],
  ["CYCLES", t`Cycles`],
  ["DISTANCE", t`Distance`],
  ["OTHER", t`Other`],
] as const;
const name: FieldSpec = { name: "name", label: t`Name`, required: true };
const rollover: FieldSpec = {
  name: "rolloverAt",
  label: t`Rolls over at`,
  kind: "number",
  hint: t`The reading at which the meter starts again from 0`,
};
const newFields: FieldSpec[] = [
  name,
  { name: "kind", label: t`What it counts`, kind: "choice", required: true, options: kinds },
  { name: "unit", label: t`Unit`, hint: t`Empty: the usual unit` },
  rollover,
];
const editFields = [name, rollover];

export function NewMeter({ assetId, onClose, onReload }: { assetId: string; onClose: () => void; onReload: () => void }) {
  const create = useChange(CreateMeter);
  return (
    <RecordForm<{ name: string; kind: Kind }>
      title={t`New meter`}
      verb={t`Create meter`}
      fields={() => newFields}
      initial={{ kind: "RUN_HOURS" }}
      change={create}
      onSave={(input) => create.run({ input: { ...input, assetId } }, t`${input.name} created`)}
      onClose={onClose}
      onReload={onReload}
    />
  );
}

/** Buttons that edit and delete a meter. */
export function MeterActions({ meter, onReload }: { meter: Meter; onReload: () => void }) {
  const { can } = useSession();
  const update = useChange(UpdateMeter);
  const remove = useChange(DeleteMeter);
  const [asked, setAsked] = useState<"edit" | "delete">();
  const close = () => setAsked(undefined);
  return (
    <>
      {can("updateMeter") && (
        <button type="button" className="button plain small icon-only" aria-label={t`Edit ${meter.name}`} onClick={() => setAsked("edit")}>
          <Pencil className="icon" aria-hidden />
        </button>
      )}
      {can("deleteMeter") && (
        <button
          type="button"
          className="button plain small icon-only"
          aria-label={t`Delete ${meter.name}`}
          onClick={() => setAsked("delete")}
        >
          <Trash2 className="icon" aria-hidden />
        </button>
      )}
      {asked === "edit" && (
        <RecordForm<object>
          title={t`Edit ${meter.name}`}
          fields={() => editFields}
          record={meter}
          change={update}
          onSave={(input, expectedVersion) => update.run({ id: meter.id, input, expectedVersion }, t`Saved`)}
          onClose={close}
          onReload={onReload}
        />
      )}
      {asked === "delete" && (
        <Confirm
          title={t`Delete ${meter.name}?`}
          text={t`Its readings are kept. Procedures are no longer due by it. It can be restored through the API.`}
          verb={t`Delete`}
          isBusy={remove.isBusy}
          refused={messageOf(remove.error)}
          onClose={close}
          onConfirm={async () => {
            if (await remove.run({ id: meter.id, expectedVersion: meter.version }, t`${meter.name} is deleted`)) close();
            onReload();
          }}
        />
      )}
    </>
  );
}
