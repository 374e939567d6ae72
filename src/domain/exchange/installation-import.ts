/** Imports of installations: history before the present records begin (docs/units.md, "Units in files"). Existing ones are not changed. */
import { now } from "../../database/clock.js";
import { newId } from "../../database/records/ids.js";
import { type Inserts, insertSelect } from "../../database/rows/catalogue.js";
import { groupBy } from "../../database/rows/group.js";
import { insertRows } from "../../database/rows/writer.js";
import type { RemovalReason } from "../../schema/components/enums.js";
import { differing } from "./comparison.js";
import { idsBy } from "./record-rows.js";
import type { Entry as AnyEntry, Fields as AnyFields, Run } from "./sheet.js";

interface Fields extends AnyFields {
  unitId?: string;
  serialNumber: string;
  partNumber?: string;
  manufacturer?: string;
  component: string;
  startedAt: string;
  endedAt?: string;
  removalReason?: RemovalReason;
  workOrderId?: string;
  notes?: string;
}
type Entry = AnyEntry<Fields>;

/** Columns of a recorded installation that a row may repeat. */
const repeated = ["endedAt", "removalReason", "workOrderId", "notes"] as const;

interface Place {
  key: string;
  id: string;
  assetId: string | null;
  site: string | null;
}

const placesNamed = `
  select k.key, c.id, c."assetId", a.site from unnest($2::text[]) k(key) cross join lateral (
    select id, "assetId" from (
      select id, "assetId", 1 as rank from "Component" where "tenantId" = $1 and "externalId" = k.key and "deletedAt" is null
      union all select id, "assetId", 2 from "Component" where "tenantId" = $1 and id = k.key and "deletedAt" is null) named order by rank limit 1) c
  left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"`;

/** A unit that is recorded, or that a row introduces. `since` is the start of its first period. */
interface Unit {
  id: string;
  serialNumber: string;
  partNumber: string | null;
  manufacturer: string | null;
  since: Date | null;
  /** Site of its open period. */
  site: string | null;
}

const unitsNamed = `
  select u.id, u."serialNumber", t."partNumber", u.manufacturer, (select min("startedAt") from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = u.id) as since,
    case when o."componentId" is null then o.site else a.site end as site
  from "Unit" u left join "Part" t on t."tenantId" = $1 and t.id = u."partId"
    left join "UnitPeriod" o on o."tenantId" = $1 and o."unitId" = u.id and o."endedAt" is null
    left join "Component" c on c."tenantId" = $1 and c.id = o."componentId" left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
  where u."tenantId" = $1 and (u."serialNumber" = any($2) or u.id = any($3))`;

/** Inserts units, except those whose number of the part was received meanwhile. */
const insertUnits = `${insertSelect(
  "Unit",
  {
    id: "r.id",
    serialNumber: `r."serialNumber"`,
    manufacturer: "r.manufacturer",
    partId: `r."partId"`,
    model: "null",
    site: "null",
    batchNumber: "null",
    expiryDate: "null::timestamptz",
    value: "null::numeric",
    movementId: "null",
    movedAt: "null::timestamptz",
    distinctSince: "null::timestamptz",
  },
  `jsonb_to_recordset($2::jsonb) r(id text, "serialNumber" text, manufacturer text, "partId" text)`,
)} on conflict do nothing returning id`;

interface Span {
  startedAt: Date;
  endedAt: Date | null;
}
type Recorded = Span & AnyFields & { unitId: string; componentId: string };

const overlaps = (one: Span, other: Span) =>
  (!one.endedAt || one.endedAt > other.startedAt) && (!other.endedAt || other.endedAt > one.startedAt);

const shown = ({ startedAt, endedAt }: Span) => `${startedAt.toISOString()} to ${endedAt?.toISOString() ?? "now"}`;

interface Accepted extends Span {
  entry: Entry;
  place: Place;
  unit: Unit;
}

export class InstallationImporter {
  private readonly made = new Map<string, Unit>();

  constructor(private readonly run: Run<any>) {}

