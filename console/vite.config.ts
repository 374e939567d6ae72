import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transformAsync } from "@babel/core";
import { getConfig } from "@lingui/conf";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const gateway = process.env.GATEWAY ?? "http://127.0.0.1:4000";
const messages = { configPath: fileURLToPath(new URL("lingui.config.js", import.meta.url)) };
const linguiConfig = getConfig(messages);

/** Turns the texts of `t` and `plural` into messages of the catalogues. Types and JSX stay for the bundler. */
const macros: Plugin = {
  name: "macros",
  enforce: "pre",
  transform: {
    filter: { id: /\/console\/src\/.*\.tsx?$/, code: /@lingui\/core\/macro/ },
    async handler(code, id) {
      const result = await transformAsync(code, {
        filename: id,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: id.endsWith("x") ? ["typescript", "jsx"] : ["typescript"] },
        plugins: [["@lingui/babel-plugin-lingui-macro", { linguiConfig }]],
      });
      return { code: result!.code!, map: result!.map };
    },
  },
};

/** The chunk of the modules that every page needs. */
const appChunk = "app";
/** The chunk of the modules that the entry needs before the texts. Without the entry, which waits for the app, and so cannot be imported by it. */
const startChunk = "start";

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** The modules that a module imports directly or indirectly, except on demand. */
function importedBy(root: string, graph: ModuleGraph): Set<string> {
  const found = new Set<string>();
  const waiting = [fileURLToPath(new URL(root, import.meta.url))];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

let start: Set<string> | undefined;
let app: Set<string> | undefined;

/** One file for the entry's modules and one for the app's: on a phone, each further request takes longer than its bytes. */
function chunkOf(id: string, graph: ModuleGraph): string | null {
  start ??= importedBy("src/main.ts", graph);
  app ??= importedBy("src/app.tsx", graph);
  if (/\.css$|\/src\/main\.ts$/.test(id)) return null;
  return start.has(id) ? startChunk : app.has(id) ? appChunk : null;
}

interface Chunk {
  type: "chunk";
  fileName: string;
  facadeModuleId: string | null;
  imports: string[];
}
type Bundle = Record<string, Chunk | { type: "asset" }>;

const sourceOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A chunk and the chunks that it imports, directly or indirectly. */
function filesOf(bundle: Bundle, fileName: string, found = new Set<string>()): Set<string> {
  const chunk = bundle[fileName];
  if (chunk?.type !== "chunk" || found.has(fileName)) return found;
  found.add(fileName);
  for (const other of chunk.imports) filesOf(bundle, other, found);
  return found;
}

/**
 * Writes the files of each language and page to `preloads.json`, for the service, which adds them to the page of an address. Otherwise they
 * would be requested one after another: the entry, its texts, and then the page.
 */
const listPreloads: Plugin = {
  name: "list-preloads",
  generateBundle(_, output) {
    const bundle = output as unknown as Bundle;
    const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
    const fileOf = (module: string) =>
      chunks.find(({ facadeModuleId }) => facadeModuleId?.replace(/\?.*/, "") === sourceOf(module))?.fileName;
    const first = new Set(["src/main.ts", "src/app.tsx"].flatMap((module) => [...filesOf(bundle, fileOf(module)!)]));
    const filesFor = (module: string) => {
      const file = fileOf(module);
      if (!file) this.error(`${module} has no chunk`);
      return [...filesOf(bundle, file)].filter((name) => !first.has(name)).map((name) => `/console/${name}`);
    };
    const [, ...routes] = readFileSync(sourceOf("src/pages.ts"), "utf8").split(/^ {2}(?="\/)/m);
    const preloads = {
      languages: Object.fromEntries(readdirSync(sourceOf("locales")).map((name) => [name.replace(".po", ""), filesFor(`locales/${name}`)])),
      pages: Object.fromEntries(
        routes.map((route) => [/^"(.*?)"/.exec(route)![1], filesFor(`src/${/import\("\.\/(pages\/.+?)\.js"\)/.exec(route)![1]}.tsx`)]),
      ),
    };
    this.emitFile({ type: "asset", fileName: "preloads.json", source: JSON.stringify(preloads) });
  },
};

/** Preloads the app's entry and what it imports with the page, because the first script imports it only after the texts. */
const preloadApp: Plugin = {
  name: "preload-app",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle }) {
      const app = Object.values(bundle ?? {}).find((one) => one.type === "chunk" && one.facadeModuleId === sourceOf("src/app.tsx"));
      if (!app) return [];
      const files = [...filesOf(bundle as unknown as Bundle, app.fileName)].filter((file) => !html.includes(file));
      return files.map((file) => ({
        tag: "link",
        attrs: { rel: "modulepreload", crossorigin: true, href: `/console/${file}` },
        injectTo: "head",
      }));
    },
  },
};

export default defineConfig({
  base: "/console/",
  plugins: [macros, preloadApp, listPreloads, react(), lingui({ ...messages, failOnCompileError: true })],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // Each page's own data is small; sizes are held by test/console.
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: chunkOf, debugName: appChunk, priority: 2, includeDependenciesRecursively: false },
            // Icons are a few hundred bytes each.
            { name: "icons", test: /lucide-react[\\/]dist/, priority: 1 },
          ],
        },
      },
    },
  },
  // `npm run console` beside a running gateway.
  server: {
    proxy: {
      "/graphql": { target: gateway, ws: true },
      "/uploads": gateway,
      "/files": gateway,
      "/console/settings.json": gateway,
    },
  },
});
