import { defineConfig } from "vitest/config";

/** The same on both databases, so a run on PostgreSQL leaves them to the other one: pages, client libraries, images. */
const onOneDatabase = [
  "server/explorer",
  "clients/apollo",
  "clients/urql",
  "clients/relay",
  "clients/package",
  "files/upload-policy",
  "files/bad-images",
];
const exclude = ["test/**/*.unit.test.ts", ...(process.env.TEST_DATABASE_URL ? onOneDatabase.map((name) => `test/${name}.test.ts`) : [])];

export default defineConfig({
  // Bundled and plain copies of graphql must not meet: everyone gets the one Node itself would load.
  resolve: { alias: [{ find: /^graphql$/, replacement: new URL("./node_modules/graphql/index.js", import.meta.url).pathname }] },
  test: {
    pool: "forks",
    maxWorkers: 2,
    // A worker imports the schema once for all its files, and they share what world.ts keeps.
    isolate: false,
    // What TypeScript became is kept between runs by its content.
    experimental: { fsModuleCache: true },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Whoever follows the log of changes waits for the longest transaction of the server, which may be another file's.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.unit.test.ts"], globalSetup: "test/generate.ts" } },
      {
        extends: true,
        test: {
          name: "gateway",
          include: ["test/**/*.test.ts"],
          exclude,
          globalSetup: ["test/generate.ts", "test/prepare.ts"],
          setupFiles: "test/close-gateways.ts",
        },
      },
    ],
  },
});
