/** What PostgreSQL or JSON cannot keep, and nesting nobody means: refused at the doors, before anything is looked up. */
import { type DocumentNode, visit } from "graphql";

const maxDepth = 64;

/** What is wrong with a text; undefined where it can be stored. */
export function unstorableText(text: string): string | undefined {
  if (text.includes("\0")) return "must not contain NUL characters";
  return text.isWellFormed() ? undefined : "must not contain unpaired surrogates";
}

const tooDeep = `must not be nested deeper than ${maxDepth} levels`;
const notFinite = "must be a number that JSON can hold";

export interface Problem {
  path: string;
  message: string;
}

/** The first problem of a parsed value, with the path to it. Iterative: nesting is what it guards against. */
export function unstorable(root: unknown): Problem | undefined {
  const pending: { value: unknown; path: string; depth: number }[] = [{ value: root, path: "", depth: 0 }];
  while (pending.length) {
    const { value, path, depth } = pending.pop()!;
    if (typeof value === "string") {
      const message = unstorableText(value);
      if (message) return { path, message };
    } else if (typeof value === "number") {
      if (!Number.isFinite(value)) return { path, message: notFinite };
    } else if (typeof value === "object" && value !== null) {
      if (depth >= maxDepth) return { path: path.split(".")[0]!, message: tooDeep };
      for (const [key, entry] of Object.entries(value)) {
        const message = key === "__proto__" ? "must not be __proto__" : unstorableText(key);
        if (message) return { path, message: `has a name that ${message}` };
        pending.push({ value: entry, path: path ? `${path}.${key}` : key, depth: depth + 1 });
      }
    }
  }
  return undefined;
}

/** The same for the values written in a query. */
export function unstorableLiteral(document: DocumentNode): Problem | undefined {
  let message: string | undefined;
  let depth = 0;
  const nesting = {
    enter() {
      if (++depth > maxDepth) message ??= tooDeep;
    },
    leave() {
      depth--;
    },
  };
  const number = ({ value }: { value: string }) => {
    if (!Number.isFinite(Number(value))) message ??= notFinite;
  };
  visit(document, {
    ListValue: nesting,
    ObjectValue: nesting,
    IntValue: number,
    FloatValue: number,
    StringValue({ value }) {
      message ??= unstorableText(value);
    },
    ObjectField({ name }) {
      if (name.value === "__proto__") message ??= "has a name that must not be __proto__";
    },
  });
  return message ? { path: "query", message } : undefined;
}
