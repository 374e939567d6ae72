/** Actions on a unit that is not installed: release after an inspection, also to stock, repair, scrapping, loss, and inspection of a unit that was found. */
import { t } from "@lingui/core/macro";
import { CircleCheck, type LucideIcon, PackageCheck, SearchCheck, SearchX, Trash2, Wrench } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { UnitCondition, UnitState } from "../../../../packages/client/src/generated/schema.js";
import { MoveUnit } from "../../generated/units.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextArea, TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { moment, numberOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useSession } from "../../session/session.js";
import { instantOf, MomentField } from "./moment-field.js";
import { ReleaseTerms } from "./release-terms.js";
import { type Period, siteOf, type Unit, type UnitName } from "./types.js";

interface Verb {
  label: string;
  icon: LucideIcon;
  to: { state: UnitState; condition?: UnitCondition };
  done: (serialNumber: string) => string;
  /** Said in the dialog. */
  consequence?: string;
}

const serviceable: Verb = {
  label: t`Serviceable`,
  icon: CircleCheck,
  to: { state: "REMOVED", condition: "SERVICEABLE" },
  done: (serialNumber) => t`${serialNumber} is serviceable`,
};
const release: Verb = {
  label: t`Release to stock`,
  icon: PackageCheck,
  to: { state: "IN_STOCK", condition: "SERVICEABLE" },
  done: (serialNumber) => t`${serialNumber} is in stock`,
};
const outOfStock = t`The value of the stock stays, because the unit is not in stock.`;
const repair: Verb = {
  label: t`Send to repair`,
  icon: Wrench,
  to: { state: "IN_REPAIR", condition: "UNSERVICEABLE" },
  done: (serialNumber) => t`${serialNumber} is in repair`,
  consequence: t`It cannot be installed until it is released.`,
};
const scrap: Verb = {
  label: t`Scrap`,
  icon: Trash2,
  to: { state: "SCRAPPED", condition: "UNSERVICEABLE" },
  done: (serialNumber) => t`${serialNumber} is scrapped`,
  consequence: outOfStock,
};
const lost: Verb = {
  label: t`Lost`,
  icon: SearchX,
  to: { state: "LOST" },
  done: (serialNumber) => t`${serialNumber} is lost`,
  consequence: outOfStock,
};
const inspect: Verb = {
  label: t`To inspection`,
  icon: SearchCheck,
  to: { state: "REMOVED", condition: "UNSERVICEABLE" },
  done: (serialNumber) => t`${serialNumber} is to be inspected`,
};

function verbsOf({ state, condition, site }: Pick<Period, "state" | "condition" | "site">, partId: string | null): Verb[] {
  const toStock = partId !== null && site !== null ? [release] : [];
  if (state === "REMOVED") return condition === "UNSERVICEABLE" ? [serviceable, repair, scrap, lost] : [...toStock, repair, scrap, lost];
  if (state === "IN_REPAIR") return [serviceable, ...toStock, scrap, lost];
  // The ledger moves what is in stock or in transit.
  return state === "INSTALLED" || state === "IN_STOCK" || state === "IN_TRANSIT" ? [] : [inspect];
}

interface Props {
  unit: UnitName & Pick<Unit, "partId">;
  present: Period | null;
  onDone: () => void;
}

export function UnitVerbs({ unit, present, onDone }: Props) {
  const { can } = useSession();
  const [asked, setAsked] = useState<Verb>();
  if (!present || !can("moveUnit")) return null;
  return (
    <>
      <span className="row wrap">
        {verbsOf(present, unit.partId).map((verb) => (
          <button key={verb.label} type="button" className="button small" aria-haspopup="dialog" onClick={() => setAsked(verb)}>
            <verb.icon className="icon" aria-hidden />
            {verb.label} <span className="hidden-text">{unit.serialNumber}</span>
          </button>
        ))}
      </span>
      {asked && <MoveDialog unit={unit} present={present} verb={asked} onClose={() => setAsked(undefined)} onDone={onDone} />}
    </>
  );
}

function MoveDialog({ unit, present, verb, onClose, onDone }: Props & { present: Period; verb: Verb; onClose: () => void }) {
  const move = useChange(MoveUnit, { onRefused: onDone });
  const site = siteOf(present);
  const [at, setAt] = useState("");
  const [notes, setNotes] = useState("");
  const [repairCost, setRepairCost] = useState("");
  const [supplier, setSupplier] = useState("");
  const { wrong, error, isBusy } = move;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      unitId: unit.id,
      ...verb.to,
      at: instantOf(at, site),
      notes: notes.trim() || undefined,
      supplier: supplier.trim() || undefined,
      repairCost: numberOf(repairCost),
    };
    if (!(await move.run({ input }, verb.done(unit.serialNumber)))) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={`${verb.label}: ${unit.serialNumber}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {verb.consequence && <p>{verb.consequence}</p>}
        {verb === release && (
          <ReleaseTerms
            partId={unit.partId!}
            serialNumber={unit.serialNumber}
            site={present.site!}
            repairCost={repairCost}
            wrong={wrong.repairCost}
            onRepairCost={setRepairCost}
          />
        )}
        {verb === repair && (
          <TextField
            label={t`Repaired by`}
            hint={t`Supplier or own workshop`}
            value={supplier}
            wrong={wrong.supplier}
            onChange={(event) => setSupplier(event.target.value)}
          />
        )}
        <TextArea label={t`Notes`} rows={3} value={notes} wrong={wrong.notes} onChange={(event) => setNotes(event.target.value)} />
        <MomentField
          label={t`When (default: now)`}
          hint={t`The last entry is of ${moment(present.startedAt, site)}`}
          value={at}
          wrong={wrong.at}
          onChange={setAt}
        />
        <Refusal text={messageBeside(error, "notes", "at", "repairCost", "supplier")} />
        <ZoneNote site={site} />
        <DialogActions verb={verb.label} isDisabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
