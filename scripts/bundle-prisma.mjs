// Bundles Prisma's client and its PGlite adapter into dist/database. As production dependencies, they would pull in their optional peers:
// the Prisma command line and TypeScript, which npm installs because devDependencies contain them. The client also has 70 MB of query
// compilers for other databases.
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { packagesOf } from "./packages-of.mjs";
import { root } from "./stale.mjs";

const folder = join(root, "dist/database");
const out = join(folder, "bundled");

/** Packages to bundle with their imports. Everything else stays an import. */
const taken = /^(@prisma\/client|@prisma\/client-runtime-utils|pglite-prisma-adapter)(\/|$)/;
const ownCopies = /node_modules\/pglite-prisma-adapter\//;

const onlyTaken = {
  name: "only-taken",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
      taken.test(path) || (ownCopies.test(importer) && path !== "@electric-sql/pglite") ? undefined : { path, external: true },
    );
  },
};

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["dist/database/generated/client.js", "dist/database/connection/pglite-adapter.js"],
  outbase: "dist/database",
  outdir: out,
  bundle: true,
  splitting: true,
  metafile: true,
  format: "esm",
  platform: "node",
  target: "node20",
  chunkNames: "chunks/[name]-[hash]",
  // Prisma's client is CommonJS and requires Node's built-in modules.
  banner: { js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);' },
  legalComments: "eof",
  logLevel: "warning",
  plugins: [onlyTaken],
});

const generated = join(folder, "generated");
for (const name of await readdir(generated)) if (!name.startsWith("catalogue.")) await rm(join(generated, name), { recursive: true });
await rename(join(out, "generated/client.js"), join(generated, "client.js"));
await rename(join(out, "connection/pglite-adapter.js"), join(folder, "connection/pglite-adapter.js"));
await rename(join(out, "chunks"), join(folder, "chunks"));
await rm(out, { recursive: true });
await rm(join(folder, "connection/pglite-adapter.js.map"), { force: true });
await writeFile(join(folder, "bundled.json"), JSON.stringify(packagesOf(metafile), null, 2));
