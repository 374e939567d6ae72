/**
 * Tokens of an identity provider (OpenID Connect): locates the keys by discovery, verifies tokens with them, and maps claims to tenant,
 * role and sites.
 */
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Config } from "../config.js";
import { type RefusedToken, type TokenClaims, tokenExpired } from "../domain/access/tokens.js";
import { type Role, roleOrder } from "../schema/access/enums.js";
import { forbidden, ServiceError, unauthenticated, unavailable } from "../schema/errors.js";

/** Public-key signatures only: shared secrets and unsigned tokens are not accepted. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];

const timeoutMs = 5_000;
/** Minimum interval of key requests for unknown key ids, and of retries while the provider is unavailable. */
const cooldownMs = 5_000;
/** The keys are refetched after this time, so that withdrawn keys are refused. */
const keysMs = 600_000;

/** The roles that a claim can grant, in ascending order. */
const ranked: Role[] = ["requester", "viewer", "ingest", ...roleOrder.slice(1)];

class ProviderUnreachable extends Error {}

/** The address of the provider's public keys, from its discovery document. */
export async function findKeys(issuer: string): Promise<URL> {
  const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const found = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (!response.ok || found.issuer !== issuer || typeof found.jwks_uri !== "string")
    throw new Error(`the discovery document of ${issuer} does not fit it`);
  const keys = new URL(found.jwks_uri);
  if (keys.protocol !== "https:" && keys.protocol !== new URL(issuer).protocol) throw new Error("the provider's keys need https");
  return keys;
}

/** The provider's public keys. While the provider is unavailable, uses the last fetched keys. */
function providerKeys(issuer: string): JWTVerifyGetKey {
  let remote: ReturnType<typeof createRemoteJWKSet> | undefined;
  let awaySince = -Infinity;

  const discover = async () =>
    createRemoteJWKSet(await findKeys(issuer), { timeoutDuration: timeoutMs, cooldownDuration: cooldownMs, cacheMaxAge: keysMs });

  return async (header, token) => {
    let failure: unknown;
    if (performance.now() - awaySince > cooldownMs) {
      try {
        remote ??= await discover();
        return await remote(header, token);
      } catch (error) {
        // Errors of the token, as opposed to errors of fetching the keys.
        if (
          error instanceof errors.JWKSNoMatchingKey ||
          error instanceof errors.JWKSMultipleMatchingKeys ||
          error instanceof errors.JOSENotSupported
        )
          throw error;
        awaySince = performance.now();
        failure = error;
      }
    }
    const known = remote?.jwks();
    if (!known) throw new ProviderUnreachable("the identity provider cannot be reached", { cause: failure });
    return createLocalJWKSet(known)(header, token).catch((error: unknown) => {
      // The provider may have a new key, which cannot be checked right now.
      throw error instanceof errors.JWKSNoMatchingKey ? new ProviderUnreachable("the key is not known", { cause: failure }) : error;
    });
  };
}

/** A claim by its name, or by a dotted path. */
function claimOf(claims: JWTPayload, name: string): unknown {
  if (name in claims) return claims[name];
  return name
    .split(".")
    .reduce<unknown>((at, part) => (at && typeof at === "object" ? (at as Record<string, unknown>)[part] : undefined), claims);
}

/** The claim as trimmed text that can be stored; undefined if it is not text. */
const textOf = (claim: unknown, max = 255): string | undefined =>
  typeof claim === "string" && claim.trim() && claim.length <= max && !/[\0\p{Surrogate}]/u.test(claim) ? claim.trim() : undefined;

/**
 * Whether a token was issued to a client for itself (grant `client_credentials`) instead of to a person. Either its subject is the client
 * (RFC 9068, 2.2), or a claim of the provider says so: `gty` of Auth0, `idtyp` of Entra ID, the name of a Keycloak service account.
 */
function isClient({ sub, client_id, azp, cid, appid, gty, idtyp, preferred_username: username }: JWTPayload): boolean {
  const clients = [client_id, azp, cid, appid].filter((client): client is string => typeof client === "string" && client !== "");
  return (
    gty === "client-credentials" ||
    idtyp === "app" ||
    clients.some((client) => sub === client || sub === `${client}@clients` || username === `service-account-${client.toLowerCase()}`)
  );
}

