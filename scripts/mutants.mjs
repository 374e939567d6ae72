// Applies each mutation of test/mutants.json to a copy of the working tree, one at a time, and runs the tests that must fail. A mutation
// survives if its tests pass: no test covers that guard. CONTRIBUTING.md, "Guards".
//   npm run test:mutants [-- AREA…] [--file PATH] [--jobs N] [--list]
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { generate } from "./generate.mjs";
import { root } from "./stale.mjs";

/** A run of a few tests that takes longer has hung. */
const mostMs = 5 * 60_000;
/**
 * Timeout of a test: longer than a poll (vitest.config.ts), shorter than the suite's own limit. Mutations can make requests hang, and the
 * suite's limit would stall the run.
 */
const testTimeoutMs = 90_000;

const list = "test/mutants.json";
const textFields = ["area", "file", "line", "holds"];
const knownFields = [...textFields, "change", "tests", "only", "backedBy"];

/** Path of a test file by its name in the list: "inventory/transfers". */
const pathOfTest = (name) => `test/${name}.test.ts`;

export const readMutants = () => JSON.parse(readFileSync(join(root, list), "utf8"));

/** Checks the entries. Returns the problems, each with the entry's position and area. Empty for a valid list. */
export function problemsOf(mutants) {
  const problems = [];
  const places = new Map();
  for (const [i, mutant] of mutants.entries()) {
    const { area, file, line, change, tests, only } = mutant;
    const report = (problem) => problems.push(`entry ${i + 1} (${area}, ${file}): ${problem}`);
    const missing = textFields.filter((name) => typeof mutant[name] !== "string" || !mutant[name]);
    const unknown = Object.keys(mutant).filter((name) => !knownFields.includes(name));
    if (missing.length) report(`${missing.join(", ")} must be a text that is not empty`);
    if (unknown.length) report(`${unknown.join(", ")} is not a field`);
    if (typeof change !== "string" || change === line) report("change must be a text other than line");
    if (only !== undefined && !isPattern(only)) report("only must be a regular expression");
    if (!Array.isArray(tests) || !tests.length) report("tests must name a test file");
    else for (const name of tests) if (!existsSync(join(root, pathOfTest(name)))) report(`${pathOfTest(name)} does not exist`);
    if (missing.length) continue;
    if (!existsSync(join(root, file))) {
      report("the file does not exist");
      continue;
    }
    const times = readFileSync(join(root, file), "utf8").split(line).length - 1;
    if (times !== 1) report(`the file contains the line ${times ? `${times} times` : "nowhere"}, not once: ${JSON.stringify(line)}`);
    const place = JSON.stringify([file, line, change]);
    if (places.has(place)) report(`is the same mutation as entry ${places.get(place)}`);
    places.set(place, i + 1);
  }
  return problems;
}

function isPattern(text) {
  try {
    return text !== "" && Boolean(new RegExp(text));
  } catch {
    return false;
  }
}

/** Returns the file and line number of a mutation. */
function placeOf({ file, line }) {
  const text = readFileSync(join(root, file), "utf8");
  return `${file}:${text.slice(0, text.indexOf(line)).split("\n").length}`;
}

/**
 * Copies the tracked and untracked files that git does not ignore, in their current state. Packages are symlinks; the copy has its own
 * caches of generators and tests in node_modules.
 */
