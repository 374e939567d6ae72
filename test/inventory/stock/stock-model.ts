/** A simple in-memory implementation of stock and its value, in whole ten-thousandths. It follows docs/stock.md and uses no database. */

export const unit = 10_000n;

/** Integer division, rounding halves away from zero. */
export function divided(a: bigint, b: bigint): bigint {
  const negative = a < 0n !== b < 0n;
  const [n, d] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const quotient = (2n * n + d) / (2n * d);
  return negative ? -quotient : quotient;
}

/** Formats an exact decimal without trailing zeros. */
export function text(parts: bigint): string {
  const digits = String(parts < 0n ? -parts : parts).padStart(5, "0");
  const fraction = digits.slice(-4).replace(/0+$/, "");
  return `${parts < 0n ? "-" : ""}${digits.slice(0, -4)}${fraction && `.${fraction}`}`;
}

export interface Line {
  type: string;
  quantity: bigint;
  value: bigint;
  balance: bigint;
  valueBalance: bigint;
}

export class Refusal {
  constructor(
    readonly status: number,
    readonly details: Record<string, string> = {},
  ) {}
}

export const refuse = (status: number, details?: Record<string, string>): never => {
  throw new Refusal(status, details);
};
export const short = (available: bigint, requested: bigint): never =>
  refuse(409, { available: text(available), requested: text(requested < 0n ? -requested : requested) });

interface Given {
  cost?: bigint;
  value?: bigint;
  at?: number;
}

export class Level {
  quantity = 0n;
  value = 0n;
  reserved = 0n;
  blocked = 0n;
  cost: bigint | undefined;
  deleted = false;
  /** Time of the last movement. Infinity means now. */
  movedAt = -Infinity;
  readonly lines: Line[] = [];
  private readonly reversed = new Set<Line>();

  constructor(private readonly partCost: bigint | undefined) {}

  get available(): bigint {
    return this.quantity - this.reserved - this.blocked;
  }

  /** The quantity issued and not returned, without reversed issues. */
  get outstanding(): bigint {
    return this.lines
      .filter((line) => (line.type === "issue" || line.type === "return") && !this.reversed.has(line))
      .reduce((sum, { quantity }) => sum - quantity, 0n);
  }

  /** An incoming quantity is worth its cost, by default the average. An outgoing quantity takes its share of the value. */
  private valueOf(quantity: bigint, cost?: bigint): bigint {
    if (quantity < 0n) return quantity === -this.quantity ? -this.value : divided(this.value * quantity, this.quantity);
    if (cost !== undefined) return divided(quantity * cost, unit);
    if (this.quantity > 0n && this.cost !== undefined) return divided(this.value * quantity, this.quantity);
    return divided(quantity * (this.cost ?? this.partCost ?? 0n), unit);
  }

  post(type: string, quantity: bigint, { cost, value = this.valueOf(quantity, cost), at = Infinity }: Given = {}): Line {
    const known = cost !== undefined || this.cost !== undefined || (quantity > 0n && this.partCost !== undefined) || value !== 0n;
    this.quantity += quantity;
    this.value += value;
    if (this.quantity > 0n && known) this.cost = divided(this.value * unit, this.quantity);
    this.deleted = false;
    this.movedAt = at;
    const line = { type, quantity, value, balance: this.quantity, valueBalance: this.value };
    this.lines.push(line);
    return line;
  }

  reserve(type: string, quantity: bigint): void {
    this.reserved += quantity;
    // Releasing stock of a deleted record does not restore the record.
    if (quantity > 0n) this.deleted = false;
    this.movedAt = Infinity;
    this.lines.push({ type, quantity, value: 0n, balance: this.quantity, valueBalance: this.value });
  }

  /** Posts the opposite of a line. Excess or missing value is expensed first. */
  reverse(line: Line): void {
    const { quantity, value } = line;
    if (this.quantity < quantity) short(this.quantity, quantity);
    const difference = this.quantity > 0n && (this.quantity === quantity || this.value < value) ? value - this.value : 0n;
    if (difference) this.post("price_difference", 0n, { value: difference });
    this.post(quantity ? "adjustment" : "revaluation", -quantity, { value: -value });
    this.reversed.add(line);
  }
}

export interface Posted {
  level: Level;
  line: Line;
  /** True for a gain that awaits approval. */
  waits?: boolean;
}

