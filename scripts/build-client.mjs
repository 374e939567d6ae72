// Builds packages/client into its dist/ if its sources changed.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./generate.mjs";
import { buildIfStale, root } from "./stale.mjs";

const dist = join(root, "packages/client/dist");

export const buildClient = () =>
  buildIfStale({
    name: "client package",
    stamp: join(dist, ".client"),
    sources: ["packages/client/src", "packages/client/tsconfig.json", "src/schema/schema.graphql", "scripts", "package-lock.json"],
    async build() {
      rmSync(dist, { recursive: true, force: true });
      await run("node_modules/typescript/bin/tsc", "-p", "packages/client");
      copyFileSync(join(root, "src/schema/schema.graphql"), join(dist, "schema.graphql"));
    },
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildClient();
