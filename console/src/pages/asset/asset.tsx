/** Asset page. One request loads the whole page, and each tab shows a part of it. */
import { t } from "@lingui/core/macro";
import { Link, Navigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronRight, QrCode, TriangleAlert } from "lucide-react";
import { type ReactNode, useCallback, useMemo } from "react";
import { useQuery } from "urql";
import { AssetPage as Document } from "../../generated/asset.js";
import { useTitle } from "../../parts/hooks.js";
import { SiteContext } from "../../parts/site.js";
import { NoRecord } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, wordOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { AssetActions } from "./actions.js";
import { ComponentsThen } from "./components-then.js";
import { History } from "./history.js";
import { Meters } from "./meters.js";
import { Overview } from "./overview.js";
import { Parts } from "./parts.js";
import { Reliability } from "./reliability.js";
import { Work } from "./work.js";

/** Midnight (UTC) a year ago, so that the request's variables stay the same all day. */
function yearAgo(): Date {
  const date = new Date();
  date.setUTCHours(0, 0, 0, 0);
  date.setUTCFullYear(date.getUTCFullYear() - 1);
  return date;
}

/** A requester, who scanned a label, cannot read assets and reports a fault instead. */
export function AssetPage(): ReactNode {
  const { id } = useParams({ from: "/asset/$id" });
  const { component } = useSearch({ from: "/asset/$id" });
  const { can } = useSession();
  return can("assets") ? <Sections id={id} /> : <Navigate to="/report" search={{ asset: id, component }} replace />;
}

function Sections({ id }: { id: string }): ReactNode {
  const { tab, component } = useSearch({ from: "/asset/$id" });
  const { can } = useSession();
  const from = useMemo(yearAgo, []);
  const [{ data, error, fetching }, retry] = useQuery({
    query: Document,
    variables: { id, from: from.toISOString(), withLinks: can("createReportLink") },
  });
  // Until the request completes, `data` belongs to the previous page.
  const asset = data?.asset?.id === id ? data.asset : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["ASSET", "COMPONENT", "DOWNTIME", "METER", "PROCEDURE", "WORK_ORDER", "PART", "ATTACHMENT"], readAgain);
  useTitle(asset?.name);

  if (!asset)
    return (
      <NoRecord isLoading={fetching} error={error} title={t`Asset not found`} onRetry={readAgain}>
        {t`It may have been deleted. Check the address, or find the asset in the plant.`}
      </NoRecord>
    );
  const tabs = [
    [undefined, t`Overview`],
    ["components", t`Components`, asset.allComponents.totalCount],
    ["work", t`Work`, asset.open.totalCount],
    ["parts", t`Parts`, asset.parts.length],
    ["meters", t`Meters`, asset.meters.length],
    ["reliability", t`Reliability`],
    ["history", t`History`],
  ] as const;
  return (
    <SiteContext value={asset.site}>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/plant">{t`Plant`}</Link>
        <ChevronRight className="icon" aria-hidden />
        <Link to="/plant" search={{ site: asset.site }}>
          {asset.site}
        </Link>
        {asset.area && (
          <>
            <ChevronRight className="icon" aria-hidden />
            <Link to="/plant" search={{ site: asset.site, area: asset.area }}>
              {asset.area}
            </Link>
          </>
        )}
      </nav>
      <div className="page-head" style={{ marginBottom: 14 }}>
        <div>
          <h1>{asset.name}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <Status value={asset.status} filled />
            <span className="muted">{[wordOf(asset.type), asset.manufacturer, asset.model].filter(Boolean).join(" · ")}</span>
          </div>
        </div>
        <div className="row wrap">
          <Link className="button icon-only" to="/labels" search={{ asset: asset.id }} aria-label={t`Print labels`} title={t`Print labels`}>
            <QrCode className="icon" aria-hidden />
          </Link>
          <AssetActions asset={asset} onReload={readAgain} />
          {can("reportFault") && (
            <Link className="button" to="/report" search={{ asset: asset.id, component }}>
              <TriangleAlert className="icon" aria-hidden />
              {t`Report a fault`}
            </Link>
          )}
        </div>
      </div>
      <nav className="tabs" aria-label={t`Sections`}>
        {tabs.map(([name, label, number]) => (
          <Link
            key={label}
            to="/asset/$id"
            params={{ id }}
            search={{ tab: name }}
            replace
            resetScroll={false}
            activeOptions={{ exact: true, explicitUndefined: true }}
            aria-current={tab === name ? "page" : undefined}
          >
            {label}
            {!!number && <span className="num">{count(number)}</span>}
          </Link>
        ))}
      </nav>
      {!tab && <Overview asset={asset} links={data?.reportLinks} from={from} onReload={readAgain} />}
      {tab === "components" && <ComponentsThen key={`${id} ${component}`} asset={asset} component={component} onReload={readAgain} />}
      {tab === "work" && <Work asset={asset} />}
      {tab === "parts" && <Parts asset={asset} />}
      {tab === "meters" && <Meters asset={asset} onReload={readAgain} />}
      {tab === "reliability" && <Reliability asset={asset} />}
      {tab === "history" && <History asset={asset} from={from} />}
      <ZoneNote site={asset.site} />
    </SiteContext>
  );
}
