/** Numbers as people type them in a language. A text with two meanings is not read, as in CSV files. */

/** The two meanings of a text such as `1.000` in German. */
export interface Ambiguous {
  fraction: number;
  whole: number;
}

/** Undefined if the text is not a number. Both signs separate decimals, and spaces or the language's other sign separate thousands. */
export function typedNumber(text: string, locale: string): number | Ambiguous | undefined {
  const digits = text.trim().replace(/(\d)[\s'’](?=\d{3}(?!\d))/g, "$1");
  const [decimal, other] = decimalSign(locale) === "," ? [",", "."] : [".", ","];
  const grouped = new RegExp(`^[+-]?[1-9]\\d{0,2}(\\${other}\\d{3})+(\\${decimal}\\d+)?$`);
  if (digits.length > 40) return undefined;
  if (grouped.test(digits)) {
    const whole = Number(digits.replaceAll(other, "").replace(decimal, "."));
    return /^[+-]?\d+[.,]\d+$/.test(digits) ? { fraction: Number(digits.replace(other, ".")), whole } : whole;
  }
  return /^[+-]?(\d+([.,]\d*)?|[.,]\d+)$/.test(digits) ? Number(digits.replace(",", ".")) : undefined;
}

const decimalSign = (locale: string) => new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === "decimal")?.value;

/** A number as `typedNumber` reads it: with the language's decimal sign, without separators of thousands. */
export const writtenNumber = (value: number, locale: string): string =>
  new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 20 }).format(value);
