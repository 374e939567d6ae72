/** Operations beyond a single level (reversals, work orders, counts, history, closed months), applied to both the service and the model. */
import fc from "fast-check";
import type { Caller } from "../../world.js";
import { divided, type Level, type Line, Refusal, refuse, short, text } from "./stock-model.js";
import { amounts, by, done, named, number, type Outcome, outcome, type Pair, part, statusOf } from "./stock-pair.js";

export const document = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("reverse" as const), nth: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("use" as const), part, at: named, amount: amounts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("giveBack" as const), part, amount: amounts }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("count" as const),
      part,
      at: named,
      delta: fc.integer({ min: -50_000, max: 80_000 }).map(BigInt),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("approveCount" as const, "rejectCount" as const), nth: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("history" as const), part, days: fc.nat(400), amount: amounts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("close" as const, "reopen" as const), by }) },
);
export type Document = typeof document extends fc.Arbitrary<infer T> ? T : never;

const dayMs = 86_400_000;
const monthOf = (time: number) => new Date(time).toISOString().slice(0, 7);
const monthAfter = (month: string) => monthOf(Date.parse(`${month}-15T00:00:00Z`) + 30 * dayMs);

interface Use {
  level: Level;
  line: Line;
  left: bigint;
  leftValue: bigint;
}

interface Counted {
  id: string;
  level: Level;
  line: Line | undefined;
  isDecided: boolean;
}

const ask = async (caller: Caller, query: string, values: object): Promise<[Outcome, any]> => {
  const { data, errors } = await caller.graphql(query, { ...values });
  if (!errors) return [{ status: 200 }, data];
  const { code, ...rest } = errors[0]!.extensions;
  return [outcome(statusOf[code] ?? 500, rest), undefined];
};

const statusAlone = ({ status }: Outcome): Outcome => ({ status });

export class Documents {
  private readonly uses = new Map<number, Use[]>();
  private readonly counts: Counted[] = [];
  private readonly closed: { month: string; by: number }[] = [];
  private readonly begins = Date.UTC(new Date().getUTCFullYear() - 2, 0, 1);

  private constructor(
    private readonly pair: Pair,
    private readonly order: string,
  ) {}

