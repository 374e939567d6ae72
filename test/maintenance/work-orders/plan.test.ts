/** Changing the plan of a pending work order (docs/work.md, "Changing the plan"): description, steps, and parts with their reservations. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Caller, startGateway } from "../../world.js";
import { act, balanced, failed, part, procedure, stock, stockOf, workOrder } from "./orders.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const mutation = `mutation ($id: ID!, $input: WorkOrderPlanInput!, $expectedVersion: Int) {
  changeWorkOrderPlan(id: $id, input: $input, expectedVersion: $expectedVersion) {
    description version steps { order description kind status } requiredParts { partId quantity status } } }`;
const change = async (tenant: Caller, id: string, input: object) => (await tenant.ask(mutation, { id, input })).changeWorkOrderPlan;
const refused = (tenant: Caller, id: string, input: object, extensions: object, expectedVersion?: number) =>
  failed(tenant, () => tenant.graphql(mutation, { id, input, expectedVersion }), extensions);
const invalid = (details: object) => ({ code: "BAD_USER_INPUT", details });
const task = (order: number, description: string) => ({ order, description, kind: "TASK", status: "PENDING" });
const issue = (tenant: Caller, id: string, partId: string, quantity: number) =>
  tenant.ask(
    "mutation ($id: ID!, $partId: ID!, $quantity: Positive!) { issueToWorkOrder(id: $id, input: { partId: $partId, quantity: $quantity }) { id } }",
    { id, partId, quantity },
  );

async function planned(tenant: Caller) {
  const seal = await part(tenant, { stockLevel: 10 });
  const bearing = await part(tenant, { stockLevel: 10 });
  const { id: procedureId } = await procedure(tenant, {
    steps: [{ description: "Drain" }, { description: "Fill", required: true }],
    parts: [{ partId: seal, quantity: 4 }],
  });
  return { seal, bearing, id: await workOrder(tenant, procedureId) };
}

describe("changeWorkOrderPlan", () => {
  it("changes description, steps and parts at once, and the reservations with them", async () => {
    const tenant = await gateway.newTenant();
    const { seal, bearing, id } = await planned(tenant);
    expect(
      await change(tenant, id, {
        description: "Oil and seal",
        addSteps: [{ description: "Check" }, { description: "Clean" }],
        removeSteps: [1],
        parts: [
          { partId: seal, quantity: 6 },
          { partId: bearing, quantity: 1.5 },
        ],
      }),
    ).toEqual({
      description: "Oil and seal",
      version: 2,
      steps: [task(2, "Fill"), task(3, "Check"), task(4, "Clean")],
      requiredParts: expect.arrayContaining([
        { partId: seal, quantity: 6, status: "RESERVED" },
        { partId: bearing, quantity: 1.5, status: "RESERVED" },
      ]),
    });
    expect([await stockOf(tenant, seal), await stockOf(tenant, bearing)]).toEqual([stock(10, 6), stock(10, 1.5)]);
    // Removed numbers are not used again.
    const again = await change(tenant, id, {
      removeSteps: [4],
      addSteps: [{ description: "Wipe" }],
      parts: [{ partId: seal, quantity: 1 }],
    });
    expect([again.steps, again.version]).toEqual([[task(2, "Fill"), task(3, "Check"), task(5, "Wipe")], 3]);
    expect((await change(tenant, id, { removeParts: [bearing] })).requiredParts).toEqual([
      { partId: seal, quantity: 1, status: "RESERVED" },
    ]);
    expect([await stockOf(tenant, seal), await stockOf(tenant, bearing)]).toEqual([stock(10, 1), stock(10, 0)]);
    await act(tenant, "start", id);
    await change(tenant, id, { parts: [{ partId: bearing, quantity: 2 }] });
    await tenant.ask(
      "mutation ($id: ID!) { updateWorkOrderStep(id: $id, order: 2, input: { status: COMPLETED }) { id } completeWorkOrder(id: $id) { id } }",
      { id },
    );
    expect([await stockOf(tenant, seal), await stockOf(tenant, bearing)]).toEqual([stock(9, 0), stock(8, 0)]);
    await balanced(tenant);
  });

  it("keeps what is issued: a quantity includes it, and an issued part is not removed", async () => {
    const tenant = await gateway.newTenant();
    const { seal, bearing, id } = await planned(tenant);
    await act(tenant, "start", id);
    await issue(tenant, id, seal, 3);
    await refused(
      tenant,
      id,
      { parts: [{ partId: seal, quantity: 2 }] },
      invalid({ "parts.0.quantity": "must be at least 3, which is no longer reserved" }),
    );
    await refused(
      tenant,
      id,
      { removeParts: [bearing, seal] },
      invalid({
        "removeParts.0": "names no part of the work order",
        "removeParts.1": "is of an issued part; return the part, or enter 0 as used at completion",
      }),
    );
    const lowered = await change(tenant, id, { parts: [{ partId: seal, quantity: 3 }] });
    expect([lowered.requiredParts, await stockOf(tenant, seal)]).toEqual([[{ partId: seal, quantity: 3, status: "ISSUED" }], stock(7, 0)]);
    const raised = await change(tenant, id, { parts: [{ partId: seal, quantity: 5 }] });
    expect([raised.requiredParts, await stockOf(tenant, seal)]).toEqual([[{ partId: seal, quantity: 5, status: "RESERVED" }], stock(7, 2)]);
    await balanced(tenant);
  });

  it("refuses contradictions by field, and changes nothing", async () => {
    const tenant = await gateway.newTenant();
    const { seal, id } = await planned(tenant);
    const skip = "is of a step that can only be skipped with a reason: updateWorkOrderStep";
    await refused(tenant, id, { removeSteps: [2, 9] }, invalid({ "removeSteps.1": "names no step of the work order" }));
    await refused(
      tenant,
      id,
      { addSteps: [{ description: "Lock", kind: "ISOLATE" }] },
      invalid({ "addSteps.0.kind": "needs a RELEASE step after it" }),
    );
    await change(tenant, id, {
      addSteps: [
        { description: "Lock", kind: "ISOLATE" },
        { description: "Unlock", kind: "RELEASE" },
      ],
    });
    await refused(tenant, id, { removeSteps: [3, 4] }, invalid({ "removeSteps.0": skip, "removeSteps.1": skip }));
    await refused(
      tenant,
      id,
      {
        parts: [
          { partId: seal, quantity: 1 },
          { partId: "none", quantity: 1 },
          { partId: seal, quantity: 2 },
        ],
      },
      invalid({ "parts.2.partId": "is duplicated" }),
    );
    await refused(
      tenant,
      id,
      {
        description: "x",
        parts: [
          { partId: seal, quantity: 9 },
          { partId: "none", quantity: 1 },
        ],
      },
      invalid({ "parts.1.partId": "names no part; use the id of an existing one" }),
    );
    await refused(tenant, "none", {}, { code: "NOT_FOUND" });
    await act(tenant, "start", id);
    await tenant.ask("mutation ($id: ID!) { updateWorkOrderStep(id: $id, order: 3, input: { status: IN_PROGRESS }) { id } }", { id });
    await refused(tenant, id, { removeSteps: [3] }, invalid({ "removeSteps.0": "is of a step that is not pending" }));
  });

  it("applies only at the expected version and while the order is pending", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await planned(tenant);
    await change(tenant, id, { description: "x" });
    await refused(tenant, id, { description: "y" }, { code: "CONFLICT", version: 2, changedFields: ["description"] }, 1);
    await act(tenant, "cancel", id);
    await refused(tenant, id, { description: "y" }, { code: "CONFLICT", status: "CANCELLED" });
  });

  it("is refused for an asset of another site, and for parts of sites that the key may not take from", async () => {
    const tenant = await gateway.newTenant();
    const assetId = (await tenant.createAsset({ site: "North" })).id;
    const seal = await part(tenant, { stockLevel: 5 });
    const input = { assetId, title: "Seal" };
    const { id } = (await tenant.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", { input }))
      .createWorkOrder;
    const [north, south] = [await tenant.as("technician", ["North"]), await tenant.as("technician", ["South"])];
    await failed(tenant, () => south.graphql(mutation, { id, input: { description: "x" } }), { code: "FORBIDDEN" });
    await failed(tenant, () => north.graphql(mutation, { id, input: { parts: [{ partId: seal, quantity: 1 }] } }), { code: "FORBIDDEN" });
    expect((await north.graphql(mutation, { id, input: { description: "x" } })).errors).toBeUndefined();
  });

  it("keeps reservations equal to a model under random changes, also at once", async () => {
    const tenant = await gateway.newTenant();
    const parts = [await part(tenant, { stockLevel: 100 }), await part(tenant, { stockLevel: 100 })];
    const input = { assetId: (await tenant.createAsset()).id, title: "Random" };
    const quantity = fc.integer({ min: 1, max: 40 }).map((n) => n / 4);
    const step = fc.oneof(
      fc.record({ part: fc.nat(1), to: quantity }),
      fc.record({ part: fc.nat(1), remove: fc.constant(true) }),
      fc.record({ part: fc.nat(1), issue: quantity }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const { id } = (await tenant.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", { input }))
          .createWorkOrder;
        // By part: planned and still reserved quantity, and what was issued.
        const lines = new Map<number, { planned: number; reserved: number; issued: number }>();
        for (const one of steps) {
          const line = lines.get(one.part);
          const partId = parts[one.part]!;
          const taken = line ? line.planned - line.reserved : 0;
          if ("to" in one) {
            const { errors } = await tenant.graphql(mutation, { id, input: { parts: [{ partId, quantity: one.to }] } });
            expect(!!errors).toBe(one.to < taken);
            if (!errors) lines.set(one.part, { planned: one.to, reserved: one.to - taken, issued: line?.issued ?? 0 });
          } else if ("remove" in one) {
            const { errors } = await tenant.graphql(mutation, { id, input: { removeParts: [partId] } });
            expect(!!errors).toBe(!line || line.issued > 0);
            if (!errors) lines.delete(one.part);
          } else if (line && one.issue <= line.reserved) {
            await issue(tenant, id, partId, one.issue);
            lines.set(one.part, { ...line, reserved: line.reserved - one.issue, issued: line.issued + one.issue });
          }
        }
        const { requiredParts } = (
          await tenant.ask("query ($id: ID!) { workOrder(id: $id) { requiredParts { partId quantity } } }", { id })
        ).workOrder;
        const expected = [...lines].map(([at, line]) => ({ partId: parts[at]!, quantity: line.planned }));
        expect(requiredParts).toHaveLength(expected.length);
        expect(requiredParts).toEqual(expect.arrayContaining(expected));
        for (const at of [0, 1]) expect((await stockOf(tenant, parts[at]!)).reservedStock).toBe(lines.get(at)?.reserved ?? 0);
        await act(tenant, "cancel", id);
        for (const partId of parts) expect((await stockOf(tenant, partId)).reservedStock).toBe(0);
      }),
      { numRuns: 15 },
    );
    const { id } = (await tenant.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", { input }))
      .createWorkOrder;
    const changes = Array.from({ length: 12 }, (_, i) => change(tenant, id, { parts: [{ partId: parts[0]!, quantity: 1 + i }] }));
    await Promise.all(changes);
    const [{ quantity: last }] = (await tenant.ask("query ($id: ID!) { workOrder(id: $id) { requiredParts { quantity } } }", { id }))
      .workOrder.requiredParts;
    expect((await stockOf(tenant, parts[0]!)).reservedStock).toBe(last);
    await balanced(tenant);
  });
});
