// Bundles reference/ (Swagger UI) into dist/reference: index.html and hashed files in assets/, without a CDN.
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build } from "esbuild";
import { packagesOf } from "./packages-of.mjs";
import { root } from "./stale.mjs";

const out = path.join(root, "dist/reference");
await rm(out, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["reference/main.js"],
  outdir: "dist/reference/assets",
  entryNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  metafile: true,
  format: "esm",
  target: "es2022",
  // Swagger UI's bundle references Node modules that it does not use in a browser.
  platform: "browser",
  legalComments: "linked",
  logLevel: "warning",
});

const files = Object.keys(metafile.outputs);
for (const file of files) {
  const full = path.join(root, file);
  await writeFile(`${full}.gz`, await promisify(gzip)(await readFile(full), { level: 9 }));
}

// Input of the bill of materials (scripts/sbom.mjs).
await writeFile(path.join(out, "bundled.json"), JSON.stringify(packagesOf(metafile), null, 2));

// Written last: the server treats this file as proof of a complete build.
const urlOf = (ending) => `/docs/assets/${path.basename(files.find((file) => file.endsWith(ending)))}`;
const html = await readFile(path.join(root, "reference/index.html"), "utf8");
await writeFile(path.join(out, "index.html"), html.replace("{{script}}", urlOf(".js")).replace("{{style}}", urlOf(".css")));
