/** Documents by hash (automatic persisted queries) and by id (trusted documents), over POST, GET and WebSocket. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getIntrospectionQuery } from "graphql";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { maxKept } from "../../src/execution/operation/persisted.js";
import { Pipeline } from "../../src/execution/operation/pipeline.js";
import { raw } from "../server/raw.js";
import { type Caller, startGateway } from "../world.js";
import { overWebSocket } from "./socket.js";

const hashOf = (text: string, algorithm = "sha256") => createHash(algorithm).update(text).digest("hex");
const byHash = (sha256Hash: unknown, version?: unknown) => ({ extensions: { persistedQuery: { version, sha256Hash } } });
/** The format of Apollo's clients. */
const named = (text: string) => byHash(hashOf(text), 1);

const trusted = {
  viewer: "query Viewer { viewer { role } }",
  rename: "mutation Rename($id: ID!, $name: Name!) { updateAsset(id: $id, input: { name: $name }) { name } }",
  events: "subscription Events { stockChanged { id } }",
  list: "query List($first: Int) { assets(first: $first) { nodes { name } } }",
};
/** By default, GraphQL Code Generator identifies documents by SHA-1. */
const ids = Object.fromEntries(Object.entries(trusted).map(([name, text]) => [name, hashOf(text, "sha1")])) as typeof trusted;

