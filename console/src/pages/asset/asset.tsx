/** Asset page. One request loads the whole page, and each tab shows a part of it. */
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { ChevronRight, SearchX, TriangleAlert } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { useQuery } from "urql";
import { AssetPage as Document } from "../../generated/asset.js";
import { useTitle } from "../../parts/hooks.js";
import { Empty, Failed, isMissing, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { AssetActions } from "./actions.js";
import { Components } from "./components.js";
import { History } from "./history.js";
import { Meters } from "./meters.js";
import { Overview } from "./overview.js";
import { Parts } from "./parts.js";
import { Reliability } from "./reliability.js";
import { Work } from "./work.js";

/** Midnight a year ago, so that the request's variables stay the same all day. */
function yearAgo(): Date {
  const date = new Date();
  date.setHours(0, 0, 0, 0);
  date.setFullYear(date.getFullYear() - 1);
  return date;
}

export function AssetPage(): ReactNode {
  const { id } = useParams({ from: "/asset/$id" });
  const { tab } = useSearch({ from: "/asset/$id" });
  const { can } = useSession();
  const from = useMemo(yearAgo, []);
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id, from: from.toISOString() } });
  // Until the request completes, `data` belongs to the previous page.
  const asset = data?.asset?.id === id ? data.asset : undefined;
  useTitle(asset?.name);

  if (!asset) {
    if (fetching) return <LoadingCard lines={10} />;
    if (error && !isMissing(error)) return <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />;
    return (
      <Empty icon={SearchX} title="Asset not found">
        It may have been deleted. Check the address, or find the asset in the plant.
      </Empty>
    );
  }
  const tabs = [
    [undefined, "Overview"],
    ["components", "Components", asset.allComponents.totalCount],
    ["work", "Work", asset.open.totalCount],
    ["parts", "Parts", asset.parts.length],
    ["meters", "Meters", asset.meters.length],
    ["reliability", "Reliability"],
    ["history", "History"],
  ] as const;
  return (
    <>
      <nav className="crumbs" aria-label="Place">
        <Link to="/">Plant</Link>
        <ChevronRight className="icon" aria-hidden />
        <Link to="/" search={{ site: asset.site }}>
          {asset.site}
        </Link>
        <ChevronRight className="icon" aria-hidden />
        <Link to="/" search={{ site: asset.site, area: asset.area }}>
          {asset.area}
        </Link>
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
          <AssetActions asset={asset} onReload={() => retry({ requestPolicy: "network-only" })} />
          {can("reportFault") && (
            <Link className="button" to="/report" search={{ asset: asset.id }}>
              <TriangleAlert className="icon" aria-hidden />
              Report a fault
            </Link>
          )}
        </div>
      </div>
      <nav className="tabs" aria-label="Sections">
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
      {!tab && <Overview asset={asset} from={from} />}
      {tab === "components" && <Components key={id} asset={asset} />}
      {tab === "work" && <Work asset={asset} />}
      {tab === "parts" && <Parts asset={asset} />}
      {tab === "meters" && <Meters asset={asset} />}
      {tab === "reliability" && <Reliability asset={asset} />}
      {tab === "history" && <History asset={asset} from={from} />}
    </>
  );
}
