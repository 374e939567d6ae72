/** The countable rules of how this project writes, applied to Markdown, GraphQL descriptions and comments. */
import { parse, visit } from "graphql";

export interface Finding {
  line: number;
  rule: string;
  text: string;
}

/** Openings of a description, comment or heading that leave its subject unnamed. */
const vagueOpening = /^(?:what|who|whose|whom|of)\b/i;

/** Words of a literal translation, each with the replacement. */
const words: [RegExp, string][] = [
  [/\bas ever\b/i, "as before"],
  [/\bbut for\b/i, "except"],
  [/\bof before\b/i, "previous"],
  [/\banew\b/i, "again"],
  [/\bby itself\b/i, "automatically"],
  [/\bby themselves\b/i, "automatically"],
  [/\bwhoever\b/i, "each person who"],
  [/\bwhichever\b/i, "each, any"],
  [/\bdearer?\b/i, "expensive"],
  [/\bdoors?\b/i, "API, transport, endpoint"],
  [/\b(?:is|are|was|were|be|been|being) told\b/i, "is notified, is reported"],
  [/\b(?:is|are|was|were) led to\b/i, "is redirected to"],
  [/\bnamed twice\b/i, "duplicated"],
  [/\bcame free\b/i, "became available"],
  [/\bwrong use\b/i, "usage error"],
  [/\bthat is none\b/i, "invalid"],
  [/\bhas to say\b/i, "reports"],
];

export const maxSentenceWords = 25;
export const maxCellLength = 400;
export const maxLineLength = 160;

const ofWords = (text: string, line: number): Finding[] =>
  words.filter(([word]) => word.test(text)).map(([word, better]) => ({ line, rule: `${word.source} → ${better}`, text }));

const ofOpening = (text: string, line: number): Finding[] =>
  vagueOpening.test(text) ? [{ line, rule: "opens with What, Who, Whose or Of: name the thing", text }] : [];

/** Markdown without code, link targets and marks. */
const plain = (text: string): string =>
  text
    .replace(/`[^`]*`/g, "x")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_]{1,2}/g, "");

const sentencesOf = (paragraph: string): string[] => plain(paragraph).split(/(?<=[.!?:;])\s+(?=["(A-Z0-9x])/);

/** Findings in a Markdown text: headings, list items and paragraphs, table cells. Code blocks are skipped. */
export function inMarkdown(text: string): Finding[] {
  const found: Finding[] = [];
  let paragraph: { line: number; text: string } | undefined;
  const close = () => {
    if (!paragraph) return;
    for (const sentence of sentencesOf(paragraph.text)) {
      const count = sentence.split(/\s+/).filter(Boolean).length;
      if (count > maxSentenceWords)
        found.push({ line: paragraph.line, rule: `a sentence of ${count} words; at most ${maxSentenceWords}`, text: sentence });
    }
    found.push(...ofWords(plain(paragraph.text), paragraph.line));
    paragraph = undefined;
  };
  let isCode = false;
  for (const [index, line] of text.split("\n").entries()) {
    const number = index + 1;
    if (/^\s*(```|~~~)/.test(line)) {
      close();
      isCode = !isCode;
      continue;
    }
    if (isCode || (/^ {4}\S/.test(line) && !paragraph)) continue;
    if (line.trimStart().startsWith("|")) {
      close();
      for (const cell of line.split(/(?<!\\)\|/)) {
        if (cell.length > maxCellLength) found.push({ line: number, rule: `a cell of ${cell.length} characters`, text: cell.slice(0, 80) });
        found.push(...ofWords(plain(cell), number));
      }
      continue;
    }
    if (line.length > maxLineLength && !/^\s*(<|\[[^\]]+\]:)/.test(line))
      found.push({ line: number, rule: `a line of ${line.length} characters; at most ${maxLineLength}`, text: line.slice(0, 80) });
    const heading = /^#+\s+(.*)/.exec(line);
    if (heading) {
      close();
      found.push(...ofOpening(heading[1]!, number), ...ofWords(plain(heading[1]!), number));
    } else if (!line.trim()) close();
    else {
      const item = /^\s*(?:[-*]|\d+\.)\s+(.*)/.exec(line);
      if (item) close();
      paragraph = { line: paragraph?.line ?? number, text: `${paragraph ? `${paragraph.text} ` : ""}${item ? item[1] : line.trim()}` };
    }
  }
  close();
  return found;
}

/** Findings in a description: its opening and its words. */
export const inDescription = (text: string, line: number): Finding[] => [...ofOpening(text, line), ...ofWords(plain(text), line)];

/** Findings in the comments of a TypeScript or JavaScript file that stand on lines of their own. Consecutive line comments are one comment. */
export function inComments(source: string): Finding[] {
  const found: Finding[] = [];
  let isInside = false;
  let isContinued = false;
  for (const [index, line] of source.split("\n").entries()) {
    const number = index + 1;
    const text = line.trim();
    const opening = /^(?:\{\s*)?\/\*\*?\s*(.*)/.exec(text);
    const single = /^\/\/\s?(.*)/.exec(text);
    if (!isInside && !opening && !single) {
      isContinued = false;
      continue;
    }
    const comment = (isInside ? text.replace(/^\*\s?/, "") : (opening ?? single)![1]!).replace(/\*\/\}?$/, "").trim();
    found.push(...(isContinued ? ofWords(plain(comment), number) : inDescription(comment, number)));
    if (line.length > maxLineLength)
      found.push({ line: number, rule: `a line of ${line.length} characters; at most ${maxLineLength}`, text: comment });
    if (!isInside && opening) isInside = !text.includes("*/");
    else if (isInside) isInside = !text.includes("*/");
    // An opening line without text: its subject is on the next one.
    isContinued = comment !== "" && (isInside || single !== null);
  }
  return found;
}

/** Findings in the descriptions of a schema. */
export function inSchema(sdl: string): Finding[] {
  const found: Finding[] = [];
  visit(parse(sdl), {
    enter(node) {
      if ("description" in node && node.description)
        found.push(...inDescription(node.description.value, node.description.loc!.startToken.line));
    },
  });
  return found;
}
