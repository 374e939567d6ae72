/** Records operations on units in the notebook, by docs/units.md. Those on stock are in unit-stock-rules.ts. */
import type { Condition, ModelUnit, Notebook, Position, State } from "./unit-notebook.js";
import { isFuture, type Named, type Of, type Operation, type Outcome, type Rules } from "./unit-operation.js";
import { stockRules } from "./unit-stock-rules.js";

/** The unit that an exchange names. Undefined for a new one, null for a refusal. */
function found(book: Notebook, position: Position, { id, partId, serialNumber }: Named): ModelUnit | undefined | null {
  if (id !== undefined) return book.unit(id);
  if (partId !== undefined) return book.named(serialNumber!, partId);
  const site = book.siteOf(position);
  const free = book.units.filter((unit) => {
    const last = book.last(unit);
    if (!last || unit.serialNumber !== serialNumber) return false;
    return last.position === position.id || (["REMOVED", "WITH_WORK_ORDER", "IN_STOCK"].includes(last.state) && last.site === site);
  });
  if (free.length <= 1) return free[0];
  return free.some(({ part }) => part !== null) ? null : undefined;
}

/** Takes out what is in the position. False if nothing is, or if it came later. */
function takeOut(
  book: Notebook,
  position: Position,
  at: number,
  { unit, reason, order }: Pick<Of<"exchange">, "unit" | "reason" | "order">,
) {
  const former = book.inside(position.id);
  if (!former) return reason === undefined && unit !== undefined && !book.isTakenAfter(position.id, at);
  const stay = book.last(former)!;
  if (stay.from >= at || reason === undefined) return false;
  stay.reason = reason;
  book.begin(former, at, { state: "REMOVED", condition: "UNSERVICEABLE", site: book.siteOf(position), order: order ?? null });
  return true;
}

const isFit = ({ condition, state }: { condition: Condition; state: State }) => condition !== "UNSERVICEABLE" && state !== "SCRAPPED";

function exchange(book: Notebook, operation: Omit<Of<"exchange">, "kind">): Outcome {
  const { unit: named, order, notes } = operation;
  const position = book.position(operation.position);
  if (position.deletedBy !== null || isFuture(operation.at)) return false;
  if (order !== undefined && book.orders.find(({ id }) => id === order)!.asset !== position.asset) return false;
  const at = operation.at ?? book.soon();
  const known = named && found(book, position, named);
  if (known === null || !takeOut(book, position, at, operation)) return false;
  position.serialNumber = null;
  position.installDate = null;
  if (!named) return true;
  if (!known && !notes && !book.accepts(position.id, named.partId ?? null)) return false;
  const unit = known ?? book.addUnit(named.serialNumber!, named.partId ?? null);
  const last = book.last(unit);
  if (known) {
    if (!last || last.from >= at || last.state === "INSTALLED" || last.state === "IN_TRANSIT") return false;
    if (!notes && !(isFit(last) && book.accepts(position.id, unit.part))) return false;
    if (unit.site !== null && (unit.site !== book.siteOf(position) || book.stock(unit.part!, unit.site).available < 1)) return false;
    if (unit.site !== null) Object.assign(unit, { site: null, issue: { order: order ?? null }, wasIssued: true });
  }
  const condition = last?.condition ?? "SERVICEABLE";
  book.begin(unit, at, { state: "INSTALLED", condition, position: position.id, order: order ?? null });
  position.serialNumber = unit.serialNumber;
  position.installDate = at;
  return true;
}

function swap(book: Notebook, { positions, reason, order, at: given, notes }: Of<"swap">): Outcome {
  const [first, second] = positions.map(book.position) as [Position, Position];
  if (first === second || first.deletedBy !== null || second.deletedBy !== null || isFuture(given)) return false;
  if (order !== undefined && ![first.asset, second.asset].includes(book.orders.find(({ id }) => id === order)!.asset)) return false;
  const at = given ?? book.soon();
  const units = [first, second].map(({ id }) => book.inside(id));
  const [a, b] = units;
  if (!a || !b) return false;
  const stays = [book.last(a)!, book.last(b)!] as const;
  if (stays.some(({ from }) => from >= at)) return false;
  if (!notes && !(stays.every(isFit) && book.accepts(second.id, a.part) && book.accepts(first.id, b.part))) return false;
  for (const [unit, stay, to] of [
    [a, stays[0], second],
    [b, stays[1], first],
  ] as const) {
    stay.reason = reason;
    book.begin(unit, at, { state: "INSTALLED", condition: stay.condition, position: to.id, order: order ?? null });
    Object.assign(to, { serialNumber: unit.serialNumber, installDate: at });
  }
  return true;
}

