// Starts the built gateway on a new database and runs the tasks named on the command line, by default all.
import { readdirSync } from "node:fs";
import { readConfig } from "../dist/config.js";
import { openDatabase } from "../dist/database/connection/open.js";
import { ensureTenant, insertKey } from "../dist/database/records/directory.js";
import { buildGateway } from "../dist/server/http.js";
import { onServer, urlOf } from "./database.mjs";
import { median } from "./requests.mjs";

const name = `gateway_bench_${process.pid}`;
const url = urlOf(name);

/** Runs the subjects in turn. Returns each one's median time in ms, and its median ratio to the last subject, computed per round. */
export async function compare(subjects, rounds = 30, warmUps = 3) {
  const names = Object.keys(subjects);
  for (const name of names) for (let i = 0; i < warmUps; i++) await subjects[name]();
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const start = performance.now();
      await subjects[name]();
      times[name].push(performance.now() - start);
    }
  }
  const base = times[names.at(-1)];
  return Object.fromEntries(
    names.map((name) => [
      name,
      { ms: +median(times[name]).toFixed(2), ratio: +median(times[name].map((time, i) => time / base[i])).toFixed(2) },
    ]),
  );
}

await onServer(`create database ${name}`);
const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent", PORT: "0" });
const database = await openDatabase(config, () => {});
const app = await buildGateway({ config, database });
try {
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  const newTenant = async (tenantId) => {
    await ensureTenant(database, tenantId);
    const key = await insertKey(database, tenantId, { name: "bench", role: "admin", sites: [] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const get = async (path) => {
      const response = await fetch(address + path, { headers });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text;
    };
    const graphql = async (query, variables) => {
      const response = await fetch(`${address}/graphql`, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
      const text = await response.text();
      if (text.startsWith('{"errors"')) throw new Error(text);
      return text;
    };
    return { tenantId, get, graphql, headers, address };
  };
  const selected = process.argv.slice(2);
  for (const file of readdirSync(new URL("tasks/", import.meta.url)).sort()) {
    if (selected.length && !selected.includes(file.replace(".mjs", ""))) continue;
    const { default: run } = await import(new URL(`tasks/${file}`, import.meta.url));
    console.log(file.replace(".mjs", ""));
    console.table(await run({ database, newTenant, compare, databaseUrl: url }));
  }
} finally {
  await app.close();
  await database.close();
  await onServer(`drop database ${name} with (force)`);
}
