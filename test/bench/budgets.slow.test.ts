/** The benchmark compares equal work, and no case needs several times its budget of CPU time. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { build } from "../generate.js";
import { urlOf } from "../prepare.js";
import { onPostgresql } from "../world.js";

beforeAll(build);

const { PATH, HOME } = process.env;
const compare = (...words: string[]) =>
  promisify(execFile)(process.execPath, ["bench/budgets.mjs", ...words], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    // More than the budgets' own margin, because other work may run on the machine.
    env: { PATH, HOME, BENCH_DATABASE_URL: urlOf("postgres"), MARGIN: "2.5" },
  });

test.runIf(onPostgresql)("the limit returns the responses of the gateway in each case", async () => {
  const { stdout } = await compare("--responses");
  expect(stdout.match(/equal responses: /g)).toHaveLength(20);
});

test.runIf(onPostgresql)(
  "each case keeps within its budget of CPU time",
  async () => {
    await compare();
  },
  600_000,
);
