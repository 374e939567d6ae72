/** A connection keeps a limited number of prepared statements: the most recently reused ones. */
import { afterAll, describe, expect, it } from "vitest";
import { openPostgresql } from "../../src/database/connection/postgresql.js";
import { startGateway } from "../world.js";

const { database, config } = await startGateway();
const isPostgresql = database.kind === "postgresql";
const lonely = await startGateway({ DATABASE_CONNECTIONS: "1" });

describe("prepared statements", () => {
  // The embedded database has one connection.
  const single = isPostgresql ? openPostgresql({ url: config.DATABASE_URL!, connections: 1, statementTimeout: 5_000 }) : database;
  afterAll(() => (single === database ? undefined : single.close()));

  const kept = async () => Number((await single.query<any>(`select count(*) as count from pg_prepared_statements`))[0].count);
  const run = (from: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => single.query(`select ${from + i}::int as value`)));

  it("number at most a hundred, even for concurrent different texts", async () => {
    for (let use = 0; use < 3; use++) await run(0, 500);
    expect(await kept()).toBeGreaterThan(90);
    expect(await kept()).toBeLessThanOrEqual(101);
    expect((await run(0, 500)).map(([row]: any) => row.value)).toEqual(Array.from({ length: 500 }, (_, i) => i));
  });

  it("are not created for texts sent once or twice", async () => {
    const named = () => single.query(`select from pg_prepared_statements where statement ~ '^select 10\\d{3}::int'`);
    await run(10_000, 300);
    await run(10_000, 300);
    expect(await named()).toHaveLength(0);
    await run(10_000, 3);
    expect(await named()).toHaveLength(3);
  });

  it("are few for 300 documents with different columns, and a document that is used again has one", async () => {
    const viewer = await (await lonely.newTenant()).as("viewer");
    const fields = ["id", "name", "type", "site", "area", "status", "model", "category", "location"];
    const chosen = (i: number) => `id ${fields.filter((_, bit) => i & (1 << bit)).join(" ")}`;
    const ask = (i: number) =>
      viewer.ask(`{ assets { nodes { ${chosen(i)} components { nodes { id name children { nodes { id } } } } } } }`);
    const names = async () =>
      (await lonely.database.query<{ statement: string }>("select statement from pg_prepared_statements")).map(
        ({ statement }) => statement,
      );
    for (let i = 0; i < 300; i++) await ask(i);
    // Includes the statements of jobs that ran meanwhile.
    expect((await names()).length).toBeLessThan(40);
    expect((await names()).filter((text) => text.includes("row_to_json"))).toEqual([]);
    for (let use = 0; use < 3; use++) await ask(299);
    expect((await names()).filter((text) => text.includes("row_to_json"))).toHaveLength(1);
    for (let use = 0; use < 3; use++) await viewer.rest("GET", "/parts?limit=7");
    expect((await names()).filter((text) => text.includes("limit 7"))).toHaveLength(1);
  });

  it("keep the plan of a loader's statement for one parent", async () => {
    const admin = await (await lonely.newTenant()).as("admin");
    const { createAsset: asset } = await admin.ask(`mutation { createAsset(input: { name: "Pump", type: "pump" }) { id } }`);
    for (const name of ["A", "B"])
      await admin.ask(`mutation { createComponent(input: { assetId: "${asset.id}", name: "${name}", type: "drive" }) { id } }`);
    const page = (rest: string) =>
      admin.ask(`{ asset(id: "${asset.id}") { components(first: 1${rest}) { pageInfo { endCursor } nodes { name } } } }`);
    const { endCursor } = (await page("")).asset.components.pageInfo;
    for (let use = 0; use < 12; use++) expect((await page(`, after: "${endCursor}"`)).asset.components.nodes).toEqual([{ name: "B" }]);
    const rows = await lonely.database.query<any>(
      `select generic_plans::int as kept, custom_plans::int as planned from pg_prepared_statements where statement ~ '"Component" c where .* k[.]k0'`,
    );
    // A loader's statement is prepared from its third use on, and other tests of this connection may have used it.
    expect(rows).toEqual([{ kept: expect.any(Number), planned: 5 }]);
    expect(rows[0].kept).toBeGreaterThanOrEqual(5);
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

  it("return the same after an error, after a rollback and with other values", async () => {
    const divide = (by: number | null) => single.query<{ value: number }>("select 12 / $1::int as value", [by]);
    for (const by of [1, 2, 3, 4]) expect(await divide(by)).toEqual([{ value: 12 / by }]);
    await expect(divide(0)).rejects.toThrow();
    await expect(single.transaction(() => divide(0))).rejects.toThrow();
    expect(await divide(6)).toEqual([{ value: 2 }]);
    expect(await divide(null)).toEqual([{ value: null }]);
    for (let use = 0; use < 3; use++) await expect(single.query("select nothing from nowhere where $1::int = 1", [1])).rejects.toThrow();
    const marked = ["\ufeffa", "\ufeff", "b\ufeff"];
    for (let use = 0; use < 4; use++)
      expect(await single.query(`select value from unnest($1::text[]) as value`, [marked])).toEqual(marked.map((value) => ({ value })));
  });
});
