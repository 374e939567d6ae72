import { ClipboardCheck } from "lucide-react";
import { OrderLines } from "../../parts/orders.js";
import { Empty } from "../../parts/states.js";
import { count } from "../../parts/words.js";
import type { Asset } from "./types.js";

export function Work({ asset }: { asset: Asset }) {
  const lists = [
    ["Open", asset.open],
    ["Finished", asset.ended],
  ] as const;
  return (
    <div className="stack">
      {lists.map(([title, { nodes, totalCount }]) => (
        <section key={title} className="card" aria-label={title}>
          <header>
            <h2>{title}</h2>
            <span className="muted small">
              {totalCount > nodes.length ? `The last ${nodes.length} of ${count(totalCount)}` : count(totalCount)}
            </span>
          </header>
          <div className="body flush">
            {nodes.length ? (
              <OrderLines orders={nodes} withAsset={false} />
            ) : (
              <Empty icon={ClipboardCheck} title={`No ${title.toLowerCase()} work`} />
            )}
          </div>
        </section>
      ))}
    </div>
  );
}
