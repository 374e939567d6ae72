/** Every invalid request quickly gets a JSON 4xx response that names the problem, and writes nothing. */
import { request } from "node:http";
import { connect } from "node:net";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { cursorOf, type List } from "../../src/database/rows/page.js";
import { by } from "../../src/database/rows/rows.js";
import { Where } from "../../src/schema/where.js";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();
const { port } = new URL(gateway.url);
const description: any = await (await fetch(`${gateway.url}/openapi.json`)).json();

let caller: Caller;
let asset: { id: string };
let component: { id: string };
let before: unknown;

beforeAll(async () => {
  caller = await gateway.newTenant();
  asset = await caller.createAsset({ site: "North", area: "Hall" });
  component = await caller.createComponent({ assetId: asset.id });
  await caller.createComponent({ parentId: component.id });
  // No test changes anything, so the state before the first test must hold after each.
  before = await caller.snapshot();
});

afterEach(async () => {
  expect(await caller.snapshot()).toEqual(before);
  expect((await caller.rest("GET", "/components?limit=1")).status).toBe(200);
});

interface Sent {
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** Sends no Content-Length, so the server learns the size only while reading. */
  chunked?: boolean;
}

interface Received {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  body: any;
}

/** Sends requests that fetch would correct or reject. */
function send(method: string, path: string, { body, headers = {}, chunked }: Sent = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length: Record<string, string> = body === undefined || chunked ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const all = Object.entries({ authorization: `Bearer ${caller.key}`, ...type, ...length, ...headers }).filter(
      ([, value]) => value !== "",
    );
    const sent = request(
      { port, host: "127.0.0.1", method, path, headers: Object.fromEntries(all), agent: false, signal: AbortSignal.timeout(10_000) },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("error", reject);
        response.on("end", () => {
          const json = /json/.test(response.headers["content-type"] ?? "");
          resolve({ status: response.statusCode!, headers: response.headers, text, body: json && text ? JSON.parse(text) : undefined });
        });
      },
    );
    sent.on("error", reject);
    if (chunked) sent.write(body);
    sent.end(chunked ? undefined : body);
  });
}

function readAnswer(all: string): Received {
  const [head = "", text = ""] = all.split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(lines.map((entry) => entry.toLowerCase().split(": ") as [string, string]));
  return { status: Number(line.split(" ")[1]), headers, text, body: text ? JSON.parse(text) : undefined };
}

/** Sends raw bytes and reads everything until the connection closes. */
function sendRaw<T>(bytes: string | Buffer, read: (all: string) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
    let all = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error("no response")));
    socket.on("data", (chunk) => {
      all += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(read(all)));
  });
}

const codes: Record<number, string> = {
  400: "BAD_USER_INPUT",
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  406: "NOT_ACCEPTABLE",
  408: "REQUEST_TIMEOUT",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE",
  431: "HEADERS_TOO_LARGE",
};

function expectRefusal({ status, headers, text, body }: Received, expected?: number, shape: "error" | "errors" = "error"): any {
  if (expected) expect(status, text).toBe(expected);
  expect(status, text).toBeGreaterThanOrEqual(400);
  expect(status, text).toBeLessThan(500);
  expect(headers["content-type"]).toMatch(/json/);
  expect(headers["x-request-id"]).toMatch(/./);
  expect(text).not.toMatch(/node_modules|\.ts:|\.js:|select \*|at .*\(.*:\d+:\d+\)/);
  if (shape === "error")
    expect(body).toMatchObject({ error: expect.stringMatching(/./), code: codes[status], requestId: headers["x-request-id"] });
  else expect(body.errors[0].message).toMatch(/./);
  return body;
}

const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;
const deepObject = nested(10_000, '{"a":', "}");
const deepArray = nested(10_000, "[", "]");

const malformed: [name: string, body: string | Buffer][] = [
  ["an open brace", "{"],
  ["an open string", '{"name":"Pump'],
  ["a trailing comma", '{"name":"Pump","type":"pump",}'],
  ["single quotes", "{'name':'Pump','type':'pump'}"],
  ["text after it", '{"name":"Pump","type":"pump"} and more'],
  ["two documents", '{"name":"Pump","type":"pump"}{"name":"Pump","type":"pump"}'],
  ["NaN", '{"name":"Pump","type":"pump","position":NaN}'],
  ["a raw control character", '{"name":"Pu\u0001mp","type":"pump"}'],
  ["a raw NUL", '{"name":"Pu\0mp","type":"pump"}'],
  ["NUL alone", "\0"],
  ["a bad escape", '{"name":"\\x41","type":"pump"}'],
  ["half of a bad word", "nul"],
  ["10,000 open brackets", "[".repeat(10_000)],
  ["10,000 open objects", '{"a":'.repeat(10_000)],
  ["Latin-1", Buffer.from('{"name":"Pümpe","type":"pump"}', "latin1")],
  ["UTF-16", Buffer.from('{"name":"Pump","type":"pump"}', "utf16le")],
  ["an overlong UTF-8 slash", Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('","type":"pump"}')])],
  [
    "an unpaired surrogate in UTF-8",
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('","type":"pump"}')]),
  ],
  ["white space", "  \r\n "],
];

const notObjects = ["[]", '[{"name":"Pump","type":"pump"}]', '"Pump"', '""', "0", "-1.5", "1e400", "true", "false", "null", deepArray];

