/** The console's language and the locale of its dates and numbers. Loaded before all other modules, so that these can use texts at once. */
import { i18n, type Messages } from "@lingui/core";

/** Names in the language itself. */
export const languages = { en: "English", de: "Deutsch", fr: "Français", nl: "Nederlands", es: "Español" } as const;
export type Language = keyof typeof languages;

const isLanguage = (value: string | null | undefined): value is Language => !!value && Object.hasOwn(languages, value);

/** The browser may block storage. */
function chosen(): string | null {
  try {
    return localStorage.getItem("console:language");
  } catch {
    return null;
  }
}

const languageOf = (tag: string): string => tag.toLowerCase().split("-")[0]!;

/** The user's choice, otherwise the first of the browser's languages that the console has. */
export const language: Language = [chosen(), ...navigator.languages.map(languageOf)].find(isLanguage) ?? "en";

/** BCP 47 tag with the browser's region, such as `de-AT`, if the browser has one for the language. */
export const locale: string = navigator.languages.find((tag) => languageOf(tag) === language) ?? language;

const catalogues = import.meta.glob<{ messages: Messages }>("../../locales/*.po");

/** Loads the texts. */
export async function activateLanguage(): Promise<void> {
  const { messages } = await catalogues[`../../locales/${language}.po`]!();
  i18n.loadAndActivate({ locale: language, messages });
  document.documentElement.lang = locale;
}

/** Changes the language. The page is reloaded, because modules keep their texts. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem("console:language", next);
  location.reload();
}
