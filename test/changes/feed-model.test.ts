/**
 * Followers of the change log compared with a model: random writes, moves between sites, transactions that commit late or roll back, and
 * changing permissions. In the end each follower has the ids and versions of all records that it may read. `FEED_RUNS=200` runs it longer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import pg from "pg";
import { expect, it } from "vitest";
import { type Caller, onPostgresql, startGateway } from "../world.js";
import { copyQuery, followedTypes, readableRecords } from "./followers.js";

const runs = Number(process.env.FEED_RUNS ?? 4);
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const sites = ["North", "South", "West"];

/** A client that keeps a copy. */
class Follower {
  private copy = new Map<string, number | null>();
  private token: string | null = null;
  refusals = 0;

  constructor(
    private caller: Caller,
    private rights: string[],
  ) {}

  /** Continues with a key of other permissions, as after a key replacement. */
  take(caller: Caller, rights: string[]): void {
    this.caller = caller;
    this.rights = rights;
  }

  /** Reads a page. Returns whether there is more. */
  async read(first: number): Promise<boolean> {
    const { data, errors } = await this.caller.graphql(copyQuery, { token: this.token, first, recordTypes: followedTypes });
    if (errors) {
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(["RESYNC_REQUIRED"]);
      this.refusals++;
      this.copy.clear();
      this.token = null;
      return true;
    }
    const { records, nextToken, hasMore } = data.changesSince;
    for (const { recordType, recordId, record } of records)
      if (record) this.copy.set(`${recordType} ${recordId}`, record.version ?? null);
      else this.copy.delete(`${recordType} ${recordId}`);
    this.token = nextToken;
    return hasMore;
  }

  async expectExact(): Promise<void> {
    while (await this.read(500));
    expect(Object.fromEntries(this.copy)).toEqual(await readableRecords(this.caller, this.rights));
  }
}

/**
 * Writers. The first commits each statement separately, the others commit on request. The embedded database has a single connection for
 * all.
 */
class Writer {
  private readonly client = onPostgresql ? new pg.Client({ connectionString: gateway.config.DATABASE_URL }) : undefined;
  private last: Promise<unknown>;
  private isOpen = false;
  deadlocks = 0;

  constructor(private readonly isLate: boolean) {
    this.last = this.client?.connect() ?? Promise.resolve();
  }

  /** Skips the statement rather than waiting for a lock. */
  async do(sql: string, values: unknown[]): Promise<void> {
    this.last = this.last.then(async () => {
      if (!this.client) return gateway.database.query(sql, values);
      try {
        if (this.isLate && !this.isOpen) await this.client.query("begin");
        this.isOpen = this.isLate;
        await this.client.query(sql, values);
      } catch (error) {
        if ((error as { code?: string }).code !== "40P01") throw error;
        this.deadlocks++;
        await this.close("rollback");
      }
    });
    this.last.catch(() => {});
    await Promise.race([this.last, sleep(15)]);
  }

  private async close(how: "commit" | "rollback"): Promise<void> {
    if (this.isOpen) await this.client!.query(how);
    this.isOpen = false;
  }

  async end(how: "commit" | "rollback"): Promise<void> {
    this.last = this.last.then(() => this.close(how));
    this.last.catch(() => {});
    await Promise.race([this.last, sleep(15)]);
  }

  async disconnect(): Promise<void> {
    void this.end("commit");
    await this.last.finally(() => this.client?.end());
  }
}

/** Statements with four parameters: `$1` is the tenant, `$2` an id, `$3` an asset, `$4` a site. */
const all = "$1::text is not null and $2::text is not null and $3::text is not null and $4::text is not null";
const of = (table: string) => `from "${table}" where "tenantId" = $1 and id = $2`;
const set = (table: string, values: string) =>
  `update "${table}" set ${values}, "updatedBy" = 'model' where "tenantId" = $1 and id = $2 and ${all}`;
const insert = (table: string, values: Record<string, string>) =>
  `insert into "${table}" ("tenantId", id, "assetId", ${Object.keys(values)
    .map((name) => `"${name}"`)
    .join(", ")}) select $1, $2, $3, ${Object.values(values).join(", ")} where ${all} on conflict do nothing`;

