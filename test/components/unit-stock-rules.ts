/** Records stock operations on serial numbers in the notebook, by docs/stock.md. */
import type { ModelUnit, Notebook, State } from "./unit-notebook.js";
import type { Of, Operation, Outcome, Rules } from "./unit-operation.js";

/** The unit comes into the stock of a site. False if it is there, installed, in transit for another reason, or unserviceable. */
function comeIn(book: Notebook, unit: ModelUnit, site: string, why?: "receive" | "reversal" | "transfer"): boolean {
  const last = book.last(unit);
  if (unit.site !== null || last?.state === "INSTALLED") return false;
  if (last && why !== "reversal" && (last.condition === "UNSERVICEABLE" || (last.state === "IN_TRANSIT" && why !== "transfer")))
    return false;
  const isNew = last ? last.condition === "NEW" : why === "receive";
  book.begin(unit, book.soon(), { state: "IN_STOCK", condition: isNew ? "NEW" : "SERVICEABLE", site });
  unit.site = site;
  unit.issue = null;
  return true;
}

/** The unit leaves the stock of a site. False if it is not there. */
function goOut(book: Notebook, unit: ModelUnit | undefined, site: string, state: State, order: string | null = null): boolean {
  if (!unit || unit.site !== site) return false;
  const { condition } = book.last(unit)!;
  const isUnfit = state === "SCRAPPED" || state === "REMOVED";
  const asset = book.orders.find(({ id }) => id === order)?.asset;
  book.begin(unit, book.soon(), {
    state,
    condition: isUnfit ? "UNSERVICEABLE" : condition,
    site: asset ? book.sites[asset]! : site,
    order,
  });
  unit.site = null;
  unit.issue = null;
  return true;
}

function issue(book: Notebook, part: string, site: string, serialNumber: string, order: string | null): Outcome {
  const unit = book.named(serialNumber, part);
  if (book.stock(part, site).available < 1) return false;
  if (!goOut(book, unit, site, order === null ? "LOST" : "WITH_WORK_ORDER", order)) return false;
  Object.assign(unit!, { issue: { order }, wasIssued: true });
  return true;
}

/** A rejected gain leaves the stock again, and a rejected loss comes back. */
function reject(book: Notebook, { pending: id }: Of<"reject">): Outcome {
  const pending = book.pending.find((one) => one.id === id);
  if (!pending) return false;
  book.pending.splice(book.pending.indexOf(pending), 1);
  const unit = book.unit(pending.unit);
  if (pending.quantity < 0) return comeIn(book, unit, pending.site, "reversal");
  const before = unit.stays.at(-2);
  const state = before?.state === "REMOVED" || before?.state === "IN_REPAIR" ? "REMOVED" : "LOST";
  return goOut(book, unit, pending.site, state);
}

function transfer(book: Notebook, { kind, part, serialNumber, from, to }: Of<"transfer" | "start">): Outcome {
  const unit = book.named(serialNumber, part);
  if (from === to || unit?.site !== from || book.stock(part, from).available < 1) return false;
  if (kind === "start") {
    book.transfers.push({ id: book.newId(), unit: unit.id, part, from, to, status: "RESERVED" });
    return true;
  }
  return goOut(book, unit, from, "IN_TRANSIT") && comeIn(book, unit, to, "transfer");
}

function ship(book: Notebook, { transfer: id }: Of<"ship" | "arrive" | "cancel">): Outcome {
  const found = book.transfers.find((one) => one.id === id)!;
  const { part, from, status } = found;
  if (status !== "RESERVED") return false;
  const isShort = book.stock(part, from).available < 0;
  found.status = "SHIPPED";
  return goOut(book, book.unit(found.unit), from, "IN_TRANSIT") && (isShort ? "either" : true);
}

function land(book: Notebook, { kind, transfer: id }: Of<"ship" | "arrive" | "cancel">): Outcome {
  const found = book.transfers.find((one) => one.id === id)!;
  const { from, to, status } = found;
  found.status = kind === "arrive" ? "RECEIVED" : "CANCELLED";
  if (status === "RESERVED" && kind === "cancel") return true;
  return status === "SHIPPED" && comeIn(book, book.unit(found.unit), kind === "arrive" ? to : from, "transfer");
}

function receive(book: Notebook, { kind, part, site, serialNumber }: Of<"receive" | "return" | "gain">): Outcome {
  const known = book.named(serialNumber, part);
  if (kind === "return" && !known?.wasIssued) return false;
  const unit = known ?? book.addUnit(serialNumber, part);
  if (!comeIn(book, unit, site, kind === "receive" ? kind : undefined)) return false;
  if (kind === "gain") book.pending.push({ id: book.newId(), unit: unit.id, part, site, quantity: 1 });
  return true;
}

function writeOff(book: Notebook, { part, site, serialNumber }: Of<"writeOff">): Outcome {
  const unit = book.named(serialNumber, part);
  if (!goOut(book, unit, site, "SCRAPPED")) return false;
  book.pending.push({ id: book.newId(), unit: unit!.id, part, site, quantity: -1 });
  return true;
}

function returnFromOrder(book: Notebook, { order, part, site, serialNumber }: Of<"returnFromOrder">): Outcome {
  const unit = book.named(serialNumber, part);
  return unit?.issue?.order === order && comeIn(book, unit, site);
}

const approve = (book: Notebook, { pending: id }: Of<"approve">): Outcome => {
  const length = book.pending.length;
  book.pending = book.pending.filter((one) => one.id !== id);
  return book.pending.length < length;
};

type OfStock = Exclude<Operation["kind"], "exchange" | "step" | "swap" | "move" | "correct" | "put" | "delete" | "restore" | "rehome">;

export const stockRules: Rules<OfStock> = {
  receive,
  return: receive,
  gain: receive,
  issue: (book, { part, site, serialNumber }) => issue(book, part, site, serialNumber, null),
  issueToOrder: (book, { part, site, serialNumber, order }) => issue(book, part, site, serialNumber, order),
  returnFromOrder,
  writeOff,
  transfer,
  start: transfer,
  ship,
  arrive: land,
  cancel: land,
  approve,
  reject,
};
