/**
 * Sends what the outbox holds: signed POST requests as in the Standard Webhooks specification (docs/operations.md). At least once, in
 * the order of their events for each record, with the same event id at every attempt.
 */
import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from "request-filtering-agent";
import type { Database } from "../database/database.js";
import { type AttemptResult, type DueDelivery, maxOfWebhook, settleDelivery, takeDeliveries } from "../domain/webhooks.js";

export interface SenderOptions {
  /** Whether addresses of private networks, this machine's too, may be told. */
  allowPrivate: boolean;
  /** How long a receiver may take to answer. */
  timeoutMs: number;
}

/** Requests under way at once. */
const maxUnderWay = 20;

/** The value of the header webhook-signature: a HMAC-SHA256 over id, timestamp and body. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** The same for a name that is unknown and one that leads inside: what lies there is nobody's business. */
const toldOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "ENOTFOUND" || code === "EAI_AGAIN" || /is not allowed\. Because/.test(message)
    ? "the address cannot be reached from here, or is not allowed"
    : message.slice(0, 500);

export class WebhookSender {
  private stopped = false;
  /** With the webhook that each is for. */
  private readonly underWay = new Map<Promise<void>, string>();
  private readonly agents: { "http:": http.Agent; "https:": https.Agent };

  constructor(
    private readonly database: Database,
    private readonly options: SenderOptions,
    private readonly onError: (error: unknown) => void,
  ) {
    // An address is looked at after its name is resolved, for each connection: a name cannot lead inside later.
    const allowed = { allowPrivateIPAddress: options.allowPrivate, allowMetaIPAddress: options.allowPrivate };
    this.agents = { "http:": new RequestFilteringHttpAgent(allowed), "https:": new RequestFilteringHttpsAgent(allowed) };
  }

  /** Begins no further requests, and waits for those under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.underWay.keys());
  }

  /** Sends what is due; who is slow to answer keeps nobody else waiting. */
  async sendDue(): Promise<void> {
    while (!this.stopped) {
      const free = maxUnderWay - this.underWay.size;
      const due = free ? await takeDeliveries(this.database, free, this.busy()) : [];
      if (!due.length) return;
      for (const delivery of due) {
        const sending = this.send(delivery).finally(() => this.underWay.delete(sending));
        this.underWay.set(sending, delivery.webhookId);
      }
      await Promise.race(this.underWay.keys());
    }
  }

  private busy(): string[] {
    const counts = new Map<string, number>();
    for (const id of this.underWay.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= maxOfWebhook).map(([id]) => id);
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
      return { delivered: false, error: toldOf(error as NodeJS.ErrnoException) };
    }
  }

  /** The status of the answer, whose body is not read. Redirects are not followed. */
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
      // Also where it ended with neither answer nor error, as after 101 Switching Protocols; after either of them it does nothing.
      request.on("close", () => reject(new Error("the connection was closed without an answer")));
      request.on("error", (error) => reject(signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error));
      request.end(body);
    });
  }
}
