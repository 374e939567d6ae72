/** Words as the function search_words of the database makes them: without accents, in capitals. */

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

/** The words of a text, folded. */
export const wordsOf = (text: string): string[] => (text.match(word) ?? []).map(fold);

/** Where words of a text begin with one of `wanted`, which are folded; in UTF-16 units. */
export function matchesIn(text: string, wanted: readonly string[]): { start: number; length: number }[] {
  return [...text.matchAll(word)].flatMap(({ 0: found, index }) => {
    const folded = fold(found);
    const longest = Math.max(0, ...wanted.filter((one) => folded.startsWith(one)).map((one) => one.length));
    return longest ? [{ start: index, length: lengthOf(found, longest) }] : [];
  });
}

/** How much of a word has this many folded letters. */
function lengthOf(found: string, folded: number): number {
  let length = 0;
  for (const letter of found) {
    if (fold(found.slice(0, length)).length >= folded) break;
    length += letter.length;
  }
  // An accent of its own belongs to the letter before it.
  while (/[\u0300-\u036f]/.test(found[length] ?? "")) length++;
  return length;
}
