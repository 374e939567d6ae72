/** The only module that uses members of pg that are not part of its documented API. */
import type pg from "pg";

interface Connection {
  /** Texts of the prepared statements of the connection, by name. pg does not parse a named statement again. */
  parsedStatements: Record<string, string>;
  close(message: { type: "S"; name: string }): void;
}

/** Throws if an update of pg has moved the members. */
function connectionOf(client: pg.ClientBase): Connection {
  const { connection } = client as unknown as { connection?: Partial<Connection> };
  if (typeof connection?.parsedStatements !== "object" || typeof connection.close !== "function")
    throw new Error("pg: a client has no connection.parsedStatements or connection.close; adapt src/database/connection/pg-internals.ts");
  return connection as Connection;
}

/**
 * Returns a function that closes a prepared statement of the client. It sends a protocol message, which is not an error for an unknown
 * statement, even in a transaction.
 */
export function statementCloser(client: pg.ClientBase): (name: string) => void {
  const connection = connectionOf(client);
  return (name) => {
    delete connection.parsedStatements[name];
    connection.close({ type: "S", name });
  };
}

interface IdlePool {
  _pendingQueue: { callback(error: Error | undefined, client: pg.PoolClient): void }[];
  /** Serves the first waiting caller with an idle connection. */
  _pulseQueue(): void;
}

/** Takes an idle connection from a pool that has one and no waiting callers, in the same turn of the event loop. */
export function takeIdleClient(pool: pg.Pool): pg.PoolClient {
  const { _pendingQueue: waiting } = pool as unknown as IdlePool;
  let taken: pg.PoolClient | undefined;
  waiting.push({ callback: (_, client) => void (taken = client) });
  (pool as unknown as IdlePool)._pulseQueue();
  if (!taken) throw new Error("pg-pool: an idle client was not handed out at once; adapt src/database/connection/pg-internals.ts");
  return taken;
}
