/** Suppliers of the demo plant, the parts that they sell, and an order from each of them. */
import type { TenantDatabase } from "../database/database.js";
import type { Actor } from "../domain/access/keys.js";
import { submitPurchaseOrder } from "../domain/inventory/supply/purchase-approval.js";
import { createPurchaseOrder, sendPurchaseOrder } from "../domain/inventory/supply/purchase-orders.js";
import { createSupplier, setSupplierPart } from "../domain/inventory/supply/suppliers.js";
import { currency } from "./currency.js";

/** Suppliers with the categories that they sell: name, e-mail, terms of payment, lead time in days, categories. */
const suppliers = [
  {
    name: "Noordzee Bearings",
    email: "orders@noordzee-bearings.example",
    terms: "30 days net",
    leadTime: 5,
    sells: ["Bearings", "Seals", "Belts"],
  },
  {
    name: "Hanse Industriebedarf",
    email: "bestellung@hanse-industrie.example",
    terms: "14 days net",
    leadTime: 3,
    sells: ["Filters", "Fasteners", "Safety"],
  },
  { name: "Elektro Lund", email: "ordre@elektro-lund.example", terms: "30 days net", leadTime: 7, sells: ["Electrical", "Lubricants"] },
];

/** Orders from this quantity on are cheaper. */
const bulk = 20;

/** Call after the parts exist. Each part has one preferred supplier. */
export async function loadSuppliers(db: TenantDatabase, actor: Actor): Promise<void> {
  const parts = await db.query<{ id: string; partNumber: string; category: string | null; unitCost: number }>(
    `select id, "partNumber", category, "unitCost" from "Part" where "tenantId" = $1 and "isActive" order by "partNumber"`,
  );
  for (const [i, { name, email, terms, leadTime, sells }] of suppliers.entries()) {
    const supplier = await createSupplier(db, actor, {
      name,
      number: `7${i + 1}00`,
      contact: { email },
      currency,
      paymentTerms: terms,
      deliveryTerms: "DAP",
    });
    const sold = parts.filter(({ category }) => sells.includes(category ?? ""));
    for (const { id, partNumber, unitCost } of sold)
      await setSupplierPart(db, actor, {
        supplierId: supplier.id,
        partId: id,
        partNumber: `${supplier.number}-${partNumber}`,
        leadTime,
        priceBreaks: [
          { quantity: 0, price: unitCost },
          { quantity: bulk, price: Math.round(unitCost * 95) / 100 },
        ],
        isPreferred: true,
      });
    // The first order is sent, the second approved, the third a draft.
    const promisedAt = new Date(Date.now() + (leadTime + 4) * 86_400_000);
    const lines = sold.slice(0, 2).map(({ id }) => ({ partId: id, quantity: bulk, promisedAt }));
    const order = await createPurchaseOrder(db, actor, { supplierId: supplier.id, site: "main", lines });
    if (i < 2) await submitPurchaseOrder(db, actor, order.id);
    if (i < 1) await sendPurchaseOrder(db, actor, order.id);
  }
}
