/** Runs once before all tests: generates the Prisma client if prisma/schema.prisma changed. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { generate } from "../scripts/generate.mjs";

const script = fileURLToPath(new URL("../scripts/build.mjs", import.meta.url));

/** Builds dist/ for tests of the built service. Of several concurrent calls, only the first builds. */
export const build = () => void execFileSync(process.execPath, [script, "--if-stale"], { stdio: "inherit" });

export default () => generate();
