/** Approval of stock changes by a second person, and the rules of the ledger (docs/stock.md, "Approvals"). */
import { beforeEach, describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { createPart, isBalanced, levelOf, move, movementsOf, personKey, refused, stocked } from "../counts/count-world.js";

const gateway = await sharedGateway();

let tenant: Caller;
let manager: Caller;

beforeEach(async () => {
  tenant = await gateway.newTenant();
  manager = await tenant.as("manager");
});

const settingsFields = "id currency countThreshold writeOffThreshold revaluationThreshold bookDiscrepancyAllowed version";
const setting = `mutation ($input: UpdateStockSettingsInput!, $version: Int) { updateStockSettings(input: $input, expectedVersion: $version) { ${settingsFields} } }`;
const set = async (input: object) => (await tenant.ask(setting, { input })).updateStockSettings;

const adjust = (caller: Caller, partId: string, body: object) =>
  caller.rest("POST", `/inventory/${partId}/adjustments`, { site: "S", ...body });
const put = async (caller: Caller, partId: string, body: object, site = "S") => {
  const answer = await caller.rest("PUT", `/inventory/${partId}?site=${site}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

type Decision = "approve" | "reject";
const deciding = (decision: Decision, reason?: string) =>
  `mutation ($id: ID!) { ${decision}Adjustment(id: $id${reason ? `, reason: "${reason}"` : ""}) { id approved approvedBy rejectedBy decisionReason } }`;
const attempt = (caller: Caller, decision: Decision, id: string, reason?: string) => caller.graphql(deciding(decision, reason), { id });
const decide = async (caller: Caller, decision: Decision, id: string, reason?: string) =>
  (await caller.ask(deciding(decision, reason), { id }))[`${decision}Adjustment`];

const pending = async (): Promise<any[]> =>
  (
    await tenant.ask(
      "{ stockAdjustments(filter: { pending: true }) { nodes { id partId adjustmentType quantity totalValue performedBy reason } } }",
    )
  ).stockAdjustments.nodes;
const totals = async () => (await tenant.ask("{ pendingApprovals { adjustments stockCounts gains losses } }")).pendingApprovals;

const decidedByOther = { message: "An adjustment must be decided by another person than its creator", code: "FORBIDDEN" };

describe("an adjustment", () => {
  test("is decided with a reason, which its reversing movement has too", async () => {
    const partId = await stocked(tenant, 10, 2);
    const [first, second] = [
      (await adjust(manager, partId, { adjustmentType: "correction", quantity: 5 })).body,
      (await adjust(manager, partId, { adjustmentType: "loss", quantity: -3 })).body,
    ];
    expect([first.approved, first.approvedBy, first.approvedAt]).toEqual([false, null, null]);
    expect(await totals()).toEqual({ adjustments: 2, stockCounts: 0, gains: 10, losses: 6 });
    expect(await levelOf(tenant, partId)).toEqual({ quantity: 12, blockedStock: 5, availableStock: 7, totalValue: 24 });
    expect(await decide(tenant, "approve", first.adjustmentId, "seen on the shelf")).toMatchObject({
      approved: true,
      rejectedBy: null,
      decisionReason: "seen on the shelf",
    });
    expect(await decide(tenant, "reject", second.adjustmentId, "found again")).toMatchObject({
      approved: false,
      approvedBy: null,
      decisionReason: "found again",
    });
    expect(await levelOf(tenant, partId)).toEqual({ quantity: 15, blockedStock: 0, availableStock: 15, totalValue: 30 });
    expect((await movementsOf(tenant, partId)).at(-1)).toMatchObject({
      quantity: 3,
      value: 6,
      reason: "found again",
      reference: second.adjustmentId,
    });
    expect(await totals()).toEqual({ adjustments: 0, stockCounts: 0, gains: 0, losses: 0 });
    const { changes } = await tenant.ask(
      `{ changes(filter: { recordId: "${second.adjustmentId}" }) { nodes { fields { field after } } } }`,
    );
    expect(changes.nodes.at(-1).fields).toContainEqual({ field: "decisionReason", after: "found again" });
  });

  test("is not decided by its requester, with any of their keys", async () => {
    const partId = await stocked(tenant, 10, 2);
    const anna = await personKey(tenant);
    const { adjustmentId } = (await adjust(anna.caller, partId, { adjustmentType: "correction", quantity: 5 })).body;
    const other = await personKey(tenant, "ADMIN", anna.principalId);
    for (const caller of [anna.caller, other.caller])
      for (const decision of ["approve", "reject"] as const)
        await refused(gateway, tenant, () => attempt(caller, decision, adjustmentId), decidedByOther);
  });

  test("is approved or rejected, never both", async () => {
    const partId = await stocked(tenant, 10, 2);
    const { adjustmentId } = (await adjust(manager, partId, { adjustmentType: "correction", quantity: 5 })).body;
    const answers = await Promise.all(
      (["approve", "reject", "reject", "approve"] as const).map((decision) => attempt(tenant, decision, adjustmentId)),
    );
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    const level = await levelOf(tenant, partId);
    expect([10, 15]).toContain(level.quantity);
    expect(level.blockedStock).toBe(0);
    expect(await isBalanced(tenant)).toBe(true);
  });

  test.each(["damage", "loss", "expiry"])("of type %s only removes stock", async (adjustmentType) => {
    const partId = await stocked(tenant, 10, 2);
    const { status, body } = await adjust(tenant, partId, { adjustmentType, quantity: 1 });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: "Invalid input",
        details: { quantity: `must be negative: ${adjustmentType} only takes away; correction adds` },
        code: "BAD_USER_INPUT",
        requestId: expect.any(String),
      },
    });
    expect(await movementsOf(tenant, partId)).toHaveLength(1);
    expect((await adjust(tenant, partId, { adjustmentType, quantity: -1 })).status).toBe(201);
  });
});

describe("the settings of the ledger", () => {
  test("hold their defaults until they are set, and have versions", async () => {
    const none = { currency: null, countThreshold: null, writeOffThreshold: null, revaluationThreshold: null };
    const { stockSettings } = await manager.ask(`{ stockSettings { ${settingsFields} } }`);
    expect(stockSettings).toEqual({ id: "stock-settings", ...none, bookDiscrepancyAllowed: true, version: 0 });
    const outdated = (version: number, expectedVersion: number, changedFields: string[]) => ({
      version,
      expectedVersion,
      changedFields,
      code: "CONFLICT",
    });
    await refused(gateway, tenant, () => tenant.graphql(setting, { input: { currency: "EUR" }, version: 2 }), outdated(0, 2, []));
    expect((await tenant.ask(setting, { input: { currency: "EUR", countThreshold: 10.5 }, version: 0 })).updateStockSettings).toEqual({
      ...stockSettings,
      currency: "EUR",
      countThreshold: 10.5,
      version: 1,
    });
    expect(await set({ bookDiscrepancyAllowed: false, countThreshold: null })).toEqual({
      ...stockSettings,
      currency: "EUR",
      bookDiscrepancyAllowed: false,
      version: 2,
    });
    await refused(
      gateway,
      tenant,
      () => tenant.graphql(setting, { input: { currency: "USD" }, version: 1 }),
      outdated(2, 1, ["bookDiscrepancyAllowed", "countThreshold"]),
    );
    const all = { currency: "EUR", countThreshold: 1, writeOffThreshold: 2.5, revaluationThreshold: 3.0001, bookDiscrepancyAllowed: true };
    expect(await set(all)).toEqual({ id: "stock-settings", ...all, version: 3 });
    expect(await manager.ask(`{ stockSettings { ${settingsFields} } }`)).toEqual({
      stockSettings: { id: "stock-settings", ...all, version: 3 },
    });
    await refused(gateway, tenant, () => manager.graphql(setting, { input: { currency: "USD" } }), {
      message: expect.any(String),
      code: "FORBIDDEN",
    });
    const wrong = { details: { currency: "must be three capital letters such as EUR" }, code: "BAD_USER_INPUT" };
    await refused(gateway, tenant, () => tenant.graphql(setting, { input: { currency: "Euro" } }), wrong);
    const other = await (await gateway.newTenant()).ask(`{ stockSettings { ${settingsFields} } }`);
    expect(other).toEqual({ stockSettings });
  });

  test("name one currency: entries in another are rejected, and stock does not change its own", async () => {
    const partId = await createPart(tenant);
    const receive = (currency: string) => () =>
      tenant.graphql(
        'mutation ($id: ID!, $currency: ShortText) { receiveStock(partId: $id, input: { site: "S", quantity: 1, unitCost: 2, currency: $currency }) { value } }',
        {
          id: partId,
          currency,
        },
      );
    const invalid = (text: string) => ({ details: { currency: text }, code: "BAD_USER_INPUT" });
    await refused(gateway, tenant, receive("EUR"), invalid("cannot be given before the ledger has one; set it with updateStockSettings"));
    await set({ currency: "EUR" });
    await refused(gateway, tenant, receive("USD"), invalid("must be the ledger's, EUR; convert the cost first"));
    expect((await receive("EUR")()).data).toEqual({ receiveStock: { value: 2 } });
    expect((await adjust(tenant, partId, { adjustmentType: "correction", quantity: 1, currency: "USD" })).status).toBe(400);
    expect((await adjust(tenant, partId, { adjustmentType: "correction", quantity: 1, currency: "EUR" })).status).toBe(201);
    for (const currency of ["USD", null])
      await refused(gateway, tenant, () => tenant.graphql(setting, { input: { currency } }), { currency: "EUR", code: "CONFLICT" });
  });
});

describe("beyond its threshold", () => {
  test("a counted quantity waits for approval; a person's changes of a part add up", async () => {
    const [partId, other] = [await stocked(tenant, 100, 2), await stocked(tenant, 100, 2)];
    await put(manager, partId, { currentStock: 10 });
    expect(await pending()).toEqual([]);
    await put(tenant, partId, { currentStock: 100 });
    await set({ countThreshold: 300 });
    const anna = await personKey(tenant);
    const { requestId, updatedAt, ...body } = await put(anna.caller, partId, { currentStock: 175, reason: "Recounted" });
    expect(await pending()).toEqual([]);
    await put(anna.caller, other, { currentStock: 0 });
    expect(await pending()).toEqual([]);
    // 150 before this change.
    expect(await put(anna.caller, partId, { currentStock: 251, reason: "Recounted" })).toEqual({
      ...body,
      currentStock: 251,
      availableStock: 175,
      totalValue: 502,
      updatedAt: expect.any(String),
    });
    const [adjustment, ...rest] = await pending();
    expect(rest).toEqual([]);
    expect(adjustment).toMatchObject({
      partId,
      adjustmentType: "COUNT",
      quantity: 76,
      totalValue: 152,
      performedBy: anna.id,
      reason: "Recounted",
    });
    expect(await levelOf(tenant, partId)).toEqual({ quantity: 251, blockedStock: 76, availableStock: 175, totalValue: 502 });
    await refused(gateway, tenant, () => attempt(anna.caller, "approve", adjustment.id), decidedByOther);
    await decide(tenant, "reject", adjustment.id);
    expect(await levelOf(tenant, partId)).toEqual({ quantity: 175, blockedStock: 0, availableStock: 175, totalValue: 350 });
    // Reversed changes do not add up, and each person has a separate sum.
    await put(anna.caller, partId, { currentStock: 250 });
    expect(await pending()).toEqual([]);
    await put(tenant, partId, { currentStock: 190 });
    expect(await pending()).toEqual([]);
    await put(tenant, partId, { currentStock: 191 });
    expect(await pending()).toHaveLength(1);
    expect(await isBalanced(tenant)).toBe(true);
  });

  test("concurrent counts at several sites add up too", async () => {
    const sites = ["A", "B", "C", "D"];
    const partId = await createPart(tenant);
    for (const site of sites) await move(tenant, "receive", partId, { site, quantity: 10, unitCost: 1 });
    await set({ countThreshold: 10 });
    await Promise.all(sites.map((site) => put(manager, partId, { currentStock: 15 }, site)));
    expect((await pending()).map(({ quantity }) => quantity)).toEqual([5, 5]);
  });

  test("the deletion of an inventory record waits for approval, at all its sites", async () => {
    const partId = await stocked(tenant, 10, 5);
    await move(tenant, "receive", partId, { site: "T", quantity: 10, unitCost: 6 });
    await set({ writeOffThreshold: 109 });
    const { status, body } = await manager.rest("DELETE", `/inventory/${partId}`);
    expect({ status, body }).toEqual({
      status: 200,
      body: { message: "Inventory record deleted", finalStock: 0, deletedAt: expect.any(String) },
    });
    const waiting = await pending();
    expect(
      waiting
        .map(({ adjustmentType, quantity, totalValue }) => ({ adjustmentType, quantity, totalValue }))
        .sort((a, b) => a.totalValue - b.totalValue),
    ).toEqual([
      { adjustmentType: "LOSS", quantity: -10, totalValue: -60 },
      { adjustmentType: "LOSS", quantity: -10, totalValue: -50 },
    ]);
    await Promise.all(waiting.map(({ id }) => decide(tenant, "reject", id)));
    expect([await levelOf(tenant, partId), await levelOf(tenant, partId, "T")]).toMatchObject([
      { quantity: 10, blockedStock: 0, totalValue: 50 },
      { quantity: 10, blockedStock: 0, totalValue: 60 },
    ]);
    await set({ writeOffThreshold: 110 });
    await tenant.rest("DELETE", `/inventory/${partId}`);
    expect(await pending()).toEqual([]);
  });

  test("a lower unit cost waits for approval, a higher one always does", async () => {
    const partId = await stocked(tenant, 10, 5);
    await put(manager, partId, { unitCost: 4 });
    expect(await pending()).toEqual([]);
    const history = async () => (await tenant.rest("GET", `/inventory/${partId}/history`)).body.pagination.total;
    await put(manager, partId, { unitCost: 4.5, reason: "Market" });
    const [up] = await pending();
    expect(up).toMatchObject({ adjustmentType: "CORRECTION", quantity: 0, totalValue: 5, reason: "Market" });
    expect(await totals()).toEqual({ adjustments: 1, stockCounts: 0, gains: 5, losses: 0 });
    await refused(gateway, tenant, () => attempt(manager, "approve", up.id), decidedByOther);
    expect(await levelOf(tenant, partId)).toEqual({ quantity: 10, blockedStock: 0, availableStock: 10, totalValue: 45 });
    await decide(tenant, "reject", up.id, "No proof");
    expect(await levelOf(tenant, partId)).toMatchObject({ quantity: 10, totalValue: 40 });
    expect((await movementsOf(tenant, partId)).at(-1)).toMatchObject({ type: "REVALUATION", quantity: 0, value: -5, reason: "No proof" });
    // The receipt only.
    expect(await history()).toBe(1);
    await set({ revaluationThreshold: 20 });
    await put(manager, partId, { unitCost: 3 });
    expect(await pending()).toEqual([]);
    await put(manager, partId, { unitCost: 2.9 });
    expect((await pending()).map(({ totalValue }) => totalValue)).toEqual([-1]);
  });

  test("a higher unit cost of stock that has left since is rejected without a trace in the value", async () => {
    const partId = await stocked(tenant, 10, 5);
    await put(manager, partId, { unitCost: 6 });
    await move(tenant, "issue", partId, { site: "S", quantity: 10 });
    const [up] = await pending();
    expect(await decide(tenant, "reject", up.id)).toMatchObject({ approved: false });
    expect(await levelOf(tenant, partId)).toMatchObject({ quantity: 0, totalValue: 0 });
    expect(await isBalanced(tenant)).toBe(true);
  });
});
