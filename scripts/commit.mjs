// Commit of the build, for `--version`, metrics and logs.
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { root } from "./stale.mjs";

const git = (...args) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** Inputs of the build. package.json and package-lock.json are excluded, because a release changes them before its commit. */
const sources = ["src", "prisma", "console", "explorer", "reference", "packages"];

/**
 * Commit, such as `abc1234`, or `abc1234.modified` with uncommitted changes. Outside a repository, as in an image build, the variable
 * COMMIT or an empty string.
 */
export function commit() {
  try {
    // Unpacked sources may lie inside another repository.
    if (realpathSync(git("rev-parse", "--show-toplevel")) === realpathSync(root))
      return git("rev-parse", "--short=7", "HEAD") + (git("status", "--porcelain", "--", ...sources) && ".modified");
  } catch {}
  return (process.env.COMMIT ?? "").replace(/[^0-9A-Za-z.-]/g, "").slice(0, 40);
}
