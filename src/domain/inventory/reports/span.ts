/** Period and scope of an inventory report. $1 is the tenant, $2 a category, $3 a location or site. */

/** The period of a report, as SQL. */
export interface Span {
  start: string;
  end: string;
  /** Whether the period ends before now. The report then shows the stock at its end. */
  past: boolean;
}

/** SQL of a condition on part and site. */
export const inScope = (
  row: string,
) => `($2::text is null or ${row}."partId" in (select id from "Part" where "tenantId" = $1 and category = $2))
    and ($3::text is null or ${row}.site = $3 or exists (select 1 from "Stock" s where s."tenantId" = $1 and s."partId" = ${row}."partId" and s.site = ${row}.site and s.location = $3))`;

/** SQL of the start of the month of a UTC time without zone. Unlike `monthOf`, PostgreSQL evaluates it once per statement. */
export const monthAt = (time: string, months = 0) => `date_trunc('month', ${time}) + interval '${months} month'`;
