/** No module of the service or the console imports itself through others, types included. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const modulesOf = (root: string) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("generated"))
    .map((file) => join(root, file));

function importsOf(file: string, known: Set<string>): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^(?:import|export)\s[^"';=]*?"(\.[^"]+)\.js"/gm)].flatMap(([, path]) => {
    const base = join(dirname(file), path!);
    return [`${base}.ts`, `${base}.tsx`].filter((candidate) => known.has(candidate));
  });
}

/** A circle of imports that can be reached from `file`, as the path that closes it. `done` has no circle. */
function circleFrom(file: string, imports: Map<string, string[]>, path: string[], done: Set<string>): string[] | undefined {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (done.has(file)) return undefined;
  for (const next of imports.get(file)!) {
    const found = circleFrom(next, imports, [...path, file], done);
    if (found) return found;
  }
  done.add(file);
  return undefined;
}

test.each(["src", "console/src"])("%s has no circle of imports", (root) => {
  const files = modulesOf(root);
  const known = new Set(files);
  const imports = new Map(files.map((file) => [file, importsOf(file, known)]));
  expect([...imports.values()].flat().length).toBeGreaterThan(files.length);
  const done = new Set<string>();
  expect(files.map((file) => circleFrom(file, imports, [], done)).find(Boolean)).toBeUndefined();
});
