/** Units without a part whose serial number units of parts have too, side by side. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { ResolveUnitConflict, type WorkshopQuery } from "../../generated/units.js";
import { useChange } from "../../parts/change.js";
import { Refusal } from "../../parts/states.js";
import { count } from "../../parts/words.js";
import { placeText } from "./known-choice.js";
import { makerOf, type UnitOfList } from "./types.js";
import { UnitState } from "./unit-state.js";

interface Props {
  list: WorkshopQuery["unitConflicts"];
  onDone: () => void;
}

export function Conflicts({ list, onDone }: Props) {
  const resolve = useChange(ResolveUnitConflict);
  if (!list?.nodes.length) return null;
  const decide = async (keepId: string, mergeId: string, distinct: boolean) => {
    if (await resolve.run({ input: { keepId, mergeId, distinct } }, distinct ? t`Listed no more` : t`Both are one unit now`)) onDone();
  };
  return (
    <section className="card" aria-label={t`Same serial number`} style={{ marginTop: 14 }}>
      <header>
        <h2>{t`Same serial number`}</h2>
        <span className="muted small num">{count(list.totalCount)}</span>
      </header>
      <Refusal text={resolve.error?.message} />
      <ul className="list">
        {list.nodes.flatMap((unit) =>
          unit.sameNumber.map((known) => (
            <li key={`${unit.id} ${known.id}`} className="unit-line">
              <div className="grow field-grid">
                <Side unit={unit} note={t`Known from a component`} />
                <Side unit={known} note={[known.part?.partNumber, known.part?.name].filter(Boolean).join(" · ")} />
              </div>
              <div className="row wrap">
                <button
                  type="button"
                  className="button"
                  disabled={resolve.isBusy}
                  onClick={() => void decide(known.id, unit.id, false)}
                >{t`Same unit`}</button>
                <button
                  type="button"
                  className="button"
                  disabled={resolve.isBusy}
                  onClick={() => void decide(known.id, unit.id, true)}
                >{t`Different units`}</button>
              </div>
            </li>
          )),
        )}
      </ul>
    </section>
  );
}

const Side = ({ unit, note }: { unit: UnitOfList; note: string }) => (
  <div className="stack tight">
    <span className="row wrap">
      <Link className="title mono anywhere" to="/units/$id" params={{ id: unit.id }}>
        {unit.serialNumber}
      </Link>
      {unit.whereabouts && <UnitState period={unit.whereabouts} />}
    </span>
    <span className="muted small anywhere">{[note, makerOf(unit)].filter(Boolean).join(" · ")}</span>
    <span className="muted small anywhere">{placeText(unit)}</span>
  </div>
);
