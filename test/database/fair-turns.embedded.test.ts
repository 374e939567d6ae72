/** The embedded database runs one statement at a time. Requests that wait for their turn keep their own author. */
import { expect, it } from "vitest";
import { startGateway } from "../world.js";

it("writes of several tenants at once are logged with their own author, beside long statements", async () => {
  // On a slow machine the last request waits for long.
  const gateway = await startGateway({ QUEUE_SECONDS: "300" });
  const tenants = await Promise.all(Array.from({ length: 4 }, () => gateway.newTenant()));
  const rows = Array.from({ length: 300 }, (_, i) => `Bulk ${i},pump,North`).join("\n");
  await Promise.all(
    tenants.flatMap((tenant, t) => [
      // Longer than other calls take to arrive.
      tenant.rest("POST", "/assets/import", `name,type,site\n${rows}\n`, { "content-type": "text/csv" }),
      ...Array.from({ length: 10 }, (_, i) => tenant.createAsset({ name: `Own ${t} ${i}` })),
    ]),
  );
  const wrong = await gateway.database.query(
    `select c."tenantId", c."changedBy" from "Change" c join "Principal" p on p.id = c."changedBy"
     where c."recordType" = 'Asset' and p."tenantId" <> c."tenantId"`,
  );
  expect(wrong).toEqual([]);
  const authors = await gateway.database.query<{ assets: string; authors: string }>(
    `select count(*)::int as assets, count(distinct "changedBy")::int as authors from "Change" where "recordType" = 'Asset' and "tenantId" = any($1) group by "tenantId"`,
    [tenants.map(({ tenantId }) => tenantId)],
  );
  expect(authors).toEqual(tenants.map(() => ({ assets: 310, authors: 1 })));
});
