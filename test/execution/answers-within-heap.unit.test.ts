/** The largest response that a process builds, as a function of its heap. */
import { expect, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { answersWithinHeap } from "../../src/execution/admission/admission.js";

const mebibyte = 1024 * 1024;

test.each([
  ["128 MB", 128, 64, 10],
  ["256 MB", 256, 64, 21],
  ["512 MB", 512, 64, 42],
  ["2 GB", 2048, 64, 64],
  ["128 MB and a lower setting", 128, 4, 4],
])("with a heap of %s a response is at most a twelfth of it", (_, heap, setting, most) => {
  const config = readConfig({ MAX_ANSWER_BYTES: String(setting * mebibyte) });
  expect(Math.floor(answersWithinHeap(config, heap * mebibyte).MAX_ANSWER_BYTES / mebibyte)).toBe(most);
});
