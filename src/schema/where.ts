/** Conditions of a list, joined by `and`. `?` in a condition stands for its value; columns are those of the list's table. */
export class Where {
  private readonly conditions: { sql: string; values: unknown[] }[] = [];

  add(sql: string, ...values: unknown[]): this {
    this.conditions.push({ sql, values });
    return this;
  }

  /** Equality for each value; undefined and null add no condition. */
  equal(columns: Record<string, unknown>): this {
    for (const [column, value] of Object.entries(columns)) if (value !== undefined && value !== null) this.add(`"${column}" = ?`, value);
    return this;
  }

  /** One of some words of an enum. They are literals, so that the plan of a prepared statement knows how rare they are. */
  oneOf(column: string, words: string[]): this {
    if (words.some((word) => !/^[\w-]+$/.test(word))) throw new Error(`${column}: no word of an enum`);
    return this.add(`"${column}" = any('{${words.join(",")}}')`);
  }

  /** A case-insensitive substring of the search text; `%` and `_` are ordinary characters. */
  search(text: string | null | undefined): this {
    if (text) this.add(`"searchText" like '%' || lower(?) || '%'`, text.replace(/[\\%_]/g, "\\$&"));
    return this;
  }

  /** The SQL, each condition with `and` before it. `bind` takes a value and returns its placeholder. */
  render(bind: (value: unknown) => string): string {
    return this.conditions
      .map(({ sql, values }) => {
        let next = 0;
        return ` and ${sql.replace(/\?/g, () => bind(values[next++]))}`;
      })
      .join("");
  }

  /** A copy, to add conditions to. */
  copy(): Where {
    const copy = new Where();
    copy.conditions.push(...this.conditions);
    return copy;
  }

  get isEmpty(): boolean {
    return !this.conditions.length;
  }

  fingerprint(): string {
    return JSON.stringify(this.conditions);
  }
}
