/** Stock of a part at a site, with the actions on it. */
import { t } from "@lingui/core/macro";
import { ArrowLeftRight, ClipboardCheck, type LucideIcon, PackageMinus, PackagePlus, Pencil, SlidersHorizontal, Undo2 } from "lucide-react";
import { SiteContext } from "../../parts/site.js";
import { StockState } from "../../parts/status.js";
import { StepsChart } from "../../parts/steps-chart.js";
import { day, exact, unitWord } from "../../parts/words.js";
import type { Field } from "../../session/fields.js";
import { useSession } from "../../session/session.js";
import type { Batch, Movement, Part } from "./types.js";

type Level = Part["stockLevels"][number];

const moves: [Movement, string, LucideIcon, Field][] = [
  ["receive", t`Receive`, PackagePlus, "receiveStock"],
  ["issue", t`Issue`, PackageMinus, "issueStock"],
  ["return", t`Return`, Undo2, "returnStock"],
  ["transfer", t`Transfer`, ArrowLeftRight, "transferStock"],
  ["count", t`Count`, ClipboardCheck, "adjustStock"],
  ["adjust", t`Adjust`, SlidersHorizontal, "adjustStock"],
];

const shownIfAny = (figures: [string, number][]) => figures.filter(([, value]) => value > 0);

interface Props {
  part: Part;
  level: Level;
  batches: Batch[];
  onMove: (kind: Movement) => void;
  onEdit: () => void;
}

export function LevelCard({ part, level, batches, onMove, onEdit }: Props) {
  const { can, sites } = useSession();
  const isOwn = !sites.length || sites.includes(level.site);
  const unit = unitWord(part.unitOfMeasure);
  const figures: [string, number | null][] = [
    [t`On hand`, level.quantity],
    [t`Available`, level.availableStock],
    ...shownIfAny([
      [t`Reserved`, level.reservedStock],
      [t`Waiting for approval`, level.blockedStock],
      [t`Expired`, level.expiredStock],
    ]),
    [t`On order`, level.onOrder],
    [t`Reorder at`, level.reorderPoint],
  ];
  const limits = [
    level.location && t`Bin ${level.location}`,
    level.minimumStock != null && t`minimum ${exact(level.minimumStock)}`,
    level.maximumStock != null && t`maximum ${exact(level.maximumStock)}`,
  ].filter(Boolean);
  return (
    <section className="card" aria-label={t`Stock at ${level.site}`}>
      <header>
        <h2>{level.site}</h2>
        <span className="row">
          <StockState value={level.stockStatus} />
          {isOwn && can("updateInventory") && (
            <button
              type="button"
              className="button plain small icon-only"
              aria-label={t`Edit the stock level at ${level.site}`}
              onClick={onEdit}
            >
              <Pencil className="icon" aria-hidden />
            </button>
          )}
        </span>
      </header>
      <div className="body stack">
        <div className="row wrap" style={{ gap: 24, alignItems: "flex-end" }}>
          {figures.map(([label, value]) => (
            <div key={label}>
              <div className="big num">
                {exact(value)} <small className="muted">{value != null && unit}</small>
              </div>
              <div className="muted small">{label}</div>
            </div>
          ))}
        </div>
        {level.movements.nodes.length > 1 && (
          <SiteContext value={level.site}>
            <StepsChart
              label={t`Balance at ${level.site}`}
              unit={unit ? t`On hand, ${unit}` : t`On hand`}
              format={(value) => exact(value, unit)}
              limit={level.reorderPoint}
              points={level.movements.nodes.map(({ performedAt, newBalance }) => ({ at: performedAt, value: newBalance })).reverse()}
            />
          </SiteContext>
        )}
        {limits.length > 0 && <p className="muted small">{limits.join(" · ")}</p>}
        {batches.length > 0 && (
          <ul className="stack tight small" aria-label={t`Batches at ${level.site}`}>
            {batches.map(({ batchNumber, quantity, expiryDate }) => (
              <li key={batchNumber} className="row spread">
                <span className="mono">{batchNumber}</span>
                <span className="muted">
                  {exact(quantity, unit)}
                  {expiryDate && `, ${t`expires ${day(expiryDate, level.site)}`}`}
                </span>
              </li>
            ))}
          </ul>
        )}
        {isOwn && (
          <div className="row wrap">
            {moves
              .filter(([, , , needs]) => can(needs))
              .map(([kind, label, Icon]) => (
                <button key={kind} type="button" className="button small" onClick={() => onMove(kind)}>
                  <Icon className="icon" aria-hidden />
                  {label}
                </button>
              ))}
          </div>
        )}
      </div>
    </section>
  );
}
