/**
 * Failure code lists by equipment class. Shipped codes come from failure-codes.json; rows are a tenant's own codes and its changes to
 * shipped ones. A class applies to assets whose type contains its words, `general` to all.
 */

import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { insertSelect, type Rows, rowColumns } from "../../database/rows/catalogue.js";
import { badInput, notFound } from "../../schema/errors.js";
import type { FailureCodeKind } from "../../schema/maintenance/enums.js";
import { composedId } from "../../schema/object-id.js";
import type { FailureCode, FailureCodeInput } from "../../schema/reliability/failure-code.js";
import type { Actor } from "../access/keys.js";
import catalogue from "./failure-codes.json" with { type: "json" };

type ShippedCode = { code: string; name: string; description?: string };

const kinds = ["mode", "cause", "remedy"] as const;
const general = "general";

/** The id in the graph, and the key of the code. */
export const idOfCode = ({ equipmentClass, code }: { equipmentClass: string; code: string }): string =>
  composedId("FailureCode", [equipmentClass, code]);

const shipped = new Map(
  catalogue.flatMap((entry) =>
    kinds.flatMap((kind) =>
      (entry[kind] as ShippedCode[]).map(({ code, name, description }): [string, FailureCode] => {
        const { equipmentClass } = entry;
        const id = idOfCode({ equipmentClass, code });
        return [id, { id, equipmentClass, code, kind, name, description: description ?? null, isActive: true, isShipped: true }];
      }),
    ),
  ),
);

const ofRow = (row: Rows["FailureCode"]): FailureCode => ({ ...row, id: idOfCode(row), isShipped: shipped.has(idOfCode(row)) });

/** All codes of the tenant, by class, list and code. Within a class, shipped codes come first, in their original order. */
async function allCodes(db: TenantQueryable): Promise<FailureCode[]> {
  const rows = await db.query<Rows["FailureCode"]>(
    `select ${rowColumns("FailureCode")} from "FailureCode" where "tenantId" = $1 order by "equipmentClass", code`,
  );
  const codes = new Map(shipped);
  for (const row of rows) codes.set(idOfCode(row), ofRow(row));
  return [...codes.values()];
}

const asWords = (text: string) => `-${text.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-`;

/** Whether a class applies to an asset type: `heat-exchanger` applies to "Plate heat exchanger" and to "Heat exchangers". */
const isFor = (equipmentClass: string, type: string): boolean =>
  equipmentClass === general || asWords(type).includes(`-${equipmentClass}-`) || asWords(type).includes(`-${equipmentClass}s-`);

export interface CodeFilter {
  assetId?: string | null;
  equipmentClass?: string | null;
  kind?: FailureCodeKind | null;
  isActive?: boolean | null;
}

async function typeOfAsset(db: TenantQueryable, assetId: string): Promise<string | undefined> {
  const [asset] = await db.query<{ type: string }>(`select type from "Asset" where "tenantId" = $1 and id = $2`, assetId);
  return asset?.type;
}

/** The codes that match a filter. Throws NOT_FOUND for an unknown asset. */
export async function failureCodes(db: TenantQueryable, { assetId, equipmentClass, kind, isActive }: CodeFilter): Promise<FailureCode[]> {
  const type = assetId == null ? undefined : await typeOfAsset(db, assetId);
  if (assetId != null && type === undefined) throw notFound("Asset", { assetId });
  return (await allCodes(db)).filter(
    (one) =>
      (type === undefined || isFor(one.equipmentClass, type)) &&
      (equipmentClass == null || one.equipmentClass === equipmentClass) &&
      (kind == null || one.kind === kind) &&
      (isActive == null || one.isActive === isActive),
  );
}

export const failureCode = async (db: TenantQueryable, id: string): Promise<FailureCode | undefined> =>
  (await allCodes(db)).find((one) => one.id === id);

/** Creates or changes a code. Throws BAD_USER_INPUT naming kind if the code exists in another list. */
export const setFailureCode = (db: TenantDatabase, actor: Actor, input: FailureCodeInput): Promise<FailureCode> =>
  db.transaction(async (tx) => {
    const { equipmentClass, code, kind, name, description, isActive } = input;
    const otherList = (is: string) =>
      badInput({ kind: `must be ${is.toUpperCase()}, as the code ${code} of the class ${equipmentClass} is` });
    const known = shipped.get(idOfCode(input));
    if (known && known.kind !== kind) throw otherList(known.kind);
    const [row] = await tx.query<Rows["FailureCode"]>(
      `${insertSelect(
        "FailureCode",
        {
          equipmentClass: "$2",
          code: "$3",
          kind: "$4",
          name: "$5",
          description: "$6",
          isActive: "$7::boolean",
          createdAt: "now()",
          updatedAt: "now()",
          updatedBy: "$8",
          version: "1",
        },
        "(select 1) one",
        "c",
      )} on conflict ("tenantId", "equipmentClass", code) do update set name = excluded.name, description = excluded.description,
         "isActive" = excluded."isActive", "updatedBy" = excluded."updatedBy" where c.kind = excluded.kind
       returning ${rowColumns("FailureCode", "c")}`,
      equipmentClass,
      code,
      kind,
      name,
      description ?? null,
      isActive ?? true,
      actor.principalId,
    );
    if (row) return ofRow(row);
    const [other] = await tx.query<{ kind: string }>(
      `select kind from "FailureCode" where "tenantId" = $1 and "equipmentClass" = $2 and code = $3`,
      equipmentClass,
      code,
    );
    throw otherList(other!.kind);
  });

const kindOf = { failureMode: "mode", failureCause: "cause", remedy: "remedy" } as const;

export type FailureCodes = { [F in keyof typeof kindOf]?: string | null };

/** Throws BAD_USER_INPUT naming each code that is inactive or not in the lists for the asset. */
export async function checkCodes(tx: TenantQueryable, assetId: string, given: FailureCodes): Promise<void> {
  const fields = (Object.keys(kindOf) as (keyof typeof kindOf)[]).filter((field) => given[field] != null);
  if (!fields.length) return;
  const codes = await failureCodes(tx, { assetId, isActive: true });
  const wrong = fields.filter((field) => !codes.some(({ kind, code }) => kind === kindOf[field] && code === given[field]));
  if (wrong.length)
    throw badInput(
      Object.fromEntries(wrong.map((field) => [field, `is no ${kindOf[field]} of the code lists for this asset; failureCodes lists them`])),
    );
}
