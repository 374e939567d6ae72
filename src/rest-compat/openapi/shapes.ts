/** Generates the JSON schemas of responses from selections, and those of request bodies from input types. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  type SelectionSetNode,
} from "graphql";
import { needsBody } from "../bind.js";
import type { CompiledRoute } from "../compiled-routes.js";
import type { BodyRule, Selected } from "../route.js";
import { orNull, type Schema, type Schemas } from "./schemas.js";

/** REST nouns that differ from the GraphQL type names. */
const nouns: Record<string, string> = {
  AssetAreaGroup: "AssetArea",
  AssetSiteGroup: "AssetSite",
  ChangeConnection: "ChangeList",
  ComponentTemplate: "Template",
  ComponentTemplateVersion: "TemplateVersion",
  GroupedAssets: "AssetList",
  NotificationConnection: "NotificationList",
  ProcedureConnection: "ProcedureList",
  StockAdjustment: "Adjustment",
  StockLevel: "StockRecord",
  StrategyConnection: "StrategyList",
  WorkOrderConnection: "WorkOrderList",
};

export const shownPath = ({ method, path }: { method: string; path: string }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;

export class Shapes {
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly schemas: Schemas,
    private readonly textOf: (description: string | null | undefined) => string | undefined,
  ) {}

  /** In requests, null clears a field. Responses omit null fields. */
  input(type: GraphQLInputType, where: string): Schema {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return { type: "array", items: this.input(nullable.ofType as GraphQLInputType, where) };
    if (!isInputObjectType(nullable)) return this.schemas.scalar(nullable);
    return this.body(nullable, {}, where);
  }

  private body(type: GraphQLInputObjectType, rule: BodyRule, where: string): Schema {
    const name =
      rule.schema ??
      type.name.replace(/^(Create|Update)(\w+)Input$/, (_, verb, noun) => `${noun}${verb === "Update" ? "Update" : ""}Input`);
    return this.schemas.refer(name, type.name, where, () => {
      const properties: Record<string, Schema> = {};
      const required: string[] = [];
      for (const field of Object.values(type.getFields())) {
        if (rule.readOnly?.includes(field.name)) continue;
        const [documented = field.name, ...others] = rule.names?.[field.name] ?? [];
        const schema = this.input(field.type, where);
        const description = this.textOf(field.description);
        properties[documented] = { ...(isNonNullType(field.type) ? schema : orNull(schema)), description };
        for (const other of others) properties[other] = { ...schema, description: `Alias of \`${documented}\`.` };
        if (isRequiredInputField(field) || rule.required?.includes(field.name)) required.push(documented);
      }
      return { type: "object", description: this.textOf(type.description), properties, ...(required.length && { required }) };
    });
  }

  requestBody({ parameters, route }: CompiledRoute, operationId: string, texts: Map<string, string>): Schema | undefined {
    const where = shownPath(route);
    if (route.file) return { type: "string", description: "The file, as it is." };
    const input = parameters.find((entry) => entry.in === "input");
    const fields = parameters.filter((entry) => entry.in === "body");
    const schemaOf = (type: GraphQLInputType): Schema => {
      const nullable = getNullableType(type);
      return isInputObjectType(nullable) ? this.body(nullable, route.body ?? {}, where) : this.input(type, where);
    };
    if (input) return schemaOf(input.type);
    if (!fields.length) return undefined;
    const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Input`;
    const required = fields.filter(({ type }) => isNonNullType(type)).map((field) => field.name);
    return this.schemas.refer(name, name, where, () => ({
      type: "object",
      properties: Object.fromEntries(
        fields.map((field) => [
          field.name,
          {
            ...(isNonNullType(field.type) ? schemaOf(field.type) : orNull(schemaOf(field.type))),
            description: texts.get(field.name),
          },
        ]),
      ),
      ...(required.length && { required }),
    }));
  }

  isBodyRequired = ({ parameters, route }: CompiledRoute): boolean => Boolean(route.file) || needsBody(parameters, route.body);

  response(entry: CompiledRoute): Schema {
    const { shape } = entry.route;
    const where = shownPath(entry.route);
    if (!shape) return this.at(entry, entry.route.responsePath ?? "", "");
    const selected: Selected = {
      at: (path) => this.at(entry, path, path),
      fields: (path, but) => {
        const { type, set } = this.find(entry, path);
        return this.properties(getNamedType(type) as GraphQLObjectType, set!, entry, path, but);
      },
    };
    for (const [name, schema] of Object.entries(shape.others?.(selected) ?? {}))
      this.schemas.refer(name, name, where, () => schema as Schema);
    return this.schemas.refer(shape.name, shape.name, where, () => shape.schema(selected) as Schema);
  }

  private at(entry: CompiledRoute, path: string, name: string): Schema {
    const { type, set } = this.find(entry, path);
    return this.output(type, set, entry, name);
  }

  /** The selection at a path in the value of the root field. */
  private find(entry: CompiledRoute, path: string): { type: GraphQLOutputType; set: SelectionSetNode | undefined } {
    const { operation, route } = entry;
    const [root] = operation.selectionSet.selections;
    if (root?.kind !== "Field") throw new Error(`${route.path}: the operation has no root field`);
    let type: GraphQLOutputType = this.schema.getRootType(operation.operation)!.getFields()[root.name.value]!.type;
    let set = root.selectionSet;
    for (const name of path ? path.split(".") : []) {
      const field = this.fieldsOf(set!, entry).find(({ alias, name: own }) => (alias ?? own).value === name);
      if (!field) throw new Error(`${shownPath(route)}: nothing is selected at ${path}`);
      type = (getNamedType(type) as GraphQLObjectType).getFields()[field.name.value]!.type;
      set = field.selectionSet;
    }
    return { type, set };
  }

  private fieldsOf(set: SelectionSetNode, entry: CompiledRoute): FieldNode[] {
    return set.selections.flatMap((selection) => {
      if (selection.kind === "Field") return [selection];
      const isOfSpread = (definition: { kind: string }): definition is FragmentDefinitionNode =>
        selection.kind === "FragmentSpread" &&
        definition.kind === "FragmentDefinition" &&
        (definition as FragmentDefinitionNode).name.value === selection.name.value;
      return this.fieldsOf(entry.document.definitions.find(isOfSpread)!.selectionSet, entry);
    });
  }

  private output(type: GraphQLOutputType, set: SelectionSetNode | undefined, entry: CompiledRoute, path: string): Schema {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return { type: "array", items: this.output(nullable.ofType as GraphQLOutputType, set, entry, path) };
    if (!isObjectType(nullable)) return this.schemas.scalar(nullable as never);
    const { route } = entry;
    const name = route.schemas?.[path] ?? nouns[nullable.name] ?? nullable.name;
    return this.schemas.refer(name, nullable.name, `${shownPath(route)} ${path}`.trim(), () => {
      const { properties, required } = this.properties(nullable, set!, entry, path);
      const description = this.textOf(nullable.description);
      return {
        type: "object",
        ...(description && { description }),
        properties,
        additionalProperties: false,
        ...(required.length && { required }),
      };
    });
  }

  private properties(type: GraphQLObjectType, set: SelectionSetNode, entry: CompiledRoute, path: string, but: string[] = []) {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const selection of this.fieldsOf(set, entry)) {
      const field = type.getFields()[selection.name.value]!;
      const shown = (selection.alias ?? selection.name).value;
      if (but.includes(shown)) continue;
      const schema = this.output(field.type, selection.selectionSet, entry, path ? `${path}.${shown}` : shown);
      const keepsNull = entry.route.nullable?.includes(shown);
      const text = this.textOf(field.description);
      const description = keepsNull ? text : text?.replace(/\bNull\b/g, "Left out");
      properties[shown] = { ...(keepsNull ? orNull(schema) : schema), ...(description && { description }) };
      if ((isNonNullType(field.type) || keepsNull) && !selection.directives?.length) required.push(shown);
    }
    return { properties, required };
  }
}
