/** Runs the steps of a Dockerfile without a container engine: each stage is a folder, and its steps read and write only below it. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { root } from "../../scripts/stale.mjs";
import { instructions } from "./dockerfile.js";

export interface Image {
  folder: string;
  workdir: string;
  environment: Record<string, string>;
  command: string[];
  healthcheck: string[];
  user: string;
}

/** Copies the files that .dockerignore leaves: it excludes everything, then lists inclusions and exceptions. */
function copyContext(to: string): void {
  const lines = readFileSync(join(root, ".dockerignore"), "utf8").split("\n");
  const taken = lines.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  const left = lines.filter((line) => line && !/^[!#*]/.test(line)).map((line) => join(root, line));
  for (const path of taken) cpSync(join(root, path), join(to, path), { recursive: true, filter: (from) => !left.includes(from) });
}

export function buildImage(folder: string): Image {
  const context = join(folder, "context");
  mkdirSync(context);
  copyContext(context);
  let image: Image | undefined;
  const stages = instructions(readFileSync(join(root, "Dockerfile"), "utf8"));
  stages.forEach(({ steps, name }, i) => {
    const stage = join(folder, name || String(i));
    image = { folder: stage, workdir: "/", environment: {}, command: [], healthcheck: [], user: "0:0" };
    for (const step of steps) {
      const { keyword, words, flags } = step;
      const inStage = (path: string) => join(stage, resolve(image!.workdir, path));
      if (keyword === "WORKDIR") {
        image.workdir = resolve(image.workdir, words[0]!);
        mkdirSync(inStage("."), { recursive: true });
      } else if (keyword === "ENV") {
        Object.assign(image.environment, step.environment);
      } else if (keyword === "COPY") {
        const from = flags.from ? join(folder, flags.from) : context;
        const target = words.at(-1)!;
        for (const source of words.slice(0, -1)) {
          const path = join(from, source);
          // COPY copies the content of a folder, and copies a file into a target that ends with a slash.
          const to = target.endsWith("/") ? join(inStage(target), path.slice(dirname(path).length)) : inStage(target);
          if (!existsSync(path)) throw new Error(`COPY ${source}: no such file`);
          cpSync(path, to, { recursive: true, verbatimSymlinks: true });
          if (flags.chown) execFileSync("chown", ["-R", flags.chown, to]);
        }
      } else if (keyword === "RUN") {
        const { PATH, HOME, npm_config_registry } = process.env;
        const environment = {
          ...image.environment,
          ...(image.environment.PRISMA_SCHEMA_ENGINE_BINARY && { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }),
        };
        const env = { PATH, HOME, ...(npm_config_registry && { npm_config_registry }), ...environment };
        execFileSync("sh", ["-c", step.text], { cwd: inStage("."), env, stdio: ["ignore", "ignore", "pipe"], maxBuffer: 2 ** 26 });
      } else if (keyword === "CMD") {
        image.command = step.command!;
      } else if (keyword === "HEALTHCHECK") {
        image.healthcheck = step.command!;
      } else if (keyword === "USER") {
        image.user = words[0]!;
      } else if (!["ARG", "EXPOSE", "VOLUME", "STOPSIGNAL"].includes(keyword)) {
        throw new Error(`${keyword} is not known here`);
      }
    }
  });
  return image!;
}

/** True if this process may create namespaces, which needs root. */
export function mayIsolate(): boolean {
  try {
    execFileSync("unshare", ["--mount", "--pid", "--fork", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a command that runs `command` in an image as an engine would: as the first process, as the image's user, and with only the
 * image's environment and `settings`. The root filesystem is read-only except /data (`data`) and /tmp. Everything outside the image is this
 * machine's.
 */
export function inContainer(
  image: Image,
  command: string[],
  { data, mounts, settings }: { data: string; mounts: string; settings: Record<string, string> },
): string[] {
  const [uid, gid] = image.user.split(":");
  const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", ...image.environment, DATA_DIR: "/srv", ...settings };
  // Mount points that exist on every machine: /mnt is the image's /app, /srv its /data.
  const script = `set -e
    mount --make-rprivate /
    mount --rbind / "$1"
    mount --bind "$2" "$1/mnt"; mount -o remount,bind,ro "$1/mnt"
    mount --bind "$3" "$1/srv"
    mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
    mount -o remount,bind,ro "$1"
    shift 3
    exec chroot "$MOUNTS" setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs sh -c 'cd /mnt; exec "$@"' sh "$@"`;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [
    "env",
    `MOUNTS=${mounts}`,
    "unshare",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "sh",
    "-c",
    script,
    "sh",
    mounts,
    join(image.folder, image.workdir),
    data,
    "env",
    "-i",
    ...variables,
    ...command,
  ];
}
