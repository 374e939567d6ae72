// Builds the release artefact: a tarball that npm can install and that starts without this repository. Requires a built dist/.
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { root } from "./stale.mjs";

const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));

/** Left to npm, which installs the package for the platform. */
const ofPlatform = "sharp";

/**
 * package.json of the tarball. npm ignores the lock file, `npm-shrinkwrap.json` and `overrides` of an installed tarball. The tarball
 * therefore contains the production packages as locked. `sharp` is the exception: it pins exact versions of its libraries.
 */
export function artefactManifest({ scripts: _, devDependencies: __, overrides: ___, ...manifest }, { packages }) {
  const folders = Object.keys(packages).filter((folder) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(folder));
  const production = folders.filter((folder) => !packages[folder].dev && !packages[folder].optional);
  const dependencies = Object.fromEntries(production.map((folder) => [folder.slice("node_modules/".length), packages[folder].version]));
  return { ...manifest, dependencies, bundleDependencies: Object.keys(dependencies).filter((name) => name !== ofPlatform) };
}

/** Throws unless node_modules matches the lock file. */
function checkInstalled(names, { packages }) {
  for (const folder of names.map((name) => `node_modules/${name}`))
    if (read(join(folder, "package.json")).version !== packages[folder].version)
      throw new Error(`${folder} is not as package-lock.json has it: run npm ci`);
}

/** Writes `<name>-<version>.tgz` into `folder` and returns its path. */
export async function pack(folder, signal) {
  const staged = mkdtempSync(join(tmpdir(), "gateway-pack-"));
  try {
    const lock = read("package-lock.json");
    const manifest = artefactManifest(read("package.json"), lock);
    checkInstalled(manifest.bundleDependencies, lock);
    writeFileSync(join(staged, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const name of manifest.files) cpSync(join(root, name), join(staged, name), { recursive: true, filter: isDelivered });
    for (const name of manifest.bundleDependencies)
      cpSync(join(root, "node_modules", name), join(staged, "node_modules", name), { recursive: true, filter: isRun });
    await promisify(execFile)("npm", ["pack", "--silent", "--ignore-scripts"], { cwd: staged, signal });
    const file = `${manifest.name}-${manifest.version}.tgz`;
    cpSync(join(staged, file), join(folder, `${file}.part`));
    renameSync(join(folder, `${file}.part`), join(folder, file));
    return join(folder, file);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Excludes source maps and TypeScript. */
const isRun = (path) => !/\.(map|[cm]?ts)$/.test(path);

/** Excludes source maps, build stamps, and pictures of the docs. */
const isDelivered = (path) => !/\.map$|[/\\]\.[^/\\]+$|docs[/\\][^/\\]+\.(png|svg)$/.test(path);

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await pack(process.argv[2] ?? root)}\n`);
