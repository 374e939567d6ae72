/** Loaders of procedures, work orders, strategies, notifications and webhooks. */
import DataLoader from "dataloader";
import type { Row, TenantDatabase } from "../database/database.js";
import { type List, Where } from "../database/page.js";
import type { ProcedurePartRecord, ProcedureRecord } from "../domain/procedures.js";
import { assignedAssets, performanceOf } from "../domain/strategies.js";
import type { WorkOrderRecord } from "../domain/work-orders.js";
import type { Asset } from "../schema/asset.js";
import type { Notification, NotificationFeedback, NotificationStatusChange } from "../schema/notification.js";
import type { Procedure, ProcedureExecution, ProcedurePerformance } from "../schema/procedure.js";
import type { Reading, ReadingFilter } from "../schema/reading.js";
import type { Strategy, StrategyPerformance, TriggerCondition } from "../schema/strategy.js";
import type { WebhookDelivery, WebhookDeliveryFilter, WebhookEvent } from "../schema/webhook.js";
import type { WorkOrderPart, WorkOrderStatusChange, WorkOrderStep } from "../schema/work-order.js";
import { groupBy, many, one, pages, referred } from "./loading.js";

/** Executions that a procedure's history shows at most: the last ones. */
const historyLength = 100;

/** A row for each id, found by a function of ids; null where there is none. */
const found = <V>(find: (ids: readonly string[]) => Promise<Map<string, V>>) =>
  new DataLoader<string, V | null>(async (ids) => {
    const rows = await find(ids);
    return ids.map((id) => rows.get(id) ?? null);
  });

/** Assets that strategies are for. */
const assetsOfStrategy = (db: TenantDatabase, condition = "true", columns = "a.*") =>
  new DataLoader<string, Asset[]>(async (ids) => {
    const rows = await db.query<Asset & Row>(
      `select s.id as "$of", ${columns} from "Strategy" s join "Asset" a on a."tenantId" = $1 and a."deletedAt" is null and ${assignedAssets("s", "a")}
       where s."tenantId" = $1 and s.id = any($2) and ${condition} order by a.name, a.id`,
      ids,
    );
    const groups = groupBy(rows, (row) => row.$of);
    return ids.map((id) => groups.get(id) ?? []);
  });

