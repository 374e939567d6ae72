// Identifies the code that docs/performance.md describes, without git: a checksum of the folders that every request passes through.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

export const measuredFolders = ["src/execution", "src/server", "src/database"];
const root = fileURLToPath(new URL("..", import.meta.url));

/** Without types, comments and layout, which change no figure. */
async function essence(source) {
  const { code } = await transform(source, {
    loader: "ts",
    minifyWhitespace: true,
    legalComments: "none",
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, target: "es2022" } },
  });
  return code;
}

/** The checksum of sources by path. Order and layout do not matter. */
export async function checksumOf(sources) {
  const hash = createHash("sha256");
  for (const path of Object.keys(sources).sort()) hash.update(`${path}\0${await essence(sources[path])}\0`);
  return hash.digest("hex").slice(0, 16);
}

/** The checksum of `measuredFolders`, without generated files. */
export function codeChecksum() {
  const paths = measuredFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => `${folder}/${name}`)
      .filter((path) => path.endsWith(".ts") && !path.includes("/generated/")),
  );
  return checksumOf(Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), "utf8")])));
}
