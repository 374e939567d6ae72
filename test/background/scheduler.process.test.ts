/** The scheduler: a simulated year in processes that are killed and restarted, and running inside a gateway. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { buildGateway } from "../../src/server/http.js";
import { build } from "../generate.js";
import { Caller, freshDatabase, Gateway, startGateway } from "../world.js";

const dayMs = 86_400_000;

/** A scheduling rule. The test computes expected dates with the platform's date functions, not the service's. */
interface Rule {
  frequency: string;
  customIntervalDays?: number;
  /** At 8:00 local time. */
  anchor: [month: number, day: number];
  preferredDay?: number;
  avoidWeekends?: boolean;
  leadTime?: number;
}

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** 8:00 in a time zone, on the calendar date that `date` has in UTC. */
function atEight(date: Date, timeZone: string): Date {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" });
  const day = new Intl.DateTimeFormat("en-CA", { timeZone });
  for (let hour = -14; hour <= 14; hour++) {
    const at = new Date(date.getTime() + (8 + hour) * 3_600_000);
    if (format.format(at) === "08" && day.format(at) === date.toISOString().slice(0, 10)) return at;
  }
  throw new Error(`no 8 o'clock on ${date.toISOString()} in ${timeZone}`);
}

function expectedDates(
  { frequency, customIntervalDays, anchor, preferredDay, avoidWeekends, leadTime = 0 }: Rule,
  zone: string,
  end: Date,
) {
  const days = { daily: 1, weekly: 7, "bi-weekly": 14, custom: customIntervalDays }[frequency];
  const months = { monthly: 1, quarterly: 3, "semi-annual": 6, annual: 12 }[frequency];
  const found = new Set<string>();
  for (let n = 0; ; n++) {
    const [month, day] = anchor;
    const date = new Date(Date.UTC(2031, month - 1, day + (days ?? 0) * n));
    if (months) {
      const lastDay = new Date(Date.UTC(2031, month + months * n, 0)).getUTCDate();
      date.setTime(Date.UTC(2031, month - 1 + months * n, Math.min(day, lastDay)));
    }
    while (preferredDay !== undefined && date.getUTCDay() !== preferredDay) date.setUTCDate(date.getUTCDate() + 1);
    while (avoidWeekends && date.getUTCDay() % 6 === 0) date.setUTCDate(date.getUTCDate() + 1);
    const at = atEight(date, zone);
    if (at.getTime() - leadTime * dayMs > end.getTime()) return [...found];
    found.add(at.toISOString());
  }
}

/** A few frequent rules, with the daily ones across a daylight saving change, and many rare ones: several hundred work orders in all. */
const rules: Rule[] = [
  { frequency: "daily", anchor: [10, 1] },
  { frequency: "daily", anchor: [9, 15], avoidWeekends: true },
  { frequency: "daily", anchor: [1, 1], preferredDay: 3 },
  { frequency: "weekly", anchor: [1, 4], avoidWeekends: true },
  { frequency: "weekly", anchor: [1, 7], leadTime: 2 },
  { frequency: "bi-weekly", anchor: [1, 3] },
  { frequency: "bi-weekly", anchor: [1, 3], avoidWeekends: true },
  { frequency: "custom", customIntervalDays: 10, anchor: [1, 1], avoidWeekends: true },
  ...[31, 30, 29, 28, 1, 15].map((day): Rule => ({ frequency: "monthly", anchor: [1, day], avoidWeekends: day % 2 === 0 })),
];
const rare = ["quarterly", "semi-annual", "annual", "annual"];
for (let i = rules.length; i < 200; i++)
  rules.push({
    frequency: rare[i % 4]!,
    anchor: [1 + (i % 11), 1 + ((i * 7) % 31)],
    ...(i % 3 === 0 && { avoidWeekends: true }),
    ...(i % 5 === 0 && { preferredDay: i % 7 }),
    ...(i % 7 === 0 && { leadTime: i % 10 }),
  });
// A day that the month does not have becomes its last day.
for (const rule of rules) rule.anchor[1] = Math.min(rule.anchor[1], new Date(Date.UTC(2031, rule.anchor[0], 0)).getUTCDate());

