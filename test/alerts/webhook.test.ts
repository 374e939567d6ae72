/** Outgoing events (docs/decisions.md, "outgoing events"), sent to a local receiver that fails, hangs or returns 500. */
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { startGateway } from "../world.js";
import { create, deliveriesOf, move, queued, raise, receiver, settled, subscribe } from "./receivers.js";

const gateway = await startGateway({ WEBHOOK_ALLOW_PRIVATE: "true", WEBHOOK_TIMEOUT_MS: "1500", WEBHOOK_POLL_MS: "20" });

describe("webhooks", () => {
  it("send events as signed requests", async () => {
    const since = Math.floor(Date.now() / 1000);
    const admin = await gateway.newTenant();
    const { url, received } = await receiver();
    const { secret } = await subscribe(admin, url, ["NOTIFICATION_RAISED", "NOTIFICATION_STATUS_CHANGED", "ASSET_STATUS_CHANGED"]);
    const asset = await admin.createAsset();
    const id = await raise(admin);
    await move(admin, id, "ACKNOWLEDGED");
    await admin.rest("PUT", `/assets/${asset.id}`, { status: "offline" });
    await settled(admin);
    expect(received.map(({ event }) => [event.type, event.recordId, event.data.fromStatus, event.data.status]).sort()).toEqual([
      ["asset.status_changed", asset.id, "operational", "offline"],
      ["notification.raised", id, undefined, "open"],
      ["notification.status_changed", id, "open", "acknowledged"],
    ]);
    for (const { headers, body, event } of received) {
      expect(headers["webhook-id"]).toBe(event.id);
      const signed = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
        .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
        .digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
      expect(Number(headers["webhook-timestamp"])).toBeGreaterThanOrEqual(since);
      expect(Number(headers["webhook-timestamp"])).toBeLessThanOrEqual(Date.now() / 1000);
    }
    expect((await deliveriesOf(admin)).every(({ status, responseStatus }: any) => status === "DELIVERED" && responseStatus === 204)).toBe(
      true,
    );
  });

  it("deliver every event at least once, with one id and in order per record, to a receiver that fails, hangs and returns 500", async () => {
    const admin = await gateway.newTenant();
    const faults: (number | "hang" | "cut")[] = [500, "hang", 204, "cut", 302, 204, 503, 204, 204, "hang"];
    const { url, received, accepted } = await receiver((n) => (n <= 40 ? faults[n % faults.length]! : 204));
    await subscribe(admin, url, ["NOTIFICATION_RAISED", "NOTIFICATION_STATUS_CHANGED"]);
    const ids = await Promise.all(["a", "b", "c", "d", "e"].map((title) => raise(admin, title)));
    for (const status of ["ACKNOWLEDGED", "IN_PROGRESS", "RESOLVED"]) await Promise.all(ids.map((id) => move(admin, id, status)));
    await settled(admin);
    for (const id of ids) {
      const order = [...new Set(accepted.filter(({ event }) => event.recordId === id).map(({ event }) => event.data.status))];
      expect(order).toEqual(["open", "acknowledged", "in_progress", "resolved"]);
    }
    const idsOf = (status: string) =>
      new Set(received.filter(({ event }) => event.data.status === status).map(({ event }) => event.id)).size;
    expect(["open", "acknowledged", "in_progress", "resolved"].map(idsOf)).toEqual([5, 5, 5, 5]);
    expect(received.length).toBeGreaterThan(20);
  });

  it("retry with back-off, and give up after the last attempt", async () => {
    const admin = await gateway.newTenant();
    const { url, received } = await receiver(() => 500);
    await subscribe(admin, url, ["NOTIFICATION_RAISED"]);
    await raise(admin);
    await expect.poll(async () => (await deliveriesOf(admin))[0].error).toBe("answered 500");
    const [waiting] = await gateway.database.query<{ seconds: number }>(
      `select extract(epoch from "nextAttemptAt" - "lastAttemptAt")::float8 as seconds from "WebhookDelivery" where "tenantId" = $1`,
      [admin.tenantId],
    );
    expect(waiting!.seconds).toBeGreaterThan(4);
    expect(received).toHaveLength(1);
    await settled(admin);
    expect(await deliveriesOf(admin)).toMatchObject([{ status: "FAILED", attempts: 11, responseStatus: 500, error: "answered 500" }]);
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);

    const [{ id, event }] = await deliveriesOf(admin);
    const { replayWebhookDelivery } = await admin.ask(
      `mutation ($id: ID!) { replayWebhookDelivery(id: $id) { status attempts event { id } } }`,
      { id },
    );
    expect(replayWebhookDelivery).toEqual({ status: "PENDING", attempts: 0, event: { id: event.id } });
    const { errors } = await admin.graphql(`mutation ($id: ID!) { replayWebhookDelivery(id: $id) { id } }`, { id });
    expect(errors?.[0]?.extensions.code).toBe("CONFLICT");
  });

  it("a receiver that hangs or breaks the protocol does not delay others", async () => {
    const [slow, quick] = [await gateway.newTenant(), await gateway.newTenant()];
    const { url: tarpit } = await receiver((n) => (n % 2 ? "hang" : "upgrade"));
    await subscribe(slow, tarpit, ["NOTIFICATION_RAISED"]);
    await Promise.all(Array.from({ length: 40 }, (_, i) => raise(slow, `alert ${i}`)));
    const { url, accepted } = await receiver();
    await subscribe(quick, url, ["NOTIFICATION_RAISED"]);
    await raise(quick);
    await expect.poll(() => accepted.length, { interval: 20 }).toBe(1);
    // The remaining deliveries wait, because the circuit is open.
    const errors = async () => new Set((await deliveriesOf(slow)).flatMap(({ error }: any) => error ?? []));
    await expect.poll(errors).toEqual(new Set(["no answer within 1.5 s", "the connection was closed without an answer"]));
  });

  it("a rejected change sends no event", async () => {
    const admin = await gateway.newTenant();
    await subscribe(admin, "http://127.0.0.1:9/", ["NOTIFICATION_STATUS_CHANGED"]);
    const id = await raise(admin);
    await move(admin, id, "RESOLVED");
    const { errors } = await admin.graphql(`mutation ($id: ID!) { changeNotificationStatus(id: $id, status: OPEN) { id } }`, { id });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "CONFLICT", status: "RESOLVED", allowed: [] });
    await queued(admin);
    expect((await deliveriesOf(admin)).map(({ event }: any) => event.data.status)).toEqual(["resolved"]);
  });

  it("an inactive webhook gets no new events, and a deleted one is unknown", async () => {
    const admin = await gateway.newTenant();
    const { url, received } = await receiver();
    const { webhook } = await subscribe(admin, url, ["NOTIFICATION_RAISED"]);
    const update = `mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { isActive } }`;
    expect(await admin.ask(update, { id: webhook.id, input: { isActive: false } })).toEqual({ updateWebhook: { isActive: false } });
    await raise(admin);
    await queued(admin);
    expect(await deliveriesOf(admin)).toEqual([]);
    await admin.ask(update, { id: webhook.id, input: { isActive: true } });
    await raise(admin);
    await settled(admin);
    // A response that takes too long causes another delivery of the same event.
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);
    await admin.ask(`mutation ($id: ID!) { deleteWebhook(id: $id) { message } }`, { id: webhook.id });
    expect((await admin.ask(`{ webhooks { nodes { id } } }`)).webhooks.nodes).toEqual([]);
    const { errors } = await admin.graphql(update, { id: webhook.id, input: { isActive: true } });
    expect(errors?.[0]).toMatchObject({ message: "Webhook not found", extensions: { code: "NOT_FOUND", webhookId: webhook.id } });
  });

  it.each([
    ["ftp://example.com/", { url: "must be an http or https address" }],
    ["nonsense", { url: "must be an http or https address" }],
    ["http://me:secret@example.com/", { url: "must not hold a user name or password" }],
  ])("reject the address %s", async (url, details) => {
    const admin = await gateway.newTenant();
    const { errors } = await admin.graphql(create, { input: { url, events: ["NOTIFICATION_RAISED"] } });
    expect(errors?.[0]?.extensions).toEqual({ code: "BAD_USER_INPUT", details });
    expect(await admin.snapshot("Webhook")).toEqual({ Webhook: [] });
  });

  it("are managed by admins of their own tenant", async () => {
    const [admin, other] = [await gateway.newTenant(), await gateway.newTenant()];
    const { webhook } = await subscribe(admin, "http://127.0.0.1:9/", ["NOTIFICATION_RAISED"]);
    const manager = await admin.as("manager");
    for (const query of [`{ webhooks { nodes { id } } }`, `mutation { deleteWebhook(id: "${webhook.id}") { id } }`]) {
      const { errors } = await manager.graphql(query);
      expect(errors?.[0]?.extensions.code).toBe("FORBIDDEN");
    }
    expect((await other.ask(`{ webhooks { nodes { id } } }`)).webhooks.nodes).toEqual([]);
    const { errors } = await other.graphql(`mutation { deleteWebhook(id: "${webhook.id}") { id } }`);
    expect(errors?.[0]?.extensions.code).toBe("NOT_FOUND");
    const { errors: none } = await admin.graphql(create, { input: { url: "http://127.0.0.1:9/", events: [] } });
    expect(none?.[0]?.extensions).toEqual({ code: "BAD_USER_INPUT", details: { events: "must name at least one kind" } });
  });
});

describe("private networks are not allowed", async () => {
  const guarded = await startGateway({ WEBHOOK_POLL_MS: "20" });

  it.each([
    "http://127.0.0.1",
    "http://localhost",
    "http://[::1]",
    "http://[::ffff:127.0.0.1]",
    "http://169.254.169.254",
    "http://168.63.129.16",
    "http://[::ffff:168.63.129.16]",
    "http://10.0.0.1",
    "http://0.0.0.0",
  ])("%s receives nothing", async (origin) => {
    const admin = await guarded.newTenant();
    const { url, received } = await receiver();
    const { port } = new URL(url);
    await subscribe(admin, `${origin}:${port}/`, ["NOTIFICATION_RAISED"]);
    await raise(admin);
    await expect
      .poll(async () => (await deliveriesOf(admin))[0])
      .toMatchObject({
        status: "PENDING",
        responseStatus: null,
        error: "the address cannot be reached from here, or is not allowed",
      });
    expect(received).toEqual([]);
  });
});
