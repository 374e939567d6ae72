/**
 * The sheet of procedures, with steps and parts as JSON cells. An import does not change counters of meters and readings, further assets
 * and covering procedures, which are available through GraphQL only.
 */
import type { TenantQueryable } from "../../database/database.js";
import {
  DateShift,
  MissedPolicy,
  Priority,
  ProcedureFrequency,
  ProcedureStatus,
  SafetyRequirement,
  SchedulingBasis,
  StepKind,
} from "../../schema/maintenance/enums.js";
import type { CreateProcedureInput } from "../../schema/maintenance/procedures/procedure-input.js";
import { Days, Measure, Name, NonNegative, Positive, ShortText, Text, Weekday, WholeNumber } from "../../schema/scalars.js";
import { checkNewProcedure, createProcedures, updateProcedure } from "../maintenance/procedures/procedures.js";
import { assetsOfPositions } from "../maintenance/work-orders/step-exchange.js";
import { type AssetRef, assetOf, assetRef, ofOwnAssets } from "./asset-refs.js";
import { CellProblem, date, flag, json, listOf, number, objectOf, required, text, whole, word } from "./cells.js";
import { differing, problemOf } from "./comparison.js";
import { keysetPieces } from "./export.js";
import { byId, found, idsBy } from "./record-rows.js";
import type { Entry as AnyEntry, Fields, Run, Sheet } from "./sheet.js";

type Entry = AnyEntry<Record<string, any>>;

interface NamedPart {
  partNumber: string;
  quantity: number;
  isOptional?: boolean;
}

const oneOf = (values: readonly string[]) => ({
  parseValue(value: unknown) {
    if (!values.includes(value as string)) throw new CellProblem(`must be one of ${values.join(", ")}`);
    return value;
  },
});
const aFlag = {
  parseValue(value: unknown) {
    if (typeof value !== "boolean") throw new CellProblem("must be true or false");
    return value;
  },
};

const withForms =
  (forms: Parameters<typeof objectOf>[0], names: string[]) =>
  (value: unknown): Record<string, unknown> => {
    const object = objectOf(forms)(value);
    for (const name of names) if (object[name] == null) throw new CellProblem(`needs ${JSON.stringify(name)} in each item`);
    return object;
  };

const part = withForms({ partNumber: Name, quantity: Positive, isOptional: aFlag }, ["partNumber", "quantity"]);
const stepPart = withForms({ partNumber: Name, quantity: Positive }, ["partNumber", "quantity"]);
const texts = { parseValue: listOf((value) => ShortText.parseValue(value)) };
const step = withForms(
  {
    order: WholeNumber,
    description: Name,
    estimatedTime: NonNegative,
    kind: oneOf(Object.values(StepKind)),
    required: aFlag,
    parameter: Name,
    unit: ShortText,
    minimum: Measure,
    maximum: Measure,
    componentId: ShortText,
    tools: texts,
    safetyNote: Text,
    checkpoints: texts,
    parts: { parseValue: listOf(stepPart) },
  },
  ["description"],
);

/** A step for export, without default values. */
const compact = (value: Record<string, any>, i: number) =>
  Object.fromEntries(
    Object.entries({ ...value, order: value.order ?? i + 1 }).filter(
      ([name, entry]) =>
        entry != null &&
        !(Array.isArray(entry) && !entry.length) &&
        !(name === "required" && !entry) &&
        !(name === "kind" && entry === "task"),
    ),
  );
const inOrder = (steps: Record<string, any>[]) => steps.map(compact).sort((a, b) => Number(a.order) - Number(b.order));
const withoutFalse = ({ isOptional, ...rest }: NamedPart): NamedPart => ({ ...rest, ...(isOptional && { isOptional }) });

