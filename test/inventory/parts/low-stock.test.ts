/** Low stock and order proposals select the levels whose projected stock is short (docs/stock.md, "Shortages"), whatever makes it short. */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { move, newPart } from "../stock/stock.js";

const gateway = await sharedGateway();
const dayMs = 86_400_000;

const within = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

interface Level {
  quantity: number;
  reserved?: number;
  blocked?: number;
  expired?: number;
  expiring?: number;
  ordered?: number;
  reorderPoint?: number;
  minimumStock?: number;
  siteReorderPoint?: number;
}

/** Projected stock by hand, beside the level: quantity less blocked, expired and reserved, plus ordered. */
const levels: [name: string, level: Level, projected: number, isLow: boolean, isProposed: boolean][] = [
  ["no threshold", { quantity: 0 }, 0, false, false],
  ["above", { quantity: 6, reorderPoint: 5 }, 6, false, false],
  ["at the reorder point", { quantity: 5, reorderPoint: 5 }, 5, false, true],
  ["below the reorder point", { quantity: 4, reorderPoint: 5 }, 4, true, true],
  ["below the minimum only", { quantity: 4, reorderPoint: 2, minimumStock: 5 }, 4, true, true],
  ["below that of the site", { quantity: 4, reorderPoint: 2, siteReorderPoint: 5 }, 4, true, true],
  ["above that of the site", { quantity: 4, reorderPoint: 5, siteReorderPoint: 2 }, 4, false, false],
  ["by a reservation", { quantity: 9, reserved: 5, reorderPoint: 5 }, 4, true, true],
  ["by a gain to approve", { quantity: 9, blocked: 5, reorderPoint: 5 }, 4, true, true],
  ["by a batch that expired", { quantity: 9, expired: 5, reorderPoint: 5 }, 4, true, true],
  ["not by one that will expire", { quantity: 9, expiring: 5, reorderPoint: 5 }, 9, false, false],
  ["at it by a batch that expired", { quantity: 9, expired: 4, reorderPoint: 5 }, 5, false, true],
  ["but ordered", { quantity: 4, ordered: 2, reorderPoint: 5 }, 6, false, false],
  ["ordered, but not enough", { quantity: 1, ordered: 3, reorderPoint: 5 }, 4, true, true],
  ["by all of them", { quantity: 20, reserved: 5, blocked: 6, expired: 7, ordered: 2, reorderPoint: 5 }, 4, true, true],
  ["by none of them", { quantity: 20, reserved: 5, blocked: 4, expired: 7, ordered: 2, reorderPoint: 5 }, 6, false, false],
];

async function stock(tenant: Caller, partNumber: string, level: Level): Promise<void> {
  const { quantity, reserved, blocked = 0, expired = 0, expiring = 0, ordered, siteReorderPoint, ...thresholds } = level;
  const partId = await newPart(tenant, { partNumber, site: "N", ...thresholds });
  const plain = quantity - blocked - expired - expiring;
  if (expired) await move(tenant, "receiveStock", partId, { quantity: expired, batchNumber: "OLD", expiryDate: within(-1) });
  if (expiring) await move(tenant, "receiveStock", partId, { quantity: expiring, batchNumber: "NEW", expiryDate: within(30) });
  if (plain) await move(tenant, "receiveStock", partId, { quantity: plain });
  else await tenant.rest("PUT", `/inventory/${partId}`, { site: "N", currentStock: 0, location: "A1" });
  if (blocked)
    await tenant.rest("POST", `/inventory/${partId}/adjustments`, {
      site: "N",
      adjustmentType: "correction",
      quantity: blocked,
      reason: "found",
    });
  if (reserved) await move(tenant, "reserveStock", partId, { quantity: reserved });
  if (ordered) {
    const order = { lastOrderDate: within(1 / 24), lastOrderQuantity: ordered };
    expect(await tenant.rest("PUT", `/parts/${partId}`, order)).toMatchObject({ status: 200 });
  }
  if (siteReorderPoint != null) {
    const query = "mutation ($id: ID!, $input: UpdateInventoryInput!) { updateInventory(partId: $id, input: $input) { site } }";
    await tenant.ask(query, { id: partId, input: { site: "N", reorderPoint: siteReorderPoint } });
  }
}

