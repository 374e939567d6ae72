/** An identity provider on this machine: discovery, published keys, and signed tokens. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

export class Issuer {
  private keys: { kid: string; jwk: JWK; privateKey: CryptoKey }[] = [];
  private isAway = false;
  /** Number of requests for the provider's keys. */
  fetches = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Issuer> {
    const server = createServer((request, response) => {
      if (issuer.isAway) return void request.socket.destroy();
      if (request.url === "/keys") issuer.fetches++;
      const body =
        request.url === "/.well-known/openid-configuration"
          ? { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }
          : { keys: issuer.keys.map(({ jwk }) => jwk) };
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const issuer = new Issuer(server);
    await issuer.rotate();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Replaces the published key with a new one, and signs with it. */
  async rotate(): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const kid = `key-${this.keys.length}-${Date.now()}`;
    this.keys = [{ kid, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" }, privateKey }];
  }

  away(isAway: boolean): void {
    this.isAway = isAway;
    if (isAway) this.server.closeAllConnections();
  }

  /** A token that is valid for a minute unless the claims say otherwise. Undefined claims are omitted. */
  token(claims: JWTPayload): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const { kid, privateKey } = this.keys[0]!;
    const all = { iss: this.url, aud: "gateway", sub: "anna", iat: now, exp: now + 60, ...claims };
    return new SignJWT(JSON.parse(JSON.stringify(all))).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
