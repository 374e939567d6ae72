/**
 * Set-up for files whose tests wait for processes or a browser. The tests of a file share this time limit, so a test that hangs ends the
 * file soon rather than after the limits of all its tests.
 */
import { beforeEach, vi } from "vitest";

const fileBudgetMs = 1_200_000;

const startedAt = performance.now();
vi.setConfig({ testTimeout: fileBudgetMs });

beforeEach(() => {
  if (performance.now() - startedAt > fileBudgetMs) throw new Error(`the file's tests took more than their ${fileBudgetMs / 1000} s`);
});
