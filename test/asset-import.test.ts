import { expect, test } from "vitest";
import { startGateway } from "./world.js";

const gateway = await startGateway();
const csv = { "content-type": "text/csv" };

test("good rows are imported beside bad ones, each error naming row, field and value", async () => {
  const tenant = await gateway.newTenant();
  await tenant.createAsset({ serialNumber: "OLD" });
  const file =
    "\ufeffname,type,location,serialNumber,manufacturer,model,installDate\r\n" +
    'P-1,pump,"Hall, 1",S1,Alfa,M1,2020-02-29\r\n' +
    ',pump,,S2,,,\r\nP-3,pump,,S1,,,\r\nP-4,pump,,OLD,,,\r\nP-5,pump,,S5,,,2021-02-29\r\nP-6,pump\r\n"P\n7",pump,,,,,\r\n';
  const { status, body } = await tenant.rest("POST", "/assets/import", file, csv);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toEqual({
    imported: 2,
    failed: 5,
    errors: [
      { row: 3, field: "name", message: "is required", value: "" },
      { row: 4, field: "serialNumber", message: "stands in row 2 already", value: "S1" },
      { row: 5, field: "serialNumber", message: "already exists; use mode=upsert to update", value: "OLD" },
      { row: 6, field: "installDate", message: expect.stringContaining("ISO 8601"), value: "2021-02-29" },
      { row: 7, message: "has 2 columns, the header 7" },
    ],
    assets: [
      { id: expect.any(String), name: "P-1", type: "pump" },
      { id: expect.any(String), name: "P\n7", type: "pump" },
    ],
  });
});

test("export and upsert change nothing", async () => {
  const tenant = await gateway.newTenant();
  await tenant.createAsset({ name: "=1+1", serialNumber: "-5", site: "@x", specifications: { a: 'b;c,"d"' }, installDate: "2020-01-01" });
  await tenant.createAsset({ name: "'=quoted", serialNumber: "2", status: "offline", lastMaintenanceDate: "2021-05-01T10:20:30.123Z" });
  const { exportAssets } = await tenant.ask("{ exportAssets }");
  const before = await tenant.snapshot();
  const { body } = await tenant.rest("POST", "/assets/import?mode=upsert", exportAssets, csv);
  expect(body).toEqual({ imported: 2, failed: 0, errors: [], assets: [] });
  expect(await tenant.snapshot()).toEqual(before);
  const other = await gateway.newTenant();
  expect((await other.rest("POST", "/assets/import", exportAssets, csv)).body).toMatchObject({ imported: 2, failed: 0 });
  expect((await other.ask("{ exportAssets }")).exportAssets).toBe(exportAssets);
});

/** The embedded database takes a tenth: the same rows at a tenth of the time. */
const rows = gateway.database.home === "postgresql" ? 100_000 : 10_000;

test("many rows, some of them bad: the good ones come in, and again as upsert change nothing", { timeout: 300_000 }, async () => {
  const tenant = await gateway.newTenant();
  const lines = ["name,type,serialNumber"];
  for (let i = 1; i <= rows; i++) lines.push(i % 1000 ? `Asset ${i},pump,N${i}` : `,pump,N${i}`);
  const file = lines.join("\n");
  const { body } = await tenant.rest("POST", "/assets/import", file, csv);
  expect([body.imported, body.failed, body.errors.length]).toEqual([rows * 0.999, rows / 1000, rows / 1000]);
  const again = await tenant.rest("POST", "/assets/import?mode=upsert", file, csv);
  expect(again.body).toMatchObject({ imported: rows * 0.999, failed: rows / 1000, assets: [] });
});
