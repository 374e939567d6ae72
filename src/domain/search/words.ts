/** Splits text into words in the same way as the database function search_words: without accents, in capitals. */

const separators = "\\s!-/:-@\\[-`{-~";
const word = new RegExp(`[^${separators}]+`, "g");

const letters: Record<string, string> = { ø: "o", ł: "l", đ: "d", ı: "i", ß: "ss", æ: "ae", œ: "oe" };

const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[øłđıßæœ]/g, (letter) => letters[letter]!)
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase();

/** The folded words of a text. */
export const wordsOf = (text: string): string[] => (text.match(word) ?? []).map(fold);

/** The folded words of each term. White space separates terms: `pump P-102` is `[["PUMP"], ["P", "102"]]`. */
export const termsOf = (text: string): string[][] =>
  text
    .split(/\s+/)
    .map(wordsOf)
    .filter((words) => words.length > 0);

const letterAndDigits = /^(\p{L}+)(\p{N}+)$/u;

/** The ways to write a term: `P102` is also `P-102`, and `P-102` also `P102`. */
export function spellingsOf(term: readonly string[]): string[][] {
  const joined = letterAndDigits.exec(term.join(""));
  if (!joined || term.length > 2 || (term.length === 2 && term[0] !== joined[1])) return [[...term]];
  return term.length === 1 ? [[...term], [joined[1]!, joined[2]!]] : [[...term], [term.join("")]];
}

/** Positions of the terms in a text, in UTF-16 code units. A match is a run of words: the last begins with the term's last word, the others are equal. */
export function matchesIn(text: string, terms: readonly string[][]): { start: number; length: number }[] {
  const found = [...text.matchAll(word)].map(({ 0: own, index }) => ({ own, index, folded: fold(own) }));
  const matches: { start: number; length: number }[] = [];
  for (let at = 0; at < found.length; at++) {
    const ends = terms.flatMap((term) => {
      const last = at + term.length - 1;
      const isMatch = term.every((one, i) => {
        const folded = found[at + i]?.folded;
        return at + i === last ? folded?.startsWith(one) : folded === one;
      });
      return isMatch ? [found[last]!.index + lengthOf(found[last]!.own, term.at(-1)!.length)] : [];
    });
    if (!ends.length) continue;
    const { index } = found[at]!;
    const end = Math.max(...ends);
    matches.push({ start: index, length: end - index });
    while (found[at + 1] && found[at + 1]!.index < end) at++;
  }
  return matches;
}

/** Length of the prefix of a word that folds to this many letters. */
function lengthOf(found: string, folded: number): number {
  let length = 0;
  for (const letter of found) {
    if (fold(found.slice(0, length)).length >= folded) break;
    length += letter.length;
  }
  // A combining accent belongs to the preceding letter.
  while (/[\u0300-\u036f]/.test(found[length] ?? "")) length++;
  return length;
}