const statements: Record<string, { kind: string; sql: string }> = {
  move: { kind: "asset", sql: `update "Asset" set site = $4, "updatedBy" = 'model' where "tenantId" = $1 and id = $3 and ${all}` },
  renameAsset: { kind: "asset", sql: `update "Asset" set name = $4, "updatedBy" = 'model' where "tenantId" = $1 and id = $3 and ${all}` },
  addComponent: {
    kind: "component",
    sql: insert("Component", { position: "1", level: "0", path: "$2", name: "$4::text", type: "'motor'" }),
  },
  renameComponent: { kind: "component", sql: set("Component", "name = $4") },
  reassignComponent: { kind: "component", sql: set("Component", `"assetId" = $3`) },
  deleteComponent: { kind: "component", sql: set("Component", `"deletedAt" = now()`) },
  restoreComponent: { kind: "component", sql: set("Component", `"deletedAt" = null`) },
  addPhoto: {
    kind: "photo",
    sql: insert("Photo", {
      filename: "'a.png'",
      contentType: "'image/png'",
      size: "1",
      storageKey: "$2",
      grantedBy: "'model'",
      expiresAt: "now()",
      uploadedBy: "'model'",
      uploadedAt: "now()",
    }),
  },
  describePhoto: { kind: "photo", sql: `update "Photo" set description = $4 where "tenantId" = $1 and id = $2 and ${all}` },
  purgePhoto: { kind: "photo", sql: `delete ${of("Photo")} and ${all}` },
  addOrder: {
    kind: "order",
    sql: `with written as (${insert("WorkOrder", {
      origin: "'manual'",
      title: "$4::text",
      priority: "'medium'",
      scheduledDate: "now()",
      type: "'corrective'",
      createdBy: "'model'",
    })} returning id)
      insert into "WorkOrderStatusChange" ("tenantId", "workOrderId", "toStatus", "changedBy", "changedByName") select $1, id, 'scheduled', 'model', 'model' from written`,
  },
  changeOrder: {
    kind: "order",
    sql: `with written as (${set("WorkOrder", "title = $4")} returning id)
      insert into "WorkOrderStatusChange" ("tenantId", "workOrderId", "fromStatus", "toStatus", "changedBy", "changedByName") select $1, id, 'scheduled', 'scheduled', 'model', 'model' from written`,
  },
  addAlert: {
    kind: "alert",
    sql: insert("Notification", {
      companyName: "'C'",
      timestamp: "now()",
      type: "'trend'",
      severity: "'info'",
      title: "$4::text",
      message: "'m'",
      createdBy: "'model'",
    }),
  },
  changeAlert: {
    kind: "alert",
    sql: `with written as (${set("Notification", "title = $4")} returning id)
      insert into "NotificationStatusChange" ("tenantId", "notificationId", "toStatus", "changedBy", "changedByName") select $1, id, 'open', 'model', 'model' from written`,
  },
  changeStatus: {
    kind: "asset",
    sql: `update "Asset" set status = case status when 'operational' then 'offline' else 'operational' end, "updatedBy" = 'model' where "tenantId" = $1 and id = $3 and ${all}`,
  },
  addProcedure: {
    kind: "procedure",
    sql: insert("Procedure", { name: "$4::text", frequency: "'monthly'", anchor: "now()", anchorSteps: "0" }),
  },
  renameProcedure: { kind: "procedure", sql: set("Procedure", "name = $4") },
  cover: {
    kind: "procedure",
    sql: `insert into "ProcedureAsset" ("tenantId", "procedureId", "assetId", anchor, "anchorSteps") select $1, p.id, $3, now(), 0 from "Procedure" p where p."tenantId" = $1 and p.id = $2 and ${all} on conflict do nothing`,
  },
  uncover: {
    kind: "procedure",
    sql: `delete from "ProcedureAsset" where "tenantId" = $1 and "procedureId" = $2 and "assetId" = $3 and ${all}`,
  },
};

/** A quarter of the writes are moves. */
const names = Object.keys(statements).flatMap((name) => (name === "move" ? Array<string>(6).fill(name) : [name]));

const operation = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constantFrom(...names),
      writer: fc.nat(2),
      record: fc.nat(2),
      asset: fc.nat(2),
      site: fc.nat(sites.length - 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ end: fc.constantFrom("commit" as const, "commit" as const, "rollback" as const), writer: fc.nat(2) }),
  },
  { weight: 5, arbitrary: fc.record({ read: fc.nat(2), first: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ rights: fc.nat(3) }) },
);

it("each follower has what it may read, in any order of moves and commits", { timeout: 300_000 + runs * 60_000 }, async () => {
  const count = { operations: 0, moves: 0, refusals: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 60, maxLength: 120, size: "max" }), async (operations) => {
      const admin = await gateway.newTenant();
      const assets: string[] = [];
      for (const site of sites) assets.push((await admin.createAsset({ site })).id);
      const scopes = [[], ["North"], ["South"], ["North", "South"]];
      const callers = [admin, ...(await Promise.all(scopes.slice(1).map((scope) => admin.as("viewer", scope, false))))];
      const at = (scope: number) => new Follower(callers[scope]!, scopes[scope]!);
      const followers = [at(0), at(1), at(2)];
      const writers = [new Writer(false), new Writer(true), new Writer(true)];
      try {
        for (const one of operations) {
          count.operations++;
          if ("do" in one) {
            const { kind, sql } = statements[one.do]!;
            if (one.do === "move") count.moves++;
            const values = [admin.tenantId, `${admin.tenantId}-${kind}-${one.record}`, assets[one.asset], sites[one.site]];
            await writers[one.writer]!.do(sql, values);
          } else if ("end" in one) await writers[one.writer]!.end(one.end);
          else if ("read" in one) await followers[one.read]!.read(one.first);
          else followers[2]!.take(callers[one.rights]!, scopes[one.rights]!);
        }
      } finally {
        await Promise.all(writers.map((writer) => writer.disconnect()));
      }
      await gateway.logIsComplete();
      for (const follower of followers) await follower.expectExact();
      count.refusals += followers[2]!.refusals;
      expect(followers[0]!.refusals + followers[1]!.refusals).toBe(0);
    }),
    { numRuns: runs, endOnFailure: true },
  );
  expect(count.moves).toBeGreaterThan(runs * 5);
  if (process.env.FEED_FIGURES) process.stderr.write(`${JSON.stringify({ runs, ...count })}\n`);
});
