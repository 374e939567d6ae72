import { accessSync, chmodSync, constants, mkdirSync } from "node:fs";

/** Creates the folder with access for its owner only. Throws an error if the folder is not writable. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`the data folder ${folder} cannot be written (${code}); set DATA_DIR to a folder that the service may write`);
  }
  closeToOthers(folder);
}

/** Restricts an existing folder to its owner. Folders of another owner and read-only folders, such as mounted volumes, keep their mode. */
export function closeToOthers(folder: string): void {
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    if (!["ENOENT", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
