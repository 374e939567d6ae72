/**
 * The service as a client sees it: a gateway on HTTP with a separate database for each test file, and a fresh tenant for each test. Every
 * REST response is checked against /openapi.json.
 */
import { randomBytes } from "node:crypto";
import { appendFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifyInstance } from "fastify";
import { expect, inject } from "vitest";
import { type Config, readConfig } from "../src/config.js";
import { openDatabase } from "../src/database/connection/open.js";
import type { Database } from "../src/database/database.js";
import { ensureTenant, insertKey } from "../src/database/records/directory.js";
import { type Actor, systemActor } from "../src/domain/access/keys.js";
import type { Role } from "../src/schema/access/enums.js";
import { buildGateway } from "../src/server/http.js";
import { onServer, serviceRole, urlOf } from "./prepare.js";

export interface RestResponse {
  status: number;
  headers: Headers;
  body: any;
}

export interface GraphqlAnswer {
  status: number;
  data: any;
  errors?: GraphqlError[];
}

interface GraphqlError {
  message: string;
  path?: (string | number)[];
  extensions: Record<string, any>;
  /** `extensions.fieldErrors`, separate from the rest. Covered by test/execution/field-errors.test.ts. */
  fieldErrors?: { path: (string | number)[]; code: string; message: string; params?: object }[];
}

const withFieldErrorsApart = (errors: GraphqlError[]): GraphqlError[] =>
  errors.map(({ extensions: { fieldErrors, ...extensions }, ...error }) => ({ ...error, extensions, ...(fieldErrors && { fieldErrors }) }));

/** Bounded repetitions: on a response of megabytes, unbounded ones take seconds. */
const expectNoLeak = (text: string) =>
  expect(text, "no stack, SQL or path leaks").not.toMatch(
    /node_modules|\.ts:|select \*|at [^\n()]{0,200}\([^\n()]{0,400}:\d{1,6}:\d{1,6}\)/,
  );

/** A caller of one tenant with one key. */
export class Caller {
  constructor(
    readonly gateway: Gateway,
    readonly tenantId: string,
    readonly key: string,
  ) {}

  /** `body` is sent as JSON, except strings and bytes, which are sent unchanged. */
  rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<RestResponse> {
    return this.gateway.rest(method, path, body, { authorization: `Bearer ${this.key}`, ...headers });
  }

  async graphql(query: string, variables?: Record<string, unknown>): Promise<GraphqlAnswer> {
    const response = await fetch(`${this.gateway.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.key}` },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    expectNoLeak(text);
    const { errors, ...answer } = JSON.parse(text);
    return { status: response.status, ...answer, ...(errors && { errors: withFieldErrorsApart(errors) }) };
  }

  /** The data of a query that must succeed. */
  async ask(query: string, variables?: Record<string, unknown>): Promise<any> {
    const { data, errors } = await this.graphql(query, variables);
    expect(errors, JSON.stringify(errors)).toBeUndefined();
    return data;
  }

  /** A principal with all permissions in the tenant, for direct calls of the domain. */
  actor(): Actor {
    return systemActor(this.tenantId, "test");
  }

  /** Another key of the same tenant. */
  async as(role: Role, sites: string[] = [], readAll = true): Promise<Caller> {
    return new Caller(
      this.gateway,
      this.tenantId,
      await insertKey(this.gateway.database, this.tenantId, { name: role, role, sites, readAll }),
    );
  }

  async createAsset(fields: Record<string, unknown> = {}): Promise<any> {
    const { status, body } = await this.rest("POST", "/assets", { name: "Pump", type: "pump", ...fields });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }

  async createComponent(fields: Record<string, unknown> = {}): Promise<any> {
    const { status, body } = await this.rest("POST", "/components", { name: "Motor", type: "motor", ...fields });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }

