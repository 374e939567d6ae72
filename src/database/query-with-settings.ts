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

/** Settings of PostgreSQL by their names. */
export type SessionSettings = Readonly<Record<string, string>>;

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** The statement that makes settings for the rest of its transaction. Without a name it is sent each time, and stays in no session. */
interface SetStatement {
  text: string;
  isNamed: boolean;
}

/** `session` is what a session of our own would have been started with, where it belongs to a pooler and so to others after us. */
export function setStatement(session: SessionSettings | undefined): SetStatement {
  const own = Object.entries(session ?? {}).map(([name, value]) => `, set_config(${quoted(name)}, ${quoted(value)}, true)`);
  const text = `select set_config('gateway.author', $1, true), set_config('gateway.tenant', $2, true)${own.join("")}`;
  return { text, isNamed: !session };
}

/** Begins a transaction, of a mode such as `read only`, with the session's settings. */
export const beginWith = (session: SessionSettings | undefined, mode = ""): string =>
  [`begin ${mode}`.trim(), ...Object.entries(session ?? {}).map(([name, value]) => `set local ${name} = ${quoted(value)}`)].join("; ");

/** The prepared statement's name, and the connections that know it. */
const preparedName = "settings";
const connections = new WeakSet<Messages>();

/** Sends the settings first, in the same transaction: both are before the one synchronisation that commits. */
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
  set: SetStatement,
): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
    client.query(new QueryWithSettings(statement, settings, set) as never, done);
  });
