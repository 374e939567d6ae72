/** Exact money and quantities, as text (resolvers/exact.ts). */
import { randomUUID } from "node:crypto";
import { isObjectType } from "graphql";
import { describe, expect, test } from "vitest";
import { tables } from "../../../src/database/rows/catalogue.js";
import { buildGatewaySchema } from "../../../src/resolvers/schema.js";
import { type Caller, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

const createPart = async (tenant: Caller, input: object): Promise<any> =>
  (
    await tenant.ask(
      "mutation ($input: CreatePartInput!) { createPart(input: $input) { id unitCost unitCostExact minimumStockExact weightExact } }",
      { input: { partNumber: randomUUID(), name: "P", ...input } },
    )
  ).createPart;

const receive = async (tenant: Caller, partId: string, input: object): Promise<any> =>
  (
    await tenant.ask(
      "mutation ($partId: ID!, $input: MoveStockInput!) { receiveStock(partId: $partId, input: $input) { id quantityExact newBalanceExact unitCostExact totalValue totalValueExact } }",
      { partId, input },
    )
  ).receiveStock;

describe("exact decimals", () => {
  test.each([
    [12.5, "12.5"],
    [10, "10"],
    [100_000, "100000"],
    [0.0001, "0.0001"],
    [99_999_999_999.9999, "99999999999.9999"],
    [999_999_999_999, "999999999999"],
    [123_456_789_012.3456, "123456789012.3456"],
    [null, null],
  ])("%d is %s, written and read", async (unitCost, unitCostExact) => {
    const tenant = await gateway.newTenant();
    const part = await createPart(tenant, { unitCost });
    expect(part).toEqual({ id: part.id, unitCost, unitCostExact, minimumStockExact: null, weightExact: null });
    const { parts } = await tenant.ask("{ parts { nodes { unitCost unitCostExact } } }");
    expect(parts.nodes).toEqual([{ unitCost, unitCostExact }]);
    // pageInfo requires rows, and a node by id is not a list.
    const rows = await tenant.ask(
      "query ($id: ID!) { parts { nodes { unitCostExact } pageInfo { hasNextPage } } node(id: $id) { ... on Part { unitCostExact } } }",
      { id: part.id },
    );
    expect(rows).toEqual({ parts: { nodes: [{ unitCostExact }], pageInfo: { hasNextPage: false } }, node: { unitCostExact } });
  });

  test("a value with more digits than a number holds is complete on every path", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await createPart(tenant, {});
    const quantity = 123_456_789.1234;
    const unitCost = 9_876_543.2109;
    // Both have 4 decimal places, the product has 8.
    const product = 1_234_567_891_234n * 98_765_432_109n;
    const rounded = (product + 5_000n) / 10_000n;
    const exact = `${rounded / 10_000n}.${String(rounded % 10_000n).padStart(4, "0")}`.replace(/\.?0+$/, "");
    expect(String(Number(exact))).not.toBe(exact);
    const movement = await receive(tenant, id, { site: "S", quantity, unitCost });
    expect(movement).toEqual({
      id: movement.id,
      quantityExact: "123456789.1234",
      newBalanceExact: "123456789.1234",
      unitCostExact: "9876543.2109",
      totalValue: Number(exact),
      totalValueExact: exact,
    });
    const level = "quantityExact reservedStockExact availableStockExact unitCostExact totalValueExact belowReorderPointExact";
    const query = (more: string) =>
      `query ($id: ID!) { part(id: $id) { stockLevels { ${level} } movements { nodes { totalValueExact } ${more} } } }`;
    const expected = {
      stockLevels: [
        {
          quantityExact: "123456789.1234",
          reservedStockExact: "0",
          availableStockExact: "123456789.1234",
          unitCostExact: "9876543.2109",
          totalValueExact: exact,
          belowReorderPointExact: "0",
        },
      ],
      movements: { nodes: [{ totalValueExact: exact }] },
    };
    expect((await tenant.ask(query(""), { id })).part).toEqual(expected);
    const { part } = await tenant.ask(query("pageInfo { hasNextPage }"), { id });
    expect(part).toEqual({ ...expected, movements: { ...expected.movements, pageInfo: { hasNextPage: false } } });
    // Another tenant must not read the record by its id.
    expect((await (await gateway.newTenant()).graphql("query ($id: ID!) { part(id: $id) { unitCostExact } }", { id })).data).toEqual({
      part: null,
    });
  });

  test("stock is 0 at a site without a level", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await createPart(tenant, {});
    const { part } = await tenant.ask(
      'query ($id: ID!) { part(id: $id) { stockAt(site: "nowhere") { exists quantityExact minimumStockExact totalValueExact } } }',
      { id },
    );
    expect(part.stockAt).toEqual({ exists: false, quantityExact: "0", minimumStockExact: null, totalValueExact: "0" });
  });

  test("many large values of a level take one additional statement", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await createPart(tenant, {});
    for (let i = 1; i < 6; i++) await receive(tenant, id, { site: "S", quantity: 100_000_000 + i / 10, unitCost: 100_000.5 });
    const ask = () => tenant.ask("{ stockMovements { nodes { quantity totalValueExact unitCostExact } pageInfo { endCursor } } }");
    const first = await ask();
    const before = gateway.database.statements();
    const { stockMovements } = await ask();
    expect(gateway.database.statements() - before).toBeLessThanOrEqual(2 + 1);
    expect(first.stockMovements).toEqual(stockMovements);
    expect(stockMovements.nodes.map(({ totalValueExact }: any) => totalValueExact)).toEqual([
      "10000050010000.05",
      "10000050020000.1",
      "10000050030000.15",
      "10000050040000.2",
      "10000050050000.25",
    ]);
  });

  test("every number of a decimal column has an exact twin, except times", () => {
    const missing = Object.values(buildGatewaySchema().getTypeMap()).flatMap((type) => {
      const table = tables[(type.name === "StockLevel" ? "Stock" : type.name) as keyof typeof tables];
      if (!isObjectType(type) || !table) return [];
      const fields = type.getFields();
      return Object.entries(table.columns).flatMap(([name, column]) =>
        (column as { type: string }).type === "Decimal" && fields[name] && !fields[`${name}Exact`] ? [`${type.name}.${name}`] : [],
      );
    });
    expect(missing.sort()).toEqual([
      "LaborEntry.minutes",
      "Part.leadTime",
      "Procedure.estimatedDuration",
      "Strategy.duration",
      "SupplierPart.leadTime",
      "WorkOrder.duration",
      "WorkOrder.estimatedDuration",
      "WorkOrderStep.estimatedTime",
    ]);
  });
});
