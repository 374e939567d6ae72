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

/** Preloads the app with the page, because the entry imports it only after the texts. */
const preloadApp: Plugin = {
  name: "preload-app",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle }) {
      const app = Object.values(bundle ?? {}).find((one) => one.type === "chunk" && one.name === appChunk);
      if (app?.type !== "chunk") return [];
      const files = [app.fileName, ...app.imports].filter((file) => !html.includes(file));
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
  plugins: [macros, preloadApp, react(), lingui({ ...messages, failOnCompileError: true })],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // Each page's own data is small; sizes are held by test/console.
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    // Requests take longer than bytes on a phone: icons are a few hundred bytes each.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "icons", test: /lucide-react[\\/]dist/ }] } } },
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
