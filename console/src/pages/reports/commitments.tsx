/** Open amounts of orders by month and currency, with late ones and those without a date apart. */
import { t } from "@lingui/core/macro";
import type { CommitmentFragment } from "../../generated/purchase-figures.js";
import { explanations } from "../../parts/explanation.js";
import { amount, count, dayWord } from "../../parts/words.js";
import { Report } from "./report.js";

const dueOf = ({ month, isLate }: CommitmentFragment) =>
  isLate ? t`Late` : month ? dayWord(month, { month: "long", year: "numeric" }) : t`Without a date`;

export const Commitments = ({ rows }: { rows: CommitmentFragment[] }) => (
  <Report
    title={t`Open commitments`}
    explanation={explanations.commitments}
    isEmpty={!rows.length}
    empty={t`Nothing is on order`}
    rows={[
      [t`Due`, t`Lines`, t`Amount`, t`Currency`],
      ...rows.map((one) => [one.isLate ? t`Late` : one.month?.slice(0, 7), one.lines, one.amount, one.currency]),
    ]}
  >
    <div className="table-wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">{t`Due`}</th>
            <th scope="col" className="right">
              {t`Lines`}
            </th>
            <th scope="col" className="right">
              {t`Amount`}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={`${dueOf(one)} ${one.currency}`}>
              <td>{dueOf(one)}</td>
              <td className="right">{count(one.lines)}</td>
              <td className="right nowrap">{amount(one.amount, one.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Report>
);
