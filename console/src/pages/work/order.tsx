/** A work order: its steps, material and results. */
import { t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { Bell, ChevronRight, ClipboardList, SearchX } from "lucide-react";
import { type ReactNode, useCallback } from "react";
import { useQuery } from "urql";
import { OrderPage as Document } from "../../generated/order.js";
import { useTitle } from "../../parts/hooks.js";
import { PurchasedLines } from "../../parts/purchased-lines.js";
import { Said } from "../../parts/said.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { wordOf } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Costs } from "./costs.js";
import { Labor } from "./labor.js";
import { OrderActions } from "./order-actions.js";
import { OrderParts } from "./order-parts.js";
import { Plan } from "./plan.js";
import { Files, Remarks } from "./remarks.js";
import { Reported } from "./reported.js";
import { Steps } from "./steps.js";

export function OrderPage(): ReactNode {
  const { id } = useParams({ from: "/work/$id" });
  const { can } = useSession();
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  // Another user may have acted first.
  const onRefused = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  // Until the request completes, `data` belongs to the previous page.
  const order = data?.workOrder?.id === id ? data.workOrder : undefined;
  useLiveData(["WORK_ORDER", "WORK_REQUEST", "STOCK_MOVEMENT"], onRefused, { id });
  useTitle(order?.title);

  if (!order) {
    if (fetching) return <LoadingCard lines={10} />;
    if (error && !error.graphQLErrors.some(({ extensions }) => extensions?.code === "NOT_FOUND"))
      return <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />;
    return <Empty icon={SearchX} title={t`There is no such work order`} />;
  }
  const site = order.asset?.site;
  const codes = data?.failureCodes ?? [];
  const done = order.steps.filter(({ status }) => status === "COMPLETED" || status === "SKIPPED").length;

  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/work" activeOptions={{ exact: true }}>
          {t`Work`}
        </Link>
        {order.asset && (
          <>
            <ChevronRight className="icon" aria-hidden />
            <Link to="/asset/$id" params={{ id: order.asset.id }}>
              {order.asset.name}
            </Link>
          </>
        )}
      </nav>
      <div className="page-head">
        <div>
          <h1>{order.title}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <Status value={order.status} filled />
            <Status value={order.priority} label={t`${wordOf(order.priority)} priority`} />
            <span className="muted">{wordOf(order.type)}</span>
          </div>
        </div>
        <OrderActions order={order} codes={codes} onRefused={onRefused} />
      </div>
      <div className="columns">
        <div className="stack">
          {order.notification && (
            <Link className="note warn" to="/alerts" search={{ id: order.notification.id }}>
              <Bell className="icon" aria-hidden />
              <span>{t`From the alert “${order.notification.title}”`}</span>
            </Link>
          )}
          {order.followUpOf && (
            <Link className="note info" to="/work/$id" params={{ id: order.followUpOf.id }}>
              <ClipboardList className="icon" aria-hidden />
              <span>{t`Follow-up of “${order.followUpOf.title}”`}</span>
            </Link>
          )}
          {order.followUps
            .filter(({ followUpOfStep }) => followUpOfStep === null)
            .map((followUp) => (
              <Link key={followUp.id} className="note info" to="/work/$id" params={{ id: followUp.id }}>
                <ClipboardList className="icon" aria-hidden />
                <span>{t`Follow-up: ${followUp.title}`}</span>
              </Link>
            ))}
          {order.request && <Reported request={order.request} site={site} />}
          {order.gapWarning && <p className="note warn">{t`Done early. Gap to the next date: ${order.gapWarning.text}.`}</p>}
          {order.description && order.description !== order.request?.description && (
            <section className="card">
              <div className="body" style={{ paddingTop: 16 }}>
                <Said text={order.description} />
              </div>
            </section>
          )}
          <section className="card" aria-labelledby="steps">
            <header>
              <h2 id="steps">{t`Steps`}</h2>
              {order.steps.length > 0 && (
                <span className="row small muted">
                  <progress value={done} max={order.steps.length} aria-label={t`Steps done`} />
                  <span className="num">{t`${done} of ${order.steps.length}`}</span>
                </span>
              )}
            </header>
            <div className="body flush">
              <Steps order={order} canWork={order.status === "IN_PROGRESS" && can("startWorkOrder")} onRefused={onRefused} />
            </div>
          </section>
          <OrderParts order={order} onRefused={onRefused} />
          <PurchasedLines
            lines={data?.purchaseOrderLines?.nodes ?? []}
            forWorkOrder={order.status === "CLOSED" || order.status === "CANCELLED" ? undefined : id}
          />
          <Labor order={order} currency={data?.stockSettings?.currency} onRefused={onRefused} />
          <Costs order={order} currency={data?.stockSettings?.currency} onRefused={onRefused} />
          <Remarks order={order} />
        </div>
        <div className="stack">
          <Plan order={order} codes={codes} onRefused={onRefused} />
          <Files order={order} />
        </div>
      </div>
    </>
  );
}
