/** A plant whose units random operations move, in the service and in the notebook (unit-notebook.ts). */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Caller } from "../world.js";
import { treeAt } from "./instants.js";
import { Choices, Random } from "./unit-choices.js";
import { Notebook } from "./unit-notebook.js";
import type { Operation, Outcome } from "./unit-operation.js";
import { record } from "./unit-rules.js";
import { type Actual, learn, read, send, shown, withoutPeriods } from "./unit-service.js";

const fields = "id assetId parentId serialNumber";
const byId = <T extends { id: string }>(rows: T[]): T[] => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** All selections of the items in all orders. */
function* sequences<T>(items: T[]): Generator<T[]> {
  yield [];
  for (const [i, item] of items.entries()) for (const rest of sequences(items.toSpliced(i, 1))) yield [item, ...rest];
}

/** Operations of which the service does not show whose pending change or transfer is whose. */
const isPending = ({ kind }: Operation) => ["gain", "writeOff", "move", "start"].includes(kind);

/** Operations that look for a unit by its number only. Two at once do not see the units that the other one takes out. */
const isByNumber = (operation: Operation) =>
  ["put", "restore"].includes(operation.kind) ||
  ("unit" in operation && typeof operation.unit === "object" && !operation.unit.id && !operation.unit.partId);

export class Run {
  readonly done: Record<string, number> = {};
  /** Number of operations of the last `several` that had an effect, although the connection broke. */
  kept = 0;
  /** Milliseconds that the last accepted operation took. */
  sendMs = 20;
  private readonly random: Random;
  private readonly choices: Choices;
  private actual!: Actual;
  private readonly trees: [at: string, asset: string, components: object[]][] = [];

  private constructor(
    readonly caller: Caller,
    private readonly approver: Caller,
    private book: Notebook,
    private readonly parts: string[],
    readonly seed: number,
  ) {
    this.random = new Random(seed);
    this.choices = new Choices(this.random, parts);
  }

