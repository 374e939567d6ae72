/** Random operations on purchase orders by clients at once, compared with a model (docs/supply.md). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { newPerson, orderOk, step, stepOk, supplied } from "./purchases.js";
import { receive, release, reverse, sendBack } from "./receipts.js";
import { type Operation, openOf, quarantineOf, type State, statesAfter } from "./supply-model.js";

const gateway = await sharedGateway();

const runs = Number(process.env.SUPPLY_RUNS ?? 4);
const price = 5;

/** Order, ordered quantity and site of each line. */
const ordered = [
  [0, 10, "North"],
  [0, 7, "South"],
  [1, 20, "North"],
  [2, 5, "North"],
  [2, 3, "North"],
] as const;

const operation = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant("receive" as const) },
    { weight: 3, arbitrary: fc.constantFrom("release" as const, "sendBack" as const, "reverse" as const) },
    { weight: 1, arbitrary: fc.constantFrom("cancelLine" as const, "close" as const, "cancel" as const) },
  ),
  line: fc.nat(ordered.length - 1),
  receipt: fc.nat(20),
  quantity: fc.integer({ min: 1, max: 8 }),
  rejected: fc.integer({ min: 0, max: 5 }),
});
const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 12, maxLength: 12 });

interface Plant {
  tenant: Caller;
  clerks: Caller[];
  partId: string;
  orders: string[];
  lines: string[];
  /** Receipts and their movements by the name of the operation. */
  receipts: Map<string, { id: string; movement: string | null }>;
}

async function plantOf(tolerance: number): Promise<Plant> {
  const tenant = await gateway.newTenant();
  const { supplierId, partId } = await supplied(tenant);
  await tenant.ask("mutation ($input: UpdateStockSettingsInput!) { updateStockSettings(input: $input) { id } }", {
    input: { overReceiptTolerance: tolerance },
  });
  const clerks = [(await newPerson(tenant, "Clerk")).caller, (await newPerson(tenant, "Other")).caller];
  const orders: string[] = [];
  const lines: string[] = [];
  for (const order of [0, 1, 2]) {
    const those = ordered.filter(([of]) => of === order);
    const input = those.map(([, quantity, site]) => ({ partId, quantity, unit: "each", price, site }));
    const created = await orderOk(tenant, { supplierId, site: "North", lines: input });
    await stepOk(tenant, "submit", created.id);
    await stepOk(tenant, "send", created.id);
    orders.push(created.id);
    lines.push(...created.lines.map(({ id }: any) => id));
  }
  return { tenant, clerks, partId, orders, lines, receipts: new Map() };
}

/** Sends an operation. Returns whether it succeeded; refusals are conflicts. */
async function send({ clerks, orders, lines, receipts }: Plant, operation: Operation, n: number): Promise<boolean> {
  const { kind, name, line, receipt, quantity, rejected } = operation;
  const clerk = clerks[n % clerks.length]!;
  const { id, movement } = receipts.get(receipt) ?? { id: "", movement: "" };
  const reason = { reason: "Test" };
  const calls: Record<Operation["kind"], () => Promise<{ data?: any; errors?: any[] }>> = {
    receive: () => receive(clerk, lines[line]!, { accepted: quantity, ...(rejected && { rejected, rejectionReason: "Rust" }) }),
    release: () => release(clerk, id, { quantity }),
    sendBack: () => sendBack(clerk, id, quantity),
    reverse: () => reverse(clerk, movement!),
    cancelLine: () => step(clerk, "cancelLine", lines[line]!, reason),
    close: () => step(clerk, "close", orders[ordered[line]![0]]!, reason),
    cancel: () => step(clerk, "cancel", orders[ordered[line]![0]]!, reason),
  };
  const { data, errors } = await calls[kind]();
  for (const { extensions } of errors ?? []) expect(extensions, kind).toMatchObject({ code: "CONFLICT" });
  const made = data?.receivePurchaseOrderLine ?? data?.releaseRejectedGoods;
  if (made) receipts.set(name, { id: made.id, movement: made.movement.id });
  return !errors;
}

