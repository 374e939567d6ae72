/** A storage that does not respond delays only the requests that need it. A write with files and an Idempotency-Key runs once. */
import { createServer, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import { deleteExpiredKeys } from "../../src/execution/operation/idempotency.js";
import { type Caller, onPostgresql, type RestResponse, startGateway } from "../world.js";
import { grantFor, image, uploaded } from "./photos.js";

const key = (value: string) => ({ "idempotency-key": value });

/** An S3 server that accepts connections and never responds. `drop` closes the waiting connections. */
async function silentServer(): Promise<{ url: string; waiting(): number; accepted(): number; drop(): void }> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted++;
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  afterAll(() => {
    drop();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    waiting: () => sockets.size,
    accepted: () => accepted,
    drop,
  };
}

const silent = await silentServer();
const behind = await startGateway({
  S3_BUCKET: "photos",
  S3_ENDPOINT: silent.url,
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "secret",
  DATABASE_CONNECTIONS: "2",
  METRICS_TOKEN: "a-token-of-the-tests",
});
const local = await startGateway();

const registerWith = (caller: Caller, assetId: string, mediaId: string, headers: Record<string, string>) =>
  caller.rest("POST", `/assets/${assetId}/photos`, { mediaId, filename: "a.jpg" }, headers);

/** Number of registrations that wait for the storage. */
const photos = (caller: Caller) =>
  caller.gateway.database.query<any>(
    `select id, "storageKey", "thumbnailKey", "uploadedAt" from "Photo" where "tenantId" = $1 order by id`,
    [caller.tenantId],
  );

test("registrations that wait for S3 hold no connection, and get 503 once S3 is known to be unavailable", async () => {
  const tenant = await behind.newTenant();
  const bystander = await behind.newTenant();
  const { id } = await tenant.createAsset();
  const grants = [];
  for (let i = 0; i < 6; i++) grants.push(await grantFor(tenant, id, 10));
  const before = await photos(tenant);
  const registrations = grants.map(({ mediaId }, i) => registerWith(tenant, id, mediaId, i ? key(`k${i}`) : {}));
  await expect.poll(silent.waiting).toBe(6);
  let answered = 0;
  for (const one of registrations) void one.then(() => answered++);
  for (let i = 0; i < 3; i++) await bystander.createAsset({ name: `B${i}` });
  expect(answered).toBe(0);
  // The same request again, and another request with the key of the running one.
  for (const path of [`/assets/${id}/photos`, `/assets/${id}/photos?x=1`]) {
    const { status, body } = await tenant.rest("POST", path, { mediaId: grants[1]!.mediaId, filename: "a.jpg" }, key("k1"));
    expect([status, body.error]).toEqual([409, "A request with this Idempotency-Key is still running"]);
  }
  const ended = setInterval(silent.drop, 100);
  const answers = await Promise.all(registrations);
  clearInterval(ended);
  const expectAway = ({ status, headers, body }: Pick<RestResponse, "status" | "headers" | "body">) =>
    expect([status, headers.get("retry-after"), body]).toEqual([
      503,
      "2",
      {
        error: "The file storage cannot be reached for the moment; try again shortly",
        code: "SERVICE_UNAVAILABLE",
        requestId: headers.get("x-request-id"),
      },
    ]);
  answers.forEach(expectAway);
  expect(await photos(tenant)).toEqual(before);
  expect(await behind.database.query(`select 1 from "IdempotencyKey" where "tenantId" = $1`, [tenant.tenantId])).toEqual([]);

  // The breaker is open: no connection is attempted.
  const accepted = silent.accepted();
  for (const { mediaId } of grants) expectAway(await registerWith(tenant, id, mediaId, {}));
  await behind.database.query(`update "Photo" set "uploadedAt" = now(), "thumbnailKey" = 'none' where "tenantId" = $1 and id = $2`, [
    tenant.tenantId,
    grants[0]!.mediaId,
  ]);
  const { asset } = await tenant.ask("query ($id: ID!) { asset(id: $id) { photos { url } } }", { id });
  const file = await fetch(asset.photos[0].url);
  expectAway({ status: file.status, headers: file.headers, body: await file.json() });
  expect(silent.accepted()).toBe(accepted);
  const { body } = await behind.rest("GET", "/metrics", undefined, { authorization: "Bearer a-token-of-the-tests" });
  const told = Object.fromEntries([...body.matchAll(/^gateway_storage_(\w+) (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]));
  expect(told).toEqual({ left_alone: 1, failures_total: 6, refused_total: 7 });
});

test("registering with a key happens once, and its files are there", async () => {
  const tenant = await local.newTenant();
  const { id } = await tenant.createAsset();
  const { mediaId } = await uploaded(tenant, id, await image());
  const answers = await Promise.all(Array.from({ length: 5 }, () => registerWith(tenant, id, mediaId, key("k"))));
  const done = answers.filter(({ status }) => status === 201);
  expect(done.length).toBeGreaterThan(0);
  for (const { status, body } of answers) expect([201, 409], JSON.stringify(body)).toContain(status);
  const again = await registerWith(tenant, id, mediaId, key("k"));
  expect([again.status, again.headers.get("idempotent-replayed"), again.body]).toEqual([201, "true", done[0]!.body]);
  for (const url of [again.body.url, again.body.thumbnailUrl]) expect((await fetch(url)).status).toBe(200);
  const other = await registerWith(tenant, id, mediaId, key("other"));
  expect([other.status, other.body.details]).toEqual([400, { mediaId: "names no open upload of this resource; request a new one" }]);
  expect((await fetch(again.body.url)).status).toBe(200);
});

test("a document with a rejected later field stores nothing, and its uploads can be registered again", async () => {
  const tenant = await local.newTenant();
  const { id } = await tenant.createAsset();
  const media = [await uploaded(tenant, id, await image()), await uploaded(tenant, id, await image("jpeg", 32, 32))].map(
    (one) => one.mediaId,
  );
  const before = await tenant.snapshot("Photo", "Asset");
  const send = (last: string, headers: Record<string, string>) =>
    fetch(`${local.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, ...headers },
      body: JSON.stringify({
        query: `mutation ($id: ID!) { createAsset(input: { name: "New", type: "t" }) { name }
          a: registerPhoto(owner: { assetId: $id }, input: { mediaId: "${media[0]}" }) { id } b: registerPhoto(owner: { assetId: $id }, input: { mediaId: "${media[1]}" }) { id } ${last} }`,
        variables: { id },
      }),
    }).then((response) => response.json() as any);
  const refused = await send(`deleteAsset(id: "none") { id }`, key("k"));
  expect(refused.errors.map(({ path, extensions }: any) => [path, extensions.code])).toEqual([[["deleteAsset"], "NOT_FOUND"]]);
  const without = (rows: any) => rows.Photo.map(({ updatedAt, ...photo }: any) => photo);
  const after = await tenant.snapshot("Photo", "Asset");
  expect([after.Asset, without(after)]).toEqual([before.Asset, without(before)]);
  const stored = await send("", key("l"));
  expect(stored).toEqual({ data: { createAsset: { name: "New" }, a: { id: media[0] }, b: { id: media[1] } } });
  expect(await send("", key("l"))).toEqual(stored);
  expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(2);
});

test("a process that dies midway holds the key for a minute; the repeated request continues", async () => {
  const tenant = await local.newTenant();
  const { id } = await tenant.createAsset();
  const { mediaId } = await uploaded(tenant, id, await image());
  const first = await registerWith(tenant, id, mediaId, key("k"));
  // The state that a process leaves if it stores the files and dies before the transaction.
  const leave = (ends: string) =>
    local.database.query(
      `update "IdempotencyKey" set status = 409, lease = 'of the dead', "leaseEndsAt" = now() + $2::interval where "tenantId" = $1`,
      [tenant.tenantId, ends],
    );
  await local.database.query(`update "Photo" set "uploadedAt" = null, "thumbnailKey" = null where "tenantId" = $1`, [tenant.tenantId]);
  await leave("1 second");
  const running = await registerWith(tenant, id, mediaId, key("k"));
  expect([running.status, running.body.error]).toEqual([409, "A request with this Idempotency-Key is still running"]);
  await leave("-1 second");
  const again = await registerWith(tenant, id, mediaId, key("k"));
  expect([again.status, again.headers.get("idempotent-replayed"), again.body.mediaId]).toEqual([201, null, first.body.mediaId]);
  for (const url of [again.body.url, again.body.thumbnailUrl]) expect((await fetch(url)).status).toBe(200);
  await deleteExpiredKeys(local.database);
  expect((await registerWith(tenant, id, mediaId, key("k"))).headers.get("idempotent-replayed")).toBe("true");
});

test("a rejected file is rejected the same way again", async () => {
  const tenant = await local.newTenant();
  const { id } = await tenant.createAsset();
  const { mediaId } = await uploaded(tenant, id, Buffer.from("no image at all"));
  const [first, second] = [await registerWith(tenant, id, mediaId, key("k")), await registerWith(tenant, id, mediaId, key("k"))];
  expect([first.status, Object.keys(first.body.details)]).toEqual([400, ["file"]]);
  expect([second.status, second.body, second.headers.get("idempotent-replayed")]).toEqual([400, first.body, "true"]);
  expect(await photos(tenant)).toEqual([]);
});

test.runIf(onPostgresql)("an import reads its body before its transaction", async () => {
  const tenant = await behind.newTenant();
  const bystander = await behind.newTenant();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const slow = (headers: Record<string, string>) => {
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode("name,type\n"));
        await released;
        controller.enqueue(new TextEncoder().encode("A,a\n"));
        controller.close();
      },
    });
    return fetch(`${behind.url}/assets/import`, {
      method: "POST",
      headers: { "content-type": "text/csv", authorization: `Bearer ${tenant.key}`, ...headers },
      body,
      duplex: "half",
    } as RequestInit);
  };
  const imports = [slow({}), slow(key("a")), slow(key("b"))];
  await new Promise((resolve) => setTimeout(resolve, 300));
  let answered = 0;
  for (const one of imports) void one.then(() => answered++);
  await bystander.createAsset();
  expect(answered).toBe(0);
  release();
  for (const answer of await Promise.all(imports)) expect([answer.status, ((await answer.json()) as any).imported]).toEqual([200, 1]);
});
