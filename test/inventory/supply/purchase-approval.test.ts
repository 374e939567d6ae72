/** Approval of purchase orders over GraphQL: rules, persons and delegations (docs/supply.md, "Approval"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { newPerson, orderOk, refuses, step, stepOk, supplied } from "./purchases.js";

const gateway = await sharedGateway();

const rule = async (tenant: Caller, input: object) =>
  (
    await tenant.ask(`mutation ($input: PurchaseApprovalRuleInput!) { createPurchaseApprovalRule(input: $input) { id version } }`, {
      input,
    })
  ).createPurchaseApprovalRule;

const delegate = (caller: Caller, delegateId: string, endsAt = "2041-01-01") =>
  caller.graphql(
    `mutation ($delegateId: ID!, $endsAt: DateTime!) { delegatePurchaseApproval(delegateId: $delegateId, endsAt: $endsAt) { id endsAt delegate { name } } }`,
    { delegateId, endsAt },
  );

const plant = async () => {
  const tenant = await gateway.newTenant();
  const { supplierId, partId } = await supplied(tenant);
  const [ann, bob, cy] = [await newPerson(tenant, "Ann"), await newPerson(tenant, "Bob"), await newPerson(tenant, "Cy")];
  /** An order of boxes of 30 EUR by Ann, submitted. */
  const submitted = async (boxes: number, input: object = {}) => {
    const { id } = await orderOk(ann.caller, { supplierId, site: "North", lines: [{ partId, quantity: boxes, price: 30 }], ...input });
    return stepOk(ann.caller, "submit", id);
  };
  return { tenant, supplierId, partId, ann, bob, cy, submitted };
};

const own = { message: "A purchase order must be decided by another person than its author and the one who submitted it" };
const named = { message: "This purchase order must be decided by the person that its approval rule names, or a delegate" };

test("an order from the amount of a rule on awaits another person, whatever key the author has", async () => {
  const { tenant, ann, bob, submitted } = await plant();
  await rule(tenant, { minimumAmount: 150 });
  expect(await submitted(4)).toMatchObject({ status: "APPROVED", total: 120, approvalRule: null, approvedBy: null });
  const order = await submitted(5);
  expect(order).toMatchObject({ status: "AWAITING_APPROVAL", total: 150, approvalRule: "From 150 EUR", submittedBy: ann.id });
  await refuses(tenant, () => step(ann.caller, "approve", order.id), "FORBIDDEN", own);
  const second = await ann.newKey();
  await refuses(tenant, () => step(second, "approve", order.id), "FORBIDDEN", own);
  await refuses(tenant, () => step(second, "decline", order.id, { reason: "r" }), "FORBIDDEN", own);
  await refuses(tenant, () => step(bob.caller, "send", order.id), "CONFLICT", { status: "AWAITING_APPROVAL" });
  await refuses(tenant, () => step(bob.caller, "approve", order.id, { expectedVersion: 1 }), "CONFLICT", { version: 2 });
  expect(await stepOk(bob.caller, "approve", order.id, { reason: "budget" })).toMatchObject({
    status: "APPROVED",
    approvedBy: bob.id,
    approvedFor: null,
    decisionReason: "budget",
  });
  expect(await stepOk(ann.caller, "send", order.id)).toMatchObject({ status: "SENT", sentBy: ann.id });
});

test("the one who submits another's draft does not approve it either", async () => {
  const { tenant, supplierId, partId, ann, bob, cy } = await plant();
  await rule(tenant, { minimumAmount: 1 });
  const { id } = await orderOk(ann.caller, { supplierId, site: "North", lines: [{ partId, quantity: 1 }] });
  await stepOk(bob.caller, "submit", id);
  await refuses(tenant, () => step(bob.caller, "approve", id), "FORBIDDEN", own);
  await refuses(tenant, () => step(ann.caller, "approve", id), "FORBIDDEN", own);
  await stepOk(cy.caller, "approve", id);
});

test("two approvers at once, or one who declines meanwhile, decide once", async () => {
  const { tenant, ann, bob, cy, submitted } = await plant();
  await rule(tenant, { minimumAmount: 1 });
  const { id } = await submitted(1);
  const answers = await Promise.all([
    step(bob.caller, "approve", id),
    step(cy.caller, "approve", id),
    step(cy.caller, "decline", id, { reason: "no" }),
    step(bob.caller, "approve", id),
  ]);
  expect(answers.map(({ errors }) => errors?.[0]?.extensions.code ?? "done").sort()).toEqual(["CONFLICT", "CONFLICT", "CONFLICT", "done"]);
  const declined = await submitted(1);
  expect(await stepOk(bob.caller, "decline", declined.id, { reason: "too many" })).toMatchObject({
    status: "DRAFT",
    decisionReason: "too many",
  });
  expect(await stepOk(ann.caller, "submit", declined.id)).toMatchObject({ status: "AWAITING_APPROVAL" });
});

test("the strictest rule by amount, category and site applies", async () => {
  const { tenant, submitted, partId } = await plant();
  await rule(tenant, { minimumAmount: 300, site: "South" });
  await rule(tenant, { minimumAmount: 90, category: "Bearings" });
  const mixed = (site: string, boxes: number) =>
    submitted(1, {
      site,
      lines: [
        { partId, quantity: boxes, price: 30 },
        { description: "Crane", quantity: 1, price: 220 },
      ],
    });
  // Bearings for 60 and a crane: below the rule of the category.
  expect((await mixed("North", 2)).approvalRule).toBeNull();
  expect((await mixed("North", 3)).approvalRule).toBe("From 90 EUR, category Bearings");
  expect((await mixed("South", 3)).approvalRule).toBe("From 300 EUR, site South");
  expect((await mixed("South", 2)).approvalRule).toBeNull();
  // In another currency by its rate, and always without one.
  const foreign = (boxes: number, exchangeRate?: number) => submitted(boxes, { currency: "USD", exchangeRate });
  expect((await foreign(3, 0.9)).approvalRule).toBeNull();
  expect((await foreign(4, 0.9)).approvalRule).toBe("From 90 EUR, category Bearings");
  expect((await foreign(1)).approvalRule).toBe("From 90 EUR, category Bearings");
});

