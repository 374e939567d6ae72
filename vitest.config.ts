import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { ByProject } from "./test/sequencer.js";

const setUp = ["test/generate.ts", "test/prepare.ts"];
const setupFiles = ["test/stack-traces.ts", "test/close-gateways.ts"];
/** Files of a tier, which their suffix names: `*.process.test.ts`. */
const filesOf = (tier: string) => `test/**/*.${tier}.test.ts`;
const suffixed = ["unit", "embedded", "process", "browser", "slow"];
/**
 * Files that run on the embedded database too: one story per noun through both APIs, and what reaches its own code (adapter, queue, migrations, secrets,
 * extensions). Everything else runs on PostgreSQL.
 */
const alsoEmbedded = [
  "assets/asset-counts",
  "components/tree-at-model",
  "components/unit",
  "components/recall",
  "components/correction",
  "components/unit-stock",
  "components/unit-model",
  "components/unit-contents",
  "components/unit-conflicts",
  "fields",
  "files/file-story",
  "inventory/story",
  "inventory/supply/suppliers",
  "inventory/supply/purchase-orders",
  "inventory/transfers/transfer-story",
  "maintenance/requests/fault-story",
  "maintenance/work-story",
  "search/search",
  "tenants/tenants",
  "database/migrate",
  "database/secrets",
  "database/prepared",
  "database/transaction",
  "database/bulk",
  "changes/feed-model",
].map((name) => `test/${name}.test.ts`);
const outsideProcesses = { setupFiles: [...setupFiles, "test/file-budget.ts"] };

/**
 * Tests by what they need: CONTRIBUTING.md says what belongs where. They run in this order: tiers with long files first, so that no worker
 * starts a long one at the end.
 */
const tiers = [
  { name: "slow", include: [filesOf("slow")], globalSetup: setUp, setupFiles, testTimeout: 900_000, hookTimeout: 900_000 },
  { name: "browser", include: [filesOf("browser")], globalSetup: setUp, ...outsideProcesses },
  { name: "process", include: [filesOf("process")], globalSetup: setUp, ...outsideProcesses },
  { name: "embedded", include: [filesOf("embedded"), ...alsoEmbedded], globalSetup: setUp, setupFiles },
  { name: "gateway", include: ["test/**/*.test.ts"], exclude: suffixed.map(filesOf), globalSetup: setUp, setupFiles },
  { name: "unit", include: [filesOf("unit")], globalSetup: "test/generate.ts" },
];

export default defineConfig({
  // Bundled and plain copies of graphql must not meet: everyone gets the one Node itself would load.
  resolve: { alias: [{ find: /^graphql$/, replacement: new URL("./node_modules/graphql/index.js", import.meta.url).pathname }] },
  test: {
    pool: "forks",
    // Tests allocate much that lives for a request only: a larger young generation halves the time of garbage collection.
    execArgv: ["--max-semi-space-size=64"],
    // Tests often wait: for the server, a poll, a process.
    maxWorkers: availableParallelism() + 1,
    // A worker imports the schema once for all its files, and they share what world.ts keeps.
    isolate: false,
    sequence: { sequencer: ByProject },
    reporters: process.env.CI ? ["dot", "./test/report.ts"] : ["default", "./test/report.ts"],
    // What TypeScript became is kept between runs by its content.
    experimental: { fsModuleCache: true },
    // In CI a failed test is tried once more. If it then passes, the closing lines list it as FLAKY with its cause (test/report.ts): a defect to mend.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // Followers of the log of changes wait for the longest transaction of the server, which may be another file's.
    expect: { poll: { timeout: 60_000 } },
    // Messages name the values, which are otherwise "[ Array(1) ]". The summary shortens them (test/report.ts).
    chaiConfig: { truncateThreshold: 0 },
    projects: tiers.map((test) => ({ extends: true, test })),
  },
});
