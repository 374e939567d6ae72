// The service with the demo plant, for the scripts that draw pictures.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Starts the service. Resolves with its process, URL and admin key once it answers. */
export async function startDemo(env) {
  const child = spawn(process.execPath, [cli, "serve", "--demo"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let printed = "";
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}: ${printed}`)));
    child.stderr.on("data", (chunk) => {
      printed += chunk;
      const [, found] = /answers at (http:\S+)/.exec(printed) ?? [];
      if (found) resolve(found);
    });
  });
  return { child, url, key: readFileSync(join(env.DATA_DIR, "demo-key"), "utf8").trim() };
}
