/** SQL of what was used of a part: issued less what came back, by when it happened, without what was taken back. */

/** SQL of the type of the issue or return that a movement takes back, null if it takes none back. */
export const takenBackType = (m: string) =>
  `case when ${m}."reversalOf" is not null then (select t.type from "StockMovement" t where t."tenantId" = $1 and t.id = ${m}."reversalOf" and t.type in ('issue', 'return')) end`;

/** The condition of a movement that counts for the usage since a time. None happens after it was posted. */
export const isUsage = (m: string, since: string) =>
  `${m}."performedAt" > ${since} and (${m}.type in ('issue', 'return') or ${takenBackType(m)} is not null) and (${m}."occurredAt" is null or ${m}."occurredAt" > ${since})`;
