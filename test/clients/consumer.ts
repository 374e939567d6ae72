/** A front-end project with the client package installed, in which files are written, generated and type-checked. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { buildClient } from "../../scripts/build-client.mjs";
import { packageFolder } from "../../scripts/generate-client.mjs";
import { cache, root } from "../../scripts/stale.mjs";

export interface Consumer {
  folder: string;
  write(files: Record<string, string>): void;
  /** Runs a program of node_modules. Returns its output and whether it succeeded. */
  run(program: string, ...args: string[]): Promise<{ ok: boolean; output: string }>;
  /** Runs `tsc --strict` on the given files. */
  check(...files: string[]): Promise<{ ok: boolean; output: string }>;
}

export async function newConsumer(): Promise<Consumer> {
  await buildClient();
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "consumer-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules/@maintenance-gateway"), { recursive: true });
  symlinkSync(packageFolder, join(folder, "node_modules/@maintenance-gateway/client"));
  const write = (files: Record<string, string>) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
  };
  write({ "package.json": JSON.stringify({ type: "module" }) });
  const run: Consumer["run"] = (program, ...args) =>
    promisify(execFile)(process.execPath, [join(root, "node_modules", program), ...args], { cwd: folder }).then(
      ({ stdout, stderr }) => ({ ok: true, output: stdout + stderr }),
      ({ stdout, stderr }) => ({ ok: false, output: stdout + stderr }),
    );
  const options = [
    "--ignoreConfig",
    "--skipLibCheck",
    "--noEmit",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--lib",
    "es2022,dom",
    "--types",
    "",
  ];
  return { folder, write, run, check: (...files) => run("typescript/bin/tsc", "--strict", "--pretty", "false", ...options, ...files) };
}

/** A bundle for browsers, minified. `@maintenance-gateway/client` is the package's source. */
export async function bundle(contents: string, external: string[] = []): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    external,
    alias: Object.fromEntries(
      ["subscriptions", "apollo", "urql", "index"].map((name) => [
        `@maintenance-gateway/client${name === "index" ? "" : `/${name}`}`,
        join(packageFolder, `src/${name}.ts`),
      ]),
    ),
  });
  return outputFiles[0]!.text;
}
