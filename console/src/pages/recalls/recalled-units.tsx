import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Status } from "../../parts/status.js";
import { moment } from "../../parts/words.js";
import { Place } from "../units/place.js";
import { UnitState } from "../units/unit-state.js";
import { placeOf, type RecalledUnit } from "./types.js";

/** Each unit with its place now, its place when it was located, its work order and its replacement. */
export const RecalledUnits = ({ units }: { units: RecalledUnit[] }) => (
  <ul className="list">
    {units.map(({ id, serialNumber, located, unit, workOrder, replacement }) => {
      const present = unit.whereabouts;
      const successor = replacement?.successor?.unit.serialNumber;
      const site = replacement?.installation.component?.asset?.site;
      const exchange = replacement && [
        successor ? t`replaced by ${successor}` : t`removed`,
        replacement.installation.endedAt && moment(replacement.installation.endedAt, site),
        replacement.removal?.recordedByPrincipal?.name,
      ];
      return (
        <li key={id} className="unit-line">
          <div className="grow stack tight">
            <span className="row wrap">
              <Link className="title mono anywhere" to="/units/$id" params={{ id: unit.id }}>
                {serialNumber}
              </Link>
              {present && <UnitState period={present} />}
            </span>
            {present && (
              <span className="anywhere">
                <Place period={present} />
              </span>
            )}
            {located && located.id !== present?.id && <span className="muted small anywhere">{t`found: ${placeOf(located)}`}</span>}
            {exchange && <span className="small anywhere">{exchange.filter(Boolean).join(" · ")}</span>}
          </div>
          {workOrder && (
            <span className="row wrap">
              <Link className="anywhere" to="/work/$id" params={{ id: workOrder.id }}>
                {workOrder.title}
              </Link>
              <Status value={workOrder.status} />
            </span>
          )}
        </li>
      );
    })}
  </ul>
);
