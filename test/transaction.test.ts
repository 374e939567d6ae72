import { expect, test } from "vitest";
import { openPrisma, tenantPrisma } from "../src/database/prisma.js";
import { startGateway } from "./world.js";

const gateway = await startGateway();
test("prisma joins the transaction; nested ones are savepoints", async () => {
  const t = await gateway.newTenant();
  const prisma = tenantPrisma(openPrisma(gateway.database), t.tenantId);
  const make = (id: string) => prisma.asset.create({ data: { id, tenantId: t.tenantId, name: id, type: "x" } });
  await expect(
    gateway.database.transaction(async () => {
      await make("a");
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  await gateway.database.transaction(async (tx) => {
    await make("b");
    await gateway.database
      .transaction(async () => {
        await make("c");
        throw new Error("x");
      })
      .catch(() => {});
    await gateway.database.transaction(async () => {
      await make("d");
    });
    expect((await tx.query(`select id from "Asset" where "tenantId" = $1 order by id`, [t.tenantId])).map((r) => r.id)).toEqual(["b", "d"]);
  });
  expect((await t.ask("{ assets { nodes { name } } }")).assets.nodes).toEqual([{ name: "b" }, { name: "d" }]);
});

test("what is sent at once within one runs in turn: a savepoint undoes its own alone", async () => {
  const t = await gateway.newTenant();
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.message);
  process.on("warning", note);
  const insert = (id: string) =>
    gateway.database.query(`insert into "Part" ("tenantId", id, "partNumber", name) values ($1, $2, $2, $2)`, [t.tenantId, id]);
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
  const kept = (await gateway.database.query(`select id from "Part" where "tenantId" = $1`, [t.tenantId])).map(({ id }) => id).sort();
  const stays = Array.from({ length: 12 }, (_, i) => i).filter((i) => i % 3 !== 0);
  expect(kept).toEqual([...stays.flatMap((i) => [`a${i}`, `b${i}`, `c${i}`]), "x", "y"].sort());
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
