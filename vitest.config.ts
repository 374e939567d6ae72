import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** The same on both databases, so a run on PostgreSQL leaves them to the other one: pages, client libraries, images. */
const onOneDatabase = [
  "server/explorer",
  "console/adversity",
  "console/console",
  "console/counts",
  "console/asset",
  "console/served",
  "console/provider",
  "console/work",
  "clients/apollo",
  "clients/urql",
  "clients/relay",
  "clients/package",
  "clients/rest",
  "server/reference",
  "files/upload-policy",
  "files/bad-images",
];
/**
 * With TEST_BOTH_DATABASES a run on the embedded one leaves these to the run on PostgreSQL that follows, which takes a half or a third of the time: what is
 * refused or cut off before a statement is sent, the slowest files whose statements are the same on both, and what is skipped without a server.
 */
const leftToPostgresql = [
  "execution/bad-input",
  "execution/persisted",
  "execution/limits",
  "execution/field-errors",
  "execution/graphql-over-http",
  "execution/input-sizes",
  "maintenance/work-order-sites",
  "maintenance/work-order",
  "maintenance/reading",
  "components/component",
  "components/tree",
  "inventory/stock-model",
  "inventory/inventory",
  "inventory/part",
  "files/photo",
  "assets/asset-list",
  "execution/plans",
  "execution/admission",
  "rest-compat/versions",
  "cli/commands",
  "hostile/honest",
  "server/compression",
  "server/cors",
  "server/public-hosts",
  "server/live-limits",
  "server/slow-clients",
  "server/graphql-get",
  "server/descriptions",
  "rest-compat/description",
  "server/dashboard",
  "server/traces",
  "files/hanging-storage",
  "access/oidc",
  "access/tenancy",
  "access/key",
  "changes/sse",
  "maintenance/plan-year",
  "inventory/ledger",
  "background/scheduler",
  "database/cancel",
  "database/pooled",
  "database/read-only",
  "assets/asset-import",
  "assets/asset-doors",
  "reliability/model",
  "database/bulk",
  "hostile/fuzz",
  "hostile/attacks",
  "hostile/bystander",
  "alerts/webhook",
  "alerts/webhook-delivery",
  "alerts/notification",
  "tenants/tenants",
  "tenants/retention",
  "server/metrics",
  "maintenance/calendar",
  "maintenance/strategy",
  "maintenance/work-order-material",
  "maintenance/procedure",
  "maintenance/procedure-assets",
  "changes/follow",
  "inventory/counts",
  "execution/paging",
  "rest-compat/updated-since",
  "components/template",
  "deploy/stop",
  "server/leaks",
  "clients/client",
  "exchange/exchange",
  "exchange/round-trip",
  "execution/filters",
  "execution/idempotency",
  "inventory/reservations",
  "maintenance/assignment",
  "maintenance/steps",
  "maintenance/plan-counting",
  "components/template-upgrade",
];
/** With TEST_BOTH_DATABASES a run on PostgreSQL leaves these to the embedded one before it: the slowest guard. */
const leftToEmbedded = ["access/isolation"];
const isBoth = process.env.TEST_BOTH_DATABASES !== undefined;
const left = process.env.TEST_DATABASE_URL ? [...onOneDatabase, ...(isBoth ? leftToEmbedded : [])] : isBoth ? leftToPostgresql : [];
const pathOf = (name: string) => `test/${name}.test.ts`;
for (const name of [...onOneDatabase, ...leftToPostgresql, ...leftToEmbedded])
  if (!existsSync(new URL(pathOf(name), import.meta.url))) throw new Error(`${pathOf(name)} is listed in vitest.config.ts and is no file`);

export default defineConfig({
  // Bundled and plain copies of graphql must not meet: everyone gets the one Node itself would load.
  resolve: { alias: [{ find: /^graphql$/, replacement: new URL("./node_modules/graphql/index.js", import.meta.url).pathname }] },
  test: {
    pool: "forks",
    // On a server, a third one works while the others wait for it.
    maxWorkers: process.env.TEST_DATABASE_URL ? 3 : 2,
    // A worker imports the schema once for all its files, and they share what world.ts keeps.
    isolate: false,
    // What TypeScript became is kept between runs by its content.
    experimental: { fsModuleCache: true },
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // Whoever follows the log of changes waits for the longest transaction of the server, which may be another file's.
    expect: { poll: { timeout: 60_000 } },
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
