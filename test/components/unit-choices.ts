/** Random operations on units, chosen so that most are possible and the others break one rule. */
import type { ModelUnit, Notebook, Position, State } from "./unit-notebook.js";
import type { Named, Operation } from "./unit-operation.js";
import type { Actual } from "./unit-service.js";

/** Random numbers that a seed repeats (mulberry32). */
export class Random {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below = (count: number) => Math.floor(this.next() * count);
  chance = (share: number) => this.next() < share;
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
  maybe = <T>(share: number, value: T): T | undefined => (this.chance(share) ? value : undefined);
}

const serialNumbers = ["S0", "S1", "S2", "S3", "S4", "S5"];
const day = 86_400_000;

const weights: [Operation["kind"], number][] = [
  ["exchange", 26],
  ["step", 4],
  ["swap", 4],
  ["move", 14],
  ["correct", 10],
  ["receive", 8],
  ["return", 3],
  ["issue", 3],
  ["issueToOrder", 6],
  ["returnFromOrder", 4],
  ["gain", 2],
  ["writeOff", 2],
  ["transfer", 2],
  ["start", 3],
  ["ship", 3],
  ["arrive", 3],
  ["cancel", 1],
  ["approve", 2],
  ["reject", 2],
  ["put", 8],
  ["delete", 3],
  ["restore", 4],
  ["rehome", 3],
];
const kinds = weights.flatMap(([kind, weight]) => Array<Operation["kind"]>(weight).fill(kind));

export class Choices {
  constructor(
    private readonly random: Random,
    private readonly parts: string[],
  ) {}

  /** An operation that fits the notebook. `actual` has the ids of the periods. */
  next(book: Notebook, actual: Actual): Operation {
    for (;;) {
      const operation = this.of(this.random.of(kinds), book, actual);
      if (operation) return operation;
    }
  }

  private in(book: Notebook, ...states: State[]): ModelUnit | undefined {
    const units = book.units.filter((unit) => states.includes(book.last(unit)?.state ?? "LOST"));
    return units.length ? this.random.of(units) : undefined;
  }

  /** A time: none, the present, or one around what is known of the stays. */
  private time(stays: { from: number; to: number }[]): number | undefined {
    const { random } = this;
    if (random.chance(0.45)) return undefined;
    const edges = [...new Set(stays.flatMap(({ from, to }) => [from, to]))].filter(Number.isFinite).sort((a, b) => a - b);
    if (random.chance(0.05)) return Date.now() + 3_600_000;
    if (!edges.length || random.chance(0.1)) return Date.now() - random.below(200 * day);
    const i = random.below(edges.length);
    const next = edges[i + 1] ?? Date.now();
    const latest = Math.max(...edges);
    // Mostly after all that is known, because a time before it is refused in general.
    if (random.chance(0.65)) return Math.min(Date.now(), latest + 1 + random.below(Math.max(1, Date.now() - latest)));
    return random.of([edges[i]!, edges[i]! - 1, edges[i]! + 1, Math.floor((edges[i]! + next) / 2)]);
  }

  /** A unit to install, by id, by part and number, or by its number. */
  private named(book: Notebook, position: Position): Named {
    const { random } = this;
    const known = random.chance(0.75) ? this.in(book, "IN_STOCK", "IN_STOCK", "REMOVED", "WITH_WORK_ORDER", "IN_REPAIR") : this.any(book);
    const isUnfit = known && book.last(known)?.condition === "UNSERVICEABLE" && random.chance(0.7);
    if (isUnfit) return { serialNumber: random.of(serialNumbers) };
    const there = known && (book.last(known)?.site === book.siteOf(position) || random.chance(0.2)) ? known : undefined;
    if (!there || random.chance(0.1)) return { serialNumber: random.of(serialNumbers), partId: random.maybe(0.3, random.of(this.parts)) };
    const { id, part, serialNumber } = there;
    if (random.chance(0.4)) return { id };
    return { serialNumber, partId: part !== null && random.chance(0.5) ? part : undefined };
  }

