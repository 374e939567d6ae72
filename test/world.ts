/**
 * The service as a client meets it: a gateway on HTTP with a database of its own for each test file, and a fresh tenant for
 * each test. Every REST answer is checked against /openapi.json.
 */
import { randomBytes } from "node:crypto";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifyInstance } from "fastify";
import { afterAll, expect, inject } from "vitest";
import { type Config, readConfig } from "../src/config.js";
import type { Database } from "../src/database/database.js";
import { ensureTenant, insertKey } from "../src/database/directory.js";
import { openDatabase } from "../src/database/open.js";
import type { Role } from "../src/schema/vocabulary.js";
import { buildGateway } from "../src/server/http.js";
import { onServer, urlOf } from "./prepare.js";

export interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

export interface GraphqlAnswer {
  status: number;
  data: any;
  errors?: { message: string; path?: (string | number)[]; extensions: Record<string, any> }[];
}

/** A caller of one tenant with one key. */
export class Caller {
  constructor(
    readonly gateway: Gateway,
    readonly tenantId: string,
    readonly key: string,
  ) {}

  /** `body` is sent as JSON, a string or bytes as they are. */
  rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.gateway.rest(method, path, body, { authorization: `Bearer ${this.key}`, ...headers });
  }

  async graphql(query: string, variables?: Record<string, unknown>): Promise<GraphqlAnswer> {
    const response = await fetch(`${this.gateway.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.key}` },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    expect(text, "no stack, SQL or path leaks").not.toMatch(/node_modules|\.ts:|select \*|at .*\(.*:\d+:\d+\)/);
    return { status: response.status, ...JSON.parse(text) };
  }

  /** The data of a query that must succeed. */
  async ask(query: string, variables?: Record<string, unknown>): Promise<any> {
    const { data, errors } = await this.graphql(query, variables);
    expect(errors).toBeUndefined();
    return data;
  }

  /** Another key of the same tenant. */
  async as(role: Role, sites: string[] = []): Promise<Caller> {
    return new Caller(this.gateway, this.tenantId, await insertKey(this.gateway.database, this.tenantId, { name: role, role, sites }));
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

  /** Everything the tenant has in the tables named, for "nothing changed" after a refusal. */
  async snapshot(...tables: string[]): Promise<unknown> {
    const names = tables.length ? tables : ["Asset", "Component", "AssetStatusChange"];
    const rows = names.map((table) =>
      this.gateway.database.query(`select * from "${table}" where "tenantId" = $1 order by id`, [this.tenantId]),
    );
    return Object.fromEntries((await Promise.all(rows)).map((found, i) => [names[i], found]));
  }
}

export class Gateway {
  private readonly validators = new Map<string, { path: RegExp; method: string; byStatus: Map<string, (value: unknown) => boolean> }>();
  private readonly ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));

  constructor(
    readonly url: string,
    readonly app: FastifyInstance,
    readonly database: Database,
    readonly config: Config,
  ) {}

  async learnContract(): Promise<void> {
    const description = await (await fetch(`${this.url}/openapi.json`)).json();
    this.ajv.addSchema(description, "api");
    for (const [path, operations] of Object.entries<any>(description.paths)) {
      for (const [method, { responses }] of Object.entries<any>(operations)) {
        const byStatus = new Map<string, (value: unknown) => boolean>();
        for (const status of Object.keys(responses)) {
          const pointer = ["paths", path, method, "responses", status, "content", "application/json", "schema"].map((part) =>
            part.replaceAll("~", "~0").replaceAll("/", "~1"),
          );
          if (responses[status].content?.["application/json"])
            byStatus.set(
              status,
              (value) => this.ajv.validate({ $ref: `api#/${pointer.map(encodeURIComponent).join("/")}` }, value) as boolean,
            );
        }
        const pattern = new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
        this.validators.set(`${method} ${path}`, { path: pattern, method: method.toUpperCase(), byStatus });
      }
    }
  }

  async rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      body: body === undefined || typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text && /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : text,
    };
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(text, "no stack, SQL or path leaks").not.toMatch(/node_modules|\.ts:|select \*|at .*\(.*:\d+:\d+\)/);
    this.checkContract(method, path, answer);
    return answer;
  }

  /** Literal paths come before those with parameters, as in the router. */
  private checkContract(method: string, path: string, { status, body }: Answer): void {
    const bare = path.split("?")[0]!;
    const fitting = [...this.validators.entries()]
      .filter(([, entry]) => entry.method === method && entry.path.test(bare))
      .sort(([a], [b]) => a.split("{").length - b.split("{").length);
    const [name, entry] = fitting[0] ?? [];
    if (!entry || status === 405) return;
    const valid = entry.byStatus.get(String(status)) ?? entry.byStatus.get("default");
    // The message is made only on failure: some answers are huge.
    if (!valid?.(body))
      expect.fail(`${name} ${status} against /openapi.json: ${this.ajv.errorsText()} in ${JSON.stringify(body)?.slice(0, 500)}`);
  }

  /** A new tenant with an admin's key. */
  async newTenant(): Promise<Caller> {
    const tenantId = `t-${randomBytes(6).toString("hex")}`;
    await ensureTenant(this.database, tenantId);
    return new Caller(this, tenantId, await insertKey(this.database, tenantId, { name: "admin", role: "admin", sites: [] }));
  }
}

/** The environment of a fresh copy of the migrated database, and how to remove it. */
export async function freshDatabase(): Promise<{ environment: Record<string, string>; remove: () => Promise<void> }> {
  const name = `gateway_test_${process.pid}_${randomBytes(4).toString("hex")}`;
  const folder = join(inject("folder"), name);
  const template = inject("template");
  if (template) {
    await onServer(`create database ${name} template ${template}`);
    return {
      environment: { DATABASE_URL: urlOf(name), DATA_DIR: folder },
      remove: async () => {
        await onServer(`drop database if exists ${name} with (force)`);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
  cpSync(join(inject("folder"), "template"), folder, { recursive: true });
  return { environment: { DATA_DIR: folder }, remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a gateway for a test file; it ends with the file. Settings are those of the environment (README). */
export async function startGateway(settings: Record<string, string> = {}): Promise<Gateway> {
  const { environment, remove } = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", PORT: "0", ...environment, ...settings });
  const database = await openDatabase(config, () => {});
  const app = await buildGateway({ config, database });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const gateway = new Gateway(url, app, database, config);
  await gateway.learnContract();
  afterAll(async () => {
    await app.close();
    await database.close();
    await remove();
  });
  return gateway;
}