const folder = mkdtempSync(join(tmpdir(), "gateway-trusted-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "documents.json");
writeFileSync(file, JSON.stringify(Object.fromEntries(Object.entries(trusted).map(([name, text]) => [ids[name as "viewer"], text]))));

const open = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const both = await startGateway({ WEBHOOK_POLL_MS: "3600000", TRUSTED_DOCUMENTS: file });
const only = await startGateway({ WEBHOOK_POLL_MS: "3600000", TRUSTED_DOCUMENTS: file, TRUSTED_DOCUMENTS_ONLY: "true" });

let caller: Caller;
let lenient: Caller;
let strict: Caller;
beforeAll(async () => {
  [caller, lenient, strict] = [await open.newTenant(), await both.newTenant(), await only.newTenant()];
});

interface Answer {
  status: number;
  data?: any;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

const headersOf = ({ key }: Caller) => ({ authorization: `Bearer ${key}` });

async function post(of: Caller, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await raw(`${of.gateway.url}/graphql`, { body, headers: { ...headersOf(of), ...headers } });
  return { status: answer.status, ...JSON.parse(String(answer.body)) };
}

async function get(of: Caller, parameters: object): Promise<Answer> {
  const texts = Object.entries(parameters).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  const answer = await raw(`${of.gateway.url}/graphql?${new URLSearchParams(texts)}`, { headers: headersOf(of) });
  return { status: answer.status, ...JSON.parse(String(answer.body)) };
}

/** graphql-ws requires a query, even an empty one. */
const socket = async (of: Caller, payload: object): Promise<Answer> => ({
  status: 200,
  ...(await overWebSocket(of, { query: "", ...payload })),
});

const transports = { POST: post, GET: get, WebSocket: socket };

/** A unique document, so that no earlier request has registered it. */
let documents = 0;
const fresh = (query = "{ viewer { role } }") => `${query} # ${documents++}`;
const admin = { viewer: { role: "ADMIN" } };

const notFound = { message: "PersistedQueryNotFound", extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } };
const notTrusted = {
  message: "The document is not trusted; only trusted documents are accepted",
  extensions: { code: "DOCUMENT_NOT_TRUSTED" },
};

describe("a query by its hash", () => {
  it.each(Object.entries(transports))("is unknown, then sent with its text, then known: over %s", async (_, ask) => {
    const query = fresh();
    expect(await ask(caller, named(query))).toEqual({ status: 200, errors: [notFound] });
    expect(await ask(caller, { query, ...named(query) })).toEqual({ status: 200, data: admin });
    for (const again of Object.values(transports)) expect(await again(caller, named(query))).toEqual({ status: 200, data: admin });
  });

  it("that is unknown gets Apollo Server's response, which no cache stores", async () => {
    for (const accept of ["*/*", "application/graphql-response+json, application/json;q=0.9"]) {
      const { status, headers, body } = await raw(`${open.url}/graphql`, {
        body: named(fresh()),
        headers: { ...headersOf(caller), accept },
      });
      expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
      expect(JSON.parse(String(body))).toEqual({ errors: [notFound] });
    }
    const byGet = await raw(`${open.url}/graphql?extensions=${JSON.stringify(named(fresh()).extensions)}`, { headers: headersOf(caller) });
    expect([byGet.headers["cache-control"], byGet.headers.etag]).toEqual(["private, no-cache", undefined]);
  });

  it("is not parsed and checked again after its first response", async () => {
    const query = fresh("query ($first: Int) { assets(first: $first) { nodes { name } } }");
    const asked = { ...named(query), variables: { first: 1 } };
    await post(caller, { query, ...asked });
    const check = vi.spyOn(Pipeline.prototype, "check");
    for (const ask of [post, get]) expect(await ask(caller, asked)).toEqual({ status: 200, data: { assets: { nodes: [] } } });
    const alsoNamed = { extensions: { ...asked.extensions, clientLibrary: { name: "@apollo/client" } }, variables: { first: 1 } };
    expect((await post(caller, alsoNamed)).status).toBe(200);
    expect(check).not.toHaveBeenCalled();
    expect((await post(caller, { ...named(query), variables: { first: 501 } })).errors).toMatchObject([
      { extensions: { code: "BAD_USER_INPUT", details: { first: "must be from 1 to 500" } } },
    ]);
    expect(check).toHaveBeenCalled();
    check.mockRestore();
  });

  it("is refused if the hash does not match the text, and is not kept", async () => {
    const [query, other] = [fresh(), fresh()];
    for (const [transport, ask] of Object.entries(transports)) {
      const { status, errors } = await ask(caller, { query, ...named(other) });
      expect([status, errors]).toEqual([
        transport === "WebSocket" ? 200 : 400,
        [
          {
            message: "provided sha does not match query",
            extensions: {
              code: "BAD_USER_INPUT",
              details: { "extensions.persistedQuery.sha256Hash": "is not the SHA-256 of the query" },
              ...(transport !== "WebSocket" && { requestId: expect.any(String) }),
            },
          },
        ],
      ]);
    }
    for (const text of [query, other]) expect((await post(caller, named(text))).errors).toEqual([notFound]);
  });

  it.each<[string, unknown]>([
    ["another version", { version: 2, sha256Hash: hashOf("x") }],
    ["no hash", { version: 1 }],
    ["a hash that is no text", { version: 1, sha256Hash: ["x"] }],
    ["a text", "x"],
    ["a list", []],
  ])("is refused with %s", async (_, persistedQuery) => {
    for (const ask of [post, get]) {
      const { status, errors } = await ask(caller, { query: fresh(), extensions: { persistedQuery } });
      expect([status, errors![0]!.extensions.details]).toEqual([
        400,
        { "extensions.persistedQuery": "must have the version 1 and a sha256Hash" },
      ]);
    }
  });

  it("may be a mutation, by POST, with an idempotency key", async () => {
    const { id } = await caller.createAsset({ name: "Pump" });
    const query = fresh(trusted.rename);
    const variables = { id, name: "Valve" };
    expect((await get(caller, { query, variables, ...named(query) })).status).toBe(405);
    const sent = { query, variables, ...named(query) };
    const first = await post(caller, sent, { "idempotency-key": "by-hash" });
    expect(first).toEqual({ status: 200, data: { updateAsset: { name: "Valve" } } });
    await caller.rest("PUT", `/assets/${id}`, { name: "Changed" });
    expect(await post(caller, { variables, ...named(query) }, { "idempotency-key": "by-hash" })).toEqual(first);
    expect((await caller.rest("GET", `/assets/${id}`)).body.name).toBe("Changed");
    expect((await get(caller, { variables, ...named(query) })).status).toBe(405);
  });

  it("may include a form's files", async () => {
    const query = fresh();
    await post(caller, { query, ...named(query) });
    const form = new FormData();
    form.set("operations", JSON.stringify(named(query)));
    form.set("map", "{}");
    const answer = await fetch(`${open.url}/graphql`, { method: "POST", body: form, headers: headersOf(caller) });
    expect(await answer.json()).toEqual({ data: admin });
  });
});

describe("the kept documents", () => {
  const send = (query: string) => post(caller, { query, ...named(query) });
  const isKept = async (query: string) => !(await post(caller, named(query))).errors;

  it(`number ${maxKept.entries}, the most recently used`, async () => {
    const [used, unused] = [fresh(), fresh()];
    await send(used);
    await send(unused);
    const others = Array.from({ length: maxKept.entries - 1 }, () => fresh("{ __typename }"));
    while (others.length) {
      await Promise.all(others.splice(-50).map(send));
      expect(await isKept(used)).toBe(true);
    }
    expect(await isKept(unused)).toBe(false);
  });

  it("are limited in characters, together and each", async () => {
    const long = (length: number) => fresh().padEnd(length, "x");
    const first = long(maxKept.each);
    expect((await send(first)).data).toEqual(admin);
    expect(await isKept(first)).toBe(true);
    const others = Array.from({ length: maxKept.size / maxKept.each }, () => long(maxKept.each));
    for (const other of others) await send(other);
    expect(await isKept(first)).toBe(false);
    expect(await isKept(others.at(-1)!)).toBe(true);
    const tooLong = long(maxKept.each + 1);
    expect((await send(tooLong)).data).toEqual(admin);
    expect(await isKept(tooLong)).toBe(false);
    expect(await isKept(others.at(-1)!)).toBe(true);
  });

  it("are separate for each tenant: the hash of another's document is unknown, and a flood evicts the flood", async () => {
    const [mine, theirs] = [fresh(), fresh()];
    const other = await open.newTenant();
    await send(mine);
    await post(other, { query: theirs, ...named(theirs) });
    for (const ask of Object.values(transports)) expect((await ask(other, named(mine))).errors).toEqual([notFound]);
    expect((await post(other, named(theirs))).data).toEqual(admin);
    const flood = Array.from({ length: maxKept.size / maxKept.each + 2 }, () => fresh().padEnd(maxKept.each, "x"));
    for (const query of flood) await send(query);
    expect((await post(other, named(theirs))).data).toEqual(admin);
    expect(await isKept(mine)).toBe(false);
    expect(await isKept(flood.at(-1)!)).toBe(true);
  });

  it("on the fast path are limited alike", async () => {
    const check = vi.spyOn(Pipeline.prototype, "check");
    const checks = async (query: string) => {
      check.mockClear();
      for (let time = 0; time < 3; time++) expect((await post(caller, { query })).data).toEqual(admin);
      return check.mock.calls.length;
    };
    expect(await checks(fresh().padEnd(90_000, "x"))).toBe(1);
    expect(await checks(fresh().padEnd(110_000, "x"))).toBe(3);
    check.mockRestore();
  });
});

describe("trusted documents", () => {
  it("are known by their ids, next to all others", async () => {
    for (const ask of Object.values(transports)) {
      // Clients made for trusted documents omit the version.
      expect(await ask(lenient, byHash(ids.viewer))).toEqual({ status: 200, data: admin });
      expect(await ask(lenient, { query: trusted.viewer, ...byHash(ids.viewer, 1) })).toEqual({ status: 200, data: admin });
      expect(await ask(lenient, { query: fresh() })).toEqual({ status: 200, data: admin });
      expect((await ask(lenient, named(fresh()))).errors).toEqual([notFound]);
    }
    const other = fresh();
    expect((await post(lenient, { query: other, ...byHash(ids.viewer, 1) })).status).toBe(400);
  });

  describe("only trusted documents", () => {
    it.each(Object.entries(transports))("over %s", async (transport, ask) => {
      expect(await ask(strict, byHash(ids.viewer))).toEqual({ status: 200, data: admin });
      expect(await ask(strict, { query: trusted.viewer })).toEqual({ status: 200, data: admin });
      const query = fresh();
      const status = transport === "WebSocket" ? 200 : 400;
      for (const payload of [
        { query },
        named(query),
        { query, ...named(query) },
        named(query),
        { query: "{" },
        { query: `${trusted.viewer} ` },
        { query: getIntrospectionQuery() },
      ])
        expect(await ask(strict, payload)).toEqual({ status, errors: [notTrusted] });
    });

    it("in every form of sending a document", async () => {
      const query = fresh();
      const headers = headersOf(strict);
      const url = `${only.url}/graphql`;
      const form = new FormData();
      form.set("operations", JSON.stringify({ query }));
      form.set("map", "{}");
      expect(await (await fetch(url, { method: "POST", body: form, headers })).json()).toEqual({ errors: [notTrusted] });
      for (const body of [[{ query }], { query: [query] }, { query: { kind: "Document" } }, { extensions: [] }, { query: "" }, {}]) {
        const answer = await post(strict, body);
        expect([answer.status, answer.data]).toEqual([400, undefined]);
      }
      for (const search of [
        `query=${trusted.viewer}&query=${query}`,
        `query=${query}&query=${trusted.viewer}`,
        `%71uery=${query}`,
        `query=${query}&other=1&other=2`,
        `query=${query}&extensions={`,
        `query=${query}&extensions=[]`,
        `query=${query}&variables=[]`,
        `query[]=${query}`,
      ]) {
        const answer = await raw(`${url}?${search.replaceAll(" ", "+").replaceAll("#", "%23")}`, { headers });
        expect([answer.status, JSON.parse(String(answer.body)).data], search).toEqual([400, undefined]);
      }
    });

    it("with the same limits, roles and idempotency, and the fast path", async () => {
      const { errors } = await post(strict, { ...byHash(ids.list), variables: { first: 501 } });
      expect(errors).toMatchObject([{ extensions: { details: { first: "must be from 1 to 500" } } }]);
      const { id } = await strict.createAsset({ name: "Pump" });
      const rename = { ...byHash(ids.rename), variables: { id, name: "Valve" } };
      expect((await post(await strict.as("viewer"), rename)).errors).toMatchObject([{ extensions: { code: "FORBIDDEN" } }]);
      const first = await post(strict, rename, { "idempotency-key": "trusted" });
      expect(first.data).toEqual({ updateAsset: { name: "Valve" } });
      expect(await post(strict, rename, { "idempotency-key": "trusted" })).toEqual(first);
      await post(strict, { ...byHash(ids.list), variables: { first: 1 } });
      const check = vi.spyOn(Pipeline.prototype, "check");
      expect((await post(strict, { ...byHash(ids.list), variables: { first: 1 } })).data.assets.nodes).toHaveLength(1);
      expect(check).not.toHaveBeenCalled();
      check.mockRestore();
      expect((await post(strict, byHash(ids.events))).errors).toMatchObject([{ message: expect.stringContaining("WebSocket") }]);
    });

    it("while REST is unchanged, and the explorer's page shows the restriction", async () => {
      expect((await strict.rest("GET", "/assets")).status).toBe(200);
      for (const path of ["/graphql", "/explorer"]) {
        const { status, headers, body } = await raw(only.url + path, { headers: { accept: "text/html" } });
        expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
        expect(String(body)).toContain("TRUSTED_DOCUMENTS_ONLY");
        expect(String(body)).not.toContain("<script");
      }
      expect((await raw(`${only.url}/schema.graphql`)).status).toBe(200);
    });
  });
});
