/** The plant: sites, areas and their assets. The selection is part of the URL. */
import { plural, t } from "@lingui/core/macro";
import { Link, Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { Bell, Factory, Plus, QrCode, SearchX } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { PlantPage, type PlantPageQuery } from "../../generated/plant.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { useCursor, useDraft, useTitle } from "../../parts/hooks.js";
import { type ItemProps, LongList } from "../../parts/long-list.js";
import { More } from "../../parts/more.js";
import { SearchField } from "../../parts/search-field.js";
import { Empty, Failed, Loading } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, day, wordOf } from "../../parts/words.js";
import { isOverdue } from "../../parts/zones.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { NewAsset } from "../asset/edit.js";
import { Places } from "./places.js";

/** Later pages are larger, because the cache reads the whole list after each. */
const pageSize = 50;
const laterPageSize = 200;
const statuses = ["OPERATIONAL", "MAINTENANCE", "OFFLINE", "PENDING", "DECOMMISSIONED"] as const;
const orders = {
  name: { field: "NAME" },
  status: { field: "STATUS", thenBy: { field: "NAME" } },
  criticality: { field: "CRITICALITY", thenBy: { field: "NAME" } },
  due: { field: "NEXT_MAINTENANCE_DATE" },
  changed: { field: "UPDATED_AT", direction: "DESC" },
} as const;
const orderWords = { name: t`Name`, status: t`Status`, criticality: t`Criticality`, due: t`Next maintenance`, changed: t`Last changed` };

export type Asset = NonNullable<PlantPageQuery["assets"]>["nodes"][number];

/** A requester cannot read assets and starts with reports instead. */
export function Plant(): ReactNode {
  const { can } = useSession();
  return can("assets") ? <Assets /> : <Navigate to="/work" search={{ view: "requests" }} replace />;
}

function Assets(): ReactNode {
  const search = useSearch({ from: "/plant" });
  const { can } = useSession();
  const [isMaking, setMaking] = useState(false);
  const { site, area, status, q, sort = "name" } = search;
  const navigate = useNavigate({ from: "/plant" });
  const choose = (change: Partial<typeof search>) =>
    void navigate({ search: (was) => ({ ...was, ...change }), replace: true, resetScroll: false });
  const [draft, setDraft] = useDraft(q ?? "", (text) => choose({ q: text || undefined }));
  useTitle(t`Plant`);

  const place = { site, area, search: q };
  const list = JSON.stringify([place, status, sort]);
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: PlantPage,
    variables: {
      scope: place,
      filter: { ...place, status },
      first: after ? laterPageSize : pageSize,
      after,
      orderBy: orders[sort],
    },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["ASSET", "SITE"], readAgain);

  const assets = data?.assets;
  const countOf = (one: string) => data?.assetGroups?.find((group) => group.status === one)?.count ?? 0;
  const isFiltered = !!(q || status || site);
  const chosen = data?.sites?.find(({ name }) => name === site);

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{area ?? chosen?.displayName ?? site ?? t`Plant`}</h1>
          <p>{data ? plural(assets?.totalCount ?? 0, { one: "# asset", other: "# assets" }) : " "}</p>
        </div>
        <Link className="button" to="/labels" search={{ site, area, q }}>
          <QrCode className="icon" aria-hidden />
          {t`Print labels`}
        </Link>
        {can("createAsset") && (
          <button type="button" className="button primary" onClick={() => setMaking(true)}>
            <Plus className="icon" aria-hidden />
            {t`New asset`}
          </button>
        )}
      </div>
      <div className="plant">
        <Places sites={data?.sites ?? []} site={site} area={area} onChoose={(next) => choose(next)} />
        <div>
          <search className="filters">
            <SearchField placeholder={t`Filter by name, number, model …`} aria-label={t`Filter assets`} value={draft} onChange={setDraft} />
            <select
              className="input"
              aria-label={t`Sort by`}
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
          <ButtonGroup className="chips" aria-label={t`Status`} style={{ marginBottom: 14 }}>
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
          </ButtonGroup>
          <section className="card" aria-label={t`Assets`} aria-busy={fetching || stale}>
            {!assets && fetching && (
              <div className="body" style={{ paddingTop: 20 }}>
                <Loading lines={9} />
              </div>
            )}
            {!assets && error && <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />}
            {assets && !assets.nodes.length && (
              <Empty
                icon={isFiltered ? SearchX : Factory}
                title={isFiltered ? t`No assets match these filters` : t`No assets yet`}
                action={
                  isFiltered && (
                    <Link className="button" to="/plant">
                      {t`Show all assets`}
                    </Link>
                  )
                }
              >
                {isFiltered ? t`Try fewer words or another place.` : t`Create the first asset, or import a CSV file.`}
              </Empty>
            )}
            {assets && assets.nodes.length > 0 && (
              <LongList rows={assets.nodes} kind="asset">
                {(asset, item) => <Row asset={asset} withPlace={!area} item={item} />}
              </LongList>
            )}
            {assets && (
              <More hasMore={assets.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(assets.pageInfo.endCursor)} />
            )}
          </section>
        </div>
      </div>
      {isMaking && (
        <NewAsset
          site={site}
          area={area}
          onClose={() => setMaking(false)}
          onMade={(id) => void navigate({ to: "/asset/$id", params: { id }, search: {} })}
        />
      )}
    </>
  );
}

function Row({ asset, withPlace, item }: { asset: Asset; withPlace: boolean; item: ItemProps }) {
  const { id, name, type, site, area, status, nextMaintenanceDate, photos, notifications } = asset;
  const alerts = notifications.totalCount;
  return (
    <li {...item} className="clickable asset-row">
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
          <span className="status warn" title={t`Active alerts: ${alerts}`}>
            <Bell className="icon" aria-hidden />
            {alerts}
            <span className="hidden-text"> {t`alerts`}</span>
          </span>
        )}
      </span>
      <span className="due small muted nowrap">
        {nextMaintenanceDate &&
          (isOverdue(nextMaintenanceDate, site) ? (
            <span className="status warn">{t`Due ${day(nextMaintenanceDate, site)}`}</span>
          ) : (
            t`Due ${day(nextMaintenanceDate, site)}`
          ))}
      </span>
      <span className="state-cell">
        <Status value={status} />
      </span>
    </li>
  );
}
