/** Clients that keep a copy (`changesSince`), and the change log by record, over REST, as CSV, and from the command line. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { maintainPartitions } from "../../src/domain/changes/partitions.js";
import { build } from "../generate.js";
import { askOwner } from "../owner.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const root = fileURLToPath(new URL("../..", import.meta.url));

let caller: Caller;

beforeEach(async () => {
  caller = await gateway.newTenant();
});

const sync = `query ($token: String, $recordTypes: [RecordType!], $first: Int! = 100) {
  changesSince(token: $token, recordTypes: $recordTypes, first: $first) {
    records { recordType recordId record { __typename id } } nextToken hasMore isInitial
  }
}`;

const page = async (who: Caller, variables: object = {}) => (await who.ask(sync, variables as Record<string, unknown>)).changesSince;

/** Reads all remaining pages. */
async function readAll(who: Caller, variables: Record<string, unknown> = {}) {
  await gateway.logIsComplete();
  const records: any[] = [];
  let pages = 0;
  let token = variables.token;
  for (;;) {
    const read = await page(who, { ...variables, token });
    pages++;
    records.push(...read.records);
    token = read.nextToken;
    if (!read.hasMore) return { records, token, pages };
  }
}

const ids = (records: any[]) => records.map(({ recordId }) => recordId);

