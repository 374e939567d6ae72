/**
 * Creation and removal of tenants: exported and imported unchanged, suspended, and deleted completely. The service has no other access to
 * these operations.
 */

import { randomBytes } from "node:crypto";
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { readArchive } from "../../src/archive/archive.js";
import { createDueWorkOrders } from "../../src/background/scheduler.js";
import { exportToFile } from "../../src/cli/tenant.js";
import { forTenant } from "../../src/database/database.js";
import { ensureTenant, insertKey } from "../../src/database/records/directory.js";
import { limitedTables, limitedTo } from "../../src/database/records/site-view.js";
import { tenantTables } from "../../src/database/rows/tenant-rows.js";
import { claimDeliveries } from "../../src/domain/alerts/deliveries.js";
import { queueEvents } from "../../src/domain/alerts/webhook-events.js";
import { deleteTenants } from "../../src/domain/tenants/deletion.js";
import { exportedRows, fileColumns, leftOut } from "../../src/domain/tenants/format.js";
import { type ImportOptions, importTenants } from "../../src/domain/tenants/import.js";
import { changeState, countRecords, listTenants } from "../../src/domain/tenants/states.js";
import { openStorage } from "../../src/storage/open.js";
import { askOwner } from "../owner.js";
import { Caller, type Gateway, startGateway } from "../world.js";
import { answersOf, fillPlant, rowsOf } from "./plant.js";

