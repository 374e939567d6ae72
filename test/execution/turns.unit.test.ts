import { setTimeout as delay } from "node:timers/promises";
import { buildSchema, execute, parse } from "graphql";
import { expect, it } from "vitest";
import { Activity, inActivity, inRequestQueue } from "../../src/database/watch/activity.js";
import type { Context } from "../../src/resolvers/context.js";
import { bindTurns } from "../../src/resolvers/turns.js";

/** Runs a query of two lists whose records have a statement each. Returns the order of its steps. */
async function steps(isLarge: boolean): Promise<string[]> {
  const order: string[] = [];
  const schema = buildSchema("type Query { list(name: String): [Item!]! refused: Item } type Item { value: Int }");
  const { list, refused } = schema.getQueryType()!.getFields();
  const item = (name: string) => ({
    value: () =>
      inRequestQueue(async () => {
        await delay(1);
        order.push(name);
        return 1;
      }),
  });
  list!.resolve = (_, { name }) => {
    order.push(`begin ${name}`);
    return [item(name), item(name)];
  };
  refused!.resolve = () => Promise.reject(new Error("refused"));
  bindTurns(schema);
  const activity = new Activity(false);
  if (isLarge) activity.yield();
  const contextValue = { data: { turn: Promise.resolve() } } as unknown as Context;
  const document = parse(`{ a: list(name: "a") { value } refused { value } b: list(name: "b") { value } }`);
  const result = await inActivity(activity, () => execute({ schema, document, contextValue }));
  expect(result).toEqual({
    data: { a: [{ value: 1 }, { value: 1 }], refused: null, b: [{ value: 1 }, { value: 1 }] },
    errors: [expect.objectContaining({ message: "refused" })],
  });
  return order;
}

it("the root fields of a large query run one after the other, also after a refused one", async () => {
  expect(await steps(true)).toEqual(["begin a", "a", "a", "begin b", "b", "b"]);
});

it("those of other queries begin together, so that loaders read for all of them", async () => {
  expect(await steps(false)).toEqual(["begin a", "begin b", "a", "a", "b", "b"]);
});
