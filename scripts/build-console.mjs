// Builds console/ with Vite into dist/console: index.html and hashed files in assets/, without a CDN.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { build as bundle } from "esbuild";
import { build } from "vite";
import { foldersOf } from "./packages-of.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = path.join(root, "dist/console");

// Set for every build, including tests: with another value, bundles contain the development builds of libraries.
process.env.NODE_ENV = "production";

const modules = new Set();
const bundled = {
  name: "bundled",
  generateBundle() {
    for (const id of this.getModuleIds()) modules.add(path.relative(root, id.replace(/^\0/, "").replace(/\?.*/, "")));
  },
};

await build({
  root: path.join(root, "console"),
  configFile: path.join(root, "console/vite.config.ts"),
  logLevel: "warn",
  plugins: [bundled],
  build: { outDir: out, emptyOutDir: true },
});

const files = (await readdir(path.join(out, "assets"))).map((name) => `/console/assets/${name}`);
const page = await readFile(path.join(out, "index.html"));
const version = createHash("sha256").update(JSON.stringify(files)).update(page).digest("hex").slice(0, 16);
// Fonts of other scripts are fetched when a page needs them.
const kept = files.filter((name) => !/\.woff2$/.test(name) || /-latin-wght-/.test(name));
await bundle({
  entryPoints: [path.join(root, "console/worker/service-worker.ts")],
  outfile: path.join(out, "service-worker.js"),
  define: { BUILD: JSON.stringify({ version, files: kept }) },
  bundle: true,
  minify: true,
  target: "es2022",
});

// Compressed at build time with maximum effort. Fonts are already compressed.
const names = (await readdir(path.join(out, "assets"))).filter((name) => /\.(js|css|svg)$/.test(name));
await Promise.all(
  names.map(async (name) => {
    const file = path.join(out, "assets", name);
    const content = await readFile(file);
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
  }),
);

// Input of the bill of materials (scripts/sbom.mjs).
await writeFile(path.join(out, "bundled.json"), JSON.stringify(foldersOf([...modules]), null, 2));
