/** Rejects text and numbers that PostgreSQL or JSON cannot store, texts over 65,536 characters and nesting over 64 levels. Runs no SQL. */
import { type ASTNode, type DocumentNode, type FloatValueNode, type IntValueNode, Kind, visit } from "graphql";
import { badInput, ServiceError } from "../../schema/errors.js";

const maxDepth = 64;

/** Maximum characters of any text. Stored fields have lower limits (schema/scalars.ts). */
const maxText = 65_536;

const tooDeep = `must not be nested deeper than ${maxDepth} levels`;
const notFinite = "must be a number that JSON can hold";

interface Problem {
  path: string[];
  message: string;
}

/** A value that cannot be stored. */
export class RefusedValue extends ServiceError {
  constructor(
    /** The path to the value from the checked values. */
    readonly place: string[],
    readonly problem: string,
  ) {
    super("BAD_USER_INPUT", "Invalid input", { details: { [place.join(".")]: problem } });
  }
}

/** A literal that cannot be stored. */
export class RefusedLiteral extends ServiceError {
  constructor(
    readonly node: ASTNode,
    readonly problem: string,
  ) {
    super("BAD_USER_INPUT", "Invalid input", { details: { query: problem } });
  }
}

/**
 * Checks parsed values, e.g. `{ variables }` or `{ path, query, body }`. Returns BAD_USER_INPUT for the first problem. `details`
 * names the path to the value, or the entry if there is no path.
 */
export function refusedValue(values: Record<string, unknown>): RefusedValue | undefined {
  for (const name in values) {
    const problem = problemOf(values[name]);
    if (problem) return new RefusedValue(problem.path.length ? problem.path : [name], problem.message);
  }
  return undefined;
}

/** Throws what `refusedValue` returns. */
export function checkValues(values: Record<string, unknown>): void {
  const refused = refusedValue(values);
  if (refused) throw refused;
}

/** Checks the literals of a document. Throws BAD_USER_INPUT with `details.query`. */
export function checkLiterals(document: DocumentNode): void {
  let refused: RefusedLiteral | undefined;
  const refuse = (node: ASTNode, problem: string | undefined) => {
    if (problem) refused ??= new RefusedLiteral(node, problem);
  };
  let depth = 0;
  const nesting = {
    enter(node: ASTNode) {
      if (++depth > maxDepth) refuse(node, tooDeep);
    },
    leave() {
      depth--;
    },
  };
  const number = (node: IntValueNode | FloatValueNode) => {
    if (!Number.isFinite(Number(node.value))) refuse(node, notFinite);
  };
  visit(document, {
    ListValue: nesting,
    ObjectValue: nesting,
    IntValue: number,
    FloatValue: number,
    StringValue(node) {
      refuse(node, textProblem(node.value));
    },
    ObjectField(node) {
      const { name, value } = node;
      if (name.value === "__proto__") refuse(node, "has a name that must not be __proto__");
      const reaches = value.kind === Kind.OBJECT && value.fields.some((field) => field.name.value === "prototype");
      if (name.value === "constructor" && reaches) refuse(node, "has a name that must not be constructor.prototype");
    },
  });
  if (refused) throw refused;
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

function textProblem(text: string, max = maxText): string | undefined {
  if (text.length > max) return `must have at most ${max} characters`;
  if (text.includes("\0")) return "must not contain NUL characters";
  return text.isWellFormed() ? undefined : "must not contain unpaired surrogates";
}

/** A nested value. Its path is built only for an error. */
interface Place {
  value: unknown;
  depth: number;
  key?: string;
  above?: Place;
}

function pathTo(place: Place): string[] {
  const path: string[] = [];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.above) path.unshift(at.key);
  return path;
}

/** Iterative, because deep nesting would overflow the stack. */
function problemOf(root: unknown): Problem | undefined {
  const pending: Place[] = [{ value: root, depth: 0 }];
  while (pending.length) {
    const place = pending.pop()!;
    const { value, depth } = place;
    if (typeof value === "string") {
      // The document of a GraphQL request has separate limits.
      const message = textProblem(value, depth === 1 && place.key === "query" ? Number.POSITIVE_INFINITY : maxText);
      if (message) return { path: pathTo(place), message };
    } else if (typeof value === "number") {
      if (!Number.isFinite(value)) return { path: pathTo(place), message: notFinite };
    } else if (typeof value === "object" && value !== null) {
      if (depth >= maxDepth) return { path: pathTo(place).slice(0, 1), message: tooDeep };
      for (const [key, entry] of Object.entries(value)) {
        const message = prototypeProblem(key, entry) ?? textProblem(key);
        if (message) return { path: pathTo(place), message: `has a name that ${message}` };
        pending.push({ value: entry, depth: depth + 1, key, above: place });
      }
    }
  }
  return undefined;
}
