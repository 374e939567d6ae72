import { existsSync } from "node:fs";
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
/**
 * With TEST_BOTH_DATABASES a run on the embedded one leaves these to the run on PostgreSQL that follows, which takes less time for them: what is
 * refused or cut off before a statement is sent, rules by site and role whose statements are the same, and what is skipped without a server.
 */
const leftToPostgresql = [
  "execution/bad-input",
  "execution/persisted",
  "execution/limits",
  "execution/field-errors",
  "execution/graphql-over-http",
  "execution/input-sizes",
  "maintenance/work-order-sites",
  "hostile/honest",
  "server/compression",
  "server/cors",
  "server/public-hosts",
  "server/live-limits",
  "server/slow-clients",
  "server/graphql-get",
  "server/descriptions",
  "server/dashboard",
  "server/traces",
  "files/hanging-storage",
  "access/oidc",
  "database/cancel",
  "database/pooled",
  "database/read-only",
];
const left = process.env.TEST_DATABASE_URL ? onOneDatabase : process.env.TEST_BOTH_DATABASES ? leftToPostgresql : [];
const pathOf = (name: string) => `test/${name}.test.ts`;
for (const name of [...onOneDatabase, ...leftToPostgresql])
  if (!existsSync(new URL(pathOf(name), import.meta.url))) throw new Error(`${pathOf(name)} is listed in vitest.config.ts and is no file`);

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
          exclude: ["test/**/*.unit.test.ts", ...left.map(pathOf)],
          globalSetup: ["test/generate.ts", "test/prepare.ts"],
          setupFiles: "test/close-gateways.ts",
        },
      },
    ],
  },
});
