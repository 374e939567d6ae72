/**
 * Evidence of reliability figures: the records that they are computed from (docs/work.md, "Downtime and reliability"). Reads only the
 * requested page where the other records need not be computed.
 */
import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import type { FailureCodeKind } from "../../schema/maintenance/enums.js";
import type { Period } from "../../schema/period.js";
import type { ReliabilityFigure } from "../../schema/reliability/enums.js";
import { membersOf, type Scope } from "./figures.js";
import { began, codedBy, codeOf, historyOf, inPeriod, type Members, restored, touches, within } from "./history.js";
import { manMinutes } from "./planned-work.js";

/** A figure or a Pareto chart. In a Pareto chart, each row has its own evidence. */
export type EvidenceSource =
  | { figure: ReliabilityFigure }
  | { pareto: "downtime-cause" }
  | { pareto: "failure-code"; kind: FailureCodeKind };

/** `row` is the cause or code of a row in a Pareto chart. */
export interface EvidenceKey {
  scope: Scope;
  row?: string | null;
}

export interface EvidencePage {
  /** Maximum number of records of each kind, newest first. */
  first: number;
  /** Cursors: only records after these, in list order. */
  downtimesAfter?: string | null;
  workOrdersAfter?: string | null;
  /** The requested fields. */
  wanted: readonly (keyof Evidence)[];
}

export interface Evidence {
  downtimes: string[];
  downtimeCount: number;
  workOrders: string[];
  workOrderCount: number;
}

const none: Evidence = { downtimes: [], downtimeCount: 0, workOrders: [], workOrderCount: 0 };

const reported = (row = "null::text") => `select m.key, n.id, n."startedAt" as at, n."workOrderId", ${row} as row`;
/** SQL of the downtimes of the failures `b` that satisfy a condition. */
const ofFailures = (condition: string) =>
  `${reported()} from numbered n join block b using ("assetId", block) join member m using ("assetId") where ${condition}`;
const ofRepairs = ofFailures(`b.work is not null and ${restored("b")}`);
/** SQL of the downtimes of the period, found by index in list order. */
const ofPeriod = (members: string, row?: string) =>
  `${reported(row)} from "Downtime" n join ${members} as m(key, "assetId", "observedFrom") on m."assetId" = n."assetId"
    where n."tenantId" = $1 and n."deletedAt" is null and ${inPeriod("n")}
    and coalesce(n."endedAt", 'infinity') > m."observedFrom"`;

/** The start of a statement, with the downtimes that the source is computed from. */
function downtimesOf(source: EvidenceSource, members: Members): string {
  const alone = (rows: string) => `${plannedEachTime}with reported as not materialized (${rows})`;
  const withHistory = (rows: string, withWork = true) => `${historyOf(members, { withWork })}, reported as (${rows})`;
  if ("pareto" in source)
    return source.pareto === "downtime-cause"
      ? alone(ofPeriod(`(${members.sql})`, "n.cause"))
      : `${historyOf(members, { withWork: false })}, ${codedBy(source.kind)}, reported as (
           ${reported("c.code")} from coded c join numbered n using ("assetId", block) join block b using ("assetId", block) join member m using ("assetId") where ${touches("b")})`;
  switch (source.figure) {
    case "mtbf": // Failures that begin in the period are downtimes of the period.
    case "availability":
      return alone(ofPeriod(`(${members.sql})`));
    case "failures":
      return withHistory(ofFailures(began("b")), false);
    case "mttr":
      return withHistory(ofFailures(restored("b")), false);
    case "active-repair-time":
      return withHistory(ofRepairs);
    case "inherent-availability":
      return withHistory(`${ofPeriod("member")} union all ${ofRepairs} and n."endedAt" <= greatest($2, m."observedFrom")`);
    case "planned-work-share":
      return alone(
        `${reported()} from "Downtime" n join (${members.sql}) m on m."assetId" = n."assetId" where n."tenantId" = $1 and false`,
      );
  }
}

const orderedAt = (w: string) => `coalesce(${w}."completedAt", ${w}."createdAt")`;

