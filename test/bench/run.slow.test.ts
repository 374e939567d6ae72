/** The short form of the benchmark: it completes, and its fastest peer returns the gateway's responses. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { build } from "../generate.js";
import { urlOf } from "../prepare.js";
import { onPostgresql } from "../world.js";

beforeAll(build);

test.runIf(onPostgresql)("all cases run and agree with the peer", async () => {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, SIZE: "small", PEERS: "limit", ROUNDS: "1", SECONDS: "0.2", BENCH_DATABASE_URL: urlOf("postgres") };
  const { stdout } = await promisify(execFile)(process.execPath, ["bench/run.mjs"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env,
  });
  expect(stdout).toMatch(/asset/);
});
