/** The assets of a procedure, each with its own dates. Managers add and remove all but its own asset. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { ListPlus, X } from "lucide-react";
import { useState } from "react";
import { RemoveAssets } from "../../generated/covered.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { messageOf } from "../../parts/states.js";
import { count, day } from "../../parts/words.js";
import { isOverdue } from "../../parts/zones.js";
import { useSession } from "../../session/session.js";
import { AddAssetsDialog } from "./add-assets.js";
import type { CoveredAsset, Procedure } from "./types.js";

/** Assets shown before the user asks for more. */
const fewest = 10;

export function CoveredAssets({ procedure }: { procedure: Procedure }) {
  const { can } = useSession();
  const remove = useChange(RemoveAssets);
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<CoveredAsset>();
  const [isAll, setAll] = useState(false);
  const { id, name, assets, status, assetId: ownId } = procedure;
  const close = () => {
    remove.forget();
    setRemoved(undefined);
  };
  const confirm = async () => {
    if (await remove.run({ procedureId: id, assetIds: [removed!.assetId] }, t`Asset removed`)) close();
  };
  return (
    <section className="card" aria-labelledby="covered-assets">
      <header>
        <h2 id="covered-assets">{t`Assets`}</h2>
        {can("addProcedureAssets") && (
          <button type="button" className="button small" onClick={() => setAdding(true)}>
            <ListPlus className="icon" aria-hidden />
            {t`Add assets`}
          </button>
        )}
      </header>
      <div className="body flush">
        <ul className="list" aria-labelledby="covered-assets">
          {assets.slice(0, isAll ? undefined : fewest).map((one) => (
            <AssetLine
              key={one.assetId}
              covered={one}
              isLive={status === "ACTIVE"}
              onRemove={can("removeProcedureAssets") && one.assetId !== ownId ? () => setRemoved(one) : undefined}
            />
          ))}
        </ul>
        {!isAll && assets.length > fewest && (
          <div className="state" style={{ padding: 12 }}>
            <button type="button" className="button small" style={{ marginTop: 0 }} onClick={() => setAll(true)}>
              {t`Show all ${count(assets.length)}`}
            </button>
          </div>
        )}
      </div>
      {isAdding && <AddAssetsDialog procedure={procedure} onClose={() => setAdding(false)} />}
      {removed && (
        <Confirm
          title={t`Remove ${removed.asset?.name ?? t`the deleted asset`}?`}
          text={t`${name} creates no more work orders for it. Its work orders are kept.`}
          verb={t`Remove`}
          isBusy={remove.isBusy}
          refused={messageOf(remove.error)}
          onConfirm={() => void confirm()}
          onClose={close}
        />
      )}
    </section>
  );
}

interface LineProps {
  covered: CoveredAsset;
  isLive: boolean;
  onRemove?: () => void;
}

function AssetLine({ covered, isLive, onRemove }: LineProps) {
  const { assetId, asset, nextDue, lastExecuted, pendingWorkOrder } = covered;
  const site = asset?.site;
  return (
    <li>
      <div className="grow">
        {asset ? (
          <Link className="title clip block" to="/asset/$id" params={{ id: assetId }} search={{ tab: "work" }}>
            {asset.name}
          </Link>
        ) : (
          <span className="muted">{t`Deleted asset`}</span>
        )}
        <div className="muted small clip">
          {[site, asset?.area, lastExecuted && t`Last done ${day(lastExecuted, site)}`].filter(Boolean).join(" · ")}
        </div>
      </div>
      <span className="small right">
        {pendingWorkOrder ? (
          <Link to="/work/$id" params={{ id: pendingWorkOrder.id }}>
            {t`Open work order`}
          </Link>
        ) : isLive && nextDue && isOverdue(nextDue, site) ? (
          <span className="status warn">{t`Due ${day(nextDue, site)}`}</span>
        ) : (
          <span className="muted nowrap">{nextDue ? t`Due ${day(nextDue, site)}` : t`No date`}</span>
        )}
      </span>
      {onRemove && (
        <button
          type="button"
          className="button plain small icon-only"
          aria-label={t`Remove ${asset?.name ?? t`the deleted asset`}`}
          onClick={onRemove}
        >
          <X className="icon" aria-hidden />
        </button>
      )}
    </li>
  );
}
