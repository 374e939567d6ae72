/** Languages of mails and public pages. */
import { de } from "./de.js";
import { en, type Messages } from "./en.js";
import { es } from "./es.js";
import { fr } from "./fr.js";
import { nl } from "./nl.js";

export interface Language {
  /** Language of the texts, such as de. */
  code: string;
  /** Locale of dates, such as de-AT. */
  locale: string;
  messages: Messages;
}

const languages: Record<string, Omit<Language, "code">> = {
  en: { locale: "en-GB", messages: en },
  de: { locale: "de-DE", messages: de },
  fr: { locale: "fr-FR", messages: fr },
  nl: { locale: "nl-NL", messages: nl },
  es: { locale: "es-ES", messages: es },
};

/** The language of a locale, such as de, de-AT or de_AT. Undefined if there are no texts in it. */
export function languageOf(text: string): Language | undefined {
  let locale: Intl.Locale;
  try {
    locale = new Intl.Locale(text.trim().replaceAll("_", "-"));
  } catch {
    return undefined;
  }
  const code = locale.language;
  if (!Object.hasOwn(languages, code)) return undefined;
  const language = languages[code]!;
  return { ...language, code, ...(locale.region && { locale: `${code}-${locale.region}` }) };
}

/** The first of these locales, in order of preference, that has texts. English otherwise. */
export function chosenLanguage(locales: Iterable<string>): Language {
  for (const locale of locales) {
    const language = languageOf(locale);
    if (language) return language;
  }
  return { ...languages.en!, code: "en" };
}