/** SQL of the work orders that the source is computed from. */
function ordersOf(source: EvidenceSource, members: Members): string {
  const columns = `w.id, ${orderedAt("w")} as at`;
  if ("figure" in source && source.figure === "planned-work-share")
    return `select m.key, ${columns}, null::text as row from "WorkOrder" w join (${members.sql}) m on m."assetId" = w."assetId"
      where w."tenantId" = $1 and ${within('w."completedAt"')} and ${manMinutes("w")} is not null`;
  const ofCode =
    "pareto" in source && source.pareto === "failure-code" ? ` and ${codeOf(source.kind, "w")} is not distinct from t.row` : "";
  return `select distinct t.key, ${columns}, t.row from reported t join "WorkOrder" w on w."tenantId" = $1 and w.id = t."workOrderId"${ofCode}`;
}

/** The evidence of each key, newest first, as a batch. */
export async function evidenceOf(
  db: TenantQueryable,
  keys: readonly EvidenceKey[],
  { from, to, source, first, downtimesAfter, workOrdersAfter, wanted }: Period & EvidencePage & { source: EvidenceSource },
): Promise<Evidence[]> {
  const scopes = [...new Map(keys.map(({ scope }) => [JSON.stringify(scope), scope]))];
  const members = membersOf(scopes.map(([, scope]) => scope));
  const values = [...members.values];
  const bound = (value: unknown) => `$${values.push(value) + 3}`;
  const only = keys.length === 1 ? ` and r.row is not distinct from ${bound(keys[0]!.row ?? null)}::text` : "";
  const page = (name: keyof Evidence, rows: string, before: string) => {
    const selected = `select r.key, r.row, r.id, r.at`;
    const condition = `from (${rows}) r where true${only}${before}`;
    const newest = only
      ? `${selected} ${condition} order by r.at desc, r.id desc limit ${Number(first)}`
      : `select p.key, p.row, p.id, p.at from (${selected}, row_number() over (partition by r.key, r.row order by r.at desc, r.id desc) as place ${condition}) p where p.place <= ${Number(first)}`;
    return `select r.key, r.row, '${name}' as name, array_agg(r.id order by r.at desc, r.id desc) as ids, 0 as count from (${newest}) r group by r.key, r.row`;
  };
  const count = (name: keyof Evidence, rows: string) =>
    `select r.key, r.row, '${name}' as name, null::text[] as ids, count(*)::int as count from (${rows}) r where true${only} group by r.key, r.row`;
  const after = (table: string, at: string, id: string | null | undefined) =>
    id == null ? "" : ` and (r.at, r.id) < (select ${at}, x.id from "${table}" x where x."tenantId" = $1 and x.id = ${bound(id)})`;
  const orders = "select o.key, o.row, o.id, o.at from ordered o";
  const parts: Record<keyof Evidence, () => string> = {
    downtimes: () =>
      page("downtimes", "select t.key, t.row, t.id, t.at from reported t", after("Downtime", 'x."startedAt"', downtimesAfter)),
    workOrders: () => page("workOrders", orders, after("WorkOrder", orderedAt("x"), workOrdersAfter)),
    downtimeCount: () => count("downtimeCount", "select t.key, t.row from reported t"),
    workOrderCount: () => count("workOrderCount", orders),
  };
  const statement = `${downtimesOf(source, members)}, ordered as (${ordersOf(source, members)}) ${wanted.map((name) => parts[name]()).join(" union all ")}`;
  const rows = wanted.length
    ? await db.query<{ key: string; row: string | null; name: keyof Evidence; ids: string[] | null; count: number }>(
        statement,
        from,
        to,
        ...values,
      )
    : [];
  const nameOf = (key: string | number, row: string | null | undefined) => JSON.stringify([String(key), row ?? null]);
  const found = new Map<string, Partial<Record<keyof Evidence, unknown>>>();
  for (const { key, row, name, ids, count: counted } of rows)
    found.set(nameOf(key, row), { ...found.get(nameOf(key, row)), [name]: ids ?? counted });
  const places = new Map(scopes.map(([name], place) => [name, place]));
  return keys.map(({ scope, row }) => ({ ...none, ...(found.get(nameOf(places.get(JSON.stringify(scope))!, row)) as Partial<Evidence>) }));
}
