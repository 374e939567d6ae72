/**
 * Sessions of browsers (docs/people.md, "Sessions in the browser"): `POST /console/session` exchanges an API key for a cookie that scripts
 * cannot read, and a name that the page sends as its bearer token. Neither authenticates without the other, so that other pages cannot use
 * the cookie, and a tab never acts for another user who signed in since.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Config } from "../config.js";
import { endSession, openSession } from "../domain/access/sessions.js";
import { forbidden } from "../schema/errors.js";
import type { BaseUrlOf } from "./public-url.js";
import type { OpenedServices } from "./services.js";

const path = "/console/session";
const cookieName = "maintenance_session";
const cookieForm = new RegExp(`(?:^|; ?)${cookieName}=(mgs_[0-9a-f]{16}_[0-9a-f]{64})(?:;|$)`);

const nameForm = /^Bearer +(mgs_[0-9a-f]{16}) *$/;

const secretOf = (cookie: string | undefined): string | undefined => (cookie ? cookieForm.exec(cookie)?.[1] : undefined);
/** The public part of a session's secret: `mgs_<prefix>`. */
export const nameOf = (secret: string): string => secret.slice(0, secret.lastIndexOf("_"));

/** An `Authorization` header. For the name of a session, with the secret of the cookie. */
export function authorizationOf(authorization: string | undefined, cookie: string | undefined): string | undefined {
  if (cookie === undefined) return authorization;
  const named = nameForm.exec(authorization ?? "")?.[1];
  const secret = named && secretOf(cookie);
  return secret && nameOf(secret) === named ? `Session ${secret}` : authorization;
}

/** The name of the browser's session, which may have ended. */
export function sessionNameOf({ headers }: FastifyRequest): string | null {
  const secret = secretOf(headers.cookie);
  return secret ? nameOf(secret) : null;
}

/** The `Set-Cookie` header of a session. An empty secret removes the cookie. */
export function sessionCookie(secret: string, seconds: number, baseUrl: string): string {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${cookieName}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

interface SessionOptions {
  config: Config;
  services: OpenedServices;
  authenticate: onRequestHookHandler;
  baseUrlOf: BaseUrlOf;
}

export function registerSessions(app: FastifyInstance, { config, services, authenticate, baseUrlOf }: SessionOptions): void {
  const { database, keys } = services;
  const setCookie = (request: FastifyRequest, reply: FastifyReply, secret: string, seconds: number) =>
    reply.header("set-cookie", sessionCookie(secret, seconds, baseUrlOf(request)));
  app.register(async (sessions) => {
    sessions.addHook("onRoute", (route) => {
      route.config = { ...route.config, cors: false } as typeof route.config;
    });
    sessions.post(path, { onRequest: authenticate }, async (request, reply) => {
      const { tenantId, keyId, sessionId } = request.actor!;
      if (!keyId || sessionId) throw forbidden("Only an API key opens a session");
      const { secret, expiresAt } = await openSession(database, { tenantId, keyId }, config.SESSION_IDLE_MINUTES * 60_000);
      // Each request renews the session, so the cookie outlasts the session's first end.
      return setCookie(request, reply, secret, 30 * 86_400)
        .code(201)
        .send({ token: nameOf(secret), expiresAt });
    });
    sessions.delete(path, { onRequest: authenticate }, async (request, reply) => {
      const { tenantId, sessionId } = request.actor!;
      if (!sessionId) throw forbidden("Only a session signs out");
      await endSession(database, tenantId, sessionId);
      keys.clearCache();
      return setCookie(request, reply, "", 0).code(204).send();
    });
  });
}
