import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { v4 as uuid } from "uuid";
import { writePolicy } from "./policy.js";
import type { Storage } from "./storage.js";

const privately = { recursive: true, mode: 0o700 };

/** On a read-only file system, recursive `mkdir` of Node.js reports ENOENT instead of EROFS. */
const makeFolder = (path: string) =>
  mkdir(path, privately).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? Object.assign(error, { code: "EROFS" }) : error;
  });

const statOf = (path: string) => stat(path).catch(() => undefined);

/** Stores files in a local folder. Clients upload to the gateway's /uploads endpoint (server/files.ts). */
export function localStorage(folder: string): Storage {
  const partialFolder = join(folder, "unfinished");
  const pathOf = (key: string) => join(folder, ...key.split("/").map((part) => encodeURIComponent(part).replace(/^\.+$/, "_")));
  return {
    kind: "local",
    async grant({ key, contentType, size, expiresAt, secret, baseUrl }) {
      const form = writePolicy({ expiration: expiresAt.toISOString(), key, contentType, size }, secret);
      return { uploadUrl: `${baseUrl}/uploads`, fields: { key, "Content-Type": contentType, StorageAccessKeyId: "local", ...form } };
    },
    /** Writes to a temporary file and renames it, so that readers never see an incomplete file. */
    async put(key, source, _contentType, accept) {
      const path = pathOf(key);
      const partial = join(partialFolder, uuid());
      await makeFolder(dirname(path));
      await makeFolder(partialFolder);
      try {
        await pipeline(source, createWriteStream(partial, { mode: 0o600 }));
        const handle = await open(partial, "r+");
        await handle.sync().finally(() => handle.close());
        await accept?.();
        await rename(partial, path);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    async withFile(key, use) {
      const path = pathOf(key);
      const found = await statOf(path);
      const moveTo = async (to: string) => {
        await makeFolder(dirname(pathOf(to)));
        await rename(path, pathOf(to));
      };
      return found && use({ path, size: found.size, moveTo });
    },
    async open(key) {
      const found = await statOf(pathOf(key));
      return found && { stream: createReadStream(pathOf(key)), size: found.size };
    },
    async remove(keys) {
      await Promise.all(keys.map((key) => rm(pathOf(key), { force: true })));
    },
    async removeFolder(folder) {
      await rm(pathOf(folder), { recursive: true, force: true });
    },
    async removeIncomplete(before) {
      for (const name of await readdir(partialFolder).catch(() => [])) {
        const found = await statOf(join(partialFolder, name));
        if (found && found.mtime < before) await rm(join(partialFolder, name), { force: true });
      }
    },
  };
}