test("low stock is projected below a threshold, and is proposed to be ordered at or below it", { timeout: 60_000 }, async () => {
  const tenant = await gateway.newTenant();
  for (const [name, level] of levels) await stock(tenant, name, level);
  const numbers = (nodes: { part: { partNumber: string } }[]) => nodes.map(({ part }) => part.partNumber).sort();
  const named = (selected: (row: (typeof levels)[number]) => boolean) =>
    levels
      .filter(selected)
      .map(([name]) => name)
      .sort();

  const found = await tenant.ask(`{
    all: inventory { nodes { part { partNumber } projectedStock } }
    low: inventory(filter: { lowStock: true }) { totalCount nodes { part { partNumber } } }
    other: inventory(filter: { lowStock: false }) { nodes { part { partNumber } } }
    totals: inventoryTotals(filter: { lowStock: true }) { stockLevels }
    reorderProposals { part { partNumber } }
  }`);
  const projected = found.all.nodes.map((node: any) => [node.part.partNumber, node.projectedStock]);
  expect(Object.fromEntries(projected)).toEqual(Object.fromEntries(levels.map(([name, , quantity]) => [name, quantity])));
  const low = named(([, , , isLow]) => isLow);
  expect(numbers(found.low.nodes)).toEqual(low);
  expect(found.low.totalCount).toBe(low.length);
  expect(found.totals.stockLevels).toBe(low.length);
  expect(numbers(found.other.nodes)).toEqual(named(([, , , isLow]) => !isLow));
  expect(numbers(found.reorderProposals)).toEqual(named(([, , , , isProposed]) => isProposed));
  const { body } = await tenant.rest("GET", "/inventory?lowStock=true");
  expect(body.map(({ partDetails }: any) => partDetails.partNumber).sort()).toEqual(low);
});

test("a part with a threshold but without a stock level is proposed for its site", async () => {
  const tenant = await gateway.newTenant();
  const proposals = async (caller: Caller, args = "") =>
    (await caller.ask(`{ reorderProposals${args} { part { partNumber } site projectedStock onOrder averageDailyUse quantity } }`))
      .reorderProposals;
  const row = (partNumber: string, site: string, quantity: number, onOrder = 0) => ({
    part: { partNumber },
    site,
    projectedStock: onOrder,
    onOrder,
    averageDailyUse: 0,
    quantity,
  });
  // 0 on hand: up to the reorder point of 5.
  await newPart(tenant, { partNumber: "A", site: "N", reorderPoint: 5 });
  // 2 used in a day for 10 days: 5 + 2 × 10. Without a site it is received at main.
  await newPart(tenant, { partNumber: "B", reorderPoint: 5, averageUsage: 2, usageUnit: "day", leadTime: 10 });
  // 3 of 5 are ordered: up to the maximum of 9 there are 6 missing.
  const ordered = await newPart(tenant, { partNumber: "C", site: "N", minimumStock: 5, maximumStock: 9 });
  const order = { lastOrderDate: within(-1 / 24), lastOrderQuantity: 3 };
  expect(await tenant.rest("PUT", `/parts/${ordered}`, order)).toMatchObject({ status: 200 });
  // Neither a threshold of 0, nor one that is covered by an order, nor an inactive part, nor one that is kept elsewhere.
  await newPart(tenant, { partNumber: "D", reorderPoint: 0 });
  const covered = await newPart(tenant, { partNumber: "E", reorderPoint: 2 });
  expect(await tenant.rest("PUT", `/parts/${covered}`, order)).toMatchObject({ status: 200 });
  const inactive = await newPart(tenant, { partNumber: "F", reorderPoint: 5 });
  expect((await tenant.rest("DELETE", `/parts/${inactive}`)).status).toBeLessThan(300);
  const kept = await newPart(tenant, { partNumber: "G", site: "N", reorderPoint: 5 });
  await move(tenant, "receiveStock", kept, { site: "S", quantity: 6 });

  const [a, b, c] = [row("A", "N", 5), { ...row("B", "main", 25), averageDailyUse: 2 }, row("C", "N", 6, 3)];
  expect(await proposals(tenant)).toEqual([a, b, c]);
  expect(await proposals(tenant, '(site: "main")')).toEqual([b]);
  expect(await proposals(tenant, '(site: "S")')).toEqual([]);
  // A key limited to sites sees the parts of its sites. The level at S is hidden from it.
  expect(await proposals(await tenant.as("technician", ["N"], false))).toEqual([a, c, row("G", "N", 5)]);
  expect(await proposals(await tenant.as("technician", ["S"], false))).toEqual([]);
  // REST lists stock levels.
  expect((await tenant.rest("GET", "/inventory?lowStock=true")).body).toEqual([]);
});