function copyTree(to) {
  const { stdout, status } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error("git ls-files failed; run in a checkout of the repository");
  const filesBelow = (folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      : [];
  // Generated code and its stamps are valid for the same sources.
  const generated = ["src/database/generated", "console/src/generated"].flatMap(filesBelow);
  for (const name of [...new Set([...stdout.split("\0").filter(Boolean), ...generated])]) {
    if (!existsSync(join(root, name))) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    copyFileSync(join(root, name), join(to, name));
  }
  const packages = join(to, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync(join(root, "node_modules")))
    if (!name.startsWith(".") || name === ".bin") symlinkSync(join(root, "node_modules", name), join(packages, name));
  const kept = "node_modules/.cache/maintenance-gateway";
  mkdirSync(join(to, kept), { recursive: true });
  if (!existsSync(join(root, kept))) return;
  for (const entry of readdirSync(join(root, kept), { withFileTypes: true }))
    if (entry.isFile() && !entry.name.includes(".lock")) copyFileSync(join(root, kept, entry.name), join(to, kept, entry.name));
}

/** Running process groups, so that an interrupted run leaves no process behind. */
const running = new Set();

const signalGroup = (pid, signal) => {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
};

/** Runs tests in a copy. Returns the report (undefined if there is none), the output, and whether the run exceeded its time limit. */
function runTests(folder, tests, only) {
  const reportFile = join(folder, "node_modules/.cache/report.json");
  rmSync(reportFile, { force: true });
  const parameters = [
    // Files that run on both databases need only one here.
    ...(tests.some((name) => name.endsWith(".embedded")) ? [] : ["--project=!embedded"]),
    "--reporter=json",
    `--outputFile=${reportFile}`,
    "--maxWorkers=1",
    "--bail=1",
    `--testTimeout=${testTimeoutMs}`,
  ];
  if (only !== undefined) parameters.push("-t", only);
  const child = spawn(
    process.execPath,
    [join(folder, "node_modules/vitest/vitest.mjs"), "run", ...tests.map(pathOfTest), ...parameters],
    // A process group of its own, so that its workers end with it.
    { cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, FORCE_COLOR: "0", MUTATED: "1" } },
  );
  running.add(child.pid);
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      printed = (printed + data).slice(-20_000);
    });
  let isLate = false;
  const timers = [
    setTimeout(() => {
      isLate = true;
      signalGroup(child.pid, "SIGTERM");
    }, mostMs),
    setTimeout(() => signalGroup(child.pid, "SIGKILL"), mostMs + 20_000),
  ];
  return new Promise((resolve) => {
    child.on("close", (code) => {
      timers.forEach(clearTimeout);
      running.delete(child.pid);
      const report = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, "utf8")) : undefined;
      resolve({ code, report, printed, isLate });
    });
  });
}

const testsIn = (report) =>
  report.testResults.flatMap(({ name, assertionResults }) => assertionResults.map((one) => ({ ...one, path: name })));
function errorIn(printed) {
  const lines = stripVTControlCharacters(printed).trim().split("\n");
  const first = lines.findIndex((line) => /error/i.test(line));
  return lines
    .slice(first === -1 ? -8 : first)
    .slice(0, 8)
    .join("\n    ");
}

/**
 * Whether a failure proves nothing about the guard: a test timed out, or the service broke. An internal error proves something only if the
 * entry names the database constraint behind the guard; otherwise the mutation may just be invalid SQL.
 */
const provesNothing = (message, backedBy) =>
  /^Error: (Test|Hook) timed out in/.test(message) || (!backedBy && /INTERNAL_SERVER_ERROR|status: 500\b/.test(message));

/**
 * Returns the outcome of a run. Killed: a test failed on its own assertion. Survived: all tests passed. Broken, with a reason: the run
 * proves nothing about the guard.
 */
function judge({ code, report, printed, isLate }, backedBy) {
  if (isLate) return { outcome: "broken", reason: `the tests took more than ${mostMs / 60_000} minutes` };
  if (!report?.testResults.length) return { outcome: "broken", reason: `the tests did not start:\n    ${errorIn(printed)}` };
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  if (unloaded.length)
    return { outcome: "broken", reason: `a test file failed outside of its tests: ${unloaded[0].message.split("\n")[0]}` };
  const ran = testsIn(report).filter(({ status }) => status === "passed" || status === "failed");
  if (!ran.length) return { outcome: "broken", reason: "no test ran" };
  const failed = ran.filter(({ status }) => status === "failed");
  const proving = failed.find(({ failureMessages }) => !failureMessages.every((message) => provesNothing(message, backedBy)));
  if (proving) return { outcome: "killed", by: proving.fullName };
  if (failed.length) return { outcome: "broken", reason: `timeout or internal error instead of a wrong result: ${failed[0].fullName}` };
  if (code !== 0) return { outcome: "broken", reason: `the run failed although its tests passed:\n    ${errorIn(printed)}` };
  return { outcome: "survived" };
}

/** Mutants by test selection: the same tests with the same pattern. */
function groupsOf(mutants) {
  const groups = new Map();
  for (const mutant of mutants) {
    const key = JSON.stringify([mutant.tests, mutant.only]);
    groups.set(key, [...(groups.get(key) ?? []), mutant]);
  }
  return [...groups.values()];
}

/**
 * Runs a group's tests without a mutation, with the same selection. A test that depends on tests before it would fail without a mutation
 * and count as a kill. Returns the reason why the group's outcomes would be meaningless, or undefined.
 */
