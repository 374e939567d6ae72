/** A tenant next to the model of its stock: runs operations on both, and compares every movement and view. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Caller, Gateway } from "../../world.js";
import { type Adjusted, divided, type Level, type Line, type Posted, Refusal, Stock, text, unit } from "./stock-model.js";

export const statusOf: Record<string, number> = { BAD_USER_INPUT: 400, FORBIDDEN: 403, NOT_FOUND: 404, CONFLICT: 409 };

export interface Outcome {
  status: number;
  available?: string;
  requested?: string;
  currentBalance?: string;
}

export const outcome = (status: number, { available, requested, currentBalance }: Record<string, unknown> = {}): Outcome =>
  JSON.parse(
    JSON.stringify({ status, available, requested, currentBalance }, (key, value) =>
      typeof value === "number" && key !== "status" ? String(value) : value,
    ),
  );

export const done = (work: () => void): Outcome => {
  try {
    work();
    return { status: 200 };
  } catch (refusal) {
    if (refusal instanceof Refusal) return outcome(refusal.status, refusal.details);
    throw refusal;
  }
};

const inputOf: Record<string, string> = {
  transferStock: "TransferStockInput!",
  adjustStock: "AdjustStockInput!",
  updateInventory: "UpdateInventoryInput!",
};

async function mutate(caller: Caller, field: string, values: Record<string, unknown>): Promise<Outcome & { id?: string }> {
  const types: Record<string, string> = { partId: "ID!", id: "ID!", site: "StockSite", input: inputOf[field] ?? "MoveStockInput!" };
  const names = Object.keys(values);
  const selected = field === "updateInventory" ? "partId" : field === "deleteInventory" ? "sites" : "id";
  const { data, errors } = await caller.graphql(
    `mutation (${names.map((name) => `$${name}: ${types[name]}`).join(", ")}) { result: ${field}(${names.map((name) => `${name}: $${name}`).join(", ")}) { ${selected} } }`,
    values,
  );
  if (!errors) return { status: 200, ...(data.result.id && { id: data.result.id }) };
  const { code, ...rest } = errors[0]!.extensions;
  return outcome(statusOf[code] ?? 500, rest);
}

export const amounts = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((n) => BigInt(n) * unit),
  fc.integer({ min: 1, max: 500_000 }).map(BigInt),
);
const costs = fc.option(fc.integer({ min: 1, max: 2_000_000 }).map(BigInt), { nil: undefined });
export const part = fc.nat(2);
export const named = fc.constantFrom("A", "B");
const site = fc.option(named, { nil: undefined, freq: 3 });
/** Offset of expectedBalance from the balance: mostly undefined, otherwise 0 (right) or 1 (wrong). */
const off = fc.option(fc.constantFrom(0n, 1n), { nil: undefined, freq: 8 });
export const by = fc.nat(1);

export const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom("receipt" as const, "return" as const), part, site, amount: amounts, cost: costs, off }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom("issue" as const, "reserve" as const), part, site, amount: amounts, off }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("unreserve" as const),
      part,
      site,
      amount: fc.integer({ min: 1, max: 100_000 }).map(BigInt),
      off,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("transfer" as const), part, from: named, to: named, amount: amounts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("gain" as const), part, site, amount: amounts, cost: costs, by, off }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("loss" as const), part, site, amount: amounts, by, off }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("set" as const),
      part,
      site,
      target: fc.option(fc.oneof(amounts, fc.constant(0n)), { nil: undefined }),
      cost: costs,
      off,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), part, site }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("approve" as const, "reject" as const), which: fc.nat(9), by }) },
);
export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const fieldOf = {
  receipt: "receiveStock",
  return: "returnStock",
  issue: "issueStock",
  reserve: "reserveStock",
  unreserve: "unreserveStock",
};
/** Stores the cost as sent in the note, so that the ledger can be recomputed from its entries. */
const costNote = (cost: bigint | undefined) => (cost === undefined ? undefined : `cost ${cost}`);
const costOf = (notes: string | null) => (notes ? BigInt(notes.slice(5)) : undefined);
export const number = (parts: bigint | undefined) => (parts === undefined ? undefined : Number(text(parts)));