export function makeWorkLoaders(db: TenantDatabase) {
  const workOrders = (): List => ({ table: "WorkOrder", where: new Where(), order: ["createdAt", "id"], keepsDeletes: false });
  return {
    procedure: one<ProcedureRecord>(db, "Procedure"),
    proceduresOfAsset: many<Procedure & Row>(db, "Procedure", "assetId", `"createdAt", id`, `"deletedAt" is null`),
    partsOfProcedure: many<ProcedurePartRecord>(db, "ProcedurePart", "procedureId", "position"),
    historyOfProcedure: new DataLoader<string, ProcedureExecution[]>(async (ids) => {
      const rows = await db.query<ProcedureExecution & Row>(
        `select w.* from unnest($2::text[]) k(id) cross join lateral (
           select "procedureId", id as "workOrderId", "completedAt" as "executedDate", duration, technician, status from "WorkOrder"
           where "tenantId" = $1 and "procedureId" = k.id and "completedAt" is not null order by "completedAt" desc, id desc limit ${historyLength}) w
         order by w."executedDate", w."workOrderId"`,
        ids,
      );
      const groups = groupBy(rows, (row) => row.procedureId);
      return ids.map((id) => groups.get(id) ?? []);
    }),
    performanceOfProcedure: found<ProcedurePerformance>(async (ids) => {
      const rows = await db.query<ProcedurePerformance & Row>(
        `select "procedureId", round(avg(duration), 4) as "averageDuration", round(100.0 * count("completedAt") / count(*), 2) as "completionRate",
           round(avg(coalesce("partsCost", 0) + coalesce("laborCost", 0)) filter (where "completedAt" is not null), 4) as "averageCost"
         from "WorkOrder" where "tenantId" = $1 and "procedureId" = any($2) and "endedAt" is not null group by 1`,
        ids,
      );
      return new Map(rows.map((row) => [row.procedureId as string, row]));
    }),
    workOrder: one<WorkOrderRecord>(db, "WorkOrder", "true"),
    stepsOfWorkOrder: many<WorkOrderStep & Row>(db, "WorkOrderStep", "workOrderId", `"order"`),
    partsOfWorkOrder: many<WorkOrderPart & Row>(db, "WorkOrderPart", "workOrderId", `"partId"`),
    statusHistoryOfWorkOrder: many<WorkOrderStatusChange & Row>(db, "WorkOrderStatusChange", "workOrderId", "id"),
    workOrdersOfProcedure: pages<WorkOrderRecord>(db, ["procedureId"], workOrders),
    workOrdersOfAsset: pages<WorkOrderRecord>(db, ["assetId"], workOrders),
    workOrdersOfNotification: many<WorkOrderRecord>(db, "WorkOrder", "notificationId", `"createdAt", id`),
    workOrderIdsOfComponent: new DataLoader<string, string[]>(async (ids) => {
      const rows = await db.query<{ id: string; componentId: string }>(
        `select id, "componentId" from "WorkOrder" where "tenantId" = $1 and "componentId" = any($2) order by "createdAt", id`,
        ids,
      );
      const groups = groupBy(rows, (row) => row.componentId);
      return ids.map((id) => (groups.get(id) ?? []).map((row) => row.id));
    }),
    strategy: one<Strategy & Row>(db, "Strategy"),
    triggerConditions: many<TriggerCondition & Row>(db, "TriggerCondition", "strategyId", "position"),
    proceduresOfStrategy: referred<Procedure & Row>(
      db,
      "StrategyProcedure",
      "strategyId",
      "procedureId",
      "Procedure",
      `t."deletedAt" is null`,
    ),
    assetsOfStrategy: assetsOfStrategy(db),
    assetIdsOfStrategy: assetsOfStrategy(db, "true", "a.id"),
    uncoveredAssets: assetsOfStrategy(
      db,
      `not exists (select 1 from "Procedure" p where p."tenantId" = $1 and p."assetId" = a.id and p.status = 'active' and p."deletedAt" is null)`,
    ),
    performanceOfStrategy: found<StrategyPerformance>((ids) => performanceOf(db, ids)),
    notification: one<Notification & Row>(db, "Notification", "true"),
    feedback: one<NotificationFeedback & Row>(db, "NotificationFeedback", "true"),
    feedbackOfNotification: many<NotificationFeedback & Row>(db, "NotificationFeedback", "notificationId", `"createdAt", id`),
    statusHistoryOfNotification: many<NotificationStatusChange & Row>(db, "NotificationStatusChange", "notificationId", "id"),
    notificationsOfAsset: pages<Notification & Row>(db, ["assetId"], () => ({
      table: "Notification",
      where: new Where(),
      order: ["createdAt", "id"],
      keepsDeletes: false,
    })),
    readingsOfAsset: pages<Reading & Row, ReadingFilter | undefined>(db, ["assetId"], (filter) => {
      const where = new Where().equal({ parameter: filter?.parameter });
      if (filter?.from) where.add(`"recordedAt" >= ?`, filter.from);
      if (filter?.until) where.add(`"recordedAt" <= ?`, filter.until);
      return { table: "Reading", where, order: ["recordedAt", "id"], descending: true, keepsDeletes: false };
    }),
    timeZone: new DataLoader<string, string>(async (sites) => {
      const rows = await db.query<{ site: string; timeZone: string }>(
        `select site, "timeZone" from "SiteSetting" where "tenantId" = $1 and site = any($2)`,
        sites,
      );
      const bySite = new Map(rows.map(({ site, timeZone }) => [site, timeZone]));
      return sites.map((site) => bySite.get(site) ?? "UTC");
    }),
    webhookEvent: one<WebhookEvent & Row>(db, "WebhookEvent", "true"),
    deliveriesOfWebhook: pages<WebhookDelivery & Row, WebhookDeliveryFilter | undefined>(db, ["webhookId"], (filter) => ({
      table: "WebhookDelivery",
      where: new Where().equal({ status: filter?.status }),
      order: ["id"],
      descending: true,
      keepsDeletes: false,
    })),
  };
}
