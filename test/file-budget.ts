/**
 * Set-up of files whose tests wait for processes or a browser: the tests of a file together have this long, so that one that hangs ends the file
 * soon and not after the time limits of all its tests.
 */
import { beforeEach, vi } from "vitest";

const fileBudgetMs = 600_000;

const startedAt = performance.now();
vi.setConfig({ testTimeout: fileBudgetMs });

beforeEach(() => {
  if (performance.now() - startedAt > fileBudgetMs) throw new Error(`the file's tests took more than their ${fileBudgetMs / 1000} s`);
});
