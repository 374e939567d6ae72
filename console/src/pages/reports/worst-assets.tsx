/** Assets with the longest downtime. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { explanations } from "../../parts/explanation.js";
import { figure, hours, percent } from "../../parts/words.js";
import { Report } from "./report.js";
import type { Reliability } from "./use-figures.js";

export function WorstAssets({ assets }: { assets: NonNullable<Reliability["worstAssets"]> }) {
  return (
    <Report
      title={t`Assets with most downtime`}
      explanation={explanations.availability}
      isEmpty={!assets.length}
      rows={[
        [t`Asset`, t`Site`, t`Area`, t`Failures`, t`Downtime h`, t`Availability %`, t`MTTR h`],
        ...assets.map((one) => [one.asset.name, one.asset.site, one.asset.area, one.failures, one.downtime, one.availability, one.mttr]),
      ]}
    >
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th scope="col">{t`Asset`}</th>
              <th scope="col">{t`Site`}</th>
              <th scope="col" className="right">
                {t`Failures`}
              </th>
              <th scope="col" className="right">
                {t`Downtime`}
              </th>
              <th scope="col" className="right">
                {t`Availability`}
              </th>
              <th scope="col" className="right">
                {t`To restore`}
              </th>
            </tr>
          </thead>
          <tbody>
            {assets.map((one) => (
              <tr key={one.assetId}>
                <td>
                  <Link className="title" to="/asset/$id" params={{ id: one.assetId }} search={{ tab: "reliability" }}>
                    {one.asset.name}
                  </Link>
                </td>
                <td>{one.asset.site}</td>
                <td className="right">{figure(one.failures)}</td>
                <td className="right">{hours(one.downtime)}</td>
                <td className="right">{percent(one.availability)}</td>
                <td className="right">{hours(one.mttr)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Report>
  );
}
