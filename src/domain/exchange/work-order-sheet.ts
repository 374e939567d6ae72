/**
 * The sheet of work orders, for importing history from other systems. Orders are imported as closed, with their original times. No stock is
 * reserved, and no occurrence of a procedure is completed. Closed orders are immutable, so a row that differs fails.
 */

import { nowDate } from "../../database/clock.js";
import type { TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import { type Inserts, insertSelect } from "../../database/rows/catalogue.js";
import { insertRows } from "../../database/rows/writer.js";
import { Priority, WorkOrderType } from "../../schema/maintenance/enums.js";
import { Name, NonNegative, ShortText, Text } from "../../schema/scalars.js";
import { recordDowntimeOfOrder } from "../reliability/downtimes.js";
import { checkCodes, type FailureCodes } from "../reliability/failure-codes.js";
import { type AssetRef, assetOf, assetRef, ofOwnAssets } from "./asset-refs.js";
import { date, flag, number, required, text, word } from "./cells.js";
import { differing, problemOf } from "./comparison.js";
import { keysetPieces } from "./export.js";
import { found } from "./record-rows.js";
import type { Entry as AnyEntry, Fields, Problem, Run, Sheet } from "./sheet.js";

type Entry = AnyEntry<Record<string, any>>;

const columns = [
  required(text(Name, "asset")),
  required(text(Name, "title")),
  required(word("type", Object.values(WorkOrderType))),
  word("priority", Object.values(Priority)),
  text(Text, "description"),
  date("scheduledDate"),
  required(date("startedAt")),
  required(date("completedAt")),
  number(NonNegative, "duration"),
  text(ShortText, "technician"),
  number(NonNegative, "laborCost"),
  number(NonNegative, "partsCost"),
  flag("productionStopped"),
  date("downtimeFrom"),
  date("downtimeTo"),
  text(Name, "failureMode"),
  text(Name, "failureCause"),
  text(Name, "remedy"),
  text(Text, "asFound"),
  text(Text, "asLeft"),
  text(Text, "notes"),
  text(Name, "externalId"),
  text(ShortText, "id"),
];

const numbers = new Set(columns.filter(({ isNumber }) => isNumber).map(({ field }) => field));
const codeFields = ["failureMode", "failureCause", "remedy"] as const;
const selected = columns
  .map(({ field }) => field)
  .filter((field) => field !== "asset")
  .map((name) => (numbers.has(name) ? `trim_scale(w."${name}")::text as "${name}"` : `w."${name}"`))
  .join(", ");

/** SQL of closed work orders for export. `of` are additional conditions. */
const orders = (of: string) => `
  select ${selected}, ${assetRef("a")} as asset, w."assetId", w.status from "WorkOrder" w ${assetOf("w")}
  where w."tenantId" = $1 and a."deletedAt" is null and ${of}`;

interface Stored extends Fields {
  id: string;
  assetId: string;
  status: string;
}

const log = insertSelect(
  "WorkOrderStatusChange",
  {
    workOrderId: "o.id",
    fromStatus: "null",
    toStatus: "'closed'",
    reason: "'Import'",
    changedBy: "$3",
    changedByName: "$4",
    changedAt: "now()",
  },
  "unnest($2::text[]) o(id)",
);

/** A row to insert, its asset and its new id. */
type New = [Entry, AssetRef, string];

class WorkOrderImporter {
  /** Problems of failure codes, by asset and codes. A history has few combinations. */
  private readonly codes = new Map<string, Problem | undefined>();

  constructor(private readonly run: Run<any>) {}

  async write(sent: Entry[]): Promise<void> {
    const { tx, refuse, done } = this.run;
    const { entries, ids } = await found(this.run, "WorkOrder", ["externalId", "id"], sent);
    const rows = await ofOwnAssets(this.run, entries);
    const known = new Map((await tx.query<Stored>(orders("w.id = any($2)"), [...ids.values()])).map((one) => [one.id, one]));
    const added: New[] = [];
    for (const [entry, asset] of rows) {
      const id = ids.get(entry);
      if (id) this.compare(entry, known.get(id), asset);
      else {
        const problem = timeProblem(entry.fields) ?? (await this.codeProblem(entry, asset));
        if (problem) refuse(entry, problem);
        // Numbered in file order, which an export preserves.
        else added.push([entry, asset, newId()]);
      }
    }
    await this.insert(added.filter(([{ fields }]) => !fields.downtimeFrom));
    for (const one of added.filter(([{ fields }]) => fields.downtimeFrom)) await this.insertWithDowntime(one);
    for (const [entry, , id] of added) done(entry, "created", id);
  }

  private compare(entry: Entry, before: Stored | undefined, asset: AssetRef): void {
    const { id: _, asset: __, ...fields } = entry.fields;
    const [name] = !before ? ["asset"] : before.assetId !== asset.id ? ["asset"] : differing(fields, before, numbers);
    if (!name && before!.status === "closed") this.run.done(entry, "unchanged", before!.id);
    else if (before && before.status !== "closed")
      this.run.refuse(entry, { message: `is a work order here that is ${before.status.replace("_", " ")}` });
    else
      this.run.refuse(entry, {
        field: name,
        message: "differs from the work order; what is closed is not changed",
        value: String(entry.fields[name!]),
      });
  }

  private async codeProblem({ fields }: Entry, { id }: AssetRef): Promise<Problem | undefined> {
    const given: FailureCodes = Object.fromEntries(
      codeFields.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
    );
    const [field] = Object.keys(given);
    if (!field) return undefined;
    if (fields.type !== "corrective") return { field, message: "belongs to corrective work alone", value: fields[field] };
    const key = JSON.stringify([id, given]);
    if (!this.codes.has(key))
      this.codes.set(
        key,
        await checkCodes(this.run.tx, id, given).then(
          () => undefined,
          (error: unknown) => problemOf(error, fields),
        ),
      );
    return this.codes.get(key);
  }

  private async insert(rows: New[]): Promise<void> {
    const { tx, actor } = this.run;
    if (!rows.length) return;
    const orders = rows.map(([{ fields }, asset, id]): Inserts["WorkOrder"] => {
      const { id: _, asset: __, ...values } = fields;
      return {
        ...(values as Inserts["WorkOrder"]),
        id,
        assetId: asset.id,
        origin: "manual",
        status: "closed",
        priority: values.priority ?? "medium",
        scheduledDate: values.scheduledDate ?? values.startedAt,
        endedAt: values.completedAt,
        partsCost: values.partsCost ?? 0,
        duration: values.duration ?? minutes(values),
        createdBy: actor.principalId,
        updatedBy: actor.principalId,
      };
    });
    await insertRows(tx, "WorkOrder", orders);
    await tx.query(
      log,
      rows.map(([, , id]) => id),
      actor.principalId,
      actor.principalName,
    );
  }

  private async insertWithDowntime(row: New): Promise<void> {
    const { tx, actor } = this.run;
    const [{ fields }, asset, workOrderId] = row;
    await this.insert([row]);
    const failure = fields.type === "corrective" && fields.productionStopped === true;
    const [startedAt, endedAt] = [new Date(fields.downtimeFrom), new Date(fields.downtimeTo)];
    await recordDowntimeOfOrder(tx, actor, { workOrderId, assetId: asset.id, startedAt, endedAt, isEndGiven: true, failure });
  }
}

/** Duration of the work in minutes, to four decimal places. */
const minutes = ({ startedAt, completedAt }: Record<string, any>) =>
  Math.round((new Date(completedAt).getTime() - new Date(startedAt).getTime()) / 6) / 10_000;

function timeProblem(fields: Record<string, any>): Problem | undefined {
  const now = nowDate().toISOString();
  for (const field of ["startedAt", "completedAt", "downtimeFrom", "downtimeTo"])
    if (fields[field] > now) return { field, message: "must not be in the future", value: fields[field] };
  if (fields.startedAt > fields.completedAt)
    return { field: "completedAt", message: "must not be before startedAt", value: fields.completedAt };
  const { downtimeFrom, downtimeTo } = fields;
  if (downtimeTo === undefined && downtimeFrom === undefined) return undefined;
  if (downtimeTo === undefined || downtimeFrom === undefined)
    return { field: downtimeTo === undefined ? "downtimeTo" : "downtimeFrom", message: "is required with the other one", value: "" };
  return downtimeTo <= downtimeFrom ? { field: "downtimeTo", message: "must be after downtimeFrom", value: downtimeTo } : undefined;
}

export const workOrderSheet: Sheet<WorkOrderImporter> = {
  name: "work-orders",
  roles: ["manager"],
  columns,
  keysOf: ({ externalId }) => (externalId == null ? [] : [{ field: "externalId", value: externalId }]),
  begin: (run) => new WorkOrderImporter(run),
  pieces: (db: TenantQueryable, write) =>
    keysetPieces<{ id: string }>(
      (last, limit) => db.query(orders(`w.status = 'closed' and w.id > $2 order by w.id limit ${limit}`), last?.id ?? ""),
      write,
    ),
  async unused(db) {
    const rows = await db.query(`select 1 from "WorkOrder" where "tenantId" = $1 and status = 'closed' and "externalId" is null limit 1`);
    return rows.length ? [] : ["id"];
  },
};