/**
 * Returns a function that verifies tokens, or undefined if no provider is configured. `logFailure` receives the reason if the provider is
 * unreachable.
 */
export function tokenVerifier(
  config: Config,
  logFailure: (error: unknown) => void,
): ((token: string) => Promise<TokenClaims | RefusedToken>) | undefined {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_CLOCK_SKEW_SECONDS: clockTolerance } = config;
  if (!issuer || !audience) return undefined;
  const keyOf = providerKeys(issuer);

  const roleOf = (claims: JWTPayload): Role => {
    const values = [claimOf(claims, config.OIDC_CLAIM_ROLE)].flat();
    const roles = values.flatMap((value) => (typeof value === "string" ? (config.OIDC_ROLES.get(value) ?? []) : []));
    const highest = ranked.findLast((role) => roles.includes(role));
    if (!highest)
      throw forbidden(`The access token grants no role: its claim ${config.OIDC_CLAIM_ROLE} has none of the values that grant one`);
    return highest;
  };

  const sitesOf = (claims: JWTPayload): string[] => {
    const claim = claimOf(claims, config.OIDC_CLAIM_SITES);
    if (claim === undefined || claim === null) return [];
    const sites = [claim].flat().map((site) => textOf(site, 150));
    // An empty list means no access, not access to all sites.
    if (!sites.length || sites.includes(undefined))
      throw forbidden(`The claim ${config.OIDC_CLAIM_SITES} of the access token must list names of sites, or be left out for all`);
    return sites as string[];
  };

  const tenantOf = (claims: JWTPayload) => textOf(claimOf(claims, config.OIDC_CLAIM_TENANT), 100);

  const read = (payload: JWTPayload): TokenClaims => {
    const kind = isClient(payload) ? "system" : "person";
    const subject = textOf(payload.sub);
    if (!subject) throw unauthenticated("The access token is not valid");
    const tenantId = tenantOf(payload);
    if (!tenantId) throw forbidden(`The access token names no tenant: it has no claim ${config.OIDC_CLAIM_TENANT}`);
    const email = textOf(claimOf(payload, config.OIDC_CLAIM_EMAIL));
    return {
      issuer,
      subject,
      tenantId,
      role: roleOf(payload),
      sites: sitesOf(payload),
      kind,
      name: textOf(claimOf(payload, config.OIDC_CLAIM_NAME)) ?? email ?? subject,
      ...(kind === "person" && { email, locale: textOf(payload.locale, 35) }),
      expiresAt: (payload.exp! + clockTolerance) * 1000,
    };
  };

  return async (token) => {
    let payload: JWTPayload | undefined;
    try {
      ({ payload } = await jwtVerify(token, keyOf, {
        issuer,
        audience,
        algorithms,
        clockTolerance,
        requiredClaims: ["exp", "sub"],
      }));
      return read(payload);
    } catch (error) {
      if (error instanceof ProviderUnreachable) {
        logFailure(error.cause ?? error);
        throw unavailable("The identity provider");
      }
      const refusal = refusalOf(error);
      // These claims are checked after the signature.
      if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed) payload = error.payload;
      // Issuers may share keys, so a tenant claim of another issuer's token is ignored.
      const tenantId = payload?.iss === issuer ? tenantOf(payload) : undefined;
      if (!refusal || !tenantId) throw refusal ?? error;
      return { issuer, tenantId, subject: textOf(payload!.sub), refusal };
    }
  };
}

/** The message for the caller; undefined for an error that the token did not cause. */
function refusalOf(error: unknown): ServiceError | undefined {
  if (error instanceof errors.JWTExpired) return tokenExpired();
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === "aud")
    return unauthenticated("The access token names none of the audiences of this service");
  if (error instanceof errors.JOSEError) return unauthenticated("The access token is not valid");
  return error instanceof ServiceError ? error : undefined;
}
