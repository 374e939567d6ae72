import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { CalendarClock, ClipboardCheck, ListPlus } from "lucide-react";
import { OrderLines } from "../../parts/orders.js";
import { Empty } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { triggersInShort } from "../procedures/schedule-words.js";
import type { Asset } from "./types.js";

export function Work({ asset }: { asset: Asset }) {
  const { can } = useSession();
  const lists = [
    [t`Open`, t`No open work`, asset.open],
    [t`Finished`, t`No finished work`, asset.ended],
  ] as const;
  return (
    <div className="stack">
      {lists.map(([title, none, { nodes, totalCount }]) => (
        <section key={title} className="card" aria-label={title}>
          <header>
            <h2>{title}</h2>
            <span className="muted small">
              {totalCount > nodes.length ? t`The last ${nodes.length} of ${count(totalCount)}` : count(totalCount)}
            </span>
          </header>
          <div className="body flush">
            {nodes.length ? <OrderLines orders={nodes} withAsset={false} /> : <Empty icon={ClipboardCheck} title={none} />}
          </div>
        </section>
      ))}
      {can("procedures") && <Procedures asset={asset} />}
    </div>
  );
}

/** The procedures that cover the asset. */
function Procedures({ asset }: { asset: Asset }) {
  const { can } = useSession();
  const procedures = asset.procedures.filter(({ status }) => status !== "ARCHIVED");
  return (
    <section className="card" aria-labelledby="asset-procedures">
      <header>
        <h2 id="asset-procedures">{t`Procedures`}</h2>
        {can("createProcedure") && (
          <Link className="button small" to="/procedures/new" search={{ asset: asset.id }}>
            <ListPlus className="icon" aria-hidden />
            {t`New procedure`}
          </Link>
        )}
      </header>
      <div className="body flush">
        {procedures.length ? (
          <ul className="list" aria-labelledby="asset-procedures">
            {procedures.map((one) => (
              <li key={one.id} className="clickable">
                <div className="grow">
                  <Link className="title clip block" to="/procedures/$id" params={{ id: one.id }}>
                    {one.name}
                  </Link>
                  <div className="muted small clip">{triggersInShort(one)}</div>
                </div>
                {one.status !== "ACTIVE" && <Status value={one.status} />}
              </li>
            ))}
          </ul>
        ) : (
          <Empty icon={CalendarClock} title={t`No procedures`} />
        )}
      </div>
    </section>
  );
}