const otherTypes = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/xml",
  "text/csv",
  "application/vnd.api+json",
  "application/jsonp",
  "json",
  "*/*",
  ";",
  "application/json/x",
];

const polluting = [
  '"__proto__":{"polluted":true}',
  '"__proto__":null',
  '"\\u005f_proto__":{"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"specifications":{"__proto__":{"polluted":true}}',
  '"specifications":{"a":{"constructor":{"prototype":{"polluted":true}}}}',
  '"customFields":{"__proto__":"polluted"}',
];

const isCore = (pattern: string) => /^\/(assets|components)/.test(pattern) && !/templates|photos|import/.test(pattern);

interface WriteRoute {
  needsBody: boolean;
  method: string;
  pattern: string;
  fields: Record<string, any>;
  name: string;
}

const resolved = (schema: any): any => (schema?.$ref ? description.components.schemas[schema.$ref.split("/").at(-1)] : schema);

const writeRoutes: WriteRoute[] = Object.entries<any>(description.paths).flatMap(([pattern, operations]) =>
  Object.entries<any>(operations)
    .filter(([, { requestBody }]) => requestBody?.content["application/json"])
    .map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      pattern,
      // Only asset and component bodies are tested field by field; the others have their own tests.
      fields: isCore(pattern) ? fieldsOf(pattern, resolved(requestBody.content["application/json"].schema).properties) : {},
      name: `${method.toUpperCase()} ${pattern}`,
      needsBody: requestBody.required,
    })),
);

/** For `/children` the path names the parent, and one in the body is ignored. */
function fieldsOf(pattern: string, { parentId, parentComponentId, ...fields }: Record<string, any>): Record<string, any> {
  return { ...fields, ...(!pattern.endsWith("/children") && parentId && { parentId, parentComponentId }) };
}

const pathOf = (pattern: string, id?: string) =>
  pattern.replace(
    /\{(\w+)\}/g,
    (_, name: string) =>
      id ??
      ({ order: "1", assetId: asset.id, componentId: component.id, rootId: component.id } as Record<string, string>)[name] ??
      "unknown",
  );

/** A body that the route accepts. */
function goodBody(name: string): Record<string, unknown> {
  if (name.endsWith("/bulk")) return { operation: "update", componentIds: [component.id], data: { notes: "good" } };
  if (name.endsWith("/move")) return { newParentId: null, position: 0 };
  return { name: "Good", type: "good" };
}

const ajv = addFormats.default(new Ajv2020({ strict: false, validateFormats: true }));
const candidates: unknown[] = [
  true,
  12.5,
  "text",
  "2024-02-30",
  "2024-01-01T00:00:00+99:00",
  [],
  [1.5],
  ["a"],
  [[]],
  {},
  { a: 1 },
  { a: { b: 1 } },
  { a: ["x"] },
];
const allows = (schema: any, type: string): boolean =>
  [resolved(schema).type].flat().includes(type) || (schema.anyOf ?? []).some((one: any) => allows(one, type));

