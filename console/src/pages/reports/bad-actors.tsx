/** Positions that eat units, and units that fail everywhere. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { explanations } from "../../parts/explanation.js";
import { count, figure } from "../../parts/words.js";
import { Report } from "./report.js";
import type { Figures } from "./use-figures.js";

type Actor = NonNullable<Figures["badActors"]>[number];

const kindOf = ({ component }: Actor) =>
  component ? t({ context: "bad actor", message: "Position" }) : t({ context: "serialised item", message: "Unit" });
const nameOf = ({ component, unit }: Actor) =>
  component ? [component.asset?.name, component.name].filter(Boolean).join(" · ") : (unit?.serialNumber ?? "–");
const itemOf = ({ part, manufacturer, model }: Actor) => part?.name ?? [manufacturer, model].filter(Boolean).join(" ");

export function BadActors({ actors }: { actors: Actor[] }) {
  return (
    <Report
      title={t`Bad actors`}
      explanation={explanations.badActors}
      isEmpty={!actors.length}
      empty={t`No position and no unit failed more often than the others`}
      rows={[
        [t`Name`, t`Kind`, t`Part`, t`Failures`, t`Expected`, t`Hours`, t`Probability`],
        ...actors.map((one) => [nameOf(one), kindOf(one), itemOf(one), one.failures, one.expectedFailures, one.hours, one.probability]),
      ]}
    >
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th scope="col">{t`Name`}</th>
              <th scope="col">{t`Kind`}</th>
              <th scope="col">{t`Part`}</th>
              <th scope="col" className="right">
                {t`Failures`}
              </th>
              <th scope="col" className="right">
                {t`Expected`}
              </th>
              <th scope="col" className="right">
                {t`Hours`}
              </th>
            </tr>
          </thead>
          <tbody>
            {actors.map((one) => (
              <tr key={`${one.component?.id ?? one.unit?.id} ${itemOf(one)}`}>
                <td>
                  {one.component ? (
                    <Link className="title" to="/component/$id" params={{ id: one.component.id }}>
                      {nameOf(one)}
                    </Link>
                  ) : (
                    one.unit && (
                      <Link className="title mono" to="/units/$id" params={{ id: one.unit.id }}>
                        {nameOf(one)}
                      </Link>
                    )
                  )}
                </td>
                <td>{kindOf(one)}</td>
                <td>{itemOf(one)}</td>
                <td className="right">{count(one.failures)}</td>
                <td className="right">{figure(one.expectedFailures)}</td>
                <td className="right">{figure(one.hours, "h")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Report>
  );
}