describe("changesSince", () => {
  it("reads all records first, of each type, then what changed, and reports what is gone", async () => {
    const asset = await caller.createAsset({ site: "North" });
    const other = await caller.createAsset({ name: "Other" });
    const component = await caller.createComponent({ assetId: asset.id });
    await caller.ask(`mutation { createSite(input: { name: "A: 1" }) { id } createArea(site: "A: 1", input: { name: "b" }) { id } }`);
    const { createPart: part } = await caller.ask(`mutation { createPart(input: { partNumber: "P", name: "P" }) { id } }`);
    await caller.ask(`mutation { receiveStock(partId: "${part.id}", input: { site: "main", quantity: 1 }) { id } }`);
    const first = await readAll(caller, { first: 3 });
    const stock = `StockLevel:${part.id}:main`;
    expect(ids(first.records)).toEqual(
      expect.arrayContaining([asset.id, other.id, component.id, part.id, stock, "Site:A: 1", "Area:A%3A 1:b"]),
    );
    expect(new Set(ids(first.records)).size).toBe(first.records.length);
    for (const { recordId, record } of first.records) expect(record).toMatchObject({ id: recordId });

    expect(await readAll(caller, { token: first.token })).toMatchObject({ records: [], pages: 1 });
    await caller.rest("PUT", `/assets/${asset.id}`, { name: "Renamed" });
    await caller.rest("PUT", `/assets/${asset.id}`, { name: "Renamed again" });
    await caller.rest("DELETE", `/assets/${other.id}`);
    const { records, token, pages } = await readAll(caller, { token: first.token, recordTypes: ["ASSET", "COMPONENT"] });
    expect(records).toEqual([
      { recordType: "ASSET", recordId: asset.id, record: { __typename: "Asset", id: asset.id } },
      { recordType: "ASSET", recordId: other.id, record: null },
    ]);
    expect(pages).toBe(1);
    expect((await readAll(caller, { token, recordTypes: ["ASSET", "COMPONENT"] })).records).toEqual([]);
  });

  it("costs as much as there are changes, not records, and as many statements for many as for few", async () => {
    const { body } = await caller.rest(
      "POST",
      "/assets/import",
      ["name,type,serialNumber", ...Array.from({ length: 400 }, (_, i) => `n${i},pump,s${i}`)].join("\n"),
      { "content-type": "text/csv" },
    );
    expect(body.imported ?? body.created).toBeTruthy();
    const { token } = await readAll(caller, { first: 500 });
    const statements = async (count: number) => {
      const { assets } = await caller.ask(`{ assets(first: ${count}) { nodes { id } } }`);
      for (const { id } of assets.nodes) await caller.rest("PUT", `/assets/${id}`, { description: `d${count}` });
      await expect.poll(async () => (await page(caller, { token, first: 500 })).records.length).toBe(count);
      const before = gateway.database.statements();
      await page(caller, { token, first: 500 });
      return gateway.database.statements() - before;
    };
    const few = await statements(2);
    expect(await statements(40)).toBe(few);
    expect(few).toBeLessThanOrEqual(3);
  });

  it.skipIf(gateway.database.kind === "embedded")("does not pass a change whose transaction is still running", async () => {
    const { id } = await caller.createAsset();
    const recordTypes = ["ASSET"];
    const { token } = await readAll(caller, { recordTypes });
    const writer = new pg.Client({ connectionString: gateway.config.DATABASE_URL });
    await writer.connect();
    try {
      await writer.query("begin");
      await writer.query(`update "Asset" set name = 'Late' where "tenantId" = $1 and id = $2`, [caller.tenantId, id]);
      const other = (await caller.createAsset({ name: "Later" })).id;
      const early = await page(caller, { recordTypes, token });
      expect(ids(early.records)).toEqual([]);
      await writer.query("commit");
      expect(ids((await readAll(caller, { recordTypes, token: early.nextToken })).records).sort()).toEqual([id, other].sort());
    } finally {
      await writer.end();
    }
  });

  it("rejects tokens of another tenant, of another epoch, of the future, and invalid texts", async () => {
    const { token } = await readAll(caller);
    const stranger = await gateway.newTenant();
    const codeOf = async (who: Caller, text: unknown) => (await who.graphql(sync, { token: text })).errors?.[0]?.extensions.code;
    expect(await codeOf(stranger, token)).toBe("RESYNC_REQUIRED");
    expect(await codeOf(caller, "nonsense")).toBe("BAD_USER_INPUT");
    const [kind, , sequence, epoch, time] = JSON.parse(Buffer.from(token as string, "base64url").toString());
    const remade = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");
    expect(await codeOf(caller, remade(kind, "999999999999", sequence, epoch, time))).toBe("RESYNC_REQUIRED");
    expect(await codeOf(caller, remade(kind, "1", sequence, epoch, time - 401 * 86_400))).toBe("RESYNC_REQUIRED");
    await gateway.database.query(`update "Tenant" set "logEpoch" = 'restored' where "tenantId" = $1`, [caller.tenantId]);
    expect(await codeOf(caller, token)).toBe("RESYNC_REQUIRED");
  });

  it("rejects an empty list of types: none named, or only types that the role may not read", async () => {
    const { nextToken: token } = await page(caller);
    const viewer = await caller.as("viewer");
    for (const [who, recordTypes] of [
      [caller, []],
      [viewer, ["API_KEY", "WEBHOOK"]],
    ] as const)
      for (const variables of [{ recordTypes }, { recordTypes, token }])
        expect(await who.graphql(sync, variables)).toMatchObject({
          data: { changesSince: null },
          errors: [
            {
              message: "Invalid input",
              extensions: { code: "BAD_USER_INPUT", details: { recordTypes: "must name a type that the role may read, or be left out" } },
            },
          ],
        });
  });

  it("shows a key of one site what is there, and that what left is gone; keys and webhooks only to admins", async () => {
    const limited = await caller.as("viewer", ["North"], false);
    const { token: own } = await readAll(limited);
    const { token } = await readAll(caller);
    const here = await caller.createAsset({ name: "Here", site: "North" });
    const there = await caller.createAsset({ name: "There", site: "South" });
    await caller.ask(
      `mutation { createWebhook(input: { url: "https://example.com/x", events: [ASSET_STATUS_CHANGED] }) { webhook { id } } }`,
    );
    const seen = await readAll(limited, { token: own });
    expect(ids(seen.records)).toContain(here.id);
    expect(ids(seen.records)).not.toContain(there.id);
    const types = (read: any) => new Set(read.records.map(({ recordType }: any) => recordType));
    expect(types(seen)).not.toContain("WEBHOOK");
    expect(types(await readAll(caller, { token }))).toContain("WEBHOOK");
    expect(types(await readAll(await caller.as("viewer")))).not.toContain("WEBHOOK");
    await caller.rest("PUT", `/assets/${here.id}`, { site: "South" });
    const after = await readAll(limited, { token: seen.token, recordTypes: ["ASSET"] });
    expect(after.records).toEqual([{ recordType: "ASSET", recordId: here.id, record: null }]);
  });
});

