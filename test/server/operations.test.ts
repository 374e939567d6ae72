/**
 * Start-up and responses of the service inside this process: start-up errors, health, request ids. operations.process.test.ts covers
 * processes.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { expectOneClearLine, runHere as run, type Settings } from "../cli/run-command.js";
import { freshDatabase, sharedGateway } from "../world.js";

const gateway = await sharedGateway();
const root = fileURLToPath(new URL("../..", import.meta.url));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function fresh(): Promise<Settings> {
  const { environment, remove } = await freshDatabase();
  cleanups.push(remove);
  return environment;
}

it("each response has a request id: the caller's if it is valid", async () => {
  const { key } = await gateway.newTenant();
  const authorization = { authorization: `Bearer ${key}` };
  const ids = new Set<string>();
  const paths = [
    "/health",
    "/ready",
    "/openapi.json",
    "/explorer",
    "/graphql",
    "/graphql?query={viewer{role}}",
    "/assets",
    "/assets/x",
    "/assets/%zz",
    "/nope",
    "/components?limit=x",
  ];
  for (const path of paths) {
    for (const headers of [{}, authorization]) {
      const response = await fetch(gateway.url + path, { headers });
      await response.text();
      ids.add(response.headers.get("x-request-id")!);
      const echoed = await fetch(gateway.url + path, { headers: { ...headers, "x-request-id": "Trace-1.a_b" } });
      await echoed.text();
      expect(echoed.headers.get("x-request-id"), path).toBe("Trace-1.a_b");
    }
  }
  expect(ids.size).toBe(paths.length * 2);
  expect(ids).not.toContain(null);
  for (const wrong of ["a b", "x".repeat(65), "a;b", "\xff"]) {
    const { headers, body } = await fetch(`${gateway.url}/assets/x`, { headers: { ...authorization, "x-request-id": wrong } }).then(
      async (response) => ({ headers: response.headers, body: (await response.json()) as any }),
    );
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.requestId).toBe(headers.get("x-request-id"));
  }
});

describe("an error at startup is one clear line", () => {
  it.each<[string, Settings, RegExp[]]>([
    ["a port that is not a number", { PORT: "http" }, [/PORT/]],
    ["a port out of range", { PORT: "70000" }, [/PORT/, /65535/]],
    ["an unsupported database", { DATABASE_URL: "mysql://localhost/x" }, [/DATABASE_URL/, /postgresql:\/\//]],
    ["an unknown log level", { LOG_LEVEL: "loud" }, [/LOG_LEVEL/]],
    ["an invalid limit", { MAX_QUERY_DEPTH: "-1" }, [/MAX_QUERY_DEPTH/]],
    ["an origin with a path", { CORS_ORIGINS: "https://a.example/app" }, [/CORS_ORIGINS/, /https:\/\/app\.example\.com/]],
    ["trusted documents only, and none", { TRUSTED_DOCUMENTS_ONLY: "true" }, [/TRUSTED_DOCUMENTS_ONLY/, /TRUSTED_DOCUMENTS beside it/]],
    ["several invalid settings", { PORT: "x", DEMO: "yes", MAX_BODY_BYTES: "1.5" }, [/PORT/, /DEMO/, /MAX_BODY_BYTES/]],
  ])("%s", async (_, settings, words) => {
    expectOneClearLine(await run(["serve"], { DATA_DIR: "/nonexistent", ...settings }), /wrong configuration/, ...words);
  });

  it.each<[string, string | undefined, RegExp[]]>([
    ["that is missing", undefined, [/cannot be read/]],
    ["that is no object of texts", '{"a":1}', [/object from ids to documents/]],
    ["with an unknown field", '{"a":"{viewer{role}}","b":"{\\n nothing }"}', [/document b\b/, /Cannot query field "nothing"/]],
    ["without an operation", '{"a":"fragment A on Viewer { role }"}', [/document a\b/, /A" is never used/]],
  ])("a file of trusted documents %s", async (_, text, words) => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-trusted-"));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "documents.json");
    if (text !== undefined) writeFileSync(path, text);
    expectOneClearLine(
      await run(["serve"], { ...(await fresh()), TRUSTED_DOCUMENTS: path }),
      /TRUSTED_DOCUMENTS/,
      new RegExp(path),
      ...words,
    );
  });

  it("a port in use", async () => {
    const occupied = createServer().listen(0, "127.0.0.1");
    await once(occupied, "listening");
    cleanups.push(() => occupied.close());
    const { port } = occupied.address() as AddressInfo;
    expectOneClearLine(await run(["serve"], { ...(await fresh()), PORT: String(port) }), new RegExp(`${port}`), /in use/, /PORT/);
  });

  it("a host that is not a local address", async () => {
    expectOneClearLine(await run(["serve"], { ...(await fresh()), HOST: "192.0.2.1" }), /192\.0\.2\.1/, /HOST/);
  });

  it("a database that is not reachable", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    for (const args of [["serve"], ["key", "--tenant", "x", "--role", "viewer"]]) {
      const { code, out, err } = await run(args, {
        DATABASE_URL: `postgresql://postgres@127.0.0.1:${port}/x`,
        DATABASE_WAIT_SECONDS: "1",
      });
      expect([code, out]).toEqual([1, ""]);
      const [waiting, gaveUp, ...more] = err.split("\n").filter((line) => line && !/ INFO {2}starting /.test(line));
      expect(waiting).toMatch(/waiting up to 1 s for the database: .*ECONNREFUSED/);
      expect(gaveUp).toMatch(
        /^(?:\S+Z ERROR )?maintenance: the database does not answer \(.*ECONNREFUSED.*\); timed out after 1 s\. Check DATABASE_URL$/,
      );
      expect(more).toEqual([]);
    }
  });

  it("an impossible data folder", async () => {
    expectOneClearLine(await run(["serve"], { DATA_DIR: join(root, "package.json/data") }), /package\.json\/data/);
  });

  it("an invalid tenant, role or command", async () => {
    const settings = await fresh();
    expectOneClearLine(await run(["key", "--tenant", "../x", "--role", "viewer"], settings), /tenant's name/);
    for (const args of [["key", "--tenant", "x", "--role", "king"], ["key", "--tenant", "x"], ["nope"]]) {
      const { code, out, err } = await run(args, settings);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toMatch(/^maintenance: .*; see: maintenance( key)? --help\n$/);
    }
  });
});
