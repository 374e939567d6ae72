/** Serves /metrics: on METRICS_PORT, which serves nothing else, and with METRICS_TOKEN also on the service's own port. */
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config.js";
import { ServiceError } from "../../schema/errors.js";

const path = "/metrics";

const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** Returns the metrics in Prometheus text format. */
export type ReadMetrics = () => Promise<string>;

export function serveMetrics(app: FastifyInstance, { METRICS_TOKEN: token }: Config, read: ReadMetrics): void {
  if (token === undefined) return;
  const isAllowed = tokenCheck(token);
  app.get(path, async ({ headers }, reply) => {
    if (!isAllowed(headers.authorization)) throw new ServiceError("UNAUTHENTICATED", "Send METRICS_TOKEN as `Authorization: Bearer …`");
    return reply.type(contentType).send(await read());
  });
}

/** Listens on METRICS_PORT if set. Returns a function that closes the port. */
export async function openMetricsPort(config: Config, read: ReadMetrics): Promise<(() => Promise<void>) | undefined> {
  const { METRICS_PORT: port, METRICS_TOKEN: token } = config;
  if (port === undefined) return undefined;
  const isAllowed = tokenCheck(token);
  const server = createServer(async ({ method, url, headers }, response) => {
    const status =
      url?.split("?")[0] !== path || (method !== "GET" && method !== "HEAD") ? 404 : isAllowed(headers.authorization) ? 200 : 401;
    response.writeHead(status, {
      ...(status === 200 && { "content-type": contentType }),
      ...(status === 401 && { "www-authenticate": "Bearer" }),
    });
    response.end(status === 200 && method === "GET" ? await read() : undefined);
  });
  server.listen(port, config.HOST);
  await once(server, "listening").catch(({ code }: NodeJS.ErrnoException) => {
    if (code === "EADDRINUSE") throw new Error(`port ${port} of ${config.HOST} is in use; stop what listens there or set METRICS_PORT`);
    throw new Error(`cannot listen at ${config.HOST}:${port} (${code}); check HOST and METRICS_PORT`);
  });
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

/** Without a token, everyone may read. */
function tokenCheck(token: string | undefined): (authorization: string | undefined) => boolean {
  if (token === undefined) return () => true;
  // Digests have equal lengths, which the comparison requires.
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return (authorization) => timingSafeEqual(digest(authorization ?? ""), expected);
}
