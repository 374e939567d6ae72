/** Secrets at rest: stored webhook and signing secrets with a key, without a key, and after a key change. */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { Secrets, secretsOf } from "../../src/database/connection/secrets.js";
import type { Database } from "../../src/database/database.js";
import { ensureTenant, tenantSecret } from "../../src/database/records/directory.js";
import { freshDatabase, onPostgresql, startGateway } from "../world.js";

const newKey = () => randomBytes(32).toString("base64");
const idOf = (key: string) => secretsOf({ SECRETS_KEY: key }).keyIds[0]!;

const create = `mutation { createWebhook(input: { url: "https://example.com/", events: [NOTIFICATION_RAISED] }) { secret webhook { id } } }`;
const rotate = (id: string) => `mutation { rotateWebhookSecret(id: "${id}") { secret } }`;

test("webhooks and tenants store their secrets encrypted; responses show them once", async () => {
  const gateway = await startGateway({ SECRETS_KEY: newKey() });
  const tenant = await gateway.newTenant();
  const { secret, webhook } = (await tenant.ask(create)).createWebhook;
  const rotated = (await tenant.ask(rotate(webhook.id))).rotateWebhookSecret.secret;
  const [row] = await gateway.database.query<any>(
    `select w.secret, w."previousSecret", t."signingSecret" from "Webhook" w join "Tenant" t on t."tenantId" = w."tenantId" where w."tenantId" = $1`,
    [tenant.tenantId],
  );
  for (const stored of Object.values<string>(row)) expect(stored).toMatch(/^enc:1:[0-9a-f]{8}:[\w+/=]+$/);
  const { secrets } = gateway.database;
  const place = [tenant.tenantId, "Webhook", webhook.id] as const;
  expect([secrets.open(row.secret, place), secrets.open(row.previousSecret, place)]).toEqual([rotated, secret]);
  expect(await tenantSecret(gateway.database, tenant.tenantId)).toMatch(/^[\w-]{43}$/);
});

test("a secret is bound to its record: it can neither be moved to another nor changed", () => {
  const secrets = secretsOf({ SECRETS_KEY: newKey() });
  const sealed = secrets.seal("secret", ["t", "Webhook", "1"]);
  expect(secrets.open(sealed, ["t", "Webhook", "1"])).toBe("secret");
  for (const place of [
    ["t", "Webhook", "2"],
    ["u", "Webhook", "1"],
    ["t", "Tenant", "1"],
  ] as const)
    expect(() => secrets.open(sealed, place)).toThrow();
  const broken = sealed.replace(/.(?=.{5}$)/, (letter) => (letter === "A" ? "B" : "A"));
  expect(() => secrets.open(broken, ["t", "Webhook", "1"])).toThrow();
  expect(() => new Secrets().open(sealed, ["t", "Webhook", "1"])).toThrow(/which this process does not have; set SECRETS_KEY/);
});

test("creating a webhook and rotating its secret take no Idempotency-Key, because responses are stored and secrets are not", async () => {
  const gateway = await startGateway();
  const tenant = await gateway.newTenant();
  const { id } = (await tenant.ask(create)).createWebhook.webhook;
  const rows = () =>
    gateway.database.query(
      `select id, secret, version from "Webhook" where "tenantId" = $1 union all select key, response, 0 from "IdempotencyKey" where "tenantId" = $1`,
      [tenant.tenantId],
    );
  const before = await rows();
  for (const query of [create, rotate(id), `mutation { again: rotateWebhookSecret(id: "${id}") { webhook { id } } }`]) {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, "idempotency-key": "k" },
      body: JSON.stringify({ query }),
    });
    const details = {
      idempotencyKey:
        "cannot be used where API keys, invitations, secrets of webhooks or links of calendars and reports are issued: answers are kept, these are not",
    };
    expect(((await response.json()) as any).errors).toMatchObject([
      { message: "Invalid input", extensions: { code: "BAD_USER_INPUT", details } },
    ]);
  }
  expect(await rows()).toEqual(before);
});

