/** Home: the work that waits for this user, by what the user may do. Each figure opens its rows. */
import { t } from "@lingui/core/macro";
import { Link, Navigate } from "@tanstack/react-router";
import { Factory, TriangleAlert } from "lucide-react";
import { lazy, type ReactNode, Suspense, useCallback, useState } from "react";
import { useQuery } from "urql";
import { HomePage as Document } from "../../generated/home.js";
import { dueFilter } from "../../parts/due.js";
import { expiringKeys } from "../../parts/expiry.js";
import { useTitle } from "../../parts/hooks.js";
import { filterOf } from "../../parts/people.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { weekday } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { today } from "../../parts/zones.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { lateSpan } from "../calendar/days.js";
import { FigureSection } from "./figure-section.js";
import { sectionsOf } from "./figures.js";
import { hideSetUp, isSetUpHidden } from "./hidden.js";
import { MyWork } from "./my-work.js";

const SetUp = lazy(async () => ({ default: (await import("./set-up.js")).SetUp }));

/** Number of work orders from which a plant needs no guide any more. */
const establishedOrders = 10;
const liveTypes = [
  "API_KEY",
  "ASSET",
  "PART",
  "PROCEDURE",
  "STOCK_ADJUSTMENT",
  "STOCK_COUNT",
  "STOCK_LEVEL",
  "WORK_ORDER",
  "WORK_REQUEST",
] as const;

/** A requester cannot read assets and starts with reports instead. */
export function Home(): ReactNode {
  const { can } = useSession();
  return can("assets") ? <Overview /> : <Navigate to="/work" search={{ view: "requests" }} replace />;
}

function Overview(): ReactNode {
  const me = useSession();
  const { can, sites, tenantId } = me;
  useTitle(t`Home`);
  const [isHidden, setHidden] = useState(() => isSetUpHidden(tenantId));
  const [expiring] = useState(expiringKeys);
  const span = lateSpan(today());
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      works: can("startWorkOrder"),
      mine: { pending: true, ...filterOf({ person: "me" }, me), and: [dueFilter("today")] },
      free: { pending: true, ...filterOf({ person: "nobody" }, me), and: [dueFilter("today")] },
      plans: can("createProcedure"),
      overdue: { pending: true, and: [dueFilter("overdue")] },
      dueFrom: span.from,
      dueUntil: span.until,
      stocks: can("adjustStock"),
      administers: can("createApiKey"),
      expiring,
    },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(liveTypes, readAgain, { withAlerts: true });
  if (!data?.assetGroups) return fetching ? <LoadingCard lines={8} /> : <Failed error={error} onRetry={readAgain} />;

  const hasAssets = data.assetGroups.length > 0;
  const isNew = !hasAssets || (data.anyOrders?.totalCount ?? 0) < establishedOrders;
  const guides = can("createAsset") && isNew && !(isHidden && hasAssets);
  const sections = sectionsOf(data);
  const plans = can("createProcedure");
  const work = data.mine && data.free && <MyWork mine={data.mine} free={data.free} />;
  return (
    <div aria-busy={fetching || stale}>
      <div className="page-head">
        <div>
          <h1>{t`Home`}</h1>
          <p>{weekday(new Date(), sites.length === 1 ? sites[0] : undefined)}</p>
        </div>
        {can("reportFault") && (
          <Link className="button primary" to="/report">
            <TriangleAlert className="icon" aria-hidden />
            {t`Report a fault`}
          </Link>
        )}
      </div>
      <div className="stack">
        {guides && (
          <Suspense fallback={<LoadingCard lines={8} />}>
            <SetUp
              onDone={readAgain}
              onHide={
                hasAssets
                  ? () => {
                      hideSetUp(tenantId);
                      setHidden(true);
                    }
                  : undefined
              }
            />
          </Suspense>
        )}
        {!hasAssets && !guides && (
          <div className="card">
            <Empty icon={Factory} title={t`No assets yet`}>
              {t`A manager or an administrator sets up the plant.`}
            </Empty>
          </div>
        )}
        {hasAssets && !plans && work}
        {sections.map((section) => (
          <FigureSection key={section.title} {...section} />
        ))}
        {hasAssets && plans && work}
      </div>
      <ZoneNote />
    </div>
  );
}
