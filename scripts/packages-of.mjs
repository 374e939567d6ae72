// The delivered packages: production dependencies, and packages whose code is bundled into dist/.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./stale.mjs";

const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));

/** Folders of the packages in an esbuild bundle, as named in package-lock.json. */
export const packagesOf = ({ outputs }) => foldersOf(Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)));

/** As `packagesOf`, for file paths relative to the root. */
export function foldersOf(files) {
  const folders = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(folders)].sort();
}

/** Older packages have a list of licences. */
const licenceOf = ({ license, licenses = [] }) => license?.type ?? license ?? licenses.map(({ type }) => type).join(" OR ");

/**
 * Packages of the built dist/ on this platform: `{ name, version, licence, bundled }` by name. `licence` is an SPDX expression, or empty.
 */
export function delivered() {
  const { packages } = read("package-lock.json");
  const production = Object.keys(packages).filter((folder) => folder && !packages[folder].dev && existsSync(join(root, folder)));
  const bundled = ["explorer", "console", "reference", "database", "fonts"].map((name) => `dist/${name}/bundled.json`).flatMap(read);
  const found = new Map();
  for (const folder of [...production, ...bundled]) {
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    const { version, license } = packages[folder];
    const entry = { name, version, licence: license ?? licenceOf(read(`${folder}/package.json`)), bundled: bundled.includes(folder) };
    found.set(`${name}@${version}`, found.get(`${name}@${version}`) ?? entry);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
