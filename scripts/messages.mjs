// Collects the texts of the console in console/locales: adds new messages without a translation and removes those that are no longer used.
import { fileURLToPath } from "node:url";
import { getCatalogs } from "@lingui/cli/api";
import { getConfig } from "@lingui/conf";

const config = getConfig({ configPath: fileURLToPath(new URL("../console/lingui.config.js", import.meta.url)) });

for (const catalog of await getCatalogs(config)) {
  const catalogs = await catalog.make({ clean: true, overwrite: false, orderBy: config.orderBy });
  if (!catalogs) process.exit(1);
  for (const [locale, messages] of Object.entries(catalogs)) {
    const missing = Object.values(messages).filter(({ translation }) => !translation).length;
    if (locale !== config.sourceLocale && missing) console.log(`console/locales/${locale}.po: ${missing} messages need a translation`);
  }
}
