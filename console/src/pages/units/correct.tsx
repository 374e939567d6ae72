/** Corrects an installation that was recorded wrongly. Only changed values are sent. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import type { RemovalReason } from "../../../../packages/client/src/generated/schema.js";
import { CorrectInstallation } from "../../generated/units.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextArea, TextField } from "../../parts/field.js";
import { ScanButton } from "../../parts/scan-button.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { KnownChoice } from "./known-choice.js";
import { useKnownUnits } from "./known-units.js";
import { instantOf, localText, MomentField } from "./moment-field.js";
import { ReasonSelect } from "./reasons.js";
import { type Period, siteOf, type UnitName } from "./types.js";

interface Props {
  installation: Period;
  unit: UnitName;
  onClose: () => void;
  onDone: () => void;
}

export function CorrectDialog({ installation, unit, onClose, onDone }: Props) {
  const correct = useChange(CorrectInstallation, { onRefused: onDone });
  const { startedAt, endedAt, removalReason, component } = installation;
  const site = siteOf(installation);
  const [startShown, endShown] = [localText(startedAt, site), endedAt ? localText(endedAt, site) : ""];
  const [start, setStart] = useState(startShown);
  const [end, setEnd] = useState(endShown);
  const [serial, setSerial] = useState(unit.serialNumber);
  const [picked, setPicked] = useState<string>();
  const [reason, setReason] = useState(removalReason ?? "");
  const [notes, setNotes] = useState("");
  const { serialNumber, isFound, ...known } = useKnownUnits(serial);
  const units = isFound ? known.units : [];
  const same = units.find(({ id }) => id === unit.id);
  const chosen = picked ?? same?.id ?? (units.length === 1 ? units[0]!.id : undefined);
  const { wrong, error, isBusy } = correct;
  const unitId = chosen === unit.id ? undefined : chosen;
  const isSame = !unitId && start === startShown && end === endShown && reason === (removalReason ?? "");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      periodId: installation.id,
      startedAt: start === startShown ? undefined : instantOf(start, site),
      endedAt: end === endShown ? undefined : instantOf(end, site),
      unitId,
      reason: reason && reason !== removalReason ? (reason as RemovalReason) : undefined,
      notes: notes.trim() || undefined,
    };
    if (!(await correct.run({ input }, t`The installation is corrected`))) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={t`Correct installation`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">
          {[component?.asset?.name, component?.name].filter(Boolean).join(" › ")}: {unit.serialNumber}
        </p>
        <div className="scan-field">
          <TextField
            label={t`Serial number of the unit that was installed`}
            required
            autoComplete="off"
            value={serial}
            wrong={wrong.unitId ?? (serialNumber && isFound && !units.length ? t`No unit has this number` : undefined)}
            onChange={(event) => {
              setSerial(event.target.value);
              setPicked(undefined);
              correct.forget();
            }}
          />
          <ScanButton
            onCode={(text) => {
              setPicked(undefined);
              setSerial(text.trim().slice(0, 200));
            }}
          />
        </div>
        {(units.length > 1 || unitId) && <KnownChoice units={units} chosen={chosen} onChoose={setPicked} isOnlyKnown />}
        <MomentField label={t`Installed`} required value={start} wrong={wrong.startedAt} onChange={setStart} />
        {endedAt && (
          <>
            <MomentField label={t({ context: "unit", message: "Removed" })} required value={end} wrong={wrong.endedAt} onChange={setEnd} />
            <ReasonSelect
              label={t`Why ${unit.serialNumber} came out`}
              isRequired={!!removalReason}
              value={reason}
              wrong={wrong.reason}
              onChange={setReason}
            />
          </>
        )}
        <TextArea
          label={t`Why it is corrected`}
          rows={2}
          value={notes}
          wrong={wrong.notes}
          onChange={(event) => setNotes(event.target.value)}
        />
        <p className="muted small">{t`Entries that ended or began at a changed time are corrected too. The former values stay visible.`}</p>
        <Refusal text={messageBeside(error, "unitId", "startedAt", "endedAt", "reason", "notes")} />
        <ZoneNote site={site} />
        <DialogActions verb={t`Correct`} isDisabled={isBusy || isSame || !isFound || !chosen} onClose={onClose} />
      </form>
    </Dialog>
  );
}
