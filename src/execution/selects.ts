/** A search for fields in a document, before its operation is known. */
import { BREAK, type DocumentNode, visit } from "graphql";

/** Whether a document selects a field with one of these names, at any level. */
export function selects(document: DocumentNode, names: readonly string[]): boolean {
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      if (!names.includes(name.value)) return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
}