describe.each(writeRoutes)("$name", ({ method, pattern, fields, name, needsBody }) => {
  const post = (body: string | Buffer, more: Sent = {}) => send(method, pathOf(pattern), { body, ...more });

  it.each(malformed)("rejects malformed JSON: %s", async (_, body) => {
    expectRefusal(await post(body), 400);
  });

  it.runIf(needsBody)("rejects a missing body", async () => {
    expect(expectRefusal(await post(""), 400).details.body).toBe("is required");
    expect(expectRefusal(await send(method, pathOf(pattern)), 400).details.body).toBe("is required");
  });

  it("rejects a body that is not an object", async () => {
    for (const body of notObjects) expectRefusal(await post(body), 400);
  });

  it("rejects other content types", async () => {
    const body = JSON.stringify(goodBody(name));
    for (const type of [...otherTypes, "multipart/form-data; boundary=x", ""])
      expectRefusal(await post(body, { headers: { "content-type": type } }), 415);
    expectRefusal(await post(body, { headers: { "content-encoding": "gzip", "content-type": "text/plain" } }), 415);
  });

  it("rejects a wrong type in any field", async () => {
    for (const [field, schema] of Object.entries(fields)) {
      const valid = ajv.compile({ ...schema, components: description.components });
      for (const value of candidates.filter((candidate) => !valid(candidate))) {
        const { details } = expectRefusal(await post(JSON.stringify({ ...goodBody(name), [field]: value })), 400);
        const named = Object.keys(details).some((key) => key === field || key.startsWith(`${field}.`));
        expect(named, `${field}: ${JSON.stringify(value)} returns ${JSON.stringify(details)}`).toBe(true);
      }
    }
  });

  it("rejects numbers that are out of range", async () => {
    for (const number of ["2147483648", "-2147483649", "9007199254740993", "1e300", "-1e300", "1e400", "0.1", "1e-400"]) {
      for (const [field, schema] of Object.entries(fields)) {
        if (number === "1e-400" && allows(schema, "integer")) continue;
        const { [field]: _, ...rest } = goodBody(name);
        const body = `{${JSON.stringify(rest).slice(1, -1)}${Object.keys(rest).length ? "," : ""}${JSON.stringify(field)}:${number}}`;
        expectRefusal(await post(body), 400);
      }
    }
    expectRefusal(await post(`{${JSON.stringify(goodBody(name)).slice(1, -1)},"specifications":{"a":1e400}}`), 400);
  });

  it("rejects NUL characters and unpaired surrogates", async () => {
    for (const text of ["\\u0000", "Pu\\u0000mp", "\\ud800", "\\udc00 tail", "\\udc00\\ud800"]) {
      for (const field of [...Object.keys(fields), "unheardOf"]) {
        for (const value of [`"${text}"`, `{"a":"${text}"}`, `{"${text}":"a"}`, `["${text}"]`]) {
          const { [field]: _, ...rest } = goodBody(name);
          const { details } = expectRefusal(await post(`{"${field}":${value},${JSON.stringify(rest).slice(1)}`.replace(",}", "}")), 400);
          expect(Object.keys(details)[0]).toMatch(new RegExp(`^${field}`));
        }
      }
      expectRefusal(await post(`{"${text}":1,${JSON.stringify(goodBody(name)).slice(1)}`), 400);
    }
  });

  it("rejects strings that are too long", async () => {
    for (const [field, schema] of Object.entries(fields)) {
      if (!allows(schema, "string")) continue;
      const { details } = expectRefusal(await post(JSON.stringify({ ...goodBody(name), [field]: "x".repeat(100_000) })), 400);
      expect(Object.keys(details)).toContain(field);
    }
  });

  it("rejects 10,000 levels of nesting", async () => {
    expectRefusal(await post(deepObject), 400);
    for (const field of [...Object.keys(fields), "unheardOf"]) {
      for (const deep of [deepObject, deepArray]) {
        const { [field]: _, ...rest } = goodBody(name);
        const { details } = expectRefusal(await post(`{"${field}":${deep},${JSON.stringify(rest).slice(1)}`.replace(",}", "}")), 400);
        expect(Object.keys(details)).toEqual([field]);
      }
    }
  });

  it("rejects or ignores keys that could pollute prototypes", async () => {
    for (const pollution of polluting) expectRefusal(await post(`{${pollution},${JSON.stringify(goodBody(name)).slice(1)}`), 400);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("rejects a body over 1 MB", async () => {
    const body = JSON.stringify({ ...goodBody(name), unheardOf: "x".repeat(1_048_576) });
    const sent = expectRefusal(await post(body), 413);
    expect(sent).toMatchObject({ maxSize: "1048576 bytes", receivedSize: `${body.length} bytes` });
    const chunked = expectRefusal(await post(body, { chunked: true }), 413);
    expect(chunked).toMatchObject({ maxSize: "1048576 bytes", receivedSize: "more than 1048576 bytes" });
    expectRefusal(await post(Buffer.alloc(20_000_000, " ")), 413);
  });

  it("rejects an Accept header that excludes JSON", async () => {
    for (const accept of ["text/html", "application/xml", "image/*", "application/json;q=0", "application/jsonp"]) {
      expectRefusal(await post(JSON.stringify(goodBody(name)), { headers: { accept } }), 406);
    }
  });

  if (pattern.includes("{"))
    it("rejects invalid ids in the path", async () => {
      for (const id of badIds) expectRefusal(await send(method, pathOf(pattern, id), { body: JSON.stringify(goodBody(name)) }));
    });
});

const badIds = [
  "%",
  "%zz",
  "%f",
  "%ff",
  "%c0%af",
  "%ed%a0%80",
  "%00",
  "x%00y",
  "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "..%5c..",
  "'%20or%20''='",
  "%25%32%30",
  "-1",
  "99999999999999999999",
  "null",
  "__proto__",
  "constructor",
  "%F0%9F%94%A7",
  "\xff\xfe",
  "x".repeat(2_000),
  "x".repeat(15_000),
  "x".repeat(100_000),
  "%20".repeat(33_000),
];

describe("paths and methods", () => {
  const withId = Object.entries<any>(description.paths).flatMap(([pattern, operations]) =>
    pattern.includes("{") ? Object.keys(operations).map((method) => [method.toUpperCase(), pattern] as const) : [],
  );

  it.each(withId.filter(([method]) => method === "GET" || method === "DELETE"))("%s %s rejects invalid ids", async (method, pattern) => {
    for (const id of badIds) expectRefusal(await send(method, pathOf(pattern, id)));
  });

  it("a request that does not arrive in time is 408", async () => {
    // The server waits one minute for a request. The test triggers the timeout immediately.
    gateway.app.server.once("connection", (socket) =>
      gateway.app.server.emit("clientError", Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket),
    );
    expectRefusal(await sendRaw("POST /assets HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{", readAnswer), 408);
  });

  it("REST accepts only the documented enum values, not the GraphQL names", async () => {
    const { body: part } = await caller.rest("POST", "/parts", { partNumber: "words", name: "words", stockLevel: 1 });
    const status = "must be one of operational, maintenance, offline, decommissioned, pending";
    const movementType = "must be one of receipt, issue, adjustment, transfer, return, cycle_count, write_off, reserve, unreserve";
    const adjustmentType = "must be one of count, damage, loss, correction, expiry, quality";
    const unitOfMeasure = "must be one of each, meter, kilogram, liter, box, roll, set, pair";
    const reportType = "must be one of summary, movements, abc_analysis, turnover, aging";
    for (const [method, path, body, details] of [
      ["POST", "/assets", { name: "x", type: "y", status: "OPERATIONAL" }, { status }],
      ["PUT", `/assets/${asset.id}`, { status: "OFFLINE" }, { status }],
      ["POST", "/parts", { partNumber: "x", name: "x", unitOfMeasure: "EACH" }, { unitOfMeasure }],
      ["POST", `/inventory/${part.partId}/adjustments`, { adjustmentType: "COUNT", quantity: 1 }, { adjustmentType }],
      ["GET", `/inventory/${part.partId}/history?movementType=CYCLE_COUNT`, undefined, { movementType }],
      ["GET", "/inventory/reports?reportType=SUMMARY", undefined, { reportType }],
    ] as const) {
      const response = await send(method, path, body && { body: JSON.stringify(body) });
      expect(expectRefusal(response, 400).details).toEqual(details);
    }
  });

  it("unknown paths are 404", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      for (const path of [
        "/",
        "/nope",
        "/ASSETS",
        "/assets/x/y/z",
        "/components/x/children/y",
        "/graphql/x",
        "/graphqlx",
        "/health/x",
        "/.env",
        "//assets",
        "/assets%2fx",
      ]) {
        expectRefusal(await send(method, path, method === "GET" ? {} : { body: "{" }));
        expectRefusal(await send(method, path), 404);
      }
    }
  });

  it("known paths reject other methods with 405 and Allow", async () => {
    const known: Record<string, string[]> = {
      "/graphql": ["GET", "POST"],
      "/health": ["GET"],
      "/ready": ["GET"],
      "/openapi.json": ["GET"],
      "/schema.graphql": ["GET"],
      "/schema.json": ["GET"],
      "/explorer": ["GET"],
    };
    for (const [pattern, operations] of Object.entries<any>(description.paths))
      known[pattern] = Object.keys(operations).map((method) => method.toUpperCase());
    for (const [pattern, methods] of Object.entries(known)) {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        if (methods.includes(method)) continue;
        const response = await send(method, pathOf(pattern), method === "GET" ? {} : { body: '{"name":"x","type":"y"}' });
        expectRefusal(response, 405, pattern === "/graphql" ? "errors" : "error");
        expect(String(response.headers.allow).split(", "), pattern).toEqual(expect.arrayContaining(methods));
        expect(String(response.headers.allow).split(", "), pattern).not.toContain(method);
      }
      for (const method of ["TRACE", "PROPFIND", "QUERY", "LOCK"])
        expectRefusal(await send(method, pathOf(pattern)), undefined, pattern === "/graphql" ? "errors" : "error");
    }
  });
});

