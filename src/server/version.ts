import { readFileSync } from "node:fs";

/** Of this release. */
export const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