  /** All rows of the tenant in the given tables, to prove that a rejection changed nothing. */
  async snapshot(...tables: string[]): Promise<Record<string, any[]>> {
    const names = tables.length ? tables : ["Asset", "Component", "AssetStatusChange"];
    const rows = names.map((table) =>
      this.gateway.database.query<any>(`select * from "${table}" where "tenantId" = $1 order by id`, [this.tenantId]),
    );
    return Object.fromEntries((await Promise.all(rows)).map((found, i) => [names[i], found]));
  }
}

type Validator = (value: unknown) => string | undefined;

interface Contract {
  method: string;
  path: RegExp;
  name: string;
  /** Validators by status. A validator returns undefined for a valid value, otherwise the problem. */
  byStatus: Map<string, Validator>;
}

/**
 * Response schemas by the text of /openapi.json, because most gateways of a worker share it. Literal paths come first, as in the router.
 */
const contracts = new Map<string, Contract[]>();

function contractsOf(text: string): Contract[] {
  const known = contracts.get(text);
  if (known) return known;
  const description = JSON.parse(text);
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema(description, "api");
  const validator = (...path: string[]): Validator => {
    const pointer = path.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    let validate: ValidateFunction | undefined;
    return (value) => {
      // Compiled on first use, because most files need few of them.
      validate ??= ajv.compile({ $ref: `api#/${pointer}` });
      return validate(value) ? undefined : ajv.errorsText(validate.errors);
    };
  };
  const found: Contract[] = [];
  for (const [path, operations] of Object.entries<any>(description.paths))
    for (const [method, { responses }] of Object.entries<any>(operations)) {
      const byStatus = new Map<string, Validator>();
      for (const [status, { $ref, content }] of Object.entries<any>(responses)) {
        const place = $ref ? $ref.slice(2).split("/") : ["paths", path, method, "responses", status];
        byStatus.set(
          status,
          $ref || content
            ? validator(...place, "content", content ? Object.keys(content)[0]! : "application/json", "schema")
            : (value) => (value === "" ? undefined : "a body that is not described"),
        );
      }
      const pattern = new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
      found.push({ method: method.toUpperCase(), path: pattern, name: `${method} ${path}`, byStatus });
    }
  found.sort((a, b) => a.name.split("{").length - b.name.split("{").length);
  contracts.set(text, found);
  return found;
}

export class Gateway {
  private contracts: Contract[] = [];

  constructor(
    readonly url: string,
    readonly app: FastifyInstance,
    readonly database: Database,
    readonly config: Config,
  ) {}

  async learnContract(): Promise<void> {
    this.contracts = contractsOf(await (await fetch(`${this.url}/openapi.json`)).text());
  }

  async rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<RestResponse> {
    const reply = await fetch(this.url + path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      body: body === undefined || typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    });
    const text = await reply.text();
    const response = {
      status: reply.status,
      headers: reply.headers,
      body: text && /json/.test(reply.headers.get("content-type") ?? "") ? JSON.parse(text) : text,
    };
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expectNoLeak(text);
    this.checkContract(method, path, response);
    return response;
  }

  private checkContract(method: string, path: string, { status, body }: RestResponse): void {
    const bare = path.split("?")[0]!;
    const contract = this.contracts.find((entry) => entry.method === method && entry.path.test(bare));
    if (!contract || status === 405) return;
    const check = contract.byStatus.get(String(status)) ?? contract.byStatus.get("default");
    const problem = check ? check(body) : "a status that is not described";
    // Built only on failure, because some responses are huge.
    if (problem) expect.fail(`${contract.name} ${status} against /openapi.json: ${problem} in ${JSON.stringify(body)?.slice(0, 500)}`);
  }

  /**
   * Resolves once readers of the log see everything written so far, which requires that all current transactions of the server have ended.
   */
  async logIsComplete(): Promise<void> {
    const [written] = await this.database.query<{ transaction: string }>("select pg_current_xact_id()::text as transaction");
    await expect
      .poll(async () => (await this.database.query<any>("select log_end() > $1::bigint as done", [written!.transaction]))[0].done, {
        timeout: 60_000,
        interval: 20,
      })
      .toBe(true);
  }

  /** Creates a tenant with an admin's key. */
  async newTenant(): Promise<Caller> {
    const tenantId = `t-${randomBytes(6).toString("hex")}`;
    await ensureTenant(this.database, tenantId);
    return new Caller(this, tenantId, await insertKey(this.database, tenantId, { name: "admin", role: "admin", sites: [], readAll: true }));
  }
}

