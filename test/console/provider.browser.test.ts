/** Sign-in to the console with an identity provider, in a browser. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { Issuer } from "../access/issuer.js";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { startGateway } from "../world.js";
import { ConsolePage } from "./console.js";

if (hasBrowser) build();

describe.runIf(hasBrowser)(`the console in ${CHROMIUM}, with an identity provider`, async () => {
  const keys = await Issuer.start();
  let tenant = "";
  /** The challenge of each issued code. */
  const given = new Map<string, string>();
  let isRefusing = false;
  // The provider's pages. The password page accepts immediately.
  const provider = createServer(async (request, response) => {
    const url = new URL(request.url!, issuer);
    response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
    if (url.pathname === "/authorize") {
      const back = new URL(url.searchParams.get("redirect_uri")!);
      const code = `code-${given.size}`;
      given.set(code, url.searchParams.get("code_challenge")!);
      if (isRefusing) back.searchParams.set("error", "access_denied");
      else back.searchParams.set("code", code);
      back.searchParams.set("state", url.searchParams.get("state")!);
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === "/token") {
      const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
      const challenge = createHash("sha256").update(body.get("code_verifier")!).digest("base64url");
      if (given.get(body.get("code")!) !== challenge) return void response.writeHead(400).end("{}");
      given.delete(body.get("code")!);
      const token = await keys.token({ iss: issuer, tenant, role: "technician", name: "Anna" });
      return void response.setHeader("content-type", "application/json").end(JSON.stringify({ access_token: token, expires_in: 60 }));
    }
    response.setHeader("content-type", "application/json").end(
      JSON.stringify({
        issuer,
        jwks_uri: `${keys.url}/keys`,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
      }),
    );
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const gateway = await startGateway({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: "gateway", OIDC_CLIENT_ID: "console" });
  const browser = await launchBrowser();
  afterAll(async () => {
    await browser.close();
    await keys.close();
    provider.closeAllConnections();
    provider.close();
  });

  it("signs a person in with a code that nobody else can use, and returns to the original page", async () => {
    ({ tenantId: tenant } = await gateway.newTenant());
    const open = await ConsolePage.open(browser, gateway);
    await open.page.goto(`${gateway.url}/console/alerts?view=all`);
    await open.page.getByRole("button", { name: "Sign in with your account" }).click();
    await open.page.getByRole("heading", { name: "Alerts", level: 1 }).waitFor();
    await open.page.locator(".who").getByText("Anna").waitFor();
    expect(open.address).toBe("/console/alerts?view=all");
    const stored = await open.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    expect(stored).not.toMatch(/ey[\w-]+\.|verifier/);
    expect(open.problems).toEqual([]);
    await open.close();
  });

  it("shows the provider's refusal, and accepts no response that it did not request", async () => {
    const open = await ConsolePage.open(browser, gateway);
    isRefusing = true;
    await open.page.goto(`${gateway.url}/console/`);
    await open.page.getByRole("button", { name: "Sign in with your account" }).click();
    await open.page.getByRole("alert").getByText("access_denied").waitFor();
    isRefusing = false;
    await open.page.goto(`${gateway.url}/console/?code=code-1&state=made-up`);
    await open.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(given.size).toBe(1);
    await open.close();
  });
});
