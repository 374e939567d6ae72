/**
 * Enums of docs/interface.md 2. The database and REST use the documented value (`bi-weekly`). GraphQL uses its upper-case name
 * (`BI_WEEKLY`).
 */
import { registerEnumType } from "type-graphql";

type EnumName<W extends string> = W extends `${infer A}.${infer B}`
  ? `${EnumName<A>}_${EnumName<B>}`
  : W extends `${infer A}-${infer B}`
    ? `${Uppercase<A>}_${EnumName<B>}`
    : Uppercase<W>;

/** GraphQL name of a documented value. */
export const enumName = (value: string): string => value.toUpperCase().replaceAll(/[-.]/g, "_");

/** GraphQL name of a column, e.g. `SERIAL_NUMBER`. */
export const enumWord = (column: string): string => column.replace(/[A-Z]/g, "_$&").toUpperCase();

/**
 * Registers a GraphQL enum. `descriptions` maps each documented value to its description, `deprecated` some of them to the reason. Returns
 * the values by their GraphQL names.
 */
export function defineEnum<V extends string>(
  name: string,
  description: string,
  descriptions: Record<V, string>,
  deprecated: { [K in V]?: string } = {},
) {
  const values = Object.keys(descriptions) as V[];
  const byName = Object.fromEntries(values.map((value) => [enumName(value), value])) as { [K in V as EnumName<K>]: K };
  registerEnumType(byName, {
    name,
    description,
    valuesConfig: Object.fromEntries(
      values.map((value) => [enumName(value), { description: descriptions[value], deprecationReason: deprecated[value] }]),
    ) as never,
  });
  return byName;
}

export const Direction = defineEnum("Direction", "Sort direction of a list.", {
  asc: "Smallest or oldest first.",
  desc: "Largest or newest first.",
});
export type Direction = (typeof Direction)[keyof typeof Direction];

/** Synonyms that REST accepts for enum values, by enum name. They are never returned (docs/decisions.md, "`Active`"). */
export const enumSynonyms: Record<string, Record<string, string>> = { AssetStatus: { Active: "operational" } };

/** Values that do not exist in REST, by enum name: REST supports the values of docs/interface.md. */
export const graphOnlyValues: Record<string, string[]> = { MovementType: ["revaluation", "price_difference"] };

const stepFields = ["kind", "required", "parameter", "unit", "minimum", "maximum", "componentId"];

const counters = ["meters", "conditions", "externalId"];
const external = ["externalId"];
const lives = ["lifeHours", "lifeMonths", "lifeInstallations", "inspectionHours", "inspectionMonths"];
const ofUnits = [...external, "coreValue", "isRepairable", "isCapital", ...lives];

/** Input fields that REST ignores, by input name: REST supports the fields of docs/interface.md. */
export const graphOnlyFields: Record<string, string[]> = {
  ProcedureStepInput: stepFields,
  CustomStepInput: stepFields,
  TemplateItemInput: ["key"],
  CreateProcedureInput: counters,
  UpdateProcedureInput: counters,
  CreateWorkOrderInput: ["assetId", "title", "description", "type", "productionStopped", "parts", "externalId", "followUpOf"],
  CreateAssetInput: [...external, "historyCompleteSince"],
  UpdateAssetInput: [...external, "historyCompleteSince"],
  CreateComponentInput: external,
  UpdateComponentInput: external,
  CreatePartInput: ofUnits,
  UpdatePartInput: ofUnits,
  UpdateWorkOrderInput: external,
};
