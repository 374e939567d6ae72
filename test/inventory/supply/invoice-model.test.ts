/** Random receipts, invoices, issues and their reversals by clients at once: after matching, the stock is worth what was invoiced (docs/supply.md). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { act, createInvoice, lineOf, verified } from "./invoices.js";
import { newPerson, orderOk, stepOk, supplied } from "./purchases.js";
import { receive, receiveOk, reverse } from "./receipts.js";

const gateway = await sharedGateway();

const runs = Number(process.env.SUPPLY_RUNS ?? 4);
const price = 5;
/** Per cent. */
const tolerance = 10;
const ordered = [10, 7, 30];

const operation = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("receive" as const, "invoice" as const) },
    { weight: 1, arbitrary: fc.constantFrom("reverse" as const, "match" as const, "cancel" as const, "issue" as const) },
  ),
  line: fc.nat(ordered.length - 1),
  quantity: fc.integer({ min: 1, max: 6 }),
  /** Cents above the ordered price, for each piece: up to 60, which is beyond the tolerance of 50. */
  above: fc.integer({ min: -60, max: 60 }),
  which: fc.nat(30),
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 10, maxLength: 10 });

interface Plant {
  tenant: Caller;
  clerk: Caller;
  supplierId: string;
  partId: string;
  lines: string[];
  movements: string[];
  invoices: string[];
}

async function plantOf(): Promise<Plant> {
  const tenant = await gateway.newTenant();
  const { supplierId, partId } = await supplied(tenant);
  await tenant.ask("mutation ($input: UpdateStockSettingsInput!) { updateStockSettings(input: $input) { id } }", {
    input: { invoiceTolerance: tolerance },
  });
  const { caller: clerk } = await newPerson(tenant, "Clerk");
  const lines = ordered.map((quantity) => ({ partId, quantity, unit: "each", price }));
  const order = await orderOk(tenant, { supplierId, site: "North", lines });
  await stepOk(tenant, "submit", order.id);
  await stepOk(tenant, "send", order.id);
  return { tenant, clerk, supplierId, partId, lines: order.lines.map(({ id }: any) => id), movements: [], invoices: [] };
}

/** Sends an operation. Refusals are conflicts. */
async function send(plant: Plant, { kind, line, quantity, above, which }: Operation, name: string): Promise<void> {
  const { tenant, clerk, supplierId, partId, lines, movements, invoices } = plant;
  const movement = movements[which % movements.length];
  const invoice = invoices[which % invoices.length];
  const newInvoice = async () => {
    const amount = (quantity * (100 * price + above)) / 100;
    const made = await createInvoice(tenant, { supplierId, number: name, lines: [{ orderLineId: lines[line]!, quantity, amount }] });
    const { id } = made.data.createSupplierInvoice;
    invoices.push(id);
    return act(tenant, "post", id);
  };
  const issue = () =>
    tenant.graphql(`mutation ($id: ID!) { issueStock(partId: $id, input: { site: "North", quantity: ${quantity} }) { id } }`, {
      id: partId,
    });
  const calls: Record<Operation["kind"], () => Promise<{ data?: any; errors?: any[] }> | undefined> = {
    receive: () => receive(clerk, lines[line]!, { accepted: quantity }),
    invoice: newInvoice,
    reverse: () => (movement ? reverse(tenant, movement) : undefined),
    match: () => (invoice ? act(tenant, "match", invoice) : undefined),
    cancel: () => (invoice ? act(tenant, "cancel", invoice) : undefined),
    issue,
  };
  const { data, errors } = (await calls[kind]()) ?? {};
  for (const { extensions, message } of errors ?? [])
    expect(["CONFLICT", "INSUFFICIENT_STOCK"], `${kind}: ${message}`).toContain(extensions.code);
  if (data?.receivePurchaseOrderLine) movements.push(data.receivePurchaseOrderLine.movement.id);
}

interface InvoiceLine {
  orderLineId: string;
  quantity: number;
  amount: number;
  status: string;
}

async function invoicesOf(tenant: Caller): Promise<{ id: string; status: string; lines: InvoiceLine[] }[]> {
  const text = "{ supplierInvoices(first: 100) { nodes { id status lines { orderLineId quantity amount status } } } }";
  return (await tenant.ask(text)).supplierInvoices.nodes;
}

/** Value of receipts and their corrections, without those that were reversed, in stock or expensed. */
async function worthOf({ tenant }: Plant): Promise<number> {
  const [row] = await gateway.database.query<{ worth: number }>(
    `select sum(m.value + coalesce(m.expensed, 0))::float8 as worth from "StockMovement" m
     where m."tenantId" = $1 and (m.type in ('receipt', 'revaluation') or m.type = 'adjustment' and m."reversalOf" is not null)`,
    [tenant.tenantId],
  );
  return row!.worth;
}

/** No line has more covered than accepted, nor less than nothing of a difference. */
async function checkLines({ tenant, lines }: Plant): Promise<void> {
  for (const id of lines) {
    const { accepted, invoicedQuantity, matchedQuantity, quantityDifference } = await lineOf(tenant, id);
    expect(matchedQuantity).toBeLessThanOrEqual(accepted);
    expect(quantityDifference).toBe(invoicedQuantity - matchedQuantity);
    expect(quantityDifference).toBeGreaterThanOrEqual(0);
  }
}

test("receipts are worth their invoices, for every order of receipts, invoices, issues and reversals", { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(batches, async (all) => {
    const plant = await plantOf();
    const { tenant, clerk, lines } = plant;
    for (const [round, batch] of all.entries()) {
      await Promise.all(batch.map((one, i) => send(plant, one, `${round}.${i}`)));
      await checkLines(plant);
    }
    // Everything that was ordered arrives, and what still cannot be matched is cancelled.
    for (const id of lines) {
      const { purchaseOrderLines } = await tenant.ask("{ purchaseOrderLines { nodes { id openQuantity } } }");
      const { openQuantity } = purchaseOrderLines.nodes.find((line: any) => line.id === id);
      if (openQuantity > 0) await receiveOk(clerk, id, { accepted: openQuantity });
    }
    for (const { id, status } of await invoicesOf(tenant)) {
      if (status === "POSTED") await act(tenant, "match", id);
      if (status === "DRAFT") await act(tenant, "cancel", id);
    }
    for (const { id, lines } of await invoicesOf(tenant))
      if (lines.some(({ status }) => status === "ON_HOLD")) expect((await act(tenant, "cancel", id)).errors).toBeUndefined();
    await checkLines(plant);

    const posted = (await invoicesOf(tenant)).filter(({ status }) => status === "POSTED").flatMap(({ lines }) => lines);
    expect(posted.filter(({ status }) => status !== "MATCHED")).toEqual([]);
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    const invoiced = sum(posted.map(({ amount }) => Math.round(amount * 100)));
    const uncovered = sum(ordered) - sum(posted.map(({ quantity }) => quantity));
    expect(await worthOf(plant)).toBe((invoiced + uncovered * price * 100) / 100);
    await verified(tenant);
  });
  await fc.assert(property, { numRuns: runs, endOnFailure: true });
});
