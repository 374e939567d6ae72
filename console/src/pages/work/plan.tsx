/** Plan and results of an order, as a list of facts. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { UserRoundPlus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { AssignOrder } from "../../generated/assign.js";
import { AssignDialog } from "../../parts/assign.js";
import { useChange } from "../../parts/change.js";
import { FactList } from "../../parts/facts.js";
import { isPending } from "../../parts/orders.js";
import { doerOf } from "../../parts/people.js";
import { day, figure, moment, timeSpent } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { isOverdue } from "../../parts/zones.js";
import { useSession } from "../../session/session.js";
import { recordedCodes } from "./failure-codes.js";
import { workedMinutes } from "./labor.js";
import type { Code, Order } from "./types.js";

interface Props {
  order: Order;
  codes: Code[];
  onRefused: () => void;
}

export function Plan({ order, codes, onRefused }: Props) {
  const { asset, component, procedure, status, scheduledDate, estimatedDuration, startedAt, completedAt, notes } = order;
  const site = asset?.site;
  const worked = workedMinutes(order);
  const planned = day(scheduledDate, site);
  const facts: [string, ReactNode][] = [
    [t`Planned for`, isPending(status) && isOverdue(scheduledDate, site) ? <span className="status warn">{planned}</span> : planned],
    [t`Assigned to`, <Assignee key="assignee" order={order} onRefused={onRefused} />],
    [
      t`Asset`,
      asset && (
        <Link to="/asset/$id" params={{ id: asset.id }}>
          {asset.name}
        </Link>
      ),
    ],
    [t`Component`, component?.name],
    [t`Place`, asset && [asset.site, asset.area].filter(Boolean).join(", ")],
    [
      t`Procedure`,
      procedure && (
        <Link to="/procedures/$id" params={{ id: procedure.id }}>
          {procedure.name}
        </Link>
      ),
    ],
    [t`Estimated`, estimatedDuration != null && t`${figure(estimatedDuration)} min`],
    [t`Started`, startedAt && moment(startedAt, site)],
    [t`Completed`, completedAt && moment(completedAt, site)],
    [t`Time worked`, worked !== undefined && timeSpent(worked)],
    ...recordedCodes(order, codes).map(({ label, name }): [string, ReactNode] => [label, name]),
    ...reasonOf(order),
    [t`Notes`, notes && <span className="said">{notes}</span>],
  ];
  return (
    <section className="card" aria-labelledby="plan">
      <header>
        <h2 id="plan">{t`Plan`}</h2>
      </header>
      <div className="body">
        <FactList facts={facts} />
        <ZoneNote site={site} />
      </div>
    </section>
  );
}

/** Reason of the current status: of a hold, a cancellation or a reopening. */
function reasonOf({ status, holdReason, statusChanges }: Order): [string, ReactNode][] {
  const said = (reason: string) => <span className="said">{reason}</span>;
  if (status === "ON_HOLD") return holdReason ? [[t`On hold`, said(holdReason)]] : [];
  const [last] = statusChanges.nodes;
  // Until an offline change is sent, the last change has another status.
  if (!last?.reason || last.toStatus !== status) return [];
  if (status === "CANCELLED") return [[t`Cancelled`, said(last.reason)]];
  return last.fromStatus === "COMPLETED" && status === "IN_PROGRESS" ? [[t`Reopened`, said(last.reason)]] : [];
}

/** Managers assign the work to anyone. Others can take unassigned work. */
function Assignee({ order, onRefused }: Omit<Props, "codes">) {
  const { can, role, principalId } = useSession();
  const take = useChange(AssignOrder, { waits: true, onRefused });
  const [isAssigning, setAssigning] = useState(false);
  const isManager = role !== "TECHNICIAN";
  return (
    <div className="stack tight">
      <span>
        {doerOf(order) ?? t`Nobody`}
        {order.assignee?.id === principalId && <span className="muted"> {t`(you)`}</span>}
      </span>
      {isPending(order.status) && can("assignWorkOrder") && (isManager || !order.assignee) && (
        <span>
          <button
            type="button"
            className="button small"
            disabled={take.isBusy}
            onClick={() => (isManager ? setAssigning(true) : void take.run({ id: order.id, principalId }, t`It is yours`))}
          >
            <UserRoundPlus className="icon" aria-hidden />
            {isManager ? (order.assignee ? t`Reassign` : t`Assign`) : t`Take it`}
          </button>
        </span>
      )}
      {isAssigning && <AssignDialog order={order} onRefused={onRefused} onClose={() => setAssigning(false)} />}
    </div>
  );
}
