/** Exchanges the unit of a component, installs the first one, or removes it. The serial number is typed or scanned. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import type { RemovalReason } from "../../../../packages/client/src/generated/schema.js";
import { ExchangeUnit } from "../../generated/units.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextArea, TextField } from "../../parts/field.js";
import { ScanButton } from "../../parts/scan-button.js";
import { recordOn } from "../../parts/scanned.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { moment } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { KnownChoice } from "./known-choice.js";
import { useKnownUnits } from "./known-units.js";
import { instantOf, MomentField } from "./moment-field.js";
import { OrderSelect } from "./order-select.js";
import { ReasonSelect } from "./reasons.js";
import type { Installation, Position } from "./types.js";

export type Exchange = "exchange" | "install" | "remove";

interface Props {
  position: Position;
  /** The installation of the unit that comes out. */
  present: Installation | undefined;
  kind: Exchange;
  onClose: () => void;
  onDone: () => void;
}

export function ExchangeDialog({ position, present, kind, onClose, onDone }: Props) {
  const exchange = useChange(ExchangeUnit, { onRefused: onDone });
  const site = position.asset?.site;
  const [version] = useState(position.version);
  const [serial, setSerial] = useState("");
  const [unscanned, setUnscanned] = useState<string>();
  const [picked, setPicked] = useState<string>();
  const [manufacturer, setManufacturer] = useState("");
  const [model, setModel] = useState("");
  const [reason, setReason] = useState("");
  const [at, setAt] = useState("");
  const [workOrderId, setWorkOrderId] = useState("");
  const [notes, setNotes] = useState("");
  const [stays, setStays] = useState(false);
  const goesIn = kind !== "remove";
  const { serialNumber, units, isFound, findAgain } = useKnownUnits(serial, goesIn);
  const free = units.filter(({ whereabouts }) => whereabouts && !["INSTALLED", "SCRAPPED"].includes(whereabouts.state));
  const chosen = picked ?? (free.length === 1 ? free[0]!.id : undefined);
  const isHere = serialNumber !== "" && serialNumber === present?.unit.serialNumber && !chosen;
  const { wrong, error, isBusy } = exchange;
  const title = { exchange: t`Exchange unit`, install: t`Install unit`, remove: t`Remove unit` }[kind];

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const typed = { serialNumber, manufacturer: manufacturer.trim() || undefined, model: model.trim() || undefined };
    const input = {
      componentId: position.id,
      unit: goesIn ? (chosen ? { id: chosen } : typed) : undefined,
      reason: present && reason ? (reason as RemovalReason) : undefined,
      at: instantOf(at, site),
      workOrderId: workOrderId || undefined,
      notes: notes.trim() || undefined,
      withContents: stays ? false : undefined,
    };
    const done = {
      exchange: t`${serialNumber} is installed, ${present?.unit.serialNumber ?? ""} is removed`,
      install: t`${serialNumber} is installed`,
      remove: t`${present?.unit.serialNumber ?? ""} is removed`,
    }[kind];
    if (!(await exchange.run({ input, expectedVersion: version }, done))) return void findAgain({ requestPolicy: "network-only" });
    onClose();
    onDone();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">
          {[position.asset?.name, position.name].filter(Boolean).join(" › ")}
          {present && `: ${t`${present.unit.serialNumber} comes out`}`}
        </p>
        {goesIn && (
          <>
            <div className="scan-field">
              <TextField
                label={t`Serial number of the new unit`}
                required
                autoFocus
                autoComplete="off"
                value={serial}
                wrong={
                  unscanned ??
                  (isHere ? t`This unit is in the component already` : (wrong["unit.id"] ?? wrong["unit.serialNumber"] ?? wrong.unit))
                }
                onChange={(event) => {
                  setSerial(event.target.value);
                  setPicked(undefined);
                  setUnscanned(undefined);
                  exchange.forget();
                }}
              />
              <ScanButton
                onCode={(text) => {
                  setPicked(undefined);
                  exchange.forget();
                  const isLabel = recordOn(text) !== undefined;
                  setUnscanned(isLabel ? t`That was the label of a record. Scan the serial number of the unit.` : undefined);
                  if (!isLabel) setSerial(text.trim().slice(0, 200));
                }}
              />
            </div>
            {units.length > 0 && <KnownChoice units={units} chosen={chosen} onChoose={setPicked} />}
            {!chosen && (
              <div className="field-grid">
                <TextField
                  label={t`Manufacturer`}
                  value={manufacturer}
                  placeholder={position.manufacturer ?? undefined}
                  wrong={wrong["unit.manufacturer"]}
                  onChange={(event) => setManufacturer(event.target.value)}
                />
                <TextField
                  label={t`Model`}
                  value={model}
                  placeholder={position.model ?? undefined}
                  wrong={wrong["unit.model"]}
                  onChange={(event) => setModel(event.target.value)}
                />
              </div>
            )}
          </>
        )}
        {present && (
          <ReasonSelect
            label={t`Why ${present.unit.serialNumber} comes out`}
            isRequired
            value={reason}
            wrong={wrong.reason}
            onChange={setReason}
          />
        )}
        <MomentField
          label={t`When (default: now)`}
          hint={present && t`${present.unit.serialNumber} has been there since ${moment(present.startedAt, site)}`}
          value={at}
          wrong={wrong.at}
          onChange={setAt}
        />
        <OrderSelect assetId={position.asset?.id} value={workOrderId} wrong={wrong.workOrderId} onChange={setWorkOrderId} />
        {present && position.children.totalCount > 0 && (
          <label className="check">
            <input type="checkbox" checked={stays} onChange={(event) => setStays(event.target.checked)} />
            {t`Leave the components below it here. Otherwise they go along if units are installed in them.`}
          </label>
        )}
        <TextArea label={t`Notes`} rows={2} value={notes} wrong={wrong.notes} onChange={(event) => setNotes(event.target.value)} />
        <Refusal text={messageBeside(error, "unit", "reason", "at", "workOrderId", "notes")} />
        <ZoneNote site={site} />
        <DialogActions
          verb={title}
          isDisabled={isBusy || isHere || (goesIn && !(serialNumber && isFound)) || (!!present && !reason)}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
