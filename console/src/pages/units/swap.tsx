/** Swaps the units of two components, for example to see whether a fault follows the unit. The other unit is typed or scanned. */
import { t } from "@lingui/core/macro";
import { ArrowLeftRight } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { RemovalReason } from "../../../../packages/client/src/generated/schema.js";
import { SwapUnits } from "../../generated/units.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextArea, TextField } from "../../parts/field.js";
import { ScanButton } from "../../parts/scan-button.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { moment } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useSession } from "../../session/session.js";
import { KnownChoice } from "./known-choice.js";
import { useKnownUnits } from "./known-units.js";
import { instantOf, MomentField } from "./moment-field.js";
import { OrderSelect } from "./order-select.js";
import { ReasonSelect } from "./reasons.js";
import type { Period, UnitName } from "./types.js";

interface Props {
  component: NonNullable<Period["component"]>;
  unit: UnitName;
  since: string;
  onDone: () => void;
}

export function SwapButton(props: Props) {
  const { can } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!can("swapUnits")) return null;
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <ArrowLeftRight className="icon" aria-hidden />
        {t`Swap units`}
      </button>
      {isOpen && <SwapDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function SwapDialog({ component, unit, since, onClose, onDone }: Props & { onClose: () => void }) {
  const swap = useChange(SwapUnits, { onRefused: onDone });
  const site = component.asset?.site;
  const [serial, setSerial] = useState("");
  const [picked, setPicked] = useState<string>();
  const [reason, setReason] = useState("");
  const [at, setAt] = useState("");
  const [workOrderId, setWorkOrderId] = useState("");
  const [notes, setNotes] = useState("");
  const { serialNumber, isFound, ...known } = useKnownUnits(serial);
  const units = isFound ? known.units.filter(({ id, whereabouts }) => id !== unit.id && whereabouts?.component) : [];
  const chosen = units.find(({ id }) => id === picked) ?? (units.length === 1 ? units[0] : undefined);
  const other = chosen?.whereabouts?.component;
  const { wrong, error, isBusy } = swap;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      componentIds: [component.id, other!.id],
      reason: reason as RemovalReason,
      at: instantOf(at, site),
      workOrderId: workOrderId || undefined,
      notes: notes.trim() || undefined,
    };
    if (!(await swap.run({ input }, t`${unit.serialNumber} and ${chosen!.serialNumber} are swapped`))) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={t`Swap units`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">
          {[component.asset?.name, component.name].filter(Boolean).join(" › ")}: {unit.serialNumber}
        </p>
        <div className="scan-field">
          <TextField
            label={t`Serial number of the other unit`}
            required
            autoFocus
            autoComplete="off"
            value={serial}
            wrong={
              wrong.componentIds ?? (serialNumber && isFound && !units.length ? t`No other installed unit has this number` : undefined)
            }
            onChange={(event) => {
              setSerial(event.target.value);
              setPicked(undefined);
              swap.forget();
            }}
          />
          <ScanButton
            onCode={(text) => {
              setPicked(undefined);
              swap.forget();
              setSerial(text.trim().slice(0, 200));
            }}
          />
        </div>
        {units.length > 0 && <KnownChoice units={units} chosen={chosen?.id} onChoose={setPicked} isOnlyKnown />}
        <ReasonSelect label={t`Why they are swapped`} isRequired value={reason} wrong={wrong.reason} onChange={setReason} />
        <MomentField
          label={t`When (default: now)`}
          hint={t`${unit.serialNumber} has been there since ${moment(since, site)}`}
          value={at}
          wrong={wrong.at}
          onChange={setAt}
        />
        <OrderSelect assetId={component.asset?.id} value={workOrderId} wrong={wrong.workOrderId} onChange={setWorkOrderId} />
        <TextArea label={t`Notes`} rows={2} value={notes} wrong={wrong.notes} onChange={(event) => setNotes(event.target.value)} />
        <p className="muted small">{t`Both units keep their conditions. Neither needs an inspection.`}</p>
        <Refusal text={messageBeside(error, "componentIds", "reason", "at", "workOrderId", "notes")} />
        <ZoneNote site={site} />
        <DialogActions verb={t`Swap units`} isDisabled={isBusy || !other || !reason} onClose={onClose} />
      </form>
    </Dialog>
  );
}