async function baselineProblem(folder, [{ tests, only }]) {
  const { outcome, by, reason } = judge(await runTests(folder, tests, only));
  return outcome === "survived" ? undefined : `without the mutation: ${by ? `"${by}" fails` : reason}`;
}

/** Applies a mutation, runs its tests and reverts it. */
async function tryMutant(folder, { file, line, change, tests, only, backedBy }) {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  const started = Date.now();
  try {
    // A function, because a string replacement would interpret "$".
    writeFileSync(
      path,
      text.replace(line, () => change),
    );
    return { ...judge(await runTests(folder, tests, only), backedBy), seconds: (Date.now() - started) / 1000 };
  } finally {
    writeFileSync(path, text);
  }
}

const columns = (...cells) => cells.map((cell, i) => (i ? String(cell).padStart(10) : cell.padEnd(14))).join("");

function printSummary(results) {
  const count = (outcome, of) => of.filter((result) => result.outcome === outcome).length;
  console.log(`\n${columns("area", "killed", "survived", "broken", "seconds")}`);
  for (const area of [...new Set(results.map(({ mutant }) => mutant.area))].sort()) {
    const own = results.filter(({ mutant }) => mutant.area === area);
    const seconds = own.reduce((sum, result) => sum + result.seconds, 0);
    console.log(columns(area, count("killed", own), count("survived", own), count("broken", own), Math.round(seconds)));
  }
  for (const outcome of ["survived", "broken"]) {
    const own = results.filter((result) => result.outcome === outcome);
    if (own.length) console.log(`\n${outcome}:`);
    for (const { mutant, reason } of own) console.log(`  ${placeOf(mutant)} ${mutant.holds}${reason ? `\n    ${reason}` : ""}`);
  }
  console.log(`\n${count("killed", results)} killed, ${count("survived", results)} survived, ${count("broken", results)} broken`);
}

/** Exits with status 2 after a usage error. */
function refuse(message) {
  console.error(message);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { file: { type: "string", multiple: true }, jobs: { type: "string", default: "2" }, list: { type: "boolean" } },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

async function main() {
  const { values, positionals } = readArguments();
  const all = readMutants();
  const problems = problemsOf(all);
  if (problems.length) refuse(`${list}:\n${problems.join("\n")}`);
  const areas = [...new Set(all.map(({ area }) => area))].sort();
  const unknown = positionals.filter((area) => !areas.includes(area));
  if (unknown.length) refuse(`No mutants in the area ${unknown.join(", ")}; areas: ${areas.join(", ")}`);
  const mutants = all.filter(
    ({ area, file }) => (!positionals.length || positionals.includes(area)) && (!values.file || values.file.includes(file)),
  );
  if (!mutants.length) refuse("No mutants match");
  if (!/^[1-9]$/.test(values.jobs)) refuse("--jobs must be 1 to 9");
  if (values.list) {
    for (const mutant of mutants) console.log(`${mutant.area.padEnd(14)}${placeOf(mutant)}  ${mutant.holds}`);
    return;
  }

  const folder = mkdtempSync(join(tmpdir(), "mutants-"));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => {
      for (const pid of running) signalGroup(pid, "SIGKILL");
      clean();
      process.exit(1);
    });
  try {
    // Once here, instead of in each copy.
    await generate();
    const folders = Array.from({ length: Number(values.jobs) }, (_, i) => join(folder, String(i + 1)));
    for (const copy of folders) {
      mkdirSync(copy);
      copyTree(copy);
    }
    const results = [];
    const waiting = groupsOf(mutants);
    await Promise.all(
      folders.map(async (copy) => {
        for (let group = waiting.shift(); group; group = waiting.shift()) {
          const problem = await baselineProblem(copy, group);
          for (const mutant of group) {
            const result = problem ? { outcome: "broken", reason: problem, seconds: 0 } : await tryMutant(copy, mutant);
            results.push({ ...result, mutant });
            const by = result.by ? ` (${result.by})` : "";
            console.log(`${result.outcome.padEnd(9)}${result.seconds.toFixed(1).padStart(6)} s  ${placeOf(mutant)}  ${mutant.holds}${by}`);
          }
        }
      }),
    );
    printSummary(results);
    if (results.some(({ outcome }) => outcome !== "killed")) process.exitCode = 1;
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    clean();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
