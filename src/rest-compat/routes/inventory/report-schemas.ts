/** The contents of the inventory reports: docs/interface.md 4.3, rules 7 to 9. */

const number = { type: "number" };
const text = { type: "string" };
const instant = { type: "string", format: "date-time" };
const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (name: string) => ({ type: "array", items: refer(name) });
const object = (properties: Record<string, object>, description?: string) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...(description && { description }),
});
const orNull = { type: ["number", "null"] };

const report = (type: string, description: string, content: Record<string, object>) =>
  object({ reportType: { type: "string", enum: [type] }, generatedAt: instant, ...content }, description);

const turnover = { issuedValue: number, averageStockValue: number, basisDays: number, turnover: orNull, daysOnHand: orNull };

export const reportSchemas: Record<string, object> = {
  StockSummary: object({ totalParts: number, totalValue: number, totalMovements: number, averageTurnover: orNull }),
  StockStatusCounts: object(
    { adequate: number, lowStock: number, outOfStock: number, excessStock: number },
    "Inventory records by status.",
  ),
  CategoryStock: object({ category: text, partCount: number, totalValue: number, percentage: number }),
  SummaryReport: report("summary", "What there is, and what it is worth.", {
    summary: refer("StockSummary"),
    stockStatus: refer("StockStatusCounts"),
    categoryBreakdown: listOf("CategoryStock"),
  }),
  StockValue: object({ quantity: number, value: number }),
  MovementTotal: object({ type: text, count: number, in: number, out: number, value: number }, "Movements of one type."),
  MovementsReport: report("movements", "What came in and went out in a period.", {
    startDate: instant,
    endDate: instant,
    opening: refer("StockValue"),
    movements: listOf("MovementTotal"),
    closing: refer("StockValue"),
  }),
  AbcClass: object({ partCount: number, valuePercentage: number, totalValue: number }),
  AbcPart: object({
    partId: text,
    partNumber: text,
    class: { type: "string", enum: ["A", "B", "C"] },
    annualUsageValue: number,
    percentage: number,
  }),
  AbcAnalysis: object({ classA: refer("AbcClass"), classB: refer("AbcClass"), classC: refer("AbcClass") }),
  AbcReport: report("abc_analysis", "Parts by the value of what was used of them.", {
    analysis: refer("AbcAnalysis"),
    parts: listOf("AbcPart"),
  }),
  Turnover: object(
    turnover,
    "`turnover` is that of a year. It is null where there was no stock, or for fewer than 30 days (`basisDays`); `daysOnHand` is null where nothing was used.",
  ),
  PartTurnover: object({ partId: text, partNumber: text, ...turnover }),
  TurnoverReport: report("turnover", "How often the stock was turned over in a period.", {
    startDate: instant,
    endDate: instant,
    turnover: refer("Turnover"),
    parts: listOf("PartTurnover"),
  }),
  StockAge: object({
    days: { type: "string", enum: ["0-30", "31-60", "61-90", "91-180", "181-365", ">365"] },
    quantity: number,
    value: number,
  }),
  AgingReport: report("aging", "How long the stock has been there, first in, first out.", { asOf: instant, aging: listOf("StockAge") }),
};
