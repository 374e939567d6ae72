/**
 * Set-up for files whose tests wait for processes or a browser. The tests of a file share this time limit, so several tests that hang end
 * the file soon rather than after the limits of all of them.
 */
import { beforeEach, vi } from "vitest";

const fileBudgetMs = 2_400_000;

const startedAt = performance.now();
vi.setConfig({ testTimeout: fileBudgetMs / 4 });

beforeEach(() => {
  if (performance.now() - startedAt > fileBudgetMs) throw new Error(`the file's tests took more than their ${fileBudgetMs / 1000} s`);
});