/** Parses a decimal of the database, which has four places. */
const parts = (value: string) => BigInt(value.replace(".", ""));

/**
 * The operations that clients may send concurrently: without an expected balance, and without setting the cost of an empty level, which
 * creates no movement.
 */
export function atOnce(op: Operation): Operation {
  if ("which" in op || op.kind === "transfer" || op.kind === "delete") return op;
  return op.kind === "set" && !op.target ? { ...op, off: undefined, cost: undefined } : { ...op, off: undefined };
}

/** A tenant and its model side by side. */
export class Pair {
  readonly stocks: Stock[] = [new Stock(undefined), new Stock(25_000n), new Stock(33_333n)];
  readonly partIds: string[] = [];
  readonly adjusted: Adjusted[] = [];
  /** Manual receipts, issues and returns. */
  readonly posted: (Posted & { id: string; isReversed: boolean })[] = [];
  private constructor(
    private readonly gateway: Gateway,
    readonly callers: Caller[],
  ) {}

  static async begin(gateway: Gateway): Promise<Pair> {
    const tenant = await gateway.newTenant();
    return Pair.of(gateway, [tenant, await tenant.as("manager")]);
  }

  static async of(gateway: Gateway, callers: Caller[]): Promise<Pair> {
    const pair = new Pair(gateway, callers);
    for (const [i, { partCost }] of pair.stocks.entries()) {
      const { body } = await pair.tenant.rest("POST", "/parts", {
        partNumber: String(i),
        name: "P",
        site: "A",
        unitCost: number(partCost),
      });
      pair.partIds.push(body.partId);
    }
    return pair;
  }

  get tenant(): Caller {
    return this.callers[0]!;
  }

  /** The outcomes of the service and of the model. */
  async both(op: Operation): Promise<[Outcome, Outcome]> {
    const balance = this.balanceOf(op);
    let made: Posted | undefined;
    const expected = done(() => {
      made = this.model(op, balance);
    });
    const { id, ...actual } = await this.send(op, balance);
    if (made && id && "by" in op)
      this.adjusted.unshift({ id, ...made, creator: op.by, blocked: made.line.quantity > 0n ? made.line.quantity : 0n, decided: false });
    else if (made && id) this.posted.unshift({ id, ...made, isReversed: false });
    return [actual, expected];
  }

  /** The balance that the client expects. */
  private balanceOf(op: Operation): bigint | undefined {
    if (!("off" in op) || op.off === undefined) return undefined;
    const stock = this.stocks[op.part]!;
    return stock.at(op.site ?? stock.live()[0]?.[0] ?? "A").quantity + op.off;
  }

  private model(op: Operation, balance: bigint | undefined): Posted | undefined {
    if ("which" in op) {
      this.stocks[0]!.decide(this.adjusted[op.which], op.by, op.kind);
      return undefined;
    }
    const stock = this.stocks[op.part]!;
    if (op.kind === "transfer") stock.transfer(op.from, op.to, op.amount);
    else if (op.kind === "delete") stock.remove(op.site);
    else if (op.kind === "set") stock.set(op.site, op.target ?? balance, op.cost, balance);
    else if (op.kind === "gain") return stock.adjust("adjustment", op.site, op.amount, op.cost, balance);
    else if (op.kind === "loss") return stock.adjust("write_off", op.site, -op.amount, undefined, balance);
    else if (op.kind === "receipt" || op.kind === "return") return stock.comeIn(op.kind, op.site, op.amount, op.cost, balance);
    else return stock.goOut(op.kind, op.site, op.amount, balance);
    return undefined;
  }