/** True if PostgreSQL enforces tenant isolation in every gateway of the run, with a role that owns nothing. */
const isHeldByDatabase = process.env.TEST_ROW_SECURITY === "on";

/** A pooler in front of the server that knows all its databases. If set, the gateways of the run connect through it. */
const pooler = process.env.TEST_POOLER_URL;

/** The environment of a database behind the pooler, if there is one. */
function throughPooler({ DATABASE_URL, ...environment }: Record<string, string>): Record<string, string> {
  if (!pooler) return { DATABASE_URL: DATABASE_URL!, ...environment };
  const url = new URL(DATABASE_URL!);
  ({ host: url.host } = new URL(pooler));
  return { ...environment, DATABASE_URL: url.href, DATABASE_DIRECT_URL: DATABASE_URL! };
}

/** True if this file's gateways use PostgreSQL, false for the embedded database. */
export const onPostgresql = Boolean(inject("template"));

/** The environment of a fresh copy of the migrated database, and a function that removes it. */
export async function freshDatabase(
  isHeld = isHeldByDatabase,
): Promise<{ environment: Record<string, string>; remove: () => Promise<void> }> {
  const name = `${inject("run")}_${randomBytes(4).toString("hex")}`;
  const folder = join(inject("folder"), name);
  const template = inject("template");
  if (template) {
    await onServer(`create database ${name} template ${template}`);
    return {
      environment: { ...throughPooler(isHeld ? await serviceRole(name) : { DATABASE_URL: urlOf(name) }), DATA_DIR: folder },
      remove: async () => {
        await onServer(`drop database if exists ${name} with (force)`);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
  cpSync(inject("templateFolder"), folder, { recursive: true });
  // A start initializes the buffer cache, and tests use little of it.
  appendFileSync(join(folder, "postgresql/postgresql.conf"), "shared_buffers = 8MB\n");
  return { environment: { DATA_DIR: folder }, remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

async function openGateway(settings: Record<string, string>): Promise<{ gateway: Gateway; close: () => Promise<void> }> {
  const { environment, remove } = await freshDatabase(settings.ROW_SECURITY === "on" || undefined);
  // Few connections, because many gateways share the server. Tests of the scheduler start it explicitly.
  const preset = { LOG_LEVEL: "silent", PORT: "0", DATABASE_CONNECTIONS: "5", SCHEDULER: "false" };
  const config = readConfig({ ...preset, ...environment, ...settings });
  const database = await openDatabase(config, () => {});
  const app = await buildGateway({ config, database });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const gateway = new Gateway(url, app, database, config);
  await gateway.learnContract();
  const close = async () => {
    await app.close();
    await database.close();
    await remove();
  };
  return { gateway, close };
}

const closings: (() => Promise<void>)[] = [];

/** Starts a gateway that ends with the test file, even if started in a test. Settings are environment variables (docs/settings.md). */
export async function startGateway(settings: Record<string, string> = {}): Promise<Gateway> {
  const { gateway, close } = await openGateway(settings);
  closings.push(close);
  return gateway;
}

export const closeGateways = async (): Promise<void> => void (await Promise.all(closings.splice(0).map((close) => close())));

let shared: ReturnType<typeof openGateway> | undefined;

/**
 * A gateway with default settings, shared by the files of a worker. Not for files that count statements, change shared state (tables,
 * clocks), or leave background work behind.
 */
export const sharedGateway = async (): Promise<Gateway> => (await (shared ??= openGateway({}))).gateway;
