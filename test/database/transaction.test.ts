import { expect, test } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();
test("Prisma calls join the transaction, and nested transactions are savepoints", async () => {
  const t = await gateway.newTenant();
  const { records } = forTenant(gateway.database, t.tenantId);
  const create = (id: string) => records.Asset.create("test", { id, name: id, type: "x" });
  await expect(
    gateway.database.transaction(async () => {
      await create("a");
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  await gateway.database.transaction(async (tx) => {
    await create("b");
    await gateway.database
      .transaction(async () => {
        await create("c");
        throw new Error("x");
      })
      .catch(() => {});
    await gateway.database.transaction(async () => {
      await create("d");
    });
    expect((await tx.query<any>(`select id from "Asset" where "tenantId" = $1 order by id`, [t.tenantId])).map((r) => r.id)).toEqual([
      "b",
      "d",
    ]);
  });
  expect((await t.ask("{ assets { nodes { name } } }")).assets.nodes).toEqual([{ name: "b" }, { name: "d" }]);
});

test("concurrent calls in a transaction run one at a time, and a savepoint rolls back only its own changes", async () => {
  const t = await gateway.newTenant();
  const warnings: string[] = [];
  const recordWarning = (warning: Error) => warnings.push(warning.message);
  process.on("warning", recordWarning);
  const insert = (id: string) =>
    gateway.database.query<any>(`insert into "Part" ("tenantId", id, "partNumber", name) values ($1, $2, $2, $2)`, [t.tenantId, id]);
  const late: Promise<unknown>[] = [];
  await gateway.database.transaction(async () => {
    const nested = Array.from({ length: 12 }, (_, i) =>
      gateway.database.transaction(async () => {
        await Promise.all([insert(`a${i}`), gateway.database.transaction(() => insert(`b${i}`)), insert(`c${i}`)]);
        if (i % 3 === 0) throw new Error("no");
      }),
    );
    const outcomes = await Promise.allSettled([insert("x"), ...nested, insert("y")]);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, ...nested.map((_, i) => i % 3 !== 0), true]);
    late.push(
      new Promise((resolve) => setTimeout(resolve, 50)).then(() => insert("late")),
      new Promise((resolve) => setTimeout(resolve, 50)).then(() => gateway.database.transaction(() => insert("later"))),
    );
  });
  for (const one of late) await expect(one).rejects.toThrow("is over");
  const stored = (await gateway.database.query<any>(`select id from "Part" where "tenantId" = $1`, [t.tenantId]))
    .map(({ id }) => id)
    .sort();
  const stays = Array.from({ length: 12 }, (_, i) => i).filter((i) => i % 3 !== 0);
  expect(stored).toEqual([...stays.flatMap((i) => [`a${i}`, `b${i}`, `c${i}`]), "x", "y"].sort());
  process.off("warning", recordWarning);
  expect(warnings).toEqual([]);
});