  async send(op: Operation, balance?: bigint): Promise<Outcome & { id?: string }> {
    if ("which" in op) return mutate(this.callers[op.by]!, `${op.kind}Adjustment`, { id: this.adjusted[op.which]?.id ?? "none" });
    const partId = this.partIds[op.part]!;
    if (op.kind === "transfer")
      return mutate(this.tenant, "transferStock", { partId, input: { fromSite: op.from, toSite: op.to, quantity: number(op.amount) } });
    if (op.kind === "delete") return mutate(this.tenant, "deleteInventory", { partId, site: op.site });
    const cost = "cost" in op ? op.cost : undefined;
    const given = { site: op.site, expectedBalance: number(balance), notes: costNote(cost), unitCost: number(cost) };
    if (op.kind === "set") return mutate(this.tenant, "updateInventory", { partId, input: { ...given, currentStock: number(op.target) } });
    if (op.kind === "gain" || op.kind === "loss") {
      const what =
        op.kind === "gain" ? { adjustmentType: "CORRECTION", quantity: op.amount } : { adjustmentType: "LOSS", quantity: -op.amount };
      return mutate(this.callers[op.by]!, "adjustStock", { partId, input: { ...given, ...what, quantity: number(what.quantity) } });
    }
    return mutate(this.tenant, fieldOf[op.kind], { partId, input: { ...given, quantity: number(op.amount) } });
  }

  /** Rebuilds the model from the movements in order. Their values follow from the quantities and the costs sent. */
  async reckon(): Promise<void> {
    const rows = await this.gateway.database.query<Record<string, any>>(
      `select id, "partId", site, type, quantity::text, "reservedBalance"::text, notes, "reversalOf", "originId" from "StockMovement" where "tenantId" = $1 order by "performedAt", "originId" is not null, "partId", site, sequence`,
      [this.tenant.tenantId],
    );
    for (const stock of this.stocks) stock.levels.clear();
    const lines = new Map<string, Line>();
    for (const row of rows) {
      const level = this.stocks[this.partIds.indexOf(row.partId)]!.keep(row.site);
      const quantity = parts(row.quantity);
      const cost = costOf(row.notes);
      const taken = lines.get(row.reversalOf) ?? (row.type === "transfer" ? lines.get(row.originId) : undefined);
      if (row.type === "reserve" || row.type === "unreserve") level.reserve(row.type, quantity);
      else if (row.type === "revaluation") {
        level.post(row.type, 0n, { cost, value: divided(level.quantity * cost!, unit) - level.value });
        // The cost as set, regardless of rounding in the value.
        level.cost = cost;
      }
      // Precedes the reversal whose remainder it takes.
      else if (row.type === "price_difference") level.post(row.type, 0n, { value: lines.get(row.originId)!.value - level.value });
      else if (taken) level.post(row.type, quantity, { value: -taken.value });
      else level.post(row.type, quantity, { cost: quantity > 0n && row.type !== "cycle_count" ? cost : undefined });
      // Shipped stock was reserved for the transfer.
      if (row.type === "transfer") level.reserved = parts(row.reservedBalance);
      lines.set(row.id, level.lines.at(-1)!);
    }
    for (let after: string | null = null; ; ) {
      const { stockAdjustments } = await this.tenant.ask(
        "query ($after: String) { stockAdjustments(filter: { pending: true }, first: 500, after: $after) { nodes { partId site quantityExact } pageInfo { hasNextPage endCursor } } }",
        { after },
      );
      for (const { partId, site: name, quantityExact } of stockAdjustments.nodes) {
        const quantity = BigInt(Math.round(Number(quantityExact) * 10_000));
        if (quantity > 0n) this.stocks[this.partIds.indexOf(partId)]!.keep(name).blocked += quantity;
      }
      if (!stockAdjustments.pageInfo.hasNextPage) return;
      after = stockAdjustments.pageInfo.endCursor;
    }
  }

  levels = (): [partId: string, site: string, level: Level][] =>
    this.stocks.flatMap((stock, i) => [...stock.levels].map(([name, level]): [string, string, Level] => [this.partIds[i]!, name, level]));

