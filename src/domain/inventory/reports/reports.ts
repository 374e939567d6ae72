/** Inventory reports (docs/interface.md 4.3, rules 7 to 9; docs/stock.md, "Reports"). */
import { now, nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { digestOf, foreignCursor, readPage } from "../../../database/rows/cursor.js";
import type { PageRequest } from "../../../schema/connection.js";
import { badInput } from "../../../schema/errors.js";
import type { ReportType } from "../../../schema/inventory/enums.js";
import type { AbcAnalysis, StockTurnover } from "../../../schema/inventory/reports/part-report.js";
import type { ReportFilter } from "../../../schema/inventory/reports/report.js";
import { checkPeriod } from "../../../schema/inventory/stock/movement.js";
import { decodeToken, encodeToken } from "../../../schema/token.js";
import { balances, pageOf, partReports, reports } from "./report-sql.js";

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

interface PartReports {
  abc_analysis: AbcAnalysis;
  turnover: StockTurnover;
}

/** Values of a cursor: the period, because its default depends on the time of the first page, and the last part's amount and number. */
type Position = [start: string, end: string, amount: string, partNumber: string];

/** A part of a report. `amount` is the exact decimal by which pages are sorted. */
interface PartRow {
  partNumber: string;
  amount: string;
}

const digestOfPage = (tenantId: string, report: keyof PartReports, filter: ReportFilter, position: Position) =>
  digestOf([tenantId, report, filter.startDate, filter.endDate, filter.category, filter.location, position]);

function positionAfter(db: TenantQueryable, report: keyof PartReports, filter: ReportFilter, request: PageRequest) {
  const [digest, ...values] = decodeToken(request.after!) ?? [];
  const position = values as Position;
  const isDate = (text: string) => !Number.isNaN(Date.parse(text));
  const isWhole = values.length === 4 && values.every((value) => typeof value === "string") && isDate(position[0]) && isDate(position[1]);
  if (!isWhole || digest !== digestOfPage(db.tenantId, report, filter, position)) throw foreignCursor(request, "after");
  return position;
}

/**
 * Returns a page of a report with a row for each part: the greatest amounts first, then by part number. All pages have the period of the
 * first. Runs one statement, which computes the whole report. Throws BAD_USER_INPUT naming startDate, endDate or after.
 */
export async function partReport<R extends keyof PartReports>(
  db: TenantQueryable,
  report: R,
  filter: ReportFilter,
  request: PageRequest,
): Promise<PartReports[R]> {
  const position = request.after ? positionAfter(db, report, filter, request) : undefined;
  const { start, end, past } = periodOf(
    position ? { ...filter, startDate: new Date(position[0]), endDate: new Date(position[1]) } : filter,
  );
  const span = { start: "$4::timestamptz", end: "$5::timestamptz", past };
  const { ctes, content } = pageOf(partReports[report](span), { amount: "$6::numeric", partNumber: "$7::text", limit: "$8::int" });
  const [row] = await readPage<{ content: { rows: PartRow[]; totals: never; totalCount: number } }>(
    db,
    `${plannedEachTime}with ${[asked, balances(span), ...ctes].join(", ")} select ${content} as content`,
    [filter.category ?? null, filter.location ?? null, start, end, position?.[2] ?? null, position?.[3] ?? null, request.first + 1],
    request,
  );
  const { rows, ...whole } = row!.content;
  const nodes = rows.slice(0, request.first);
  const cursorOf = (part: PartRow | undefined) => {
    if (!part) return null;
    const at: Position = [start.toISOString(), end.toISOString(), part.amount, part.partNumber];
    return encodeToken(digestOfPage(db.tenantId, report, filter, at), ...at);
  };
  const pageInfo = {
    hasNextPage: rows.length > nodes.length,
    hasPreviousPage: position !== undefined,
    startCursor: cursorOf(nodes[0]),
    endCursor: cursorOf(nodes.at(-1)),
  };
  return { ...whole, nodes: nodes as never[], pageInfo, startDate: start, endDate: end };
}
