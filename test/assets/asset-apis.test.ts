/** A change of an asset has the same consequences over every API. */

import { describe, expect, test } from "vitest";
import { queued } from "../alerts/receivers.js";
import { type Caller, startGateway } from "../world.js";

// Deliveries to webhooks stay as they were created.
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const csv = { "content-type": "text/csv" };

/** The fields of an asset under their import names, which the other APIs accept too. */
interface Fields extends Record<string, unknown> {
  serialNumber: string;
}

const cell = (value: unknown) => `"${(typeof value === "string" ? value : JSON.stringify(value)).replaceAll('"', '""')}"`;

async function importRow(caller: Caller, fields: Fields, mode: string): Promise<void> {
  const file = [Object.keys(fields), Object.values(fields).map(cell)].map((cells) => cells.join(",")).join("\n");
  const { body } = await caller.rest("POST", `/assets/import?mode=${mode}`, file, csv);
  expect(body).toMatchObject({ imported: 1, failed: 0 });
}

async function importForm(caller: Caller, fields: Fields, mode: string): Promise<void> {
  const file = [Object.keys(fields), Object.values(fields).map(cell)].map((cells) => cells.join(";")).join("\r\n");
  const form = new FormData();
  const query = `mutation ($file: Upload!) { importAssets(file: $file, mode: ${mode}) { imported failed } }`;
  form.append("operations", JSON.stringify({ query, variables: { file: null } }));
  form.append("map", JSON.stringify({ 0: ["variables.file"] }));
  form.append("0", new Blob([file], { type: "text/csv" }), "assets.csv");
  const headers = { authorization: `Bearer ${caller.key}` };
  const response = await fetch(`${gateway.url}/graphql`, { method: "POST", body: form, headers });
  expect(await response.json()).toEqual({ data: { importAssets: { imported: 1, failed: 0 } } });
}

const enumName = ({ status, ...fields }: Fields) => ({ ...fields, ...(status !== undefined && { status: String(status).toUpperCase() }) });

const updates: Record<string, (caller: Caller, id: string, fields: Fields) => Promise<unknown>> = {
  "PUT /assets/{id}": async (caller, id, fields) => expect((await caller.rest("PUT", `/assets/${id}`, fields)).status).toBe(200),
  updateAsset: (caller, id, fields) =>
    caller.ask(`mutation ($id: ID!, $input: UpdateAssetInput!) { updateAsset(id: $id, input: $input) { id } }`, {
      id,
      input: enumName(fields),
    }),
  "POST /assets/import": (caller, _, fields) => importRow(caller, fields, "upsert"),
  importAssets: (caller, _, fields) => importForm(caller, fields, "UPSERT"),
};

const creates: Record<string, (caller: Caller, fields: Fields) => Promise<unknown>> = {
  "POST /assets": (caller, fields) => caller.createAsset(fields),
  createAsset: (caller, fields) =>
    caller.ask(`mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }`, { input: enumName(fields) }),
  "POST /assets/import": (caller, fields) => importRow(caller, fields, "create"),
  "POST /assets/import?mode=upsert": (caller, fields) => importRow(caller, fields, "upsert"),
  importAssets: (caller, fields) => importForm(caller, fields, "CREATE"),
};

/** All tables that a change of an asset may affect. */
const tables = ["Asset", "AssetStatusChange", "Component", "Procedure", "WorkOrder", "Notification", "WebhookEvent", "WebhookDelivery"];

const isTime = /^(createdAt|updatedAt|changedAt|deletedAt|nextAttemptAt)$/;

/**
 * The rows of the tables. Ids are numbered in order of appearance, and timestamps are reduced to whether they belong to the tenant's first
 * rows.
 */
async function consequences(caller: Caller, since: Date): Promise<Record<string, any[]>> {
  const keys = await gateway.database.query<any>(`select id from "ApiKey" where "tenantId" = $1`, [caller.tenantId]);
  const names = new Map<unknown, string>([[caller.tenantId, "tenant"], ...keys.map(({ id }): [string, string] => [id, "key"])]);
  const anonymous = (name: string, value: any): any => {
    if (value instanceof Date) return isTime.test(name) ? value > since : value.toISOString();
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, anonymous(key, one)]));
    if (/^(logTransaction|logSequence|token)$/.test(name)) return value !== null;
    if (!/^(id|path)$|Id$/.test(name) || value === null) return names.get(value) ?? value;
    if (/^\d+$/.test(value)) return "number";
    if (!names.has(value)) names.set(value, `id ${names.size}`);
    return names.get(value);
  };
  await queued(caller);
  const found = await caller.snapshot(...tables);
  return Object.fromEntries(Object.entries(found).map(([table, rows]) => [table, rows.map((row) => anonymous(table, row))]));
}

/** A tenant with a pump at North: its procedures including a deleted one, a component, and a webhook for status changes. */
async function plant() {
  const tenant = await gateway.newTenant();
  for (const [site, timeZone] of [
    ["North", "Europe/Copenhagen"],
    ["South", "America/New_York"],
  ]) {
    await tenant.createAsset({ site, name: site });
    await tenant.ask(`mutation { setSiteTimeZone(site: "${site}", timeZone: "${timeZone}") { name } }`);
  }
  const fields = { name: "Pump", type: "pump", site: "North", area: "A", serialNumber: "S-1", model: "M", customFields: { kW: "5" } };
  const { id } = await tenant.createAsset(fields);
  await tenant.createComponent({ assetId: id });
  // Daylight saving starts between the two dates in Copenhagen, but not in New York.
  const anchor = "2026-03-12T12:00:00.000Z";
  for (const [name, status] of [
    ["active", "active"],
    ["inactive", "inactive"],
    ["deleted", "active"],
  ]) {
    const { body } = await tenant.rest("POST", "/pms", { name, status, assetId: id, frequency: "custom", customIntervalDays: 20, anchor });
    await gateway.database.query(`update "Procedure" set "anchorSteps" = 1 where "tenantId" = $1 and id = $2`, [tenant.tenantId, body.id]);
    await tenant.rest("PUT", `/pms/${body.id}`, { priority: "high" });
    if (name === "deleted") await tenant.rest("DELETE", `/pms/${body.id}`);
  }
  await tenant.ask(`mutation { createWebhook(input: { url: "https://example.org", events: [ASSET_STATUS_CHANGED] }) { secret } }`);
  return { tenant, id, fields };
}

