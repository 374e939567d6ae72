/** The plant: sites, areas and their assets. The selection is part of the URL. */
import { Link, Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { Bell, Factory, Search, SearchX } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { PlantPage, type PlantPageQuery } from "../../generated/plant.js";
import { useDraft, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, Loading } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, day, isOverdue, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Places } from "./places.js";

const pageSize = 50;
const statuses = ["OPERATIONAL", "MAINTENANCE", "OFFLINE", "PENDING", "DECOMMISSIONED"] as const;
const orders = {
  name: { field: "NAME" },
  status: { field: "STATUS", thenBy: { field: "NAME" } },
  criticality: { field: "CRITICALITY", thenBy: { field: "NAME" } },
  due: { field: "NEXT_MAINTENANCE_DATE" },
  changed: { field: "UPDATED_AT", direction: "DESC" },
} as const;
const orderWords = { name: "Name", status: "Status", criticality: "Criticality", due: "Next maintenance", changed: "Last changed" };

export type Asset = NonNullable<PlantPageQuery["assets"]>["nodes"][number];

/** A requester cannot read assets and starts with reports instead. */
export function Plant(): ReactNode {
  const { can } = useSession();
  return can("assets") ? <Assets /> : <Navigate to="/work" search={{ view: "requests" }} replace />;
}

function Assets(): ReactNode {
  const search = useSearch({ from: "/" });
  const { site, area, status, q, sort = "name" } = search;
  const navigate = useNavigate({ from: "/" });
  const choose = (change: Partial<typeof search>) =>
    void navigate({ search: (was) => ({ ...was, ...change }), replace: true, resetScroll: false });
  const [draft, setDraft] = useDraft(q ?? "", (text) => choose({ q: text || undefined }));
  useTitle("Plant");

  const place = { site, area, search: q };
  const list = JSON.stringify([place, status, sort]);
  const [page, setPage] = useState<{ list: string; after?: string | null }>({ list });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: PlantPage,
    variables: {
      scope: place,
      filter: { ...place, status },
      first: pageSize,
      after: page.list === list ? page.after : undefined,
      orderBy: orders[sort],
    },
  });

  const assets = data?.assets;
  const countOf = (one: string) => data?.assetGroups?.find((group) => group.status === one)?.count ?? 0;
  const isFiltered = !!(q || status || site);
  const chosen = data?.sites?.find(({ name }) => name === site);

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{area ?? chosen?.displayName ?? site ?? "Plant"}</h1>
          <p>{data ? `${count(assets?.totalCount ?? 0)} ${assets?.totalCount === 1 ? "asset" : "assets"}` : " "}</p>
        </div>
      </div>
      <div className="plant">
        <Places sites={data?.sites ?? []} site={site} area={area} onChoose={(next) => choose(next)} />
        <div>
          <search className="filters">
            <div className="with-icon">
              <Search className="icon" aria-hidden />
              <input
                className="input"
                type="search"
                placeholder="Filter by name, number, model …"
                aria-label="Filter assets"
                value={draft}
                onChange={(event) => setDraft(event.target.value)}
              />
            </div>
            <select
              className="input"
              aria-label="Sort by"
              value={sort}
              onChange={(event) => choose({ sort: event.target.value as keyof typeof orders })}
            >
              {Object.entries(orderWords).map(([value, word]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </select>
          </search>
          {/* biome-ignore lint/a11y/useSemanticElements: buttons that filter, not fields of a form */}
          <div className="chips" role="group" aria-label="Status" style={{ marginBottom: 14 }}>
            {statuses.map((one) => (
              <button
                key={one}
                type="button"
                className="chip"
                aria-pressed={status === one}
                onClick={() => choose({ status: status === one ? undefined : one })}
              >
                <Status value={one} />
                <span className="num">{data ? count(countOf(one)) : "–"}</span>
              </button>
            ))}
          </div>
          <section className="card" aria-label="Assets" aria-busy={fetching || stale}>
            {!assets && fetching && (
              <div className="body" style={{ paddingTop: 20 }}>
                <Loading lines={9} />
              </div>
            )}
            {!assets && error && <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />}
            {assets && !assets.nodes.length && (
              <Empty
                icon={isFiltered ? SearchX : Factory}
                title={isFiltered ? "No assets match these filters" : "No assets yet"}
                action={
                  isFiltered && (
                    <Link className="button" to="/">
                      Show all assets
                    </Link>
                  )
                }
              >
                {isFiltered ? "Try fewer words or another place." : "An administrator can import them from a CSV file."}
              </Empty>
            )}
            {assets && assets.nodes.length > 0 && (
              <ul className="list">
                {assets.nodes.map((asset) => (
                  <Row key={asset.id} asset={asset} withPlace={!area} />
                ))}
              </ul>
            )}
            {assets && (
              <More
                hasMore={assets.pageInfo.hasNextPage}
                isBusy={fetching || stale}
                onMore={() => setPage({ list, after: assets.pageInfo.endCursor })}
              />
            )}
          </section>
        </div>
      </div>
    </>
  );
}

function Row({ asset, withPlace }: { asset: Asset; withPlace: boolean }) {
  const { id, name, type, site, area, status, nextMaintenanceDate, photos, notifications } = asset;
  const alerts = notifications.totalCount;
  return (
    <li className="clickable asset-row">
      <span className="thumb" aria-hidden>
        {photos[0] ? <img src={photos[0].thumbnailUrl} alt="" loading="lazy" /> : <Factory className="icon" />}
      </span>
      <div className="grow">
        <Link className="title clip" to="/asset/$id" params={{ id }}>
          {name}
        </Link>
        <div className="muted small clip">{[wordOf(type), withPlace && `${site} · ${area}`].filter(Boolean).join(" · ")}</div>
      </div>
      <span className="due small">
        {alerts > 0 && (
          <span className="status warn" title={`Active alerts: ${alerts}`}>
            <Bell className="icon" aria-hidden />
            {alerts}
            <span className="hidden-text"> alerts</span>
          </span>
        )}
      </span>
      <span className="due small muted nowrap">
        {nextMaintenanceDate &&
          (isOverdue(nextMaintenanceDate) ? (
            <span className="status warn">Due {day(nextMaintenanceDate)}</span>
          ) : (
            `Due ${day(nextMaintenanceDate)}`
          ))}
      </span>
      <span className="state-cell">
        <Status value={status} />
      </span>
    </li>
  );
}
