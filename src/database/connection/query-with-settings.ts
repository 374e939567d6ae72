/** Sends a statement and the settings of its transaction in one round trip. */
import pg from "pg";

/** Settings that the database's policies and triggers read. An empty string means none. */
export interface TransactionSettings {
  /** `authorText` (author.ts). */
  author: string;
  /** The tenant whose rows are visible (tenant-scope.ts). */
  tenant: string;
}

/** The protocol's messages, which the driver's queries consist of. */
interface Messages {
  close(message: { type: "S"; name: string }): void;
  parse(message: { name: string; text: string; types: number[] }): void;
  bind(message: { statement: string; values: unknown[] }): void;
  execute(message: Record<string, never>): void;
}

interface SentQuery extends pg.Submittable {
  name: string | undefined;
  prepare(connection: Messages): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Messages): void;
  handleError(error: Error, connection: Messages): void;
}

const DriverQuery = pg.Query as unknown as new (config: pg.QueryConfig & { queryMode: "extended" }) => SentQuery;

/** PostgreSQL settings by name. */
export type SessionSettings = Readonly<Record<string, string>>;

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

/**
 * The statement that applies settings to the rest of its transaction. Without a name it is sent each time and leaves nothing in the
 * session.
 */
interface SetStatement {
  text: string;
  isNamed: boolean;
}

/** `session` has the settings that a direct connection would get at startup. Given for poolers, whose sessions are shared. */
export function setStatement(session: SessionSettings | undefined): SetStatement {
  const own = Object.entries(session ?? {}).map(([name, value]) => `, set_config(${quoted(name)}, ${quoted(value)}, true)`);
  const text = `select set_config('gateway.author', $1, true), set_config('gateway.tenant', $2, true)${own.join("")}`;
  return { text, isNamed: !session };
}

/** Begins a transaction in a mode such as `read only`, with the session's settings. */
export const beginWith = (session: SessionSettings | undefined, mode = ""): string =>
  [`begin ${mode}`.trim(), ...Object.entries(session ?? {}).map(([name, value]) => `set local ${name} = ${quoted(value)}`)].join("; ");

/** Name of the prepared statement, and the connections that have prepared it. */
const preparedName = "settings";
const connections = new WeakSet<Messages>();

/** Sends the settings first, in the same transaction: a single Sync, which commits, follows both. */
class QueryWithSettings extends DriverQuery {
  private isSet = false;
  private statementName: string | undefined;

  constructor(
    config: pg.QueryConfig,
    private readonly settings: TransactionSettings,
    private readonly set: SetStatement,
  ) {
    super({ ...config, queryMode: "extended" });
  }

  override prepare(connection: Messages): void {
    const { text, isNamed } = this.set;
    const name = isNamed ? preparedName : "";
    if (!isNamed) connection.parse({ name, text, types: [] });
    else if (!connections.has(connection)) {
      connection.close({ type: "S", name });
      connection.parse({ name, text, types: [] });
      connections.add(connection);
    }
    connection.bind({ statement: name, values: [this.settings.author, this.settings.tenant] });
    connection.execute({});
    super.prepare(connection);
    // The driver attributes the next responses to the named statement. Until the settings are applied, they belong to the settings
    // statement.
    this.statementName = this.name;
    this.name = undefined;
  }

  override handleDataRow(message: unknown): void {
    if (this.isSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Messages): void {
    if (this.isSet) super.handleCommandComplete(message, connection);
    else {
      this.isSet = true;
      this.name = this.statementName;
    }
  }

  override handleError(error: Error, connection: Messages): void {
    // For example in a transaction that has already failed: the statement may not have been prepared.
    if (!this.isSet) connections.delete(connection);
    super.handleError(error, connection);
  }
}

/** Sends a statement with settings that last until the end of its transaction. */
export const sendWithSettings = (
  client: pg.PoolClient,
  statement: pg.QueryConfig,
  settings: TransactionSettings,
  set: SetStatement,
): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
    client.query(new QueryWithSettings(statement, settings, set) as never, done);
  });
