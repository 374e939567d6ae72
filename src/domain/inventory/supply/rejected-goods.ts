/** Rejected goods in quarantine: their release to the stock, and their return to the supplier (docs/supply.md, "Quarantine"). */
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { ReleaseRejectedGoodsInput } from "../../../schema/inventory/supply/goods-receipt.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { lockLevels } from "../stock/ledger.js";
import { eachNumber, names } from "../stock/serials.js";
import { acceptGoods, findLine, guardReceiver, ofParts, type PostCost, tooMuch } from "./goods-receipts.js";

type Receipt = Rows["GoodsReceipt"];

const unknownReceipt = (goodsReceiptId: string) => notFound("Goods receipt", { goodsReceiptId });

const findReceipt = async (tx: TenantQueryable, id: string): Promise<Receipt> =>
  (await tx.records.GoodsReceipt.find({ id })) ?? Promise.reject(unknownReceipt(id));

/** The refusal of more than is in quarantine. */
async function exceedsQuarantine(tx: TenantQueryable, id: string, requested: number): Promise<Error> {
  const { inQuarantine } = await findReceipt(tx, id);
  return conflict("The quantity exceeds what is in quarantine", { inQuarantine, requested }).about("quantity");
}

const release = `update "GoodsReceipt" g set released = g.released + $3::numeric
  where g."tenantId" = $1 and g.id = $2 and g."inQuarantine" >= $3::numeric returning 1`;

/**
 * Releases rejected goods: a further receipt of the line posts them to the ledger at the line's price and the rate of the rejection. Throws
 * NOT_FOUND, BAD_USER_INPUT, CONFLICT with what is in quarantine, the errors of `guardReceiver`, and those of `acceptGoods`.
 */
export const releaseRejectedGoods = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { quantity, reason, ...numbers }: ReleaseRejectedGoodsInput,
  postCost: PostCost,
): Promise<Receipt> =>
  db.transaction(async (tx) => {
    const { lineId, exchangeRate, deliveryNote } = await findReceipt(tx, id);
    const line = await findLine(tx, actor, lineId);
    guardReceiver(actor, line);
    if (line.partId === null && names(numbers)) throw badInput(eachNumber(numbers, ofParts));
    if (line.partId !== null) await lockLevels(tx, line.partId, [line.site]);
    const released = await tx.query(release, id, quantity);
    if (!released.length) throw await exceedsQuarantine(tx, id, quantity);
    const words = { rejectionReason: null, deliveryNote, releaseOf: id, releaseReason: reason };
    const goods = { lineId, accepted: quantity, rejected: 0, exchangeRate, ...words, ...numbers };
    return acceptGoods(tx, actor, line, goods, postCost).catch(tooMuch("quantity"));
  });

const sendBack = `with receipt as (
    update "GoodsReceipt" g set returned = g.returned + $3::numeric
    where g."tenantId" = $1 and g.id = $2 and g."inQuarantine" >= $3::numeric returning ${rowColumns("GoodsReceipt", "g")}
  ), recorded as (
    ${insertSelect(
      "GoodsReturn",
      {
        id: "gen_random_uuid()",
        receiptId: "r.id",
        orderId: `r."orderId"`,
        site: "r.site",
        quantity: "$3::numeric",
        reason: "$4",
        returnNote: "$5",
        returnedAt: "transaction_timestamp()",
        returnedBy: "$6",
      },
      "receipt r",
    )}
  )
  select ${rowColumns("GoodsReceipt", "r")} from receipt r`;

/**
 * Records that rejected goods were sent back. The open quantity of the line stays. Throws NOT_FOUND, FORBIDDEN for another site, CONFLICT
 * with what is in quarantine.
 */
export const returnRejectedGoods = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { quantity, reason, returnNote }: { quantity: number; reason: string; returnNote: string | null },
): Promise<Receipt> =>
  db.transaction(async (tx) => {
    const { site } = await findReceipt(tx, id);
    guardSite(actor, site);
    const [receipt] = await tx.query<Receipt>(sendBack, id, quantity, reason, returnNote, actor.principalId);
    return receipt ?? Promise.reject(await exceedsQuarantine(tx, id, quantity));
  });
