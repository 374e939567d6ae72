// `npm run release -- 0.3.0`: checks the tree, sets the version, moves "Unreleased" under it, rebuilds, and creates the tarball. --dry-run
// shows the changes. --commit commits and tags; without it, the commands are printed. A failure undoes all changes.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { pack } from "./pack.mjs";
import { filesOfRelease, releasedTexts, releaseProblems } from "./release-texts.mjs";
import { root } from "./stale.mjs";

/** Written by the rebuild. Both must equal the committed files. */
const generated = ["src/schema/schema.graphql", "packages/client"];
/** Files that a person reviews in the diff; the others are copies. */
const isShown = (name) => !name.startsWith("src/schema/");

const read = (name) => readFileSync(join(root, name), "utf8");
const write = (name, text) => writeFileSync(join(root, name), text);
const say = (text) => process.stdout.write(`${text}\n`);

function git(...values) {
  const { status, stdout, stderr, error } = spawnSync("git", values, { cwd: root, encoding: "utf8", maxBuffer: 1e8 });
  if (error || status !== 0) throw new Error(`git ${values.join(" ")}: ${error?.message ?? stderr.trim()}`);
  return stdout.trimEnd();
}

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stopped.abort(new Error(`stopped by ${signal}`)));

const run = (...values) =>
  new Promise((resolve, reject) => {
    stopped.signal.throwIfAborted();
    const child = spawn(process.execPath, values, { cwd: root, stdio: ["ignore", "ignore", "inherit"], signal: stopped.signal });
    child.once("error", (error) => reject(error.cause ?? error));
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`node ${values.join(" ")} failed`))));
  });

/** Problems of the git tree that prevent a release, each with the remedy. */
function treeProblems(version) {
  const branch = git("rev-parse", "--abbrev-ref", "HEAD");
  return [
    ...(branch === "main" ? [] : [`The branch is ${branch}: releases are made on main.`]),
    ...(git("status", "--porcelain") ? ["The tree has changes that are not committed: commit or undo them."] : []),
    ...(git("tag", "--list", `v${version}`) ? [`There is a tag v${version} already.`] : []),
  ];
}

function showChanges(before, after) {
  const folder = mkdtempSync(join(tmpdir(), "gateway-release-"));
  try {
    for (const [side, texts] of Object.entries({ before, after }))
      for (const name of Object.keys(after)) {
        mkdirSync(join(folder, side, dirname(name)), { recursive: true });
        writeFileSync(join(folder, side, name), texts[name]);
      }
    const diff = (...values) =>
      spawnSync("git", ["diff", "--no-index", "--no-color", ...values], { cwd: folder, encoding: "utf8", maxBuffer: 1e8 }).stdout;
    for (const name of Object.keys(after).filter(isShown))
      process.stdout.write(diff("--unified=1", "--src-prefix=", "--dst-prefix=", `before/${name}`, `after/${name}`));
    process.stdout.write(diff("--stat", "before", "after"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sets the version and creates the tarball. Undoes everything on failure. Returns the tarball's path. */
async function release(before, after) {
  try {
    for (const [name, text] of Object.entries(after)) write(name, text);
    await run("scripts/build.mjs");
    await run("dist/cli/main.js", "print-schema");
    await run("scripts/generate-client.mjs");
    const changed = git("status", "--porcelain", "--no-renames")
      .split("\n")
      .map((line) => line.slice(3));
    const unexpected = changed.filter((name) => !(name in after));
    if (unexpected.length) throw new Error(`not up to date: ${unexpected.join(", ")}. Run npm run generate and commit its changes first.`);
    return await pack(root, stopped.signal);
  } catch (error) {
    try {
      git("restore", "--", ...generated);
      for (const name of Object.keys(after)) write(name, before[name]);
    } catch (failure) {
      throw new Error(`${error.message}\nThe changes could not be undone (${failure.message}): run git restore .`);
    }
    throw new Error(`${error.message}\nAll changes are undone.`);
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { "dry-run": { type: "boolean", default: false }, commit: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [version] = positionals;
  if (positionals.length !== 1) throw new Error("Give the version: npm run release -- 0.3.0 [--dry-run] [--commit]");

  const files = Object.fromEntries(filesOfRelease.map((name) => [name, read(name)]));
  const before = JSON.parse(files["package.json"]).version;
  const date = new Date().toISOString().slice(0, 10);
  const problems = [
    ...treeProblems(version),
    ...releaseProblems({
      version,
      before,
      date,
      changelog: files["CHANGELOG.md"],
      breaking: JSON.parse(files["src/schema/breaking-changes.json"]),
      schema: files["src/schema/schema.graphql"],
      released: files["src/schema/released.graphql"],
    }),
  ];
  if (problems.length && !values["dry-run"]) throw new Error(problems.join("\n"));
  for (const problem of problems) say(`Would be refused: ${problem}`);
  if (problems.some((problem) => /is not a version|is not higher/.test(problem))) throw new Error(problems.join("\n"));

  const after = releasedTexts({ files, version, before, date });
  if (values["dry-run"]) {
    showChanges(files, after);
    say("Nothing was changed.");
    process.exitCode = problems.length ? 1 : 0;
    return;
  }

  say(`${before} → ${version}. If this process is killed, git restore . undoes its changes.`);
  const tarball = await release(files, after);
  say(`Made ${tarball}`);
  const names = Object.keys(after);
  const commands = [
    ["commit", "--message", `Release ${version}`, "--", ...names],
    ["tag", "--annotate", "--message", `Release ${version}`, `v${version}`],
  ];
  if (values.commit) {
    for (const command of commands) git(...command);
    say(`Committed, and tagged v${version}. Next: git push origin main v${version}`);
  } else {
    const quoted = (word) => (/[^\w./-]/.test(word) ? `"${word}"` : word);
    say("Next:");
    for (const command of commands) say(`  git ${command.map(quoted).join(" ")}`);
    say(`  git push origin main v${version}`);
    say(`To undo: git restore . && rm ${tarball}`);
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}