  async write(entries: Entry[]): Promise<void> {
    const { tx } = this.run;
    const of = (name: keyof Fields) => [...new Set(entries.flatMap(({ fields }) => (fields[name] as string | undefined) ?? []))];
    const places = new Map((await tx.query<Place>(placesNamed, of("component"))).map((place) => [place.key, place]));
    const componentIds = [...places.values()].map(({ id }) => id);
    // exchangeUnit and writes of components hold these rows too.
    await tx.query(`select id from "Component" where "tenantId" = $1 and id = any($2) order by id for no key update`, componentIds);
    const recorded = await tx.query<Recorded>(
      `select "unitId", "componentId", "startedAt", "endedAt", "removalReason", "workOrderId", notes from "UnitPeriod"
       where "tenantId" = $1 and "componentId" = any($2)`,
      componentIds,
    );
    const units = await tx.query<Unit>(unitsNamed, of("serialNumber"), of("unitId"));
    const parts = await idsBy(tx, "Part", "partNumber", of("partNumber"));
    const orders = new Map(
      (
        await tx.query<{ id: string; assetId: string }>(
          `select id, "assetId" from "WorkOrder" where "tenantId" = $1 and id = any($2)`,
          of("workOrderId"),
        )
      ).map(({ id, assetId }) => [id, assetId]),
    );
    const inComponent = groupBy(recorded, ({ componentId }) => componentId);
    const taken = { component: new Map<string, Span[]>(), unit: new Map<string, Span[]>() };
    const accepted = [...entries]
      .sort((a, b) => (a.fields.startedAt < b.fields.startedAt ? -1 : 1))
      .flatMap((entry): Accepted[] => {
        const { fields } = entry;
        const span = { startedAt: new Date(fields.startedAt), endedAt: fields.endedAt === undefined ? null : new Date(fields.endedAt) };
        const place = places.get(fields.component);
        const there = inComponent.get(place?.id ?? "") ?? [];
        const unit = this.unitOf(entry, units, there, span, parts);
        if (!unit || this.isRecorded(entry, unit, there, span)) return [];
        if (!this.isValid(entry, span, place, orders)) return [];
        if (!this.isFree(entry, span, unit, [...there, ...(taken.component.get(place!.id) ?? [])], taken.unit.get(unit.id) ?? []))
          return [];
        taken.component.set(place!.id, [...(taken.component.get(place!.id) ?? []), span]);
        taken.unit.set(unit.id, [...(taken.unit.get(unit.id) ?? []), span]);
        return [{ ...span, entry, place: place!, unit }];
      });
    if (accepted.length) await this.store(accepted, parts);
  }

  /** The unit with the id, else the only one with these numbers, else a new one. Undefined if the row is refused. */
  private unitOf(entry: Entry, units: Unit[], there: Recorded[], { startedAt }: Span, parts: Map<string, string>): Unit | undefined {
    const { refuse } = this.run;
    const { unitId, serialNumber, partNumber, manufacturer } = entry.fields;
    const matching = units.filter(
      (one) =>
        (unitId === undefined || one.id === unitId) &&
        one.serialNumber === serialNumber &&
        (partNumber === undefined || one.partNumber === partNumber) &&
        (manufacturer === undefined || one.manufacturer === null || one.manufacturer === manufacturer),
    );
    const repeats = matching.filter(({ id }) => there.some((one) => one.unitId === id && +one.startedAt === +startedAt));
    const [unit, another] = repeats.length ? repeats : matching;
    if (another) refuse(entry, { field: "serialNumber", message: "belongs to several units; set unitId", value: serialNumber });
    else if (unit) return unit;
    else if (unitId !== undefined)
      refuse(entry, { field: "unitId", message: "names no unit with these numbers; leave it out for a new unit", value: unitId });
    else if (partNumber !== undefined && !parts.has(partNumber))
      refuse(entry, { field: "partNumber", message: "names no part; import parts first", value: partNumber });
    else {
      const key = JSON.stringify([serialNumber, partNumber, manufacturer]);
      const made = {
        id: newId(),
        serialNumber,
        partNumber: partNumber ?? null,
        manufacturer: manufacturer ?? null,
        since: null,
        site: null,
      };
      if (!this.made.has(key)) this.made.set(key, made);
      return this.made.get(key);
    }
    return undefined;
  }

  /** Whether the installation exists. Refuses a row that differs from it. */
  private isRecorded(entry: Entry, unit: Unit, there: Recorded[], { startedAt }: Span): boolean {
    const { done, refuse } = this.run;
    const known = there.find((one) => one.unitId === unit.id && +one.startedAt === +startedAt);
    if (!known) return false;
    const sent = Object.fromEntries(repeated.flatMap((name) => (entry.fields[name] === undefined ? [] : [[name, entry.fields[name]]])));
    const [field] = differing(sent, known, new Set());
    if (field === undefined) done(entry, "unchanged");
    else {
      const value = known[field] instanceof Date ? known[field].toISOString() : (known[field] ?? "empty");
      refuse(entry, { field, message: `is ${value} already; an installation is not changed`, value: String(entry.fields[field]) });
    }
    return true;
  }