const columns = [
  required(text(Name, "name")),
  required(text(Name, "asset")),
  required(word("frequency", Object.values(ProcedureFrequency))),
  whole(WholeNumber, "customIntervalDays"),
  text(Text, "description"),
  number(Positive, "estimatedDuration"),
  word("priority", Object.values(Priority)),
  word("status", Object.values(ProcedureStatus)),
  date("anchor"),
  date("nextDue"),
  word("schedulingBasis", Object.values(SchedulingBasis)),
  word("missedPolicy", Object.values(MissedPolicy)),
  flag("statutory"),
  flag("workingDaysOnly"),
  word("shift", Object.values(DateShift)),
  json(
    "schedulingRules",
    'must be a JSON object such as {"avoidWeekends":true,"leadTime":3}',
    objectOf({ preferredDay: Weekday, avoidWeekends: aFlag, leadTime: Days }),
  ),
  json(
    "requiredSkills",
    'must be a JSON list such as ["welding"]',
    listOf((value) => ShortText.parseValue(value)),
  ),
  json(
    "safetyRequirements",
    `must be a JSON list of ${Object.values(SafetyRequirement).join(", ")}`,
    listOf((value) => oneOf(Object.values(SafetyRequirement)).parseValue(value)),
  ),
  json("steps", 'must be a JSON list such as [{"description":"Check the seal","parts":[{"partNumber":"P1","quantity":1}]}]', (value) =>
    inOrder(listOf(step)(value)),
  ),
  json("parts", 'must be a JSON list such as [{"partNumber":"P1","quantity":2}]', (value) =>
    listOf(part)(value).map((one) => withoutFalse(one as never as NamedPart)),
  ),
  text(Name, "externalId"),
  text(ShortText, "id"),
];

const numbers = new Set(columns.filter(({ isNumber }) => isNumber).map(({ field }) => field));
const own = columns.map(({ field }) => field).filter((field) => !["asset", "steps", "parts"].includes(field));
const selected = own.map((name) => (numbers.has(name) ? `trim_scale(p."${name}")::text as "${name}"` : `p."${name}"`)).join(", ");

/** SQL of procedures `p` for export. `of` are additional conditions. */
const procedures = (of: string) => `
  select ${selected}, p."assetId", ${assetRef("a")} as asset, p.steps as "ownSteps", (
    select coalesce(jsonb_agg(jsonb_build_object('partNumber', t."partNumber", 'quantity', n.quantity, 'isOptional', n."isOptional", 'stepOrder', n."stepOrder") order by n.position), '[]')
    from "ProcedurePart" n join "Part" t on t."tenantId" = $1 and t.id = n."partId" where n."tenantId" = $1 and n."procedureId" = p.id) as needed
  from "Procedure" p ${assetOf("p")} where p."tenantId" = $1 and p."deletedAt" is null and a."deletedAt" is null and ${of}`;

interface Stored extends Fields {
  id: string;
  assetId: string;
}

async function stored(db: TenantQueryable, of: string, ...values: unknown[]): Promise<Stored[]> {
  const rows = await db.query<Stored & { ownSteps: any[]; needed: (NamedPart & { stepOrder: number | null })[] }>(
    procedures(of),
    ...values,
  );
  return rows.map(({ ownSteps, needed, ...row }) => ({
    ...row,
    schedulingRules: row.schedulingRules && Object.fromEntries(Object.entries(row.schedulingRules).filter(([, value]) => value != null)),
    steps: inOrder(
      ownSteps.map((one) => ({
        ...one,
        parts: needed.flatMap(({ partNumber, quantity, stepOrder }) => (stepOrder === one.order ? [{ partNumber, quantity }] : [])),
      })),
    ),
    parts: needed.flatMap(({ stepOrder, ...one }) => (stepOrder === null ? [withoutFalse(one)] : [])),
  })) as never;
}

type NewProcedure = CreateProcedureInput & { nextDue?: Date };

class ProcedureImporter {
  constructor(private readonly run: Run<any>) {}

  async write(sent: Entry[]): Promise<void> {
    const { tx, done, actor, remember } = this.run;
    const { entries, ids } = await found(this.run, "Procedure", ["externalId", "id"], sent);
    const rows = await ofOwnAssets(this.run, entries);
    const known = new Map((await stored(tx, "p.id = any($2)", [...ids.values()])).map((one) => [one.id, one]));
    const parts = await idsBy(
      tx,
      "Part",
      "partNumber",
      rows.flatMap(([{ fields }]) => partsOf(fields).map(({ partNumber }) => partNumber)),
    );
    const positions = await assetsOfPositions(
      tx,
      rows.flatMap(([{ fields }]) => (fields.steps ?? []) as { componentId?: string }[]),
    );
    await remember(ids.values());
    const added: [Entry, NewProcedure][] = [];
    for (const [entry, asset] of rows) {
      const input = this.inputOf(entry, asset, parts);
      const id = ids.get(entry);
      if (!input) continue;
      if (id) await this.change(entry, known.get(id), input, asset);
      else if (this.isGood(entry, input, positions)) added.push([entry, input]);
    }
    const created = await createProcedures(
      tx,
      actor,
      added.map(([, input]) => input),
    );
    for (const [i, [entry]] of added.entries()) done(entry, "created", created[i]);
  }

