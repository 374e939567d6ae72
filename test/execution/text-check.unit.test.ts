/** Text that PostgreSQL or JSON cannot store is found at any depth. */
import { parse } from "graphql";
import { describe, expect, test } from "vitest";
import { checkLiterals, checkValues } from "../../src/execution/operation/text-check.js";

const nul = "must not contain NUL characters";
const surrogate = "must not contain unpaired surrogates";
const deep = "must not be nested deeper than 64 levels";
const number = "must be a number that JSON can hold";
/** The `details` of the error. Undefined if there is none. */
function detailsOf(check: () => void): Record<string, string> | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ extensions: { code: "BAD_USER_INPUT" } });
    return (error as { extensions: { details: Record<string, string> } }).extensions.details;
  }
}
const nested = (levels: number): unknown => (levels ? [nested(levels - 1)] : 1);

test.each([
  ["", undefined],
  ["pump", undefined],
  ["\u{1f527}", undefined],
  ["\ufeff\uffff\u007f", undefined],
  ["a\0", nul],
  ["\ud83d", surrogate],
  ["\udd27\ud83d", surrogate],
])("the text %j", (text, message) => expect(detailsOf(() => checkValues({ text }))).toEqual(message && { text: message }));

describe("a value", () => {
  test.each<[unknown, { path: string; message: string } | undefined]>([
    [undefined, undefined],
    [null, undefined],
    [true, undefined],
    [{ a: ["b", { c: 1e308 }], d: null }, undefined],
    ["\0", { path: "", message: nul }],
    [{ a: "\0" }, { path: "a", message: nul }],
    [{ a: [{ b: "ok" }, { b: "\ud800" }] }, { path: "a.1.b", message: surrogate }],
    [{ a: Number.POSITIVE_INFINITY }, { path: "a", message: number }],
    [[Number.NaN], { path: "0", message: number }],
    [{ a: { "b\0": 1 } }, { path: "a", message: `has a name that ${nul}` }],
    [{ "\ud800": 1 }, { path: "", message: `has a name that ${surrogate}` }],
    [JSON.parse('{"a":{"__proto__":1}}'), { path: "a", message: "has a name that must not be __proto__" }],
    [{ constructor: 1, prototype: 2 }, undefined],
    [nested(64), undefined],
    [nested(65), { path: "0", message: deep }],
    [{ tree: nested(100_000 / 100) }, { path: "tree", message: deep }],
  ])("%# is %j", (value, problem) =>
    expect(detailsOf(() => checkValues({ value }))).toEqual(problem && { [problem.path || "value"]: problem.message }),
  );
});

describe("a value written in a query", () => {
  const levels = (count: number) => `${"[".repeat(count)}1${"]".repeat(count)}`;

  test.each<[string, string | undefined]>([
    ['{ a(b: "c") }', undefined],
    ["{ a(b: 1.5e10, c: [1, { d: 2 }]) }", undefined],
    ['{ a(b: "\\u0000") }', nul],
    ['{ a(b: { c: ["\\u0000"] }) }', nul],
    ["{ a(b: 1e999) }", number],
    [`{ a(b: ${"9".repeat(400)}) }`, number],
    ["{ a(b: { __proto__: 1 }) }", "has a name that must not be __proto__"],
    [`{ a(b: ${levels(64)}) }`, undefined],
    [`{ a(b: ${levels(65)}) }`, deep],
    [`{ a(b: ${levels(60)}, c: ${levels(60)}) }`, undefined],
  ])("%#", (query, message) => {
    expect(detailsOf(() => checkLiterals(parse(query)))).toEqual(message && { query: message });
  });
});
