/** The planner's week: a lane per person, and the backlog. Orders are moved by drag and drop, or from a dialog with the keyboard. */
import { t } from "@lingui/core/macro";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useQuery } from "urql";
import { WeekPage as Document, WeekPeople } from "../../generated/week.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { useTitle } from "../../parts/hooks.js";
import { isPending } from "../../parts/orders.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { count, dayWord } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { addDays, today as todayAt } from "../../parts/zones.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Backlog } from "./backlog.js";
import type { Handles } from "./card.js";
import { PeriodChoice, SiteChoice, ViewChoice } from "./choices.js";
import { afterDay, beforeDay, weekOf } from "./days.js";
import { LaneRow } from "./lane.js";
import { capacityHours, laneOf, lanesOf, type PlannedOrder, placed } from "./lanes.js";
import { type Target, usePlan } from "./plan.js";
import { PlanDialog } from "./plan-dialog.js";

const headOptions = { weekday: "short", day: "numeric", month: "short" } as const;

export function Week(): ReactNode {
  const search = useSearch({ from: "/calendar" });
  const { site } = search;
  const { can, role } = useSession();
  const canMove = can("updateWorkOrder");
  const canAssign = can("assignWorkOrder") && role !== "TECHNICIAN";
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [moving, setMoving] = useState<readonly PlannedOrder[]>([]);
  const today = todayAt(site);
  const week = useMemo(() => weekOf(search.week ?? today), [search.week, today]);
  const asset = site ? { site } : undefined;
  const [from, until] = [beforeDay(week[0]!), afterDay(week[6]!)];
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      week: { scheduledFrom: from, scheduledUntil: until, asset },
      backlog: {
        pending: true,
        asset,
        or: [
          { scheduledUntil: afterDay(today) },
          { scheduledUntil: afterDay(addDays(week[0]!, -1)) },
          { scheduledFrom: beforeDay(addDays(week[6]!, 1)) },
        ],
      },
      open: { pending: true, asset },
      asset,
    },
  });
  // Without a site, the people of the only site.
  const place = site || data?.sites?.length === 1 ? data?.assets?.nodes[0] : undefined;
  const [{ data: found }] = useQuery({ query: WeekPeople, variables: { assetId: place?.id ?? "" }, pause: !place || !canAssign });
  const reload = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["WORK_ORDER"], reload);
  useTitle(t`Week by person`);

  const { late, later, ofWeek } = useMemo(
    () => placed([...(data?.week?.nodes ?? []), ...(data?.backlog?.nodes ?? [])], week),
    [data, week],
  );
  const lanes = useMemo(() => {
    const people = place && canAssign ? (found?.assignees ?? []).filter(({ kind }) => kind === "PERSON") : [];
    return lanesOf(people, data?.workOrderGroups ?? [], [...ofWeek, ...late, ...later]);
  }, [data, found, place, canAssign, ofWeek, late, later]);
  const plan = usePlan(lanes, reload);
  const toast = useToast();

  const shown = [...late, ...later, ...ofWeek];
  const selection = shown.filter(({ id, status }) => selected.has(id) && isPending(status));
  const handles: Handles | undefined = canMove
    ? {
        selected,
        onSelect: (id, isSelected) => setSelected((was) => new Set(isSelected ? [...was, id] : [...was].filter((one) => one !== id))),
        onMove: (order) => setMoving([order]),
      }
    : undefined;
  const move = async (orders: readonly PlannedOrder[], { day, lane }: Target) => {
    const moved = await plan.run(orders, { day, lane: canAssign ? lane : undefined });
    setSelected((was) => new Set([...was].filter((id) => !moved.includes(id))));
  };
  const heading = t`Week of ${dayWord(week[0]!, { day: "numeric", month: "long", year: "numeric" })}`;

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{heading}</h1>
          <p>{t`Assumed capacity: ${capacityHours} hours per weekday for each person or crew`}</p>
          {!canMove && <p>{t`Read-only: technicians, managers and administrators plan the week.`}</p>}
        </div>
        <div className="row wrap">
          <ViewChoice />
          <SiteChoice sites={data?.sites} />
          <PeriodChoice period="week" before={addDays(week[0]!, -7)} after={addDays(week[0]!, 7)} />
        </div>
      </div>
      {!data && fetching && <LoadingCard lines={12} />}
      {!data?.week && error && (
        <div className="card">
          <Failed error={error} onRetry={reload} />
        </div>
      )}
      {plan.refusals.length > 0 && (
        <div className="note bad refusals" role="alert">
          <ul className="grow">
            {plan.refusals.map(({ id, title, reason }) => (
              <li key={id} className="anywhere">
                {t`${title} was not moved: ${reason}`}
              </li>
            ))}
          </ul>
          <button type="button" className="button small" onClick={plan.forget}>
            {t({ context: "message", message: t`Dismiss` })}
          </button>
        </div>
      )}
      {handles && data?.week && (
        <ButtonGroup className="row wrap bulk" aria-label={t`Selected work orders`}>
          <span className="small">{t`${count(selection.length)} selected`}</span>
          <button type="button" className="button small" disabled={plan.isBusy || !selection.length} onClick={() => setMoving(selection)}>
            {t`Move selected`}
          </button>
          {selection.length > 0 && (
            <button type="button" className="button plain small" onClick={() => setSelected(new Set())}>
              {t`Clear selection`}
            </button>
          )}
        </ButtonGroup>
      )}
      {data?.week && (
        <div className="planner" aria-busy={fetching || stale || plan.isBusy}>
          <Backlog late={late} later={later} isCut={!!data.backlog?.pageInfo.hasNextPage} handles={handles} />
          <section className="card board" aria-label={heading}>
            <div className="weekdays" aria-hidden>
              {week.map((day) => (
                <span key={day} className={day === today ? "strong" : ""}>
                  {dayWord(day, headOptions)}
                </span>
              ))}
            </div>
            {data.week.pageInfo.hasNextPage && <p className="note warn">{t`The week has more orders than are shown. Choose a site.`}</p>}
            {lanes.map((lane) => (
              <LaneRow
                key={lane.key}
                lane={lane}
                week={week}
                site={site}
                orders={ofWeek.filter((order) => laneOf(order, lanes).key === lane.key)}
                handles={handles}
                onDrop={(id, day) => {
                  const dropped = shown.find((order) => order.id === id);
                  if (!dropped) return;
                  if (!canAssign && laneOf(dropped, lanes).key !== lane.key) {
                    toast(t`Only a manager can assign the work to another person.`, true);
                    return;
                  }
                  // A selected card takes the other selected ones with it.
                  void move(selected.has(id) ? selection : [dropped], { day, lane });
                }}
              />
            ))}
            {canAssign && !place && !!data.sites?.length && (
              <p className="legend small muted">{t`People without open work are shown once a site is chosen.`}</p>
            )}
          </section>
        </div>
      )}
      <ZoneNote site={site} />
      {moving.length > 0 && (
        <PlanDialog
          orders={moving}
          lanes={lanes}
          canAssign={canAssign}
          onMove={(target) => void move(moving, target)}
          onClose={() => setMoving([])}
        />
      )}
    </>
  );
}