  private any = (book: Notebook): ModelUnit | undefined => (book.units.length ? this.random.of(book.units) : undefined);

  private order = (book: Notebook, asset: string) => {
    const orders = book.orders.filter((order) => order.asset === asset || this.random.chance(0.05));
    return orders.length ? this.random.of(orders).id : undefined;
  };

  private exchange(book: Notebook, position: Position) {
    const { random } = this;
    const former = book.inside(position.id);
    const unit = random.chance(former ? 0.6 : 0.95) ? this.named(book, position) : undefined;
    const stays = [...(former?.stays ?? []), ...book.stays(position.id), ...(unit?.id ? book.unit(unit.id).stays : [])];
    const reason = random.chance(0.04) === Boolean(former) ? undefined : random.of(["FAILURE", "PREVENTIVE", "CANNIBALISED"]);
    return { former, unit, reason, at: this.time(stays), notes: random.maybe(0.2, "As agreed") };
  }

  private restore(book: Notebook): Operation | undefined {
    const deleted = book.positions.filter(({ deletedBy }) => deletedBy !== null);
    const one = deleted.length ? this.random.of(deleted) : undefined;
    const numbers = one ? book.subtree(one.id).flatMap(({ serialNumber }) => serialNumber ?? []) : [];
    // Which of two positions gets the one free unit is open.
    return one && new Set(numbers).size === numbers.length ? { kind: "restore", position: one.id } : undefined;
  }