  /** Compares every movement and level, and every view now and at past instants. */
  async compare(random: () => number): Promise<void> {
    const levels = this.levels();
    const rows = await this.gateway.database.query<Record<string, any>>(
      `select "partId", site, sequence, type, quantity::text, value::text, "newBalance"::text, "valueBalance"::text, "performedAt" from "StockMovement" where "tenantId" = $1 order by "partId", site, sequence`,
      [this.tenant.tenantId],
    );
    for (const [partId, name, level] of levels) {
      const lines = rows.filter((row) => row.partId === partId && row.site === name);
      expect(
        lines.map(({ type, quantity, value, newBalance, valueBalance }) => ({
          type,
          quantity: parts(quantity),
          value: parts(value),
          balance: parts(newBalance),
          valueBalance: parts(valueBalance),
        })),
        `movements of ${partId} at ${name}`,
      ).toEqual(level.lines);
    }
    const found = await this.gateway.database.query<Record<string, any>>(
      `select "partId", site, quantity::text, value::text, reserved::text, blocked::text, "unitCost"::text from "StockLevel" where "tenantId" = $1`,
      [this.tenant.tenantId],
    );
    for (const [partId, name, level] of levels) {
      const row = found.find((one) => one.partId === partId && one.site === name)!;
      expect(
        [row.quantity, row.value, row.reserved, row.blocked].map(parts).concat(row.unitCost === null ? [] : parts(row.unitCost)),
        `level of ${partId} at ${name}`,
      ).toEqual([level.quantity, level.value, level.reserved, level.blocked].concat(level.cost === undefined ? [] : level.cost));
    }
    const { verifyLedger, inventoryTotals } = await this.tenant.ask(
      "{ verifyLedger { balanced faults { partId site problem } } inventoryTotals { quantityExact totalValueExact } }",
    );
    expect(verifyLedger).toEqual({ balanced: true, faults: [] });
    const total = (figure: "quantity" | "value") => text(levels.reduce((sum, [, , level]) => sum + level[figure], 0n));
    expect(inventoryTotals).toEqual({ quantityExact: total("quantity"), totalValueExact: total("value") });
    await this.compareViews(rows, random);
  }

  private async compareViews(rows: Record<string, any>[], random: () => number): Promise<void> {
    if (!rows.length) return;
    const instants = Array.from({ length: 3 }, () => rows[Math.floor(random() * rows.length)]!.performedAt as Date);
    for (const at of instants) {
      const past = new Map<string, { quantity: bigint; value: bigint }>();
      for (const row of rows)
        if (row.performedAt <= at)
          past.set(JSON.stringify([row.partId, row.site]), { quantity: parts(row.newBalance), value: parts(row.valueBalance) });
      const sumOf = (partId?: string) => {
        const those = [...past].filter(([key]) => !partId || JSON.parse(key)[0] === partId).map(([, sums]) => sums);
        return {
          quantity: text(those.reduce((sum, { quantity }) => sum + quantity, 0n)),
          value: text(those.reduce((sum, { value }) => sum + value, 0n)),
        };
      };
      const {
        parts: page,
        movements,
        summary,
        aging,
      } = await this.tenant.ask(
        `query ($at: DateTime!) {
           parts { nodes { id stockAsOf(at: $at) { quantityExact totalValueExact } } }
           movements: inventoryReport(reportType: MOVEMENTS, filter: { startDate: "2000-01-01T00:00:00Z", endDate: $at }) { content }
           summary: inventoryReport(reportType: SUMMARY, filter: { startDate: "2000-01-01T00:00:00Z", endDate: $at }) { content }
           aging: inventoryReport(reportType: AGING, filter: { startDate: "2000-01-01T00:00:00Z", endDate: $at }) { content }
         }`,
        { at: at.toISOString() },
      );
      for (const { id, stockAsOf } of page.nodes) {
        const { quantity, value } = sumOf(id);
        expect(stockAsOf, `${id} at ${at.toISOString()}`).toEqual({ quantityExact: quantity, totalValueExact: value });
      }
      const all = sumOf();
      const exactly = (value: number) => text(BigInt(Math.round(value * 10_000)));
      const { closing } = movements.content;
      expect({ quantity: exactly(closing.quantity), value: exactly(closing.value) }, "movements report").toEqual(all);
      const aged = aging.content.aging.map((group: { quantity: number; value: number }) => [
        BigInt(Math.round(group.quantity * 10_000)),
        BigInt(Math.round(group.value * 10_000)),
      ]);
      const total = (i: number) => text(aged.reduce((sum: bigint, group: bigint[]) => sum + group[i]!, 0n));
      expect({ quantity: total(0), value: total(1) }, "aging report").toEqual(all);
      expect(exactly(summary.content.summary.totalValue), "summary report").toBe(all.value);
    }
  }
}