export interface Adjusted extends Posted {
  id: string;
  creator: number;
  blocked: bigint;
  decided: boolean;
}

/** A part at all its sites. */
export class Stock {
  readonly levels = new Map<string, Level>();

  constructor(readonly partCost: bigint | undefined) {}

  live = () => [...this.levels].filter(([, level]) => !level.deleted);

  siteOf(given: string | undefined): string {
    if (given) return given;
    const sites = this.live();
    if (sites.length > 1) refuse(400);
    return sites[0]?.[0] ?? "A";
  }

  at = (site: string) => this.levels.get(site) ?? new Level(this.partCost);

  keep(site: string): Level {
    const level = this.at(site);
    this.levels.set(site, level);
    return level;
  }

  expected(site: string, expected: bigint | undefined): void {
    const { quantity } = this.at(site);
    if (expected !== undefined && expected !== quantity) refuse(409, { currentBalance: text(quantity) });
  }

  comeIn(type: "receipt" | "return", given: string | undefined, quantity: bigint, cost?: bigint, expected?: bigint): Posted {
    const site = this.siteOf(given);
    this.expected(site, expected);
    const level = this.keep(site);
    // A return beyond the outstanding quantity, or at an explicit cost, counts as a gain.
    const outstanding = [...this.levels.values()].reduce((sum, one) => sum + one.outstanding, 0n);
    const waits = type === "return" && (cost !== undefined || quantity > outstanding);
    const line = level.post(type, quantity, { cost });
    if (waits) level.blocked += quantity;
    return { level, line, waits };
  }

  goOut(type: "issue" | "reserve" | "unreserve", given: string | undefined, quantity: bigint, expected?: bigint): Posted | undefined {
    const site = this.siteOf(given);
    this.expected(site, expected);
    const level = this.at(site);
    if (type === "unreserve") {
      if (level.reserved < quantity) short(level.reserved, quantity);
      level.reserve(type, -quantity);
      return undefined;
    }
    if (level.available < quantity) short(level.available < 0n ? 0n : level.available, quantity);
    if (type === "issue") return { level, line: level.post(type, -quantity) };
    level.reserve(type, quantity);
    return undefined;
  }

  transfer(from: string, to: string, quantity: bigint): void {
    if (from === to) refuse(400);
    const out = this.at(from);
    if (out.available < quantity) short(out.available < 0n ? 0n : out.available, quantity);
    const { value } = out.post("transfer", -quantity);
    this.keep(to).post("transfer", quantity, { value: -value });
  }

  adjust(type: string, given: string | undefined, quantity: bigint, cost?: bigint, expected?: bigint): Posted {
    const site = this.siteOf(given);
    this.expected(site, expected);
    const there = this.at(site).quantity;
    if (there + quantity < 0n) short(there, quantity);
    const level = this.keep(site);
    const line = level.post(type, quantity, { cost: quantity > 0n ? cost : undefined });
    if (quantity > 0n) level.blocked += quantity;
    return { level, line };
  }

  set(given: string | undefined, target: bigint | undefined, cost?: bigint, expected?: bigint): void {
    const site = this.siteOf(given);
    this.expected(site, expected);
    const level = this.keep(site);
    if (target !== undefined && level.quantity !== target) level.post("cycle_count", target - level.quantity);
    level.deleted = false;
    if (cost === undefined || cost === (level.cost ?? this.partCost)) return;
    if (level.quantity > 0n) level.post("revaluation", 0n, { cost, value: divided(level.quantity * cost, unit) - level.value });
    level.cost = cost;
  }

  remove(site: string | undefined): void {
    const found = this.live().filter(([name]) => !site || name === site);
    if (!found.length) refuse(404);
    for (const [, level] of found) {
      if (level.quantity) level.post("write_off", -level.quantity);
      level.deleted = true;
    }
  }

  decide(adjusted: Adjusted | undefined, by: number, decision: "approve" | "reject"): void {
    if (!adjusted) throw new Refusal(404);
    const { level, line, blocked } = adjusted;
    if (adjusted.creator === by) refuse(403);
    if (adjusted.decided) refuse(409);
    if (decision === "reject") level.reverse(line);
    level.blocked -= blocked;
    adjusted.decided = true;
  }
}