const zones = { North: "Europe/Copenhagen", South: "America/New_York" };
const siteOf = (index: number) => (index % 2 ? "South" : "North");

type Task = "create" | "work" | "stop";

/** A scheduler process that can be killed and restarted. A task returns the number of records it handled. */
class Server {
  private child!: ChildProcess;

  constructor(private readonly environment: Record<string, string>) {}

  async start(): Promise<void> {
    this.child = fork(fileURLToPath(new URL("./scheduler-process.mjs", import.meta.url)), {
      env: { PATH: process.env.PATH, ...this.environment },
    });
    await this.result();
  }

  private async result(): Promise<number> {
    const [message] = await once(this.child, "message", { signal: AbortSignal.timeout(300_000) });
    expect(message.error).toBeUndefined();
    return message.count;
  }

  run(task: Task, now: Date): Promise<number> {
    this.child.send({ task, now: now.toISOString() });
    return this.result();
  }

  /** Kills the process in the middle of a task and restarts it. */
  async runAndKill(task: Task, now: Date, afterMs: number): Promise<void> {
    this.child.send({ task, now: now.toISOString() });
    await sleep(afterMs);
    await this.kill();
    await this.start();
  }

  async stop(): Promise<void> {
    const exit = once(this.child, "exit");
    this.child.send({ task: "stop", now: new Date(0).toISOString() });
    await exit;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }
}

