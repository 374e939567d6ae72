import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { PrismaPGlite } from "pglite-prisma-adapter";
import type { Database } from "./database.js";
import { translated } from "./failures.js";

/** A PGlite folder must have one owner: a second process would corrupt it. */
function claim(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "owner.pid");
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch {
    const owner = Number(readFileSync(file, "utf8"));
    if (owner && owner !== process.pid && isAlive(owner)) {
      throw new Error(
        `the data folder ${folder} is in use by process ${owner}; stop it, set DATA_DIR to another folder, or use DATABASE_URL`,
      );
    }
    writeFileSync(file, String(process.pid));
  }
  return () => rmSync(file, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export const createPglite = (folder?: string) => PGlite.create({ dataDir: folder, extensions: { pg_trgm } });

/** The public adapter, with two mends for migrations: scripts are awaited, and the shadow database has our extensions. */
export function pgliteAdapter(pglite: PGlite): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPGlite(pglite);
  const awaited = async (client: PGlite) => {
    const adapter = await new PrismaPGlite(client).connect();
    adapter.executeScript = async (script) => void (await client.exec(script));
    return adapter;
  };
  factory.connect = () => awaited(pglite);
  factory.connectToShadowDb = async () => awaited(await createPglite());
  return factory;
}

/** PostgreSQL in WebAssembly, kept in `folder`/postgresql. Everything runs on its one connection, transactions in turn. */
export async function openEmbedded(folder: string): Promise<Database> {
  const release = claim(folder);
  let statements = 0;
  let pglite: PGlite;
  try {
    pglite = await createPglite(join(folder, "postgresql"));
  } catch (error) {
    release();
    throw error;
  }
  const send = pglite.query.bind(pglite);
  pglite.query = (...args) => {
    statements++;
    return send(...args);
  };

  return {
    home: "embedded",
    async query(text, values = []) {
      try {
        return (await pglite.query(text, values)).rows as any;
      } catch (error) {
        throw translated(error);
      }
    },
    async transaction(work) {
      try {
        return await pglite.transaction((tx) =>
          work({
            async query(text, values = []) {
              statements++;
              try {
                return (await tx.query(text, values)).rows as any;
              } catch (error) {
                throw translated(error);
              }
            },
          }),
        );
      } catch (error) {
        throw translated(error);
      }
    },
    adapter: pgliteAdapter(pglite),
    statements: () => statements,
    async close() {
      await pglite.close();
      release();
    },
  };
}
