/** A large database: the benchmark's inventory and components, plus maintenance, alerts, keys and photos of several tenants. */
import pg from "pg";

/** Number of rows that the jobs find due. */
export const due = { procedures: 40, deliveries: 30, oldDeliveries: 30, oldKeys: 50, uploads: 30 };

/** `count` rows `o`, numbered `n`, that go through the assets in rounds. `round` numbers the rounds. */
const perAsset = (count: number) =>
  `(select n, n / assets as round, "tenantId", "assetId" from (select n, (select count(*) from owner) as assets from generate_series(1, ${count}) n) n join owner on at = n % assets) o`;

const rows = [
  `create temp table owner as select "tenantId", id as "assetId", row_number() over (order by id, "tenantId") - 1 as at from "Asset"`,
  "analyze owner",
  // One in a hundred is overdue with a pending work order. Half of the due procedures are due by their lead time. All of them have missed
  // dates.
  `insert into "Procedure" ("tenantId", id, name, "assetId", frequency, anchor, "anchorSteps", "nextDue", "schedulingRules", "createdAt")
   select "tenantId", 'f-' || "assetId" || '-' || round, 'Lubricate ' || n, "assetId", 'monthly', now() - interval '4 years', n,
     case when n <= ${due.procedures / 2} then now() - interval '1 hour' when n <= ${due.procedures} then now() + interval '6 days' when round = 1 and "assetId" like '%50' then now() - interval '2 days'
       else now() + interval '10 days' + n % 720 * interval '1 day' end,
     case when n <= ${due.procedures / 2} then null when n % 3 = 0 or n <= ${due.procedures} then '{"leadTime": 7}'::jsonb end, timestamptz '2024-01-01' + n * interval '1 minute'
   from ${perAsset(20_000)}`,
  `insert into "WorkOrder" ("tenantId", id, "procedureId", occurrence, "assetId", origin, title, status, priority, "scheduledDate", "completedAt", "endedAt", duration, "createdBy", "createdAt")
   select "tenantId", replace(id, 'f-', 'w-'), id, case when pending then 1 end, "assetId", 'scheduler', name, case when pending then 'scheduled' else 'completed' end, 'medium', "nextDue", ended, ended, 30, 'x', "createdAt"
   from (select *, case when not pending then "createdAt" + interval '1 day' end as ended
     from (select *, "nextDue" < now() - interval '1 day' as pending from "Procedure") p) p`,
  `insert into "WorkOrderStatusChange" ("tenantId", "workOrderId", "toStatus", "changedBy", "changedByName") select "tenantId", id, status, 'x', 'x' from "WorkOrder"`,
  `insert into "Strategy" ("tenantId", id, name, type, "applicableAssetTypes")
   select "tenantId", 's' || n, 'Strategy ' || n, 'preventive', array['pump'] from "Tenant", generate_series(1, 20) n`,
  `insert into "TriggerCondition" ("tenantId", "strategyId", position, parameter, threshold, operator)
   select "tenantId", id, 0, 'parameter ' || substr(id, 2), 1e6, 'greater_than' from "Strategy"`,
  `insert into "Reading" ("tenantId", "assetId", parameter, value, "recordedAt", "recordedBy")
   select "tenantId", "assetId", 'parameter ' || 1 + round % 3, round, now() - round * interval '1 minute', 'x' from ${perAsset(60_000)}`,
  // Notifications of the last days are open, and so are a few older ones.
  `insert into "Notification" ("tenantId", id, "companyName", "assetId", "timestamp", type, severity, title, message, status, "endedAt", "createdBy", "createdAt")
   select "tenantId", 'n-' || "assetId" || '-' || round, 'x', "assetId", at, 'threshold', 'warning', 'Hot', 'Too hot', case when "isOpen" then 'open' else 'resolved' end,
     case when not "isOpen" then at end, 'x', at
   from (select *, now() - (20000 - n) * interval '10 minutes' as at, n > 19700 or n % 500 = 0 as "isOpen" from ${perAsset(20_000)}) n`,
  `insert into "NotificationStatusChange" ("tenantId", "notificationId", "toStatus", "changedBy", "changedByName") select "tenantId", id, status, 'x', 'x' from "Notification"`,
  `insert into "Webhook" ("tenantId", id, url, events, secret, "createdBy")
   select "tenantId", 'h' || n, 'https://example.org', array['work_order.created'], 'x', 'x' from "Tenant", generate_series(1, 5) n`,
  // The oldest events of the 50 records come first. Some wait for their next attempt, because their webhook did not respond.
  `insert into "WebhookEvent" ("tenantId", id, kind, "recordId", data, "createdAt")
   select "tenantId", 'e' || row_number() over (), 'work_order.created', 'w' || n % 50, '{}', now() - n * interval '500 seconds' from "Tenant", generate_series(1, 5000) n`,
  `insert into "WebhookDelivery" ("tenantId", "webhookId", "eventId", "recordId", status, attempts, "nextAttemptAt", "settledAt")
   select "tenantId", 'h' || 1 + n % 5, id, "recordId", case when pending then 'pending' else 'delivered' end, 1, case when n <= ${due.deliveries} then now() - interval '1 second' else now() + interval '1 hour' end,
     case when not pending then case when n <= ${60 + due.oldDeliveries} then now() - interval '31 days' else "createdAt" end end
   from (select *, n <= 60 as pending from (select *, row_number() over (order by id) as n from "WebhookEvent") e) e`,
  `insert into "IdempotencyKey" ("tenantId", key, fingerprint, status, response, "createdAt")
   select "tenantId", 'k' || n, 'x', 200, '{}', now() - case when n <= ${due.oldKeys} then interval '25 hours' else n % 1400 * interval '1 minute' end
   from ${perAsset(20_000)}`,
  // Registered photos, except some with an expired grant and some with a valid one. A few were registered in the last hours.
  `insert into "Photo" ("tenantId", id, "assetId", filename, "contentType", size, "storageKey", "grantedBy", "expiresAt", "uploadedAt")
   select "tenantId", 'i' || n, "assetId", 'x', 'image/png', 1, 'x', 'x', case when n <= ${due.uploads} then now() - interval '2 hours' when n <= 60 then now() else now() - n * interval '10 minutes' end,
     case when n > 60 then now() - n * interval '10 minutes' end
   from ${perAsset(20_000)}`,
  `insert into "ApiKey" ("tenantId", id, name, prefix, "secretHash", role)
   select "tenantId", 'y' || n, 'x', lpad(to_hex(n), 16, '0'), '\\x00', 'viewer' from ${perAsset(20_000)}`,
];

/** Loads the tenants and analyzes the tables. `big` has a sixth of the maintenance rows. */
export async function loadLargeDatabase(url: string): Promise<void> {
  const { loadTenant } = await import(new URL("../../bench/data.mjs", import.meta.url).href);
  const large = { assets: 2_000, components: 10, parts: 1_000, sites: 4, movements: 20 };
  for (const tenant of ["big", "other"]) await loadTenant(url, tenant, large, { tree: false });
  const small = { assets: 1_000, components: 2, parts: 50, sites: 2, movements: 5 };
  for (let i = 1; i <= 8; i++) await loadTenant(url, `small ${i}`, small, { tree: false });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of rows) await client.query(sql);
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}