describe("query strings", () => {
  const lists = Object.entries<any>(description.paths).flatMap(([pattern, { get }]) =>
    (get?.parameters ?? []).some((parameter: any) => parameter.in === "query")
      ? [[pattern, get.parameters.filter((parameter: any) => parameter.in === "query")] as const]
      : [],
  );

  it.each(lists)("GET %s rejects invalid values", async (pattern, parameters: any[]) => {
    for (const { name, schema } of parameters) {
      const refuse = async (value: string) => {
        const { details } = expectRefusal(await send("GET", `${pathOf(pattern)}?${name}=${value}`), 400);
        expect(Object.keys(details)).toEqual([name]);
      };
      await refuse("%00");
      await refuse("a%00b");
      if (allows(schema, "integer"))
        for (const value of [
          "abc",
          "1.5",
          "-1",
          "NaN",
          "Infinity",
          "-Infinity",
          "2147483648",
          "99999999999999999999",
          "1e400",
          "true",
          "%20",
          "1%202",
          "[1]",
          "{}",
        ])
          await refuse(value);
      expectRefusal(await send("GET", `${pathOf(pattern)}?${name}=1&${name}=1`), 400);
      expect((await send("GET", `${pathOf(pattern)}?${name}=${"x".repeat(100_000)}`)).status).toBe(431);
    }
  });

  it.each(lists.filter(([pattern]) => !/\/inventory\/|\{/.test(pattern)))("GET %s ignores unknown parameters", async (pattern) => {
    for (const query of [
      "__proto__[polluted]=1",
      "constructor.prototype.polluted=1",
      "toString=1",
      "a=1&a=2&a[]=3",
      "&&&===",
      "%zz=%zz",
      "?",
      "%ff",
    ]) {
      expect((await send("GET", `${pathOf(pattern)}?${query}`)).status, query).toBe(200);
    }
    for (const query of ["%00=1", "__proto__=1"]) expectRefusal(await send("GET", `${pathOf(pattern)}?${query}`), 400);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("an out-of-range limit is 400", async () => {
    for (const path of ["/assets", "/components"]) {
      for (const limit of ["0", "1001", "1000000000"]) {
        expect(expectRefusal(await send("GET", `${path}?limit=${limit}`), 400).details.limit).toMatch(/from 1 to 1000/);
      }
    }
  });

  const token = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");
  const parts = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString("utf8"));

  it("an invalid or modified nextToken is 400", async () => {
    await caller.createAsset({ name: "Second", site: "South" });
    before = await caller.snapshot();
    const { nextToken } = (await caller.rest("GET", "/assets?limit=1")).body;
    const [site, area, cursor] = parts(nextToken);
    const [print] = parts(cursor);
    const none = [
      "x",
      "%00",
      "%ff",
      token(),
      token(1),
      token(null, null, "x"),
      token(site, area, token("no", "a", "b", "c", "d")),
      token("South", area, cursor),
    ];
    const values: unknown[][] = [
      [],
      ["a"],
      [null, null, null, null],
      [{}, {}, {}, {}],
      [[], [], [], []],
      ["a\0", "b", "c", "d"],
      ["a", "b", "c", "\ud800"],
    ];
    none.push(...values.map((given) => token(site, area, token(print, ...given))));
    for (const given of none) {
      const { details } = expectRefusal(await send("GET", `/assets?limit=1&nextToken=${given}`), 400);
      expect(Object.keys(details), given).toEqual(["nextToken"]);
    }
  });

  it("an invalid or modified cursor is BAD_USER_INPUT", async () => {
    const query = "query ($after: String) { assets(first: 1, after: $after) { nodes { id } pageInfo { endCursor } } }";
    const [print] = parts((await caller.ask(query)).assets.pageInfo.endCursor);
    const values: unknown[][] = [
      [],
      ["2024-01-01T00:00:00Z"],
      ["soon", "x"],
      [1, 2],
      [null, null],
      [{}, []],
      ["2024-02-30", "x"],
      ["2024-01-01T00:00:00Z", "\0"],
      ["999999-01-01", "x"],
      ["infinity", "x"],
    ];
    for (const after of ["x", "\u00ff", token(), token(1), ...values.map((given) => token(print, ...given))]) {
      const { errors } = await caller.graphql(query, { after });
      expect(errors?.[0]?.extensions, after).toMatchObject({ code: "BAD_USER_INPUT", details: { after: expect.stringMatching(/./) } });
    }
    // The digest in a cursor is not secret. A forged cursor is rejected or returns the caller's own records.
    const list: List<"Asset"> = { table: "Asset", where: new Where(), order: by(["createdAt", "id"]) };
    for (const [createdAt, id] of values.filter(({ length }) => length === 2)) {
      const { errors } = await caller.graphql(query, { after: cursorOf(caller, list, { createdAt, id } as any) });
      expect(errors?.[0]?.extensions.code ?? "BAD_USER_INPUT", `${createdAt}, ${id}`).toBe("BAD_USER_INPUT");
    }
  });
});

describe("malformed HTTP", () => {
  const head = () => `Host: x\r\nAuthorization: Bearer ${caller.key}\r\nContent-Type: application/json\r\n`;
  const good = '{"name":"Pump","type":"pump"}';

  it.each<[string, () => string | Buffer]>([
    ["not HTTP", () => "HELLO\r\n\r\n"],
    ["a space in the path", () => `GET /assets/a b HTTP/1.1\r\n${head()}\r\n`],
    ["NUL in the path", () => `GET /assets/a\0b HTTP/1.1\r\n${head()}\r\n`],
    ["NUL in a header", () => `GET /assets HTTP/1.1\r\n${head()}X-A: a\0b\r\n\r\n`],
    ["an unknown method", () => `FETCH /assets HTTP/1.1\r\n${head()}\r\n`],
    ["a negative Content-Length", () => `POST /assets HTTP/1.1\r\n${head()}Content-Length: -5\r\n\r\n${good}`],
    ["two Content-Length headers", () => `POST /assets HTTP/1.1\r\n${head()}Content-Length: 29\r\nContent-Length: 5\r\n\r\n${good}`],
    [
      "both Content-Length and Transfer-Encoding",
      () => `POST /assets HTTP/1.1\r\n${head()}Content-Length: 29\r\nTransfer-Encoding: chunked\r\n\r\n${good}`,
    ],
    ["an invalid chunk", () => `POST /assets HTTP/1.1\r\n${head()}Transfer-Encoding: chunked\r\n\r\nzz\r\n${good}`],
    ["a header that is too long", () => `GET /assets HTTP/1.1\r\n${head()}X-A: ${"a".repeat(200_000)}\r\n\r\n`],
    ["too many headers", () => `GET /assets HTTP/1.1\r\n${head()}${"X-A: a\r\n".repeat(20_000)}\r\n`],
  ])("%s", async (_, bytes) => {
    expectRefusal(await sendRaw(bytes(), readAnswer));
  });

  it("a body that ends too early", async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () =>
        socket.write(`POST /assets HTTP/1.1\r\n${head()}Content-Length: 5000\r\n\r\n${good}`, () => socket.destroy()),
      );
      socket.on("close", () => resolve());
    });
  });

  it("invalid credentials", async () => {
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      "Basic eDp5",
      "Bearer mg_0_0",
      `Bearer ${caller.key}x`,
      `Bearer ${caller.key} ${caller.key}`,
      caller.key,
      `Bearer ${"a".repeat(14_000)}`,
      "Bearer \xff\xfe",
    ]) {
      for (const [method, path] of [
        ["GET", "/assets"],
        ["POST", "/assets"],
        ["POST", "/graphql"],
      ] as const) {
        const response = await send(method, path, { headers: { authorization }, ...(method === "POST" && { body: "{" }) });
        expectRefusal(response, 401, path === "/graphql" ? "errors" : "error");
        expect(response.headers["www-authenticate"]).toBe("Bearer");
      }
    }
  });
});

