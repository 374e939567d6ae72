/** The cache that tenants share. */
import { expect, test } from "vitest";
import { FairCache } from "../../src/execution/admission/fair-cache.js";

const keptOf = (cache: FairCache<string>, keys: string[]) => keys.filter((key) => cache.get(key) !== undefined);

test("the least recently used entry is evicted first", () => {
  const cache = new FairCache<string>({ entries: 2, size: 100, each: 10 });
  cache.set("a", "1", "one", 1);
  cache.set("a", "2", "two", 1);
  expect(cache.get("1")).toBe("one");
  cache.set("a", "3", "three", 1);
  expect(keptOf(cache, ["1", "2", "3"])).toEqual(["1", "3"]);
});

test.each([
  ["entries", { entries: 10, size: 1_000, each: 100 }, 1],
  ["size", { entries: 1_000, size: 100, each: 100 }, 10],
])("a tenant that floods it loses its own: %s", (_, limits, size) => {
  const cache = new FairCache<string>(limits);
  const quiet = ["x", "y", "z"];
  for (const key of quiet) cache.set("quiet", key, key, size);
  const flood = Array.from({ length: 50 }, (_, i) => `f${i}`);
  for (const key of flood) cache.set("loud", key, key, size);
  expect(keptOf(cache, quiet)).toEqual(quiet);
  expect(keptOf(cache, flood)).toEqual(flood.slice(-7));
});

test("all tenants have the same share if all want more", () => {
  const cache = new FairCache<string>({ entries: 9, size: 1_000, each: 100 });
  const keys: string[] = [];
  for (let i = 0; i < 30; i++)
    for (const tenant of ["a", "b", "c"]) {
      keys.push(`${tenant}${i}`);
      cache.set(tenant, `${tenant}${i}`, "", 1);
    }
  expect(keptOf(cache, keys)).toEqual(["a27", "b27", "c27", "a28", "b28", "c28", "a29", "b29", "c29"]);
});

test("small entries are shared by all tenants, and oversized ones are not kept", () => {
  const cache = new FairCache<string>({ entries: 9, size: 100, each: 10 });
  cache.set("a", "1", "first", 1);
  cache.set("b", "1", "second", 1);
  expect(cache.get("1")).toBe("first");
  cache.set("a", "2", "large", 11);
  expect(cache.get("2")).toBeUndefined();
});
