/** Rejects text and numbers that PostgreSQL or JSON cannot store, and nesting over 64 levels. Runs no SQL. */
import { type DocumentNode, Kind, visit } from "graphql";
import { badInput } from "../schema/errors.js";

const maxDepth = 64;

const tooDeep = `must not be nested deeper than ${maxDepth} levels`;
const notFinite = "must be a number that JSON can hold";

interface Problem {
  path: string;
  message: string;
}

/**
 * Checks parsed values, e.g. `{ variables }` or `{ path, query, body }`. Throws BAD_USER_INPUT for the first problem. `details`
 * names the path to the value, or the entry if there is no path.
 */
export function checkValues(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    const problem = problemOf(value);
    if (problem) throw badInput({ [problem.path || name]: problem.message });
  }
}

/** Checks the literals of a document. Throws BAD_USER_INPUT with `details.query`. */
export function checkLiterals(document: DocumentNode): void {
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
      message ??= textProblem(value);
    },
    ObjectField({ name, value }) {
      if (name.value === "__proto__") message ??= "has a name that must not be __proto__";
      const reaches = value.kind === Kind.OBJECT && value.fields.some((field) => field.name.value === "prototype");
      if (name.value === "constructor" && reaches) message ??= "has a name that must not be constructor.prototype";
    },
  });
  if (message) throw badInput({ query: message });
}

/** The error for a body that is not JSON, or that contains keys which reach JavaScript's prototypes. */
export const invalidJson = () => badInput({ body: "must be valid JSON" }, "Invalid JSON");

/**
 * Throws BAD_USER_INPUT for the keys `__proto__` and `constructor.prototype`. Needed for JSON that fastify does not parse: fastify's
 * parser rejects these keys itself.
 */
export function checkPrototypeKeys(root: unknown): void {
  const pending: unknown[] = [root];
  while (pending.length) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [key, entry] of Object.entries(value)) {
      if (prototypeProblem(key, entry)) throw invalidJson();
      pending.push(entry);
    }
  }
}

function prototypeProblem(key: string, value: unknown): string | undefined {
  if (key === "__proto__") return "must not be __proto__";
  const reaches = key === "constructor" && typeof value === "object" && value !== null && Object.hasOwn(value, "prototype");
  return reaches ? "must not be constructor.prototype" : undefined;
}

function textProblem(text: string): string | undefined {
  if (text.includes("\0")) return "must not contain NUL characters";
  return text.isWellFormed() ? undefined : "must not contain unpaired surrogates";
}

/** Iterative, because deep nesting would overflow the stack. */
function problemOf(root: unknown): Problem | undefined {
  const pending: { value: unknown; path: string; depth: number }[] = [{ value: root, path: "", depth: 0 }];
  while (pending.length) {
    const { value, path, depth } = pending.pop()!;
    if (typeof value === "string") {
      const message = textProblem(value);
      if (message) return { path, message };
    } else if (typeof value === "number") {
      if (!Number.isFinite(value)) return { path, message: notFinite };
    } else if (typeof value === "object" && value !== null) {
      if (depth >= maxDepth) return { path: path.split(".")[0]!, message: tooDeep };
      for (const [key, entry] of Object.entries(value)) {
        const message = prototypeProblem(key, entry) ?? textProblem(key);
        if (message) return { path, message: `has a name that ${message}` };
        pending.push({ value: entry, path: path ? `${path}.${key}` : key, depth: depth + 1 });
      }
    }
  }
  return undefined;
}