  private inputOf(entry: Entry, asset: AssetRef, known: Map<string, string>): NewProcedure | undefined {
    const { fields } = entry;
    const missing = partsOf(fields).find(({ partNumber }) => !known.has(partNumber));
    if (missing) {
      const field = ((fields.parts ?? []) as NamedPart[]).includes(missing) ? "parts" : "steps";
      this.run.refuse(entry, { field, message: "names no part; import the parts first", value: missing.partNumber });
      return undefined;
    }
    const withIds = (list?: NamedPart[]) => list?.map(({ partNumber, ...rest }) => ({ ...rest, partId: known.get(partNumber)! }));
    const { id: _, asset: __, steps, parts, anchor, nextDue, ...rest } = fields;
    const values = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, numbers.has(name) ? Number(value) : value]));
    return {
      ...(values as never as CreateProcedureInput),
      assetId: asset.id,
      ...(anchor && { anchor: new Date(anchor) }),
      ...(nextDue && { nextDue: new Date(nextDue) }),
      ...(steps && { steps: steps.map((one: any) => ({ ...one, ...(one.parts && { parts: withIds(one.parts) }) })) }),
      ...(parts && { parts: withIds(parts) }),
    };
  }

  private isGood(entry: Entry, input: CreateProcedureInput, positions: Map<string, string | null>): boolean {
    try {
      checkNewProcedure(input, positions);
      return true;
    } catch (error) {
      this.run.refuse(entry, problemOf(error, entry.fields));
      return false;
    }
  }

  /** Updates the differing fields of a procedure in the same way as the mutation, including due dates. */
  private async change(entry: Entry, before: Stored | undefined, input: CreateProcedureInput, asset: AssetRef): Promise<void> {
    const { savepoint, actor, refuse, done } = this.run;
    if (!before) return refuse(entry, { field: "asset", message: "the procedure's asset is deleted" });
    // The next due date of an existing procedure follows from its anchor and completed work.
    const { id: _, asset: __, nextDue: ___, ...fields } = entry.fields;
    const names = differing(fields, before, numbers);
    if (before.assetId !== asset.id) names.push("assetId");
    if (!names.length) return done(entry, "unchanged", before.id);
    try {
      const changes = Object.fromEntries(names.map((name) => [name, input[name as keyof CreateProcedureInput]]));
      await savepoint((tx) => updateProcedure({ ...tx, transaction: savepoint }, actor, before.id, changes));
      done(entry, "updated", before.id);
    } catch (error) {
      refuse(entry, problemOf(error, entry.fields));
    }
  }
}

const partsOf = ({ steps = [], parts = [] }: Record<string, any>): NamedPart[] => [
  ...parts,
  ...steps.flatMap((one: any) => one.parts ?? []),
];

export const procedureSheet: Sheet<ProcedureImporter> = {
  name: "procedures",
  roles: ["manager"],
  columns,
  keysOf: ({ externalId }) => (externalId == null ? [] : [{ field: "externalId", value: externalId }]),
  begin: (run) => new ProcedureImporter(run),
  stored: async (db, ids) => byId(await stored(db, "p.id = any($2)", ids)),
  pieces: (db, write) =>
    keysetPieces<{ id: string }>(
      (last, limit) => stored(db, `p.id > $2 order by p.id limit ${limit}`, last?.id ?? "") as Promise<{ id: string }[]>,
      write,
    ),
  async unused(db) {
    const rows = await db.query(`select 1 from "Procedure" where "tenantId" = $1 and "deletedAt" is null and "externalId" is null limit 1`);
    return rows.length ? [] : ["id"];
  },
};
