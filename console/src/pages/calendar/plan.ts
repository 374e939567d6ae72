/** Moves work orders to another day or person. */
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { useClient } from "urql";
import { PlanOrder } from "../../generated/week.js";
import { messageOf } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { count } from "../../parts/words.js";
import { instantAt, localAt } from "../../parts/zones.js";
import { type Lane, laneOf, type PlannedOrder } from "./lanes.js";

/** Without a day or a lane, each order keeps its own. */
export interface Target {
  day?: string;
  lane?: Lane;
}

export interface Refusal {
  id: string;
  title: string;
  reason: string;
}

/** The mutation's variables. Undefined if the order is there already. */
function variablesOf(order: PlannedOrder, { day, lane }: Target, lanes: readonly Lane[]) {
  const { id, version, assignee, assignedTechnician, scheduledDate, asset } = order;
  const [from, time] = localAt(scheduledDate, asset?.site);
  const to = lane && lane.key !== laneOf(order, lanes).key ? lane : undefined;
  const assigns = !!to && to.person !== assignee?.id;
  const input = {
    ...(day && day !== from && { scheduledDate: instantAt(day, time, asset?.site).toISOString() }),
    ...(to && !to.person && (to.crew ?? null) !== assignedTechnician && { assignedTechnician: to.crew ?? null }),
  };
  const updates = Object.keys(input).length > 0;
  if (!assigns && !updates) return undefined;
  // The service stores both changes of the request or none. The second one follows the first one's version.
  return {
    id,
    principalId: to?.person ?? null,
    input,
    assigns,
    updates,
    assignVersion: version,
    updateVersion: assigns ? null : version,
  };
}

export function usePlan(lanes: readonly Lane[], onRefused: () => void) {
  const client = useClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const [refusals, setRefusals] = useState<Refusal[]>([]);
  /** Moves the orders one after the other. Resolves to the ids of those that were not refused. */
  const run = async (orders: readonly PlannedOrder[], target: Target): Promise<string[]> => {
    setBusy(true);
    setRefusals([]);
    const refused: Refusal[] = [];
    let moved = 0;
    for (const order of orders) {
      const variables = variablesOf(order, target, lanes);
      if (!variables) continue;
      const { error } = await client.mutation(PlanOrder, variables, {}).toPromise();
      if (error) refused.push({ id: order.id, title: order.title, reason: messageOf(error) });
      else moved++;
    }
    setBusy(false);
    setRefusals(refused);
    if (moved) toast(moved === 1 && !refused.length ? t`Moved` : t`${count(moved)} of ${count(moved + refused.length)} moved`);
    if (refused.length) onRefused();
    return orders.map(({ id }) => id).filter((id) => !refused.some((one) => one.id === id));
  };
  return { run, isBusy, refusals, forget: () => setRefusals([]) };
}
