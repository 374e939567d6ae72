/** Files of the console that the page of an address loads. Its HTML names them, so that the browser requests them at once. */
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import accepts from "accepts";

/** Addresses of files by language and by route, written by the console's build. */
interface Preloads {
  languages: Record<string, string[]>;
  pages: Record<string, string[]>;
}

const tagOf = (file: string) => `<link rel="modulepreload" crossorigin href="${file}">`;

/** Read by a script of every page before others. */
const settings = '<link rel="preload" as="fetch" crossorigin href="/console/settings.json">';

/** Returns a function that adds the files of a request's address and language to the HTML of the console. */
export function preloader(html: string, listing: string): (request: IncomingMessage) => string {
  if (!existsSync(listing)) return () => html;
  const { languages, pages } = JSON.parse(readFileSync(listing, "utf8")) as Preloads;
  // Fixed names come before ids.
  const routes = Object.entries(pages)
    .map(([route, files]) => ({ path: new RegExp(`^/console${route.replace(/\$id/g, "[^/]+")}/?$`), hasId: route.includes("$"), files }))
    .sort((a, b) => Number(a.hasId) - Number(b.hasId));
  return (request) => {
    const path = request.url!.split("?")[0]!;
    const files = routes.find((route) => route.path.test(path))?.files ?? [];
    const language = accepts(request).languages(Object.keys(languages));
    const texts = (typeof language === "string" && languages[language]) || languages.en!;
    return html.replace("</head>", `  ${[settings, ...[...texts, ...files].map(tagOf)].join("\n    ")}\n  </head>`);
  };
}
