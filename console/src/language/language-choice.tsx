import { t } from "@lingui/core/macro";
import { Languages } from "lucide-react";
import { chooseLanguage, type Language, language, languages } from "./language.js";

export function LanguageChoice() {
  return (
    <label className="language minor">
      <Languages className="icon" aria-hidden />
      <span className="hidden-text">{t`Language`}</span>
      <select value={language} onChange={({ target }) => chooseLanguage(target.value as Language)}>
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
