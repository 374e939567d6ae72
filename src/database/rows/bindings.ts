/** The values of a statement, from `$2` on. */
export class Bindings {
  readonly values: unknown[] = [];
  readonly bind = (value: unknown): string => `$${this.values.push(value) + 1}`;
}