describe("/graphql", () => {
  const post = (body: string | Buffer, more: Sent = {}) => send("POST", "/graphql", { body, ...more });
  const strict = { headers: { accept: "application/graphql-response+json" } };
  /** Expects an error for any client, and status 400 for clients that accept `application/graphql-response+json`. */
  const refuse = async (payload: unknown, more: Sent = {}): Promise<any> => {
    const body = typeof payload === "string" ? payload : JSON.stringify(payload);
    const { data } = (await post(body, more)).body;
    expect(data ?? undefined).toBeUndefined();
    return expectRefusal(await post(body, { ...more, headers: { ...strict.headers, ...more.headers } }), 400, "errors").errors[0];
  };
  const create = `mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }`;

  it.each(malformed)("rejects malformed JSON: %s", async (_, body) => {
    expectRefusal(await post(body), 400, "errors");
  });

  it("rejects a missing body, or one that is not an object", async () => {
    expectRefusal(await send("POST", "/graphql"), 400, "errors");
    for (const body of ["", "{}", ...notObjects]) expectRefusal(await post(body), 400, "errors");
  });

  it("rejects other content types", async () => {
    for (const type of [...otherTypes, ""])
      expectRefusal(await post('{"query":"{ viewer { role } }"}', { headers: { "content-type": type } }), 415, "errors");
  });

  it("rejects an Accept header that excludes JSON", async () => {
    const body = JSON.stringify({ query: create, variables: { input: { name: "Pump", type: "pump" } } });
    for (const accept of ["text/html", "application/xml", "image/*"])
      expectRefusal(await post(body, { headers: { accept } }), 406, "errors");
  });

  it("rejects wrong types of query, variables, extensions and operationName", async () => {
    for (const wrong of [1, true, [], {}, ["{ viewer { role } }"]])
      expectRefusal(await post(JSON.stringify({ query: wrong })), 400, "errors");
    for (const wrong of [1, true, [], "x"]) {
      expectRefusal(await post(JSON.stringify({ query: "{ viewer { role } }", variables: wrong })), 400, "errors");
      expectRefusal(await post(JSON.stringify({ query: "{ viewer { role } }", extensions: wrong })), 400, "errors");
    }
    for (const wrong of [1, true, [], {}])
      expectRefusal(await post(JSON.stringify({ query: "{ viewer { role } }", operationName: wrong })), 400, "errors");
  });

  it("rejects an unknown or missing operation", async () => {
    await refuse({ query: "query A { viewer { role } }", operationName: "B" });
    await refuse({ query: "query A { viewer { role } } query B { viewer { role } }" });
    await refuse({ query: "fragment F on Viewer { role }" });
    await refuse({ query: "{ viewer { role } }", operationName: "\0" });
  });

  it("rejects a query with syntax or validation errors", async () => {
    for (const query of [
      "{",
      "}",
      "{ viewer { role ",
      "{ nope }",
      "{ viewer }",
      "{ viewer { role { x } } }",
      "query ($a: Nope) { viewer { role } }",
      "mutation { nope }",
      "type A { b: C }",
      "{ ...F } fragment F on Query { ...F }",
      "\0",
      "{ viewer { role } }\0",
      "\ufeff\ud800",
      "#",
      '{ asset(id: "\\u0000") { id } }',
      '{ asset(id: "\\uD800") { id } }',
      '{ asset(id: """\ud800""") { id } }',
    ]) {
      await refuse({ query });
    }
  });

  it("rejects wrong types in variables", async () => {
    const wrong: Record<string, unknown[]> = {
      name: [1, true, null, [], {}, " ", "x".repeat(256)],
      type: [1, ""],
      description: [1, "x".repeat(10_001)],
      status: ["nope", "operational", 1, []],
      installationDate: [1, "soon", "2024-02-30", "2024-01-01T25:00:00Z", "+275760-09-13T00:00:00Z", "999999999-01-01"],
      customFields: [1, "x", [], { a: 1 }, { a: null }, { a: {} }],
      unheardOf: [1],
      tenantId: ["other"],
      __proto__x: [1],
    };
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) {
        const { message } = await refuse({ query: create, variables: { input: { name: "Pump", type: "pump", [field]: value } } });
        expect(message).toMatch(/\$input/);
      }
    }
    for (const variables of [{}, { input: null }, { input: [] }, { input: "x" }, { input: 1 }]) await refuse({ query: create, variables });
  });

  it("rejects numbers that are out of range", async () => {
    for (const number of ["2147483648", "-2147483649", "1e300", "1e400", "0.5", "99999999999999999999"]) {
      await refuse(`{"query":"query ($n: Int!) { assets(first: $n) { nodes { id } } }","variables":{"n":${number}}}`);
      await refuse({ query: `{ assets(first: ${number}) { nodes { id } } }` });
      await refuse({ query: `mutation { moveComponent(id: "${component.id}", position: ${number}) { id } }` });
    }
    for (const number of ["-1", "-2147483648"]) await refuse({ query: `{ assets(offset: ${number}) { nodes { id } } }` });
    await refuse(
      `{"query":"mutation ($p: JSONObject) { updateComponent(id: \\"${component.id}\\", input: { specifications: $p }) { id } }","variables":{"p":{"a":1e400}}}`,
    );
    await refuse({ query: `mutation { updateComponent(id: "${component.id}", input: { specifications: { a: 1e400 } }) { id } }` });
    await refuse({
      query: `mutation { updateComponent(id: "${component.id}", input: { specifications: { a: ${"9".repeat(400)} } }) { id } }`,
    });
  });

  it("rejects NUL characters and unpaired surrogates", async () => {
    for (const text of ["\0", "a\0b", "\ud800", "\udc00 tail"]) {
      for (const field of ["name", "type", "description", "serialNumber", "site"])
        await refuse({ query: create, variables: { input: { name: "Pump", type: "pump", [field]: text } } });
      await refuse({ query: create, variables: { input: { name: "Pump", type: "pump", customFields: { [text]: "a" } } } });
      await refuse({ query: create, variables: { input: { name: "Pump", type: "pump", customFields: { a: text } } } });
      await refuse({ query: create, variables: { input: { name: "Pump", type: "pump" }, unused: text } });
      await refuse({ query: "query ($id: ID!) { asset(id: $id) { id } }", variables: { id: text } });
      await refuse({ query: "query ($s: String) { assets(filter: { search: $s }) { nodes { id } } }", variables: { s: text } });
      const variables = encodeURIComponent(JSON.stringify({ id: text }));
      const query = encodeURIComponent("query ($id: ID!) { asset(id: $id) { id } }");
      expectRefusal(await send("GET", `/graphql?query=${query}&variables=${variables}`, strict), 400, "errors");
    }
    await refuse({ query: 'mutation { updateComponent(id: "x", input: { specifications: { a: ["\\u0000"] } }) { id } }' });
    await refuse({ query: 'query ($id: ID! = "\\u0000") { asset(id: $id) { id } }' });
  });

  it("rejects 10,000 levels of nesting", async () => {
    const open = JSON.stringify({ query: create, variables: { input: { name: "Pump", type: "pump", customFields: 0 } } });
    for (const deep of [deepObject, deepArray]) {
      await refuse(open.replace(":0}", `:${deep}}`));
      await refuse(`{"query":"{ viewer { role } }","variables":{"unused":${deep}}}`);
      expectRefusal(await post(`{"query":${deep}}`), 400, "errors");
      expectRefusal(await post(`{"query":"{ viewer { role } }","extensions":{"a":${deep}}}`), 400, "errors");
    }
    const fewer = nested(5_000, "[", "]");
    expectRefusal(
      await send("GET", `/graphql?query=${encodeURIComponent("{ viewer { role } }")}&variables={%22a%22:${fewer}}`, strict),
      400,
      "errors",
    );
  });

  it("rejects a deeply nested query", async () => {
    const queries = [
      "{a".repeat(10_000),
      `${"{a".repeat(10_000)}${"}".repeat(10_000)}`,
      `{ component(id: 1) ${"{parent".repeat(1_650)}{id${"}".repeat(1_652)}`,
      `{ component(id: ${nested(10_000, "[", "]")}) { id } }`,
      `{ component(id: ${nested(2_400, "[", "]")}) { id } }`,
      `mutation { updateComponent(id: "${component.id}", input: { specifications: ${nested(1_200, "{a:", "}")} }) { id } }`,
      `mutation { updateComponent(id: "${component.id}", input: { specifications: { a: ${nested(2_400, "[", "]")} } }) { id } }`,
      `query ($a: ${nested(10_000, "[", "]").replace("1", "Int")}) { viewer { role } }`,
      `query ($a: ${nested(2_400, "[", "]").replace("1", "Int")}) { viewer { role } }`,
      `${"{...".repeat(10_000)}`,
    ];
    for (const query of queries) expect((await refuse({ query })).message).not.toMatch(/stack/);
  });

  it("rejects or ignores keys that could pollute prototypes", async () => {
    for (const pollution of ['"__proto__":{"polluted":true}', '"constructor":{"prototype":{"polluted":true}}']) {
      expectRefusal(await post(`{${pollution},"query":"{ viewer { role } }"}`), 400, "errors");
      expectRefusal(await post(`{"query":"{ viewer { role } }","variables":{${pollution}}}`), 400, "errors");
      expectRefusal(
        await post(`{"query":${JSON.stringify(create)},"variables":{"input":{"name":"x","type":"y","customFields":{${pollution}}}}}`),
        400,
        "errors",
      );
    }
    await refuse({
      query: `mutation { updateComponent(id: "${component.id}", input: { specifications: { __proto__: { polluted: true } } }) { id } }`,
    });
    await refuse({ query: 'mutation { createAsset(input: { name: "x", type: "y", __proto__: 1 }) { id } }' });
    const variables = encodeURIComponent('{"__proto__":{"polluted":true}}');
    expectRefusal(
      await send("GET", `/graphql?query=${encodeURIComponent("{ viewer { role } }")}&variables=${variables}`, strict),
      400,
      "errors",
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("rejects a GET with repeated, malformed or overlong parameters", async () => {
    const query = encodeURIComponent("{ viewer { role } }");
    for (const search of [
      "",
      "?",
      `?query=${query}&query=${query}`,
      `?query=${query}&variables=x`,
      `?query=${query}&variables=[]`,
      `?query=${query}&variables=%00`,
      `?query=${query}&operationName=a&operationName=b`,
      "?query=%zz",
      "?query=%00",
      "?query=",
    ]) {
      expectRefusal(await send("GET", `/graphql${search}`, strict), 400, "errors");
    }
    expectRefusal(await send("GET", `/graphql?query=${"x".repeat(100_000)}`), 431);
  });

  it("rejects a mutation by GET", async () => {
    const query = encodeURIComponent(`mutation { deleteAsset(id: "${asset.id}") { id } }`);
    for (const accept of ["application/json", "application/graphql-response+json"]) {
      const response = await send("GET", `/graphql?query=${query}`, { headers: { accept } });
      expectRefusal(response, 405, "errors");
      expect(response.headers.allow).toBe("POST");
    }
  });

  it("rejects the keys constructor.prototype in a multipart form", async () => {
    const query = `mutation ($input: UpdateComponentInput!) { updateComponent(id: "${component.id}", input: $input) { id } }`;
    const form = new FormData();
    const variables = { input: { specifications: { constructor: { prototype: { polluted: true } } } } };
    form.set("operations", JSON.stringify({ query, variables }));
    form.set("map", "{}");
    const response = await fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}` },
      body: form,
    });
    expect((await response.json()).errors).toMatchObject([
      {
        message: "Invalid input",
        extensions: {
          code: "BAD_USER_INPUT",
          details: { "input.specifications": "has a name that must not be constructor.prototype" },
        },
      },
    ]);
  });

  it("rejects a malformed multipart form", async () => {
    const form = (parts: string[], type = "multipart/form-data; boundary=b") =>
      post(parts.map((part) => `--b\r\n${part}\r\n`).join("") + (parts.length ? "--b--\r\n" : ""), { headers: { "content-type": type } });
    const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
    const file = (name: string) => `Content-Disposition: form-data; name="${name}"; filename="a.txt"\r\n\r\ncontent`;
    const operations = field("operations", JSON.stringify({ query: "{ viewer { role } }" }));
    const forms = [
      [],
      [field("map", "{}")],
      [field("operations", "{")],
      [field("operations", "null"), field("map", "{}")],
      [field("operations", deepObject), field("map", "{}")],
      [operations],
      [operations, field("map", "[")],
      [operations, field("map", "[]")],
      [operations, field("map", '{"0":["__proto__.polluted"]}'), file("0")],
      [operations, field("map", '{"0":["variables.constructor.prototype.polluted"]}'), file("0")],
      [operations, field("map", '{"0":["toString.call"]}'), file("0")],
      [operations, field("map", '{"0":["query.at.call.apply"]}'), file("0")],
      [operations, field("map", '{"0":1}'), file("0")],
      [operations, field("map", '{"0":["variables.file"]}')],
      [file("0"), operations],
      ["garbage"],
    ];
    for (const parts of forms) {
      const response = await form(parts);
      if (response.status !== 200) expectRefusal(response, undefined, "errors");
      else expect(parts.join(), "only a map path to nothing may be ignored").toMatch(/call/);
    }
    expect(Object.prototype.toString.call([])).toBe("[object Array]");
    expectRefusal(await form([operations, field("map", "{}")], "multipart/form-data"), undefined, "errors");
    expectRefusal(await form([operations, field("map", "{}")], "multipart/form-data; boundary="), undefined, "errors");
    expectRefusal(
      await post('--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query', {
        headers: { "content-type": "multipart/form-data; boundary=b" },
      }),
      undefined,
      "errors",
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("a multipart form with an unused file leaves the connection usable", async () => {
    const boundary = "--b\r\nContent-Disposition: form-data; name=";
    const operations = `${boundary}"operations"\r\n\r\n{"query":"{ viewer { role } }","variables":{"file":null}}\r\n`;
    const map = `${boundary}"map"\r\n\r\n{"0":["variables.file"]}\r\n`;
    const body = `${operations}${map}${boundary}"0"; filename="a.txt"\r\n\r\n${"x".repeat(3_000_000)}\r\n--b--\r\n`;
    const head = `Host: x\r\nAuthorization: Bearer ${caller.key}\r\n`;
    const form = `POST /graphql HTTP/1.1\r\n${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const response = await sendRaw(`${form}GET /assets HTTP/1.1\r\n${head}Connection: close\r\n\r\n`, (all) =>
      all.split("HTTP/1.1 ").slice(1),
    );
    expect(response.map((text) => text.slice(0, 3))).toEqual(["200", "200"]);
  });
});

describe("any JSON body", () => {
  const fields = [...new Set(writeRoutes.flatMap((route) => Object.keys(route.fields)))];
  const anything = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });
  const likely = fc.dictionary(
    fc.constantFrom(...fields),
    fc.oneof(anything, fc.constantFrom("operational", "2024-05-01", "2024-05-01T08:00:00Z", "", null, 0, -1, 2 ** 31, 1e308, "\0", {}, [])),
    { maxKeys: 12 },
  );
  const named = likely.map((body) => ({ name: "Pump", type: "pump", ...body }));

  it("never causes an internal error", async () => {
    const own = await gateway.newTenant();
    const { id: assetId } = await own.createAsset();
    const { id: componentId } = await own.createComponent({ assetId });
    const targets = [
      ["POST", "/assets"],
      ["PUT", `/assets/${assetId}`],
      ["POST", "/components"],
      ["PUT", `/components/${componentId}`],
      ["POST", `/components/${componentId}/children`],
      ["PUT", `/components/${componentId}/move`],
      ["POST", "/components/bulk"],
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...targets), fc.oneof(anything, likely, named), async ([method, path], body) => {
        const response = await own.rest(method, path, JSON.stringify(body));
        expect(response.status, JSON.stringify(response.body)).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
  });
});
