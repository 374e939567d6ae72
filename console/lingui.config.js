import { defineConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";

/** The console's languages. `npm run messages` collects the texts of console/src in the files of locales/. */
export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "de", "fr", "nl", "es"],
  catalogs: [{ path: "<rootDir>/locales/{locale}", include: ["<rootDir>/src"], exclude: ["<rootDir>/src/generated/**"] }],
  // Positions in the source would change with each line.
  format: formatter({ origins: false, explicitIdAsDefault: false }),
  compileNamespace: "es",
  orderBy: "message",
});
