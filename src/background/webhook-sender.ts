/**
 * Delivers the events of the outbox as signed POST requests, following the Standard Webhooks specification (docs/interface.md 6,
 * docs/operations/background.md). Delivery is at least once and in order per record; every attempt has the same event id.
 */
import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { performance } from "node:perf_hooks";
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from "request-filtering-agent";
import { inBackground } from "../database/background.js";
import { now } from "../database/clock.js";
import type { Database } from "../database/database.js";
import type { Attributes, Span, Tracing } from "../database/watch/span.js";
import { type AttemptResult, claimDeliveries, claimedAtOnce, type DueDelivery, settleDelivery } from "../domain/alerts/deliveries.js";
import { tokenFor } from "../domain/alerts/webhook-events.js";
import type { SelectedRecord } from "../execution/operation/selections.js";
import { composedId } from "../schema/object-id.js";

export interface SenderOptions {
  /** Whether webhooks may call private addresses, including localhost. */
  allowPrivate: boolean;
  /** Timeout of an attempt, in milliseconds. */
  timeoutMs: number;
  tracing?: Tracing | undefined;
  /** Reads the webhook's selection of a changed record. */
  readRecord(delivery: DueDelivery): Promise<SelectedRecord>;
}

/** The event kind whose data contains a record. */
const kindWithRecord = "record.changed";

/** Maximum length of a stored response in characters, and the time to wait for its body after the status, in milliseconds. */
const keptOfAnswer = 1_000;
const answerMs = 1_000;

interface Answer {
  status: number;
  /** Undefined unless it is text. */
  body: string | undefined;
}

/** Returns the webhook-signature header: an HMAC-SHA256 of id, timestamp (seconds) and body. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** Public addresses that a cloud host serves only to its own machines: Azure's platform, with metadata and credentials. */
const platformAddresses = ["168.63.129.16"];

/** Returns the reason shown to clients. Equal for unknown names and private addresses, so that clients cannot probe the network. */
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "ENOTFOUND" || code === "EAI_AGAIN" || /is not allowed\. Because/.test(message)
    ? "the address cannot be reached from here, or is not allowed"
    : message.slice(0, 500);

/** The part of a text response received so far, without characters that the database cannot store. */
async function beginningOf(response: http.IncomingMessage): Promise<string | undefined> {
  if (!/^(text\/|application\/([\w.-]+\+)?(json|xml)\b)/i.test(response.headers["content-type"] ?? "")) return undefined;
  const chunks: Buffer[] = [];
  // A character takes up to 4 bytes.
  let missing = keptOfAnswer * 4;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      missing -= chunk.length;
      if (missing <= 0) break;
    }
  } catch {
    // The status decides, even if the rest of the body is lost.
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks)).replaceAll("\0", "");
  return [...text].slice(0, keptOfAnswer).join("");
}

/** Trace attributes of a delivery. Contains only the host of the URL, since the rest may hold a secret. */
const ofDelivery = ({ tenantId, webhookId, eventId, kind, url, attempts }: DueDelivery): Attributes => ({
  "http.request.method": "POST",
  "server.address": new URL(url).hostname,
  "gateway.tenant": tenantId,
  "gateway.webhook": webhookId,
  "gateway.webhook.event": eventId,
  "gateway.webhook.kind": kind,
  "gateway.webhook.attempt": attempts,
});

export class WebhookSender {
  private stopped = false;
  private readonly inFlight = new Map<Promise<void>, DueDelivery>();
  private readonly agents: { "http:": http.Agent; "https:": https.Agent };
  private claiming: Promise<void> | undefined;
  /** Whether deliveries may have become due since the last claim began. */
  private mayHaveMore = false;

  constructor(
    private readonly database: Database,
    private readonly options: SenderOptions,
    private readonly onError: (error: unknown) => void,
  ) {
    // The agents check the resolved address of every connection, which prevents DNS rebinding.
    const allowed = {
      allowPrivateIPAddress: options.allowPrivate,
      allowMetaIPAddress: options.allowPrivate,
      denyIPAddressList: options.allowPrivate ? [] : platformAddresses,
    };
    this.agents = { "http:": new RequestFilteringHttpAgent(allowed), "https:": new RequestFilteringHttpsAgent(allowed) };
  }

