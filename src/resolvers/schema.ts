import "reflect-metadata";
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { type AuthChecker, buildSchemaSync } from "type-graphql";
import { type Author, writeAs } from "../database/records/author.js";
import type { Role } from "../schema/access/enums.js";
import { badInput } from "../schema/errors.js";
import { rolesOfRoots } from "../schema/type-graphql.js";
import type { Context } from "./context.js";
import { bindExact, declareExact } from "./exact.js";
import { resolvers } from "./generated/resolvers.js";
import { declareGroups } from "./groups.js";
import { bindInstances } from "./instances.js";
import { bindIds } from "./nodes.js";
import { relationOf } from "./relation.js";
import { bindRelations } from "./relations.js";
import { requireRole, setRoles } from "./roles.js";
import { bindTurns } from "./turns.js";

/** `@Authorized("manager")` requires at least that role. */
const authChecker: AuthChecker<Context, Role> = ({ context }, roles) => {
  requireRole(context.caller.actor, roles);
  return true;
};

export function buildGatewaySchema(): GraphQLSchema {
  declareExact();
  const schema = buildSchemaSync({
    resolvers: [declareGroups(), ...resolvers],
    authChecker,
    // Required by type-graphql, but unused: subscriptions follow the change log (execution/operation/subscriptions.ts).
    pubSub: { publish() {}, subscribe: () => Promise.reject(new Error("unused")) as never },
    validate: false,
    // test/rest-compat/compiled-routes.unit.test.ts checks the complete schema.
    skipCheck: true,
  });
  bindInstances(schema);
  bindRelations(schema);
  bindIds(schema);
  bindExact(schema);
  bindTurns(schema);
  makeRootsNullable(schema);
  for (const name of oneOfInputs) (schema.getType(name) as GraphQLInputObjectType).isOneOf = true;
  separateMutations(schema);
  describe(schema);
  return schema;
}

const description = `Maintenance of equipment: assets and their components, spare parts and stock, preventive procedures, work orders, strategies and alerts.

**Identity.** Every request carries an API key, or a token of the identity provider if one is configured, as \`Authorization: Bearer <key or token>\`. Over WebSocket, send \`Authorization\` in the connection parameters. The credentials determine the tenant, the role and the acting principal (see \`viewer\`). Callers see only records of their tenant. Every role can read; each mutation states the least role that may call it. A key limited to sites can change only records of its sites, otherwise FORBIDDEN, and can read only those unless \`viewer.readAll\` is true.

**Ids.** An object's \`id\` is unique across all objects of the tenant, regardless of type. \`node\` and \`nodes\` return objects by id. Ids are opaque.

**Errors.** An error has \`extensions.code\`: BAD_USER_INPUT, NOT_FOUND, CONFLICT, FORBIDDEN, UNAUTHENTICATED and others. \`extensions.fieldErrors\` lists each refused value with its path in the arguments. A refused root field is null and does not affect the others.

**Pages.** A connection accepts \`first\` and \`after\`, or \`last\` and \`before\`, with cursors from \`pageInfo\` or \`edges\`. A cursor is valid only for the list, filter and order that returned it.

**Values.** Times are in UTC, durations in minutes, quantities in the part's unit of measure and amounts in the tenant's currency. Quantities and amounts are not converted. On update, omitted fields stay unchanged.`;

const rootTypes = {
  Query: "Queries. Available to every role unless stated otherwise. Deleted records are never returned.",
  Mutation: "Mutations. Root fields run one after the other, each in its own transaction. With an idempotency key, all are stored or none.",
  Subscription:
    "Subscriptions, over WebSocket or server-sent events. Each result has a `token` in its `extensions`. Passed as `after`, the token resumes the subscription with the events missed in between.",
};

/** Describes the schema and its root types, which have no class. Appends the required role to root fields. */
function describe(schema: GraphQLSchema): void {
  schema.description = description;
  const rolesOf = rolesOfRoots() as Map<string, Role[]>;
  for (const [name, text] of Object.entries(rootTypes)) {
    const type = schema.getType(name) as GraphQLObjectType;
    type.description = text;
    for (const field of Object.values(type.getFields())) {
      const { role, forRequesters } = relationOf(field) ?? {};
      const roles: Role[] = forRequesters ? ["viewer", "requester"] : role ? [role] : (rolesOf.get(field.name) ?? []);
      setRoles(field, roles);
      if (!roles.includes("requester")) closeToRequesters(field, roles);
      const named = roles.map((one) => one.toUpperCase()).join(" or ");
      if (named && field.description) field.description += ` Requires the role ${named}.`;
    }
  }
}

/** Denies requesters a root field that does not list their role. */
function closeToRequesters(field: GraphQLField<unknown, Context>, roles: Role[]): void {
  for (const step of ["resolve", "subscribe"] as const) {
    const ordinary = field[step];
    if (!ordinary) continue;
    field[step] = (source, args, context, info) => {
      if (context.caller.actor.role === "requester") requireRole(context.caller.actor, roles.length ? roles : ["viewer"]);
      return ordinary(source, args, context, info);
    };
  }
}

/** Inputs of which exactly one field must be set. type-graphql has no option for this. */
const oneOfInputs = ["PartNumberInput", "PhotoOwnerInput", "AttachmentOwnerInput"];

/** Makes root fields nullable: a refused or failed field is null, and the results and writes of the others are kept. */
function makeRootsNullable(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType()!, schema.getMutationType()!])
    for (const field of Object.values(root.getFields())) field.type = getNullableType(field.type);
}

/** Characters. Stored with every change. */
const maxReason = 10_000;

/** Author of a mutation, with the reason from its arguments. */
function authorOf(
  { caller: { actor, requestId, source } }: Context,
  operation: string,
  args: { reason?: unknown; input?: { reason?: unknown } },
): Author {
  const reason = args.reason ?? args.input?.reason;
  if (typeof reason === "string" && reason.length > maxReason) throw badInput({ reason: `must have at most ${maxReason} characters` });
  return {
    tenantId: actor.tenantId,
    by: actor.principalId,
    ...(actor.keyId && { key: actor.keyId }),
    ...(actor.sites.length && { sites: actor.sites }),
    request: requestId,
    source,
    operation,
    reason: typeof reason === "string" ? reason : undefined,
  };
}

/**
 * Replaces the loaders before each root field of a mutation except the first. Root fields run serially, so that the selection of each field
 * shows the writes of earlier fields. In an atomic mutation, fields after a refused field do not run.
 */
function separateMutations(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()!.getFields())) {
    const resolve = field.resolve!;
    field.resolve = async (source, args, context: Context, info) => {
      if (context.outcome.isRefused) return null;
      context.lifetime?.throwIfCancelled();
      if (context.lifetime) context.lifetime.isWriting = true;
      context.data.beginWrite();
      try {
        return await writeAs(authorOf(context, field.name, args), () => resolve(source, args, context, info));
      } catch (error) {
        context.outcome.isRefused = context.outcome.isAtomic;
        throw error;
      } finally {
        context.data.endWrite();
      }
    };
  }
}

/** Returns the content of src/schema/schema.graphql. */
export const printGatewaySchema = (): string => `${printSchema(lexicographicSortSchema(buildGatewaySchema()))}\n`;
