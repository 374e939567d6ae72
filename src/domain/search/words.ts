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

/** Positions in a text where a word begins with one of `wanted`, which are folded words. In UTF-16 code units. */
export function matchesIn(text: string, wanted: readonly string[]): { start: number; length: number }[] {
  return [...text.matchAll(word)].flatMap(({ 0: found, index }) => {
    const folded = fold(found);
    const longest = Math.max(0, ...wanted.filter((one) => folded.startsWith(one)).map((one) => one.length));
    return longest ? [{ start: index, length: lengthOf(found, longest) }] : [];
  });
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
