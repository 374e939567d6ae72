/** Buttons of an order's page, each where the status and the role allow its change. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { ClipboardPlus, Pause, Pencil, Play, Printer } from "lucide-react";
import { useState } from "react";
import { StartOrder } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { isPending } from "../../parts/orders.js";
import { useSession } from "../../session/session.js";
import { ChangePlanDialog } from "./change-plan.js";
import { CloseOrder } from "./close-order.js";
import { Complete } from "./complete.js";
import { EditOrder } from "./edit-order.js";
import { ReasonDialog } from "./reason.js";
import type { Code, Order } from "./types.js";

interface Props {
  order: Order;
  codes: Code[];
  onRefused: () => void;
}

export function OrderActions({ order, codes, onRefused }: Props) {
  const { can } = useSession();
  const [asked, setAsked] = useState<"edit" | "plan" | "hold" | "complete" | "close" | "cancel" | "reopen">();
  const start = useChange(StartOrder, { waits: true, onRefused });
  const { id, status, assetId, componentId } = order;
  const canWork = isPending(status) && can("startWorkOrder");
  const isRunning = status === "IN_PROGRESS";
  const isCompleted = status === "COMPLETED";
  const close = () => setAsked(undefined);
  return (
    <div className="order-actions">
      <div className="row wrap">
        <Link className="button small" to="/work/$id/print" params={{ id }}>
          <Printer className="icon" aria-hidden />
          {t`Print`}
        </Link>
        {can("createWorkOrder") && order.asset && (
          <Link className="button small" to="/work/new" search={{ asset: assetId, component: componentId ?? undefined, follows: id }}>
            <ClipboardPlus className="icon" aria-hidden />
            {t`New follow-up`}
          </Link>
        )}
        {isPending(status) && can("updateWorkOrder") && (
          <button type="button" className="button small" onClick={() => setAsked("edit")}>
            <Pencil className="icon" aria-hidden />
            {t`Edit`}
          </button>
        )}
        {isPending(status) && can("changeWorkOrderPlan") && (
          <button type="button" className="button small" onClick={() => setAsked("plan")}>
            {t`Change the plan`}
          </button>
        )}
        {isPending(status) && can("cancelWorkOrder") && (
          <button type="button" className="button small" onClick={() => setAsked("cancel")}>
            {t`Cancel work order`}
          </button>
        )}
        {isCompleted && can("reopenWorkOrder") && (
          <button type="button" className="button small" onClick={() => setAsked("reopen")}>
            {t`Reopen`}
          </button>
        )}
      </div>
      <div className="row wrap">
        {canWork && isRunning && (
          <button type="button" className="button" onClick={() => setAsked("hold")}>
            <Pause className="icon" aria-hidden />
            {t`Put on hold`}
          </button>
        )}
        {canWork && isRunning && (
          <button type="button" className="button primary" onClick={() => setAsked("complete")}>
            {t`Complete`}
          </button>
        )}
        {canWork && !isRunning && (
          <button type="button" className="button primary" disabled={start.isBusy} onClick={() => void start.run({ id }, t`Work started`)}>
            <Play className="icon" aria-hidden />
            {status === "ON_HOLD" ? t`Resume` : t`Start work`}
          </button>
        )}
        {isCompleted && can("closeWorkOrder") && (
          <button type="button" className="button primary" onClick={() => setAsked("close")}>
            {t`Close work order`}
          </button>
        )}
      </div>
      {asked === "edit" && <EditOrder order={order} onRefused={onRefused} onClose={close} />}
      {asked === "plan" && <ChangePlanDialog order={order} onRefused={onRefused} onClose={close} />}
      {asked === "complete" && <Complete order={order} codes={codes} onRefused={onRefused} onClose={close} />}
      {asked === "close" && <CloseOrder order={order} codes={codes} onRefused={onRefused} onClose={close} />}
      {(asked === "hold" || asked === "cancel" || asked === "reopen") && (
        <ReasonDialog id={id} change={asked} onRefused={onRefused} onClose={close} />
      )}
    </div>
  );
}
