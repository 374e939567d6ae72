/** Responses while the database or a disk is full, or the role is refused. Nothing is stored (docs/operations/database.md). */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { openEmbedded } from "../../src/database/connection/embedded.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { addPhoto, image, photoRows, uploadInOneStep } from "../files/photos.js";
import { makeRole, onServer } from "../prepare.js";
import { freshDatabase, type Gateway, onPostgresql, startGateway } from "../world.js";

const readiness = async ({ url }: Gateway) => {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, body: (await response.json()) as any };
};

afterEach(() => vi.restoreAllMocks());

/** Makes each insert of an asset fail with the server's own error. */
const failingInserts = (sqlState: string) => `
  create or replace function fault() returns trigger language plpgsql as $$ begin raise exception 'could not extend file' using errcode = '${sqlState}'; end $$;
  create trigger fault before insert on "Asset" for each row execute function fault()`;

test.each([
  [
    "53100",
    "DATABASE_FULL",
    "The database has no space left, so nothing was stored; an operator has to make room",
    "The database has no space left on its disk",
  ],
  [
    "53200",
    "DATABASE_OUT_OF_MEMORY",
    "The database has no memory left for this; ask for less, or try again later",
    "The database has no memory left",
  ],
])("a statement that ends with %s", async (sqlState, reason, error, message) => {
  const gateway = await startGateway();
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const before = await tenant.snapshot("Asset");
  for (const statement of failingInserts(sqlState).split(/;(?=\s*create trigger)/)) await gateway.database.query(statement);

  const refused = await tenant.rest("POST", "/assets", { name: "Fan", type: "fan" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
  const context = { reason, retryAfter: 30, code: "SERVICE_UNAVAILABLE" };
  expect(refused.body).toEqual({ error, ...context, requestId: expect.any(String) });
  const { status, data, errors } = await tenant.graphql('mutation { createAsset(input: { name: "Fan", type: "fan" }) { id } }');
  expect([status, data, errors]).toEqual([503, { createAsset: null }, [expect.objectContaining({ message: error, extensions: context })]]);
  expect((await tenant.rest("GET", `/assets/${id}`)).status).toBe(200);
  expect(await readiness(gateway)).toMatchObject({ status: 503, body: { error: message, reasons: [{ code: reason, message }] } });

  await gateway.database.query(`drop trigger fault on "Asset"`);
  expect(await tenant.snapshot("Asset")).toEqual(before);
  expect((await tenant.rest("POST", "/assets", { name: "Fan", type: "fan" })).status).toBe(201);
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 31_000);
  expect((await readiness(gateway)).status).toBe(200);
});

test.runIf(onPostgresql)("a role that the server refuses while the service runs", async () => {
  const role = `gateway_test_refused_${process.pid}`;
  await makeRole(role);
  const { environment, remove } = await freshDatabase(true);
  const url = new URL(environment.DATABASE_URL!);
  url.username = url.password = role;
  const gateway = await startGateway({ ...environment, DATABASE_URL: url.href });
  try {
    const tenant = await gateway.newTenant();
    expect((await tenant.rest("GET", "/assets")).status).toBe(200);
    await onServer(`alter role ${role} nologin`);
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
    const reason = "DATABASE_ACCESS_REFUSED";
    await expect.poll(async () => (await tenant.rest("GET", "/assets")).body.reason).toBe(reason);
    const refused = await tenant.rest("GET", "/assets");
    const error = "The database refuses the service; the operator must correct its role or settings";
    expect(refused.body).toEqual({ error, reason, retryAfter: 30, code: "SERVICE_UNAVAILABLE", requestId: expect.any(String) });
    expect((await readiness(gateway)).body.reasons.map(({ code }: any) => code)).toEqual([reason]);
    await onServer(`alter role ${role} login`);
    await expect.poll(async () => (await tenant.rest("GET", "/assets")).status).toBe(200);
  } finally {
    await remove();
    await onServer(`drop role ${role}`);
  }
});

/** A disk of 2 MB, if the machine allows it. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "gateway-disk-"));
  afterAll(() => {
    execFileSync("umount", ["-l", folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    return undefined;
  }
}
const disk = onPostgresql ? smallDisk() : undefined;

/** The warnings of /ready about disks. It is 200 in spite of them. */
async function readyWarnings({ url }: { url: string }): Promise<unknown[]> {
  const response = await fetch(`${url}/ready`);
  expect(response.status).toBe(200);
  const { warnings } = (await response.json()) as { warnings: { code: string }[] };
  return warnings.filter(({ code }) => code.startsWith("DISK_"));
}

test.runIf(disk)("a disk that takes no writes", async () => {
  const data = join(disk!, "read-only");
  mkdirSync(data);
  const gateway = await startGateway({ DATA_DIR: data });
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const before = await photoRows(tenant);
  execFileSync("mount", ["-o", "remount,ro", disk!]);
  try {
    const { errors } = await uploadInOneStep(tenant, id, await image("png"));
    const message = "The service cannot write to its disk, so nothing was stored; an operator has to make it writable";
    expect(errors).toEqual([
      expect.objectContaining({ message, extensions: { reason: "DISK_READ_ONLY", retryAfter: 30, code: "SERVICE_UNAVAILABLE" } }),
    ]);
    expect(await photoRows(tenant)).toEqual(before);
    expect(await readyWarnings(gateway)).toEqual([{ code: "DISK_READ_ONLY", message }]);
    expect((await tenant.ask("query ($id: ID!) { asset(id: $id) { id } }", { id })).asset).toEqual({ id });
    // On PostgreSQL a service starts and reads. The embedded database is in the folder itself.
    await (await openDatabase(gateway.config, () => {})).close();
    await expect(openEmbedded(data)).rejects.toThrow(
      `the data folder ${data} cannot be written (EROFS); set DATA_DIR to a folder that the service may write`,
    );
  } finally {
    execFileSync("mount", ["-o", "remount,rw", disk!]);
  }
});

test.runIf(disk)("a disk without room for a file", async () => {
  mkdirSync(join(disk!, "data"));
  const gateway = await startGateway({ DATA_DIR: join(disk!, "data") });
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  await addPhoto(tenant, id);
  const before = await photoRows(tenant);
  expect(await readyWarnings(gateway)).toEqual([]);
  const large = Buffer.concat([await image("png"), Buffer.alloc(3_000_000)]);
  const { errors } = await uploadInOneStep(tenant, id, large);
  const message = "The service has no space left on its disk, so nothing was stored; an operator has to make room";
  expect(errors).toEqual([
    expect.objectContaining({ message, extensions: { reason: "DISK_FULL", retryAfter: 30, code: "SERVICE_UNAVAILABLE" } }),
  ]);
  expect(await readyWarnings(gateway)).toEqual([{ code: "DISK_FULL", message }]);
  expect(await photoRows(tenant)).toEqual(before);
  expect((await tenant.rest("GET", `/assets/${id}`)).status).toBe(200);
  await addPhoto(tenant, id);
});
