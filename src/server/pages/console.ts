/** The plant console at /console/: its page for every path below, its files, and its settings before sign-in. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import accepts from "accepts";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config.js";
import { demoKeyFor } from "../public-url.js";
import { sessionNameOf } from "../session-cookie.js";
import { preloader } from "./preloads.js";

// The build is next to this layer. Tests run from src/server and use the build in dist.
const beside = new URL("../../console/", import.meta.url);
const BUILT = fileURLToPath(existsSync(beside) ? beside : new URL("../../../dist/console/", import.meta.url));

const NOT_BUILT = `<!doctype html>
<meta charset="utf-8">
<title>Plant console: not built</title>
<p>The plant console is not built. Run <code>npm run build</code>, then restart the server.</p>
<p>The graph works: <a href="/graphql">/graphql</a>.</p>
`;

const headersFor = (provider: string | undefined, publicUrl = "") => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' data: blob: ${publicUrl}`.trim(), // Targets of photo links. Photos about to be uploaded are displayed from memory.
    `connect-src 'self'${provider ? ` ${new URL(provider).origin}` : ""}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "permissions-policy": "geolocation=(), microphone=()",
});

/** `demoKey` is offered to browsers on this machine. */
export function registerConsole(
  app: FastifyInstance,
  { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_SCOPE: scope, OIDC_SIGN_IN_PARAMETERS: parameters, PUBLIC_URL: publicUrl }: Config,
  { demoKey }: { demoKey?: string | undefined },
): void {
  const provider = issuer && clientId ? { issuer, clientId, scope, parameters } : null;
  const headers = headersFor(provider?.issuer, publicUrl);
  const page = existsSync(`${BUILT}index.html`) ? readFileSync(`${BUILT}index.html`, "utf8") : undefined;
  const pageFor = page === undefined ? undefined : preloader(page, `${BUILT}preloads.json`);

  // A hook instead of a route, so that programs still get 404 at /.
  app.addHook("onRequest", (request, reply, done) => {
    if (
      !/^\/(\?|$)/.test(request.url) ||
      !["GET", "HEAD"].includes(request.method) ||
      accepts(request.raw).type(["json", "html"]) !== "html"
    )
      return done();
    void reply.headers({ vary: "accept", "cache-control": "no-cache" }).redirect("/console/");
  });

  app.register(async (console) => {
    console.addHook("onRequest", async (_request, reply) => {
      reply.headers(headers);
    });

    // Pages of other origins do not get the demo key.
    console.addHook("onRoute", (route) => {
      route.config = { ...route.config, cors: false } as typeof route.config;
    });

    console.get("/console", async (_request, reply) => reply.redirect("/console/"));
    console.get("/console/settings.json", async (request, reply) =>
      reply.header("cache-control", "no-store").send({ demoKey: demoKeyFor(request, demoKey), provider, session: sessionNameOf(request) }),
    );
    for (const url of ["/console/", "/console/*"])
      console.get(url, async (request, reply) =>
        reply
          .type("text/html; charset=utf-8")
          .headers({ "cache-control": "no-cache", vary: "accept-language" })
          .send(pageFor?.(request.raw) ?? NOT_BUILT),
      );

    if (page === undefined) return;
    const serviceWorker = readFileSync(`${BUILT}service-worker.js`);
    console.get("/console/service-worker.js", async (_request, reply) =>
      reply.type("text/javascript; charset=utf-8").header("cache-control", "no-cache").send(serviceWorker),
    );
    // File names contain a hash of their content. The build adds .br and .gz files.
    console.register(fastifyStatic, {
      root: `${BUILT}assets`,
      prefix: "/console/assets/",
      decorateReply: false,
      index: false,
      preCompressed: true,
      maxAge: "365d",
      immutable: true,
      setHeaders: (response) => void response.setHeader("vary", "accept-encoding"),
    });
  });
}
