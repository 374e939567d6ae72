/** A database behind a pooler: each statement carries its settings, and the session keeps none. test/scale uses a real pooler. */
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.js";
import { openPostgresql } from "../../src/database/connection/postgresql.js";
import { writeAs } from "../../src/database/records/author.js";
import { startGateway } from "../world.js";

const { database, config } = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

describe.runIf(database.kind === "postgresql")("a session that belongs to a pooler", () => {
  const url = config.DATABASE_URL ?? "postgresql://-";
  const pooled = openPostgresql({ url, directUrl: url, connections: 1, statementTimeout: 400 });
  afterAll(() => pooled.close());

  const read = `current_setting('statement_timeout') as timeout, coalesce(current_setting('gateway.author', true), '') as author`;

  it("has no prepared statements, even for repeated texts", async () => {
    for (let i = 0; i < 5; i++) {
      await pooled.query("select $1::int as i", [i]);
      await writeAs({ by: "me", source: "command" }, () => pooled.query("with one as (select 1) select from one"));
    }
    const prepared = await pooled.query(`select statement from pg_prepared_statements`);
    expect(prepared).toEqual([]);
  });

  it("gets the timeout and the author with each statement, only for its transaction", async () => {
    expect(await pooled.query(`select ${read}`)).toEqual([{ timeout: "400ms", author: "" }]);
    const inside = await writeAs({ by: "me", source: "command" }, () =>
      pooled.transaction(async (tx) => [
        ...(await tx.query<any>(`select ${read}`)),
        ...(await tx.query<any>(`with one as (select 1) select ${read} from one`)),
      ]),
    );
    expect(inside).toEqual([
      { timeout: "400ms", author: "" },
      { timeout: "400ms", author: '{"by":"me","source":"command"}' },
    ]);
    await expect(pooled.query("select pg_sleep(5)")).rejects.toMatchObject({ code: "57014" });
    await expect(pooled.transaction((tx) => tx.query("select pg_sleep(5)"))).rejects.toMatchObject({ code: "57014" });
  });
});

it("settings of pooler and replica require the database's", () => {
  expect(() => readConfig({ DATABASE_DIRECT_URL: "postgresql://x" })).toThrow(
    "wrong configuration: DATABASE_DIRECT_URL: needs DATABASE_URL beside it, the pooler's",
  );
  expect(() => readConfig({ DATABASE_REPLICA_URL: "postgresql://x" })).toThrow(
    "wrong configuration: DATABASE_REPLICA_URL: needs DATABASE_URL beside it, the primary's",
  );
  expect(() => readConfig({ REPLICA_MAX_LAG_SECONDS: "0" })).toThrow(
    "wrong configuration: REPLICA_MAX_LAG_SECONDS: must be a whole number from 1 to 86400",
  );
});
