/** Local webhook receivers, and shared steps of webhook tests. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect } from "vitest";
import { queueEvents } from "../../src/domain/alerts/webhook-events.js";
import type { Caller } from "../world.js";

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: any;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The status that the receiver returns for its n-th request, or how it fails. */
export type Behaviour = (n: number) => number | "hang" | "cut" | "upgrade";

export interface Receiver {
  url: string;
  received: Received[];
  accepted: Received[];
}

const servers: Server[] = [];
afterAll(() => servers.splice(0).forEach((server) => (server.closeAllConnections() as undefined) ?? server.close()));

/** `answer` is the body of the response, with the content type `text/plain`. */
export async function receiver(behave: Behaviour = () => 204, answer = ""): Promise<Receiver> {
  const received: Received[] = [];
  const accepted: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const one = { headers: request.headers, body, event: JSON.parse(body), at: Date.now() };
    const does = behave(received.push(one));
    if (does === "hang") return;
    if (does === "cut") return void request.socket.destroy();
    if (does === "upgrade")
      return void request.socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x\r\n\r\n");
    if (does < 300) accepted.push(one);
    response.writeHead(does, { location: "/elsewhere", "content-type": "text/plain" }).end(answer);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, accepted };
}

export const create = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { id url events isActive } } }`;

/** Creates a webhook. `more` are additional input fields. */
export const subscribe = async (caller: Caller, url: string, events: string[], more: Record<string, unknown> = {}) =>
  (await caller.ask(create, { input: { url, events, ...more } })).createWebhook as { secret: string; webhook: { id: string } };

export const deliveriesOf = async (caller: Caller): Promise<any[]> =>
  (
    await caller.ask(
      `{ webhooks { nodes { id deliveries(first: 100) { nodes { id status attempts responseStatus responseBody durationMs error settledAt event { id kind recordId data token } } } } } }`,
    )
  ).webhooks.nodes.flatMap((webhook: any) => webhook.deliveries.nodes);

/** Waits until everything written so far is queued. A concurrent reader may have started before the write and stored its position first. */
export async function queued({ gateway: { database }, tenantId }: Caller): Promise<void> {
  const [now] = await database.query<{ transaction: string }>(`select pg_current_xact_id()::text as transaction`);
  const ends = `select log_end() > $2::bigint as "isBeyond", (select ("logTransaction", "logSequence")::text from "WebhookCursor" where "tenantId" = $1) as place`;
  const stand = async () => (await database.query<{ isBeyond: boolean; place: string | null }>(ends, [tenantId, now!.transaction]))[0]!;
  for (let before = await stand(); ; ) {
    await queueEvents(database, [tenantId]);
    const after = await stand();
    if (before.isBeyond && after.place === before.place) return;
    if (!after.isBeyond) await new Promise((resolve) => setTimeout(resolve, 10));
    before = after;
  }
}

/**
 * Makes failed deliveries due now, because the back-off takes minutes, and also the circuit's next attempt. Other deliveries are unchanged,
 * because they may be in progress.
 */
export async function skipBackoff({ gateway: { database }, tenantId }: Caller): Promise<void> {
  await database.query(
    `update "WebhookDelivery" set "nextAttemptAt" = now() where "tenantId" = $1 and "settledAt" is null and error is not null`,
    [tenantId],
  );
  await database.query(`update "Webhook" set "probeAt" = now() where "tenantId" = $1 and "probeAt" > now()`, [tenantId]);
}

/** Waits until every delivery has succeeded or was given up. */
export async function settled(caller: Caller): Promise<void> {
  await queued(caller);
  const pending = async () => {
    await skipBackoff(caller);
    return (await deliveriesOf(caller)).filter(({ status }: any) => status === "PENDING").length;
  };
  await expect.poll(pending, { interval: 50 }).toBe(0);
}

export const raise = async (caller: Caller, title = "Hot", more: Record<string, unknown> = {}) =>
  (
    await caller.ask(`mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }`, {
      input: { type: "ANOMALY", severity: "WARNING", title, message: "It is hot", ...more },
    })
  ).raiseNotification.id as string;

export const move = (caller: Caller, id: string, status: string) =>
  caller.ask(`mutation ($id: ID!) { changeNotificationStatus(id: $id, status: ${status}) { id } }`, { id });
