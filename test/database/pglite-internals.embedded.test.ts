/** The members of PGlite that the service relies on. An update that moves one fails here. */
import { PGlite } from "@electric-sql/pglite";
import { expect, test } from "vitest";
import { createPglite } from "../../src/database/connection/embedded.js";
import { dropRowParsers } from "../../src/database/connection/pglite-internals.js";

const withPglite = async (open: Promise<PGlite>, work: (pglite: PGlite) => Promise<void>) => {
  const pglite = await open;
  try {
    await work(pglite);
  } finally {
    await pglite.close();
  }
};

const rowParsers = ({ parsers }: PGlite) => Object.keys(parsers).filter((oid) => Number(oid) >= 10_000);

test("PGlite has parsers of row types, and the service's instance has none", async () => {
  await withPglite(PGlite.create(), async (pglite) => {
    expect(rowParsers(pglite).length).toBeGreaterThan(0);
    dropRowParsers(pglite);
    expect(rowParsers(pglite)).toEqual([]);
  });
  await withPglite(createPglite(), async (pglite) => {
    expect(rowParsers(pglite)).toEqual([]);
    const { rows } = await pglite.query("select array[1, 2] as numbers, now() as now, '{\"a\": 1}'::jsonb as json");
    expect(rows).toEqual([{ numbers: [1, 2], now: expect.any(Date), json: { a: 1 } }]);
  });
});

test("a statement is prepared at its third use", async () => {
  await withPglite(createPglite(), async (pglite) => {
    const text = "select $1::int as value";
    const uses: unknown[] = [];
    for (let use = 0; use < 4; use++) uses.push((await pglite.query(text, [use])).rows[0]);
    expect(uses).toEqual([{ value: 0 }, { value: 1 }, { value: 2 }, { value: 3 }]);
    const { rows } = await pglite.query("select statement from pg_prepared_statements where name <> ''");
    expect(rows).toEqual([{ statement: text }]);
  });
});

test("a missing table of parsers is reported", () => {
  expect(() => dropRowParsers({} as PGlite)).toThrow("PGlite: an instance has no table `parsers`");
});
