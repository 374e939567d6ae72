/** Schema names in /openapi.json: each name has a single shape, and each shape a single name. */
import { GraphQLScalarType } from "graphql";
import { expect, it } from "vitest";
import { orNull, type Schema, Schemas } from "../../src/rest-compat/openapi/schemas.js";

const shape = (...fields: string[]): Schema => ({
  type: "object",
  properties: Object.fromEntries(fields.map((name) => [name, { type: "string", description: `The ${name}.` }])),
});
const schemas = () => new Schemas((text) => text ?? undefined);

it("a shape is described once, with any descriptions", () => {
  const named = schemas();
  const first = named.refer("Asset", "Asset", "GET /assets", () => ({ ...shape("id"), description: "One." }));
  expect(named.refer("Asset", "Asset", "GET /assets/{id}", () => ({ ...shape("id"), description: "Another." }))).toEqual(first);
  expect(named.all()).toEqual({ Asset: { ...shape("id"), description: "One." } });
});

it("another shape under the same name is rejected, and a field called description is part of the shape", () => {
  const named = schemas();
  named.refer("Asset", "Asset", "GET /assets", () => shape("id"));
  for (const fields of [["id", "name"], ["id", "description"], []])
    expect(() => named.refer("Asset", "Asset", "PUT /assets", () => shape(...fields))).toThrow(
      "PUT /assets: another shape has the name Asset",
    );
});

it("another name for the shape of a type is rejected, and another type may have the same fields", () => {
  const named = schemas();
  named.refer("Deletion", "Deletion", "DELETE /assets", () => shape("message"));
  expect(() => named.refer("Removal", "Deletion", "DELETE /pms", () => shape("message"))).toThrow("has the name Deletion already");
  expect(named.refer("Message", "Message", "GET /messages", () => shape("message"))).toEqual({ $ref: "#/components/schemas/Message" });
});

it("a shape may contain itself", () => {
  const named = schemas();
  const tree = (): Schema =>
    named.refer("Tree", "Tree", "GET /tree", () => ({ type: "object", properties: { children: { type: "array", items: tree() } } }));
  tree();
  expect(named.all().Tree).toEqual({
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
  });
});

it("words and free objects have names, other scalars are inlined", () => {
  const named = schemas();
  const scalar = (name: string, jsonSchema: object) => named.scalar(new GraphQLScalarType({ name, extensions: { jsonSchema } }));
  expect(scalar("Name", { type: "string", maxLength: 9 })).toEqual({ type: "string", maxLength: 9 });
  expect(scalar("Status", { type: "string", enum: ["open"] })).toEqual({ $ref: "#/components/schemas/Status" });
  expect(scalar("Free", { type: "object" })).toEqual({ $ref: "#/components/schemas/Free" });
  expect(named.all().Free).toEqual({ type: "object", additionalProperties: true });
});

it("null is added to schemas with a type, and not to schemas without", () => {
  expect(orNull({ type: "string" })).toEqual({ type: ["string", "null"] });
  expect(orNull({ $ref: "#/x" })).toEqual({ anyOf: [{ $ref: "#/x" }, { type: "null" }] });
  expect(orNull({})).toEqual({});
});