function move(book: Notebook, { unit: id, state, condition: given, at: time }: Of<"move">): Outcome {
  const unit = book.unit(id);
  const last = book.last(unit);
  if (!last || isFuture(time)) return false;
  const at = time ?? book.soon();
  const condition = given ?? last.condition;
  const { site } = last;
  if (["INSTALLED", "IN_STOCK", "IN_TRANSIT"].includes(last.state) || last.from >= at) return false;
  if (state !== "IN_STOCK") {
    book.begin(unit, at, { state, condition, site });
    return true;
  }
  if (unit.part === null || site === null || !["REMOVED", "IN_REPAIR"].includes(last.state) || condition !== "SERVICEABLE") return false;
  book.begin(unit, at, { state, condition, site });
  if (!unit.issue) book.pending.push({ id: book.newId(), unit: id, part: unit.part, site, quantity: 1 });
  unit.site = site;
  unit.issue = null;
  return true;
}

function correct(book: Notebook, { unit: id, stay: index, startedAt, endedAt, unitId, notes }: Of<"correct">): Outcome {
  const unit = book.unit(id);
  const stay = unit.stays[index]!;
  const { from } = stay;
  const isOpen = stay.to === Number.POSITIVE_INFINITY;
  if (isFuture(startedAt) || isFuture(endedAt) || (endedAt !== undefined && isOpen)) return false;
  const position = book.position(stay.position!);
  const isMoved = startedAt !== undefined && startedAt !== from;
  if (startedAt !== undefined) book.moveExchange(position.id, from, startedAt);
  if (endedAt !== undefined) book.moveExchange(position.id, stay.to, endedAt);
  const named = unitId === undefined ? unit : book.unit(unitId);
  if (!book.isWhole() || (named !== unit && !book.name(unit, stay, named, Boolean(notes))) || !book.isWhole()) return false;
  if (isOpen && (isMoved || named !== unit)) Object.assign(position, { serialNumber: named.serialNumber, installDate: startedAt ?? from });
  return true;
}

function step(book: Notebook, { order: id, removed, unit, reason, at, notes }: Of<"step">): Outcome {
  const order = book.orders.find((one) => one.id === id)!;
  const position = book.position(order.position);
  if (order.isDone || (!removed && !unit) || position.deletedBy !== null || position.asset !== order.asset) return false;
  const present = book.inside(position.id);
  if (present ? !removed || (removed.unitId ?? present.id) !== present.id : removed) return false;
  if (removed?.serialNumber !== undefined && removed.serialNumber !== present!.serialNumber) return false;
  if (exchange(book, { position: position.id, unit, reason, order: id, at, notes }) !== true) return false;
  order.isDone = true;
  return true;
}

function restore(book: Notebook, { position: id }: Of<"restore">): Outcome {
  const position = book.position(id);
  const { deletedBy, parent } = position;
  if (deletedBy === null || (parent !== null && book.position(parent).deletedBy !== null)) return false;
  const restored = book.subtree(id).filter((one) => one.deletedBy === deletedBy);
  for (const one of restored) one.deletedBy = null;
  for (const one of restored) if (one.serialNumber !== null) book.write(one);
  return true;
}

function remove(book: Notebook, { position: id, way }: Of<"delete">): Outcome {
  const positions = book.subtree(id).filter(({ deletedBy }) => deletedBy === null);
  if (book.position(id).deletedBy !== null) return false;
  if (way === "refuse" && positions.some((one) => (book.inside(one.id)?.part ?? null) !== null)) return false;
  const deletedBy = ++book.deletions;
  for (const one of positions) Object.assign(one, { deletedBy });
  for (const one of positions) if (one.serialNumber !== null) book.write(one);
  return true;
}

function rehome(book: Notebook, { position: id, asset, parent }: Of<"rehome">): Outcome {
  const position = book.position(id);
  const below = book.subtree(id);
  if (position.deletedBy !== null) return false;
  if (parent !== undefined && (book.position(parent).deletedBy !== null || below.some((one) => one.id === parent))) return false;
  position.parent = parent ?? null;
  for (const one of below) one.asset = parent === undefined ? asset! : book.position(parent).asset;
  return true;
}

function put(book: Notebook, { position: id, serialNumber, installDate }: Of<"put">): Outcome {
  const position = book.position(id);
  if (position.deletedBy !== null) return false;
  const isChanged = position.serialNumber !== serialNumber || (installDate !== undefined && installDate !== position.installDate);
  const isNamed = position.serialNumber !== null || serialNumber !== null;
  position.serialNumber = serialNumber;
  const before = position.installDate;
  if (installDate !== undefined) position.installDate = installDate;
  if (!isChanged || !isNamed) return true;
  // Only a changed date corrects the start of what stays inside.
  if (installDate === undefined || installDate === before) {
    if (book.inside(id)?.serialNumber !== serialNumber) book.write(position);
  } else book.write(position);
  return true;
}

const rules: Rules<Operation["kind"]> = { exchange, step, swap, move, correct, put, delete: remove, restore, rehome, ...stockRules };

/** Records an operation in a copy of the notebook. */
export function record(book: Notebook, operation: Operation): { outcome: Outcome; after: Notebook } {
  const after = book.clone();
  return { outcome: (rules[operation.kind] as (book: Notebook, operation: Operation) => Outcome)(after, operation), after };
}
