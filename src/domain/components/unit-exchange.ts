/** Exchanges of units (docs/units.md). A trigger on Component records what a documented write of its serial number means. */

import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { atVersion } from "../../database/records/versions.js";
import { insertSelect, type Rows, rowColumns, type Updates } from "../../database/rows/catalogue.js";
import type { ExchangeUnitInput, UnitInput } from "../../schema/components/unit-inputs.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { Actor } from "../access/keys.js";
import { checkOrder } from "../access/order-reference.js";
import { guardComponents, guardUnit, siteOfComponent } from "../access/site-guard.js";
import { type ComponentRecord, notChanged } from "./components.js";
import { treeTransaction } from "./tree.js";
import { bringContents, refuseInside, takeContents } from "./unit-contents.js";
import {
  accepts,
  beginPeriod,
  cameLater,
  endPeriods,
  inBooks,
  instantOf,
  mayForce,
  notAccepted,
  openPeriod,
  type Period,
  refusingOverlaps,
  unfit,
} from "./unit-periods.js";
import type { PostUnit } from "./unit-stock.js";

type Unit = Rows["Unit"];

/** One exchange: who does it, when, where, and the input. */
interface Exchange {
  tx: TenantQueryable;
  actor: Actor;
  at: Date;
  site: string | null;
  input: ExchangeUnitInput;
}

/**
 * Takes the unit out of a position, if there is one, and returns its id. Throws BAD_USER_INPUT naming reason, CONFLICT with a unit that came
 * later.
 */
async function takeOut({ tx, actor, at, site, input }: Exchange): Promise<string | undefined> {
  const { componentId, reason, workOrderId, notes } = input;
  const [out] = await endPeriods<{ unitId: string }>(tx, "componentId", [componentId], at, {
    removalReason: reason ?? "unknown",
    returning: ["unitId"],
  });
  if (!out) {
    const open = await openPeriod(tx, "componentId", componentId);
    if (open) throw cameLater(open);
    if (reason != null || !input.unit) throw conflict("No unit is installed in the component", { componentId }).about("componentId");
    return undefined;
  }
  if (reason == null) throw badInput({ reason: "is required, because a unit comes out" });
  await beginPeriod(tx, actor, at, { unitId: out.unitId, state: "removed", condition: "unserviceable", site, workOrderId, notes });
  return out.unitId;
}

/** States from which a unit is installed; from stock, only with its issue. */
const outOfStock: Period["state"][] = ["removed", "with_work_order", "in_repair", "lost", "scrapped"];

/** SQL of the open recalls of a unit. */
const openRecalls = (unitId: string) =>
  `select r.id from "RecallUnit" n join "Recall" r on r."tenantId" = $1 and r.id = n."recallId" and r."closedAt" is null
   where n."tenantId" = $1 and n."unitId" = ${unitId}`;

/**
 * Ends the period in which a known unit is elsewhere. Throws CONFLICT with the component in which it is installed or the time since which it
 * is where it is, or about a unit that must not be installed.
 */
async function bringUnit({ tx, actor, at, input }: Exchange, { id, partId, site }: Unit): Promise<Period["condition"]> {
  const { componentId, notes, unit } = input;
  const field = unit?.id == null ? "unit.serialNumber" : "unit.id";
  const [ended] = await tx.query<Pick<Period, "condition">>(
    `update "UnitPeriod" p set "endedAt" = $3 from "Unit" u
     where p."tenantId" = $1 and p."unitId" = $2 and p."endedAt" is null and p."startedAt" < $3 and u."tenantId" = $1 and u.id = p."unitId"
       and p.state = any($4)
       and ($5 or p.condition <> 'unserviceable' and p.state <> 'scrapped' and not exists (${openRecalls("u.id")}) and ${accepts("$6", 'u."partId"')})
     returning p.condition`,
    id,
    at,
    site === null ? outOfStock : ["in_stock", ...outOfStock],
    mayForce(actor, notes),
    componentId,
  );
  if (ended) return ended.condition;
  const open = await openPeriod(tx, "unitId", id);
  if (!open) throw badInput({ [field]: "names no unit" });
  const { state, condition, startedAt } = open;
  if (state === "installed") throw conflict("The unit is installed in another component", { componentId: open.componentId }).about(field);
  if (startedAt >= at) throw cameLater(open);
  if (state === "in_transit") throw conflict(inBooks.in_transit!, { state }).about(field);
  if (state === "in_stock" && site === null) throw conflict("The unit was moved meanwhile; repeat the exchange", { state }).about(field);
  const [recall] = await tx.query<{ id: string }>(openRecalls("$2"), id);
  if (recall)
    throw conflict("The unit is recalled; install another one, or let a manager install it with notes", { recallId: recall.id }).about(
      field,
    );
  throw (condition === "unserviceable" || state === "scrapped" ? unfit(open) : notAccepted(componentId, partId)).about(field);
}

