// The texts that a release changes, and its preconditions. Pure functions of texts, without files or git.

/** The most that people read before an upgrade. Details belong in docs/. */
export const maxWords = 1_500;

/** Sections of a changelog by title, which is a version or "Unreleased". */
export const sectionsOf = (changelog) =>
  changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading] = section.split("\n", 1);
      const [, title, date] = /^(\S+)(?: - (\S+))?\s*$/.exec(heading) ?? [undefined, heading];
      return { title, date, body: section.slice(heading.length).trim() };
    });

export const wordsOf = (text) => text.split(/\s+/).filter(Boolean).length;

/** Sections that are too long, each with the remedy. */
export const longSections = (changelog) =>
  sectionsOf(changelog)
    .filter(({ body }) => wordsOf(body) > maxWords)
    .map(
      ({ title, body }) =>
        `CHANGELOG.md, "${title}" has ${wordsOf(body)} words. At most ${maxWords} are allowed: move details into docs/ and link to them.`,
    );

/** Versions of the releases, newest first. */
export const releasesOf = (changelog) =>
  sectionsOf(changelog)
    .map(({ title }) => title)
    .filter((title) => /^\d/.test(title));

const numbersOf = (version) => version.split(".").map(Number);

/** Negative if `version` precedes `before`, zero if they are equal, positive if it follows. */
function compare(version, before) {
  const [one, other] = [numbersOf(version), numbersOf(before)];
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}

/** The part of `before` that `version` increments. */
const partOf = (version, before) =>
  ["major", "minor", "patch"][numbersOf(version).findIndex((number, at) => number !== numbersOf(before)[at])];

/** The earliest end date that a deprecation may name: six months after the release. */
function sixMonthsAfter(date) {
  const [year, month, day] = date.split("-").map(Number);
  // August 31 plus six months is the last day of February.
  const lastOfMonth = new Date(Date.UTC(year, month + 6, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + 6, Math.min(day, lastOfMonth))).toISOString().slice(0, 10);
}

const reasonsOf = (schema) => schema.match(/@deprecated\(reason: "(?:[^"\\]|\\.)*"\)/g) ?? [];

/** Reasons why `version` cannot be released on `date`, each with the remedy. `before` is the version of package.json. */
export function releaseProblems({ version, before, date, changelog, breaking, schema, released }) {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) return [`"${version}" is not a version: write it like 0.3.0.`];
  if (compare(version, before) <= 0) return [`${version} is not higher than ${before}, the version of package.json.`];
  const sections = sectionsOf(changelog);
  const unreleased = sections.find(({ title }) => title === "Unreleased");
  const problems = [];
  if (!unreleased?.body) problems.push('CHANGELOG.md has nothing under "Unreleased": say there what changes for users.');
  if (sections.some(({ title }) => title === version)) problems.push(`CHANGELOG.md has a section ${version} already.`);
  if (sections.some((section) => section.date > date)) problems.push("CHANGELOG.md has a later release: check the clock.");
  problems.push(...longSections(changelog));

  const breaks = [...breaking.schema, ...breaking.behavior].length > 0;
  const part = partOf(version, before);
  const allowed = numbersOf(before)[0] === 0 ? ["major", "minor"] : ["major"];
  if (breaks && !allowed.includes(part))
    problems.push(`src/schema/breaking-changes.json lists breaking changes: a ${part} version must have none (docs/versions.md).`);
  if (breaks && !/^### Before you upgrade$/m.test(unreleased?.body ?? ""))
    problems.push('There are breaking changes: CHANGELOG.md needs "### Before you upgrade" under "Unreleased".');

  const known = new Set(reasonsOf(released));
  const earliest = sixMonthsAfter(date);
  for (const reason of new Set(reasonsOf(schema).filter((one) => !known.has(one)))) {
    const [, end] = /Removed after (\d{4}-\d{2}-\d{2})/.exec(reason) ?? [];
    if (end && end < earliest) problems.push(`${reason} ends less than six months after the release: name ${earliest} or a later day.`);
  }
  return problems;
}

/** Replaces the match of `pattern`. Throws if there is none. */
function replaced(name, text, pattern, replacement) {
  if (text.search(pattern) < 0) throw new Error(`${name}: there is no ${pattern}; adapt scripts/release-texts.mjs`);
  return text.replace(pattern, replacement);
}

const quoted = (text) => text.replaceAll(".", "\\.");

/** The first two versions are those of the lock file and of its root package. */
function versionOfLock(text, version) {
  const lock = JSON.parse(text);
  lock.version = version;
  lock.packages[""].version = version;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** New texts of the files that contain the version, by path. `files` has the current texts. */
export function releasedTexts({ files, version, before, date }) {
  const own = new RegExp(`"version": "${quoted(before)}"`);
  const image = new RegExp(`maintenance-gateway:${quoted(before)}`, "g");
  const [major, minor] = version.split(".");
  const changes = {
    "CHANGELOG.md": (text, name) => replaced(name, text, /^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${date}`),
    "package.json": (text, name) => replaced(name, text, own, `"version": "${version}"`),
    "package-lock.json": (text) => versionOfLock(text, version),
    "packages/client/package.json": (text, name) => replaced(name, text, own, `"version": "${version}"`),
    "packages/client/README.md": (text, name) => replaced(name, text, /(maintenance-gateway-client-)[\d.]+(\.tgz)/g, `$1${version}$2`),
    "deploy/kubernetes/deployment.yaml": (text, name) => replaced(name, text, image, `maintenance-gateway:${version}`),
    "deploy/kubernetes/migrate-job.yaml": (text, name) => replaced(name, text, image, `maintenance-gateway:${version}`),
    "SECURITY.md": (text, name) =>
      replaced(name, text, /The latest minor version is \d+\.\d+\./, `The latest minor version is ${major}.${minor}.`),
    "src/schema/released.graphql": () => files["src/schema/schema.graphql"],
    "src/schema/breaking-changes.json": () => `${JSON.stringify({ schema: [], behavior: [] }, null, 2)}\n`,
  };
  return Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change(files[name], name)]));
}

/** Files that `releasedTexts` reads. */
export const filesOfRelease = [
  "CHANGELOG.md",
  "SECURITY.md",
  "deploy/kubernetes/deployment.yaml",
  "deploy/kubernetes/migrate-job.yaml",
  "package-lock.json",
  "package.json",
  "packages/client/README.md",
  "packages/client/package.json",
  "src/schema/breaking-changes.json",
  "src/schema/released.graphql",
  "src/schema/schema.graphql",
];
