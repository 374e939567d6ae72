/** Figures of purchasing: suppliers, commitments, spend by category, and stock-outs of critical parts. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import type { PurchaseFiguresQuery } from "../../generated/purchase-figures.js";
import { explanations } from "../../parts/explanation.js";
import { count, exact, figure, money, percent } from "../../parts/words.js";
import { Commitments } from "./commitments.js";
import { Report, Shares } from "./report.js";

interface Props {
  data: PurchaseFiguresQuery;
  currency: string | null | undefined;
}

export function PurchaseFigures({ data, currency }: Props) {
  const { purchaseSpend: spend, purchaseCommitments: commitments } = data;
  return (
    <>
      <Suppliers rows={data.supplierPerformance ?? []} currency={currency} />
      <div className="grid-2">
        <Report
          title={t`Spend by category`}
          explanation={explanations.spend}
          isEmpty={!spend?.length}
          rows={[
            [t`Category`, t`Parts`, t`Services`, t`Total`, t`Currency`],
            ...(spend ?? []).map((one) => [one.category, one.parts, one.services, one.total, currency]),
          ]}
        >
          <Shares
            rows={(spend ?? []).map((one) => ({
              id: one.category ?? "",
              label: one.category ?? t`Services and parts without a category`,
              value: one.total,
              shown: money(one.total, currency),
            }))}
            whole={(spend ?? []).reduce((sum, { total }) => sum + total, 0)}
          />
        </Report>
        <Commitments rows={commitments ?? []} />
      </div>
      <Stockouts rows={data.criticalStockouts ?? []} />
    </>
  );
}

function Suppliers({ rows, currency }: { rows: NonNullable<PurchaseFiguresQuery["supplierPerformance"]>; currency: Props["currency"] }) {
  return (
    <Report
      title={t`Suppliers`}
      explanation={explanations.onTimeInFull}
      isEmpty={!rows.length}
      rows={[
        [t`Supplier`, t`Lines due`, t`On time in full`, t`On time in full %`, t`Lead time d`, t`90 % within d`, t`Spend`, t`Currency`],
        ...rows.map((one) => [
          one.supplier.name,
          one.linesDue,
          one.linesOnTimeInFull,
          one.onTimeInFull,
          one.medianLeadTime,
          one.leadTimeP90,
          one.spend,
          currency,
        ]),
      ]}
    >
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th scope="col">{t`Supplier`}</th>
              {[t`Lines due`, t`On time in full`, t`Lead time`, t`90 % within`, t`Spend`].map((label) => (
                <th key={label} scope="col" className="right">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={one.supplier.id}>
                <td>
                  <Link className="title" to="/suppliers/$id" params={{ id: one.supplier.id }}>
                    {one.supplier.name}
                  </Link>
                </td>
                <td className="right">{count(one.linesDue)}</td>
                <td className="right">{percent(one.onTimeInFull)}</td>
                <td className="right">{figure(one.medianLeadTime, "d")}</td>
                <td className="right">{figure(one.leadTimeP90, "d")}</td>
                <td className="right">{money(one.spend, currency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Report>
  );
}

const Stockouts = ({ rows }: { rows: NonNullable<PurchaseFiguresQuery["criticalStockouts"]> }) => (
  <Report
    title={t`Stock-outs of critical parts`}
    explanation={explanations.stockouts}
    isEmpty={!rows.length}
    empty={t`No critical part was out of stock`}
    rows={[
      [t`Part`, t`Site`, t`Days without stock`, t`Stock-outs`, t`Out of stock`],
      ...rows.map((one) => [one.part.name, one.site, one.days, one.stockouts, one.isOut ? t`Yes` : t`No`]),
    ]}
  >
    <div className="table-wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">{t`Part`}</th>
            <th scope="col">{t`Site`}</th>
            <th scope="col" className="right">
              {t`Days without stock`}
            </th>
            <th scope="col" className="right">
              {t`Stock-outs`}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={`${one.part.id} ${one.site}`}>
              <td>
                <Link className="title" to="/stock/$id" params={{ id: one.part.id }}>
                  {one.part.name}
                </Link>
              </td>
              <td>{one.site}</td>
              <td className="right">{exact(one.days)}</td>
              <td className="right">{count(one.stockouts)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Report>
);
