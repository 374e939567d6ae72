/** Stock counts: sheets, counting, recounts, posting as a single document, approval (docs/stock.md, "Counts"). */
import { beforeEach, describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { createPart, isBalanced, levelOf, move, movementsOf, personKey, refused, stocked } from "./count-world.js";

const gateway = await sharedGateway();

let tenant: Caller;
let manager: Caller;
let counter: Caller;

beforeEach(async () => {
  tenant = await gateway.newTenant();
  [manager, counter] = [await tenant.as("manager"), await tenant.as("technician")];
});

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const lineFields = "partId round current expected counted bookAtCount difference note countedAt countedBy recountOf movementId";
const fields = `id number status differingLines valueDifference approvedBy rejectedBy decisionReason lines(first: 100) { nodes { ${lineFields} } }`;

const creating = `mutation ($input: CreateStockCountInput!) { createStockCount(input: $input) { ${fields} } }`;
const create = async (caller: Caller, input: object): Promise<any> =>
  (await caller.ask(creating, { input: { site: "S", ...input } })).createStockCount;

const recording = "mutation ($id: ID!, $lines: [CountedLineInput!]!) { recordCount(id: $id, lines: $lines) { id status } }";
const record = (caller: Caller, id: string, lines: object[]) => caller.graphql(recording, { id, lines });
const recorded = async (caller: Caller, id: string, lines: object[]) => (await caller.ask(recording, { id, lines })).recordCount;

type Step = "openStockCount" | "cancelStockCount" | "postStockCount" | "approveStockCount" | "rejectStockCount" | "requestRecount";
const stepping = (step: Step, more: string) => `mutation ($id: ID!) { ${step}(id: $id${more && `, ${more}`}) { ${fields} } }`;
const attempt = (caller: Caller, step: Step, id: string, more = "") => caller.graphql(stepping(step, more), { id });
const take = async (caller: Caller, step: Step, id: string, more = ""): Promise<any> =>
  (await caller.ask(stepping(step, more), { id }))[step];

const countOf = async (caller: Caller, id: string): Promise<any> =>
  (await caller.ask(`query ($id: ID!) { stockCount(id: $id) { ${fields} } }`, { id })).stockCount;
const linesOf = async (caller: Caller, id: string): Promise<any[]> => (await countOf(caller, id)).lines.nodes;
const sheet = (count: any): string[] => count.lines.nodes.map(({ partId }: any) => partId);
const clock = async (): Promise<string> => {
  const [row] = await gateway.database.query<{ now: Date }>("select clock_timestamp() as now");
  return row!.now.toISOString();
};

describe("the sheet", () => {
  test("lists the stock in its scope, by location and part number", async () => {
    const place = (location: string, category: string, partNumber: string) => ({ site: "S", location, category, partNumber });
    const b = await stocked(tenant, 4, 10, "S", place("A-02", "seals", "P-2"));
    const a = await stocked(tenant, 5, 10, "S", place("A-01", "seals", "P-3"));
    const c = await stocked(tenant, 6, 10, "S", place("B-01", "belts", "P-1"));
    await stocked(tenant, 7, 10, "T", { partNumber: "P-0" });
    const unstocked = await createPart(tenant, { partNumber: "P-9" });
    expect(sheet(await create(manager, {}))).toEqual([a, b, c]);
    expect(sheet(await create(manager, { area: "A-" }))).toEqual([a, b]);
    expect(sheet(await create(manager, { location: "A-02" }))).toEqual([b]);
    expect(sheet(await create(manager, { category: "belts" }))).toEqual([c]);
    expect(sheet(await create(manager, { partIds: [c, unstocked] }))).toEqual([c, unstocked]);
    // Usage of 20 and 2 in the last year: the belt accounts for the first 80 percent of the value.
    await move(tenant, "issue", c, { site: "S", quantity: 2 });
    await move(tenant, "issue", a, { site: "S", quantity: 0.2 });
    expect(sheet(await create(manager, { abcClass: "A" }))).toEqual([c]);
    expect(sheet(await create(manager, { abcClass: "B" }))).toEqual([a]);
    expect(sheet(await create(manager, { abcClass: "C" }))).toEqual([b]);
    const scope = { area: "B", location: "B-01", category: "belts", abcClass: "A", partIds: [c], blind: true, reason: "Theft" };
    const { id } = await create(manager, scope);
    const { stockCount } = await tenant.ask(
      `{ stockCount(id: "${id}") { area location category abcClass partIds blind reason site createdAt openedAt createdByPrincipal { name } } }`,
    );
    expect(stockCount).toEqual({ ...scope, site: "S", createdAt: time, openedAt: time, createdByPrincipal: { name: "manager" } });
    const { stockCounts } = await tenant.ask(
      '{ stockCounts(filter: { site: "S", status: OPEN, pending: false }) { nodes { number } totalCount } }',
    );
    expect(stockCounts).toEqual({ nodes: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => ({ number })), totalCount: 9 });
  });

  test("is rejected without stock in its scope, for unknown parts, and without permission", async () => {
    await stocked(tenant, 4, 10);
    const none = { details: { site: "has no stock in this scope" }, code: "BAD_USER_INPUT" };
    await refused(gateway, tenant, () => manager.graphql(creating, { input: { site: "nowhere" } }), none);
    const unknown = { details: { partIds: "names no part; use the ids of existing ones" }, code: "BAD_USER_INPUT" };
    await refused(gateway, tenant, () => manager.graphql(creating, { input: { site: "S", partIds: ["x"] } }), unknown);
    const elsewhere = await tenant.as("manager", ["T"]);
    for (const caller of [counter, elsewhere]) {
      const { errors } = await caller.graphql(creating, { input: { site: "S" } });
      expect(errors?.[0]?.extensions.code).toBe("FORBIDDEN");
    }
  });

  test("numbers concurrent counts one after the other", async () => {
    await stocked(tenant, 4, 10);
    const made = await Promise.all(Array.from({ length: 5 }, () => create(manager, {})));
    expect(made.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  test("of a draft is counted once it is open, and expects the stock of that moment", async () => {
    const partId = await stocked(tenant, 4, 10);
    const { id, status } = await create(manager, { draft: true });
    expect(status).toBe("DRAFT");
    await refused(gateway, tenant, () => record(counter, id, [{ partId, counted: 1 }]), { status: "draft", code: "CONFLICT" });
    await move(tenant, "issue", partId, { site: "S", quantity: 1 });
    expect((await take(manager, "openStockCount", id)).lines.nodes).toMatchObject([{ partId, expected: 3, counted: null }]);
    await refused(gateway, tenant, () => attempt(manager, "openStockCount", id), { status: "open", code: "CONFLICT" });
    expect((await take(manager, "cancelStockCount", id)).status).toBe("CANCELLED");
    for (const step of ["openStockCount", "cancelStockCount", "postStockCount"] as const)
      await refused(gateway, tenant, () => attempt(manager, step, id), { status: "cancelled", code: "CONFLICT" });
    await refused(gateway, tenant, () => record(counter, id, [{ partId, counted: 1 }]), { status: "cancelled", code: "CONFLICT" });
  });
});

describe("counting", () => {
  test("compares with the books of its instant, while work continues; a gain waits for approval", async () => {
    const lost = await stocked(tenant, 10, 2.5, "S", { partNumber: "P-1" });
    const found = await stocked(tenant, 8, 3, "S", { partNumber: "P-2" });
    const same = await stocked(tenant, 5, 1, "S", { partNumber: "P-3" });
    const { id } = await create(manager, { reason: "Year end" });
    await move(tenant, "issue", lost, { site: "S", quantity: 1 });
    await recorded(counter, id, [
      { partId: lost, counted: 7, note: "box open" },
      { partId: found, counted: 10 },
      { partId: same, counted: 5 },
    ]);
    // Issued after the count.
    await move(tenant, "issue", lost, { site: "S", quantity: 4 });
    await move(tenant, "receive", same, { site: "S", quantity: 2, unitCost: 1 });
    expect(await linesOf(counter, id)).toEqual(
      [
        { partId: lost, expected: 10, counted: 7, bookAtCount: 9, difference: -2, note: "box open" },
        { partId: found, expected: 8, counted: 10, bookAtCount: 8, difference: 2, note: null },
        { partId: same, expected: 5, counted: 5, bookAtCount: 5, difference: 0, note: null },
      ].map((line) => ({
        round: 1,
        current: true,
        recountOf: null,
        movementId: null,
        countedAt: time,
        countedBy: expect.any(String),
        ...line,
      })),
    );
    const posted = await take(manager, "postStockCount", id);
    expect(posted).toMatchObject({ status: "POSTED", differingLines: 2, valueDifference: 1, approvedBy: null });
    expect(await levelOf(tenant, lost)).toEqual({ quantity: 3, blockedStock: 0, availableStock: 3, totalValue: 7.5 });
    expect(await levelOf(tenant, found)).toEqual({ quantity: 10, blockedStock: 2, availableStock: 8, totalValue: 30 });
    expect(await levelOf(tenant, same)).toEqual({ quantity: 7, blockedStock: 0, availableStock: 7, totalValue: 7 });
    expect((await movementsOf(tenant, found)).at(-1)).toMatchObject({
      type: "CYCLE_COUNT",
      quantity: 2,
      value: 6,
      reason: "Year end",
      reference: id,
    });
    expect(await tenant.ask("{ pendingApprovals { adjustments stockCounts gains losses } }")).toEqual({
      pendingApprovals: { adjustments: 0, stockCounts: 1, gains: 6, losses: 5 },
    });
    const { errors } = await tenant.graphql('mutation ($id: ID!) { issueStock(partId: $id, input: { site: "S", quantity: 9 }) { id } }', {
      id: found,
    });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "CONFLICT", available: 8 });
    expect(await take(tenant, "approveStockCount", id, 'reason: "seen"')).toMatchObject({
      approvedBy: expect.any(String),
      decisionReason: "seen",
    });
    expect(await levelOf(tenant, found)).toEqual({ quantity: 10, blockedStock: 0, availableStock: 10, totalValue: 30 });
    for (const step of ["approveStockCount", "rejectStockCount"] as const)
      await refused(gateway, tenant, () => attempt(tenant, step, id), { reason: "approved", code: "CONFLICT" });
    expect(await isBalanced(tenant)).toBe(true);
  });

  test("accepts past instants since the sheet was opened, and no others", async () => {
    const partId = await stocked(tenant, 10, 2);
    const before = await clock();
    const { id } = await create(manager, {});
    const countedAt = await clock();
    await move(tenant, "issue", partId, { site: "S", quantity: 3 });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const wrong = (text: unknown) => ({ details: { "lines.0.countedAt": text }, code: "BAD_USER_INPUT" });
    await refused(
      gateway,
      tenant,
      () => record(counter, id, [{ partId, counted: 9, countedAt: before }]),
      wrong(expect.stringContaining("must not be before")),
    );
    await refused(
      gateway,
      tenant,
      () => record(counter, id, [{ partId, counted: 9, countedAt: later }]),
      wrong("must not be in the future"),
    );
    await recorded(counter, id, [{ partId, counted: 9, countedAt }]);
    expect(await linesOf(tenant, id)).toMatchObject([{ countedAt, bookAtCount: 10, difference: -1 }]);
    await take(manager, "postStockCount", id);
    expect((await levelOf(tenant, partId)).quantity).toBe(6);
  });

  test("includes what another count found before, even if that is posted later", async () => {
    const partId = await stocked(tenant, 10, 2);
    const [first, second] = [await create(manager, {}), await create(manager, {})];
    await recorded(counter, first.id, [{ partId, counted: 8 }]);
    await recorded(counter, second.id, [{ partId, counted: 8 }]);
    expect(await linesOf(tenant, second.id)).toMatchObject([{ bookAtCount: 10, difference: -2 }]);
    await take(manager, "postStockCount", first.id);
    expect(await take(manager, "postStockCount", second.id)).toMatchObject({
      differingLines: 0,
      valueDifference: 0,
      lines: { nodes: [{ bookAtCount: 8, difference: 0, movementId: null }] },
    });
    expect((await levelOf(tenant, partId)).quantity).toBe(8);
    await refused(gateway, tenant, () => attempt(tenant, "approveStockCount", second.id), { differingLines: 0, code: "CONFLICT" });
  });

  test("finds stock that the books lack", async () => {
    const partId = await createPart(tenant, { unitCost: 4 });
    const { id } = await create(manager, { partIds: [partId] });
    await recorded(counter, id, [{ partId, counted: 3 }]);
    expect(await take(manager, "postStockCount", id)).toMatchObject({ differingLines: 1, valueDifference: 12 });
    expect(await levelOf(tenant, partId)).toEqual({ quantity: 3, blockedStock: 3, availableStock: 0, totalValue: 12 });
  });

  test("is recorded once a round, completely or not at all", async () => {
    const [partId, other, stranger] = [await stocked(tenant, 10, 2), await stocked(tenant, 5, 2), await createPart(tenant)];
    const { id } = await create(manager, {});
    const invalid = (name: string, text: string) => ({ details: { [name]: text }, code: "BAD_USER_INPUT" });
    const lines = (...ids: string[]) => ids.map((one) => ({ partId: one, counted: 9 }));
    await refused(
      gateway,
      tenant,
      () => record(counter, id, lines(partId, stranger)),
      invalid("lines.1.partId", "is not on this sheet; make another count for it"),
    );
    await refused(gateway, tenant, () => record(counter, id, lines(partId, partId)), invalid("lines.1.partId", "is duplicated"));
    await refused(gateway, tenant, () => record(counter, id, []), invalid("lines", "must be 1 to 1000"));
    const answers = await Promise.all([1, 2, 3].map(() => record(counter, id, lines(partId))));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    await refused(gateway, tenant, () => record(counter, id, lines(other, partId)), { partIds: [partId], code: "CONFLICT" });
    await refused(gateway, tenant, () => attempt(manager, "postStockCount", id), { partIds: [other], code: "CONFLICT" });
    expect((await take(manager, "postStockCount", id, "leaveUncounted: true")).differingLines).toBe(1);
    expect([(await levelOf(tenant, partId)).quantity, (await levelOf(tenant, other)).quantity]).toEqual([9, 5]);
  });

  test("shows the expected quantity of a blind count only once it is posted", async () => {
    const partId = await stocked(tenant, 10, 2);
    const { id } = await create(manager, { blind: true });
    await recorded(counter, id, [{ partId, counted: 9 }]);
    const hidden = { expected: null, counted: 9, bookAtCount: null, difference: null };
    for (const caller of [counter, manager]) expect(await linesOf(caller, id)).toMatchObject([hidden]);
    const { changes } = await tenant.ask("{ changes(filter: { recordType: STOCK_COUNT }) { nodes { fields { field after } } } }");
    expect(JSON.stringify(changes)).not.toMatch(/expected|book|difference/i);
    await take(manager, "requestRecount", id, "differing: true");
    await recorded(counter, id, [{ partId, counted: 10 }]);
    await take(manager, "postStockCount", id);
    expect(await linesOf(counter, id)).toMatchObject([
      { round: 1, current: false, expected: 10, counted: 9, bookAtCount: 10, difference: -1 },
      { round: 2, current: true, expected: 10, counted: 10, bookAtCount: 10, difference: 0 },
    ]);
  });

  test("is repeated on request; the last round counts, and both counters are barred from approving", async () => {
    const [differs, agrees] = [await stocked(tenant, 10, 2), await stocked(tenant, 5, 2)];
    const [anna, ben] = [await personKey(tenant), await personKey(tenant)];
    const { id } = await create(manager, {});
    await refused(gateway, tenant, () => attempt(manager, "requestRecount", id, `partIds: ["${differs}"]`), {
      partIds: [differs],
      code: "CONFLICT",
    });
    const unlisted = { details: { partIds: "must be on this sheet" }, code: "BAD_USER_INPUT" };
    await refused(gateway, tenant, () => attempt(manager, "requestRecount", id, 'partIds: ["x"]'), unlisted);
    await recorded(anna.caller, id, [
      { partId: differs, counted: 12 },
      { partId: agrees, counted: 5 },
    ]);
    const first = (await linesOf(tenant, id)).find(({ partId }) => partId === differs);
    const again = await take(manager, "requestRecount", id, "differing: true");
    expect(again.lines.nodes.filter(({ round }: any) => round === 2)).toMatchObject([
      { partId: differs, current: true, counted: null, expected: 10 },
    ]);
    await recorded(ben.caller, id, [{ partId: differs, counted: 11 }]);
    const { lines } = await take(manager, "postStockCount", id);
    const rounds = lines.nodes.filter(({ partId }: any) => partId === differs);
    expect(rounds).toMatchObject([
      { round: 1, current: false, counted: 12, countedBy: anna.id, recountOf: null, movementId: null },
      { round: 2, current: true, counted: 11, countedBy: ben.id, difference: 1, movementId: expect.any(String) },
    ]);
    expect(rounds[1].recountOf).not.toBeNull();
    expect(first.counted).toBe(12);
    expect((await levelOf(tenant, differs)).quantity).toBe(11);
    const second = await personKey(tenant, "ADMIN", anna.principalId);
    const forbidden = {
      message: "A stock count must be decided by a person who neither created, posted nor counted it",
      code: "FORBIDDEN",
    };
    for (const caller of [manager, anna.caller, second.caller, ben.caller])
      for (const step of ["approveStockCount", "rejectStockCount"] as const)
        await refused(gateway, tenant, () => attempt(caller, step, id), forbidden);
    await take(tenant, "approveStockCount", id);
  });

  test("is not decided on by the person who posted it", async () => {
    const partId = await stocked(tenant, 10, 2);
    const poster = await personKey(tenant);
    const { id } = await create(manager, {});
    await recorded(counter, id, [{ partId, counted: 12 }]);
    await take(poster.caller, "postStockCount", id);
    const second = await personKey(tenant, "ADMIN", poster.principalId);
    const forbidden = {
      message: "A stock count must be decided by a person who neither created, posted nor counted it",
      code: "FORBIDDEN",
    };
    for (const caller of [poster.caller, second.caller])
      for (const step of ["rejectStockCount", "approveStockCount"] as const)
        await refused(gateway, tenant, () => attempt(caller, step, id), forbidden);
    await take(tenant, "approveStockCount", id);
    expect(await levelOf(tenant, partId)).toMatchObject({ quantity: 12, blockedStock: 0 });
  });

  test("of nothing on the shelf takes all of it out", async () => {
    const partId = await stocked(tenant, 10, 2);
    const { id } = await create(manager, {});
    await recorded(counter, id, [{ partId, counted: 0 }]);
    expect(await take(manager, "postStockCount", id)).toMatchObject({ differingLines: 1, valueDifference: -20 });
    expect(await levelOf(tenant, partId)).toEqual({ quantity: 0, blockedStock: 0, availableStock: 0, totalValue: 0 });
    expect(await isBalanced(tenant)).toBe(true);
  });

  test("is done at the key's sites only", async () => {
    const partId = await stocked(tenant, 10, 2);
    const { id } = await create(manager, {});
    const [elsewhere, blind] = [await tenant.as("manager", ["T"]), await tenant.as("technician", ["T"], false)];
    const { errors } = await blind.graphql(`{ stockCount(id: "${id}") { id } }`);
    expect(errors?.[0]?.extensions.code).toBe("NOT_FOUND");
    const forbidden = { message: "This key may change only records of its own sites", code: "FORBIDDEN" };
    await refused(gateway, tenant, () => record(elsewhere, id, [{ partId, counted: 1 }]), forbidden);
    await recorded(await tenant.as("technician", ["S"]), id, [{ partId, counted: 11 }]);
    for (const step of ["postStockCount", "cancelStockCount"] as const)
      await refused(gateway, tenant, () => attempt(elsewhere, step, id), forbidden);
    await take(manager, "postStockCount", id);
    for (const step of ["approveStockCount", "rejectStockCount"] as const)
      await refused(gateway, tenant, () => attempt(elsewhere, step, id), forbidden);
  });
});

describe("posting", () => {
  test("without what was not counted requires at least one counted line", async () => {
    const partId = await stocked(tenant, 10, 2);
    const { id } = await create(manager, {});
    for (const more of ["", "leaveUncounted: true"])
      await refused(gateway, tenant, () => attempt(manager, "postStockCount", id, more), { partIds: [partId], code: "CONFLICT" });
    expect((await countOf(tenant, id)).status).toBe("OPEN");
  });

  test("is rejected completely if stock would fall below zero, and names the lines", async () => {
    const [short, fine] = [await stocked(tenant, 10, 2, "S", { partNumber: "P-1" }), await stocked(tenant, 5, 2)];
    const { id } = await create(manager, {});
    await recorded(counter, id, [
      { partId: short, counted: 4 },
      { partId: fine, counted: 6 },
    ]);
    await move(tenant, "issue", short, { site: "S", quantity: 7 });
    await refused(gateway, tenant, () => attempt(manager, "postStockCount", id), {
      lines: [{ partId: short, partNumber: "P-1", quantity: 3, difference: -6 }],
      code: "CONFLICT",
    });
    const blind = await create(manager, { blind: true, partIds: [short] });
    await recorded(counter, blind.id, [{ partId: short, counted: 1 }]);
    await move(tenant, "issue", short, { site: "S", quantity: 2 });
    await refused(gateway, tenant, () => attempt(manager, "postStockCount", blind.id), {
      lines: [{ partId: short, partNumber: "P-1" }],
      code: "CONFLICT",
    });
  });

  test("several times concurrently happens once", async () => {
    const parts = await Promise.all([1, 2, 3].map(() => stocked(tenant, 10, 2)));
    const { id } = await create(manager, {});
    await recorded(
      counter,
      id,
      parts.map((partId) => ({ partId, counted: 12 })),
    );
    const answers = await Promise.all([1, 2, 3, 4].map(() => attempt(manager, "postStockCount", id)));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const { errors } of answers.filter((one) => one.errors))
      expect(errors?.[0]?.extensions).toEqual({ status: "posted", code: "CONFLICT" });
    for (const partId of parts) expect(await levelOf(tenant, partId)).toMatchObject({ quantity: 12, blockedStock: 2 });
  });

  test("takes as many statements for many lines as for few", async () => {
    const needed: number[] = [];
    for (const length of [1, 2, 12]) {
      const site = `S${length}`;
      const parts = await Promise.all(Array.from({ length }, () => stocked(tenant, 10, 2, site)));
      const { id } = await create(manager, { site });
      await recorded(
        counter,
        id,
        parts.map((partId, i) => ({ partId, counted: 9 + 2 * (i % 2) })),
      );
      const before = gateway.database.statements();
      await take(manager, "postStockCount", id);
      await take(tenant, "rejectStockCount", id);
      needed.push(gateway.database.statements() - before);
    }
    expect(needed[2]).toBeLessThanOrEqual(needed[1]! + 2);
    expect(await isBalanced(tenant)).toBe(true);
  });

  test("a rejection takes back every line exactly; stock that left since keeps no value behind", async () => {
    const [gain, loss] = [await stocked(tenant, 10, 3), await stocked(tenant, 10, 1)];
    const { id } = await create(manager, {});
    await recorded(counter, id, [
      { partId: gain, counted: 11 },
      { partId: loss, counted: 7 },
    ]);
    await take(manager, "postStockCount", id);
    // 10 at a cost of 3, of which 1 is blocked. After an expensive receipt, all available stock leaves at the average.
    await move(tenant, "receive", gain, { site: "S", quantity: 1, unitCost: 15 });
    await move(tenant, "issue", gain, { site: "S", quantity: 11 });
    expect(await levelOf(tenant, gain)).toEqual({ quantity: 1, blockedStock: 1, availableStock: 0, totalValue: 4 });
    expect(await take(tenant, "rejectStockCount", id, 'reason: "counted wrongly"')).toMatchObject({
      rejectedBy: expect.any(String),
      approvedBy: null,
      decisionReason: "counted wrongly",
    });
    expect(await levelOf(tenant, gain)).toEqual({ quantity: 0, blockedStock: 0, availableStock: 0, totalValue: 0 });
    expect(await levelOf(tenant, loss)).toEqual({ quantity: 10, blockedStock: 0, availableStock: 10, totalValue: 10 });
    const [difference, reversal] = (await movementsOf(tenant, gain)).slice(-2);
    expect(difference).toMatchObject({ type: "PRICE_DIFFERENCE", quantity: 0, value: -1, valueBalance: 3, reason: "counted wrongly" });
    expect(reversal).toMatchObject({ quantity: -1, value: -3, valueBalance: 0, reason: "counted wrongly", reference: id });
    expect(reversal.reversalOf).toBe(difference.originId);
    for (const step of ["rejectStockCount", "approveStockCount"] as const)
      await refused(gateway, tenant, () => attempt(tenant, step, id), { reason: "rejected", code: "CONFLICT" });
    expect(await isBalanced(tenant)).toBe(true);
  });

  test("a rejection that would leave less than nothing is rejected completely", async () => {
    const partId = await stocked(tenant, 1, 3);
    const { id } = await create(manager, {});
    await recorded(counter, id, [{ partId, counted: 3 }]);
    await take(manager, "postStockCount", id);
    await tenant.rest("PUT", `/inventory/${partId}?site=S`, { currentStock: 1 });
    await refused(gateway, tenant, () => attempt(tenant, "rejectStockCount", id), {
      partId,
      site: "S",
      available: 1,
      requested: 2,
      code: "CONFLICT",
    });
  });

  test("is approved or rejected, never both", async () => {
    const partId = await stocked(tenant, 10, 2);
    const others = await Promise.all([1, 2].map(() => tenant.as("manager")));
    const { id } = await create(manager, {});
    await recorded(counter, id, [{ partId, counted: 15 }]);
    await take(manager, "postStockCount", id);
    const answers = await Promise.all(
      others.flatMap((caller) => [attempt(caller, "approveStockCount", id), attempt(caller, "rejectStockCount", id)]),
    );
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    const { approvedBy } = await countOf(tenant, id);
    expect(await levelOf(tenant, partId)).toMatchObject({ quantity: approvedBy ? 15 : 10, blockedStock: 0 });
    expect(await isBalanced(tenant)).toBe(true);
  });
});
