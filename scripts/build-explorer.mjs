// Bundles explorer/ (GraphiQL) into dist/explorer: index.html and hashed files in assets/, without a CDN.
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build } from "esbuild";
import { buildSchema } from "graphql";
import { typeMap } from "./explorer-map.mjs";
import { packagesOf } from "./packages-of.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = path.join(root, "dist/explorer");
const publicPath = "/explorer/assets";

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  metafile: true,
  target: "es2022",
  outdir: "dist/explorer/assets",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  logLevel: "warning",
};

// graphiql/style.css already contains monaco's styles, and esbuild does not load the CSS of dynamic imports.
const withoutMonacoCss = {
  name: "without-monaco-css",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]monaco-editor[\\/].*\.css$/ }, () => ({ contents: "", loader: "js" }));
  },
};

/** Returns the public URLs of each entry point: source path → { file, style }. */
function publicUrls({ outputs }) {
  const urlOf = (file) => file && `${publicPath}/${path.basename(file)}`;
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([, output]) => output.entryPoint)
      .map(([file, output]) => [output.entryPoint, { file: urlOf(file), style: urlOf(output.cssBundle) }]),
  );
}

await rm(out, { recursive: true, force: true });

const workerSources = {
  editor: "node_modules/monaco-editor/esm/vs/editor/editor.worker.js",
  json: "node_modules/monaco-editor/esm/vs/language/json/json.worker.js",
  graphql: "node_modules/monaco-graphql/esm/graphql.worker.js",
};
const workers = await build({ ...shared, format: "iife", entryPoints: Object.values(workerSources) });
const workerUrls = publicUrls(workers.metafile);
const workerFiles = Object.fromEntries(Object.entries(workerSources).map(([label, source]) => [label, workerUrls[source].file]));

const schema = buildSchema(await readFile(path.join(root, "src/schema/schema.graphql"), "utf8"));

const page = await build({
  ...shared,
  entryPoints: ["explorer/main.jsx"],
  format: "esm",
  splitting: true,
  jsx: "automatic",
  define: {
    WORKER_FILES: JSON.stringify(workerFiles),
    TYPE_MAP: JSON.stringify(typeMap(schema)),
    GUIDE: JSON.stringify(schema.description),
  },
  plugins: [withoutMonacoCss],
  // GraphiQL imports these legacy names, which esbuild resolves to modules without named exports: "Prettify" would fail (graphiql#4092).
  alias: {
    "prettier/parser-babel": "prettier/plugins/babel",
    "prettier/parser-graphql": "prettier/plugins/graphql",
  },
});

// Compressed at build time, because the bundle is 7 MB and some plant networks are slow.
await Promise.all(
  [...Object.keys(workers.metafile.outputs), ...Object.keys(page.metafile.outputs)].map(async (file) => {
    const full = path.join(root, file);
    await writeFile(`${full}.gz`, await promisify(gzip)(await readFile(full), { level: 9 }));
  }),
);

// Input of the bill of materials (scripts/sbom.mjs).
const bundled = [workers, page].flatMap(({ metafile }) => packagesOf(metafile));
await writeFile(path.join(out, "bundled.json"), JSON.stringify([...new Set(bundled)].sort(), null, 2));

// Written last: the server treats this file as proof of a complete build.
const { file: script, style } = publicUrls(page.metafile)["explorer/main.jsx"];
const html = await readFile(path.join(root, "explorer/index.html"), "utf8");
await writeFile(path.join(out, "index.html"), html.replace("{{script}}", script).replace("{{style}}", style));
