import { existsSync, readFileSync } from "node:fs";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

const ofPackage = (): { version: string; engines: { node: string } } => JSON.parse(read("../package.json"));

/** Release version, such as `0.3.0`. */
export const version = (): string => ofPackage().version;

/** Supported versions of Node.js, such as `>=20.19`. */
export const engines = (): string => ofPackage().engines.node;

/** Built commit, such as `abc1234` or `abc1234.modified`. Undefined when running from sources, and for builds outside a repository. */
export const commit = (): string | undefined => (existsSync(new URL("./commit", import.meta.url)) && read("./commit").trim()) || undefined;

/** The version with the commit as build metadata (semver.org, 10). */
export const fullVersion = (): string => [version(), commit()].filter(Boolean).join("+");
