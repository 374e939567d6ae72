/**
 * Delivers the events of the outbox as signed POST requests, following the Standard Webhooks specification (docs/interface.md 6,
 * docs/operations.md). Delivery is at least once and in order per record; every attempt has the same event id.
 */
import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from "request-filtering-agent";
import type { Database } from "../database/database.js";
import { type AttemptResult, claimDeliveries, type DueDelivery, maxPerWebhook, settleDelivery } from "../domain/alerts/webhooks.js";

export interface SenderOptions {
  /** Whether webhooks may call private addresses, including localhost. */
  allowPrivate: boolean;
  /** Timeout of an attempt, in milliseconds. */
  timeoutMs: number;
}

/** Maximum requests in flight. */
const maxInFlight = 20;

/** Returns the webhook-signature header: an HMAC-SHA256 of id, timestamp (seconds) and body. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** Returns the reason shown to clients. Equal for unknown names and private addresses, so that clients cannot probe the network. */
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "ENOTFOUND" || code === "EAI_AGAIN" || /is not allowed\. Because/.test(message)
    ? "the address cannot be reached from here, or is not allowed"
    : message.slice(0, 500);

export class WebhookSender {
  private stopped = false;
  /** Webhook id by request. */
  private readonly inFlight = new Map<Promise<void>, string>();
  private readonly agents: { "http:": http.Agent; "https:": https.Agent };

  constructor(
    private readonly database: Database,
    private readonly options: SenderOptions,
    private readonly onError: (error: unknown) => void,
  ) {
    // The agents check the resolved address of every connection, which prevents DNS rebinding.
    const allowed = { allowPrivateIPAddress: options.allowPrivate, allowMetaIPAddress: options.allowPrivate };
    this.agents = { "http:": new RequestFilteringHttpAgent(allowed), "https:": new RequestFilteringHttpsAgent(allowed) };
  }

  /** Starts no further requests, and resolves when those in flight are done. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.inFlight.keys());
  }

  /** Sends all due deliveries. A slow receiver does not delay other webhooks. */
  async sendDue(): Promise<void> {
    while (!this.stopped) {
      const free = maxInFlight - this.inFlight.size;
      const due = free ? await claimDeliveries(this.database, free, this.busyWebhooks()) : [];
      if (!due.length || this.stopped) return;
      for (const delivery of due) {
        const sending = this.send(delivery).finally(() => this.inFlight.delete(sending));
        this.inFlight.set(sending, delivery.webhookId);
      }
      await Promise.race(this.inFlight.keys());
    }
  }

  /** Ids of the webhooks that have reached their limit of concurrent deliveries. */
  private busyWebhooks(): string[] {
    const counts = new Map<string, number>();
    for (const id of this.inFlight.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= maxPerWebhook).map(([id]) => id);
  }

  private async send(delivery: DueDelivery): Promise<void> {
    try {
      await settleDelivery(this.database, delivery, await this.attempt(delivery));
    } catch (error) {
      this.onError(error);
    }
  }

  private async attempt({ url, secret, eventId, kind, recordId, data, createdAt }: DueDelivery): Promise<AttemptResult> {
    const body = JSON.stringify({ id: eventId, type: kind, timestamp: createdAt.toISOString(), recordId, data });
    const timestamp = Math.floor(Date.now() / 1000);
    try {
      const responseStatus = await this.post(url, body, {
        "content-type": "application/json",
        "user-agent": "maintenance-gateway",
        "webhook-id": eventId,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signatureOf(secret, eventId, timestamp, body),
      });
      const delivered = responseStatus >= 200 && responseStatus < 300;
      return { delivered, responseStatus, ...(!delivered && { error: `answered ${responseStatus}` }) };
    } catch (error) {
      return { delivered: false, error: reasonOf(error as NodeJS.ErrnoException) };
    }
  }

  /** Returns the response's status. Does not read the body or follow redirects. */
  private post(url: string, body: string, headers: Record<string, string>): Promise<number> {
    const { protocol } = new URL(url);
    const { timeoutMs } = this.options;
    const secure = protocol === "https:";
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const options = { method: "POST", headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, signal };
      const request = secure
        ? https.request(url, { ...options, agent: this.agents["https:"] })
        : http.request(url, { ...options, agent: this.agents["http:"] });
      request.on("response", (response) => {
        resolve(response.statusCode!);
        response.destroy();
      });
      // Some connections close without a response or an error, e.g. after 101 Switching Protocols.
      request.on("close", () => reject(new Error("the connection was closed without an answer")));
      request.on("error", (error) => reject(signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error));
      request.end(body);
    });
  }
}