/** The state of the service in the words of the model. */
async function stateOf({ tenant, partId, orders, lines, receipts }: Plant, tolerance: number) {
  const { purchaseOrders, goodsReceipts, part } = await tenant.ask(
    `query ($id: ID!) { purchaseOrders { nodes { id status lines { id accepted cancelled openQuantity } } }
      goodsReceipts(first: 100) { nodes { id accepted rejected released returned inQuarantine reversedAt } }
      part(id: $id) { onOrder purchaseOrderLines(filter: { open: true }) { totalCount } stockLevels { site quantity totalValue onOrder } } }`,
    { id: partId },
  );
  const byId = new Map<string, any>(
    [...purchaseOrders.nodes, ...purchaseOrders.nodes.flatMap((order: any) => order.lines), ...goodsReceipts.nodes].map((one) => [
      one.id,
      one,
    ]),
  );
  const facts = {
    tolerance,
    statuses: orders.map((id) => byId.get(id).status),
    lines: lines.map((id) => byId.get(id)).map(({ accepted, cancelled, openQuantity }) => ({ accepted, cancelled, openQuantity })),
    receipts: Object.fromEntries(
      [...receipts].map(([name, { id }]) => {
        const { accepted, rejected, released, returned, inQuarantine, reversedAt } = byId.get(id);
        return [name, { accepted, rejected, released, returned, inQuarantine, isReversed: reversedAt !== null }];
      }),
    ),
    // Nothing is received twice.
    received: goodsReceipts.nodes.length,
  };
  return { facts, part };
}

/** The same of a state of the model. */
const factsOf = (state: State) => ({
  tolerance: state.tolerance,
  statuses: state.statuses,
  lines: state.lines.map((line) => ({ accepted: line.accepted, cancelled: line.cancelled, openQuantity: openOf(line) })),
  receipts: Object.fromEntries(
    Object.entries(state.receipts).map(([name, receipt]) => {
      const { accepted, rejected, released, returned, isReversed } = receipt;
      return [name, { accepted, rejected, released, returned, inQuarantine: quarantineOf(receipt), isReversed }];
    }),
  ),
  received: Object.keys(state.receipts).length,
});

/** The stock by site that the model has. */
const stockOf = (state: State) =>
  (["North", "South"] as const).map((site) => {
    const lines = state.lines.filter((_, i) => ordered[i]![2] === site);
    const isOnOrder = ({ order }: { order: number }) => ["SENT", "PARTLY_RECEIVED"].includes(state.statuses[order]!);
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    const quantity = sum(lines.map(({ accepted }) => accepted));
    return { site, quantity, totalValue: quantity * price, onOrder: sum(lines.filter(isOnOrder).map(openOf)) };
  });

test("receipts, releases, returns, reversals, cancellations and closes at once lead to a state of the model", {
  timeout: 600_000,
}, async () => {
  const property = fc.asyncProperty(fc.constantFrom(0, 20), batches, async (tolerance, all) => {
    const plant = await plantOf(tolerance);
    let state: State = {
      tolerance,
      statuses: ["SENT", "SENT", "SENT"],
      lines: ordered.map(([order, quantity]) => ({ order, ordered: quantity, accepted: 0, cancelled: 0 })),
      receipts: {},
    };
    for (const [round, batch] of all.entries()) {
      const known = Object.keys(state.receipts);
      const operations = batch.flatMap(({ receipt, ...rest }, i): Operation[] => {
        const isAboutReceipt = ["release", "sendBack", "reverse"].includes(rest.kind);
        if (isAboutReceipt && !known.length) return [];
        return [{ ...rest, name: `${round}.${i}`, receipt: known[receipt % known.length] ?? "" }];
      });
      const done = await Promise.all(operations.map((one, i) => send(plant, one, i)));
      const succeeded = new Set(operations.filter((_, i) => done[i]).map(({ name }) => name));
      const { facts, part } = await stateOf(plant, tolerance);
      const possible = statesAfter(state, operations, succeeded);
      const found = possible.find((one) => JSON.stringify(sorted(factsOf(one))) === JSON.stringify(sorted(facts)));
      expect(found ? facts : possible.map(factsOf), JSON.stringify({ state, operations, succeeded: [...succeeded] })).toEqual(facts);
      state = found!;
      const stock = stockOf(state);
      for (const { openQuantity } of facts.lines) expect(openQuantity).toBeGreaterThanOrEqual(0);
      expect(part.onOrder).toBe(stock.reduce((total, { onOrder }) => total + onOrder, 0));
      for (const level of part.stockLevels) expect(stock).toContainEqual(level);
    }
    const { verifyLedger } = await plant.tenant.ask("{ verifyLedger { balanced } }");
    expect(verifyLedger).toEqual({ balanced: true });
  });
  await fc.assert(property, { numRuns: runs, endOnFailure: true });
});

/** Receipts by name, so that equal states have equal texts. */
function sorted<T extends { receipts: object }>(facts: T): T {
  return { ...facts, receipts: Object.fromEntries(Object.entries(facts.receipts).sort(([one], [other]) => (one < other ? -1 : 1))) };
}
