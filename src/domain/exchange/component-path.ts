/**
 * Paths of components in files: names from the root down, separated by ` / `. Siblings of the same name are distinguished by a number, as
 * in `Bearing#2`. In names, a backslash escapes slashes, hash signs, backslashes, and spaces at either end.
 */

const escaped = (name: string) => name.replace(/[\\/#]|^\s|\s$/g, "\\$&");

const segmentOf = (name: string, number: number) => (number === 1 ? escaped(name) : `${escaped(name)}#${number}`);

/** Numbers siblings of the same name, in call order. */
export class Segments {
  private readonly counts = new Map<string, number>();

  of(place: string, name: string): string {
    const key = JSON.stringify([place, name]);
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return segmentOf(name, count);
  }
}

export const joined = (parent: string, segment: string): string => (parent ? `${parent} / ${segment}` : segment);

export interface ComponentPath {
  /** Normalized for comparison. */
  path: string;
  parent: string;
  /** Name of the component itself. */
  name: string;
  number: number;
  /** The last segment, and the segment of the preceding sibling of the same name. */
  segment: string;
  before: string | undefined;
}

/** Returns null for an invalid path. */
export function parsePath(text: string): ComponentPath | null {
  const segments: string[][] = [[]];
  for (const token of text.match(/\\.|./gs) ?? []) {
    if (token === "/") segments.push([]);
    else segments.at(-1)!.push(token);
  }
  const parsed = segments.map(parseSegment);
  const last = parsed.at(-1);
  if (!last || parsed.some((segment) => !segment)) return null;
  const path = parsed.map((segment) => segmentOf(segment!.name, segment!.number));
  const { name, number } = last;
  const before = number > 1 ? segmentOf(name, number - 1) : undefined;
  return { path: path.join(" / "), parent: path.slice(0, -1).join(" / "), name, number, segment: path.at(-1)!, before };
}

function parseSegment(tokens: string[]): { name: string; number: number } | undefined {
  const isBlank = (token: string) => token.trim() === "";
  const first = tokens.findIndex((token) => !isBlank(token));
  if (first < 0) return undefined;
  const own = tokens.slice(first, tokens.findLastIndex((token) => !isBlank(token)) + 1);
  const hash = own.lastIndexOf("#");
  const digits = hash < 0 ? "" : own.slice(hash + 1).join("");
  const isNumbered = /^[1-9]\d{0,5}$/.test(digits);
  const name = (isNumbered ? own.slice(0, hash) : own)
    .map((token) => (token.length > 1 && token.startsWith("\\") ? token.slice(1) : token))
    .join("");
  return name.trim() ? { name, number: isNumbered ? Number(digits) : 1 } : undefined;
}
