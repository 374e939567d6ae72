/** Asset history: the status as a strip, and each change with its old and new values. */
import { t } from "@lingui/core/macro";
import { History as HistoryIcon } from "lucide-react";
import { Empty } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { Strip } from "../../parts/strip.js";
import { moment, wordOf } from "../../parts/words.js";
import { spansOfAsset } from "./spans.js";
import type { Asset } from "./types.js";

const nameOf = (field: string) => wordOf(field.replaceAll(/([A-Z])/g, " $1"));
const dated = /^\d{4}-\d\d-\d\dT/;
function textOf(value: unknown, site: string): string {
  if (value === null || value === undefined || value === "") return t`nothing`;
  if (typeof value === "string") return dated.test(value) ? moment(value, site) : /^[A-Z_]{3,}$/.test(value) ? wordOf(value) : value;
  return JSON.stringify(value);
}

export function History({ asset, from }: { asset: Asset; from: Date }) {
  const now = new Date();
  return (
    <div className="stack">
      <section className="card" aria-labelledby="status-history">
        <header>
          <h2 id="status-history">{t`Status`}</h2>
        </header>
        <div className="body">
          <Strip spans={spansOfAsset(asset, from, now)} from={from} until={now} site={asset.site} label={t`Status`} />
        </div>
        <ul className="list">
          {asset.statusChanges.nodes.slice(0, 12).map(({ id, fromStatus, toStatus, changedAt, changedByPrincipal }) => (
            <li key={id}>
              <span className="row grow wrap">
                {fromStatus && <Status value={fromStatus} />}
                {fromStatus && <span className="muted">{t`to`}</span>}
                <Status value={toStatus} />
              </span>
              <span className="muted small">{changedByPrincipal?.name}</span>
              <span className="muted small nowrap">{moment(changedAt, asset.site)}</span>
            </li>
          ))}
        </ul>
      </section>
      <section className="card" aria-labelledby="changes">
        <header>
          <h2 id="changes">{t`Record changes`}</h2>
        </header>
        {asset.changes.nodes.length ? (
          <ul className="list">
            {asset.changes.nodes.map(({ id, kind, changedAt, source, fields }) => (
              <li key={id} style={{ alignItems: "flex-start" }}>
                <div className="grow stack tight">
                  <span className="strong">{wordOf(kind)}</span>
                  {kind === "UPDATED" &&
                    fields.map(({ field, before, after }) => (
                      <span key={field} className="small wraps">
                        <span className="muted">{nameOf(field)}:</span> <del className="muted">{textOf(before, asset.site)}</del> →{" "}
                        {textOf(after, asset.site)}
                      </span>
                    ))}
                </div>
                <span className="muted small">{wordOf(source)}</span>
                <span className="muted small nowrap">{moment(changedAt, asset.site)}</span>
              </li>
            ))}
          </ul>
        ) : (
          <Empty icon={HistoryIcon} title={t`No changes recorded yet`} />
        )}
      </section>
    </div>
  );
}
