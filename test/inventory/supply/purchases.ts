/** Purchase orders over the API, for tests. */
import { expect } from "vitest";
import { Caller } from "../../world.js";

export const values = `id number status site currency total approvalRule approverId approvedBy approvedFor submittedBy sentBy decisionReason cancellationReason version
  lines { id position part { partNumber } description quantity unit unitFactor price amount accepted cancelled openQuantity promisedAt repromisedAt site workOrderId }`;

export const createOrder = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: CreatePurchaseOrderInput!) { createPurchaseOrder(input: $input) { ${values} } }`, { input });

export const updateOrder = (caller: Caller, id: string, input: object) =>
  caller.graphql(`mutation ($id: ID!, $input: UpdatePurchaseOrderInput!) { updatePurchaseOrder(id: $id, input: $input) { ${values} } }`, {
    id,
    input,
  });

/** A mutation of an order or line by its id: `submit`, `approve`, `send`, `decline`, `cancel` or `cancelLine`. */
export function step(caller: Caller, name: string, id: string, args: { reason?: string; expectedVersion?: number } = {}) {
  const mutation = name === "cancelLine" ? "cancelPurchaseOrderLine" : `${name}PurchaseOrder`;
  const passed = Object.keys(args).map((arg) => `, ${arg}: $${arg}`);
  const types = { reason: name === "approve" || name === "close" ? "Text" : "RequiredText!", expectedVersion: "Int" };
  const declared = ["$id: ID!", ...Object.keys(args).map((arg) => `$${arg}: ${types[arg as keyof typeof types]}`)].join(", ");
  return caller.graphql(`mutation (${declared}) { order: ${mutation}(id: $id${passed.join("")}) { ${values} } }`, {
    id,
    ...args,
  });
}

export async function stepOk(caller: Caller, name: string, id: string, args: { reason?: string } = {}): Promise<any> {
  const { data, errors } = await step(caller, name, id, args);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.order;
}

export async function orderOk(caller: Caller, input: object): Promise<any> {
  const { data, errors } = await createOrder(caller, input);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.createPurchaseOrder;
}

/** A person, and callers with keys of it. */
export async function newPerson(admin: Caller, name: string, role = "MANAGER") {
  const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
  const newKey = async () => {
    const { createApiKey } = await admin.ask(
      `mutation ($id: ID!, $name: Name!) { createApiKey(input: { name: $name, role: ${role}, principalId: $id }) { key } }`,
      { id: createPerson.id, name },
    );
    return new Caller(admin.gateway, admin.tenantId, createApiKey.key);
  };
  return { node: createPerson.id as string, id: createPerson.id.replace("Principal:", "") as string, caller: await newKey(), newKey };
}

/** A tenant in EUR with a supplier and the part 6204, which it sells in boxes of 12. */
export async function supplied(tenant: Caller) {
  const { createSupplier, createPart } = await tenant.ask(
    `mutation { updateStockSettings(input: { currency: "EUR" }) { id } createSupplier(input: { name: "SKF", currency: "EUR" }) { id }
       createPart(input: { partNumber: "6204", name: "Ball bearing", category: "Bearings", site: "North" }) { id } }`,
  );
  await tenant.ask(`mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }`, {
    input: {
      supplierId: createSupplier.id,
      partId: createPart.id,
      orderUnit: "box",
      unitFactor: 12,
      priceBreaks: [
        { quantity: 1, price: 30 },
        { quantity: 10, price: 28.5 },
      ],
    },
  });
  return { supplierId: createSupplier.id as string, partId: createPart.id as string };
}

/** A sent order by Ann: five boxes of twelve at 30.00, so that a piece costs 2.50, and a service. Sam is a technician. */
export async function sentOrder(admin: Caller, part: object, order: object = {}) {
  const { supplierId, partId } = await supplied(admin);
  await admin.ask("mutation ($id: ID!, $part: UpdatePartInput!) { updatePart(id: $id, input: $part) { id } }", { id: partId, part });
  const [ann, bob, sam] = [await newPerson(admin, "Ann"), await newPerson(admin, "Bob"), await newPerson(admin, "Sam", "TECHNICIAN")];
  const lines = [
    { partId, quantity: 5, price: 30 },
    { description: "Crane, one day", quantity: 1, price: 900 },
  ];
  const { id } = await orderOk(ann.caller, { supplierId, site: "North", lines, ...order });
  await stepOk(ann.caller, "submit", id);
  return { ann, bob, sam, order: await stepOk(ann.caller, "send", id), partId, supplierId };
}

const tables = ["PurchaseOrder", "PurchaseOrderLine"];

/** A call that is refused and changes neither orders, lines, numbers, rules nor delegations. */
export async function refuses(caller: Caller, call: () => Promise<{ errors?: any[] }>, code: string, details: object = {}) {
  const numbers = () =>
    caller.gateway.database.query<any>(`select year, last from "PurchaseOrderNumber" where "tenantId" = $1 order by 1`, [caller.tenantId]);
  const state = async () => [
    await caller.snapshot(...tables, "PurchaseApprovalRule", "PurchaseDelegation", "SupplierAccount", "Part"),
    await numbers(),
  ];
  const before = await state();
  const { errors } = await call();
  expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining({ code, ...details })]);
  expect(await state()).toEqual(before);
}
