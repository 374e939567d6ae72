import { chmodSync, mkdirSync } from "node:fs";

/** Makes the folder, for its owner alone. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeToOthers(folder);
}

/** Closes a folder, if it is there, to all but its owner. One of another owner, such as a mounted volume, stays as that set it. */
export function closeToOthers(folder: string): void {
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    if (!["ENOENT", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