test("a rule's approver decides, or a delegate until the end, and the order tells both", async () => {
  const { tenant, ann, bob, cy, submitted } = await plant();
  const { id: ruleId } = await rule(tenant, { minimumAmount: 1, approverId: bob.node });
  const first = await submitted(1);
  expect(first.approverId).toBe(bob.id);
  await refuses(tenant, () => step(cy.caller, "approve", first.id), "FORBIDDEN", named);
  await refuses(tenant, () => delegate(bob.caller, bob.node), "BAD_USER_INPUT", { details: { delegateId: "must name another person" } });
  await refuses(tenant, () => delegate(bob.caller, "x"), "BAD_USER_INPUT", {
    details: { delegateId: "names no active person; use the id of an existing one" },
  });
  await refuses(tenant, () => delegate(bob.caller, cy.node, "2026-01-01"), "BAD_USER_INPUT", {
    details: { endsAt: "must be in the future" },
  });
  const { data } = await delegate(bob.caller, cy.node);
  expect(data.delegatePurchaseApproval).toEqual({
    id: data.delegatePurchaseApproval.id,
    endsAt: "2041-01-01T00:00:00.000Z",
    delegate: { name: "Cy" },
  });
  expect(await stepOk(cy.caller, "approve", first.id, { reason: "on holiday" })).toMatchObject({ approvedBy: cy.id, approvedFor: bob.id });
  const second = await submitted(1);
  const end = (caller: Caller) =>
    caller.graphql(`mutation ($id: ID!) { endPurchaseDelegation(id: $id) { id } }`, { id: data.delegatePurchaseApproval.id });
  await refuses(tenant, () => end(ann.caller), "NOT_FOUND");
  expect((await end(bob.caller)).errors).toBeUndefined();
  await refuses(tenant, () => end(bob.caller), "CONFLICT");
  await refuses(tenant, () => step(cy.caller, "approve", second.id), "FORBIDDEN", named);
  expect(await stepOk(bob.caller, "approve", second.id)).toMatchObject({ approvedBy: bob.id, approvedFor: null });
  // An approver who has left blocks nothing.
  const third = await submitted(1);
  await refuses(tenant, () => step(cy.caller, "approve", third.id), "FORBIDDEN", named);
  const setActive = (isActive: boolean) =>
    tenant.ask("mutation ($id: ID!, $isActive: Boolean) { updatePerson(id: $id, input: { isActive: $isActive }) { id } }", {
      id: bob.node,
      isActive,
    });
  await setActive(false);
  expect(await stepOk(cy.caller, "approve", third.id)).toMatchObject({ approvedBy: cy.id, approvedFor: bob.id });
  await setActive(true);
  const { purchaseOrder } = await tenant.ask(
    `query ($id: ID!) { purchaseOrder(id: $id) { changes(first: 1) { nodes { operation changedBy fields { field after } } } } }`,
    { id: first.id },
  );
  const [{ fields, ...entry }] = purchaseOrder.changes.nodes;
  expect(entry).toEqual({ operation: "approvePurchaseOrder", changedBy: cy.id });
  expect(fields).toEqual(
    expect.arrayContaining([
      { field: "approvedBy", after: cy.id },
      { field: "approvedFor", after: bob.id },
      { field: "decisionReason", after: "on holiday" },
    ]),
  );
  // The approver's own order goes to any other manager.
  const { id } = await orderOk(bob.caller, { ...(await sentOf(tenant)), lines: [{ description: "Crane", quantity: 1, price: 5 }] });
  expect((await stepOk(bob.caller, "submit", id)).approverId).toBeNull();
  await refuses(tenant, () => step(bob.caller, "approve", id), "FORBIDDEN", own);
  await stepOk(cy.caller, "approve", id);
  // Rules are managed by admins, with their versions.
  const update = (caller: Caller, expectedVersion: number) =>
    caller.graphql(
      `mutation ($id: ID!, $v: Int) { updatePurchaseApprovalRule(id: $id, input: { minimumAmount: 7 }, expectedVersion: $v) { minimumAmount approverId version } }`,
      { id: ruleId, v: expectedVersion },
    );
  await refuses(tenant, () => update(ann.caller, 1), "FORBIDDEN");
  await refuses(tenant, () => update(tenant, 2), "CONFLICT", { version: 1 });
  expect((await update(tenant, 1)).data.updatePurchaseApprovalRule).toEqual({ minimumAmount: 7, approverId: null, version: 2 });
  const remove = () => tenant.graphql(`mutation ($id: ID!) { deletePurchaseApprovalRule(id: $id) { message } }`, { id: ruleId });
  expect((await remove()).data.deletePurchaseApprovalRule).toEqual({ message: "Approval rule deleted" });
  await refuses(tenant, remove, "NOT_FOUND", { purchaseApprovalRuleId: ruleId });
  expect((await submitted(9)).status).toBe("APPROVED");
});

const sentOf = async (tenant: Caller) => {
  const { suppliers } = await tenant.ask("{ suppliers { nodes { id } } }");
  return { supplierId: suppliers.nodes[0].id, site: "North" };
};
