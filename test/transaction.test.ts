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
