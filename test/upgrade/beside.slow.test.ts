/**
 * The previous release and this version on the same database, with clients at both, during and after this version's migrations. Run by `npm
 * run test:upgrade`, which needs the repository's history, the npm registry and PostgreSQL. Skipped without server programs.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { readMigrations } from "../../src/database/migrations/files.js";
import { build } from "../generate.js";
import { checkedOut, command, releaseBefore, Service } from "./releases.js";
import { type Installation, newInstallation, server, thisMain } from "./server.js";
import { Traffic } from "./traffic.js";

const seconds = Number(process.env.UPGRADE_SECONDS ?? 30);
const clients = 6;

/** Assets with ten components each that the previous release has. `UPGRADE_ASSETS=10000` times the migrations of 100,000 components. */
const assets = Number(process.env.UPGRADE_ASSETS ?? 200);

/** Each second component has a serial number. */
const plant = `with asset as (
    insert into "Asset" ("tenantId", id, name, type, site)
    select 'demo', 'upgrade-' || n, 'Pump ' || n, 'pump', 'Upgrade' from generate_series(1, ${assets}) n returning "tenantId", id
  )
  insert into "Component" ("tenantId", id, "assetId", position, level, path, name, type, "serialNumber", manufacturer)
  select a."tenantId", a.id || '-' || n, a.id, n, 0, replace(a.id, 'upgrade-', 'u') || 'x' || n || '.', 'Bearing ' || n, 'bearing',
    case when n % 2 = 0 then 'SN-' || a.id || '-' || n end, 'SKF' from asset a, generate_series(0, 9) n`;

describe.skipIf(!server)("the previous release, beside this version", () => {
  let installation: Installation | undefined;
  const services: Service[] = [];

  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await installation?.remove();
  });

  test("returns no 500, on either, and loses nothing", async () => {
    await build();
    const { version, commit } = releaseBefore();
    const oldMain = join(checkedOut(commit), "dist/cli/main.js");
    installation = await newInstallation();
    const { environment } = installation;
    const settings = { ...environment, SCHEDULER: "true", SCHEDULER_SECONDS: "2", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" };
    // Applies its migrations as a service, because its pool keeps holding the lock of Prisma's engine. Its scheduler starts once the demo
    // plant is complete.
    const old = await Service.start(oldMain, { ...settings, DEMO: "true" });
    services.push(old);
    const key = command(oldMain, environment, "key", "--tenant", "demo", "--role", "admin");
    const report: string[] = [];
    const begun = Date.now();
    const say = (line: string, at = Date.now()) => report.push(`${((at - begun) / 1000).toFixed(1).padStart(6)} s  ${line}`);

    await installation.query(plant);
    await installation.query("analyze");
    const traffic = new Traffic(key);
    traffic.phase = "alone";
    say(`${version} alone, ${clients} clients`);
    traffic.begin(version, old.url, clients);
    await sleep((seconds / 6) * 1000);
    traffic.phase = "while this version starts and migrates";
    say("this version starts");
    const next = await Service.start(thisMain, settings);
    services.push(next);
    for (const { line, at } of next.said) say(`  ${line.replace(/http:\S+/, "…")}`, at);
    traffic.phase = "side by side";
    say(`side by side, ${clients} clients at each`);
    const endOfNext = traffic.begin("this version", next.url, clients);
    await sleep(seconds * 1000);
    const read = async (url: string, path: string) => {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
      return { status: response.status, body: await response.text() };
    };
    await endOfNext();
    await next.stop();
    traffic.phase = "after this version was taken back";
    say(`this version is stopped, ${version} goes on`);
    await sleep((seconds / 6) * 1000);
    await traffic.end();
    say("clients have ended");

    await old.stop();
    const oldAgain = await Service.start(oldMain, settings);
    const again = await Service.start(thisMain, settings);
    services.push(oldAgain, again);
    say("both are started again");
    const lost: string[] = [];
    for (const { path, fields } of traffic.acknowledged.values()) {
      const [before, after] = await Promise.all([read(oldAgain.url, path), read(again.url, path)]);
      const found = before.status === 200 ? JSON.parse(before.body) : {};
      const isKept = Object.entries(fields).every(([name, value]) => JSON.stringify(found[name]) === JSON.stringify(value));
      if (after.status !== 200 || after.body !== before.body || !isKept)
        lost.push(`${path}: ${before.status} ${before.body.slice(0, 300)} | ${after.status} ${after.body.slice(0, 300)}`);
    }
    say(
      `${traffic.acknowledged.size} records that were acknowledged: ${traffic.acknowledged.size - lost.length} are read by both, byte for byte`,
    );
    for (const main of [oldMain, thisMain]) say(command(main, environment, "ledger", "verify", "--tenant", "demo"));
    for (const [place, figures] of traffic.figures) say(`${place}: ${figures.line}`);
    const text = `${report.join("\n")}\n`;
    console.log(text);
    if (process.env.UPGRADE_LOG) writeFileSync(process.env.UPGRADE_LOG, text);

    expect(services.flatMap(({ failures }) => failures)).toEqual([]);
    expect(traffic.faults).toEqual([]);
    expect(lost).toEqual([]);
    expect(
      [...traffic.figures]
        .flatMap(([place, { statuses }]) => Object.keys(statuses).map((status) => `${place}: ${status}`))
        .filter((line) => /: (5(?!03)|unanswered)|INTERNAL/.test(line)),
    ).toEqual([]);
    expect(traffic.acknowledged.size).toBeGreaterThan(20);
    const [{ units }] = await installation.query(`select count(*)::int as units from "Unit" where "serialNumber" like 'SN-upgrade-%'`);
    expect(units).toBe(5 * assets);
    const [{ count }] = await installation.query(`select count(*)::int as count from _prisma_migrations where finished_at is not null`);
    expect(count).toBe(readMigrations().length);
    const added = readMigrations().length - readMigrations(join(checkedOut(commit), "prisma/migrations")).length;
    if (added > 0) expect(report.join("\n")).toMatch(new RegExp(`applied ${added} database migrations?`));
  }, 1_200_000);
});