  private of(kind: Operation["kind"], book: Notebook, actual: Actual): Operation | undefined {
    const { random } = this;
    const site = random.of(Object.values(book.sites));
    const other = Object.values(book.sites).find((one) => one !== site)!;
    const place = random.of(random.chance(0.9) ? book.live() : book.positions);
    if (!place) return kind === "restore" ? this.restore(book) : undefined;
    const position = place.id;
    const free = { part: random.of(this.parts), serialNumber: random.of(serialNumbers) };
    const piece = (unit: ModelUnit | undefined) =>
      unit?.part && random.chance(0.9)
        ? { part: unit.part, serialNumber: unit.serialNumber, site: unit.site ?? book.last(unit)?.site ?? site }
        : { ...free, site };
    switch (kind) {
      case "exchange": {
        const { former: _, ...rest } = this.exchange(book, place);
        return { kind, position, order: random.maybe(0.3, this.order(book, place.asset)!), ...rest };
      }
      case "step": {
        const order = random.of(book.orders.filter(({ isDone }) => !isDone || random.chance(0.1)));
        if (!order) return undefined;
        const { former, ...rest } = this.exchange(book, book.position(order.position));
        const scanned = random.chance(0.9) ? former : this.any(book);
        const removed = scanned && (random.chance(0.5) ? { unitId: scanned.id } : { serialNumber: scanned.serialNumber });
        return { kind, order: order.id, removed, ...rest };
      }
      case "swap": {
        const full = book.live().filter(({ id }) => book.inside(id) && id !== position);
        const positions: [string, string] = [position, full.length ? random.of(full).id : position];
        const at = this.time(positions.flatMap((id) => book.inside(id)?.stays.slice(-1) ?? []));
        const order = random.maybe(0.2, this.order(book, place.asset)!);
        return { kind, positions, reason: "UNKNOWN", order, at, notes: random.maybe(0.3, "Test") };
      }
      case "move": {
        const unit = random.chance(0.85) ? this.in(book, "REMOVED", "IN_REPAIR", "LOST", "WITH_WORK_ORDER") : this.any(book);
        if (!unit) return undefined;
        const isReleased = unit.part !== null ? random.chance(0.45) : random.chance(0.05);
        const state = isReleased ? "IN_STOCK" : random.of(["REMOVED", "REMOVED", "IN_REPAIR", "SCRAPPED", "LOST"] as const);
        const condition = random.of([undefined, "SERVICEABLE", "SERVICEABLE", "UNSERVICEABLE"] as const);
        return { kind, unit: unit.id, state, condition, at: this.time(unit.stays.slice(-2)) };
      }
      case "correct":
        return this.correct(book, actual);
      case "receive":
        return {
          kind,
          ...(random.chance(0.6) ? { ...free, site } : piece(this.in(book, "LOST", "REMOVED", "WITH_WORK_ORDER", "INSTALLED"))),
        };
      case "return":
        return { kind, ...piece(this.in(book, "LOST", "REMOVED", "WITH_WORK_ORDER", "INSTALLED")) };
      case "gain":
        return { kind, ...(random.chance(0.5) ? { ...free, site } : piece(this.in(book, "LOST"))) };
      case "issue":
      case "writeOff":
        return { kind, ...piece(this.in(book, "IN_STOCK")) };
      case "issueToOrder":
      case "returnFromOrder": {
        const unit = kind === "issueToOrder" ? this.in(book, "IN_STOCK") : this.in(book, "WITH_WORK_ORDER", "REMOVED");
        const held = kind === "returnFromOrder" ? unit?.issue?.order : undefined;
        return { kind, ...piece(unit), order: held ?? random.of(book.orders).id };
      }
      case "transfer":
      case "start": {
        const { part, serialNumber, site: from } = piece(this.in(book, "IN_STOCK"));
        return { kind, part, serialNumber, from, to: random.chance(0.95) && from === site ? other : site };
      }
      case "ship":
      case "arrive":
      case "cancel": {
        const wanted = kind === "ship" ? "RESERVED" : "SHIPPED";
        const transfers = book.transfers.filter(({ status }) => status === wanted || random.chance(0.05));
        return transfers.length ? { kind, transfer: random.of(transfers).id } : undefined;
      }
      case "approve":
      case "reject":
        return book.pending.length ? { kind, pending: random.of(book.pending).id } : undefined;
      case "put": {
        const serialNumber = random.chance(0.3) ? null : random.chance(0.2) ? place.serialNumber : random.of(serialNumbers);
        return { kind, position, serialNumber, installDate: random.maybe(0.3, Date.now() - random.below(300 * day) - 1000) };
      }
      case "delete":
        return { kind, position, way: random.of(["rest", "refuse", "refuse", "remove"]) };
      case "restore":
        return this.restore(book);
      case "rehome": {
        const parent = random.of(book.live())?.id;
        return {
          kind,
          position,
          ...(parent === undefined || random.chance(0.6) ? { asset: random.of(Object.keys(book.sites)) } : { parent }),
        };
      }
    }
  }

  private correct(book: Notebook, actual: Actual): Operation | undefined {
    const { random } = this;
    const all = book.units
      .flatMap((unit) => unit.stays.map((stay, index) => ({ unit, stay, index })))
      .filter(({ stay }) => stay.state === "INSTALLED");
    if (!all.length) return undefined;
    const { unit, stay, index } = random.of(all);
    const period = actual.units.find(({ id }) => id === unit.id)!.stays[index]!.period!;
    const notes = random.maybe(0.6, "Misread");
    const shared = { kind: "correct" as const, unit: unit.id, stay: index, period, notes };
    if (random.chance(0.5)) {
      const known = random.chance(0.7) ? this.in(book, "REMOVED", "WITH_WORK_ORDER", "LOST", "IN_REPAIR") : random.of(book.units);
      return known && { ...shared, unitId: known.id };
    }
    const field = stay.to < Number.POSITIVE_INFINITY && random.chance(0.5) ? "endedAt" : "startedAt";
    const at = this.time([stay, ...unit.stays.slice(Math.max(0, index - 1), index + 2)]);
    return at === undefined ? undefined : { ...shared, [field]: at };
  }
}