/** Up to two units with the serial number that are at the site and not installed, or that the exchange takes out. Those of parts first. */
const freeUnits = ({ tx, site, input: { componentId } }: Exchange, serialNumber: string, manufacturer: string | null): Promise<Unit[]> =>
  tx.query<Unit>(
    `select ${rowColumns("Unit", "u")} from "Unit" u join "UnitPeriod" p on p."tenantId" = $1 and p."unitId" = u.id and p."endedAt" is null
     where u."tenantId" = $1 and u."serialNumber" = $2
       and (p.state in ('removed', 'with_work_order', 'in_stock') and p.site is not distinct from $3 or p."componentId" = $5)
       and ($4::text is null or u.manufacturer is null or u.manufacturer = $4) order by u."partId", u.id limit 2`,
    serialNumber,
    site,
    manufacturer,
    componentId,
  );

/**
 * The known unit that the input names: by id, by part and serial number, or by a serial number that one unit of the site has. Throws
 * BAD_USER_INPUT naming unit or unit.id, FORBIDDEN, CONFLICT with `unitIds` if units of parts share the number.
 */
async function knownUnit(exchange: Exchange, { id, partId, serialNumber, manufacturer }: UnitInput): Promise<Unit | undefined> {
  if ((id == null) === (serialNumber == null)) throw badInput({ unit: "must hold either id or serialNumber" });
  if (id == null && partId == null) {
    const [known, another] = await freeUnits(exchange, serialNumber!, manufacturer ?? null);
    if (!another) return known;
    // Without parts, manufacturers may use the same number: it is another unit.
    if (known!.partId === null && another.partId === null) return undefined;
    throw conflict("Several units at the site have the serial number; name one by unit.id", {
      unitIds: [known!.id, another.id].toSorted(),
    }).about("unit.serialNumber");
  }
  const { tx, actor } = exchange;
  const known = await tx.records.Unit.find(id != null ? { id } : { partId: partId!, serialNumber: serialNumber! });
  if (id != null && !known) throw badInput({ "unit.id": "names no unit" });
  if (known) await guardUnit(tx, actor, known.id);
  return known;
}

/** Records a unit that was never known. Throws BAD_USER_INPUT naming unit.partId, CONFLICT about a part that the component does not accept. */
async function declareUnit(
  { tx, actor, input: { componentId, notes } }: Exchange,
  { partId, serialNumber, manufacturer, model }: UnitInput,
  component: ComponentRecord,
): Promise<Unit> {
  const maker = manufacturer ?? component.manufacturer;
  const kind = model ?? component.model;
  if (partId == null) return tx.records.Unit.create(actor.principalId, { serialNumber: serialNumber!, manufacturer: maker, model: kind });
  const [made] = await tx.query<Unit>(
    `${insertSelect(
      "Unit",
      {
        id: "gen_random_uuid()",
        partId: "p.id",
        serialNumber: "$3",
        manufacturer: "coalesce(p.manufacturer, $4)",
        model: `coalesce(p."manufacturerPartNumber", $5)`,
        site: "null",
        batchNumber: "null",
        expiryDate: "null::timestamptz",
        value: "null::numeric",
        movementId: "null",
        movedAt: "null::timestamptz",
        distinctSince: "null::timestamptz",
      },
      `"Part" p where p."tenantId" = $1 and p.id = $2 and ($6 or ${accepts("$7", "p.id")})`,
    )} on conflict do nothing returning ${rowColumns("Unit")}`,
    partId,
    serialNumber,
    maker,
    kind,
    mayForce(actor, notes),
    componentId,
  );
  if (made) return made;
  if (!(await tx.records.Part.count({ id: partId }))) throw badInput({ "unit.partId": "names no part" });
  if (await tx.records.Unit.count({ partId, serialNumber: serialNumber! }))
    throw conflict("The unit was recorded meanwhile; repeat the exchange", { serialNumber }).about("unit.serialNumber");
  throw notAccepted(componentId, partId).about("unit.partId");
}

