/** The statements that a gateway sends, and PostgreSQL's plans for them. */
import pg from "pg";
import { afterAll, expect } from "vitest";
import { isInBackground } from "../../src/database/background.js";

export interface Sent {
  /** Name of the prepared statement. An unnamed statement is planned for its values each time. */
  name?: string;
  text: string;
  values: unknown[];
}

/**
 * Returns a function that runs work and returns the statements sent meanwhile, on every connection opened from now on. The access log is
 * excluded, because it is written later, alongside other work.
 */
export function recordStatements(databaseUrl: () => string): (work: () => Promise<unknown>) => Promise<Sent[]> {
  const { query } = pg.Client.prototype;
  let recording: Sent[] | undefined;
  pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
    const [first, values = []] = args;
    const isOurs = () => this.database === new URL(databaseUrl()).pathname.slice(1);
    if (recording && !isInBackground() && isOurs())
      recording.push(typeof first === "string" ? { text: first, values } : { values, ...first });
    return (query as any).apply(this, args);
  } as typeof query;
  afterAll(() => {
    pg.Client.prototype.query = query;
  });
  return async (work) => {
    const sent: Sent[] = (recording = []);
    await work().finally(() => (recording = undefined));
    return sent;
  };
}

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Plan Rows": number;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** A value in SQL as the driver sends it: text without a type. */
function literal(value: unknown): string {
  const text = (pg as any).utils.prepareValue(value);
  return text === null ? "null" : pg.escapeLiteral(text);
}

export const isWrite = ({ text }: Sent) => /\b(insert into|update|delete from)\b/i.test(text);

/** Tables with at least this many rows must not be read as a whole. */
const large = 5_000;

/** Maximum number of rows that a job's statement may read from a table. */
const mostOfJob = 1_000;

export class Explainer {
  private readonly client: pg.Client;
  readonly largeTables = new Set<string>();

  constructor(url: string) {
    this.client = new pg.Client({ connectionString: url });
  }

  async open(): Promise<void> {
    await this.client.connect();
    const { rows } = await this.client.query(`select relname from pg_class where relkind = 'r' and reltuples >= $1`, [large]);
    for (const { relname } of rows) this.largeTables.add(relname);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /**
   * Reports large tables read as a whole, rows read in vain, and nodes whose row estimate is off by a factor of a hundred. A prepared
   * statement is planned both for its values and generically, because PostgreSQL may switch to the generic plan after five runs. A write is
   * planned but not run, because it would find other rows than before. With `isUndone` it would find the same rows, and reads few of them.
   */
  async problemsOf(sent: Sent[], isUndone = false): Promise<string[]> {
    const found: string[] = [];
    for (const [text, one] of new Map(sent.map((one) => [one.text, one]))) {
      const isRun = isUndone || !isWrite(one);
      for (const mode of one.name ? ["custom", "generic"] : ["custom"]) {
        const problems = this.problemsIn(await this.explain(one, mode, isRun), isRun, isUndone);
        found.push(...problems.map((problem) => `the ${mode} plan ${problem}: ${text}`));
      }
    }
    return found;
  }

  /** The blocks that a read takes with the plan for its values, and the rows of a table. */
  async extentOf(sent: Sent, table: string): Promise<{ blocks: number; rows: number }> {
    const nodes = await this.explain(sent, "custom", true);
    const { "Shared Hit Blocks": hit = 0, "Shared Read Blocks": read = 0 } = nodes[0]!;
    const scans = nodes.filter((node) => node["Relation Name"] === table);
    expect(scans).not.toEqual([]);
    const rows = scans.reduce((sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"], 0);
    return { blocks: hit + read, rows };
  }

  private async explain({ text, values }: Sent, mode: string, isRun: boolean): Promise<PlanNode[]> {
    await this.client.query(`begin; set local plan_cache_mode = force_${mode}_plan`);
    try {
      await this.client.query(`prepare explained as ${text}`);
      const call = values.length ? `explained(${values.map(literal).join(", ")})` : "explained";
      const { rows } = await this.client.query(`explain (${isRun ? "analyze, buffers, " : ""}format json) execute ${call}`);
      return nodesOf(rows[0]["QUERY PLAN"][0].Plan);
    } finally {
      await this.client.query("rollback; deallocate all");
    }
  }

  private problemsIn(nodes: PlanNode[], isRun: boolean, isJob: boolean): string[] {
    const hasLimit = nodes.some(({ "Node Type": type }) => type === "Limit");
    return nodes.flatMap((node) => {
      const relation = node["Relation Name"];
      if (!relation) return [];
      const found: string[] = [];
      if (node["Node Type"] === "Seq Scan" && this.largeTables.has(relation)) found.push(`reads all of ${relation}`);
      const [expected, actual, loops] = [node["Plan Rows"], node["Actual Rows"], node["Actual Loops"]];
      // A node that never runs returns no rows.
      if (!isRun || !loops) return found;
      const skipped = node["Rows Removed by Filter"] ?? 0;
      if (skipped > 1_000) found.push(`reads ${skipped} rows of ${relation} for nothing`);
      if (isJob && (actual + skipped) * loops > mostOfJob) found.push(`reads ${(actual + skipped) * loops} rows of ${relation}`);
      // A node under a limit stops early.
      const isCut = hasLimit && actual < expected;
      if ((!isCut && (actual + 1) * 100 < expected) || (expected + 1) * 100 < actual)
        found.push(`expects ${expected} rows of ${relation} and gets ${actual}`);
      return found;
    });
  }
}
