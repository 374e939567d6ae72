// Builds console/ with Vite into dist/console: index.html and hashed files in assets/, without a CDN.
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
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
