/** Once before all tests: the Prisma client, where prisma/schema.prisma changed. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { generate } from "../scripts/generate.mjs";

const script = fileURLToPath(new URL("../scripts/build.mjs", import.meta.url));

/** dist/, for tests of the built service. Of several at once one builds. */
export const build = () => void execFileSync(process.execPath, [script, "--if-stale"], { stdio: "inherit" });

export default () => generate();
