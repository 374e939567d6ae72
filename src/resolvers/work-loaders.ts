/** Loaders of procedures, work orders, strategies, notifications and webhooks. */
import DataLoader from "dataloader";
import { type Rows, rowColumns } from "../database/catalogue.js";
import type { TenantDatabase } from "../database/database.js";
import { type List, Where } from "../database/page.js";
import { assignedAssets, performanceOf } from "../domain/maintenance/strategies.js";
import type { WebhookDeliveryFilter } from "../schema/alerts/webhook.js";
import type { ProcedureExecution, ProcedurePerformance } from "../schema/maintenance/procedure.js";
import type { ReadingFilter } from "../schema/maintenance/reading.js";
import type { StrategyPerformance } from "../schema/maintenance/strategy.js";
import { groupBy, joinLoader, listLoader, pageLoader, recordLoader } from "./loading.js";

/** Maximum number of executions in the history of a procedure: the most recent ones. */
const historyLength = 100;

/** Loads values with a function that returns them by id. Null for ids without a value. */
const valueLoader = <V>(load: (ids: readonly string[]) => Promise<Map<string, V>>) =>
  new DataLoader<string, V | null>(async (ids) => {
    const rows = await load(ids);
    return ids.map((id) => rows.get(id) ?? null);
  });

/** Loads the assets assigned to strategies that meet a condition on the asset `a`. */
const assetsOfStrategy = (db: TenantDatabase, condition = "true", columns = rowColumns("Asset", "a")) =>
  new DataLoader<string, Rows["Asset"][]>(async (ids) => {
    const rows = await db.query<Rows["Asset"] & { $of: string }>(
      `select s.id as "$of", ${columns} from "Strategy" s join "Asset" a on a."tenantId" = $1 and a."deletedAt" is null and ${assignedAssets("s", "a")}
       where s."tenantId" = $1 and s.id = any($2) and ${condition} order by a.name, a.id`,
      ids,
    );
    const groups = groupBy(rows, (row) => row.$of);
    return ids.map((id) => groups.get(id) ?? []);
  });

