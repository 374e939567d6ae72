// Growth of resident memory while a gateway imports 100,000 rows, then upserts them. Expected: below 100 MB each. A small import is the
// warm-up.
import { spawnGateway } from "../gateway.mjs";

export default async function importMemory({ newTenant, databaseUrl }) {
  const { headers } = await newTenant("import-memory");
  const file = (rows) =>
    [
      "name,type,location,serialNumber,manufacturer,model,installDate",
      ...Array.from(
        { length: rows },
        (_, i) => `Asset ${i},pump,Hall ${i % 50},SN-${i},Maker ${i % 9},Model ${i % 90},2020-0${(i % 9) + 1}-15`,
      ),
    ].join("\n");
  const gateway = await spawnGateway(databaseUrl);
  try {
    const send = async (rows, query) => {
      const response = await fetch(`${gateway.address}/assets/import?${query}`, {
        method: "POST",
        headers: { ...headers, "content-type": "text/csv" },
        body: file(rows),
      });
      const { imported, ...rest } = await response.json();
      if (imported !== rows) throw new Error(`imported ${imported}: ${JSON.stringify(rest).slice(0, 500)}`);
    };
    await send(5_000, "dryRun=true");
    return {
      "100,000 rows": await gateway.growth(() => send(100_000, "mode=create")),
      "the same as upsert": await gateway.growth(() => send(100_000, "mode=upsert")),
    };
  } finally {
    await gateway.stop();
  }
}
