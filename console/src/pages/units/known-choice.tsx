/** Says which known units have a typed or scanned serial number, to choose the one that is meant. */
import { t } from "@lingui/core/macro";
import { useId } from "react";
import { moment } from "../../parts/words.js";
import { makerOf, siteOf, type UnitOfList } from "./types.js";
import { UnitState } from "./unit-state.js";

interface Props {
  units: UnitOfList[];
  /** Undefined for a unit that is not known yet. */
  chosen: string | undefined;
  onChoose: (id: string) => void;
  /** Not for an exchange: installed units can be chosen, and new ones cannot. */
  isOnlyKnown?: boolean;
}

export function KnownChoice({ units, chosen, onChoose, isOnlyKnown = false }: Props) {
  const name = useId();
  return (
    <fieldset className="known-units">
      <legend className="label">{t`Units with this serial number`}</legend>
      {units.map((unit) => (
        <label key={unit.id} className="check">
          <input
            type="radio"
            name={name}
            checked={chosen === unit.id}
            disabled={!isOnlyKnown && unit.whereabouts?.state === "INSTALLED"}
            onChange={() => onChoose(unit.id)}
          />
          <span className="stack tight">
            <span className="row wrap">
              <span className="strong anywhere">{[unit.serialNumber, makerOf(unit)].filter(Boolean).join(", ")}</span>
              {unit.whereabouts && <UnitState period={unit.whereabouts} />}
            </span>
            <span className="muted small anywhere">{placeText(unit)}</span>
            {!isOnlyKnown && unit.whereabouts?.state !== "INSTALLED" && unit.whereabouts?.condition === "UNSERVICEABLE" && (
              <span className="small">{t`Inspect it first. A manager can install it with notes.`}</span>
            )}
          </span>
        </label>
      ))}
      {!isOnlyKnown && (
        <label className="check">
          <input type="radio" name={name} checked={!chosen} onChange={() => onChoose("")} />
          {t`Another unit, told apart by its manufacturer`}
        </label>
      )}
    </fieldset>
  );
}

/** Where the unit is or was last. */
export function placeText({ whereabouts, periods }: UnitOfList): string {
  const last = whereabouts?.component ? whereabouts : periods.nodes[0];
  const place = [last?.component?.asset?.name, last?.component?.name].filter(Boolean).join(" › ");
  if (whereabouts?.component) return t`in ${place} since ${moment(whereabouts.startedAt, siteOf(whereabouts))}`;
  const since = moment(whereabouts?.startedAt, siteOf(whereabouts));
  return [whereabouts?.site, place ? t`removed from ${place}` : "", t`since ${since}`].filter(Boolean).join(" · ");
}
