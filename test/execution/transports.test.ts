/** A bad request gets the same error over GraphQL HTTP, WebSocket, server-sent events and REST, and changes nothing. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type Caller, startGateway } from "../world.js";
import { overEventStream } from "./event-stream.js";
import { overWebSocket } from "./socket.js";

/** Enough for a document that overflows the parser's stack. */
const maxTokens = 30_000;
// No webhook polling, which would log failures of its own.
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000", MAX_QUERY_TOKENS: String(maxTokens) });

let admin: Caller;
let viewer: Caller;

const create = "mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }";
const viewerRole = "{ viewer { role } }";
const pump = { name: "Pump", type: "pump" };
const list = "query ($first: Int) { assets(first: $first) { nodes { id } } }";
const letters = "ABCDEFGHIJKLMNOP";

const times = (count: number, text: (i: number) => string) => Array.from({ length: count }, (_, i) => text(i)).join(" ");
const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
/** JSON text of a createAsset request with one more field that `JSON.stringify` cannot write. */
const creating = (field: string) => `{"query":${JSON.stringify(create)},"variables":{"input":{"name":"Pump","type":"pump",${field}}}}`;
const creatingOverRest = (field: string): Rest["request"] => ["POST", "/assets", `{"name":"Pump","type":"pump",${field}}`];

const badInput = (details: Record<string, string>) => ({ message: "Invalid input", extensions: { code: "BAD_USER_INPUT", details } });
const withCode = (code: string) => (message: string) => ({ message, extensions: { code } });
const badVariable = withCode("BAD_USER_INPUT");
const unresolved = withCode("OPERATION_RESOLUTION_FAILURE");
const invalid = withCode("GRAPHQL_VALIDATION_FAILED");
const unparsed = withCode("GRAPHQL_PARSE_FAILED");
const tooMuch = (what: string, limit: string, value: number) => ({
  message: `The query ${what}; the limit is ${value} (${limit})`,
  extensions: { code: "BAD_USER_INPUT", limit, value },
});

const invalidJson = { message: "Invalid JSON", extensions: { code: "BAD_USER_INPUT", details: { body: "must be valid JSON" } } };
const tooDeep = "must not be nested deeper than 64 levels";
const nul = "must not contain NUL characters";

interface Rest {
  request: [method: string, path: string, body?: unknown, headers?: Record<string, string>];
  status: number;
  /** Fields in which the REST body differs from `{ error: message, ...extensions }` of the GraphQL error. */
  differs?: Record<string, unknown>;
}

interface Row {
  payload: object | string;
  errors: { message: string; extensions: Record<string, unknown> }[];
  rest?: Rest;
  as?: "viewer";
}