  /** Starts no further requests, and resolves when those in flight are done. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.claiming?.catch(() => {});
    await Promise.all(this.inFlight.keys());
  }

  /** Starts sending due deliveries, without waiting for responses: each response makes room for the next delivery. */
  sendDue(): Promise<void> {
    this.mayHaveMore = true;
    this.claiming ??= this.claim().finally(() => (this.claiming = undefined));
    return this.claiming;
  }

  private async claim(): Promise<void> {
    while (this.mayHaveMore && !this.stopped) {
      this.mayHaveMore = false;
      const due = await claimDeliveries(this.database, [...this.inFlight.values()]);
      if (due.length === claimedAtOnce) this.mayHaveMore = true;
      for (const delivery of due) {
        const sending = this.send(delivery).finally(() => {
          this.inFlight.delete(sending);
          if (!this.stopped) this.sendDue().catch(this.onError);
        });
        this.inFlight.set(sending, delivery);
      }
    }
  }

  private async send(delivery: DueDelivery): Promise<void> {
    const span = this.options.tracing?.begin("client", "webhook delivery", ofDelivery(delivery), {
      traceparent: delivery.trace ?? undefined,
    });
    try {
      const result = await inBackground(async () => {
        const attempted = await this.attempt(delivery, span);
        await settleDelivery(this.database, delivery, attempted);
        return attempted;
      }, span);
      span?.end(
        { "http.response.status_code": result.responseStatus },
        result.delivered ? undefined : String(result.responseStatus ?? "no_answer"),
      );
    } catch (error) {
      span?.end({}, "INTERNAL_SERVER_ERROR");
      this.onError(error);
    }
  }

  private async attempt(delivery: DueDelivery, span: Span | undefined): Promise<AttemptResult> {
    const { url, secrets, id, eventId } = delivery;
    const body = await this.bodyOf(delivery);
    const timestamp = Math.floor(now() / 1000);
    const begun = performance.now();
    const durationMs = () => Math.round(performance.now() - begun);
    try {
      const answer = await this.post(url, body, {
        "content-type": "application/json",
        "user-agent": "maintenance-gateway",
        "webhook-id": eventId,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": secrets.map((secret) => signatureOf(secret, eventId, timestamp, body)).join(" "),
        "webhook-delivery": composedId("WebhookDelivery", [id]),
        // Without tracing here, continues the trace of the process that wrote the event.
        ...(span?.headers ?? (delivery.trace && { traceparent: delivery.trace })),
      });
      const delivered = answer.status >= 200 && answer.status < 300;
      const result = { delivered, responseStatus: answer.status, responseBody: answer.body, durationMs: durationMs() };
      return delivered ? result : { ...result, error: `answered ${answer.status}` };
    } catch (error) {
      return { delivered: false, error: reasonOf(error as NodeJS.ErrnoException), durationMs: durationMs() };
    }
  }

  private async bodyOf(delivery: DueDelivery): Promise<string> {
    const { eventId: id, kind: type, createdAt, recordId, data, token } = delivery;
    const selected = kindWithRecord === type && delivery.selection !== null ? await this.options.readRecord(delivery) : {};
    return JSON.stringify({
      id,
      type,
      timestamp: createdAt.toISOString(),
      recordId,
      data: { ...data, ...selected },
      ...(token && { token: tokenFor({ ...delivery, token }) }),
    });
  }

  /** Returns the response with the beginning of its body. Does not follow redirects. */
  private post(url: string, body: string, headers: Record<string, string>): Promise<Answer> {
    const { protocol } = new URL(url);
    const { timeoutMs } = this.options;
    const secure = protocol === "https:";
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const options = { method: "POST", headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, signal };
      const request = secure
        ? https.request(url, { ...options, agent: this.agents["https:"] })
        : http.request(url, { ...options, agent: this.agents["http:"] });
      // After the response headers, no error fails the attempt.
      let isAnswered = false;
      const fail = (error: Error) => {
        if (!isAnswered) reject(error);
      };
      request.on("response", (response) => {
        isAnswered = true;
        const patience = setTimeout(() => response.destroy(), answerMs);
        void beginningOf(response).then((text) => {
          clearTimeout(patience);
          resolve({ status: response.statusCode!, body: text });
          response.destroy();
        });
      });
      // Some connections close without a response or an error, e.g. after 101 Switching Protocols.
      request.on("close", () => fail(new Error("the connection was closed without an answer")));
      request.on("error", (error) => fail(signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error));
      request.end(body);
    });
  }
}