const quiet = { WEBHOOK_POLL_MS: "3600000", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0", MAX_QUERY_COST: "1000000" };
const here = await startGateway(quiet);
const there = await startGateway({ ...quiet, SECRETS_KEY: randomBytes(32).toString("base64") });

const storageOf = (gateway: Gateway) => openStorage(gateway.config);
const take = async (gateway: Gateway, file: string, options?: ImportOptions) =>
  importTenants(gateway.database, await storageOf(gateway), readArchive(createReadStream(file)), options);
const fileOf = (name: string) => join(here.config.DATA_DIR, `${name}.tar.gz`);

async function exported(caller: Caller): Promise<string> {
  const file = fileOf(`${caller.tenantId}-${randomBytes(3).toString("hex")}`);
  await exportToFile(here.database, await storageOf(here), file, [caller.tenantId]);
  return file;
}

/** Runs the job until nothing remains. */
const untilGone = (gateway: Gateway, tenantId: string) =>
  expect.poll(async () => deleteTenants(gateway.database, await storageOf(gateway), { tenantId, graceSeconds: 0 })).toContain(tenantId);

/** The ids that a synchronizing client reads, and its next token. */
async function synced(caller: Caller, from?: string): Promise<{ records: string[]; token: string }> {
  const records = new Set<string>();
  for (let token = from; ; ) {
    const { changesSince } = await caller.ask(
      `query ($token: String) { changesSince(token: $token, first: 500, recordTypes: [ASSET, PART, WORK_ORDER]) { nextToken hasMore records { recordId } } }`,
      { token },
    );
    for (const { recordId } of changesSince.records) records.add(recordId);
    token = changesSince.nextToken;
    if (!changesSince.hasMore) return { records: [...records].sort(), token: token! };
  }
}

/** A copy of the plant under another name, with its own key. */
async function copyOf(name: string): Promise<Caller> {
  const tenantId = `${name}-${randomBytes(4).toString("hex")}`;
  expect((await take(here, archive, { as: tenantId })).takenKeys).toBe(rows.ApiKey!.length);
  return new Caller(here, tenantId, await insertKey(here.database, tenantId, { name: "admin", role: "admin", sites: [], readAll: true }));
}

let plant: Caller;
let answers: Record<string, string>;
let rows: Record<string, any[]>;
let archive: string;
/** Id of a tenant that has a key and little else. */
let small: string;
beforeAll(async () => {
  plant = await here.newTenant();
  await fillPlant(plant, 0.02);
  answers = await answersOf(plant);
  rows = await rowsOf(plant);
  archive = await exported(plant);
  small = await exported(await here.newTenant());
});

test("an archive has every row of every table, with named exceptions", async () => {
  const counts: Record<string, number> = {};
  for await (const { name, content } of readArchive(createReadStream(archive))) {
    let text = "";
    for await (const chunk of content) text += chunk;
    const [, table] = /rows\/(\w+)\//.exec(name) ?? [];
    if (table) counts[table] = (counts[table] ?? 0) + text.trim().split("\n").length;
    if (name === "archive.json") expect(JSON.parse(text)).toMatchObject({ version: 1, tenants: [plant.tenantId], leftOut });
  }
  const left = Object.keys(leftOut);
  for (const { name } of await tenantTables(here.database)) {
    if (left.includes(name)) expect(counts).not.toHaveProperty(name);
    else expect([name, counts[name]]).toEqual([name, rows[name]!.length]);
  }
  expect(Object.keys(exportedRows)).toEqual(["Photo", "Attachment"]);
  expect(statSync(archive).mode & 0o777).toBe(0o600);
});

describe("in another installation", () => {
  beforeAll(() => take(there, archive));

  test("it is unchanged: rows, ids, versions, log and ledgers, and so are responses", async () => {
    const copy = new Caller(there, plant.tenantId, plant.key);
    const now = await answersOf(copy);
    for (const [asked, told] of Object.entries(answers)) {
      expect([asked, now[asked]]).toEqual([asked, told]);
      expect(told).not.toMatch(/"errors"/);
    }
    // Secrets are encrypted with another key, and positions refer to another log.
    const own = ({ logTransaction: _, movedAt: __, secret: ___, previousSecret: ____, ...row }: any) => row;
    const after = await rowsOf(copy);
    for (const [table, before] of Object.entries(rows)) {
      if (table in leftOut || table === "WebhookCursor") continue;
      // The key was used meanwhile, and the change log contains the export.
      const known = ({ lastUsedAt: _, ...row }: any) => row;
      expect([table, after[table]!.map(own).map(known)]).toEqual([table, before.map(own).map(known)]);
    }
    const [{ secret }] = rows.Webhook!;
    expect(after.Webhook![0].secret).toMatch(/^enc:1:/);
    const place = [plant.tenantId, "Webhook", after.Webhook![0].id] as const;
    expect(there.database.secrets.open(after.Webhook![0].secret, place)).toBe(here.database.secrets.open(secret, place));
    const { assets } = await copy.ask("{ assets { nodes { photos { url thumbnailUrl } } } }");
    const [photo] = assets.nodes.flatMap((asset: any) => asset.photos);
    for (const link of [photo.url, photo.thumbnailUrl]) expect((await fetch(link)).status).toBe(200);
  });

  test("it continues: numbers follow, the log grows behind the imported entries, older tokens are rejected", async () => {
    const copy = new Caller(there, plant.tenantId, plant.key);
    const { token } = await synced(plant);
    const refused = await copy.graphql(`{ changesSince(token: "${token}") { nextToken } }`);
    expect(refused.errors![0]!.extensions.code).toBe("RESYNC_REQUIRED");
    const read = await synced(copy);
    expect(read.records).toEqual((await synced(plant)).records);
    const asset = await copy.createAsset({ name: "New" });
    await copy.ask(`mutation ($a: ID!) { recordReadings(readings: [{ assetId: $a, parameter: "heat", value: 1 }]) { recorded } }`, {
      a: asset.id,
    });
    await there.logIsComplete();
    expect((await synced(copy, read.token)).records).toEqual([asset.id]);
    // The webhook receives new events only, not the earlier ones again.
    expect((await queueEvents(there.database, [plant.tenantId])).deliveries).toBe(1);
  });

  test("a name in use is rejected, and so is a restore beside tenants; under another name it is complete", async () => {
    await expect(take(there, archive)).rejects.toThrow(`there is a tenant of this name already: ${plant.tenantId}`);
    await expect(take(there, archive, { isRestore: true })).rejects.toThrow("this installation has tenants already");
    await take(here, archive, { as: "Copy of it", isSuspended: true });
    expect((await listTenants(here.database)).find(({ tenantId }) => tenantId === "Copy of it")).toMatchObject({ state: "suspended" });
    const copied = await rowsOf({ gateway: here, tenantId: "Copy of it" });
    expect(copied.Asset!.length).toBe(rows.Asset!.length);
    for (const photo of copied.Photo!)
      for (const column of fileColumns.Photo!)
        expect(existsSync(join(here.config.DATA_DIR, "files", ...photo[column].split("/").map(encodeURIComponent)))).toBe(true);
    expect(JSON.stringify(copied.Photo)).not.toContain(plant.tenantId);
  });

  test.each([
    ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length - 200), /not a whole archive|Unexpected end/i],
    ["changed", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 1_000), Buffer.from([bytes[1_000]! ^ 1]), bytes.subarray(1_001)]), /./],
    ["no archive", () => Buffer.from("nothing"), /not a whole archive/],
  ])("an archive that is %s leaves nothing", async (_, spoil, message) => {
    const file = fileOf(`spoiled-${randomBytes(3).toString("hex")}`);
    writeFileSync(file, spoil(readFileSync(small)));
    await expect(take(here, file, { as: "Spoiled" })).rejects.toThrow(message);
    await expect.poll(async () => (await listTenants(here.database)).map(({ tenantId }) => tenantId)).not.toContain("Spoiled");
    expect(readdirSync(join(here.config.DATA_DIR, "files", "photos"))).not.toContain("Spoiled");
  });
});

