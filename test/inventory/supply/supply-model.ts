/**
 * A model of purchase orders and their receipts, written from docs/supply.md: one operation after the other, in whole pieces. A further
 * kind of operation, such as an invoice, is an entry of `apply`.
 */
export interface Line {
  order: number;
  ordered: number;
  accepted: number;
  cancelled: number;
}

export interface Receipt {
  line: number;
  accepted: number;
  rejected: number;
  released: number;
  returned: number;
  isReversed: boolean;
  original?: string;
}

export interface State {
  /** Per cent. */
  tolerance: number;
  statuses: string[];
  lines: Line[];
  /** By the name of the operation that made them. */
  receipts: Record<string, Receipt>;
}

export interface Operation {
  kind: "receive" | "release" | "sendBack" | "reverse" | "cancelLine" | "close" | "cancel";
  name: string;
  line: number;
  /** Name of the receipt, for `release`, `sendBack` and `reverse`. */
  receipt: string;
  quantity: number;
  rejected: number;
}

export const openOf = ({ ordered, accepted, cancelled }: Line) => Math.max(ordered - accepted - cancelled, 0);
export const quarantineOf = ({ rejected, released, returned }: Receipt) => rejected - released - returned;

const linesOf = (state: State, order: number) => state.lines.filter((line) => line.order === order);

/** The order is sent, partly received or received by what was accepted and is open of its lines. */
function settle(state: State, order: number): void {
  if (!["SENT", "PARTLY_RECEIVED", "RECEIVED"].includes(state.statuses[order]!)) return;
  const lines = linesOf(state, order);
  const isOpen = lines.some((line) => openOf(line) > 0);
  const isAccepted = lines.some(({ accepted }) => accepted > 0);
  if (isAccepted) state.statuses[order] = isOpen ? "PARTLY_RECEIVED" : "RECEIVED";
  else if (isOpen) state.statuses[order] = "SENT";
}

function accept(state: State, index: number, quantity: number): boolean {
  const line = state.lines[index]!;
  if (!["SENT", "PARTLY_RECEIVED", "RECEIVED"].includes(state.statuses[line.order]!)) return false;
  const most = line.cancelled ? 0 : line.ordered + (line.ordered * state.tolerance) / 100 - line.accepted;
  if (quantity > Math.max(openOf(line), most)) return false;
  line.accepted += quantity;
  settle(state, line.order);
  return true;
}

const newReceipt = (line: number, accepted: number, rejected: number, original?: string): Receipt => ({
  line,
  accepted,
  rejected,
  released: 0,
  returned: 0,
  isReversed: false,
  original,
});

function cancelOpen(state: State, order: number, status: string): boolean {
  for (const line of linesOf(state, order)) line.cancelled += openOf(line);
  state.statuses[order] = status;
  return true;
}

/** Each applies an operation to the state, or returns false if it is refused. A refused operation may leave the copied state changed. */
const apply: Record<Operation["kind"], (state: State, operation: Operation) => boolean> = {
  receive(state, { name, line, quantity, rejected }) {
    if (!accept(state, line, quantity)) return false;
    state.receipts[name] = newReceipt(line, quantity, rejected);
    return true;
  },
  release(state, { name, receipt, quantity }) {
    const original = state.receipts[receipt]!;
    if (quarantineOf(original) < quantity || !accept(state, original.line, quantity)) return false;
    original.released += quantity;
    state.receipts[name] = newReceipt(original.line, quantity, 0, receipt);
    return true;
  },
  sendBack(state, { receipt, quantity }) {
    const original = state.receipts[receipt]!;
    if (quarantineOf(original) < quantity) return false;
    original.returned += quantity;
    return true;
  },
  reverse(state, { receipt }) {
    const reversed = state.receipts[receipt]!;
    if (reversed.isReversed || !reversed.accepted) return false;
    reversed.isReversed = true;
    if (reversed.original) state.receipts[reversed.original]!.released -= reversed.accepted;
    const line = state.lines[reversed.line]!;
    line.accepted -= reversed.accepted;
    if (["CLOSED", "CANCELLED"].includes(state.statuses[line.order]!)) line.cancelled += openOf(line);
    settle(state, line.order);
    return true;
  },
  cancelLine(state, { line: index }) {
    const line = state.lines[index]!;
    if (!["SENT", "PARTLY_RECEIVED"].includes(state.statuses[line.order]!) || !openOf(line)) return false;
    line.cancelled += openOf(line);
    const lines = linesOf(state, line.order);
    if (!lines.some((one) => openOf(one) || one.accepted)) state.statuses[line.order] = "CANCELLED";
    settle(state, line.order);
    return true;
  },
  close(state, { line }) {
    const { order } = state.lines[line]!;
    return ["PARTLY_RECEIVED", "RECEIVED"].includes(state.statuses[order]!) && cancelOpen(state, order, "CLOSED");
  },
  cancel(state, { line }) {
    const { order } = state.lines[line]!;
    return state.statuses[order] === "SENT" && cancelOpen(state, order, "CANCELLED");
  },
};

/** The state after an operation. Undefined if it is refused. */
export function after(state: State, operation: Operation): State | undefined {
  const copy = structuredClone(state);
  return apply[operation.kind](copy, operation) ? copy : undefined;
}

/** The states to which operations lead that ran at once, in any order, if exactly those of `done` succeed. */
export function statesAfter(state: State, operations: Operation[], done: ReadonlySet<string>): State[] {
  if (!operations.length) return [state];
  return operations.flatMap((operation, i) => {
    const next = after(state, operation);
    if ((next !== undefined) !== done.has(operation.name)) return [];
    return statesAfter(next ?? state, operations.toSpliced(i, 1), done);
  });
}
