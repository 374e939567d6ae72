/** The REST reference at /docs: Swagger UI on /openapi.json, served entirely from the build. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { demoKeyFor } from "../public-url.js";

// The build is next to this layer. Tests run from src/server and use the build in dist.
const beside = new URL("../../reference/", import.meta.url);
const BUILT = fileURLToPath(existsSync(beside) ? beside : new URL("../../../dist/reference/", import.meta.url));
const PAGE = `${BUILT}index.html`;

const NOT_BUILT = `<!doctype html>
<meta charset="utf-8">
<title>REST reference: not built</title>
<p>The REST reference is not built. Run <code>node scripts/build-reference.mjs</code>, then restart the server.</p>
<p>The description itself: <a href="/openapi.json">/openapi.json</a>.</p>
`;

const headers = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:", // Swagger UI's icons are inside its stylesheet.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/** Serves the page, its files and its settings under `/docs`. `demoKey` is the prefilled API key. */
export function registerReference(app: FastifyInstance, { demoKey }: { demoKey?: string | undefined }): void {
  const isBuilt = existsSync(PAGE);
  const page = isBuilt ? readFileSync(PAGE, "utf8") : NOT_BUILT;
  app.register(async (reference) => {
    reference.addHook("onRequest", async (_request, reply) => {
      reply.headers(headers);
    });

    // Pages of other origins do not get the demo key.
    reference.addHook("onRoute", (route) => {
      route.config = { ...route.config, cors: false } as typeof route.config;
    });

    for (const url of ["/docs", "/docs/"]) reference.get(url, async (_request, reply) => reply.type("text/html; charset=utf-8").send(page));

    // Only browsers on this machine that use one of its own names get the key. A foreign name that resolves here is not among them.
    reference.get("/docs/settings.json", async (request, reply) =>
      reply.header("cache-control", "no-store").send({ demoKey: demoKeyFor(request, demoKey) }),
    );

    if (isBuilt) {
      // File names contain a hash of their content. The build adds a .gz file for each.
      reference.register(fastifyStatic, {
        root: `${BUILT}assets`,
        prefix: "/docs/assets/",
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
