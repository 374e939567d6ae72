import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { demoKeyFor } from "../public-url.js";

// The build is next to this layer. Tests run from src/server and use the build in dist.
const beside = new URL("../../explorer/", import.meta.url);
const BUILT = fileURLToPath(existsSync(beside) ? beside : new URL("../../../dist/explorer/", import.meta.url));
const PAGE = `${BUILT}index.html`;

const NOT_BUILT = `<!doctype html>
<meta charset="utf-8">
<title>GraphQL explorer: not built</title>
<p>The GraphQL explorer is not built. Run <code>node scripts/build-explorer.mjs</code>, then restart the server.</p>
<p>GraphQL itself works: <code>POST /graphql</code>.</p>
`;

const TRUSTED_ONLY = `<!doctype html>
<meta charset="utf-8">
<title>GraphQL explorer: off</title>
<p>This service accepts trusted documents only (<code>TRUSTED_DOCUMENTS_ONLY</code>), so there is nothing to explore with.</p>
<p>The schema: <a href="/schema.graphql">/schema.graphql</a>, <a href="/schema.json">/schema.json</a>.</p>
`;

/** Headers of every response of the explorer, including `explorerPage()`. */
export const explorerHeaders = {
  "content-security-policy": [
    "default-src 'self'",
    "script-src 'self'",
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'", // The editor writes style attributes and elements.
    "img-src 'self' data:",
    "font-src 'self' data:", // GraphiQL's fonts are inside its stylesheet.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/** The explorer's HTML, sent with `explorerHeaders` when a browser opens `GET /graphql`. */
export function explorerPage(trustedOnly: boolean): string {
  if (trustedOnly) return TRUSTED_ONLY;
  return existsSync(PAGE) ? readFileSync(PAGE, "utf8") : NOT_BUILT;
}

/** Serves the explorer, its files and its settings under `/explorer`. `demoKey` is the prefilled API key. */
export function registerExplorer(
  app: FastifyInstance,
  { demoKey, trustedOnly }: { demoKey?: string | undefined; trustedOnly: boolean },
): void {
  app.register(async (explorer) => {
    explorer.addHook("onRequest", async (_request, reply) => {
      reply.headers(explorerHeaders);
    });

    // Pages of other origins do not get the demo key.
    explorer.addHook("onRoute", (route) => {
      route.config = { ...route.config, cors: false } as typeof route.config;
    });

    for (const url of ["/explorer", "/explorer/"]) {
      explorer.get(url, async (_request, reply) => reply.type("text/html; charset=utf-8").send(explorerPage(trustedOnly)));
    }

    // Only browsers on this machine that use one of its own names get the key. A foreign name that resolves here is not among them.
    explorer.get("/explorer/settings.json", async (request, reply) =>
      reply.header("cache-control", "no-store").send({ demoKey: demoKeyFor(request, demoKey) }),
    );

    if (existsSync(PAGE)) {
      // File names contain a hash of their content. The build adds a .gz file for each.
      explorer.register(fastifyStatic, {
        root: `${BUILT}assets`,
        prefix: "/explorer/assets/",
        decorateReply: false,
        index: false,
        preCompressed: true,
        maxAge: "365d",
        immutable: true,
        setHeaders: (response) => void response.setHeader("vary", "accept-encoding"),
      });
    }
  });
}