  static async begin(pair: Pair): Promise<Documents> {
    const { tenant } = pair;
    const asset = await tenant.createAsset();
    const { body } = await tenant.rest("POST", "/pms", { name: "Work", assetId: asset.id, frequency: "monthly" });
    const { createWorkOrder } = await tenant.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id: body.id });
    return new Documents(pair, createWorkOrder.id);
  }

  async both(op: Document): Promise<[Outcome, Outcome]> {
    const { pair } = this;
    if (op.kind === "reverse") {
      const target = pair.posted[op.nth];
      const expected = done(() => {
        if (!target) throw new Refusal(404);
        if (target.isReversed || target.waits) refuse(409);
        target.level.reverse(target.line);
        target.isReversed = true;
      });
      const [actual] = await ask(pair.tenant, 'mutation ($id: ID!) { reverseMovement(id: $id, reason: "Wrong") { id } }', {
        id: target?.id ?? "none",
      });
      return [actual, expected];
    }
    if ("by" in op) return this.period(op.kind, op.by);
    if ("nth" in op) return this.decide(op.kind, op.nth);
    const partId = pair.partIds[op.part]!;
    const stock = pair.stocks[op.part]!;
    if (op.kind === "history") {
      const at = this.begins + op.days * dayMs;
      const expected = done(() => {
        const last = this.closed.at(-1)?.month;
        if (stock.at("C").movedAt >= at || (last !== undefined && monthOf(at) <= last)) refuse(409);
        stock.keep("C").post("receipt", op.amount, { at });
      });
      const input = { site: "C", quantity: number(op.amount), performedAt: new Date(at) };
      const [actual] = await ask(
        pair.tenant,
        "mutation ($partId: ID!, $input: MoveStockInput!) { receiveStock(partId: $partId, input: $input) { id } }",
        { partId, input },
      );
      return [actual, expected];
    }
    if (op.kind === "use") {
      const expected = done(() => {
        const level = stock.at(op.at);
        const allowed = level.available < 0n ? 0n : level.available;
        if (allowed < op.amount) short(allowed, op.amount);
        const line = level.post("issue", -op.amount);
        this.uses.set(op.part, [{ level, line, left: op.amount, leftValue: -line.value }, ...(this.uses.get(op.part) ?? [])]);
      });
      const input = { partId, quantity: number(op.amount), site: op.at };
      const [actual] = await ask(
        pair.tenant,
        "mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { id } }",
        { id: this.order, input },
      );
      return [actual, expected];
    }
    if (op.kind === "giveBack") {
      const expected = done(() => this.giveBack(op.part, op.amount));
      const input = { partId, quantity: number(op.amount) };
      const [actual] = await ask(
        pair.tenant,
        "mutation ($id: ID!, $input: ReturnFromWorkOrderInput!) { returnFromWorkOrder(id: $id, input: $input) { id } }",
        { id: this.order, input },
      );
      return [actual, expected];
    }
    return this.count(partId, op.at, stock.levels.get(op.at), op.delta);
  }

  /** Returns to the latest issue first, each at the value of that issue. */
  private giveBack(ofPart: number, quantity: bigint): void {
    const uses = this.uses.get(ofPart);
    if (!uses) throw new Refusal(400);
    const total = uses.reduce((sum, { left }) => sum + left, 0n);
    if (total < quantity) short(total, quantity);
    let rest = quantity;
    for (const use of uses) {
      const taken = rest < use.left ? rest : use.left;
      if (!taken) continue;
      const value = taken === use.left ? use.leftValue : divided(use.line.value * taken, use.line.quantity);
      use.level.post("return", taken, { value });
      use.left -= taken;
      use.leftValue -= value;
      rest -= taken;
    }
  }

  private async count(partId: string, at: string, level: Level | undefined, delta: bigint): Promise<[Outcome, Outcome]> {
    const counted = (level?.quantity ?? 0n) + delta;
    if (!level || level.deleted || counted < 0n) return [{ status: 200 }, { status: 200 }];
    const { tenant } = this.pair;
    const { createStockCount } = await tenant.ask(
      "mutation ($at: StockSite!, $partId: ID!) { createStockCount(input: { site: $at, partIds: [$partId] }) { id } }",
      { at, partId },
    );
    const lines = [{ partId, counted: number(counted) }];
    const [actual] = await ask(
      tenant,
      "mutation ($id: ID!, $lines: [CountedLineInput!]!) { recordCount(id: $id, lines: $lines) { id } postStockCount(id: $id) { id } }",
      { id: createStockCount.id, lines },
    );
    const line = delta ? level.post("cycle_count", delta) : undefined;
    if (delta > 0n) level.blocked += delta;
    this.counts.unshift({ id: createStockCount.id, level, line, isDecided: false });
    return [actual, { status: 200 }];
  }

  private async decide(kind: "approveCount" | "rejectCount", nth: number): Promise<[Outcome, Outcome]> {
    const target = this.counts[nth];
    const expected = done(() => {
      if (!target) throw new Refusal(404);
      const { line, level, isDecided } = target;
      if (!line || isDecided) throw new Refusal(409);
      if (kind === "rejectCount") level.reverse(line);
      if (line.quantity > 0n) level.blocked -= line.quantity;
      target.isDecided = true;
    });
    const field = kind === "approveCount" ? "approveStockCount" : "rejectStockCount";
    const [actual] = await ask(this.pair.callers[1]!, `mutation ($id: ID!) { ${field}(id: $id) { id } }`, { id: target?.id ?? "none" });
    return [statusAlone(actual), statusAlone(expected)];
  }

  private async period(kind: "close" | "reopen", who: number): Promise<[Outcome, Outcome]> {
    const last = this.closed.at(-1);
    const caller = this.pair.callers[who]!;
    if (kind === "reopen") {
      const expected = done(() => {
        if (!last) throw new Refusal(404);
        if (last.by === who) refuse(403);
        this.closed.pop();
      });
      const [actual] = await ask(caller, 'mutation ($month: String!) { reopenStockPeriod(month: $month, reason: "More") { id } }', {
        month: last?.month ?? "2000-01",
      });
      return [actual, expected];
    }
    const month = last ? monthAfter(last.month) : await this.firstMonth();
    if (!month) return [{ status: 200 }, { status: 200 }];
    const expected = done(() => {
      if (month >= monthOf(Date.now())) refuse(409);
      this.closed.push({ month, by: who });
    });
    const [actual] = await ask(caller, "mutation ($month: String!) { closeStockPeriod(month: $month) { id } }", { month });
    return [actual, expected];
  }

  /** The month of the first movement. */
  private async firstMonth(): Promise<string | undefined> {
    const { stockMovements } = await this.pair.tenant.ask(
      "{ stockMovements(first: 1, filter: { typeIn: [RECEIPT, ISSUE, RETURN, ADJUSTMENT, CYCLE_COUNT, WRITE_OFF, TRANSFER] }) { nodes { performedAt } } }",
    );
    return stockMovements.nodes[0]?.performedAt.slice(0, 7);
  }
}

export const shown = (op: object) => JSON.stringify(op, (_, value) => (typeof value === "bigint" ? text(value) : value));
