/** A statement and the settings of its transaction, in one message. */
import pg from "pg";

/** What policies and triggers of the database read. An empty text is none. */
export interface TransactionSettings {
  /** `authorText` (author.ts). */
  author: string;
  /** Whose rows exist (tenant-scope.ts). */
  tenant: string;
}

/** The protocol's messages, which the driver's own queries are made of. */
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

const setSettings = "select set_config('gateway.author', $1, true), set_config('gateway.tenant', $2, true)";

/** The prepared statement's name, and the connections that know it. */
const statement = "settings";
const connections = new WeakSet<Messages>();

/** Sends the settings first, in the same transaction: both are before the one synchronisation that commits. */
class QueryWithSettings extends DriverQuery {
  private isSet = false;
  private statementName: string | undefined;

  constructor(
    config: pg.QueryConfig,
    private readonly settings: TransactionSettings,
  ) {
    super({ ...config, queryMode: "extended" });
  }

  override prepare(connection: Messages): void {
    if (!connections.has(connection)) {
      connection.close({ type: "S", name: statement });
      connection.parse({ name: statement, text: setSettings, types: [] });
      connections.add(connection);
    }
    connection.bind({ statement, values: [this.settings.author, this.settings.tenant] });
    connection.execute({});
    super.prepare(connection);
    // The driver takes what PostgreSQL says of a statement for the one of this name: until the settings are made, it is of the other one.
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
    // As in a transaction that has failed before.
    if (!this.isSet) connections.delete(connection);
    super.handleError(error, connection);
  }
}

/** Sends a statement and the settings of its transaction, which last until the end of that. */
export const sendWithSettings = (
  client: pg.PoolClient,
  statement: pg.QueryConfig,
  settings: TransactionSettings,
): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
    client.query(new QueryWithSettings(statement, settings) as never, done);
  });
