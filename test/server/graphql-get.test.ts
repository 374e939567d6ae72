/** GET /graphql: queries with ETags, and operations that require another method or WebSocket. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type Caller, startGateway } from "../world.js";
import { type RawRequest, raw } from "./raw.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

let tenant: Caller;
let assetId: string;
beforeAll(async () => {
  tenant = await gateway.newTenant();
  assetId = (await tenant.createAsset({ name: "Pump" })).id;
});

const ask = (parameters: Record<string, string> | string, { headers, ...more }: RawRequest = {}, caller = tenant) =>
  raw(`${gateway.url}/graphql?${typeof parameters === "string" ? parameters : new URLSearchParams(parameters)}`, {
    ...more,
    headers: { authorization: `Bearer ${caller.key}`, ...headers },
  });

/** A unique document, so that no earlier request has registered it. */
let documents = 0;
const fresh = (query: string) => `${query} # ${documents++}`;
const names = "query Names($first: Int = 1) { assets(first: $first) { nodes { name } } }";

describe("a query", () => {
  it("gets the same response as by POST, the first time and later", async () => {
    const query = fresh(names);
    const variables = JSON.stringify({ first: 5 });
    for (let time = 0; time < 3; time++) {
      const { status, headers, body } = await ask({ query, variables, operationName: "Names" });
      expect([status, String(body)]).toEqual([200, '{"data":{"assets":{"nodes":[{"name":"Pump"}]}}}\n']);
      expect(headers).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        "cache-control": "private, no-cache",
        vary: "accept, authorization",
      });
    }
  });

  it("has a tag, which changes with its data", async () => {
    const query = fresh(names);
    const etags = [(await ask({ query })).headers.etag!, (await ask({ query })).headers.etag!];
    expect(etags[0]).toMatch(/^W\/"[\w-]{27}"$/);
    expect(etags[1]).toBe(etags[0]);
    const known = { headers: { "if-none-match": etags[0]! } };
    const { status, headers, body } = await ask({ query }, known);
    expect([status, body.length]).toEqual([304, 0]);
    expect(headers).toMatchObject({ etag: etags[0], "cache-control": "private, no-cache", vary: "accept, authorization, accept-encoding" });
    await tenant.rest("PUT", `/assets/${assetId}`, { name: "Valve" });
    const changed = await ask({ query }, known);
    expect([changed.status, String(changed.body)]).toEqual([200, '{"data":{"assets":{"nodes":[{"name":"Valve"}]}}}\n']);
    await tenant.rest("PUT", `/assets/${assetId}`, { name: "Pump" });
    const stranger = await gateway.newTenant();
    expect((await ask({ query }, known, stranger)).status).toBe(200);
  });

  it.each<[string, Record<string, string> | string, RawRequest?]>([
    ["a page that is too large", { variables: '{"first":501}' }],
    ["variables that are no JSON", { variables: "{" }],
    ["variables that are a list", { variables: "[]" }],
    ["variables that are null", { variables: "null" }],
    ["empty variables", { variables: "" }],
    ["NUL in a variable", { variables: '{"x":"\\u0000"}' }],
    ["__proto__ in the variables", { variables: '{"__proto__":{"first":1}}' }],
    ["an unknown operation name", { operationName: "Other" }],
    ["an empty operation name", { operationName: "" }],
    ["variables given twice", "variables={}&variables={}"],
    ["the query given twice", "query={viewer{role}}"],
    ["other parameters", "other=1&other=2"],
    ["extensions that are no object", { extensions: "[]" }],
    ["extensions", { extensions: '{"clientLibrary":{"name":"x"}}' }],
    ["a content type that GET has not", {}, { headers: { "content-type": "text/plain" } }],
    ["a media type that is not known", {}, { headers: { accept: "image/png" } }],
    ["the media type of GraphQL", {}, { headers: { accept: "application/graphql-response+json" } }],
  ])("with %s gets one response, the first time and later", async (_, more, request) => {
    const given = (query: string) => `${new URLSearchParams({ query })}&${typeof more === "string" ? more : new URLSearchParams(more)}`;
    const shown = async (query: string) => {
      const { status, headers, body } = await ask(given(query), request);
      return [status, headers["content-type"], headers.etag, String(body).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")];
    };
    const cold = await shown(fresh(names));
    const known = fresh(names);
    await ask({ query: known });
    expect(await shown(known)).toEqual(cold);
    expect(cold[0] === 200).toBe(cold[2] !== undefined);
  });

  it("has the headers of GET for HEAD", async () => {
    const query = fresh(names);
    const [get, head] = [await ask({ query }), await ask({ query }, { method: "HEAD" })];
    const { date, "x-request-id": id, ...expected } = get.headers;
    expect(head).toMatchObject({ status: 200, headers: expected });
    expect(head.body.length).toBe(0);
  });

  it("needs a key", async () => {
    const { status, headers } = await ask({ query: names }, { headers: { authorization: "Bearer none" } });
    expect([status, headers.etag, headers.vary]).toEqual([401, undefined, "accept, authorization"]);
  });

  it("opened in a browser succeeds, and gets the page without a query", async () => {
    const html = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
    expect((await ask({ query: names }, html)).headers["content-type"]).toMatch(/json/);
    expect((await ask("", html)).headers["content-type"]).toBe("text/html; charset=utf-8");
  });
});

it("a mutation is rejected with 405, and does nothing", async () => {
  const before = await tenant.snapshot();
  const query = `mutation { updateAsset(id: "${assetId}", input: { name: "Changed" }) { id } }`;
  for (const accept of ["*/*", "application/graphql-response+json"]) {
    const { status, headers: sent, body } = await ask({ query }, { headers: { accept } });
    expect([status, sent.allow, sent.etag]).toEqual([405, "POST", undefined]);
    expect(JSON.parse(String(body)).errors).toEqual([
      { message: "GET requests only support query operations, not mutation operations", extensions: { code: "BAD_REQUEST" } },
    ]);
  }
  expect(await tenant.snapshot()).toEqual(before);
});

describe("a subscription", () => {
  const query = "subscription { stockChanged { id } }";
  it.each(["GET", "POST"])("by %s is referred to WebSocket, and is not logged as a failure", async (method) => {
    const logged = vi.spyOn(gateway.app.log, "error");
    for (const [accept, status] of [
      ["application/json", 200],
      ["application/graphql-response+json", 400],
    ] as const) {
      const answer = await (method === "GET"
        ? ask({ query }, { headers: { accept } })
        : ask("", { method, headers: { accept }, body: { query } }));
      expect([answer.status, answer.headers.allow]).toEqual([status, undefined]);
      expect(answer.headers["content-type"]).toBe(`${accept}; charset=utf-8`);
      expect(JSON.parse(String(answer.body))).toEqual({
        errors: [
          {
            message:
              "Subscriptions come over WebSocket: connect to /graphql with the subprotocol graphql-transport-ws; or as server-sent events: POST to /graphql/stream",
            extensions: { code: "BAD_REQUEST" },
          },
        ],
      });
    }
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  });
});
