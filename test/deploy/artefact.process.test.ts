/** The delivered artifact: its licenses, and the absence of development tools. */
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { delivered } from "../../scripts/packages-of.mjs";
import { root } from "../../scripts/stale.mjs";
import { build } from "../generate.js";

beforeAll(build);

/** Licenses that require no more than their notice. */
const free = [
  "MIT",
  "MIT-0",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "0BSD",
  "BlueOak-1.0.0",
  "Unlicense",
  "CC0-1.0",
  "Python-2.0",
];

/** Other licenses, and why they are acceptable. */
const exceptions: [licence: string, name: RegExp, reason: string][] = [
  ["LGPL-3.0-or-later", /^@img\/sharp-libvips-/, "a library of its own that sharp loads, which whoever has the image may replace"],
  ["OFL-1.1", /^@fontsource-variable\/inter$/, "the console's typeface, which may be bundled and is not sold by itself"],
  ["", /^png-js$/, "its package.json names none, its file LICENSE is that of MIT"],
  [
    "SEE LICENSE IN README.md AND LICENSE",
    /^dejavu-fonts-ttf$/,
    "the typeface of PDFs, with the licence of Bitstream Vera: its notice stays, and it is not sold by itself",
  ],
  ["MIT and ISC", /^@visx\/vendor$/, "the charts' copies of d3, whose field is no SPDX expression; both licences are free"],
];

/** True if one of the selectable licenses is free. `A OR B` leaves the choice, `A AND B` does not. */
const isFree = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((licence) => free.includes(licence)));

it("all licences are known, and require nothing except in named exceptions", () => {
  const packages = delivered();
  expect(packages.length).toBeGreaterThan(200);
  expect(packages.filter(({ bundled }) => bundled).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["@prisma/client", "pglite-prisma-adapter", "graphiql", "react", "urql"]),
  );
  const used = new Set<RegExp>();
  const wrong = packages.filter(({ name, licence }) => {
    const exception = exceptions.find(([allowed, pattern]) => allowed === licence && pattern.test(name));
    if (exception) used.add(exception[1]);
    return !exception && !isFree(licence);
  });
  expect(wrong.map(({ name, licence }) => `${name}: ${licence || "unknown"}`)).toEqual([]);
  expect(used.size).toBe(exceptions.length);
});

const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

/** The folder in package-lock.json to which `name` resolves from the package in `folder`. */
function resolved(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    const path = `${at && `${at}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (!at) return undefined;
  }
}

/** The transitive production dependencies, without optional peers. */
function needed(): Set<string> {
  const found = new Set<string>();
  const visit = (folder: string, names: object) => {
    for (const name of Object.keys(names)) {
      const path = resolved(folder, name);
      if (!path || found.has(path)) continue;
      found.add(path);
      const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path];
      const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
      visit(path, { ...dependencies, ...optionalDependencies, ...Object.fromEntries(peers.map((peer) => [peer, ""])) });
    }
  };
  visit("", packages[""].dependencies);
  return found;
}

/**
 * With `--omit=dev`, npm also installs a package of devDependencies that a production dependency names as an optional peer. In the lock
 * file such a package has no `dev`.
 */
it("npm ci --omit=dev installs nothing unnecessary", () => {
  const needs = needed();
  const installed = Object.keys(packages).filter((folder) => folder && !packages[folder].dev);
  expect(installed.filter((folder) => !needs.has(folder))).toEqual([]);
  const tools = ["prisma", "typescript", "@prisma/client", "esbuild", "vitest", "graphiql", "vite", "urql", "axe-core"];
  expect(tools.filter((name) => needs.has(`node_modules/${name}`))).toEqual([]);
});

it("dist imports nothing but production dependencies", () => {
  const { dependencies } = packages[""];
  const files = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" });
  const wrong = files
    .filter((file) => file.endsWith(".js") && !/^(explorer|console|reference)\b/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, "dist", file), "utf8");
      const names = [...text.matchAll(/^(?:import|export)\b(?:[^"'`;=(]*?\bfrom)?\s*"([^"\s]+)"|\bimport\("([^"\s]+)"\)/gm)].map(
        ([, name, lazy]) => name ?? lazy!,
      );
      const outside = names.filter((name) => !/^(\.|node:)/.test(name)).map((name) => name.replace(/^((@[^/]+\/)?[^/]+).*/, "$1"));
      return outside.filter((name) => !(name in dependencies) && !isBuiltin(name)).map((name) => `${file}: ${name}`);
    });
  expect(wrong).toEqual([]);
});