export function makeWorkLoaders(db: TenantDatabase) {
  const workOrders = (): List<"WorkOrder"> => ({ table: "WorkOrder", where: new Where(), order: ["createdAt", "id"] });
  return {
    procedure: recordLoader(db, "Procedure"),
    proceduresOfAsset: listLoader(db, "Procedure", "assetId", `"createdAt", id`),
    partsOfProcedure: listLoader(db, "ProcedurePart", "procedureId", "position"),
    historyOfProcedure: new DataLoader<string, ProcedureExecution[]>(async (ids) => {
      const rows = await db.query<ProcedureExecution & { procedureId: string }>(
        `select w."procedureId", w."workOrderId", w."executedDate", w.duration, w.technician, w.status from unnest($2::text[]) k(id) cross join lateral (
           select "procedureId", id as "workOrderId", "completedAt" as "executedDate", duration, technician, status from "WorkOrder"
           where "tenantId" = $1 and "procedureId" = k.id and "completedAt" is not null order by "completedAt" desc, id desc limit ${historyLength}) w
         order by w."executedDate", w."workOrderId"`,
        ids,
      );
      const groups = groupBy(rows, (row) => row.procedureId);
      return ids.map((id) => groups.get(id) ?? []);
    }),
    performanceOfProcedure: valueLoader<ProcedurePerformance>(async (ids) => {
      const rows = await db.query<ProcedurePerformance & { procedureId: string }>(
        `select "procedureId", round(avg(duration), 4) as "averageDuration", round(100.0 * count("completedAt") / count(*), 2) as "completionRate",
           round(avg(coalesce("partsCost", 0) + coalesce("laborCost", 0)) filter (where "completedAt" is not null), 4) as "averageCost"
         from "WorkOrder" where "tenantId" = $1 and "procedureId" = any($2) and "endedAt" is not null group by 1`,
        ids,
      );
      return new Map(rows.map((row) => [row.procedureId, row]));
    }),
    workOrder: recordLoader(db, "WorkOrder"),
    stepsOfWorkOrder: listLoader(db, "WorkOrderStep", "workOrderId", `"order"`),
    partsOfWorkOrder: listLoader(db, "WorkOrderPart", "workOrderId", `"partId"`),
    statusHistoryOfWorkOrder: listLoader(db, "WorkOrderStatusChange", "workOrderId", "id"),
    workOrdersOfProcedure: pageLoader<"WorkOrder">(db, ["procedureId"], workOrders),
    workOrdersOfAsset: pageLoader<"WorkOrder">(db, ["assetId"], workOrders),
    workOrdersOfNotification: listLoader(db, "WorkOrder", "notificationId", `"createdAt", id`),
    workOrderIdsOfComponent: new DataLoader<string, string[]>(async (ids) => {
      const rows = await db.query<{ id: string; componentId: string }>(
        `select id, "componentId" from "WorkOrder" where "tenantId" = $1 and "componentId" = any($2) order by "createdAt", id`,
        ids,
      );
      const groups = groupBy(rows, (row) => row.componentId);
      return ids.map((id) => (groups.get(id) ?? []).map((row) => row.id));
    }),
    strategy: recordLoader(db, "Strategy"),
    triggerConditions: listLoader(db, "TriggerCondition", "strategyId", "position"),
    proceduresOfStrategy: joinLoader(db, "StrategyProcedure", "strategyId", "procedureId", "Procedure", `t."deletedAt" is null`),
    assetsOfStrategy: assetsOfStrategy(db),
    assetIdsOfStrategy: assetsOfStrategy(db, "true", "a.id"),
    uncoveredAssets: assetsOfStrategy(
      db,
      `not exists (select 1 from "Procedure" p where p."tenantId" = $1 and p."assetId" = a.id and p.status = 'active' and p."deletedAt" is null)`,
    ),
    performanceOfStrategy: valueLoader<StrategyPerformance>((ids) => performanceOf(db, ids)),
    notification: recordLoader(db, "Notification"),
    feedback: recordLoader(db, "NotificationFeedback"),
    feedbackOfNotification: listLoader(db, "NotificationFeedback", "notificationId", `"createdAt", id`),
    statusHistoryOfNotification: listLoader(db, "NotificationStatusChange", "notificationId", "id"),
    notificationsOfAsset: pageLoader<"Notification">(db, ["assetId"], () => ({
      table: "Notification",
      where: new Where(),
      order: ["createdAt", "id"],
    })),
    readingsOfAsset: pageLoader<"Reading", ReadingFilter | undefined>(db, ["assetId"], (filter) => {
      const where = new Where().equal({ parameter: filter?.parameter });
      if (filter?.from) where.add(`"recordedAt" >= ?`, filter.from);
      if (filter?.until) where.add(`"recordedAt" <= ?`, filter.until);
      return { table: "Reading", where, order: ["recordedAt", "id"], descending: true };
    }),
    timeZone: new DataLoader<string, string>(async (sites) => {
      const rows = await db.query<{ site: string; timeZone: string }>(
        `select site, "timeZone" from "SiteSetting" where "tenantId" = $1 and site = any($2)`,
        sites,
      );
      const bySite = new Map(rows.map(({ site, timeZone }) => [site, timeZone]));
      return sites.map((site) => bySite.get(site) ?? "UTC");
    }),
    webhookEvent: recordLoader(db, "WebhookEvent"),
    deliveriesOfWebhook: pageLoader<"WebhookDelivery", WebhookDeliveryFilter | undefined>(db, ["webhookId"], (filter) => ({
      table: "WebhookDelivery",
      where: new Where().equal({ status: filter?.status }),
      order: ["id"],
      descending: true,
    })),
  };
}
