/** Instants between changes, and the components of an asset at an instant. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Caller, Gateway } from "../world.js";

/** The time of the database, at least 2 ms apart from earlier and later changes. */
export async function instantOf({ database }: Gateway): Promise<string> {
  await sleep(2);
  const [{ at }] = await database.query<any>("select clock_timestamp() as at");
  await sleep(2);
  return at.toISOString();
}

/** Lists the components of asset `$id` at `$at` with the selected fields. */
export const listed = (fields: string) =>
  `query ($id: ID!, $at: DateTime) { asset(id: $id) { components(at: $at, scope: ALL, first: 500) { totalCount nodes { ${fields} } } } }`;

export async function treeAt(caller: Caller, id: string, at: string | undefined, fields = "name level parentId"): Promise<any[]> {
  const { components } = (await caller.ask(listed(fields), { id, at })).asset;
  expect(components.totalCount).toBe(components.nodes.length);
  return components.nodes;
}

export const byId = <T extends { id: string }>(nodes: T[]): T[] => nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
