/** Conditions of a list, joined by `and`. `?` in a condition is replaced by its value; columns are those of the list's table. */
export class Where {
  private readonly conditions: { sql: string; values: unknown[] }[] = [];

  /** Whether the conditions are so rare that a prepared statement would not be reused. */
  isAdHoc = false;

  add(sql: string, ...values: unknown[]): this {
    this.conditions.push({ sql, values });
    return this;
  }

  /** Adds equality for each value. Undefined and null add no condition. */
  equal(columns: Record<string, unknown>): this {
    for (const [column, value] of Object.entries(columns)) if (value !== undefined && value !== null) this.add(`"${column}" = ?`, value);
    return this;
  }

  /**
   * Adds a match with any of several enum values. They are literals, so that the plan of a prepared statement accounts for their frequency.
   */
  oneOf(column: string, words: string[]): this {
    if (words.some((word) => !/^[\w-]+$/.test(word))) throw new Error(`${column}: no word of an enum`);
    // With `=`, an index on the column and the order of the list gives the first rows in order.
    return this.add(words.length === 1 ? `"${column}" = '${words[0]}'` : `"${column}" = any('{${words.join(",")}}')`);
  }

  /** Adds a case-insensitive substring match of the search text. `%` and `_` are ordinary characters. */
  search(text: string | null | undefined): this {
    if (text) this.add(`"searchText" like '%' || lower(?) || '%'`, text.replace(/[\\%_]/g, "\\$&"));
    return this;
  }

  /** Adds a case-insensitive substring match of a column. */
  contains(column: string, text: string): this {
    return this.add(`lower("${column}") like '%' || lower(?) || '%'`, text.replace(/[\\%_]/g, "\\$&"));
  }

  /** Adds all conditions of another list. */
  and(other: Where): this {
    this.conditions.push(...other.conditions);
    this.isAdHoc ||= other.isAdHoc;
    return this;
  }

  /** Adds a match with at least one of several lists of conditions. */
  or(others: readonly Where[]): this {
    const either = others.map((other) => other.joined());
    return this.add(`(${either.map(({ sql }) => sql).join(" or ")})`, ...either.flatMap(({ values }) => values));
  }

  /** Negates the conditions of another list. Conditions that are unknown because of a null count as not satisfied. */
  not(other: Where): this {
    const { sql, values } = other.joined();
    return this.add(`${sql} is not true`, ...values);
  }

  /** Requires that a column refers to a record that is not deleted and satisfies the conditions of another list. */
  related(column: string, table: string, other: Where, { isKept = false } = {}): this {
    const { sql, values } = other.joined();
    const live = isKept ? "" : ` and f."deletedAt" is null`;
    return this.add(`"${column}" in (select f.id from "${table}" f where f."tenantId" = $1${live} and ${sql})`, ...values);
  }

  /** Returns a single condition, in parentheses. */
  private joined(): { sql: string; values: unknown[] } {
    return {
      sql: `(${this.conditions.map(({ sql }) => sql).join(" and ") || "true"})`,
      values: this.conditions.flatMap(({ values }) => values),
    };
  }

  /** Returns the SQL, each condition preceded by `and`. `bind` takes a value and returns its placeholder. */
  render(bind: (value: unknown) => string): string {
    return this.conditions
      .map(({ sql, values }) => {
        let next = 0;
        return ` and ${sql.replace(/\?/g, () => bind(values[next++]))}`;
      })
      .join("");
  }

  /** Returns a copy to which conditions can be added. */
  copy(): Where {
    return new Where().and(this);
  }

  get isEmpty(): boolean {
    return !this.conditions.length;
  }

  fingerprint(): string {
    return JSON.stringify(this.conditions);
  }
}
