/** The texts that `npm run release` changes, and the states that it rejects. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, test } from "vitest";
import { artefactManifest } from "../../scripts/pack.mjs";
import {
  filesOfRelease,
  longSections,
  maxWords,
  releasedTexts,
  releaseProblems,
  releasesOf,
  sectionsOf,
  wordsOf,
} from "../../scripts/release-texts.mjs";

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), "utf8");
const own = JSON.parse(read("package.json"));

const changelog = `# Changelog

## Unreleased

### Before you upgrade

- Stop.

### Added

- A thing.

## 0.2.0 - 2026-11-01

An older thing.
`;
const noBreaks = { schema: [], behavior: [] };
const breaks = { schema: [{ reason: "It had to be.", changes: ["Field 'a' was removed"] }], behavior: [] };
const deprecated = (date: string) => `type Query { a: Int @deprecated(reason: "Use \`b\`. Removed after ${date}") }`;
const plan = { version: "0.3.0", before: "0.2.0", date: "2026-11-24", changelog, breaking: noBreaks, schema: "", released: "" };

describe("a release is refused", () => {
  it("not if everything is in order", () => {
    expect(releaseProblems(plan)).toEqual([]);
    expect(releaseProblems({ ...plan, breaking: breaks })).toEqual([]);
    expect(releaseProblems({ ...plan, version: "0.2.1" })).toEqual([]);
    expect(releaseProblems({ ...plan, before: "0.9.0", version: "0.10.0" })).toEqual([]);
    expect(releaseProblems({ ...plan, before: "1.2.3", version: "2.0.0", breaking: breaks })).toEqual([]);
  });

  it.each([
    ["a version that is none", { version: "0.3" }, ['"0.3" is not a version: write it like 0.3.0.']],
    ["a version with a v", { version: "v0.3.0" }, ['"v0.3.0" is not a version: write it like 0.3.0.']],
    ["the present version", { version: "0.2.0" }, ["0.2.0 is not higher than 0.2.0, the version of package.json."]],
    ["a lower version", { before: "0.10.0", version: "0.9.9" }, ["0.9.9 is not higher than 0.10.0, the version of package.json."]],
    [
      "no Unreleased",
      { changelog: changelog.replace("## Unreleased", "## Later") },
      ['CHANGELOG.md has nothing under "Unreleased": say there what changes for users.'],
    ],
    [
      "an empty Unreleased",
      { changelog: "# Changelog\n\n## Unreleased\n\n## 0.2.0\n\nText.\n" },
      ['CHANGELOG.md has nothing under "Unreleased": say there what changes for users.'],
    ],
    [
      "a section of the version",
      { changelog: changelog.replace("## 0.2.0 - 2026-11-01", "## 0.3.0 - 2026-11-01") },
      ["CHANGELOG.md has a section 0.3.0 already."],
    ],
    [
      "a later release",
      { changelog: changelog.replace("2026-11-01", "2026-12-01") },
      ["CHANGELOG.md has a later release: check the clock."],
    ],
    [
      "a section of 1,501 words",
      { changelog: changelog.replace("An older thing.", "word ".repeat(1_501)) },
      ['CHANGELOG.md, "0.2.0" has 1501 words. At most 1500 are allowed: move details into docs/ and link to them.'],
    ],
    [
      "breaking changes in a patch",
      { version: "0.2.1", breaking: breaks },
      ["src/schema/breaking-changes.json lists breaking changes: a patch version must have none (docs/versions.md)."],
    ],
    [
      "breaking changes in a minor version from 1.0 on",
      { before: "1.0.0", version: "1.1.0", breaking: breaks },
      ["src/schema/breaking-changes.json lists breaking changes: a minor version must have none (docs/versions.md)."],
    ],
    [
      "breaking changes without advice for the upgrade",
      { breaking: breaks, changelog: changelog.replace("### Before you upgrade", "### Notes") },
      ['There are breaking changes: CHANGELOG.md needs "### Before you upgrade" under "Unreleased".'],
    ],
    [
      "a new deprecation of less than six months",
      { schema: deprecated("2027-05-23") },
      [
        '@deprecated(reason: "Use `b`. Removed after 2027-05-23") ends less than six months after the release: name 2027-05-24 or a later day.',
      ],
    ],
  ])("for %s", (_, changes, problems) => {
    expect(releaseProblems({ ...plan, ...changes })).toEqual(problems);
  });

  it("not for deprecations of six months, of a short month, or of an earlier release", () => {
    expect(releaseProblems({ ...plan, schema: deprecated("2027-05-24") })).toEqual([]);
    expect(releaseProblems({ ...plan, date: "2026-08-31", changelog: "## Unreleased\n\nText.", schema: deprecated("2027-02-28") })).toEqual(
      [],
    );
    expect(releaseProblems({ ...plan, schema: deprecated("2026-12-01"), released: deprecated("2026-12-01") })).toEqual([]);
  });

  it("not for a section of 1,500 words", () => {
    expect(longSections(changelog.replace("An older thing.", "word\n".repeat(maxWords)))).toEqual([]);
  });
});

test("the releases of a changelog are listed below Unreleased", () => {
  expect(releasesOf(changelog)).toEqual(["0.2.0"]);
  expect(sectionsOf(changelog)[1]).toEqual({ title: "0.2.0", date: "2026-11-01", body: "An older thing." });
  expect(wordsOf(" one two\n\nthree ")).toBe(3);
});

describe("the texts of this repository", () => {
  const files = Object.fromEntries(filesOfRelease.map((name) => [name, read(name)]));
  const after: Record<string, string> = releasedTexts({ files, version: "99.1.0", before: own.version, date: "2099-01-02" });

  it("the changelog of each release has at most 1,500 words, the upgrade first", () => {
    expect(longSections(read("CHANGELOG.md"))).toEqual([]);
    const [{ body }] = sectionsOf(read("CHANGELOG.md"));
    expect(body).toMatch(/^(### Before you upgrade\n|$)/);
  });

  it("name the version in these places, and nothing else changes", () => {
    const lines = (text: string) => text.split("\n");
    const changes = (name: string) => {
      const present = new Set(lines(files[name]!));
      return lines(after[name]!).filter((line) => !present.has(line));
    };
    const texts = Object.keys(after).filter((name) => !name.startsWith("src/schema/"));
    expect(Object.fromEntries(texts.map((name) => [name, changes(name).map((line) => line.trim())]))).toEqual({
      "CHANGELOG.md": ["## 99.1.0 - 2099-01-02"],
      "SECURITY.md": [expect.stringMatching(/^The latest minor version is 99\.1\. /)],
      "deploy/kubernetes/deployment.yaml": ["image: maintenance-gateway:99.1.0"],
      "deploy/kubernetes/migrate-job.yaml": ["image: maintenance-gateway:99.1.0"],
      "package.json": ['"version": "99.1.0",'],
      "package-lock.json": ['"version": "99.1.0",', '"version": "99.1.0",'],
      "packages/client/package.json": ['"version": "99.1.0",'],
      "packages/client/README.md": [expect.stringMatching(/maintenance-gateway-client-99\.1\.0\.tgz/)],
    });
  });

  it("Unreleased is empty afterwards, and its text belongs to the version", () => {
    const [empty, released, ...older] = sectionsOf(after["CHANGELOG.md"]!);
    const [unreleased, ...others] = sectionsOf(files["CHANGELOG.md"]!);
    expect(empty).toEqual({ title: "Unreleased", body: "" });
    expect(released).toEqual({ title: "99.1.0", date: "2099-01-02", body: unreleased.body });
    expect(older).toEqual(others);
  });

  it("breaking changes count against this release afterwards", () => {
    expect(after["src/schema/released.graphql"]).toBe(files["src/schema/schema.graphql"]);
    expect(JSON.parse(after["src/schema/breaking-changes.json"]!)).toEqual({ schema: [], behavior: [] });
  });

  it("a file that no longer names the version stops the release", () => {
    expect(() =>
      releasedTexts({ files: { ...files, "SECURITY.md": "" }, version: "99.1.0", before: own.version, date: "2099-01-02" }),
    ).toThrow(/^SECURITY\.md: there is no .*; adapt scripts\/release-texts\.mjs$/);
  });

  it("SECURITY.md names the version of package.json as the supported one", () => {
    expect(/The latest minor version is (\d+\.\d+)\./.exec(files["SECURITY.md"]!)?.[1]).toBe(own.version.replace(/\.\d+$/, ""));
  });
});

test("the tarball has every production package at the version of the lock file, and no other", () => {
  const packages = {
    "": {},
    "node_modules/a": { version: "1.0.0" },
    "node_modules/a/node_modules/b": { version: "1.5.0" },
    "node_modules/@s/b": { version: "2.0.0" },
    "node_modules/sharp": { version: "3.0.0" },
    "node_modules/@img/linux": { version: "3.0.0", optional: true },
    "node_modules/tool": { version: "4.0.0", dev: true },
  };
  const manifest = {
    name: "g",
    version: "1.0.0",
    scripts: { a: "b" },
    devDependencies: { tool: "4.0.0" },
    overrides: {},
    dependencies: { a: "^1.0.0" },
  };
  expect(artefactManifest(manifest, { packages })).toEqual({
    name: "g",
    version: "1.0.0",
    dependencies: { a: "1.0.0", "@s/b": "2.0.0", sharp: "3.0.0" },
    bundleDependencies: ["a", "@s/b"],
  });
});
