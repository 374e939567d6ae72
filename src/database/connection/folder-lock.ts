/**
 * Keeps a second process out of a data folder, which it would corrupt. The owner listens on a socket in the folder. The kernel closes the
 * socket with the process, however it ends. Every process on the machine sees it, even from other PID namespaces (containers).
 */
import { createHash, randomBytes } from "node:crypto";
import { linkSync, openSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect as dial, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makePrivateFolder } from "./private-folder.js";

/** Time limit for processes that start simultaneously to agree on an owner. */
const patienceMs = 5_000;
/** Maximum length of a socket's path, below the limit of every system. */
const longestPath = 100;

/** Socket names: one per contender, and a second link for the owner. */
const wanting = /^lock-[0-9a-f]{16}\.sock$/;
const owning = /^owner-[0-9a-f]{16}\.sock$/;

function inUse(folder: string): Error {
  let owner = "another process";
  try {
    owner = `process ${Number.parseInt(readFileSync(join(folder, "owner.pid"), "utf8"), 10)}`;
  } catch {}
  return new Error(`the data folder ${folder} is in use by ${owner}; stop it, set DATA_DIR to another folder, or use DATABASE_URL`);
}

/**
 * Locks a folder for its owner only; creates it if missing. Returns a function that releases the lock. Throws an error of one line if the
 * folder is in use.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  makePrivateFolder(folder);
  const release = process.platform === "win32" ? await lockPipe(folder) : await lockSocket(folder);
  writeFileSync(join(folder, "owner.pid"), String(process.pid));
  return async () => {
    rmSync(join(folder, "owner.pid"), { force: true });
    await release();
  };
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  return server.unref();
}

/** A named pipe can have only one owner. */
async function lockPipe(folder: string): Promise<() => Promise<void>> {
  const name = createHash("sha256").update(realpathSync(folder).toLowerCase()).digest("hex");
  const server = await listen(`\\\\.\\pipe\\maintenance-gateway-${name}`).catch(() => {
    throw inUse(folder);
  });
  return async () => void server.close();
}

/** The folder under a path that is short enough for a socket in it. */
function reachable(folder: string): string {
  if (Buffer.byteLength(folder) <= longestPath - 30) return folder;
  if (process.platform === "linux") return `/proc/self/fd/${openSync(folder, "r")}`;
  throw new Error(`the path of the data folder ${folder} is too long; set DATA_DIR to a shorter one`);
}

interface Claim {
  id: string;
  withdraw(): void;
}

/** Publishes the socket only once it accepts connections: others treat a socket that does not as left by a dead process. */
async function publish(folder: string): Promise<Claim> {
  const id = randomBytes(8).toString("hex");
  const [hidden, seen] = [join(folder, `new-${id}.sock`), join(folder, `lock-${id}.sock`)];
  const server = await listen(hidden).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the data folder ${folder} takes no lock (${error.code}); set DATA_DIR to a folder of a local file system`);
  });
  renameSync(hidden, seen);
  const withdraw = () => {
    for (const name of [seen, join(folder, `owner-${id}.sock`)]) rmSync(name, { force: true });
    server.close();
  };
  return { id, withdraw };
}

/** Only a refusal proves that the owner is gone. */
const isAlive = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = dial(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED" && code !== "ENOENT"));
  });

/** Ids of live sockets, except `own`. Removes the sockets of dead processes: ids are random and never reused. */
async function others(folder: string, names: RegExp, own: string): Promise<string[]> {
  const live: string[] = [];
  for (const name of readdirSync(folder)) {
    if (!names.test(name) || name.includes(own)) continue;
    if (await isAlive(join(folder, name))) live.push(name.slice(-21, -5));
    else rmSync(join(folder, name), { force: true });
  }
  return live;
}

/**
 * Publish first, then look for others. A contender that finds no other is the only owner: of any two, the one that published later finds
 * the other. Among contenders that find each other, the lowest id stays; the others withdraw and retry.
 */
async function lockSocket(given: string): Promise<() => Promise<void>> {
  const folder = reachable(given);
  const end = performance.now() + patienceMs;
  for (;;) {
    const claim = await publish(folder);
    for (;;) {
      const owners = await others(folder, owning, claim.id);
      const found = await others(folder, wanting, claim.id);
      if (!found.length) {
        // Tells later contenders that the folder has an owner, so that they fail without waiting.
        linkSync(join(folder, `lock-${claim.id}.sock`), join(folder, `owner-${claim.id}.sock`));
        return async () => claim.withdraw();
      }
      if (owners.length || performance.now() > end) {
        claim.withdraw();
        throw inUse(given);
      }
      if (found.some((id) => id < claim.id)) break;
      await sleep(10);
    }
    claim.withdraw();
    await sleep(20 + Math.random() * 80);
  }
}
