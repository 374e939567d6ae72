/**
 * The image of the Dockerfile, built by its own steps and run as an engine would run it: size, and first starts on an empty folder and on
 * PostgreSQL. Run by `npm run test:deploy`. Needs root, the npm registry and PostgreSQL.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../postgresql.js";
import { buildImage, type Image, inContainer, mayIsolate } from "./image.js";
import { killLeft, launch, listens, type Settings } from "./service.js";

const server = process.env.TEST_DATABASE_URL;
async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server! });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

describe.runIf(server && mayIsolate())("the image", () => {
  let folder: string;
  let mounts: string;
  let image: Image;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "gateway-image-"));
    mounts = join(folder, "mounts");
    chmodSync(folder, 0o755);
    mkdirSync(mounts);
    image = buildImage(folder);
  }, 600_000);
  afterEach(killLeft);
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

  const megabytes = (path: string) => Number(execFileSync("du", ["-s", "--block-size=1000", path]).toString().split("\t")[0]) / 1000;

  it("takes at most 250 MB, and has no development tools", () => {
    const app = join(image.folder, image.workdir);
    const sizes = ["node_modules", "dist"].map((name) => `${name} ${Math.round(megabytes(join(app, name)))} MB`);
    console.log(`the image without Node.js: ${sizes.join(", ")}`);
    expect(megabytes(app)).toBeLessThanOrEqual(250);
    const tools = ["prisma", "typescript", "@typescript", "@prisma/client", "esbuild", "vitest", "@biomejs", "react", "graphiql", "effect"];
    expect(tools.filter((name) => existsSync(join(app, "node_modules", name)))).toEqual([]);
    expect(readdirSync(app).sort()).toEqual(["dist", "node_modules", "package.json"]);
  });

  /** An empty /data, owned by the image's user. */
  function emptyData(): string {
    const data = mkdtempSync(join(folder, "data-"));
    const [uid, gid] = image.user.split(":").map(Number);
    chownSync(data, uid!, gid!);
    return data;
  }

  /** The first process of a container: the innermost process that the test started. */
  function firstProcess(pid: number): number {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    return child ? firstProcess(Number(child)) : pid;
  }

  async function run(settings: Settings, data = emptyData()) {
    const port = await freePort();
    const own = { PORT: String(port), LOG_LEVEL: "silent", ...settings };
    const command = (...args: string[]) => inContainer(image, args, { data, mounts, settings: own });
    const service = launch(command(...image.command), {}, "/");
    await service.url();
    const url = `http://127.0.0.1:${port}`;
    const execute = (...args: string[]) => {
      const [program, ...rest] = command(...args);
      return execFileSync(program!, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    };
    return { service, url, execute, data };
  }

  async function expectGoodStop({ service, url }: Awaited<ReturnType<typeof run>>) {
    expect(await service.stop(firstProcess(service.child.pid!))).toBe(0);
    expect(await listens(url)).toBe(false);
  }

  it("starts on an empty folder as the first process, and again on the data left there", async () => {
    const first = await run({ DEMO: "true" });
    expect(first.service.said()).toMatch(/applied \d+ database migrations/);
    await expect.poll(() => first.service.said()).toMatch(/mg_\w+/);
    const [key] = /mg_\w+/.exec(first.service.said())!;
    const ask = async (url: string) => {
      const answer = await fetch(`${url}/assets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
      return { status: answer.status, count: ((await answer.json()) as any).assets?.length };
    };
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    expect((await fetch(`${first.url}/ready`)).status).toBe(200);
    expect((await fetch(`${first.url}/explorer`)).status).toBe(200);
    expect(await (await fetch(`${first.url}/explorer`)).text()).toMatch(/\/explorer\/assets\/main-/);
    const answer = await ask(first.url);
    expect(answer.status).toBe(200);
    first.execute(...image.healthcheck);
    expect(() => first.execute("touch", "/etc/written")).toThrow(/Read-only file system/);
    expect(first.execute("id", "-u")).toBe(`${image.user.split(":")[0]}\n`);
    await expectGoodStop(first);
    expect(() => first.execute(...image.healthcheck)).toThrow();
    const second = await run({ DEMO: "true" }, first.data);
    expect(second.service.said()).not.toMatch(/applied/);
    expect(await ask(second.url)).toEqual(answer);
    await expectGoodStop(second);
  });

  it("ends as the first process while it waits for its database", async () => {
    const settings = { DATABASE_URL: "postgresql://nobody@127.0.0.1:9/nothing", DATABASE_WAIT_SECONDS: "60" };
    const [program, ...rest] = inContainer(image, image.command, { data: emptyData(), mounts, settings });
    const service = launch([program!, ...rest], {}, "/");
    await expect.poll(service.said).toMatch(/waiting up to 60 s for the database/);
    expect(await service.stop(firstProcess(service.child.pid!))).toBe(0);
  });

  it("starts on an empty PostgreSQL database, and its commands work at the same time", async () => {
    const name = `gateway_image_${randomBytes(4).toString("hex")}`;
    await onServer(`create database ${name}`);
    try {
      const url = new URL(server!);
      url.pathname = name;
      const started = await run({ DATABASE_URL: url.href });
      expect(started.service.said()).toMatch(/applied \d+ database migrations/);
      const key = started.execute("node", "dist/cli/main.js", "key", "--tenant", "plant", "--role", "admin").trim();
      const response = await fetch(`${started.url}/assets`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Pump", type: "pump" }),
      });
      expect(response.status).toBe(201);
      await expectGoodStop(started);
    } finally {
      await onServer(`drop database if exists ${name} with (force)`);
    }
  });
});
