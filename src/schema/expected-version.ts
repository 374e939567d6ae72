/** The version of a record that an update or a deletion is based on (docs/graphql.md, "Versions"). */
import { Arg, Int } from "type-graphql";

/** The version that a client has read; that of a template is text. Null and undefined: any. */
export type Expected<V extends number | string = number> = V | null | undefined;

/** The argument `expectedVersion` of a mutation. */
export const ExpectedVersion = (type: typeof Int | StringConstructor = Int) =>
  Arg("expectedVersion", () => type, {
    nullable: true,
    description:
      "`version` of the record as it was read. If it has another one by now, nothing is done and CONFLICT tells the current `version` and the `changedFields`. Default: any.",
  });
