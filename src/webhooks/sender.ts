/**
 * Sends what the outbox holds: signed POST requests as in the Standard Webhooks specification (docs/operations.md). At least once, in
 * the order of their events for each record, with the same event id at every attempt.
 */
import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from "request-filtering-agent";
import type { Database } from "../database/database.js";
import { type AttemptResult, type DueDelivery, settleDelivery, takeDeliveries } from "../domain/webhooks.js";

export interface SenderOptions {
  /** Whether addresses of private networks, this machine's too, may be told. */
  allowPrivate: boolean;
  /** How long a receiver may take to answer. */
  timeoutMs: number;
}

/** Requests under way at once. */
const batchSize = 20;

/** The value of the header webhook-signature: a HMAC-SHA256 over id, timestamp and body. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

export class WebhookSender {
  private stopped = false;
  private readonly agents: { "http:": http.Agent; "https:": https.Agent };

  constructor(
    private readonly database: Database,
    private readonly options: SenderOptions,
  ) {
    // An address is looked at after its name is resolved, for each connection: a name cannot lead inside later.
    const allowed = { allowPrivateIPAddress: options.allowPrivate, allowMetaIPAddress: options.allowPrivate };
    this.agents = { "http:": new RequestFilteringHttpAgent(allowed), "https:": new RequestFilteringHttpsAgent(allowed) };
  }

  /** Begins no further requests. */
  stop(): void {
    this.stopped = true;
  }

  /** Sends until nothing is due. */
  async sendDue(): Promise<void> {
    while (!this.stopped) {
      const due = await takeDeliveries(this.database, batchSize);
      if (!due.length) return;
      await Promise.all(due.map(async (delivery) => settleDelivery(this.database, delivery, await this.attempt(delivery))));
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
      return { delivered: false, error: (error as Error).message.slice(0, 500) };
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
      request.on("error", (error) => reject(signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error));
      request.end(body);
    });
  }
}
