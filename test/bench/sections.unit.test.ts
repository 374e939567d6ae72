/** docs/performance.md: the benchmark replaces the sections that it generates, and keeps the others. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withSections } from "../../bench/sections.mjs";

const generated = "# Page\n\nNew head.\n\n## Growth\n\nnew growth\n\n### Depth\n\nnew depth\n\n## Tenants\n\nnew tenants\n";

test("hand-written sections stay in place", () => {
  const before =
    "# Page\n\nOld head.\n\n## Growth\n\nold growth\n\n## Stock ledger\n\nby hand\n\n## Tenants\n\nold tenants\n\n## Notes\n\nby hand\n";
  expect(withSections(before, generated)).toBe(
    "# Page\n\nNew head.\n\n## Growth\n\nnew growth\n\n### Depth\n\nnew depth\n\n## Stock ledger\n\nby hand\n\n## Tenants\n\nnew tenants\n\n## Notes\n\nby hand\n",
  );
});

test("a new section follows the generated one before it", () => {
  const growth = "## Growth\n\nnew growth\n\n### Depth\n\nnew depth\n\n";
  const notes = "## Notes\n\nby hand\n";
  expect(withSections(`# Page\n\nOld head.\n\n${notes}`, generated)).toBe(
    `# Page\n\nNew head.\n\n${growth}## Tenants\n\nnew tenants\n\n${notes}`,
  );
  expect(withSections(`# Page\n\nOld head.\n\n## Growth\n\nold\n\n${notes}`, generated)).toBe(
    `# Page\n\nNew head.\n\n${growth}## Tenants\n\nnew tenants\n\n${notes}`,
  );
});

test("without a head, a new section is added at the end", () => {
  expect(withSections("# Page\n\nHead.\n\n## Notes\n\nby hand\n", "## Tenants\n\nnew\n")).toBe(
    "# Page\n\nHead.\n\n## Notes\n\nby hand\n\n## Tenants\n\nnew\n",
  );
});

test("one generated section leaves the head and the other sections as they are", () => {
  const page = readFileSync("docs/performance.md", "utf8");
  const section = page.split(/^(?=## )/m).find((one) => one.startsWith("## Tenants\n"))!;
  expect(page).toContain("\n## Stock ledger\n");
  expect(withSections(page, section)).toBe(page);
  expect(withSections(page, "## Tenants\n\nnew\n")).toBe(page.replace(section.trimEnd(), "## Tenants\n\nnew"));
});
