/** Queries of clients that keep a copy, and the rows that each of them may read. */
import type { Caller } from "../world.js";

const versioned = ["Asset", "Component", "WorkOrder", "Notification", "Procedure"];

/** Assets, and types that belong to an asset. */
export const followedTypes = [
  "ASSET",
  "COMPONENT",
  "UNIT",
  "PHOTO",
  "WORK_ORDER",
  "WORK_ORDER_STATUS_CHANGE",
  "NOTIFICATION",
  "NOTIFICATION_STATUS_CHANGE",
  "PROCEDURE",
  "ASSET_STATUS_CHANGE",
];

export const copyQuery = `query ($token: String, $recordTypes: [RecordType!], $first: Int! = 100) {
  changesSince(token: $token, recordTypes: $recordTypes, first: $first) {
    records { recordType recordId record { id ${versioned.map((type) => `... on ${type} { version }`).join(" ")} } } nextToken hasMore
  }
}`;

/**
 * The versions of a tenant's live records of these types by type and id, at some sites, or at all if the list is empty. A record is at the
 * site of its asset, a procedure at the sites of its assets, and a unit at the sites of its periods.
 */
export async function readableRecords({ gateway, tenantId }: Caller, sites: string[]): Promise<Record<string, number | null>> {
  const at = (asset: string) =>
    `exists (select 1 from "Asset" a where a."tenantId" = $1 and a.id = ${asset} and ($2::text[] = '{}' or a.site = any($2)))`;
  const rows = await gateway.database.query<{ key: string; version: number | null }>(
    `select 'ASSET ' || r.id as key, r.version from "Asset" r where r."tenantId" = $1 and r."deletedAt" is null and ${at("r.id")}
     union all select 'COMPONENT ' || r.id, r.version from "Component" r where r."tenantId" = $1 and r."deletedAt" is null and ${at(`r."assetId"`)}
     union all select 'UNIT ' || r.id, null from "Unit" r where r."tenantId" = $1 and exists (select 1 from "UnitPeriod" p
       left join "Component" c on c."tenantId" = $1 and c.id = p."componentId" left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
       where p."tenantId" = $1 and p."unitId" = r.id and ($2::text[] = '{}' or case when p."componentId" is null then p.site else a.site end = any($2)))
     union all select 'PHOTO ' || r.id, null from "Photo" r where r."tenantId" = $1 and r."deletedAt" is null and r."uploadedAt" is not null and ${at(`r."assetId"`)}
     union all select 'WORK_ORDER ' || r.id, r.version from "WorkOrder" r where r."tenantId" = $1 and ${at(`r."assetId"`)}
     union all select 'WORK_ORDER_STATUS_CHANGE WorkOrderStatusChange:' || s.id, null from "WorkOrderStatusChange" s join "WorkOrder" r on r."tenantId" = $1 and r.id = s."workOrderId"
       where s."tenantId" = $1 and ${at(`r."assetId"`)}
     union all select 'NOTIFICATION ' || r.id, r.version from "Notification" r where r."tenantId" = $1 and ${at(`r."assetId"`)}
     union all select 'NOTIFICATION_STATUS_CHANGE NotificationStatusChange:' || s.id, null from "NotificationStatusChange" s join "Notification" r on r."tenantId" = $1 and r.id = s."notificationId"
       where s."tenantId" = $1 and ${at(`r."assetId"`)}
     union all select 'PROCEDURE ' || r.id, r.version from "Procedure" r where r."tenantId" = $1 and r."deletedAt" is null and (${at(`r."assetId"`)}
       or exists (select 1 from "ProcedureAsset" c where c."tenantId" = $1 and c."procedureId" = r.id and ${at(`c."assetId"`)}))
     union all select 'ASSET_STATUS_CHANGE AssetStatusChange:' || s.id, null from "AssetStatusChange" s where s."tenantId" = $1 and ${at(`s."assetId"`)}`,
    [tenantId, sites],
  );
  return Object.fromEntries(rows.map(({ key, version }) => [key, version]));
}