test("an entry that is larger than a text may be is rejected while it is read, and leaves nothing", async () => {
  let read = 0;
  const mebibyte = Buffer.alloc(1024 * 1024, " ");
  const tooLarge = async function* () {
    for (; read < 400; read++) yield mebibyte;
  };
  const entries = async function* () {
    for await (const { name, content } of readArchive(createReadStream(small)))
      if (name.includes("/rows/")) {
        for await (const _ of content);
        yield { name, content: tooLarge() };
      } else yield { name, content };
  };
  await expect(importTenants(here.database, await storageOf(here), entries(), { as: "Large" })).rejects.toThrow(
    /^the archive has an entry of more than 64 MB: tenants\/1\/rows\//,
  );
  expect(read).toBe(64);
  await expect.poll(async () => (await listTenants(here.database)).map(({ tenantId }) => tenantId)).not.toContain("Large");
});

test("an archive from before downtimes existed gets them from the status log", async () => {
  const kept = async function* () {
    for await (const { name, content } of readArchive(createReadStream(archive))) {
      if (name.includes("/rows/Downtime/")) for await (const _ of content);
      else if (name !== "archive.json") yield { name, content };
      else {
        const chunks: Buffer[] = [];
        for await (const chunk of content) chunks.push(chunk);
        const { tables, ...head } = JSON.parse(Buffer.concat(chunks).toString());
        delete tables.Downtime;
        yield { name, content: Readable.from([Buffer.from(JSON.stringify({ ...head, tables }))]) };
      }
    }
  };
  const tenantId = `Older-${randomBytes(4).toString("hex")}`;
  await importTenants(here.database, await storageOf(here), kept(), { as: tenantId });
  const made = (await new Caller(here, tenantId, "").snapshot("Downtime")).Downtime!;
  const facts = ({ assetId, startedAt, endedAt, cause, planned }: any) =>
    JSON.stringify([assetId, new Date(startedAt), endedAt && new Date(endedAt), cause, planned]);
  const byStatus = rows.Downtime!.filter(({ source, deletedAt }) => source === "status" && !deletedAt);
  expect(byStatus.length).toBeGreaterThan(0);
  expect(made.map(facts).sort()).toEqual(byStatus.map(facts).sort());
  const [entry] = await here.database.query<any>(
    `select count(*)::int as found from "AssetStatusChange" c join "Downtime" d on d."tenantId" = c."tenantId" and d.id = downtime_id(c."tenantId", c.id) where c."tenantId" = $1`,
    [tenantId],
  );
  expect(entry.found).toBe(made.length);
});

