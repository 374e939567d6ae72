/** A tenant with enough records that a document which reads all of them is slow. */
import type { Caller, Gateway } from "../world.js";

export const largePlant = { assets: 4_000, parts: 1_000, movementsPerPart: 100, orders: 20_000, notifications: 10_000, procedures: 1_000 };

const { assets, parts, movementsPerPart, orders, notifications, procedures } = largePlant;

/** The ids of one record of each type, which the generated documents ask for. */
export const knownIds: Record<string, string> = {
  Asset: "a1",
  Component: "c1",
  Part: "p1",
  Procedure: "r1",
  WorkOrder: "w1",
  Notification: "n1",
  Downtime: "d1",
};

const statements = [
  `insert into "Asset" ("tenantId", id, name, type, site, area, category, criticality, description, "serialNumber", "installationDate", "customFields")
   select $1, 'a' || n, 'Pump ' || n, (array['pump', 'press', 'robot'])[1 + n % 3], 'Site ' || n % 10, 'Area ' || n % 40, 'Category ' || n % 7, 'high', repeat('pump ', 20), 'SN-' || n,
     now() - interval '1000 days', jsonb_build_object('note', repeat('x', 500)) from generate_series(1, ${assets}) n`,
  `insert into "Component" ("tenantId", id, "assetId", position, level, path, name, type, description)
   select $1, 'c' || n, 'a' || n, 0, 0, 'c' || n || '.', 'Drive ' || n, 'drive', repeat('pump ', 10) from generate_series(1, ${assets}) n`,
  `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type, description)
   select $1, 'c' || n || '-' || m, 'a' || n, 'c' || n, m, 1, 'c' || n || '.' || m || '.', 'Bearing ' || m, 'bearing', repeat('pump ', 10)
   from generate_series(1, ${assets}) n, generate_series(1, 4) m`,
  `insert into "Part" ("tenantId", id, "partNumber", name, category, "unitCost", "minimumStock", "reorderPoint", "leadTime")
   select $1, 'p' || n, 'P-' || n, 'Pump seal ' || n, 'Category ' || n % 12, 1 + n % 100, 5, 10, 14 from generate_series(1, ${parts}) n`,
  `insert into "StockLevel" ("tenantId", "partId", site, quantity, "previousQuantity", value, "previousValue", sequence, "valuedSequence", "unitCost", "movedAt")
   select $1, 'p' || n, 'Site ' || n % 10, 1000 + ${movementsPerPart}, 997 + ${movementsPerPart}, (1000 + ${movementsPerPart}) * (1 + n % 100), (997 + ${movementsPerPart}) * (1 + n % 100),
     ${movementsPerPart}, ${movementsPerPart}, 1 + n % 100, now() from generate_series(1, ${parts}) n`,
  `insert into "StockMovement" ("tenantId", id, "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", "unitCost", "totalValue", value, "valueBalance", reason, "performedBy", "performedByName", "performedAt")
   select $1, 'm' || n || '-' || m, 'p' || n, 'Site ' || n % 10, m, case q when -1 then 'issue' else 'receipt' end, q, b - q, b, 0, c, q * c, q * c, b * c, repeat('pump ', 5), 'store', 'store',
     now() - interval '720 days' + m * interval '7 days'
   from generate_series(1, ${parts}) n, generate_series(1, ${movementsPerPart}) m,
     lateral (select 1 + n % 100 as c, case when m = 1 then 999 when m % 2 = 0 then 3 else -1 end as q, 1000 + m - m % 2 * 2 as b) s order by n, m`,
  `insert into "Procedure" ("tenantId", id, name, "assetId", frequency, "customIntervalDays", anchor, "anchorSteps", "nextDue", steps, "estimatedDuration")
   select $1, 'r' || n, 'Inspect pump ' || n, 'a' || n, 'custom', 1 + n % 28, now() - interval '400 days', 0, now() - interval '1 day' * (n % 7), '[{"order": 1, "description": "Look"}]', 30
   from generate_series(1, ${procedures}) n`,
  `insert into "ProcedurePart" ("tenantId", "procedureId", position, "partId", quantity) select $1, 'r' || n, m, 'p' || 1 + (n * 7 + m) % ${parts}, 2
   from generate_series(1, ${procedures}) n, generate_series(0, 2) m`,
  `insert into "WorkOrder" ("tenantId", id, "assetId", origin, title, priority, type, status, "scheduledDate", "startedAt", "completedAt", "endedAt", duration, "laborCost", "createdBy", "createdAt", notes)
   select $1, 'w' || n, 'a' || 1 + n % ${assets}, 'manual', 'Repair pump ' || n, 'medium', (array['corrective', 'preventive'])[1 + n % 2], case n % 10 when 0 then 'scheduled' else 'completed' end,
     t, case n % 10 when 0 then null else t + interval '1 hour' end, case n % 10 when 0 then null else t + interval '3 hours' end, case n % 10 when 0 then null else t + interval '3 hours' end,
     120, 80, 'planner', t, repeat('pump ', 10)
   from generate_series(1, ${orders}) n, lateral (select now() - interval '1 hour' * (n * 17520.0 / ${orders}) as t) s`,
  `insert into "WorkOrderPart" ("tenantId", "workOrderId", "partId", site, quantity, status) select $1, 'w' || n, 'p' || 1 + (n * 7 + m) % ${parts}, 'Site ' || (1 + (n * 7 + m) % ${parts}) % 10, 2,
   case n % 10 when 0 then 'reserved' else 'released' end from generate_series(1, ${orders}) n, generate_series(0, 1) m`,
  `insert into "WorkOrderStep" ("tenantId", "workOrderId", "order", description) select $1, 'w' || n, m, 'Look at the pump' from generate_series(1, ${orders}) n, generate_series(1, 2) m`,
  `insert into "Downtime" ("tenantId", id, "assetId", "startedAt", "endedAt", cause, planned, source)
   select $1, 'd' || n, 'a' || 1 + n % ${assets}, t, t + interval '3 hours', (array['failure', 'planned'])[1 + n % 2], n % 2 = 1, 'person'
   from generate_series(1, ${orders}) n, lateral (select now() - interval '1 hour' * (24 + n * 17520.0 / ${orders}) as t) s`,
  `insert into "Notification" ("tenantId", id, "companyName", "siteName", "assetId", timestamp, type, severity, title, message, "createdBy")
   select $1, 'n' || n, 'Plant', 'Site ' || n % 10, 'a' || 1 + n % ${assets}, now() - n * interval '1 hour', 'anomaly', 'critical', 'Pump ' || n, repeat('pump ', 20), 'sensor'
   from generate_series(1, ${notifications}) n`,
  `insert into "Reading" ("tenantId", "assetId", parameter, value, unit, "recordedAt", "recordedBy")
   select $1, 'a' || 1 + n % 100, 'heat', n % 80, 'C', now() - n * interval '10 minutes', 'sensor' from generate_series(1, 40000) n`,
];

/** Creates the tenant, with an admin's key. */
export async function fillLargePlant(gateway: Gateway): Promise<Caller> {
  const tenant = await gateway.newTenant();
  for (const statement of statements) await gateway.database.query(statement, [tenant.tenantId]);
  await gateway.database.query("analyze");
  return tenant;
}