/** The unit that went in and the id of the one that came out. */
interface Exchanged {
  unit?: Unit;
  removedId: string | undefined;
}

/**
 * Puts a unit into the position after `takeOut`, and posts its issue if a site has it in stock. Throws CONFLICT with `site` for stock of
 * another site, and the errors of `issueUnit`.
 */
async function bringIn(
  exchange: Exchange,
  component: ComponentRecord,
  unitInput: UnitInput,
  issueUnit: PostUnit,
): Promise<Required<Exchanged>> {
  const { tx, actor, at, input, site } = exchange;
  const { componentId, workOrderId, notes } = input;
  const known = await knownUnit(exchange, unitInput);
  if (known) await refuseInside(tx, { unitId: known.id, componentId });
  const put = async (): Promise<Required<Exchanged>> => {
    const removedId = await takeOut(exchange);
    const unit = known ?? (await declareUnit(exchange, unitInput, component));
    const condition = known ? await bringUnit(exchange, known) : "serviceable";
    await beginPeriod(tx, actor, at, { unitId: unit.id, state: "installed", condition, componentId, workOrderId, notes });
    return { unit, removedId };
  };
  if (!known?.site) return put();
  const { id: unitId, partId, serialNumber } = known;
  if (known.site !== site)
    throw conflict("The unit is in stock at another site; transfer it to the site of the asset first", { site: known.site }).about(
      unitInput.id == null ? "unit.serialNumber" : "unit.id",
    );
  const moving = { unitId, partId: partId!, serialNumber, site, workOrderId, notes, occurredAt: input.at ?? null };
  let exchanged: Required<Exchanged>;
  await issueUnit(tx, actor, moving, async () => {
    exchanged = await put();
  });
  return exchanged!;
}

const siteOf = `select c.id, a.id as "assetId", ${siteOfComponent("c", "a")} as site from "Component" c left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
  where c."tenantId" = $1 and c.id = $2 and c."deletedAt" is null for no key update of c`;

/**
 * Exchanges the unit in a component, installs the first one, or removes it (docs/units.md). `issueUnit` posts the issue of a unit in stock.
 * Components below the position leave with the unit that comes out, and those of the unit that goes in come below it (unit-contents.ts).
 * Throws NOT_FOUND for the component, BAD_USER_INPUT naming at, reason, unit, unit.id, unit.partId or workOrderId, FORBIDDEN for another site,
 * and CONFLICT for another version, a unit that is elsewhere, unserviceable or of another part, a time at which the component or the unit has
 * a later period, or stock that is not available.
 */
export async function exchangeUnit(
  db: TenantDatabase,
  actor: Actor,
  input: ExchangeUnitInput,
  issueUnit: PostUnit,
  expected?: Expected,
): Promise<ComponentRecord> {
  const at = instantOf(input.at);
  const { componentId, workOrderId } = input;
  return treeTransaction(db, async (tx) => {
    const [place] = await tx.query<{ assetId: string | null; site: string | null }>(siteOf, componentId);
    if (!place) throw notFound("Component", { componentId });
    await guardComponents(tx, actor, [componentId]);
    if (workOrderId != null) await checkOrder(tx, [place.assetId ?? ""], workOrderId, "update");
    const component = (await tx.records.Component.find({ id: componentId }))!;
    const exchange: Exchange = { tx, actor, at, site: place.site, input };
    const { unit, removedId }: Exchanged = input.unit
      ? await bringIn(exchange, component, input.unit, issueUnit)
      : { removedId: await takeOut(exchange) };
    const fields: Updates["Component"] = unit
      ? { serialNumber: unit.serialNumber, manufacturer: unit.manufacturer, model: unit.model, installDate: at }
      : { serialNumber: null, installDate: null };
    const written = await tx.records.Component.update(actor.principalId, { id: componentId, ...atVersion(expected) }, fields);
    if (!written) throw await notChanged(tx, componentId, expected);
    if (removedId !== undefined) await takeContents(tx, actor, [{ unitId: removedId, componentId }], at, input.withContents);
    if (unit) await bringContents(tx, actor, [{ unitId: unit.id, componentId }], at);
    return written;
  }).catch(refusingOverlaps({ componentId }));
}
