/** Age of stock in transfers: the original receipt times of its layers (docs/stock.md, "Transfers"). */
import type { TenantQueryable } from "../../../database/database.js";
import type { StockLayer } from "../../../schema/inventory/transfers/transfer.js";

/** SQL of a JSON array: the pieces between two positions, cut at these. A piece has `at`, `quantity` and a position `begins`. */
const between = (from: string, to: string) => `
  select coalesce(jsonb_agg(jsonb_build_object('receivedAt', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'quantity', trim_scale(taken)) order by begins), '[]') as layers
  from (select at, begins, least(begins + quantity, ${to}) - greatest(begins, ${from}) as taken from piece) t where taken > 0`;

/** SQL of an arrival of the level $2 at $3: the last one before a sequence number. */
const arrival = (before: string) => `cross join lateral (
    select m.sequence, m.quantity, m."performedAt" as at, m.layers from "StockMovement" m
    where m."tenantId" = $1 and m."partId" = $2 and m.site = $3 and m.sequence < ${before} and m.quantity > 0 and m.type not in ('reserve', 'unreserve')
    order by m.sequence desc limit 1
  ) m`;

/**
 * The oldest layers of a locked level, first in, first out by arrival. Reads from the last arrival back to the oldest one still on hand.
 */
export async function oldestLayers(tx: TenantQueryable, partId: string, site: string, quantity: number): Promise<StockLayer[]> {
  const [row] = await tx.query<{ layers: StockLayer[] }>(
    `with recursive arrived as (
       select m.sequence, m.quantity, m.at, m.layers, s.quantity - m.quantity as older
       from "StockLevel" s ${arrival("s.sequence + 1")} where s."tenantId" = $1 and s."partId" = $2 and s.site = $3
       union all
       select m.sequence, m.quantity, m.at, m.layers, a.older - m.quantity from arrived a ${arrival("a.sequence")} where a.older > 0
     ), piece as (
       select coalesce((l.value->>'receivedAt')::timestamptz, a.at) as at, coalesce((l.value->>'quantity')::numeric, a.quantity) as quantity,
         -- Positions begin below 0 at what has left, so that what is there begins at 0.
         sum(coalesce((l.value->>'quantity')::numeric, a.quantity)) over (order by a.sequence, l.position) - coalesce((l.value->>'quantity')::numeric, a.quantity)
           + (select min(older) from arrived) as begins
       from arrived a left join lateral jsonb_array_elements(a.layers) with ordinality l(value, position) on true
     ) ${between("0", "$4::numeric")}`,
    partId,
    site,
    quantity,
  );
  return row!.layers;
}

/** The oldest layers of the quantity that a transfer still has in transit. */
export async function layersOfTransfer(tx: TenantQueryable, id: string, quantity: number): Promise<StockLayer[]> {
  const [row] = await tx.query<{ layers: StockLayer[] }>(
    `with piece as (
       select (l.value->>'receivedAt')::timestamptz as at, (l.value->>'quantity')::numeric as quantity,
         sum((l.value->>'quantity')::numeric) over (order by l.position) - (l.value->>'quantity')::numeric - t.quantity + t."inTransit" as begins
       from "StockTransfer" t cross join lateral jsonb_array_elements(t.layers) with ordinality l(value, position) where t."tenantId" = $1 and t.id = $2
     ) ${between("0", "$3::numeric")}`,
    id,
    quantity,
  );
  return row!.layers;
}
