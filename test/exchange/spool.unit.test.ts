/** Import files on disk (src/domain/exchange/spool.ts). */
import { mkdtempSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { spooled } from "../../src/domain/exchange/spool.js";

test("a file's spool has no name while it is imported, so a killed process leaves nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "spool-test-"));
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  const read = await spooled(Readable.from([Buffer.from("name;type\n"), Buffer.from("a;b\n")]), 100, {}, async ({ content, delimiter }) => {
    return [readdirSync(folder), delimiter, await text(content()), await text(content())];
  });
  expect(read).toEqual([[], ";", "name;type\na;b\n", "name;type\na;b\n"]);
  expect(readdirSync(folder)).toEqual([]);
});