describe("an import that was killed", () => {
  /** Starts an import of the plant that stops after some entry without cleaning up, as a killed process would. */
  async function killed(name: string, hasStorage: boolean): Promise<void> {
    const storage = hasStorage ? await storageOf(here) : undefined;
    await new Promise<void>((reached) => {
      const entries = async function* () {
        for await (const entry of readArchive(createReadStream(archive))) {
          yield entry;
          if (!entry.name.includes("rows/Component/")) continue;
          reached();
          await new Promise(() => {});
        }
      };
      void importTenants(here.database, storage, entries(), { as: name });
    });
    if (here.database.kind === "embedded") return;
    await expect(take(here, archive, { as: name })).rejects.toThrow(`the tenant ${name} is being imported`);
    await here.database.query(`update "Tenant" set "stateSince" = now() - interval '1 minute' where "tenantId" = $1`, [name]);
  }

  test("is removed when it is started again, and this is reported", async () => {
    const name = `Killed-${randomBytes(4).toString("hex")}`;
    await killed(name, true);
    const said: string[] = [];
    await take(here, archive, { as: name, say: (line) => said.push(line) });
    expect(said).toEqual([`removing the remains of an interrupted import of ${name}`]);
    expect((await listTenants(here.database)).find(({ tenantId }) => tenantId === name)?.state).toBe("active");
    expect((await rowsOf({ gateway: here, tenantId: name })).Asset!.length).toBe(rows.Asset!.length);
  });

  test("leaves files untouched if it was a move, which has no files: they belong to the source", async () => {
    const storage = await storageOf(here);
    const name = `Moved-${randomBytes(4).toString("hex")}`;
    await storage.put(`photos/${name}/one`, Readable.from(["one"]), "image/png");
    await killed(name, false);
    await changeState(here.database, name, "deleting");
    await untilGone(here, name);
    expect(await storage.open(`photos/${name}/one`)).toBeDefined();
    const spoiled = fileOf(name);
    writeFileSync(spoiled, readFileSync(small).subarray(0, -200));
    await expect(importTenants(here.database, undefined, readArchive(createReadStream(spoiled)), { as: name })).rejects.toThrow();
    expect((await listTenants(here.database)).map(({ tenantId }) => tenantId)).not.toContain(name);
    expect(await storage.open(`photos/${name}/one`)).toBeDefined();
  });
});

describe("a suspended tenant", () => {
  test("is refused with 403, its work pauses, and continues once it is resumed", async () => {
    const tenant = await copyOf("Suspended");
    const { database } = here;
    const inTenYears = new Date(Date.now() + 3_650 * 86_400_000);
    await changeState(database, tenant.tenantId, "suspended");
    await expect.poll(async () => (await tenant.rest("GET", "/assets")).status).toBe(403);
    expect((await tenant.rest("GET", "/assets")).body).toMatchObject({
      message: "This tenant is suspended; ask the operator of the service",
    });
    expect((await tenant.graphql("{ viewer { keyId } }")).errors![0]!.extensions).toMatchObject({
      code: "FORBIDDEN",
      message: "This tenant is suspended; ask the operator of the service",
    });
    const ordersBefore = (await tenant.snapshot("WorkOrder")).WorkOrder!.length;
    await createDueWorkOrders(database, inTenYears, () => {});
    expect((await tenant.snapshot("WorkOrder")).WorkOrder!.length).toBe(ordersBefore);
    expect((await claimDeliveries(database, [])).filter(({ tenantId }) => tenantId === tenant.tenantId)).toEqual([]);
    expect((await queueEvents(database, [tenant.tenantId])).tenants).toEqual([]);
    await changeState(database, tenant.tenantId, "active");
    expect((await tenant.rest("GET", "/assets")).status).toBe(200);
    expect((await claimDeliveries(database, [])).filter(({ tenantId }) => tenantId === tenant.tenantId)).not.toEqual([]);
    await createDueWorkOrders(database, inTenYears, () => {});
    expect((await tenant.snapshot("WorkOrder")).WorkOrder!.length).toBeGreaterThan(ordersBefore);
  });
});

