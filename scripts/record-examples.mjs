// Records the examples of /openapi.json on a separate demo plant: `npm run examples`. One operation per line, for readable diffs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordExamples } from "./examples.mjs";
import { root } from "./stale.mjs";

const built = (file) => import(join(root, "dist", file));
const folder = mkdtempSync(join(tmpdir(), "examples-"));
try {
  await import("reflect-metadata");
  const [{ readConfig }, { openDatabase }, { prepareDemo }, { buildGateway }] = await Promise.all(
    ["config.js", "database/connection/open.js", "cli/demo.js", "server/http.js"].map(built),
  );
  const config = readConfig({ DATA_DIR: folder, PORT: "0", LOG_LEVEL: "silent", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" });
  const database = await openDatabase(config, () => {});
  const key = await prepareDemo(database, folder);
  const app = await buildGateway({ config, database });
  const { examples } = await recordExamples(await app.listen({ host: "127.0.0.1", port: 0 }), key);
  await app.close();
  await database.close();
  const lines = Object.entries(examples)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, example]) => `${JSON.stringify(name)}: ${JSON.stringify(example)}`);
  writeFileSync(join(root, "src/rest-compat/openapi/examples.json"), `{\n${lines.join(",\n")}\n}\n`);
  process.stdout.write(`${lines.length} examples\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
