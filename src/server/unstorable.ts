/** Text that PostgreSQL cannot keep, and nesting nobody means: refused at the doors, before anything is looked up. */
import { type DocumentNode, visit } from "graphql";

const maxDepth = 64;

/** What is wrong with a text; undefined where it can be stored. */
export function unstorableText(text: string): string | undefined {
  if (text.includes("\0")) return "must not contain NUL characters";
  return text.isWellFormed() ? undefined : "must not contain unpaired surrogates";
}

/** The first problem of a parsed value, with the path to it. Iterative: nesting is what it guards against. */
export function unstorable(root: unknown): { path: string; message: string } | undefined {
  const pending: { value: unknown; path: string; depth: number }[] = [{ value: root, path: "", depth: 0 }];
  while (pending.length) {
    const { value, path, depth } = pending.pop()!;
    if (typeof value === "string") {
      const message = unstorableText(value);
      if (message) return { path, message };
    } else if (typeof value === "object" && value !== null) {
      if (depth >= maxDepth) return { path: path.split(".")[0]!, message: `must not be nested deeper than ${maxDepth} levels` };
      for (const [key, entry] of Object.entries(value)) {
        const message = unstorableText(key);
        if (message) return { path: path || "body", message: `has a name that ${message}` };
        pending.push({ value: entry, path: path ? `${path}.${key}` : key, depth: depth + 1 });
      }
    }
  }
  return undefined;
}

export function unstorableLiteral(document: DocumentNode): string | undefined {
  let problem: string | undefined;
  visit(document, {
    StringValue({ value }) {
      problem ??= unstorableText(value);
    },
  });
  return problem && `A string in the query ${problem}`;
}
