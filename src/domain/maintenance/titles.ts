/** The first line of a text, at most `max` UTF-16 code units of it, and none of a character that does not fit whole. */
export function titleOf(text: string, max: number): string {
  const line = text.trim().split("\n")[0]!;
  const beginning = line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "");
  return line.length > max ? `${beginning.trimEnd()}…` : line;
}
