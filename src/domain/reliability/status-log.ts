/** Downtimes that predate the trigger of the status log (docs/work.md, "Downtime and reliability"). */

import type { Queryable } from "../../database/database.js";
import { insertSelect } from "../../database/rows/catalogue.js";

/** A downtime ends at the next status that is not a downtime. Downtimes of zero length are omitted. */
const reported = `(
  select s.id, s."assetId", s."changedAt" as begins, s.ends, s.cause, s."changedBy" from (
    select m.id, m."assetId", m."changedAt", m."changedBy", m."isDown", downtime_cause(m."fromStatus", m."toStatus") as cause, lead(m."changedAt") over (partition by m."assetId" order by m.id) as ends
    from (
      select c.id, c."assetId", c."fromStatus", c."toStatus", c."changedAt", c."changedBy", c."toStatus" in ('maintenance', 'offline') as "isDown",
        lag(c."toStatus" in ('maintenance', 'offline'), 1, false) over (partition by c."assetId" order by c.id) as "wasDown"
      from "AssetStatusChange" c where c."tenantId" = $1
    ) m where m."isDown" <> m."wasDown"
  ) s where s."isDown" and (s.ends is null or s.ends > s."changedAt")
) d`;

/**
 * Creates the downtimes that follow from the tenant's status log, as the migration did. Ids derive from log entries, so that no downtime is
 * created twice.
 */
export const downtimesFromLog = (db: Queryable, tenantId: string) =>
  db.query(
    `${insertSelect(
      "Downtime",
      {
        id: `downtime_id($1, d.id)`,
        assetId: `d."assetId"`,
        startedAt: "d.begins",
        endedAt: "d.ends",
        cause: "d.cause",
        planned: "d.cause = 'planned'",
        description: "null",
        workOrderId: "null",
        source: "'status'",
        createdAt: "d.begins",
        createdBy: `d."changedBy"`,
        updatedAt: "coalesce(d.ends, d.begins)",
        updatedBy: `d."changedBy"`,
        version: "1",
        deletedAt: "null::timestamptz",
      },
      reported,
    )} on conflict do nothing`,
    [tenantId],
  );
