/** Conditions of a list, and cursors bound to their list, filter, key and tenant. */
import { describe, expect, test } from "vitest";
import { type Rows, rowColumns } from "../../src/database/rows/catalogue.js";
import { cursorOf, type List, selectPage } from "../../src/database/rows/page.js";
import { by } from "../../src/database/rows/rows.js";
import { decodeToken, encodeToken } from "../../src/schema/token.js";
import { Where } from "../../src/schema/where.js";

describe("conditions", () => {
  test.each<[Where, number, { sql: string; values: unknown[] }]>([
    [new Where(), 2, { sql: "", values: [] }],
    [new Where().add("a = ?", 1), 2, { sql: " and a = $2", values: [1] }],
    [new Where().add("a between ? and ?", 1, 2).add("b is null"), 5, { sql: " and a between $5 and $6 and b is null", values: [1, 2] }],
    [
      new Where().equal({ site: "North", area: "", gone: null, never: undefined, count: 0, is: false }),
      2,
      { sql: ' and "site" = $2 and "area" = $3 and "count" = $4 and "is" = $5', values: ["North", "", 0, false] },
    ],
    [new Where().search("").search(null).search(undefined), 2, { sql: "", values: [] }],
    [new Where().search("50%_\\"), 3, { sql: ` and "searchText" like '%' || lower($3) || '%'`, values: ["50\\%\\_\\\\"] }],
  ])("%#", (where, next, rendered) => {
    const values: unknown[] = [];
    expect({ sql: where.render((value) => `$${values.push(value) + next - 1}`), values }).toEqual(rendered);
  });

  test("the fingerprint distinguishes values and conditions", () => {
    const prints = [
      new Where(),
      new Where().add("a = ?", 1),
      new Where().add("a = ?", "1"),
      new Where().add("a = ?", 1).add("b = ?", 1),
      new Where().equal({ a: 1 }),
    ].map((where) => where.fingerprint());
    expect(new Set(prints).size).toBe(prints.length);
    expect(new Where().add("a = ?", 1).fingerprint()).toBe(prints[1]);
  });
});

describe("tokens", () => {
  test.each([[[]], [["a", 1, null]], [["ü", '"', "\u2028"]], [[{ a: [1] }]]])("%j is read back", (parts) => {
    const token = encodeToken(...parts);
    expect(token).toMatch(/^[\w-]+$/);
    expect(decodeToken(token)).toEqual(parts);
  });

  test.each(["", "x", "%%%", Buffer.from("{}").toString("base64url"), Buffer.from('"a"').toString("base64url"), "bnVsbA"])(
    "%j is invalid",
    (token) => expect(decodeToken(token)).toBeUndefined(),
  );
});

describe("cursors", () => {
  const list: List<"Asset"> = { table: "Asset", where: new Where().equal({ site: "North" }), order: by(["name", "id"]) };
  const row = { name: "Pump", id: "a-1" } as Rows["Asset"];
  const asked: unknown[][] = [];
  const database = (tenantId: string) =>
    ({
      tenantId,
      async query(...statement: unknown[]) {
        asked.push(statement);
        return [];
      },
    }) as unknown as Parameters<typeof selectPage>[0];
  const after = (cursor: string, of: Partial<List<"Asset">> = {}, tenantId = "t1") =>
    selectPage(database(tenantId), { ...list, ...of }, { first: 2, after: cursor });
  const cursor = cursorOf({ tenantId: "t1" }, list, row);

  test("a page continues after its cursor's row, one row further to see whether more follow", async () => {
    asked.length = 0;
    const page = await after(cursor);
    expect([page.rows, page.hasNextPage, page.hasPreviousPage]).toEqual([[], false, true]);
    expect(asked).toEqual([
      [
        `select ${rowColumns("Asset", "c")} from "Asset" c where c."tenantId" = $1 and c."deletedAt" is null and "site" = $2 and (c."name", c."id") > ($3, $4) order by c."name", c."id" limit 3`,
        "North",
        "Pump",
        "a-1",
      ],
    ]);
  });

  test("backwards, at an offset", async () => {
    asked.length = 0;
    await selectPage(database("t1"), { ...list, order: by(["name", "id"], true) }, { first: 1, offset: 4 });
    expect(asked).toEqual([
      [
        `select ${rowColumns("Asset", "c")} from "Asset" c where c."tenantId" = $1 and c."deletedAt" is null and "site" = $2 order by c."name" desc, c."id" desc limit 2 offset 4`,
        "North",
      ],
    ]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["another tenant", () => after(cursor, {}, "t2")],
    ["another table", () => after(cursor, { table: "Component" as "Asset" })],
    ["another filter", () => after(cursor, { where: new Where().equal({ site: "South" }) })],
    ["another order", () => after(cursor, { order: by(["type", "id"]) })],
    ["the other direction", () => after(cursor, { order: by(["name", "id"], true) })],
    ["one key's part of the list", () => after(cursorOf({ tenantId: "t1" }, list, row, ["k"]))],
    ["a changed value", () => after(encodeToken(decodeToken(cursor)![0], "Motor", "a-1"))],
    ["a missing value", () => after(encodeToken(...decodeToken(cursor)!.slice(0, 2)))],
    ["an object for a value", () => after(encodeToken(decodeToken(cursor)![0], { name: "Pump" }, "a-1"))],
    ["no cursor at all", () => after("x")],
  ])("%s rejects it", async (_, ask) => {
    asked.length = 0;
    await expect(ask()).rejects.toMatchObject({
      extensions: { code: "BAD_USER_INPUT", details: { after: "is not a cursor of this list; use the endCursor of its page before" } },
    });
    expect(asked).toEqual([]);
  });
});
