/** The first line of a text, truncated to `max` UTF-16 code units without splitting a character. */
export function titleOf(text: string, max: number): string {
  const line = text.trim().split("\n")[0]!;
  const beginning = line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "");
  return line.length > max ? `${beginning.trimEnd()}…` : line;
}