async function after(transport: (caller: Caller, id: string, fields: Fields) => Promise<unknown>, changes: object) {
  const { tenant, id, fields } = await plant();
  const [{ now }] = (await gateway.database.query<{ now: Date }>("select now()")) as [{ now: Date }];
  await transport(tenant, id, { ...fields, ...changes });
  return consequences(tenant, now);
}

describe("an update", () => {
  const first = Object.values(updates)[0]!;

  test.each<[string, object]>([
    ["the site", { site: "South" }],
    ["the status", { status: "offline" }],
    ["everything", { name: "Fan", type: "fan", area: "B", model: "N", site: "South", status: "maintenance", customFields: { kW: "6" } }],
  ])("of %s", async (_, changes) => {
    const expected = await after(first, changes);
    for (const [name, transport] of Object.entries(updates).slice(1)) expect(await after(transport, changes), name).toEqual(expected);
  });

  test("of the site moves the due dates to its wall clock, for deleted procedures too", async () => {
    for (const [name, transport] of Object.entries(updates)) {
      const { Procedure } = await after(transport, { site: "South" });
      // 8:00 in New York, as on the first date. With Copenhagen's clock it would be 11:00.
      expect(Procedure!.map(({ nextDue, version }) => [nextDue, version]).sort(), name).toEqual([
        ["2026-04-01T12:00:00.000Z", 2],
        ["2026-04-01T12:00:00.000Z", 2],
        ["2026-04-01T12:00:00.000Z", 3],
      ]);
    }
  });
});

test("a deletion has the same effects over every API, and restoring undoes it except for the versions", async () => {
  const deletes: ((caller: Caller, id: string) => Promise<unknown>)[] = [
    async (caller, id) => expect((await caller.rest("DELETE", `/assets/${id}`)).status).toBe(200),
    (caller, id) => caller.ask("mutation ($id: ID!) { deleteAsset(id: $id) { id } }", { id }),
  ];
  const found: unknown[] = [];
  for (const transport of deletes) {
    const { tenant, id } = await plant();
    const live = await consequences(tenant, new Date(0));
    await transport(tenant, id);
    const deleted = await consequences(tenant, new Date(0));
    expect(deleted.Asset!.map(({ deletedAt }) => deletedAt)).toEqual([null, null, true]);
    expect(deleted.Component!.map(({ deletedAt }) => deletedAt)).toEqual([true]);
    await tenant.ask("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id });
    const restored = await consequences(tenant, new Date(0));
    for (const row of [restored.Asset!.at(-1), ...restored.Component!]) row.version -= 2;
    expect(restored).toEqual(live);
    found.push(deleted);
  }
  expect(found[1]).toEqual(found[0]);
});

test("a procedure created while its asset moves uses the asset's new site", async () => {
  const tenant = await gateway.newTenant();
  const setZone = () => tenant.ask(`mutation { setSiteTimeZone(site: "South", timeZone: "America/New_York") { name } }`);
  await tenant.createAsset({ site: "South" });
  await setZone();
  for (let round = 0; round < 10; round++) {
    const { id: assetId } = await tenant.createAsset({ site: "North", serialNumber: `S-${round}` });
    // One of the intervals contains a clock change at any time of the year.
    const made = [120, 240].map((customIntervalDays) =>
      tenant.rest("POST", "/pms", { name: "P", assetId, frequency: "custom", customIntervalDays }),
    );
    const file = `name,type,serialNumber,site\nPump,pump,S-${round},South\n`;
    await Promise.all([
      ...made,
      round % 2
        ? tenant.rest("PUT", `/assets/${assetId}`, { site: "South" })
        : tenant.rest("POST", "/assets/import?mode=upsert", file, csv),
    ]);
  }
  const before = await tenant.snapshot("Procedure");
  expect(before.Procedure).toHaveLength(20);
  await setZone();
  expect(await tenant.snapshot("Procedure")).toEqual(before);
});

test("a new asset is the same over every API", async () => {
  const made = async (transport: (caller: Caller, fields: Fields) => Promise<unknown>) => {
    const tenant = await gateway.newTenant();
    await tenant.ask(`mutation { createWebhook(input: { url: "https://example.org", events: [ASSET_STATUS_CHANGED] }) { secret } }`);
    await transport(tenant, {
      name: "Pump",
      type: "pump",
      site: "North",
      serialNumber: "S-1",
      status: "offline",
      customFields: { kW: "5" },
    });
    return consequences(tenant, new Date(0));
  };
  const expected = await made(creates["POST /assets"]!);
  expect(expected.AssetStatusChange).toMatchObject([{ fromStatus: null, toStatus: "offline", changedBy: "key" }]);
  for (const [name, transport] of Object.entries(creates).slice(1)) expect(await made(transport), name).toEqual(expected);
});
