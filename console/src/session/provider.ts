/**
 * Sign-in with an identity provider: authorization code flow with PKCE (RFC 7636). Tokens stay in memory. Only the state needed to return
 * from the provider is stored, and only until then.
 */
import { t } from "@lingui/core/macro";
import type { Credentials } from "./client.js";
import type { Provider } from "./early.js";

interface Started {
  state: string;
  verifier: string;
  tokenUrl: string;
  clientId: string;
  parameters: Record<string, string>;
  path: string;
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
  expires_in?: number;
}

const kept = "console:signing-in";
const redirectUri = () => `${location.origin}/console/`;
/** Time before expiry at which a token is renewed. */
const earlySeconds = 30;

const encoded = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const random = (): string => encoded(crypto.getRandomValues(new Uint8Array(32)));

/** Redirects to the provider. Throws if that is not possible. */
export async function leaveFor({ issuer, clientId, scope, parameters }: Provider): Promise<void> {
  if (!crypto.subtle) throw new Error(t`Sign-in requires HTTPS. Open the console over https.`);
  const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(t`The identity provider does not respond. Try again later.`);
  const { authorization_endpoint, token_endpoint } = (await response.json()) as Record<string, string>;
  const verifier = random();
  const state = random();
  const challenge = encoded(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
  const started: Started = { state, verifier, tokenUrl: token_endpoint!, clientId, parameters, path: location.pathname + location.search };
  sessionStorage.setItem(kept, JSON.stringify(started));
  const url = new URL(authorization_endpoint!);
  const asked = {
    ...parameters,
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri(),
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  location.assign(url);
}

/**
 * Completes the redirect from the provider. Returns undefined if the page was not reached by that redirect. Throws if the provider refused
 * the sign-in.
 */
export async function comeBack(): Promise<Credentials | undefined> {
  const sent = new URLSearchParams(location.search);
  const text = sessionStorage.getItem(kept);
  if (!text || !sent.has("state")) return undefined;
  sessionStorage.removeItem(kept);
  const { state, verifier, tokenUrl, clientId, parameters, path } = JSON.parse(text) as Started;
  history.replaceState(history.state, "", path);
  if (sent.get("state") !== state) throw new Error(t`The answer of the identity provider is not to this sign-in. Try again.`);
  if (!sent.has("code"))
    throw new Error(t`The identity provider refused: ${sent.get("error_description") ?? sent.get("error") ?? t`no reason`}.`);

  const ask = async (values: Record<string, string>): Promise<Tokens> => {
    const response = await fetch(tokenUrl, {
      method: "POST",
      body: new URLSearchParams({ ...parameters, client_id: clientId, ...values }),
    });
    if (!response.ok) throw new Error(t`The identity provider gave no token. Try again.`);
    const tokens = (await response.json()) as Tokens;
    if (tokens.access_token.split(".").length !== 3)
      throw new Error(
        t`The identity provider issued an access token that only the provider can read. Ask the operator to request a JWT (OIDC_SIGN_IN_PARAMETERS).`,
      );
    return tokens;
  };
  let tokens = await ask({
    grant_type: "authorization_code",
    code: sent.get("code")!,
    redirect_uri: redirectUri(),
    code_verifier: verifier,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const renewLater = () => {
    if (isOver || !tokens.refresh_token || !tokens.expires_in) return;
    const renew = async () => {
      try {
        tokens = { ...tokens, ...(await ask({ grant_type: "refresh_token", refresh_token: tokens.refresh_token! })) };
        renewLater();
      } catch (error) {
        // Without a connection the renewal is retried. If the provider refuses, the service will refuse too, and the page asks the user to
        // sign in again.
        if (error instanceof TypeError && !isOver) timer = setTimeout(() => void renew(), 10_000);
      }
    };
    timer = setTimeout(() => void renew(), Math.max(5, tokens.expires_in - earlySeconds) * 1000);
  };
  renewLater();
  return {
    isAccount: true,
    token: () => tokens.access_token,
    end: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
