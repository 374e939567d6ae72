/** Conditions of a list, joined by `and`. `?` in a condition is its value; columns are those of the list's table. */
export class Where {
  private readonly conditions: { sql: string; values: unknown[] }[] = [];

  /** Whether there are conditions that few other requests have, so that a prepared statement would not be used again. */
  isAdHoc = false;

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

  /** A case-insensitive substring of a column. */
  contains(column: string, text: string): this {
    return this.add(`lower("${column}") like '%' || lower(?) || '%'`, text.replace(/[\\%_]/g, "\\$&"));
  }

  /** All conditions of another list. */
  and(other: Where): this {
    this.conditions.push(...other.conditions);
    this.isAdHoc ||= other.isAdHoc;
    return this;
  }

  /** Those of one of some lists at least. */
  or(others: readonly Where[]): this {
    const either = others.map((other) => other.joined());
    return this.add(`(${either.map(({ sql }) => sql).join(" or ")})`, ...either.flatMap(({ values }) => values));
  }

  /** Not those of another list; a condition that is unknown, because a value is null, does not hold either. */
  not(other: Where): this {
    const { sql, values } = other.joined();
    return this.add(`${sql} is not true`, ...values);
  }

  /** A column that leads to an asset or the like, not deleted, for which the conditions of another list hold. */
  related(column: string, table: string, other: Where, { isKept = false } = {}): this {
    const { sql, values } = other.joined();
    const live = isKept ? "" : ` and f."deletedAt" is null`;
    return this.add(`"${column}" in (select f.id from "${table}" f where f."tenantId" = $1${live} and ${sql})`, ...values);
  }

  /** As one condition, in parentheses. */
  private joined(): { sql: string; values: unknown[] } {
    return {
      sql: `(${this.conditions.map(({ sql }) => sql).join(" and ") || "true"})`,
      values: this.conditions.flatMap(({ values }) => values),
    };
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
    return new Where().and(this);
  }

  get isEmpty(): boolean {
    return !this.conditions.length;
  }

  fingerprint(): string {
    return JSON.stringify(this.conditions);
  }
}