const rows: Record<string, Row> = {
  "an empty query": {
    payload: { query: "" },
    errors: [withCode("BAD_REQUEST")("GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.")],
  },
  "an unknown hash": {
    payload: { query: "", extensions: { persistedQuery: { version: 1, sha256Hash: "x" } } },
    errors: [withCode("PERSISTED_QUERY_NOT_FOUND")("PersistedQueryNotFound")],
  },
  "a hash of another query": {
    payload: { query: viewerRole, extensions: { persistedQuery: { version: 1, sha256Hash: "x" } } },
    errors: [
      {
        message: "provided sha does not match query",
        extensions: {
          code: "BAD_USER_INPUT",
          details: { "extensions.persistedQuery.sha256Hash": "is not the SHA-256 of the query" },
        },
      },
    ],
  },
  "a syntax error": {
    payload: { query: "{ viewer { role }" },
    errors: [unparsed("Syntax Error: Expected Name, found <EOF>.")],
  },
  "too many tokens": {
    payload: { query: `{ viewer { ${"a ".repeat(maxTokens)} } }` },
    errors: [unparsed(`Syntax Error: Document contains more that ${maxTokens} tokens. Parsing aborted.`)],
  },
  "a document that overflows the parser": {
    payload: { query: `{ component(id: ${nested(14_000)}) { id } }` },
    errors: [badVariable("The query is nested too deeply; the limit is 20 (depth)")],
  },
  "several unknown fields": {
    payload: { query: "{ viewer { nothing never } }" },
    errors: [invalid('Cannot query field "nothing" on type "Viewer".'), invalid('Cannot query field "never" on type "Viewer".')],
  },
  "an unknown operation name": {
    payload: { query: "query A { viewer { role } }", operationName: "B" },
    errors: [unresolved('Unknown operation named "B".')],
  },
  "several operations and no name": {
    payload: { query: "query A { viewer { role } } query B { viewer { role } }" },
    errors: [unresolved("Must provide operation name if query contains multiple operations.")],
  },
  "NUL in a variable": {
    payload: creating('"serialNumber":"a\\u0000b"'),
    errors: [badInput({ "variables.input.serialNumber": nul })],
    rest: { request: creatingOverRest('"serialNumber":"a\\u0000b"'), status: 400, differs: { details: { serialNumber: nul } } },
  },
  "NUL in a literal": {
    payload: { query: 'mutation { createAsset(input: { name: "x\\u0000", type: "pump" }) { id } }' },
    errors: [badInput({ query: nul })],
  },
  "NUL in the query's text": { payload: { query: `${viewerRole}#\0` }, errors: [badInput({ query: nul })] },
  "an unpaired surrogate": {
    payload: creating('"serialNumber":"\\ud800"'),
    errors: [badInput({ "variables.input.serialNumber": "must not contain unpaired surrogates" })],
    rest: {
      request: creatingOverRest('"serialNumber":"\\ud800"'),
      status: 400,
      differs: { details: { serialNumber: "must not contain unpaired surrogates" } },
    },
  },
  "the key __proto__": {
    payload: creating('"customFields":{"__proto__":"x"}'),
    errors: [invalidJson],
    rest: { request: creatingOverRest('"customFields":{"__proto__":"x"}'), status: 400 },
  },
  "the key constructor.prototype": {
    payload: creating('"customFields":{"constructor":{"prototype":{"x":1}}}'),
    errors: [invalidJson],
    rest: { request: creatingOverRest('"customFields":{"constructor":{"prototype":{"x":1}}}'), status: 400 },
  },
  "the key constructor.prototype in a literal": {
    payload: {
      query: 'mutation { createComponent(input: { name: "x", type: "y", specifications: { constructor: { prototype: 1 } } }) { id } }',
    },
    errors: [badInput({ query: "has a name that must not be constructor.prototype" })],
  },
  "the key __proto__ in a literal": {
    payload: { query: 'mutation { createAsset(input: { name: "x", type: "y", customFields: { __proto__: "x" } }) { id } }' },
    errors: [badInput({ query: "has a name that must not be __proto__" })],
  },
  "a number that JSON cannot hold": {
    payload: `{"query":"${list}","variables":{"first":1e999}}`,
    errors: [badInput({ "variables.first": "must be a number that JSON can hold" })],
    rest: {
      request: creatingOverRest('"name":1e999'),
      status: 400,
      differs: { details: { name: "must be a number that JSON can hold" } },
    },
  },
  "variables nested over 64 levels": {
    payload: creating(`"customFields":{"a":${nested(65)}}`),
    errors: [badInput({ variables: tooDeep })],
    rest: { request: creatingOverRest(`"customFields":{"a":${nested(65)}}`), status: 400, differs: { details: { customFields: tooDeep } } },
  },
  "extensions nested over 64 levels": {
    payload: `{"query":"${viewerRole}","extensions":{"a":${nested(65)}}}`,
    errors: [badInput({ extensions: tooDeep })],
  },
  "a literal nested over 64 levels": {
    payload: { query: `mutation { updateComponent(id: "x", input: { specifications: { a: ${nested(65)} } }) { id } }` },
    errors: [badInput({ query: tooDeep })],
  },
  "a missing variable": {
    payload: { query: create },
    errors: [badVariable('Variable "$input" of required type "CreateAssetInput!" was not provided.')],
    rest: { request: ["POST", "/assets"], status: 400, differs: { error: "Invalid input", details: { body: "is required" } } },
  },
  "a missing field": {
    payload: { query: create, variables: { input: { name: "x" } } },
    errors: [badVariable('Variable "$input" got invalid value { name: "x" }; Field "type" of required type "Name!" was not provided.')],
    rest: {
      request: ["POST", "/assets", { name: "x" }],
      status: 400,
      differs: { error: "Invalid input", details: { type: "is required" } },
    },
  },
  "a value of the wrong type": {
    payload: { query: create, variables: { input: { ...pump, name: 1 } } },
    errors: [badVariable('Variable "$input" got invalid value 1 at "input.name"; must be a string')],
    rest: {
      request: ["POST", "/assets", { ...pump, name: 1 }],
      status: 400,
      differs: { error: "Invalid input", details: { name: "must be a string" } },
    },
  },
  "several wrong values": {
    payload: { query: create, variables: { input: { name: "", type: "" } } },
    errors: [
      badVariable(
        'Variable "$input" got invalid value "" at "input.name"; must not be empty; Variable "$input" got invalid value "" at "input.type"; must not be empty',
      ),
    ],
    rest: {
      request: ["POST", "/assets", { name: "", type: "" }],
      status: 400,
      differs: { error: "Invalid input", details: { name: "must not be empty", type: "must not be empty" } },
    },
  },
  "an integer over 32 bits": {
    payload: { query: list, variables: { first: 2 ** 31 } },
    errors: [
      badVariable('Variable "$first" got invalid value 2147483648; Int cannot represent non 32-bit signed integer value: 2147483648'),
    ],
    rest: {
      request: ["GET", `/assets?limit=${2 ** 31}`],
      status: 400,
      differs: { error: "Invalid input", details: { limit: "must be an integer" } },
    },
  },
  "an unknown enum value": {
    payload: { query: create, variables: { input: { ...pump, status: "GONE" } } },
    errors: [
      badVariable('Variable "$input" got invalid value "GONE" at "input.status"; Value "GONE" does not exist in "AssetStatus" enum.'),
    ],
    rest: {
      request: ["POST", "/assets", { ...pump, status: "GONE" }],
      status: 400,
      differs: { error: "Invalid input", details: { status: "must be one of operational, maintenance, offline, decommissioned, pending" } },
    },
  },
  "a null for a required argument": {
    payload: { query: 'query ($id: ID = "x") { asset(id: $id) { id } }', variables: { id: null } },
    errors: [badVariable('Argument "id" of non-null type "ID!" must not be null.')],
  },
  "21 levels": {
    payload: { query: `{ component(id: "x") ${"{ parent ".repeat(19)} { id ${"}".repeat(21)}` },
    errors: [tooMuch("is 21 levels deep", "depth", 20)],
  },
  "31 aliases": {
    payload: { query: `{ viewer { ${times(31, (i) => `a${i}: role`)} } }` },
    errors: [tooMuch("has 31 aliases", "aliases", 30)],
  },
  "21 root fields": {
    payload: { query: `{ ${times(21, () => "viewer { role }")} }` },
    errors: [tooMuch("has 21 root fields", "root fields", 20)],
  },
  "a query that costs too much": {
    payload: { query: "{ assets(first: 500) { nodes { components(first: 500) { nodes { id } } } } }" },
    errors: [tooMuch("may cost 251002 points (page sizes multiplied); ask for smaller pages or fewer levels", "cost", 50_000)],
  },
  "a list of 1,001 items": {
    payload: {
      query: "mutation ($ids: [ID!]!) { bulkComponents(operation: DELETE, componentIds: $ids) { failed } }",
      variables: { ids: Array.from({ length: 1_001 }, () => "x") },
    },
    errors: [tooMuch("has an input list of 1001 items", "input list", 1_000)],
  },
  "fragments that multiply": {
    payload: {
      query: `{ ...A } ${times(15, (i) => `fragment ${letters[i]} on Query { ...${letters[i + 1]} ...${letters[i + 1]} }`)}
        fragment P on Query { viewer { role } }`,
    },
    errors: [tooMuch("has more selections, fragments counted each time they are spread", "selections", 1_500)],
  },
  "a page that is too large": {
    payload: { query: "{ assets(first: 501) { nodes { id } } }" },
    errors: [badInput({ first: "must be from 1 to 500" })],
    rest: {
      request: ["GET", "/assets?limit=1001"],
      status: 400,
      differs: { details: { limit: "must be an integer from 1 to 1000" } },
    },
  },
  "a role that cannot write": {
    payload: { query: create, variables: { input: pump } },
    errors: [
      {
        message: "Forbidden",
        extensions: { code: "FORBIDDEN", message: "This needs the role manager; the key has the role viewer" },
      },
    ],
    rest: { request: ["POST", "/assets", pump], status: 403 },
    as: "viewer",
  },
  "an unknown id to read": {
    payload: { query: '{ asset(id: "none") { id } }' },
    errors: [{ message: "Asset not found", extensions: { code: "NOT_FOUND", assetId: "none" } }],
    rest: { request: ["GET", "/assets/none"], status: 404 },
  },
  "an unknown id to change": {
    payload: { query: 'mutation { updateAsset(id: "none", input: { name: "x" }) { id } }' },
    errors: [{ message: "Asset not found", extensions: { code: "NOT_FOUND", assetId: "none" } }],
    rest: { request: ["PUT", "/assets/none", { name: "x" }], status: 404 },
  },
  "a serial number in use": {
    payload: { query: create, variables: { input: { ...pump, serialNumber: "S" } } },
    errors: [{ message: "An asset with this serial number already exists", extensions: { code: "CONFLICT", serialNumber: "S" } }],
    rest: { request: ["POST", "/assets", { ...pump, serialNumber: "S" }], status: 409 },
  },
  "a malformed idempotency key": {
    payload: { query: create, variables: { input: pump }, extensions: { idempotencyKey: "with space" } },
    errors: [badInput({ "Idempotency-Key": "must be 1 to 255 visible ASCII characters" })],
    rest: { request: ["POST", "/assets", pump, { "idempotency-key": "with space" }], status: 400 },
  },
  "an idempotency key of another request": {
    payload: { query: create, variables: { input: { ...pump, name: "Other" } }, extensions: { idempotencyKey: "used" } },
    errors: [
      {
        message: "This Idempotency-Key came with another request",
        extensions: { code: "UNPROCESSABLE", reason: "Use a new key for a new request" },
      },
    ],
    rest: { request: ["POST", "/assets", { ...pump, name: "Other" }, { "idempotency-key": "used" }], status: 422 },
  },
  "an idempotency key for a new API key": {
    payload: { query: 'mutation { createApiKey(input: { name: "x", role: VIEWER }) { key } }', extensions: { idempotencyKey: "k" } },
    errors: [
      badInput({
        idempotencyKey:
          "cannot be used where API keys, invitations, secrets of webhooks or links of calendars and reports are issued: answers are kept, these are not",
      }),
    ],
  },
};

