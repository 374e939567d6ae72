// Bundles explorer/ (GraphiQL) into dist/explorer: index.html and hashed files in assets/, nothing from a CDN.
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build } from "esbuild";

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

// graphiql/style.css already holds monaco's styles, and esbuild would not load those of a dynamic import.
const withoutMonacoCss = {
  name: "without-monaco-css",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]monaco-editor[\\/].*\.css$/ }, () => ({ contents: "", loader: "js" }));
  },
};

/** The public address of each entry point's output: source path → { file, style }. */
function addresses({ outputs }) {
  const address = (file) => file && `${publicPath}/${path.basename(file)}`;
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([, output]) => output.entryPoint)
      .map(([file, output]) => [output.entryPoint, { file: address(file), style: address(output.cssBundle) }]),
  );
}

await rm(out, { recursive: true, force: true });

const workerSources = {
  editor: "node_modules/monaco-editor/esm/vs/editor/editor.worker.js",
  json: "node_modules/monaco-editor/esm/vs/language/json/json.worker.js",
  graphql: "node_modules/monaco-graphql/esm/graphql.worker.js",
};
const workers = await build({ ...shared, format: "iife", entryPoints: Object.values(workerSources) });
const workerAddresses = addresses(workers.metafile);
const workerFiles = Object.fromEntries(Object.entries(workerSources).map(([label, source]) => [label, workerAddresses[source].file]));

const page = await build({
  ...shared,
  entryPoints: ["explorer/main.jsx"],
  format: "esm",
  splitting: true,
  jsx: "automatic",
  define: { WORKER_FILES: JSON.stringify(workerFiles) },
  plugins: [withoutMonacoCss],
  // GraphiQL imports these old names, which esbuild gives a default export only: "Prettify" would fail (graphiql#4092).
  alias: {
    "prettier/parser-babel": "prettier/plugins/babel",
    "prettier/parser-graphql": "prettier/plugins/graphql",
  },
});

// Compressed once here, so that no request pays for it: 7 MB would be slow over a plant's network.
await Promise.all(
  [...Object.keys(workers.metafile.outputs), ...Object.keys(page.metafile.outputs)].map(async (file) => {
    const full = path.join(root, file);
    await writeFile(`${full}.gz`, await promisify(gzip)(await readFile(full), { level: 9 }));
  }),
);

// Last, because the server takes this file as the sign of a complete build.
const { file: script, style } = addresses(page.metafile)["explorer/main.jsx"];
const html = await readFile(path.join(root, "explorer/index.html"), "utf8");
await writeFile(path.join(out, "index.html"), html.replace("{{script}}", script).replace("{{style}}", style));
