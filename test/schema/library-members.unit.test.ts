/** The members of type-graphql, graphql-query-complexity and pg that the service relies on. An update that moves one fails here. */
import "reflect-metadata";
import { GraphQLInt, GraphQLObjectType, GraphQLSchema, parse } from "graphql";
import pg from "pg";
import { getMetadataStorage } from "type-graphql";
import { afterEach, describe, expect, it, test } from "vitest";
import { statementCloser } from "../../src/database/connection/pg-internals.js";
import { getComplexity } from "../../src/resolvers/complexity.js";
import { ComponentResolver } from "../../src/resolvers/components/component.js";
import { buildGatewaySchema } from "../../src/resolvers/schema.js";
import { Component } from "../../src/schema/components/component.js";
import { fieldsOfClass, objectClasses, resolverTargets, rolesOfRoots, typeOfField } from "../../src/schema/type-graphql.js";

describe("type-graphql's metadata", () => {
  const storage = getMetadataStorage();
  const { fields } = storage;
  afterEach(() => void (storage.fields = fields));

  it("has classes, fields and roles", () => {
    expect(objectClasses()).toContainEqual({ name: "Component", target: Component });
    const own = new Map(fieldsOfClass(Component).map((field) => [field.name, field]));
    expect(own.get("name")?.nullable).toBeFalsy();
    expect(own.get("description")?.nullable).toBe(true);
    expect(own.get("name")?.getType()).toBe(String);
    expect(typeOfField(Component, "description")).toBe(String);
    expect(() => typeOfField(Component, "depthOfWear")).toThrow("Component declares no field depthOfWear");
    buildGatewaySchema();
    expect(rolesOfRoots().get("createComponent")).toEqual(["technician"]);
    expect(resolverTargets()).toContain(ComponentResolver);
  });

  it("is reported if a list is missing", () => {
    storage.fields = undefined as never;
    expect(() => fieldsOfClass(Component)).toThrow(
      'type-graphql: its metadata storage has no list "fields"; adapt src/schema/type-graphql.ts',
    );
  });
});

test("graphql-query-complexity accepts schemas of the service's copy of graphql, and calls the estimator of each field", () => {
  const query = new GraphQLObjectType({ name: "Query", fields: { level: { type: GraphQLInt, extensions: { complexity: 7 } } } });
  const options = {
    schema: new GraphQLSchema({ query }),
    query: parse("{ level again: level }"),
    variables: {},
    estimators: [({ field }: { field: { extensions: object } }) => (field.extensions as { complexity: number }).complexity],
  };
  expect(getComplexity(options)).toBe(14);
});

describe("pg's prepared statements", () => {
  it("are known by name, and closed by a message", () => {
    const client = new pg.Client();
    const { connection } = client as unknown as { connection: { parsedStatements: object; close: (message: object) => void } };
    Object.assign(connection.parsedStatements, { s1: "select 1", s2: "select 2" });
    const sent: object[] = [];
    connection.close = (message) => void sent.push(message);
    statementCloser(client)("s1");
    expect(connection.parsedStatements).toEqual({ s2: "select 2" });
    expect(sent).toEqual([{ type: "S", name: "s1" }]);
  });

  it("are reported if they are missing", () => {
    const client = { connection: { close() {} } } as unknown as pg.Client;
    expect(() => statementCloser(client)).toThrow("pg: a client has no connection.parsedStatements");
  });
});
