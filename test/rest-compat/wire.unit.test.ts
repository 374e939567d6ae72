/** Responses and errors as JSON on a REST path (docs/interface.md 7). */
import { GraphQLError } from "graphql";
import { describe, expect, test } from "vitest";
import { dropNulls, errorResponse } from "../../src/rest-compat/wire.js";

describe("nulls are absent", () => {
  test.each<[string, unknown, unknown]>([
    ["of a field", { a: null, b: 1 }, { b: 1 }],
    ["at any depth", { a: { b: { c: null, d: [{ e: null, f: 0 }] } } }, { a: { b: { d: [{ f: 0 }] } } }],
    ["but not of a list", [null, { a: null }, [{ b: null }]], [null, {}, [{}]]],
    ["but not what is empty otherwise", { a: "", b: 0, c: false, d: [], e: {} }, { a: "", b: 0, c: false, d: [], e: {} }],
    ["but where the documents say null", { stays: null, list: [{ stays: null, goes: null }] }, { stays: null, list: [{ stays: null }] }],
    [
      "but in what is the client's own",
      { own: { a: null }, list: [{ own: { b: null } }] },
      { own: { a: null }, list: [{ own: { b: null } }] },
    ],
    ["the client's own itself too", { own: null }, {}],
  ])("%s", (_, value, expected) => {
    dropNulls(value, new Set(["stays"]), new Set(["own"]));
    expect(JSON.parse(JSON.stringify(value))).toEqual(expected);
  });
});

describe("an error", () => {
  const of = (extensions: Record<string, unknown>, callersName?: (field: string) => string) =>
    errorResponse(new GraphQLError("It is so", { extensions }), "request-1", callersName);

  test.each<[string, number]>([
    ["BAD_USER_INPUT", 400],
    ["UNAUTHENTICATED", 401],
    ["FORBIDDEN", 403],
    ["NOT_FOUND", 404],
    ["CONFLICT", 409],
    ["SERVICE_UNAVAILABLE", 503],
    ["INTERNAL_SERVER_ERROR", 500],
  ])("%s is %i", (code, status) => {
    expect(of({ code })).toEqual({ status, body: { error: "It is so", code, requestId: "request-1" } });
  });

  test.each([undefined, "GRAPHQL_VALIDATION_FAILED"])("the code %s is the caller's mistake", (code) => {
    expect(of({ code })).toEqual({ status: 400, body: { error: "It is so", code: "BAD_USER_INPUT", requestId: "request-1" } });
  });

  test("names its details as the caller does, and keeps its other fields", () => {
    const callersName = (field: string) => (field === "title" ? "name" : field);
    expect(of({ code: "CONFLICT", details: { title: "is taken", site: "is closed" }, assetId: "a" }, callersName).body).toEqual({
      error: "It is so",
      details: { name: "is taken", site: "is closed" },
      assetId: "a",
      code: "CONFLICT",
      requestId: "request-1",
    });
  });

  test.each(["a sentence", null])("details that are not an object stay unchanged: %j", (details) => {
    expect(of({ code: "CONFLICT", details }).body.details).toEqual(details);
  });
});
