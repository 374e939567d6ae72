// POST /assets/import of 100,000 rows, compared with COPY into a staging table and one insert-select. Expected: ratio at most 1.5. COPY
// into "Asset" itself, from a file that contains the ids, is for information. Each round uses new tenants.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default async function importing({ newTenant, compare, databaseUrl, database }) {
  const rows = Array.from(
    { length: 100_000 },
    (_, i) => `Asset ${i},pump,Hall ${i % 50},SN-${i},Maker ${i % 9},Model ${i % 90},2020-0${(i % 9) + 1}-15`,
  );
  const csv = ["name,type,location,serialNumber,manufacturer,model,installDate", ...rows].join("\n");
  const file = join(tmpdir(), `gateway-bench-${process.pid}.csv`);
  /** Writes the file to copy, then runs the commands in one psql session. */
  const psql = (text, ...commands) => {
    writeFileSync(file, text);
    execFileSync("psql", [databaseUrl, "-q", "-v", "ON_ERROR_STOP=1", ...commands.flatMap((command) => ["-c", command])]);
  };
  // Like the gateway's ids, these begin with the time: purely random ids take a third more time in the indexes.
  const id = "to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint) || right(gen_random_uuid()::text, 23)";
  let round = 0;
  const rss = { before: process.memoryUsage().rss, peak: 0 };
  const watch = setInterval(() => (rss.peak = Math.max(rss.peak, process.memoryUsage().rss)), 50);
  const result = await compare(
    {
      COPY: async () => {
        const { tenantId } = await newTenant(`copy${round++}`);
        psql(
          rows.map((row, i) => `${tenantId},a${i},${row},operational`).join("\n"),
          `\\copy "Asset" ("tenantId", id, name, type, location, "serialNumber", manufacturer, model, "installationDate", status) from '${file}' csv`,
        );
      },
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
      "COPY and insert-select": async () => {
        const { tenantId } = await newTenant(`staged${round++}`);
        psql(
          csv,
          `create temporary table staging (name text, type text, location text, "serialNumber" text, manufacturer text, model text, "installDate" timestamptz)`,
          `\\copy staging from '${file}' csv header`,
          `insert into "Asset" ("tenantId", id, name, type, location, "serialNumber", manufacturer, model, "installationDate", "updatedBy")
           select '${tenantId}', ${id}, name, type, location, "serialNumber", manufacturer, model, "installDate", 'bench' from staging`,
        );
      },
    },
    3,
    1,
  );
  rmSync(file);
  clearInterval(watch);
  await database.query("vacuum analyze");
  return {
    ...result,
    "peak MB above start (bench and gateway in one process)": { ms: Math.round((rss.peak - rss.before) / 1e6), ratio: "" },
  };
}