/** Every row of the tenant that a listed request could change, without the last use of its keys. */
async function stored(): Promise<unknown> {
  const keys = await gateway.database.query(`select id, name from "ApiKey" where "tenantId" = $1 order by id`, [admin.tenantId]);
  return [await admin.snapshot("Asset", "Component", "AssetStatusChange"), keys];
}

async function overHttp(caller: Caller, payload: object | string): Promise<any> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${caller.key}` },
    body: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
  return response.json();
}

/** Removes `requestId`, which HTTP adds to errors of bodies that never reach GraphQL. */
const withoutRequestId = (errors: any[] = []) =>
  errors.map(({ extensions: { requestId, ...extensions }, ...error }) => ({ ...error, extensions }));

const withoutFieldErrors = ({ fieldErrors, ...extensions }: Record<string, unknown>) => extensions;

beforeAll(async () => {
  admin = await gateway.newTenant();
  viewer = await admin.as("viewer");
  await admin.createAsset({ serialNumber: "S" });
  await overHttp(admin, { query: create, variables: { input: pump }, extensions: { idempotencyKey: "used" } });
});

describe("the same error over HTTP, WebSocket, server-sent events and REST:", () => {
  test.each(Object.entries(rows))("%s", async (_, { payload, errors, rest, as }) => {
    const caller = as ? viewer : admin;
    const before = await stored();
    const http = withoutRequestId((await overHttp(caller, payload)).errors);
    expect(http.map(({ message, extensions }) => ({ message, extensions: withoutFieldErrors(extensions) }))).toEqual(errors);
    expect(withoutRequestId((await overWebSocket(caller, payload)).errors)).toEqual(http);
    expect(withoutRequestId((await overEventStream(caller, payload)).errors)).toEqual(http);
    if (rest) {
      const { status, body } = await caller.rest(...rest.request);
      const [{ message, extensions }] = errors as [(typeof errors)[0]];
      expect({ status, body }).toEqual({
        status: rest.status,
        body: { error: message, ...extensions, ...rest.differs, requestId: expect.any(String) },
      });
    }
    expect(await stored()).toEqual(before);
  });

  test("an unexpected failure is logged, and its cause is hidden", async () => {
    const logged = vi.spyOn(gateway.app.log, "error");
    const send = gateway.database.query.bind(gateway.database);
    // Keys are looked up again every few seconds.
    const query = vi
      .spyOn(gateway.database, "query")
      .mockImplementation((text, ...others) =>
        text.includes('"ApiKey"') ? send(text, ...others) : Promise.reject(new Error("secret cause")),
      );
    try {
      const payload = { query: "{ assets { nodes { id } } }" };
      const { status, body } = await admin.rest("GET", "/assets");
      const messages = [(await overHttp(admin, payload)).errors[0], (await overWebSocket(admin, payload)).errors![0]];
      expect(status).toBe(500);
      expect([body.error, ...messages.map(({ message }) => message)]).toEqual(
        Array.from({ length: 3 }, () => expect.stringMatching(/^Internal server error \([\w-]+\)$/)),
      );
      // Ignores failures of background jobs.
      const ofRequests = logged.mock.calls.filter(([line]: any) => line.requestId !== undefined);
      expect(ofRequests.map(([{ err }]: any) => err.message)).toEqual(Array.from({ length: 3 }, () => "secret cause"));
    } finally {
      query.mockRestore();
      logged.mockRestore();
    }
  });
});

describe("over WebSocket", () => {
  test("a query and a mutation return what they return over HTTP", async () => {
    const query = { query: "query ($first: Int) { assets(first: $first) { totalCount nodes { name } } }", variables: { first: 1 } };
    expect(await overWebSocket(admin, query)).toEqual(await overHttp(admin, query));
    const { data } = await overWebSocket(admin, { query: create, variables: { input: { ...pump, customFields: { a: "b" } } } });
    expect((await admin.rest("GET", `/assets/${data.createAsset.id}`)).body.customFields).toEqual({ a: "b" });
  });

  test("a mutation repeated with its idempotency key has one effect, also if repeated over HTTP", async () => {
    const tenant = await gateway.newTenant();
    const payload = { query: create, variables: { input: pump }, extensions: { idempotencyKey: "k" } };
    const first = await overWebSocket(tenant, payload);
    expect(first.data.createAsset.id).toEqual(expect.any(String));
    expect(await overWebSocket(tenant, payload)).toEqual(first);
    expect(await overHttp(tenant, payload)).toEqual(first);
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(1);
  });

  test("each request writes one log line, whether it succeeds or fails", async () => {
    const info = vi.spyOn(gateway.app.log, "info");
    try {
      await overWebSocket(admin, { query: viewerRole });
      await overWebSocket(admin, { query: "{ viewer { role }" });
      await overWebSocket(admin, { query: '{ asset(id: "none") { id } }' });
      const any = { ms: expect.any(Number), key: expect.any(String), statements: expect.any(Number) };
      const line = { method: "WS", url: "/graphql", tenant: admin.tenantId, ...any };
      const lines = [
        { operation: "viewer", cost: 2, status: 200 },
        { code: "GRAPHQL_PARSE_FAILED", status: 400 },
        { operation: "asset", cost: 1, code: "NOT_FOUND", status: 404 },
      ].map((said) => [{ ...line, ...said }, "request"]);
      expect(info.mock.calls.filter(([fields]: any) => fields.method === "WS")).toEqual(lines);
    } finally {
      info.mockRestore();
    }
  });
});
