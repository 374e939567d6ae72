/** Supplier invoices over the API, for tests. */
import { expect } from "vitest";
import type { Caller, Gateway } from "../../world.js";
import { newPerson, orderOk, stepOk, supplied } from "./purchases.js";

export const invoiceValues = `id number status site currency exchangeRate total postedBy cancellationReason version
  lines { id position orderLineId site quantity amount orderedAmount status matchedQuantity acceptedBy acceptanceReason }`;

export const createInvoice = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: CreateSupplierInvoiceInput!) { createSupplierInvoice(input: $input) { ${invoiceValues} } }`, {
    input: { site: "North", invoiceDate: "2026-11-01", ...input },
  });

export const updateInvoice = (caller: Caller, id: string, input: object) =>
  caller.graphql(
    `mutation ($id: ID!, $input: UpdateSupplierInvoiceInput!) { updateSupplierInvoice(id: $id, input: $input) { ${invoiceValues} } }`,
    {
      id,
      input,
    },
  );

export async function invoiceOk(caller: Caller, input: object): Promise<any> {
  const { data, errors } = await createInvoice(caller, input);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.createSupplierInvoice;
}

/** A mutation of an invoice or of its line by the id: `post`, `match`, `cancel` or `accept`. */
export function act(caller: Caller, name: "post" | "match" | "cancel" | "accept", id: string) {
  const mutation = name === "accept" ? "acceptInvoiceDifference" : `${name}SupplierInvoice`;
  const reason = name === "accept" || name === "cancel" ? `, reason: "Agreed"` : "";
  return caller.graphql(`mutation ($id: ID!) { invoice: ${mutation}(id: $id${reason}) { ${invoiceValues} } }`, { id });
}

export async function actOk(caller: Caller, name: Parameters<typeof act>[1], id: string): Promise<any> {
  const { data, errors } = await act(caller, name, id);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.invoice;
}

export async function receiveOk(caller: Caller, id: string, input: object): Promise<any> {
  const { receivePurchaseOrderLine } = await caller.ask(
    `mutation ($id: ID!, $input: ReceiveOrderLineInput!) { receivePurchaseOrderLine(id: $id, input: $input) { id movement { id value } } }`,
    { id, input },
  );
  return receivePurchaseOrderLine;
}

/** Stock of the part at North: quantity and value. */
export async function stockOf(caller: Caller, partId: string) {
  const { part } = await caller.ask(`query ($id: ID!) { part(id: $id) { stockAt(site: "North") { quantity totalValue } } }`, {
    id: partId,
  });
  return part.stockAt;
}

/** The corrections that invoices posted, oldest first: value, expensed amount and reference. */
export async function correctionsOf(caller: Caller, partId: string) {
  const rows = await caller.gateway.database.query<{ value: string; expensed: string; reference: string; reversal: boolean }>(
    `select trim_scale(value)::text as value, coalesce(trim_scale(expensed)::text, '0') as expensed, reference, "reversalOf" is not null as reversal
     from "StockMovement" where "tenantId" = $1 and "partId" = $2 and type = 'revaluation' order by sequence`,
    [caller.tenantId, partId],
  );
  return rows;
}

/** Value of the part's receipts with their corrections, in stock or expensed. */
export async function worthOf(caller: Caller, partId: string): Promise<string> {
  const [row] = await caller.gateway.database.query<{ worth: string }>(
    `select trim_scale(sum(value + coalesce(expensed, 0)))::text as worth from "StockMovement" where "tenantId" = $1 and "partId" = $2 and type in ('receipt', 'revaluation')`,
    [caller.tenantId, partId],
  );
  return row!.worth;
}

export async function lineOf(caller: Caller, id: string): Promise<any> {
  const { node } = await caller.ask(
    `query ($id: ID!) { node(id: $id) { ... on PurchaseOrderLine {
      accepted invoicedQuantity matchedQuantity quantityDifference invoicedAmount priceDifference invoicesOnHold } } }`,
    { id },
  );
  return node;
}

export const verified = async (tenant: Caller) => {
  const { verifyLedger } = await tenant.ask("{ verifyLedger { balanced } }");
  expect(verifyLedger).toEqual({ balanced: true });
};

/** A sent order of the tenant's admin, a clerk who may receive it, and a manager who may accept differences. */
export async function invoiced(gateway: Gateway, lines: (plant: { partId: string }) => object[], order: object = {}) {
  const tenant = await gateway.newTenant();
  const plant = await supplied(tenant);
  const clerk = (await newPerson(tenant, "Clerk")).caller;
  const manager = await newPerson(tenant, "Manager");
  const created = await orderOk(tenant, { supplierId: plant.supplierId, site: "North", ...order, lines: lines(plant) });
  await stepOk(tenant, "submit", created.id);
  await stepOk(tenant, "send", created.id);
  return {
    tenant,
    clerk,
    manager: manager.caller,
    managerId: manager.id,
    ...plant,
    order: created,
    line: created.lines[0].id as string,
    newInvoice: (number: string, quantity: number, amount: number, input: object = {}) =>
      invoiceOk(tenant, {
        supplierId: plant.supplierId,
        number,
        lines: [{ orderLineId: created.lines[0].id, quantity, amount }],
        ...input,
      }),
  };
}

const tables = ["SupplierInvoice", "SupplierInvoiceLine", "SupplierInvoiceMatch", "PurchaseOrderLine", "StockMovement", "Unit"] as const;

/** A call that is refused and changes nothing of invoices, order lines and stock. */
export async function refused(caller: Caller, call: () => Promise<{ errors?: any[] }>, code: string, details: object = {}) {
  const state = () => caller.snapshot(...tables);
  const before = await state();
  const { errors } = await call();
  expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining({ code, ...details })]);
  expect(await state()).toEqual(before);
}
