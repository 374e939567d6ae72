/** Sign-in to the console with accounts of an OpenID provider (oidc-provider), in a browser. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { afterAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { startGateway } from "../world.js";
import { ConsolePage } from "./console.js";

if (hasBrowser) build();

describe.runIf(hasBrowser)(`the console in ${CHROMIUM}, with an identity provider`, async () => {
  let tenant: string | undefined;
  let issued = 0;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { OIDC_ISSUER: issuer, OIDC_AUDIENCE: "gateway", OIDC_CLIENT_ID: "console" };
  const gateway = await startGateway({
    ...settings,
    OIDC_SCOPE: "openid profile offline_access",
    OIDC_SIGN_IN_PARAMETERS: "resource=https%3A%2F%2Fgateway.example&prompt=consent",
  });
  const withoutResource = await startGateway(settings);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "console",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: [gateway, withoutResource].map(({ url }) => `${url}/console/`),
      },
    ],
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId, name: accountId }) }),
    extraTokenClaims: () => ({ ...(tenant && { tenant }), role: "technician", name: "Anna" }),
    clientBasedCORS: () => true,
    ttl: { Grant: 3600, IdToken: 3600, Interaction: 3600, RefreshToken: 3600, Session: 3600 },
    features: {
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        // The console renews a token 30 seconds before its end.
        getResourceServerInfo: () => ({ scope: "", audience: "gateway", accessTokenFormat: "jwt", accessTokenTTL: 36 }),
      },
    },
  });
  provider.on("access_token.issued", () => issued++);
  server.on("request", provider.callback());
  const browser = await launchBrowser();
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });

  /** Opens the path and signs in at the provider, whose pages accept any password. */
  async function signIn(path = "/", from = gateway): Promise<ConsolePage> {
    const open = await ConsolePage.open(browser, from);
    await open.page.goto(`${from.url}/console${path}`);
    await open.page.getByRole("button", { name: "Sign in with your account" }).click();
    await open.page.locator("input[name=login]").fill("anna");
    await open.page.locator("input[name=password]").fill("any");
    await open.page.getByRole("button", { name: /sign-in/i }).click();
    await open.page.getByRole("button", { name: /continue/i }).click();
    return open;
  }

  it("signs a person in, returns to the original page, and renews the token", async () => {
    ({ tenantId: tenant } = await gateway.newTenant());
    const open = await signIn("/alerts?view=all");
    await open.page.getByRole("heading", { name: "Alerts", level: 1 }).waitFor();
    await open.page.locator(".who").getByText("Anna").waitFor();
    expect(open.address).toBe("/console/alerts?view=all");
    const stored = await open.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    expect(stored).not.toMatch(/ey[\w-]+\.|verifier/);
    await expect.poll(() => issued).toBeGreaterThan(1);
    await open.page.getByRole("link", { name: "Plant", exact: true }).click();
    await open.page.getByRole("heading", { name: "Plant", level: 1 }).waitFor();
    await open.close();
  });

  it("shows why the service refuses an account", async () => {
    tenant = undefined;
    const open = await signIn();
    const alert = open.page.getByRole("alert");
    await alert.getByText("The service refused this account. The access token names no tenant: it has no claim tenant.").waitFor();
    await open.close();
  });

  it("reports a token that only the provider can read", async () => {
    const open = await signIn("/", withoutResource);
    await open.page.getByRole("alert").getByText("issued an access token that only the provider can read").waitFor();
    await open.close();
  });

  it("shows the provider's refusal, and accepts no response that it did not request", async () => {
    const open = await ConsolePage.open(browser, gateway);
    await open.page.goto(`${gateway.url}/console/`);
    await open.page.getByRole("button", { name: "Sign in with your account" }).click();
    await open.page.getByRole("link", { name: /cancel/i }).click();
    await open.page.getByRole("alert").getByText("The identity provider refused").waitFor();
    const before = issued;
    await open.page.goto(`${gateway.url}/console/?code=code-1&state=made-up`);
    await open.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(issued).toBe(before);
    await open.close();
  });
});
