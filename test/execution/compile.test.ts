/** Documents are interpreted at first, and compiled when they are reused. Responses and errors are identical. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();
let caller: Caller;
let id: string;

beforeAll(async () => {
  caller = await gateway.newTenant();
  ({ id } = await caller.createAsset());
});

/** Counts code generation, which is how compilation shows. */
const generated = vi.spyOn(globalThis, "Function");
beforeEach(() => void generated.mockClear());
afterEach(() => void generated.mockClear());

let count = 0;
/** A document not sent before, part of which a plan leaves to the executor. */
const fresh = (fields = "name photos { id }") =>
  `query Fresh${++count}($id: ID!) { asset(id: $id) { ${fields} pageOfWork: workOrders { pageInfo { endCursor } } } }`;

const answers = async (query: string, uses: number, variables: Record<string, unknown> = { id }) => {
  const all: { answer: string; code: number }[] = [];
  for (let use = 0; use < uses; use++) {
    generated.mockClear();
    const answer = JSON.stringify(await caller.graphql(query, variables));
    all.push({ answer, code: generated.mock.calls.length });
  }
  return all;
};

describe("a document", () => {
  it("is compiled at its third use, with the same responses", async () => {
    const all = await answers(fresh(), 5);
    expect(all.map(({ code }) => code > 0)).toEqual([false, false, true, false, false]);
    expect(new Set(all.map(({ answer }) => answer))).toEqual(
      new Set(['{"status":200,"data":{"asset":{"name":"Pump","photos":[],"pageOfWork":{"pageInfo":{"endCursor":null}}}}}']),
    );
  });

  it("has the same errors before and after", async () => {
    const all = await answers(fresh("nothing: photos { id }").replace("$id: ID!", "$id: ID! = 1"), 4, { id: "unknown" });
    expect(new Set(all.map(({ answer }) => answer)).size).toBe(1);
    expect(JSON.parse(all[0]!.answer).errors).toEqual([
      { message: "Asset not found", path: ["asset"], extensions: { code: "NOT_FOUND", assetId: "unknown" } },
    ]);
  });

  it("that a plan answers completely is never compiled", async () => {
    const all = await answers(`query Whole($id: ID!) { asset(id: $id) { name parts { id } } }`, 5);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  });

  it("of more than 300 selections is never compiled", async () => {
    const wide = (fields: number) => fresh(Array.from({ length: fields }, () => "name").join(" "));
    expect((await answers(wide(295), 3)).at(-1)!.code).toBeGreaterThan(0);
    expect((await answers(wide(300), 6)).map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