  /** Two pumps at two sites with three positions each, one of which accepts one part only. Two parts with serial numbers, one with a core value. */
  static async begin(caller: Caller, approver: Caller, seed: number): Promise<Run> {
    const parts: string[] = [];
    for (const coreValue of [40, undefined]) {
      const { createPart } = await caller.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
        input: { partNumber: `${parts.length}`, name: "Bearing", tracksSerials: true, coreValue },
      });
      parts.push(createPart.id);
    }
    const book = new Notebook({}, {});
    for (const site of ["North", "South"]) {
      const { id: asset } = await caller.createAsset({ name: site, site });
      book.sites[asset] = site;
      let parent: string | null = null;
      for (let i = 0; i < 3; i++) {
        const place = parent === null ? { assetId: asset } : { parentId: parent };
        const { id } = await caller.createComponent({ name: `${site} ${i}`, ...place });
        book.positions.push({ id, asset, parent, serialNumber: null, installDate: null, deletedBy: null });
        if (i === 0) parent = id;
      }
    }
    const [first] = book.positions;
    await caller.ask("mutation ($id: ID!, $ids: [ID!]!) { updatePart(id: $id, input: { componentIds: $ids }) { id } }", {
      id: parts[0],
      ids: [first!.id],
    });
    book.accepted[first!.id] = parts[0]!;
    const run = new Run(caller, approver, book, parts, seed);
    for (const { id } of book.positions) await run.order(id);
    run.actual = await read(caller, book, parts);
    run.agree(book, run.actual, "at the beginning");
    return run;
  }

  /** A work order with a step that exchanges the unit of the position. */
  private async order(position: string): Promise<void> {
    const { asset } = this.book.position(position);
    const steps = [{ description: "Exchange", kind: "EXCHANGE", componentId: position }];
    const { createWorkOrder } = await this.caller.ask(
      "mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }",
      {
        input: { title: "Exchange", assetId: asset, type: "CORRECTIVE", priority: "HIGH", customSteps: steps },
      },
    );
    await this.caller.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: createWorkOrder.id });
    this.book.orders.push({ id: createWorkOrder.id, asset, position, isDone: false });
  }

  private isEqual = (book: Notebook, actual: Actual) =>
    JSON.stringify(sorted(withoutPeriods(actual))) === JSON.stringify(sorted(shown(book, this.parts)));

  private agree(book: Notebook, actual: Actual, about: string): void {
    if (!this.isEqual(book, actual))
      expect(withoutPeriods(actual), `${about}; before ${JSON.stringify(this.book)}`).toEqual(shown(book, this.parts));
  }

  private count(operation: Operation, answer: boolean | undefined): void {
    const key = `${operation.kind} ${answer === undefined ? "unanswered" : answer ? "accepted" : "refused"}`;
    this.done[key] = (this.done[key] ?? 0) + 1;
  }

  /** One operation: the notebook knows whether the service accepts it, and what it then shows. `unchanged` proves a refusal. */
  async one(unchanged: () => Promise<unknown>): Promise<void> {
    const operation = this.choices.next(this.book, this.actual);
    const { outcome, after } = record(this.book, operation);
    const before = await unchanged();
    const sentAt = Date.now();
    const { accepted: answer, says } = await send(this.caller, this.approver, operation);
    if (answer) this.sendMs = Date.now() - sentAt;
    const about = `seed ${this.seed}: ${JSON.stringify(operation)}`;
    if (answer !== outcome && outcome !== "either")
      expect.fail(`${about} ${answer ? "is accepted" : `is refused: ${says}`}; before ${JSON.stringify(this.book)}`);
    this.count(operation, answer);
    if (!answer) expect(await unchanged(), about).toEqual(before);
    const actual = await read(this.caller, this.book, this.parts);
    if (answer) learn(after, actual, sentAt);
    if (answer && operation.kind === "move" && operation.state === "IN_STOCK") await this.released(operation.unit);
    this.agree(answer ? after : this.book, actual, about);
    await this.keep(answer ? after : this.book, actual);
  }

  /** A unit that is released to stock is worth the core value of its part. */
  private async released(id: string): Promise<void> {
    const { part } = this.book.unit(id);
    const { part: found } = await this.caller.ask(
      "query ($id: ID!) { part(id: $id) { coreValue movements(last: 1) { nodes { type unitCost } } } }",
      {
        id: part,
      },
    );
    expect(found.movements.nodes, `seed ${this.seed}`).toEqual([{ type: "RETURN", unitCost: found.coreValue ?? 0 }]);
  }

  /** Operations at once: the service shows the result of some of them in some order, and of all that it accepted. */
  async several(count: number, meanwhile: (answers: Promise<unknown>) => Promise<void> = async () => {}): Promise<(boolean | undefined)[]> {
    const operations: Operation[] = [];
    const alike = (one: Operation, other: Operation) => [isPending, isByNumber].some((holds) => holds(one) && holds(other));
    for (let i = 0; i < count; i++) {
      const operation = this.choices.next(this.book, this.actual);
      if (operations.some((other) => alike(operation, other))) continue;
      operations.push(operation);
    }
    const sentAt = Date.now();
    const sent = Promise.all(operations.map((operation) => send(this.caller, this.approver, operation)));
    await meanwhile(sent);
    const answers = (await sent).map(({ accepted }) => accepted);
    for (const [i, operation] of operations.entries()) this.count(operation, answers[i]);
    const actual = await read(this.caller, this.book, this.parts);
    const possible = operations.map((operation, i) => ({ operation, answer: answers[i] })).filter(({ answer }) => answer !== false);
    for (const sequence of sequences(possible)) {
      if (possible.some((one) => one.answer && !sequence.includes(one))) continue;
      let book: Notebook | undefined = this.book.clone();
      for (const { operation } of sequence) {
        const { outcome, after }: { outcome: Outcome; after: Notebook } = record(book, operation);
        book = outcome === false ? undefined : after;
        if (!book) break;
      }
      if (!book) continue;
      learn(book, actual, sentAt);
      if (!this.isEqual(book, actual)) continue;
      this.kept = sequence.filter(({ answer }) => answer === undefined).length;
      await this.keep(book, actual);
      return answers;
    }
    // Fails with the difference to one of them.
    let book = this.book;
    for (const { operation, answer } of possible) if (answer !== undefined) ({ after: book } = record(book, operation));
    learn(book, actual, sentAt);
    this.agree(book, actual, `seed ${this.seed}: no order explains ${JSON.stringify(operations.map((one, i) => [one, answers[i]]))}`);
    throw new Error(`seed ${this.seed}: the notebook refuses what the service accepted: ${JSON.stringify(operations)}`);
  }

  /** Keeps what the service showed, and the trees at an instant between two operations. */
  private async keep(book: Notebook, actual: Actual): Promise<void> {
    this.book = book;
    this.actual = actual;
    await sleep(2);
    if (this.random.chance(0.2)) {
      const at = new Date().toISOString();
      for (const asset of Object.keys(book.sites))
        this.trees.push([
          at,
          asset,
          actual.positions
            .filter((one) => one.asset === asset)
            .map(({ id, parent, serialNumber }) => ({ id, assetId: asset, parentId: parent, serialNumber })),
        ]);
    }
    await sleep(2);
    if (book.orders.every(({ isDone }) => isDone) || this.random.chance(0.03)) {
      const live = book.live();
      if (!live.length) return;
      await this.order(this.random.of(live).id);
      this.actual = await read(this.caller, this.book, this.parts);
    }
  }

  /** Trees, places, units and hours at random instants, and the books. */
  async compare(): Promise<void> {
    const { book, caller, random, seed } = this;
    expect(book.isWhole()).toBe(true);
    const edges = book.units.flatMap(({ stays }) => stays.flatMap(({ from, to }) => (to < Number.POSITIVE_INFINITY ? [from, to] : [from])));
    const instants = Array.from({ length: 8 }, () => {
      const edge = edges.length ? random.of(edges) : Date.now();
      return Math.min(Date.now(), random.of([edge, edge - 1, edge + 1, Math.floor((edge + random.of(edges)) / 2)]));
    });
    const each = (select: (at: string, i: number) => string) =>
      instants.map((at, i) => select(`"${new Date(at).toISOString()}"`, i)).join(" ");
    const { verifyLedger } = await caller.ask("{ verifyLedger(instants: 5) { balanced faults { problem } instants { problem } } }");
    expect(verifyLedger).toEqual({ balanced: true, faults: [], instants: Array(verifyLedger.instants.length).fill({ problem: null }) });
    for (const { id } of book.live()) {
      const { component } = await caller.ask(
        `query ($id: ID!) { component(id: $id) { serialNumber unitAt { serialNumber } ${each((at, i) => `a${i}: unitAt(at: ${at}) { id }`)} } }`,
        { id },
      );
      expect(component.serialNumber, `seed ${seed}`).toBe(component.unitAt?.serialNumber ?? null);
      expect(
        instants.map((at, i) => [at, component[`a${i}`]?.id]),
        `seed ${seed}: ${id}`,
      ).toEqual(instants.map((at) => [at, book.insideAt(id, at)?.id]));
    }
    const ofUnit = each(
      (at, i) => `a${i}: whereabouts(at: ${at}) { state condition componentId site } h${i}: hours(at: ${at}) { total basis }`,
    );
    for (const unit of random.chance(0.2) ? book.units : book.units.slice(-10)) {
      const { unit: found } = await caller.ask(`query ($id: ID!) { unit(id: $id) { ${ofUnit} } }`, { id: unit.id });
      for (const [i, at] of instants.entries()) {
        const stay = book.at(unit, at);
        const place = stay && { state: stay.state, condition: stay.condition, componentId: stay.position, site: stay.site };
        expect(found[`a${i}`], `seed ${seed}: ${unit.id} at ${at}`).toEqual(place ?? null);
        const installed = unit.stays.filter(({ state, from }) => state === "INSTALLED" && from < at);
        const hours = installed.reduce((sum, { from, to }) => sum + (Math.min(to, at) - from) / 3_600_000, 0);
        expect(found[`h${i}`].total ?? 0, `seed ${seed}: hours of ${unit.id} at ${at}`).toBeCloseTo(hours, 2);
      }
    }
    for (const [at, asset, components] of Array.from({ length: Math.min(4, this.trees.length) }, () => random.of(this.trees)))
      expect(byId(await treeAt(caller, asset, at, fields)), `seed ${seed}: tree at ${at}`).toEqual(byId(components as { id: string }[]));
  }
}

/** The value with the keys of its objects in order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  // JSON has no infinity.
  if (value === Number.POSITIVE_INFINITY) return "open";
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
};