describe("a deleted tenant", () => {
  test("is refused immediately and leaves nothing, in no table and no file", async () => {
    const others = await rowsOf(plant);
    const tenant = await copyOf("Deleted");
    expect(await traces(tenant.tenantId)).toEqual(expect.arrayContaining(["Asset", "StockMovement", "Tenant", "ComponentTemplateVersion"]));
    expect(filesOf(tenant.tenantId)).not.toEqual([]);
    const { assets } = await tenant.ask("{ assets { nodes { photos { url } } } }");
    const [{ url }] = assets.nodes.flatMap((asset: any) => asset.photos);
    await changeState(here.database, tenant.tenantId, "deleting");
    expect((await countRecords(here.database, tenant.tenantId)).length).toBeGreaterThan(20);
    await expect.poll(async () => (await tenant.rest("GET", "/assets")).status).toBe(401);
    await untilGone(here, tenant.tenantId);
    expect(await traces(tenant.tenantId)).toEqual([]);
    expect(filesOf(tenant.tenantId)).toEqual([]);
    expect(await rowsOf(plant)).toEqual(others);
    // Only one process can open the embedded database, so it is stopped to create a tenant.
    if (here.database.kind === "embedded") return;
    await expect.poll(async () => (await fetch(url)).status).toBe(403);
    // A new tenant of the same name has another secret, so cached secrets must not apply.
    await ensureTenant(here.database, tenant.tenantId);
    await expect.poll(async () => (await fetch(url)).status).toBe(403);
  });

  /** All tables, including partitions, that mention the tenant. */
  async function traces(tenantId: string): Promise<string[]> {
    const tables = await askOwner<any>(
      here,
      `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'm') and n.nspname !~ '^(pg_|information_schema)' order by 1, 2`,
    );
    expect(tables.length).toBeGreaterThan(40);
    const found: string[] = [];
    for (const { schema, name } of tables) {
      const [row] = await askOwner(here, `select 1 as found from "${schema}"."${name}" t where to_jsonb(t)::text like $1 limit 1`, [
        `%${tenantId}%`,
      ]);
      if (row) found.push(name);
    }
    return found;
  }

  const filesOf = (tenantId: string) =>
    readdirSync(here.config.DATA_DIR, { recursive: true, encoding: "utf8" }).filter(
      (path) => path.includes(tenantId) && !path.endsWith(".tar.gz"),
    );
});

describe("nobody else", () => {
  const { database } = here;

  test("changes or deletes what is only ever added to", async () => {
    for (const table of ["StockMovement", "WorkOrderStatusChange", "NotificationStatusChange", "ComponentTemplateVersion", "Change"])
      await expect(database.query(`delete from "${table}" where "tenantId" = $1`, [plant.tenantId]), table).rejects.toThrow(
        // With row-level security, the role lacks the permission.
        /never changed|append-only|permission denied/,
      );
    await expect(database.query(`select delete_tenant_rows('StockMovement', $1, 10)`, [plant.tenantId])).rejects.toThrow(
      "not being deleted",
    );
    await expect(database.query(`select delete_tenant_rows('Tenant', $1, 10)`, [plant.tenantId])).rejects.toThrow("No table");
  });

  test("adds to a tenant without a log, or brings one back", async () => {
    const insert = `select insert_tenant_rows('Asset', $1, '{id,name,type}', '[{"id":"x","name":"x","type":"x"}]', 1)`;
    await expect(database.query(insert, [plant.tenantId])).rejects.toThrow("not being imported");
    const to = (state: string, tenantId: string) =>
      database.query(`update "Tenant" set state = $2 where "tenantId" = $1`, [tenantId, state]);
    await expect(to("importing", plant.tenantId)).rejects.toThrow("cannot become importing");
    const tenant = await here.newTenant();
    await changeState(database, tenant.tenantId, "deleting");
    await expect(to("active", tenant.tenantId)).rejects.toThrow("cannot become active");
    await expect(changeState(database, tenant.tenantId, "suspended")).rejects.toThrow("is being deleted");
  });
});

