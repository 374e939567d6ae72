/** SQL of a part's usage: issues less returns, by the time they took place, without reversed ones. */

/** SQL of the type of the issue or return that a movement reverses. Null if it reverses none. */
export const takenBackType = (m: string) =>
  `case when ${m}."reversalOf" is not null then (select t.type from "StockMovement" t where t."tenantId" = $1 and t.id = ${m}."reversalOf" and t.type in ('issue', 'return')) end`;

/** Condition of a movement that counts as usage since a time. `occurredAt` is never later than the posting. */
export const isUsage = (m: string, since: string) =>
  `${m}."performedAt" > ${since} and (${m}.type in ('issue', 'return') or ${takenBackType(m)} is not null) and (${m}."occurredAt" is null or ${m}."occurredAt" > ${since})`;
