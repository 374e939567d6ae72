import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Package } from "lucide-react";
import { Empty } from "../../parts/states.js";
import { StockState } from "../../parts/status.js";
import { figure, unitWord } from "../../parts/words.js";
import type { Asset } from "./types.js";

export function Parts({ asset }: { asset: Asset }) {
  return (
    <section className="card" aria-label={t`Parts`}>
      {asset.parts.length ? (
        <div className="table-wrap">
          <table>
            <thead>
              <tr>
                <th>{t`Part`}</th>
                <th>{t`Number`}</th>
                <th>{t`Site`}</th>
                <th className="right">{t`On hand`}</th>
                <th className="right">{t`Available`}</th>
                <th>{t`Stock`}</th>
              </tr>
            </thead>
            <tbody>
              {asset.parts.flatMap((part) =>
                (part.stockLevels.length ? part.stockLevels : [undefined]).map((level, index) => (
                  <tr key={level?.id ?? part.id}>
                    <td className="strong">
                      {index === 0 && (
                        <Link className="title" to="/stock/$id" params={{ id: part.id }}>
                          {part.name}
                        </Link>
                      )}
                    </td>
                    <td className="mono muted">{index === 0 && part.partNumber}</td>
                    <td>{level?.site ?? "–"}</td>
                    <td className="right">{figure(level?.quantity)}</td>
                    <td className="right">
                      {figure(level?.availableStock)} <span className="muted small">{unitWord(part.unitOfMeasure)}</span>
                    </td>
                    <td>{level ? <StockState value={level.stockStatus} /> : <StockState value="OUT" />}</td>
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </div>
      ) : (
        <Empty icon={Package} title={t`No parts yet`}>
          {t`Parts that fit this asset are listed here with their stock.`}
        </Empty>
      )}
    </section>
  );
}
