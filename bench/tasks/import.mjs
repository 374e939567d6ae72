// POST /assets/import of 100,000 rows against COPY of the same rows into the same table. Expected: ratio at most 4. New tenants per round.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default async function importing({ newTenant, compare, databaseUrl, database }) {
  const rows = Array.from(
    { length: 100_000 },
    (_, i) => `Asset ${i},pump,Hall ${i % 50},SN-${i},Maker ${i % 9},Model ${i % 90},2020-0${(i % 9) + 1}-15`,
  );
  const csv = ["name,type,location,serialNumber,manufacturer,model,installDate", ...rows].join("\n");
  let round = 0;
  const rss = { before: process.memoryUsage().rss, peak: 0 };
  const watch = setInterval(() => (rss.peak = Math.max(rss.peak, process.memoryUsage().rss)), 50);
  const result = await compare(
    {
      gateway: async () => {
        const { headers, address } = await newTenant(`import${round++}`);
        const response = await fetch(`${address}/assets/import`, {
          method: "POST",
          headers: { ...headers, "content-type": "text/csv" },
          body: csv,
        });
        const { imported } = await response.json();
        if (imported !== 100_000) throw new Error(`imported ${imported}`);
      },
      COPY: async () => {
        const { tenantId } = await newTenant(`copy${round++}`);
        const file = join(tmpdir(), `gateway-bench-${process.pid}.csv`);
        writeFileSync(file, rows.map((row, i) => `${tenantId},a${i},${row},operational`).join("\n"));
        execFileSync("psql", [
          databaseUrl,
          "-q",
          "-c",
          `\\copy "Asset" ("tenantId", id, name, type, location, "serialNumber", manufacturer, model, "installationDate", status) from '${file}' csv`,
        ]);
      },
    },
    3,
  );
  clearInterval(watch);
  await database.query("vacuum analyze");
  return {
    ...result,
    "peak MB above start (bench and gateway in one process)": { ms: Math.round((rss.peak - rss.before) / 1e6), ratio: "" },
  };
}
