/** A repeated query takes a fast path, with the same errors and responses as the first time. */
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000", STATEMENT_TIMEOUT_MS: "2000" });
const isPostgresql = gateway.database.kind === "postgresql";

let tenant: Caller;

beforeAll(async () => {
  tenant = await gateway.newTenant();
  for (const name of ["Pump", "Motor"]) await tenant.createAsset({ name });
});

interface Sent {
  status: number;
  type: string | null;
  text: string;
}

/** Request ids differ. */
const withoutIds = (text: string) => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id");

async function post(body: BodyInit, headers: Record<string, string> = {}): Promise<Sent> {
  const reply = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { authorization: `Bearer ${tenant.key}`, ...headers },
    body,
  });
  return { status: reply.status, type: reply.headers.get("content-type"), text: withoutIds(await reply.text()) };
}

const json = (body: unknown, headers: Record<string, string> = {}) =>
  post(JSON.stringify(body), { "content-type": "application/json", ...headers });

function form(body: unknown): Promise<Sent> {
  const data = new FormData();
  data.set("operations", typeof body === "string" ? body : JSON.stringify(body));
  data.set("map", "{}");
  return post(data);
}

/** A unique document, so that no earlier request has registered it. */
let documents = 0;
const fresh = (query: string) => `${query} # ${documents++}`;

describe("a known query", () => {
  const query = "query ($first: Int = 1, $name: Boolean = true) { assets(first: $first) { nodes { type name @include(if: $name) } } }";

  it.each<[string, Record<string, unknown>]>([
    ["the same variables", {}],
    ["another page size", { first: 2 }],
    ["too large a page", { first: 501 }],
    ["a page of nothing", { first: 0 }],
    ["a page size that is no number", { first: "1" }],
    ["null for a page size", { first: null }],
    ["a switch that is off", { name: false }],
    ["null for a switch", { name: null }],
    ["a switch that is no boolean", { name: "true" }],
    ["a variable that is not declared", { other: [1, 2] }],
  ])("gets the same response with %s", async (_, variables) => {
    const cold = await json({ query: fresh(query), variables });
    const known = fresh(query);
    for (const warm of [{}, { name: false }, { first: 2 }]) await json({ query: known, variables: warm });
    for (let time = 0; time < 2; time++) expect(await json({ query: known, variables })).toEqual({ ...cold, text: cold.text });
  });

  it.each<[string, object]>([
    ["an empty operation name", { operationName: "" }],
    ["an unknown operation name", { operationName: "A" }],
    ["extensions", { extensions: { persistedQuery: { version: 1, sha256Hash: "x" } } }],
    ["variables that are a list", { variables: [] }],
  ])("gets the same response with %s", async (_, more) => {
    const cold = await json({ query: fresh(query), ...more });
    const known = fresh(query);
    await json({ query: known });
    expect(await json({ query: known, ...more })).toEqual(cold);
  });

  it.each(["application/graphql-response+json", "text/html, application/json;q=0.5", "*/*", "image/png"])(
    "accepts %s as before",
    async (accept) => {
      const cold = await json({ query: fresh(query) }, { accept });
      const known = fresh(query);
      await json({ query: known });
      expect(await json({ query: known }, { accept })).toEqual(cold);
    },
  );

  it.each(['"\\ud800"', '"\\u0000"', "1e400", '{"\\u0000":1}'])("rejects the variable %s in a form as in JSON", async (value) => {
    const known = fresh("query ($type: String) { assets(first: 1, filter: { type: $type }) { nodes { id } } }");
    await json({ query: known });
    const body = `{"query":${JSON.stringify(known)},"variables":{"x":${value}}}`;
    const [sent, asForm] = [await post(body, { "content-type": "application/json" }), await form(body)];
    expect(sent.text).toContain("BAD_USER_INPUT");
    expect(asForm.text).toContain("BAD_USER_INPUT");
  });

  it("with an error runs once, with its path", async () => {
    const known = fresh('{ assets(first: 1) { nodes { name } } asset(id: "unknown") { id } }');
    const cold = await json({ query: known });
    const before = gateway.database.statements();
    expect(await json({ query: known })).toEqual(cold);
    // The plan, plus two fields read by loaders.
    expect(gateway.database.statements() - before).toBeLessThanOrEqual(3);
    expect(JSON.parse(cold.text)).toMatchObject({ data: { asset: null }, errors: [{ path: ["asset"] }] });
  });

  it.runIf(isPostgresql)("that takes too long is tried once", async () => {
    const known = fresh("{ assets(first: 1) { nodes { name } } }");
    await json({ query: known });
    const sent = vi.spyOn(gateway.database, "query");
    onTestFinished(() => sent.mockRestore());
    const { text } = await gateway.database.transaction(async (tx) => {
      await tx.query(`lock table "Asset" in access exclusive mode`);
      return json({ query: known });
    });
    expect(sent.mock.calls.filter(([statement]) => statement.includes('"Asset"'))).toHaveLength(1);
    expect(JSON.parse(text)).toMatchObject({
      data: { assets: null },
      errors: [{ path: ["assets"], extensions: { code: "INTERNAL_SERVER_ERROR" } }],
    });
  });
});

describe("the kept statement of a known query", () => {
  it("takes the id and the nested page size of each request", async () => {
    const create = async (asset: string, components: string[]): Promise<string> => {
      const { id } = await tenant.createAsset({ name: asset });
      for (const name of components) await tenant.createComponent({ assetId: id, name });
      return id;
    };
    const [one, two] = [await create("One", ["a", "b"]), await create("Two", ["c", "d"])];
    const byId = fresh("query ($id: ID!) { asset(id: $id) { name } }");
    const paged = fresh("query ($id: ID!, $first: Int) { asset(id: $id) { components(first: $first) { nodes { name } } } }");
    const answer = async (query: string, variables: object) => JSON.parse((await json({ query, variables })).text).data.asset;
    for (let round = 0; round < 2; round++) {
      expect(await answer(byId, { id: one })).toEqual({ name: "One" });
      expect(await answer(byId, { id: two })).toEqual({ name: "Two" });
      expect(await answer(paged, { id: one, first: 1 })).toEqual({ components: { nodes: [{ name: "a" }] } });
      expect(await answer(paged, { id: two, first: 2 })).toEqual({ components: { nodes: [{ name: "c" }, { name: "d" }] } });
    }
  });

  it("checks a cursor in the document for each tenant", async () => {
    const other = await gateway.newTenant();
    await tenant.createAsset({ name: "Second" });
    const { assets } = await tenant.ask("{ assets(first: 1) { pageInfo { endCursor } } }");
    const query = fresh(`{ assets(first: 1, after: "${assets.pageInfo.endCursor}") { nodes { name } } }`);
    for (let round = 0; round < 2; round++) {
      expect((await tenant.ask(query)).assets.nodes).toHaveLength(1);
      const reply = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: { authorization: `Bearer ${other.key}`, "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      expect(await reply.json()).toMatchObject({
        errors: [
          {
            path: ["assets"],
            extensions: {
              code: "BAD_USER_INPUT",
              details: { after: "is not a cursor of this list; use the endCursor of its page before" },
            },
          },
        ],
      });
    }
  });
});
