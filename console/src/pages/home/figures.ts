/**
 * The figures of the home page, and the rows that each one opens. Sections that the user may not read are absent. A plant without assets shows
 * only its stock, if it has any.
 */
import { t } from "@lingui/core/macro";
import type { LinkProps } from "@tanstack/react-router";
import type { HomePageQuery } from "../../generated/home.js";
import { isOverdue } from "../../parts/zones.js";

export interface Figure {
  label: string;
  value: number;
  /** The unit of the value, such as hours. */
  unit?: string;
  /** Needs action where the value is not zero. */
  isUrgent?: boolean;
  to: Pick<LinkProps, "to" | "search">;
}

export interface Section {
  title: string;
  figures: Figure[];
}

const total = (list: { totalCount: number } | null | undefined): number => list?.totalCount ?? 0;

const planning = ({ overdue, unordered, openRequests, backlog }: HomePageQuery): Figure[] => [
  { label: t`Overdue work orders`, value: total(overdue), isUrgent: true, to: { to: "/work", search: { due: "overdue" } } },
  {
    label: t`Overdue work without an order`,
    value: (unordered ?? []).filter(({ date, asset }) => isOverdue(date, asset?.site)).length,
    isUrgent: true,
    to: { to: "/calendar", search: { late: "unordered" } },
  },
  { label: t`Reported faults to decide`, value: total(openRequests), to: { to: "/work", search: { view: "requests" } } },
  {
    label: t`Planned hours of open orders`,
    value: (backlog ?? []).reduce((sum, { estimatedDuration }) => sum + estimatedDuration, 0) / 60,
    unit: "h",
    to: { to: "/work" },
  },
];

const stock = (data: HomePageQuery): Figure[] => [
  {
    label: t`Levels below the reorder point`,
    value: total(data.belowReorderPoint),
    isUrgent: true,
    to: { to: "/stock" },
  },
  {
    label: t`Shortages for planned work`,
    value: (data.shortages ?? []).length,
    isUrgent: true,
    to: { to: "/stock", search: { view: "reorder" } },
  },
  { label: t`Proposed orders`, value: (data.reorderProposals ?? []).length, to: { to: "/stock", search: { view: "reorder" } } },
  { label: t`Counts under way`, value: total(data.unfinishedCounts), to: { to: "/stock", search: { view: "counts", state: "open" } } },
  {
    label: t`Approvals waiting`,
    value: (data.pendingApprovals?.adjustments ?? 0) + (data.pendingApprovals?.stockCounts ?? 0),
    to: { to: "/stock", search: { view: "approve" } },
  },
  { label: t`Transfers under way`, value: total(data.transfers), to: { to: "/stock", search: { view: "transfers" } } },
];

const condition = ({ criticalAlerts, assetGroups }: HomePageQuery): Figure[] => {
  const inStatus = (wanted: string) => assetGroups?.find(({ status }) => status === wanted)?.count ?? 0;
  return [
    {
      label: t`Open critical alerts`,
      value: total(criticalAlerts),
      isUrgent: true,
      to: { to: "/alerts", search: { severity: "CRITICAL" } },
    },
    { label: t`Assets offline`, value: inStatus("OFFLINE"), isUrgent: true, to: { to: "/plant", search: { status: "OFFLINE" } } },
    { label: t`Assets in maintenance`, value: inStatus("MAINTENANCE"), to: { to: "/plant", search: { status: "MAINTENANCE" } } },
  ];
};

const administration = ({ apiKeys, webhooks }: HomePageQuery): Figure[] => [
  { label: t`Keys that expire within 30 days`, value: total(apiKeys), isUrgent: true, to: { to: "/admin", search: { show: "expiring" } } },
  {
    label: t`Failing webhooks`,
    value: (webhooks?.nodes ?? []).filter(({ failingSince }) => failingSince).length,
    isUrgent: true,
    to: { to: "/admin", search: { tab: "webhooks", show: "failing" } },
  },
];

export const sectionsOf = (data: HomePageQuery): Section[] => [
  ...(data.overdue && data.assetGroups?.length ? [{ title: t`Planning`, figures: planning(data) }] : []),
  ...(data.assetGroups?.length ? [{ title: t`Condition of the plant`, figures: condition(data) }] : []),
  ...(data.belowReorderPoint && (data.assetGroups?.length || data.inventoryTotals?.stockLevels || data.reorderProposals?.length)
    ? [{ title: t`Stock`, figures: stock(data) }]
    : []),
  ...(data.apiKeys && data.assetGroups?.length ? [{ title: t`Administration`, figures: administration(data) }] : []),
];