describe("a change of keys", () => {
  const [a, b] = [newKey(), newKey()];

  test("takes effect at the start: plain, encrypted, under another key, refused without it, plain again", async () => {
    const { environment, remove } = await freshDatabase();
    afterAll(remove);
    const lines: string[] = [];
    const open = (settings: Record<string, string>) =>
      openDatabase(readConfig({ ...environment, ...settings }), (line) => lines.push(line));
    const using = async <T>(settings: Record<string, string>, work: (database: Database) => Promise<T>): Promise<T> => {
      const database = await open(settings);
      return work(database).finally(() => database.close());
    };
    const stored = async (database: Database) =>
      (
        await database.query<{ secret: string }>(
          `select "signingSecret" as secret from "Tenant" union all select secret from "Webhook" union all select "previousSecret" from "Webhook" where "previousSecret" is not null`,
        )
      ).map(({ secret }) => secret);
    const known = async (database: Database) => {
      const webhooks = await database.query<any>(`select id, secret, "previousSecret" from "Webhook" order by id`);
      return [
        await tenantSecret(database, "t"),
        ...webhooks.flatMap(({ id, secret, previousSecret }) =>
          [secret, previousSecret].map((one) => one && database.secrets.open(one, ["t", "Webhook", id])),
        ),
      ];
    };

    const before = await using({}, async (database) => {
      await ensureTenant(database, "t");
      // The format of an earlier release.
      await database.query(`update "Tenant" set "signingSecret" = 'signing'`);
      await database.query(
        `insert into "Webhook" ("tenantId", id, url, secret, "createdBy", "previousSecret") select 't', 'w' || i, 'https://example.com', 'plain' || i, 'x', case when i % 2 = 0 then 'before' || i end from generate_series(1, 450) i`,
      );
      return known(database);
    });
    expect(before).toHaveLength(901);
    const underA = { SECRETS_KEY: a };
    lines.length = 0;
    await using(underA, async (database) => {
      expect((await stored(database)).every((one) => one.startsWith(`enc:1:${idOf(a)}:`))).toBe(true);
      expect(await known(database)).toEqual(before);
    });
    expect(lines).toEqual(["stored 451 records' secrets encrypted"]);
    lines.length = 0;
    await using(underA, async (database) => expect(await known(database)).toEqual(before));
    expect(lines).toEqual([]);
    await using({ SECRETS_KEY: b, SECRETS_KEY_PREVIOUS: a }, async (database) => {
      expect((await stored(database)).every((one) => one.startsWith(`enc:1:${idOf(b)}:`))).toBe(true);
      expect(await known(database)).toEqual(before);
    });
    for (const settings of [{}, underA] as Record<string, string>[])
      await expect(open(settings)).rejects.toThrow(
        `secrets in the database are encrypted with the key ${idOf(b)}, which this process does not have; set SECRETS_KEY, SECRETS_KEY_FILE or SECRETS_KEY_PREVIOUS to it`,
      );
    await using({ SECRETS_KEY_PREVIOUS: b }, async (database) => {
      expect(await known(database)).toEqual(before);
      expect((await stored(database)).some((one) => one.startsWith("enc:"))).toBe(!onPostgresql);
    });
  });

  test.runIf(!onPostgresql)("the embedded database stores a key next to its data that only its owner can read", async () => {
    const gateway = await startGateway();
    expect(statSync(join(gateway.config.DATA_DIR, "secrets.key")).mode & 0o777).toBe(0o600);
    expect(gateway.database.secrets.isEncrypting).toBe(true);
  });
});

test.each([
  [{ SECRETS_KEY: "short" }, "SECRETS_KEY: must be 32 bytes in base64, as of: openssl rand -base64 32"],
  [{ SECRETS_KEY: newKey(), SECRETS_KEY_FILE: "x" }, "SECRETS_KEY_FILE: must not be set beside SECRETS_KEY"],
])("an invalid setting is rejected: %j", (settings, message) => {
  expect(() => readConfig(settings as never)).toThrow(`wrong configuration: ${message}`);
});

test("a missing key file is named", () => {
  expect(() => secretsOf({ SECRETS_KEY_FILE: "/none/key" })).toThrow("SECRETS_KEY_FILE cannot be read (ENOENT): /none/key");
});
