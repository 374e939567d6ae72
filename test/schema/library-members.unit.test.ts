/** The members of type-graphql, graphql-query-complexity and pg that the service relies on. An update that moves one fails here. */
import "reflect-metadata";
import { GraphQLInt, GraphQLObjectType, GraphQLSchema, parse } from "graphql";
import pg from "pg";
import { Arg, Authorized, Field, getMetadataStorage, Int, ObjectType, Query, Resolver } from "type-graphql";
import { afterEach, describe, expect, it, test } from "vitest";
import { statementCloser } from "../../src/database/connection/pg-internals.js";
import { getComplexity } from "../../src/resolvers/complexity.js";
import {
  declareParameters,
  fieldsOfClass,
  objectClasses,
  resolverTargets,
  rolesOfRoots,
  typeOfField,
} from "../../src/schema/type-graphql.js";

describe("type-graphql's metadata", () => {
  @ObjectType("MetadataGauge")
  class Gauge {
    @Field(() => Int, { nullable: true })
    level?: number | null;
  }

  @Resolver()
  class GaugeResolver {
    @Authorized("manager")
    @Query(() => Int)
    metadataLevel(): number {
      return 1;
    }
  }

  const storage = getMetadataStorage();
  const { fields } = storage;
  afterEach(() => void (storage.fields = fields));

  it("has classes, fields and roles", () => {
    expect(objectClasses()).toContainEqual({ name: "MetadataGauge", target: Gauge });
    expect(fieldsOfClass(Gauge).map(({ name, nullable, getType }) => [name, nullable, getType()])).toEqual([["level", true, Int]]);
    expect(typeOfField(Gauge, "level")).toBe(Int);
    expect(() => typeOfField(Gauge, "depth")).toThrow("Gauge declares no field depth");
    expect(rolesOfRoots().get("metadataLevel")).toEqual(["manager"]);
    expect(resolverTargets()).toContain(GaugeResolver);
  });

  it("is reported if a list is missing", () => {
    storage.fields = undefined as never;
    expect(() => fieldsOfClass(Gauge)).toThrow('type-graphql: its metadata storage has no list "fields"; adapt src/schema/type-graphql.ts');
  });

  it("accepts an argument of a method without TypeScript's metadata", () => {
    class Plain {}
    const declareArg = () => Arg("level", () => Int)(Plain.prototype, "read", 0);
    expect(declareArg).toThrow();
    declareParameters(Plain.prototype, "read", [Number]);
    expect(declareArg).not.toThrow();
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
