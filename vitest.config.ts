import { defineConfig } from "vitest/config";

export default defineConfig({
  // Bundled and plain copies of graphql must not meet: everyone gets the one Node itself would load.
  resolve: { alias: [{ find: /^graphql$/, replacement: new URL("./node_modules/graphql/index.js", import.meta.url).pathname }] },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/prepare.ts",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
