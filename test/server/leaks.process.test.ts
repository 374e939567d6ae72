/** Neither the database nor the logs contain a usable key or secret after every feature with secrets has been used. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import type { Database } from "../../src/database/database.js";
import { tenantSecret } from "../../src/database/records/directory.js";
import { Issuer } from "../access/issuer.js";
import { receiver } from "../alerts/receivers.js";
import { formOf, image } from "../files/photos.js";
import { build } from "../generate.js";
import { freshDatabase } from "../world.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
beforeAll(build);

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** A process of the service, with all its output. */
function run(args: string[], settings: Record<string, string>) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, LOG_LEVEL: "trace", PORT: "0", ...settings } as Record<string, string>;
  const child = spawn(process.execPath, ["dist/cli/main.js", ...args], { cwd: root, env });
  children.push(child);
  const output = { out: "", all: "" };
  child.stdout.on("data", (chunk) => {
    output.out += chunk;
    output.all += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.all += chunk;
  });
  return { child, output, ended: once(child, "close") };
}

/** Every column of every table, as text. */
async function dump(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
  );
  const texts: string[] = [];
  for (const { name } of tables)
    for (const { row } of await database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`))
      texts.push(`${name} ${row}`);
  return texts.join("\n");
}

test("a dump of the database and a trace log contain no usable key and no secret", async () => {
  const issuer = await Issuer.start();
  afterAll(() => issuer.close());
  const { environment, remove } = await freshDatabase();
  afterAll(remove);
  const secretsKey = randomBytes(32).toString("base64");
  const settings = {
    ...environment,
    SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOW_PRIVATE: "true",
    WEBHOOK_POLL_MS: "50",
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: "gateway",
    // Makes the service log statements too.
    SLOW_OPERATION_MS: "1",
  };
  const command = run(["key", "--tenant", "plant", "--role", "admin"], settings);
  await command.ended;
  const key = command.output.out.trim();
  const secrets: Record<string, string> = { SECRETS_KEY: secretsKey, "key of the command": key };
  const serving = run(["serve"], settings);
  const url = () => /answers at (http:\S+)/.exec(serving.output.all)?.[1];
  await expect.poll(url).toBeTruthy();
  const base = url()!;

  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as any };
  };
  const ask = async (query: string, variables: object = {}, headers: Record<string, string> = {}) =>
    (await call("POST", "/graphql", { query, variables }, headers)).body;

  // Keys.
  const issued = await ask(`mutation { createApiKey(input: { name: "k", role: TECHNICIAN }) { key apiKey { id } } }`);
  secrets["issued key"] = issued.data.createApiKey.key;
  const rotated = await ask(`mutation { rotateApiKey(id: "${issued.data.createApiKey.apiKey.id}") { key } }`);
  secrets["rotated key"] = rotated.data.rotateApiKey.key;
  for (const [name, one] of Object.entries(secrets))
    if (name.includes("key of") || name.endsWith("key")) await call("GET", "/assets", undefined, { authorization: `Bearer ${one}` });
  await ask(`mutation { createApiKey(input: { name: "k", role: VIEWER }) { key } }`, {}, { "idempotency-key": "a" });
  await call("GET", `/assets?key=${key.slice(-64)}`, undefined, { authorization: `Bearer mg_${key.slice(3, 19)}_${"0".repeat(64)}` });

  // Client-supplied names that contain the key.
  await ask(`query ${key} { ${key}: assets(first: 1) { ${key}: nodes { ${key}: name } } }`);

  // Webhooks with a signed delivery, with and without an encryption key.
  const hook = await receiver((n) => (n === 1 ? 500 : 204), "an answer");
  const create = `mutation ($url: URL!) { createWebhook(input: { url: $url, events: [NOTIFICATION_RAISED, ASSET_STATUS_CHANGED] }) { secret webhook { id } } }`;
  const webhook = (await ask(create, { url: hook.url })).data.createWebhook;
  secrets["secret of a webhook"] = webhook.secret;
  secrets["secret of a webhook that was replaced"] = (
    await ask(`mutation { rotateWebhookSecret(id: "${webhook.webhook.id}") { secret } }`)
  ).data.rotateWebhookSecret.secret;
  expect((await ask(create, { url: hook.url }, { "idempotency-key": "b" })).errors).toHaveLength(1);

  // Writes with a stored response, uploads, signed links.
  const asset = await call("POST", "/assets", { name: "Pump", type: "pump" }, { "idempotency-key": "c" });
  await call("PUT", `/assets/${asset.body.id}`, { status: "maintenance" }, { "idempotency-key": "d" });
  const file = await image();
  const upload = await ask(
    `mutation ($id: ID!, $size: Int!) { createPhotoUpload(owner: { assetId: $id }, input: { filename: "a.jpg", contentType: "image/jpeg", size: $size }) { mediaId uploadUrl fields } }`,
    { id: asset.body.id, size: file.length },
    { "idempotency-key": "e" },
  );
  const { mediaId, uploadUrl, fields } = upload.data.createPhotoUpload;
  expect((await fetch(uploadUrl, { method: "POST", body: formOf(fields, file) })).status).toBe(204);
  const photo = await call("POST", `/assets/${asset.body.id}/photos`, { mediaId, filename: "a.jpg" }, { "idempotency-key": "f" });
  expect((await fetch(photo.body.url)).status).toBe(200);
  const signature = /signature=([^&]+)/.exec(photo.body.url)![1]!;

  // A person by token, a refused token, a WebSocket, and a logged failure.
  secrets.token = await issuer.token({ tenant: "plant", role: "admin", name: "Anna" });
  expect((await call("GET", "/assets", undefined, { authorization: `Bearer ${secrets.token}` })).status).toBe(200);
  secrets["expired token"] = await issuer.token({ tenant: "plant", role: "admin", exp: 1 });
  expect((await call("GET", "/assets", undefined, { authorization: `Bearer ${secrets["expired token"]}` })).status).toBe(401);
  const socket = new WebSocket(`${base.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${key}` } }));
  await once(socket, "message");
  socket.close();
  await expect.poll(() => hook.accepted.length).toBeGreaterThan(0);
  const { headers, body } = hook.accepted[0]!;
  const signed = createHmac("sha256", Buffer.from(secrets["secret of a webhook that was replaced"]!.slice(6), "base64"))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
    .digest("base64");
  expect(String(headers["webhook-signature"]).split(" ")).toContain(`v1,${signed}`);
  await sleep(300);
  serving.child.kill("SIGTERM");
  await serving.ended;

  const database = await openDatabase(readConfig(settings), () => {});
  secrets["secret that signs uploads and links"] = await tenantSecret(database, "plant");
  const dumped = await dump(database).finally(() => database.close());
  for (const one of ["Pump", `"IdempotencyKey"`]) expect(dumped).toContain(one);
  // Excludes chance matches in the middle of a hash.
  expect(dumped).not.toMatch(/(?<![\w-])mg_/);
  for (const one of [`"level":`, `"slow operation"`, `"operationName":"[secret]"`]) expect(serving.output.all).toContain(one);
  const places = { "the database": dumped, "the log": serving.output.all };
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) => {
      // The secret part of a key, or a webhook secret without its prefix, is as useful as the whole.
      const usable = secret.replace(/^(mg_[0-9a-f]{16}_|whsec_)/, "");
      return text.includes(usable) ? [`${name} in ${place}`] : [];
    }),
  );
  expect(found).toEqual([]);
  expect(serving.output.all).not.toContain(signature);
});