  private isValid(entry: Entry, { startedAt, endedAt }: Span, place: Place | undefined, orders: Map<string, string>): boolean {
    const { actor, refuse } = this.run;
    const { component, removalReason, workOrderId } = entry.fields;
    const no = (field: string & keyof Fields, message: string) => {
      refuse(entry, { field, message, value: String(entry.fields[field] ?? "") });
      return false;
    };
    if (!place) return no("component", "names no component; use its externalId or id");
    if (actor.sites.length && !actor.sites.includes(place.site!)) {
      refuse(entry, { field: "component", message: "is not at one of this key's sites", value: component });
      return false;
    }
    if (+startedAt > now()) return no("startedAt", "must not be in the future");
    if (endedAt && endedAt <= startedAt) return no("endedAt", "must be after startedAt");
    if (endedAt && +endedAt > now()) return no("endedAt", "must not be in the future");
    if (endedAt && !removalReason) return no("removalReason", "is required with endedAt");
    if (!endedAt && removalReason) return no("removalReason", "must be empty without endedAt");
    if (workOrderId !== undefined && (!place.assetId || orders.get(workOrderId) !== place.assetId))
      return no("workOrderId", "names no work order of the component's asset");
    return true;
  }

  /** Whether the component and the unit are free at the time. */
  private isFree(entry: Entry, span: Span, unit: Unit, ofComponent: Span[], ofUnit: Span[]): boolean {
    const { actor, refuse } = this.run;
    const { startedAt } = entry.fields;
    const other = ofComponent.find((one) => overlaps(one, span));
    const elsewhere = ofUnit.find((one) => overlaps(one, span));
    if (other)
      refuse(entry, { field: "startedAt", message: `overlaps another installation in the component, ${shown(other)}`, value: startedAt });
    else if (elsewhere)
      refuse(entry, { field: "startedAt", message: `overlaps another installation of the unit, ${shown(elsewhere)}`, value: startedAt });
    else if (unit.since && !(span.endedAt && span.endedAt <= unit.since)) {
      const message = `must not be after ${unit.since.toISOString()}, since when the unit is recorded`;
      refuse(entry, { field: "endedAt", message, value: entry.fields.endedAt ?? "" });
    } else if (unit.since && actor.sites.length && !actor.sites.includes(unit.site!))
      refuse(entry, {
        field: "serialNumber",
        message: "is that of a unit that is not at one of this key's sites",
        value: unit.serialNumber,
      });
    else return true;
    return false;
  }

  private async store(accepted: Accepted[], parts: Map<string, string>): Promise<void> {
    const { tx, actor, done, refuse } = this.run;
    const used = new Set(accepted.map(({ unit }) => unit));
    const added = [...this.made.values()].filter((unit) => used.has(unit));
    const rows = added.map(({ id, serialNumber, partNumber, manufacturer }) => ({
      id,
      serialNumber,
      manufacturer,
      partId: parts.get(partNumber ?? ""),
    }));
    const inserted = new Set(rows.length ? (await tx.query<{ id: string }>(insertUnits, JSON.stringify(rows))).map(({ id }) => id) : []);
    const isStored = ({ unit }: Accepted) => unit.since !== null || inserted.has(unit.id);
    for (const { entry, unit } of accepted.filter((one) => !isStored(one)))
      refuse(entry, {
        field: "serialNumber",
        message: "was received by somebody else meanwhile; import it again",
        value: unit.serialNumber,
      });
    const stored = accepted.filter(isStored);
    const periods = [...groupBy(stored, ({ unit }) => unit.id).values()].flatMap((list) =>
      list.flatMap((one, i) => this.periodsOf(one, list[i + 1])),
    );
    if (periods.length) await insertRows(tx, "UnitPeriod", periods);
    const present = stored.filter(({ endedAt }) => !endedAt);
    if (present.length)
      await tx.query(
        `update "Component" c set "serialNumber" = n.number, manufacturer = coalesce(n.maker, c.manufacturer), "installDate" = n.at, "updatedBy" = $6
         from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) n(id, number, maker, at) where c."tenantId" = $1 and c.id = n.id`,
        present.map(({ place }) => place.id),
        present.map(({ unit }) => unit.serialNumber),
        present.map(({ unit }) => unit.manufacturer),
        present.map(({ startedAt }) => startedAt),
        actor.principalId,
      );
    for (const { entry } of stored) done(entry, "created");
  }

  /** An installation, and the time after it until the unit's next period. */
  private periodsOf({ entry, unit, place, startedAt, endedAt }: Accepted, following: Span | undefined): Inserts["UnitPeriod"][] {
    const { removalReason, workOrderId, notes } = entry.fields;
    const recordedBy = this.run.actor.principalId;
    const installed: Inserts["UnitPeriod"] = {
      unitId: unit.id,
      state: "installed",
      condition: "serviceable",
      componentId: place.id,
      startedAt,
      endedAt,
      removalReason,
      workOrderId,
      notes,
      recordedBy,
    };
    const next = following?.startedAt ?? unit.since;
    if (!endedAt || (next && +next === +endedAt)) return [installed];
    const away = {
      unitId: unit.id,
      state: "removed",
      condition: "unserviceable",
      site: place.site,
      startedAt: endedAt,
      endedAt: next,
      recordedBy,
    } as const;
    return [installed, away];
  }
}
