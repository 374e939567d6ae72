/**
 * deploy/nginx.conf in front of two gateways that restart one after the other under load, without a lost request. Needs PostgreSQL and
 * nginx.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { root } from "../../scripts/stale.mjs";
import { build } from "../generate.js";
import { freePort } from "../postgresql.js";
import { startClients } from "./clients.js";
import { issueKey, launch, listens, type Settings, ways } from "./service.js";
import { cleanUp, fresh } from "./stop.js";

const nginx = ["nginx", "/usr/sbin/nginx"].find((program) => spawnSync(program, ["-v"]).status === 0);
const folder = mkdtempSync(join(tmpdir(), "gateway-proxy-"));

beforeAll(build);
afterEach(cleanUp);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs nginx with the shipped file, in which only the addresses are replaced. Resolves once nginx listens. */
async function startProxy(gateways: number[]) {
  const port = await freePort();
  const shipped = readFileSync(join(root, "deploy/nginx.conf"), "utf8")
    .replace(/gateway-(\d):4000/g, (_, number) => `127.0.0.1:${gateways[number - 1]}`)
    .replace("listen 8080;", `listen 127.0.0.1:${port};`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`);
  const main = `daemon off; pid ${folder}/pid; events {} http { access_log off; ${temporary.join(" ")}\n${shipped} }`;
  writeFileSync(join(folder, "nginx.conf"), main);
  const child = spawn(nginx!, ["-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")], { stdio: "inherit" });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => listens(url)).toBe(true);
  return {
    url,
    stop: () => {
      child.kill("SIGQUIT");
      return ended;
    },
  };
}

it.runIf(nginx && process.env.TEST_DATABASE_URL)("a rolling restart loses no request", async () => {
  const settings = await fresh();
  const key = await issueKey(settings);
  const start = async (port: number) => {
    const service = launch(ways["node dist/server.js"], { ...settings, PORT: String(port) } satisfies Settings);
    await service.url();
    return service;
  };
  const ports = [await freePort(), await freePort()];
  const services = await Promise.all(ports.map(start));
  const proxy = await startProxy(ports);
  const { outcomes, ended, stop } = startClients(proxy.url, key, 20);
  try {
    for (const [i, port] of ports.entries()) {
      const before = outcomes.answered;
      await expect.poll(() => outcomes.answered - before).toBeGreaterThan(200);
      expect(await services[i]!.stop()).toBe(0);
      const without = outcomes.answered;
      await expect.poll(() => outcomes.answered - without).toBeGreaterThan(200);
      services[i] = await start(port);
    }
  } finally {
    stop();
    await ended;
    await proxy.stop();
  }
  expect(outcomes.lost).toEqual([]);
  for (const service of services) expect(await service.stop()).toBe(0);
});
