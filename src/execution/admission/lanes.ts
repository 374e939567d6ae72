/** Assigns operations to lanes (docs/fairness.md, "Admission"). */
import { type DocumentNode, type GraphQLSchema, isObjectType } from "graphql";
import { fileWork, isLongWork } from "../../resolvers/cost.js";
import { selects } from "../selects.js";
import type { Lane } from "./admission.js";

export type LaneOf = (document: DocumentNode) => Lane;

/** Returns a function that determines an operation's lane from its fields. */
export function lanesOf(schema: GraphQLSchema): LaneOf {
  const objects = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type));
  const fields = objects.flatMap((type) => Object.values(type.getFields()));
  const named = (isOfLane: (complexity: unknown) => boolean) =>
    fields.filter(({ extensions }) => isOfLane(extensions.complexity)).map(({ name }) => name);
  const long = named(isLongWork);
  const files = named((complexity) => complexity === fileWork);
  return (document) => (selects(document, files) ? "files" : selects(document, long) ? "long" : "short");
}