describe("the log of a record", () => {
  it("shows who set a pump offline, from which status, over which API, with which request", async () => {
    const { id } = await caller.createAsset();
    const { headers } = await caller.rest("PUT", `/assets/${id}`, { status: "offline" });
    const viewer = await caller.as("viewer");
    const { asset } = await viewer.ask(
      `{ asset(id: "${id}") { changes(first: 1) { totalCount nodes { kind version source operation requestId changedBy fields { field before after } record { id } } } } }`,
    );
    const { viewer: me } = await caller.ask("{ viewer { keyId } }");
    expect(asset.changes).toEqual({
      totalCount: 2,
      nodes: [
        {
          kind: "UPDATED",
          version: 2,
          source: "REST",
          operation: "updateAsset",
          requestId: headers.get("x-request-id"),
          changedBy: me.keyId,
          fields: [{ field: "status", before: "operational", after: "offline" }],
          record: { id },
        },
      ],
    });
    expect(
      (await caller.ask(`{ changes(filter: { requestId: "${headers.get("x-request-id")}" }) { nodes { recordId } } }`)).changes.nodes,
      // The downtime started together with the asset.
    ).toEqual([{ recordId: id }, { recordId: (await caller.ask("{ downtimes { nodes { id } } }")).downtimes.nodes[0].id }]);
    expect((await viewer.graphql("{ changes { nodes { id } } }")).errors![0]!.extensions.code).toBe("FORBIDDEN");
  });

  it("is available at the record's path over REST, page by page", async () => {
    const { id } = await caller.createAsset({ name: "A" });
    await caller.rest("PUT", `/assets/${id}`, { name: "B" });
    const first = await caller.rest("GET", `/assets/${id}/changes?limit=1`);
    expect(first.body.items).toEqual([
      expect.objectContaining({
        kind: "updated",
        source: "rest",
        operation: "updateAsset",
        fields: [{ field: "name", before: "A", after: "B" }],
      }),
    ]);
    const second = await caller.rest("GET", `/assets/${id}/changes?limit=1&nextToken=${first.body.pageInfo.endCursor}`);
    expect(second.body).toMatchObject({ items: [{ kind: "created" }], pageInfo: { hasNextPage: false } });
    expect((await caller.rest("GET", "/assets/none/changes")).status).toBe(404);
    expect((await (await gateway.newTenant()).rest("GET", `/assets/${id}/changes`)).status).toBe(404);
  });

  it("is exported as CSV with a line for each field, and with nothing that a spreadsheet would run", async () => {
    const { id } = await caller.createAsset({ name: "=1+1", type: "pump" });
    const { exportChanges } = await caller.ask(`{ exportChanges(filter: { recordId: "${id}" }) }`);
    const [header, ...lines] = exportChanges.trim().split("\n");
    expect(header).toBe(
      "changedAt,recordType,recordId,kind,version,siteBefore,site,field,before,after,changedBy,keyId,requestId,source,operation,reason",
    );
    expect(lines.map((line: string) => line.split(",")[7])).toEqual(["area", "customFields", "name", "site", "status", "type"]);
    expect(lines[2]).toContain("'=1+1");
    expect((await (await caller.as("manager")).graphql("{ exportChanges }")).errors![0]!.extensions.code).toBe("FORBIDDEN");
  });

  it.runIf(gateway.database.kind === "postgresql")(
    "is printed by the command line, and continues after a token",
    async () => {
      await build();
      const { id } = await caller.createAsset();
      const changes = async (...options: string[]) => {
        const { stdout } = await promisify(execFile)(
          process.execPath,
          ["dist/cli/main.js", "changes", "--tenant", caller.tenantId, ...options],
          {
            cwd: root,
            env: { ...process.env, DATABASE_URL: gateway.config.DATABASE_URL, ROW_SECURITY: gateway.config.ROW_SECURITY },
          },
        );
        return stdout
          .trim()
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      };
      const all = await changes();
      const created = all.find(({ recordId }) => recordId === id);
      expect(created).toMatchObject({ recordType: "Asset", kind: "created", token: expect.any(String) });
      expect((await changes("--after", all.at(-1).token)).length).toBe(0);
      expect((await changes("--after", created.token)).length).toBe(all.length - all.indexOf(created) - 1);
    },
    60_000,
  );
});

it("months that nobody may request any more are dropped, and the coming ones created", async () => {
  const months = () =>
    askOwner<{ name: string }>(
      gateway,
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'change_partitions' and c.relkind = 'r' order by 1`,
    );
  // The template database may be from the month before.
  await maintainPartitions(gateway.database, 400);
  await askOwner(
    gateway,
    `create table change_partitions.month_2020_01 partition of "Change" for values from ('2020-01-01T00:00:00Z') to ('2020-02-01T00:00:00Z')`,
  );
  // A month that ended less than 400 days ago is kept whole, with its older entries.
  const kept = new Date(Date.now() - 400 * 86_400_000);
  const begins = (month: number) => new Date(Date.UTC(kept.getUTCFullYear(), kept.getUTCMonth() + month, 1));
  const nameOf = (month: Date) => `month_${month.toISOString().slice(0, 7).replace("-", "_")}`;
  for (const month of [-1, 0])
    await askOwner(
      gateway,
      `create table change_partitions.${nameOf(begins(month))} partition of "Change" for values from ('${begins(month).toISOString()}') to ('${begins(month + 1).toISOString()}')`,
    );
  const before = await months();
  const dropped = ["month_2020_01", nameOf(begins(-1))];
  expect(await maintainPartitions(gateway.database, 400)).toEqual(dropped);
  expect(await months()).toEqual(before.filter(({ name }) => !dropped.includes(name)));
  const { name: last } = (await months()).findLast((month) => month.name.startsWith("month_"))!;
  await askOwner(gateway, `drop table change_partitions."${last}"`);
  expect(await maintainPartitions(gateway.database, 400)).toEqual([]);
  expect((await months()).map(({ name }) => name)).toContain(last);
});