test("200 procedures over a year, half of one on the embedded database: every occurrence is created exactly once, although processes are killed; two processes on PostgreSQL", async () => {
  build();
  const { environment, remove } = await freshDatabase();
  onTestFinished(remove);
  const config = readConfig({ LOG_LEVEL: "silent", PORT: "0", ...environment });
  /** Only one process can open the embedded database, so no gateway runs while the scheduler processes do. */
  async function inGateway<T>(work: (gateway: Gateway) => Promise<T>): Promise<T> {
    const database = await openDatabase(config, () => {});
    const app = await buildGateway({ config, database });
    try {
      return await work(new Gateway(await app.listen({ host: "127.0.0.1", port: 0 }), app, database, config));
    } finally {
      await app.close();
      await database.close();
    }
  }

  const stocked = 5000;
  const { tenantId, key, partIds } = await inGateway(async (gateway) => {
    const tenant = await gateway.newTenant();
    const assets: Record<string, string> = {};
    const partIds: string[] = [];
    for (const [site, timeZone] of Object.entries(zones)) {
      assets[site] = (await tenant.createAsset({ name: site, site })).id;
      await tenant.ask(`mutation { setSiteTimeZone(site: "${site}", timeZone: "${timeZone}") { name } }`);
      const { body } = await tenant.rest("POST", "/parts", { partNumber: site, name: site, site, stockLevel: stocked });
      partIds.push(body.partId);
    }
    for (const [i, { frequency, customIntervalDays, anchor, preferredDay, avoidWeekends, leadTime }] of rules.entries()) {
      const { status, body } = await tenant.rest("POST", "/pms", {
        name: `P${i}`,
        assetId: assets[siteOf(i)],
        frequency,
        customIntervalDays,
        missedPolicy: "catch_up",
        anchor: atEight(new Date(Date.UTC(2031, anchor[0] - 1, anchor[1])), zones[siteOf(i)]).toISOString(),
        schedulingRules: { preferredDay: preferredDay === undefined ? null : weekdays[preferredDay], avoidWeekends, leadTime },
        // Both orders of the parts, so that opposite lock orders would deadlock.
        parts: (i % 3 ? partIds : [...partIds].reverse()).slice(0, i % 2 ? 2 : 1).map((partId) => ({ partId, quantity: 1 })),
      });
      expect(status, JSON.stringify(body)).toBe(201);
    }
    return { tenantId: tenant.tenantId, key: tenant.key, partIds };
  });

  const servers = Array.from({ length: environment.DATABASE_URL ? 2 : 1 }, () => new Server(environment));
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
  await Promise.all(servers.map((server) => server.start()));
  // The embedded database takes seconds to start.
  const killEvery = servers.length > 1 ? 60 : 120;
  const [begin, end] = [Date.UTC(2030, 11, 28), new Date(Date.UTC(2031, servers.length > 1 ? 12 : 6, 0, 23))];
  for (let step = 0; begin + step * dayMs <= end.getTime(); step++) {
    // 23:00 UTC is after 8:00 in Copenhagen and in New York.
    const now = new Date(begin + step * dayMs + 23 * 3_600_000);
    const [one, ...others] = step % 2 ? servers : [...servers].reverse();
    if (step % killEvery === 30) {
      const task = step % (2 * killEvery) === 30 ? "create" : "work";
      if (task === "work") await one!.run("create", now);
      await Promise.all([one!.runAndKill(task, now, (step * 7) % 40), ...others.map((server) => server.run(task, now))]);
    } else {
      await Promise.all(servers.map((server) => server.run("create", now)));
      // Work orders are processed while the other processes keep scheduling.
      await Promise.all([one!.run("work", now), ...others.map((server) => server.run(step % 10 ? "create" : "work", now))]);
    }
  }
  // Catches up on what killed processes left undone.
  for (let done = 1; done > 0; ) {
    done = (await Promise.all(servers.map((server) => server.run("create", end)))).reduce((sum, count) => sum + count);
    done += await servers[0]!.run("work", end);
  }
  await Promise.all(servers.map((server) => server.stop()));

  await inGateway(async (gateway) => {
    const orders = await gateway.database.query<{ name: string; status: string; occurrence: number; scheduledDate: Date }>(
      `select p.name, w.status, w.occurrence, w."scheduledDate" from "WorkOrder" w join "Procedure" p on p."tenantId" = w."tenantId" and p.id = w."procedureId"
       where w."tenantId" = $1 order by p.name, w."scheduledDate"`,
      [tenantId],
    );
    const used = [0, 0];
    for (const [i, rule] of rules.entries()) {
      const zone = zones[siteOf(i)];
      const own = orders.filter(({ name }) => name === `P${i}`);
      const dates = expectedDates(rule, zone, end);
      expect(
        own.map(({ scheduledDate }) => scheduledDate.toISOString()),
        JSON.stringify(rule),
      ).toEqual(dates);
      expect(own.map(({ occurrence, status }) => [occurrence, status])).toEqual(
        dates.map((_, n) => [n + 1, (n + 1) % 7 === 3 ? "cancelled" : "completed"]),
      );
      const weekday = new Intl.DateTimeFormat("en-GB", { timeZone: zone, weekday: "short" });
      if (rule.avoidWeekends) for (const { scheduledDate } of own) expect(weekday.format(scheduledDate)).not.toMatch(/^S/);
      const completed = own.filter(({ status }) => status === "completed").length;
      for (const at of i % 2 ? [0, 1] : [i % 3 ? 0 : 1]) used[at]! += completed;
    }
    expect(orders.length).toBeGreaterThan(servers.length > 1 ? 700 : 250);
    const { verifyLedger } = await new Caller(gateway, tenantId, key).ask(`{ verifyLedger { balanced faults { problem } } }`);
    expect(verifyLedger).toEqual({ balanced: true, faults: [] });
    const levels = await gateway.database.query<{ quantity: string; reserved: string }>(
      `select quantity, reserved from "StockLevel" where "tenantId" = $1 order by array_position($2::text[], "partId")`,
      [tenantId, partIds],
    );
    expect(levels.map(({ quantity, reserved }) => [Number(quantity), Number(reserved)])).toEqual(used.map((count) => [stocked - count, 0]));
  });
});