test("a write that names its author is the next version, in every table with numbered versions", async () => {
  const versioned = await here.database.query<{ name: string }>(
    `select t.relname::text as name from pg_class t join pg_attribute v on v.attrelid = t.oid and v.attname = 'version' and v.atttypid = 'integer'::regtype
     join pg_attribute u on u.attrelid = t.oid and u.attname = 'updatedBy' where t.relnamespace = current_schema()::regnamespace and t.relkind = 'r' order by 1`,
  );
  expect(versioned.length).toBeGreaterThan(12);
  const undone = new Error("undone");
  for (const { name } of versioned) {
    let row: any;
    const write = here.database.transaction(async (tx) => {
      [row] = await tx.query(
        `update "${name}" t set "updatedBy" = 'somebody' from (select ctid, version, "updatedAt" from "${name}" where "tenantId" = $1 limit 1) o where t.ctid = o.ctid
         returning t.version - o.version as step, t."updatedAt" >= o."updatedAt" as "isLater"`,
        [plant.tenantId],
      );
      throw undone;
    });
    await expect(write).rejects.toBe(undone);
    expect({ name, ...row }).toEqual({ name, step: 1, isLater: true });
  }
});

/** Tables about all sites. A key limited to sites sees none of their rows. */
const ofAllSites = ["StockPeriod", "PurchaseOrderNumber", "Webhook", "WebhookEvent", "WebhookDelivery"];

// This test needs the plant, which has rows in every table. Some tables are reached only through limited tables, so no current request
// shows whether they are limited.
test("a statement that forgets the sites of a key reads no row of another site, in any table that is limited", async () => {
  const { key } = await plant.as("viewer", ["main"], false);
  const opened = await fetch(`${here.url}/console/session`, { method: "POST", headers: { authorization: `Bearer ${key}` } });
  expect(opened.status).toBe(201);
  const { createPerson } = await plant.ask('mutation { createPerson(input: { name: "Ann" }) { id } }');
  await plant.ask(
    'mutation ($id: ID!) { createInvitation(input: { principalId: $id, role: VIEWER, sites: ["main"] }) { invitation { id } } }',
    createPerson,
  );
  const { parts } = await plant.ask("{ parts(first: 1) { nodes { id } } }");
  expect((await plant.rest("PUT", `/parts/${parts.nodes[0].id}`, { lastOrderDate: "2040-01-01T00:00:00Z" })).status).toBe(200);
  const db = forTenant(here.database, plant.tenantId);
  const sites = await db.query<{ site: string }>(
    `select site from "Asset" where "tenantId" = $1 union select site from "StockLevel" where "tenantId" = $1`,
  );
  const tablesSeenWith = async (names: string[]) => {
    const seen: string[] = [];
    for (const table of limitedTables) {
      const [row] = await limitedTo(db, names).query(`select 1 as found from "${table}" where "tenantId" = $1 limit 1`);
      if (row) seen.push(table);
    }
    return seen;
  };
  expect(await tablesSeenWith(sites.map(({ site }) => site))).toEqual(limitedTables.filter((table) => !ofAllSites.includes(table)));
  // In the log, the entries of records without a site.
  expect(await tablesSeenWith(["Nowhere"])).toEqual(["Change"]);
});
