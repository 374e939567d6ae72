/**
 * Responses are byte-identical for any session settings that `alter … set` gives the role or the database. A database with another encoding
 * than UTF-8 or another schema is rejected.
 */
import { randomBytes } from "node:crypto";
import { afterAll, expect, inject, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { withMigrations } from "../../src/database/migrations/status.js";
import { onServer, urlOf } from "../prepare.js";
import { Caller, onPostgresql, startGateway } from "../world.js";

/** Foreign values of each setting, and the values of our sessions. */
const settings: Record<string, [foreign: string, ours: string]> = {
  datestyle: ["German, DMY", "ISO, MDY"],
  intervalstyle: ["sql_standard", "postgres"],
  timezone: ["Pacific/Chatham", "UTC"],
  standard_conforming_strings: ["off", "on"],
  extra_float_digits: ["-10", "1"],
  bytea_output: ["escape", "hex"],
  array_nulls: ["off", "on"],
  transform_null_equals: ["on", "off"],
  default_transaction_isolation: ["serializable", "read committed"],
};
const shown = `select ${Object.keys(settings)
  .map((name) => `current_setting('${name}') as ${name}`)
  .join(", ")}`;
const each = (of: 0 | 1) => Object.fromEntries(Object.entries(settings).map(([name, values]) => [name, values[of]]));

async function answers(of: Caller, assetId: string): Promise<string[]> {
  const rest = await Promise.all(
    ["/assets", `/assets/${assetId}`, "/parts", "/pms", "/components"].map(async (path) => (await of.rest("GET", path)).body),
  );
  const graphql = await Promise.all(
    [
      `{ assets { nodes { id name installationDate createdAt updatedAt version readings { nodes { value recordedAt } } } } }`,
      `{ procedures { nodes { id name nextDue createdAt } } upcoming(days: 400) { dueDate reason } }`,
      `{ changes { nodes { recordId changedAt fields { field after } } } }`,
      `{ assets(filter: { search: "quoted" }) { nodes { id updatedAt } } }`,
    ].map((query) => of.ask(query)),
  );
  return [...rest, ...graphql].map((body) => JSON.stringify(body));
}

test.runIf(onPostgresql)("foreign settings of the database change no response", async () => {
  const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
  const caller = await gateway.newTenant();
  const { id } = await caller.createAsset({ name: "A 'quoted' \\ name", installDate: "2024-05-06" });
  await caller.createComponent({ assetId: id });
  const steps = [{ description: "Grease" }];
  await caller.rest("POST", "/pms", { name: "Grease", assetId: id, frequency: "monthly", steps });
  await caller.ask(
    `mutation ($id: ID!) { recordReadings(readings: [{ assetId: $id, parameter: "t", value: 0.1234567890123456, recordedAt: "2026-03-29T01:30:00.123Z" }]) { recorded } }`,
    { id },
  );
  const before = await answers(caller, id);
  const name = new URL(gateway.config.DATABASE_URL!).pathname.slice(1);
  for (const [setting, [foreign]] of Object.entries(settings))
    await onServer(`alter database ${name} set ${setting} = ${setting === "datestyle" ? foreign : `'${foreign}'`}`);
  expect(await onServer(shown, name), "it is so for others").toEqual([each(0)]);

  const later = await startGateway({ DATABASE_URL: gateway.config.DATABASE_URL!, WEBHOOK_POLL_MS: "3600000" });
  expect(await answers(new Caller(later, caller.tenantId, caller.key), id)).toEqual(before);
  expect(await later.database.query(shown)).toEqual([each(1)]);
});

const strange = `${inject("run")}_${randomBytes(4).toString("hex")}`;

afterAll(async () => {
  if (onPostgresql) await onServer(`drop database if exists ${strange} with (force)`);
});

/** The errors that a start and the commands `migrate apply` and `migrate check` report for the database. */
async function refusals(): Promise<unknown[]> {
  const config = readConfig({ DATABASE_URL: urlOf(strange) });
  const failure = (work: Promise<unknown>) => work.then(String, ({ message }: Error) => message);
  return [
    await failure(openDatabase(config, () => {})),
    await failure(
      withMigrations(
        config,
        () => {},
        ({ apply }) => apply(),
      ),
    ),
    await failure(
      withMigrations(
        config,
        () => {},
        ({ check }) => check(),
      ),
    ),
  ];
}

test.runIf(onPostgresql)("a database that is not in UTF-8 is rejected, and so is one whose tables would not be in public", async () => {
  await onServer(`create database ${strange} encoding 'LATIN1' locale 'C' template template0`);
  const encoding = "the database has the encoding LATIN1; make one with UTF8: create database … encoding 'UTF8' template template0";
  expect(await refusals()).toEqual([encoding, encoding, encoding]);
  await onServer(`drop database ${strange}`);
  await onServer(`create database ${strange} template template0`);
  await onServer(`create schema mine`, strange);
  await onServer(`alter database ${strange} set search_path = mine, public`);
  const schema = (found: string) =>
    `the service has its tables in the schema public, and the role's search_path ${found}; put public first: alter role … in database … set search_path = public`;
  expect(await refusals()).toEqual(Array(3).fill(schema("begins with mine")));
  await onServer(`alter database ${strange} set search_path = nowhere`);
  expect(await refusals()).toEqual(Array(3).fill(schema("names none that it may use")));
  expect(await onServer(`select relname from pg_class where relkind = 'r' and relnamespace > 16383`, strange), "nothing is made").toEqual(
    [],
  );
});