describe("scheduler in a gateway", () => {
  const from = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

  test("creates each due work order once, and none for inactive procedures or assets", async () => {
    const gateway = await startGateway({ SCHEDULER: "true", SCHEDULER_SECONDS: "1" });
    const tenant = await gateway.newTenant();
    const { body: part } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", stockLevel: 5 });
    const asset = await tenant.createAsset();
    const [scrapped, deleted] = [await tenant.createAsset({ status: "decommissioned" }), await tenant.createAsset()];
    const make = async (name: string, fields: object) => {
      const sent = { name, assetId: asset.id, frequency: "weekly", ...fields };
      const { status, body } = await tenant.rest("POST", "/pms", sent);
      expect(status, JSON.stringify(body)).toBe(201);
      return body;
    };
    const overdue = from(-1);
    const idle = await make("inactive", { status: "inactive", anchor: overdue });
    await make("draft", { status: "draft", anchor: overdue });
    await make("archived", { status: "archived", anchor: overdue });
    await make("decommissioned", { assetId: scrapped.id, anchor: overdue });
    await make("to come", { anchor: from(2) });
    await make("lead time to come", { anchor: from(2), schedulingRules: { leadTime: 1.5 } });
    await make("never", { frequency: "custom" });
    const gone = await make("asset deleted", { assetId: deleted.id, anchor: from(1) });
    await tenant.rest("DELETE", `/assets/${deleted.id}`);
    expect(
      (await tenant.ask(`mutation { updateProcedure(id: "${gone.id}", input: { anchor: "${overdue}" }) { id } }`)).updateProcedure.id,
    ).toBe(gone.id);
    const removed = await make("deleted", { anchor: from(1) });
    await tenant.ask(
      `mutation { updateProcedure(id: "${removed.id}", input: { anchor: "${overdue}" }) { id } deleteProcedure(id: "${removed.id}") { id } }`,
    );
    const due = await make("due", { anchor: overdue, parts: [{ partId: part.partId, quantity: 2 }], priority: "high" });
    const early = from(2);
    await make("lead time", { anchor: early, schedulingRules: { leadTime: 2.5 } });
    await make("before 1970", { frequency: "annual", anchor: "1969-06-01T00:00:00Z" });

    const titles = async (caller: Caller = tenant) =>
      (await caller.ask(`{ workOrders(orderBy: { field: SCHEDULED_DATE }) { nodes { title } } }`)).workOrders.nodes.map(
        ({ title }: any) => title,
      );
    const waitFor = (expected: string[]) =>
      vi.waitFor(async () => expect(await titles()).toEqual(expected), { timeout: 60_000, interval: 200 });
    await waitFor(["before 1970", "due", "lead time"]);
    // Another due procedure proves that the scheduler ran again without creating duplicates.
    await make("another", { anchor: from(-0.5) });
    await waitFor(["before 1970", "due", "another", "lead time"]);

    const { procedure } = await tenant.ask(
      `query ($id: ID!) { procedure(id: $id) { workOrders { nodes { id origin occurrence status priority scheduledDate createdBy
        requiredParts { partId quantity status } statusHistory { fromStatus toStatus changedBy changedByName } } } } }`,
      { id: due.id },
    );
    expect(procedure.workOrders.nodes).toEqual([
      {
        id: expect.any(String),
        origin: "SCHEDULER",
        occurrence: 1,
        status: "SCHEDULED",
        priority: "HIGH",
        scheduledDate: overdue,
        createdBy: "scheduler",
        requiredParts: [{ partId: part.partId, quantity: 2, status: "RESERVED" }],
        statusHistory: [{ fromStatus: null, toStatus: "SCHEDULED", changedBy: "scheduler", changedByName: "scheduler" }],
      },
    ]);

    // Cancelling a work order of the scheduler skips its occurrence.
    await tenant.ask(`mutation { cancelWorkOrder(id: "${procedure.workOrders.nodes[0].id}") { id } }`);
    const { body: next } = await tenant.rest("GET", `/pms/${due.id}`);
    expect(next.nextDue).toBe(new Date(new Date(overdue).getTime() + 7 * dayMs).toISOString());
    // An activated procedure is due immediately.
    await tenant.rest("PUT", `/pms/${idle.id}`, { status: "active" });
    await vi.waitFor(async () => expect(await titles()).toContain("inactive"), { timeout: 60_000, interval: 200 });
    expect((await titles()).sort()).toEqual(["another", "before 1970", "due", "inactive", "lead time"]);
    expect((await tenant.ask("{ verifyLedger { balanced } }")).verifyLedger.balanced).toBe(true);
  });

  test("creates nothing if it is disabled", async () => {
    const gateway = await startGateway({ SCHEDULER: "false", SCHEDULER_SECONDS: "1" });
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    expect((await tenant.rest("POST", "/pms", { name: "x", assetId, frequency: "daily", anchor: from(-1) })).status).toBe(201);
    await sleep(2_500);
    expect((await tenant.ask("{ workOrders { totalCount } }")).workOrders.totalCount).toBe(0);
  });
});
