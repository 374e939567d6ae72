/** Inventory reports (docs/interface.md 4.3, rules 7 to 9; docs/stock.md, "Reports"). */
import { now, nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { badInput } from "../../../schema/errors.js";
import type { ReportType } from "../../../schema/inventory/enums.js";
import type { ReportFilter } from "../../../schema/inventory/reports/report.js";
import { checkPeriod } from "../../../schema/inventory/stock/movement.js";
import { balances, reports } from "./report-sql.js";

interface Period {
  start: Date;
  end: Date;
  past: boolean;
}

/** CTE that gives the parameters a type, because not every report uses them. */
const asked = `asked as (select $4::timestamptz, $5::timestamptz)`;

const dayMs = 86_400_000;

/** The period of a report. Defaults to the year before `endDate`, and `endDate` to now (docs/decisions.md, "period of a report"). */
function periodOf({ startDate, endDate }: ReportFilter): Period {
  checkPeriod({ startDate, endDate });
  const end = endDate ?? nowDate();
  const start = startDate ?? new Date(end.getTime() - 365 * dayMs);
  if (start > end) throw badInput({ startDate: "must not be in the future where endDate is left out" });
  return { start, end, past: endDate != null && endDate.getTime() < now() };
}

/**
 * Returns the report of a period. PostgreSQL builds it as one JSON object, which converts decimals without loss. Throws BAD_USER_INPUT
 * naming startDate or endDate.
 */
export async function inventoryReport(db: TenantQueryable, reportType: ReportType, filter: ReportFilter) {
  const { start, end, past } = periodOf(filter);
  const span = { start: "$4::timestamptz", end: "$5::timestamptz", past };
  const { ctes, content } = reports[reportType](span);
  const [row] = await db.query<{ content: Record<string, unknown> }>(
    `${plannedEachTime}with ${[asked, balances(span), ...ctes].join(", ")} select ${content} as content`,
    filter.category ?? null,
    filter.location ?? null,
    start,
    end,
  );
  return { reportType, generatedAt: nowDate(), content: row!.content };
}
