/** A connection of PostgreSQL keeps the prepared statements that were used last. */
import { afterAll, describe, expect, it } from "vitest";
import { openPostgresql } from "../../src/database/postgresql.js";
import { startGateway } from "../world.js";

const { database, config } = await startGateway();
const isPostgresql = database.kind === "postgresql";

describe.runIf(isPostgresql)("prepared statements", () => {
  const single = openPostgresql({ url: config.DATABASE_URL ?? "postgresql://-", connections: 1, statementTimeout: 5_000 });
  afterAll(() => single.close());

  const kept = async () => Number((await single.query<any>(`select count(*) as count from pg_prepared_statements`))[0].count);
  const run = (from: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => single.query(`select ${from + i}::int as value`)));

  it("are at most a hundred, also those of different texts at once", async () => {
    await run(0, 500);
    expect(await kept()).toBeLessThanOrEqual(101);
    expect((await run(0, 500)).map(([row]: any) => row.value)).toEqual(Array.from({ length: 500 }, (_, i) => i));
  });

  it("are closed in a transaction too, also one that was never prepared", async () => {
    await single
      .transaction((tx) => Promise.all([tx.query("select 1 / 0"), tx.query("select 4711 as never_prepared")]))
      .catch(() => undefined);
    await run(1_000, 98);
    const rows = await single.transaction(async (tx) => {
      const answers: unknown[] = [];
      for (let i = 0; i < 10; i++) answers.push(...(await tx.query(`select ${2_000 + i}::int as value`)));
      return answers;
    });
    expect(rows).toHaveLength(10);
    await run(3_000, 10);
    expect(await kept()).toBeLessThanOrEqual(101);
  });
});
