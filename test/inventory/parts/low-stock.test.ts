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

test("low stock is projected below a threshold, and is proposed to be ordered at or below it", async () => {
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
