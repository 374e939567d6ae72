/** Periods as a table, newest first. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { PencilLine } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Scrolled } from "../../parts/scrolled.js";
import { hours, moment, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { CorrectDialog } from "./correct.js";
import { type Period, type RecordedPeriod, siteOf, type UnitName } from "./types.js";

interface Props<Row extends RecordedPeriod> {
  label: string;
  periods: Row[];
  /** The first columns. */
  head: string[];
  cellsOf: (period: Row) => ReactNode[];
  unitOf: (period: Row) => UnitName;
  /** After a correction. */
  onDone: () => void;
}

export const lengthOf = ({ startedAt, endedAt }: Pick<Period, "startedAt" | "endedAt">): string =>
  hours(((endedAt ? +new Date(endedAt) : Date.now()) - +new Date(startedAt)) / 3_600_000);

export function PeriodTable<Row extends RecordedPeriod>({ label, periods, head, cellsOf, unitOf, onDone }: Props<Row>) {
  const { can } = useSession();
  const [corrected, setCorrected] = useState<Row>();
  return (
    <Scrolled label={label}>
      <table>
        <thead>
          <tr>
            {[...head, t`From`, t`Until`, t`Duration`, t`Why removed`, t`Work order`, t`Notes`].map((one) => (
              <th key={one} scope="col">
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {periods.map((period) => (
            <tr key={period.id}>
              {cellsOf(period).map((cell, index) => (
                <td key={head[index]}>{cell}</td>
              ))}
              <td className="nowrap">{moment(period.startedAt, siteOf(period))}</td>
              <td className="nowrap">{period.endedAt ? moment(period.endedAt, siteOf(period)) : t`now`}</td>
              <td className="num nowrap">{lengthOf(period)}</td>
              <td>{wordOf(period.removalReason)}</td>
              <td>
                {period.workOrder ? (
                  <Link to="/work/$id" params={{ id: period.workOrder.id }}>
                    {period.workOrder.title}
                  </Link>
                ) : (
                  "–"
                )}
              </td>
              <td className="said">
                {period.supplier && <span className="block">{t`Repaired by ${period.supplier}`}</span>}
                {period.notes}
                <Corrections period={period} />
                {period.component && can("correctInstallation") && (
                  <span className="block">
                    <button
                      type="button"
                      className="button small"
                      aria-haspopup="dialog"
                      aria-label={t`Correct the installation of ${unitOf(period).serialNumber}`}
                      onClick={() => setCorrected(period)}
                    >
                      <PencilLine className="icon" aria-hidden />
                      {t`Correct`}
                    </button>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {corrected && (
        <CorrectDialog installation={corrected} unit={unitOf(corrected)} onClose={() => setCorrected(undefined)} onDone={onDone} />
      )}
    </Scrolled>
  );
}

/** Former values of corrected installations. */
const Corrections = ({ period }: { period: RecordedPeriod }) =>
  period.corrections.map((one) => {
    const site = siteOf(period);
    const times = `${moment(one.startedAt, site)} – ${one.endedAt ? moment(one.endedAt, site) : t`now`}`;
    const former = [one.unit.serialNumber, times, one.removalReason && wordOf(one.removalReason)].filter(Boolean).join(", ");
    const person = one.recordedByPrincipal?.name ?? t`Somebody`;
    return (
      <span key={one.id} className="muted small block">
        {t`Corrected on ${moment(one.recordedAt, site)} by ${person}, before: ${former}`}
        {one.notes && <span className="block">{one.notes}</span>}
      </span>
    );
  });
