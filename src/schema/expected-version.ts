/** The record version on which an update or deletion is based (docs/graphql.md, "Versions"). */
import { Arg, Int } from "type-graphql";

/** The version that a client has read; for a template, text. Null and undefined accept any version. */
export type Expected<V extends number | string = number> = V | null | undefined;

/** The argument `expectedVersion` of a mutation. */
export const ExpectedVersion = (type: typeof Int | StringConstructor = Int) =>
  Arg("expectedVersion", () => type, {
    nullable: true,
    description:
      "`version` of the record as the client read it. Fails with CONFLICT if the record has changed since; the error contains the current `version` and the `changedFields`. Default: any.",
  });
