import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const gateway = process.env.GATEWAY ?? "http://127.0.0.1:4000";

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // Each page's own data is small; sizes are held by test/console.
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
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
