/** Webhook delivery (docs/operations/background.md, "Webhooks"): fairness, circuits, redelivery, secrets, filters, backlog cost. */
import { expect, it } from "vitest";
import { signatureOf } from "../../src/background/webhook-sender.js";
import { claimDeliveries, cleanDeliveries, type DueDelivery, settleDelivery } from "../../src/domain/alerts/deliveries.js";
import { queueEvents } from "../../src/domain/alerts/webhook-events.js";
import { type Caller, startGateway } from "../world.js";
import { deliveriesOf, move, queued, raise, receiver, settled, subscribe } from "./receivers.js";

const gateway = await startGateway({ WEBHOOK_ALLOW_PRIVATE: "true", WEBHOOK_TIMEOUT_MS: "30000", WEBHOOK_POLL_MS: "200" });
const { database } = gateway;

/** A gateway that sends nothing automatically. */
const idle = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const circuitOf = async (caller: Caller) => (await caller.ask("{ webhooks { nodes { circuit failingSince probeAt } } }")).webhooks.nodes[0];

it("50 receivers that hang delay neither another tenant's events nor another webhook's", async () => {
  const [slow, quick] = [await gateway.newTenant(), await gateway.newTenant()];
  const hanging = await receiver(() => "hang");
  for (let i = 0; i < 50; i++) await subscribe(slow, `${hanging.url}?${i}`, ["NOTIFICATION_RAISED"]);
  for (let i = 0; i < 10; i++) await raise(slow, `alert ${i}`);
  await expect.poll(() => hanging.received.length).toBeGreaterThanOrEqual(50);
  const others = [await receiver(), await receiver()];
  await subscribe(quick, others[0]!.url, ["NOTIFICATION_RAISED"]);
  await subscribe(slow, others[1]!.url, ["NOTIFICATION_STATUS_CHANGED"]);
  await raise(quick);
  await move(slow, await raise(slow, "last"), "ACKNOWLEDGED");
  await expect.poll(() => others.map(({ accepted }) => accepted.length), { interval: 10 }).toEqual([1, 1]);
  const [givenUp] = await database.query<{ count: number }>(
    `select count(*)::int as count from "WebhookDelivery" where "tenantId" = $1 and error is not null`,
    [slow.tenantId],
  );
  expect(givenUp, "those that hang were still waited for").toEqual({ count: 0 });
  // Spares the gateway from waiting for these receivers.
  await database.query(`update "Webhook" set "isActive" = false where "tenantId" = $1`, [slow.tenantId]);
});

it("a circuit opens after failures in a row, spaces the attempts, and closes with the first delivery", async () => {
  const admin = await gateway.newTenant();
  let status = 500;
  const { url, received } = await receiver(() => status, "no \u0000 room");
  await subscribe(admin, url, ["NOTIFICATION_RAISED"]);
  for (let i = 0; i < 20; i++) await raise(admin, `alert ${i}`);
  await queued(admin);
  await expect.poll(async () => (await circuitOf(admin)).circuit).toBe("OPEN");
  const { failingSince, probeAt } = await circuitOf(admin);
  expect(Date.parse(probeAt) - Date.parse(failingSince)).toBeGreaterThan(10_000);
  const [failed] = (await deliveriesOf(admin)).filter(({ attempts }) => attempts);
  expect(failed).toMatchObject({ status: "PENDING", error: "answered 500", responseStatus: 500, responseBody: "no  room" });
  expect(failed.durationMs).toBeGreaterThanOrEqual(0);
  const before = received.length;
  expect(before).toBeLessThan(15);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(received).toHaveLength(before);
  status = 204;
  await settled(admin);
  expect(await circuitOf(admin)).toEqual({ circuit: "CLOSED", failingSince: null, probeAt: null });
  expect((await deliveriesOf(admin)).map(({ status }) => status)).toEqual(Array(20).fill("DELIVERED"));
});

it("dead letters of a period are sent again in order, with their event ids", async () => {
  const admin = await gateway.newTenant();
  const { url, accepted } = await receiver();
  const { webhook } = await subscribe(admin, url, ["NOTIFICATION_RAISED", "NOTIFICATION_STATUS_CHANGED"]);
  const before = new Date().toISOString();
  const id = await raise(admin);
  for (const status of ["ACKNOWLEDGED", "IN_PROGRESS", "RESOLVED"]) await move(admin, id, status);
  await settled(admin);
  const after = new Date(Date.now() + 1_000).toISOString();
  const first = accepted.splice(0);
  await database.query(`update "WebhookDelivery" set status = 'failed', error = 'x' where "tenantId" = $1`, [admin.tenantId]);
  const replay =
    "mutation ($id: ID!, $from: DateTime!, $until: DateTime, $status: DeliveryStatus! = FAILED) { replayWebhookDeliveries(webhookId: $id, from: $from, until: $until, status: $status) { count } }";
  const replayed = async (variables: object) => (await admin.ask(replay, { id: webhook.id, ...variables })).replayWebhookDeliveries.count;
  expect(await replayed({ from: after })).toBe(0);
  expect(await replayed({ from: "2020-01-01", until: before })).toBe(0);
  expect(await replayed({ from: before, status: "DELIVERED" })).toBe(0);
  expect(await replayed({ from: before, until: after })).toBe(4);
  await settled(admin);
  expect(accepted.map(({ event }) => event)).toEqual(first.map(({ event }) => event));
  for (const [variables, details] of [
    [{ status: "PENDING" }, { status: "must be FAILED or DELIVERED; pending deliveries are sent automatically" }],
    [{ until: "2019-01-01" }, { until: "must be after from" }],
  ] as const) {
    const { errors } = await admin.graphql(replay, { id: webhook.id, from: "2020-01-01", ...variables });
    expect(errors?.[0]?.extensions).toEqual({ code: "BAD_USER_INPUT", details });
  }
  const other = await gateway.newTenant();
  const { errors } = await other.graphql(replay, { id: webhook.id, from: before });
  expect(errors?.[0]?.extensions.code).toBe("NOT_FOUND");
});

it("a delivery that its receiver has not accepted for 3 days is given up, and can be sent again", async () => {
  const admin = await gateway.newTenant();
  let status = 500;
  const { url, accepted } = await receiver(() => status);
  const { webhook } = await subscribe(admin, url, ["NOTIFICATION_RAISED", "NOTIFICATION_STATUS_CHANGED"]);
  const late = await raise(admin, "late");
  await move(admin, late, "ACKNOWLEDGED");
  await queued(admin);
  await expect.poll(async () => (await deliveriesOf(admin)).map(({ error }) => error)).toContain("answered 500");
  /** Moves the times back. No delivery is attempted meanwhile. */
  const fails = async (since: string, due: string) => {
    await database.query(
      `update "Webhook" set "failingSince" = now() - $2::interval, "probeAt" = now() + interval '1 hour' where "tenantId" = $1`,
      [admin.tenantId, since],
    );
    await database.query(
      `update "WebhookDelivery" set "nextAttemptAt" = now() - $3::interval where "tenantId" = $1 and "recordId" = $2 and "settledAt" is null`,
      [admin.tenantId, late, due],
    );
  };
  await fails("1 minute", "1 minute");
  const early = await raise(admin, "early");
  await queued(admin);
  const failed = async () => {
    const deliveries = "deliveries(filter: { status: FAILED }) { nodes { status error settledAt event { kind recordId } } }";
    return (await admin.ask(`{ webhooks { nodes { ${deliveries} } } }`)).webhooks.nodes[0].deliveries.nodes;
  };
  for (const [since, due] of [
    ["3 days 1 minute", "2 days 23 hours"],
    ["2 days 23 hours", "3 days 1 minute"],
  ] as const) {
    await fails(since, due);
    await cleanDeliveries(database);
    expect(await failed()).toEqual([]);
  }
  await fails("3 days 1 minute", "3 days 1 minute");
  await cleanDeliveries(database);
  expect(await failed()).toEqual([
    {
      status: "FAILED",
      error: "the receiver has failed for 3 days",
      settledAt: expect.any(String),
      event: { kind: "NOTIFICATION_STATUS_CHANGED", recordId: late },
    },
    { status: "FAILED", error: "answered 500", settledAt: expect.any(String), event: { kind: "NOTIFICATION_RAISED", recordId: late } },
  ]);
  const ended = await deliveriesOf(admin);
  const of = (recordId: string) => ended.filter(({ event }) => event.recordId === recordId);
  expect(of(early).map(({ status }) => status)).toEqual(["PENDING"]);

  status = 204;
  const [second, first] = of(late);
  const again = "mutation ($id: ID!) { replayWebhookDelivery(id: $id) { id status attempts error settledAt event { id } } }";
  expect((await admin.ask(again, { id: first.id })).replayWebhookDelivery).toEqual({
    id: first.id,
    status: "PENDING",
    attempts: 0,
    error: null,
    settledAt: null,
    event: { id: first.event.id },
  });
  // The delivery is due now, so it is not given up again.
  await cleanDeliveries(database);
  await settled(admin);
  expect(accepted.map(({ event }) => event.id).sort()).toEqual([first.event.id, of(early)[0].event.id].sort());
  expect(await circuitOf(admin)).toEqual({ circuit: "CLOSED", failingSince: null, probeAt: null });
  expect(await admin.ask(`mutation { replayWebhookDeliveries(webhookId: "${webhook.id}", from: "2020-01-01") { count } }`)).toEqual({
    replayWebhookDeliveries: { count: 1 },
  });
  await settled(admin);
  expect(accepted.at(-1)!.event).toMatchObject({ id: second.event.id, type: "notification.status_changed", recordId: late });
  expect((await deliveriesOf(admin)).map(({ status }) => status)).toEqual(["DELIVERED", "DELIVERED", "DELIVERED"]);
});

it("a rotated secret signs next to the old one until the overlap ends", async () => {
  const admin = await gateway.newTenant();
  const { url, received } = await receiver();
  const { secret: old, webhook } = await subscribe(admin, url, ["NOTIFICATION_RAISED"]);
  const rotate =
    "mutation ($id: ID!, $minutes: Int) { rotateWebhookSecret(id: $id, overlapMinutes: $minutes) { secret webhook { previousSecretEndsAt } } }";
  const { secret } = (await admin.ask("mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }", { id: webhook.id }))
    .rotateWebhookSecret;
  await raise(admin);
  await settled(admin);
  const before = Date.now();
  const latest = (await admin.ask(rotate, { id: webhook.id, minutes: 0 })).rotateWebhookSecret;
  const endsAt = Date.parse(latest.webhook.previousSecretEndsAt);
  expect(endsAt).toBeGreaterThanOrEqual(before);
  expect(endsAt).toBeLessThanOrEqual(Date.now());
  await raise(admin, "again");
  await settled(admin);
  const signatures = ({ headers, body }: (typeof received)[number], ...secrets: string[]) =>
    secrets.map((one) => signatureOf(one, String(headers["webhook-id"]), Number(headers["webhook-timestamp"]), body)).join(" ");
  expect(received.map(({ headers }) => headers["webhook-signature"])).toEqual([
    signatures(received[0]!, secret, old),
    signatures(received[1]!, latest.secret),
  ]);
  const { errors } = await admin.graphql(rotate, { id: webhook.id, minutes: -1 });
  expect(errors?.[0]?.extensions).toEqual({ code: "BAD_USER_INPUT", details: { overlapMinutes: "must be from 0 to 43200" } });
  const log = await database.query<any>(`select before, after from "Change" where "tenantId" = $1 and "recordId" = $2`, [
    admin.tenantId,
    webhook.id,
  ]);
  expect(log.map(({ after }) => Object.keys(after).filter((name) => /secret/i.test(name)))).toEqual(
    [["secret"], ["secret", "previousSecret", "previousSecretEndsAt"], ["secret", "previousSecret", "previousSecretEndsAt"]].map((names) =>
      expect.arrayContaining(names),
    ),
  );
  for (const one of [old, secret, latest.secret]) expect(JSON.stringify(log)).not.toContain(one.slice(6, 30));
});

it("record changes are sent by type, kind and site, with the webhook's selection", async () => {
  const admin = await gateway.newTenant();
  const [all, some] = [await receiver(), await receiver()];
  await subscribe(admin, all.url, [], {
    recordTypes: ["ASSET", "PART"],
    selection: "... on Asset { name site parts { name } } ... on Part { partNumber }",
  });
  const { webhook } = await subscribe(admin, some.url, ["ASSET_STATUS_CHANGED"], {
    recordTypes: ["ASSET"],
    changeKinds: ["UPDATED", "DELETED"],
    sites: ["North"],
  });
  const { id: north } = await admin.createAsset({ name: "Pump", site: "North" });
  const { id: south } = await admin.createAsset({ name: "Fan", site: "South" });
  await admin.rest("PUT", `/assets/${north}`, { name: "Pump 2" });
  await admin.rest("PUT", `/assets/${south}`, { status: "offline" });
  await admin.rest("PUT", `/assets/${north}`, { status: "offline" });
  // A status change is filtered by the site of its asset at queueing time.
  await queued(admin);
  // The record's content is read at sending time.
  await settled(admin);
  await admin.rest("PUT", `/assets/${north}`, { site: "South" });
  await admin.rest("DELETE", `/assets/${north}`);
  await settled(admin);
  const told = ({ event: { type, recordId, data } }: (typeof some.received)[number]) => [
    type,
    recordId === north ? "north" : "south",
    data.kind,
    data.changedFields,
  ];
  expect(some.received.map(told).sort()).toEqual([
    ["asset.status_changed", "north", undefined, undefined],
    ["record.changed", "north", "updated", ["name"]],
    ["record.changed", "north", "updated", ["site"]],
    ["record.changed", "north", "updated", ["status"]],
  ]);
  expect(some.received.find(({ event }) => event.data.kind)!.event.data).not.toHaveProperty("record");
  const ofNorth = all.received.filter(({ event }) => event.recordId === north).map(({ event }) => event);
  expect(ofNorth.map(({ data }) => [data.kind, data.version, data.siteBefore, data.site])).toEqual([
    ["created", 1, null, "North"],
    ["updated", 2, "North", "North"],
    ["updated", 3, "North", "North"],
    ["updated", 4, "North", "South"],
    ["deleted", 5, "South", "South"],
  ]);
  expect(ofNorth[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    type: "record.changed",
    timestamp: ofNorth[0].data.changedAt,
    recordId: north,
    data: {
      recordType: "Asset",
      recordId: north,
      kind: "created",
      version: 1,
      siteBefore: null,
      site: "North",
      changedFields: expect.arrayContaining(["name", "site"]),
      changedAt: expect.any(String),
      record: expect.anything(),
    },
    token: expect.any(String),
  });
  expect(ofNorth.at(-1).data.record).toBeNull();
  const ofSouth = all.received.filter(({ event }) => event.recordId === south).map(({ event }) => event.data.record);
  expect(ofSouth.at(-1)).toEqual({ name: "Fan", site: "South", parts: [] });
  // After the token, the log contains the later changes.
  const { changesSince } = await admin.ask(
    "query ($token: String!) { changesSince(token: $token, recordTypes: [ASSET]) { records { recordId } } }",
    { token: ofNorth.at(-2).token },
  );
  expect(changesSince.records).toEqual([{ recordId: north }]);

  await database.query(`update "Webhook" set selection = '... on Asset { gone }' where "tenantId" = $1`, [admin.tenantId]);
  await admin.rest("POST", "/parts", { partNumber: "P-1", name: "Seal" });
  await settled(admin);
  expect(all.received.at(-1)!.event.data).toMatchObject({
    recordType: "Part",
    record: null,
    error: 'Cannot query field "gone" on type "Asset".',
  });

  const update = "mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { events recordTypes } }";
  for (const [input, field] of [
    [{ selection: "... on Asset { secret }" }, "selection"],
    [{ selection: "id } other: node(id: 1) { id" }, "selection"],
    [{ selection: "id } } query X { node(id: 1) { id" }, "selection"],
    [{ events: [], recordTypes: [] }, "events"],
    [{ events: ["RECORD_CHANGED"] }, "events"],
    [{ changeKinds: ["SIGNED_IN"] }, "changeKinds"],
  ] as const) {
    const { errors } = await admin.graphql(update, { id: webhook.id, input });
    expect(Object.keys(errors?.[0]?.extensions.details ?? {}), JSON.stringify(errors)).toEqual([field]);
  }
  expect(await admin.ask("{ webhooks { nodes { events recordTypes changeKinds sites selection } } }")).toMatchObject({
    webhooks: {
      nodes: [
        { events: [], recordTypes: ["ASSET", "PART"] },
        { events: ["ASSET_STATUS_CHANGED"], sites: ["North"], changeKinds: ["UPDATED", "DELETED"] },
      ],
    },
  });
});

it("events from before a pause are sent, those during the pause are not", async () => {
  const admin = await idle.newTenant();
  const { webhook } = await subscribe(admin, "https://example.org", ["NOTIFICATION_RAISED"]);
  const activate = (isActive: boolean) =>
    admin.ask("mutation ($id: ID!, $isActive: Boolean!) { updateWebhook(id: $id, input: { isActive: $isActive }) { id } }", {
      id: webhook.id,
      isActive,
    });
  const before = await raise(admin, "before");
  await activate(false);
  await raise(admin, "during");
  await activate(true);
  const after = await raise(admin, "after");
  await queued(admin);
  expect((await deliveriesOf(admin)).map(({ event }) => event.recordId).sort()).toEqual([before, after].sort());
});

it("a process killed midway leaves its unsettled deliveries, and nothing is queued twice", async () => {
  const admin = await idle.newTenant();
  await subscribe(admin, "https://example.org", ["NOTIFICATION_RAISED", "NOTIFICATION_STATUS_CHANGED"]);
  const ids = [await raise(admin, "a"), await raise(admin, "b")];
  for (const id of ids) await move(admin, id, "ACKNOWLEDGED");
  await Promise.all(Array.from({ length: 5 }, () => queueEvents(idle.database, [admin.tenantId])));
  await queued(admin);
  const mine = (claimed: DueDelivery[]) => claimed.filter(({ tenantId }) => tenantId === admin.tenantId);
  const claimed = mine(await claimDeliveries(idle.database, []));
  expect(claimed.map(({ recordId, attempts }) => [recordId, attempts])).toEqual(ids.map((id) => [id, 1]));
  expect((await deliveriesOf(admin)).length).toBe(4);
  expect(mine(await claimDeliveries(idle.database, []))).toEqual([]);
  // Expires the claim.
  await idle.database.query(`update "WebhookDelivery" set "nextAttemptAt" = now() - interval '1 second' where "tenantId" = $1`, [
    admin.tenantId,
  ]);
  const again = mine(await claimDeliveries(idle.database, []));
  expect(again.map(({ eventId, attempts }) => [eventId, attempts])).toEqual(claimed.map(({ eventId }) => [eventId, 2]));
});

it("a delivery that is sent again waits for an older one of its record", async () => {
  const admin = await idle.newTenant();
  await subscribe(admin, "https://example.org", ["NOTIFICATION_RAISED", "NOTIFICATION_STATUS_CHANGED"]);
  const id = await raise(admin);
  for (const status of ["ACKNOWLEDGED", "RESOLVED"]) await move(admin, id, status);
  await queued(admin);
  const claim = async () => (await claimDeliveries(idle.database, [])).filter(({ tenantId }) => tenantId === admin.tenantId);
  const settle = (one: DueDelivery, delivered: boolean) => settleDelivery(idle.database, one, { delivered, durationMs: 1 });
  const [first] = await claim();
  await settle(first!, true);
  const [second] = await claim();
  await settle(second!, true);
  const [third] = await claim();
  await settle(third!, true);
  expect([first, second, third].map((one) => one?.kind)).toEqual(["notification.raised", ...Array(2).fill("notification.status_changed")]);
  expect(await claim()).toEqual([]);
  const replay = (one: DueDelivery) => admin.ask("mutation ($id: ID!) { replayWebhookDelivery(id: $id) { status } }", { id: one.id });
  await replay(first!);
  const [again] = await claim();
  expect(again).toMatchObject({ id: first!.id, attempts: 1 });
  // The attempt fails and schedules the next attempt some seconds later.
  await settle(again!, false);
  await replay(second!);
  expect(await claim()).toEqual([]);
  await settle({ ...again!, attempts: 2 }, true);
  expect((await claim()).map(({ id }) => id)).toEqual([second!.id]);
});

interface PlanNode {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

it("a claim reads no more rows, and sends no more statements, with a backlog", async () => {
  const admin = await idle.newTenant();
  const { webhook } = await subscribe(admin, "https://example.org", ["NOTIFICATION_RAISED"]);
  await raise(admin);
  await queued(admin);
  const [{ eventId }] = (await idle.database.query<any>(`select "eventId" from "WebhookDelivery" where "tenantId" = $1`, [
    admin.tenantId,
  ])) as [any];
  // 50 records with events that wait for a first, failed delivery. Half of the deliveries are settled.
  const values = [admin.tenantId, webhook.id, eventId];
  await idle.database.query(
    `insert into "WebhookDelivery" ("tenantId", "webhookId", "eventId", "recordId", status, "settledAt", attempts, "nextAttemptAt")
     select $1, $2, $3, 'r' || n % 50, case when n % 2 = 0 then 'pending' else 'delivered' end, case when n % 2 <> 0 then now() end, 1,
       case when n <= 100 then now() + interval '1 hour' else now() end from generate_series(1, 10000) n`,
    values,
  );
  await idle.database.query(`analyze "WebhookDelivery"`);
  let statement: { text: string; values: unknown[] } | undefined;
  const recording = {
    secrets: idle.database.secrets,
    async query(text: string, given: unknown[]) {
      statement = { text, values: given };
      return [];
    },
  } as never;
  await claimDeliveries(recording, []);
  const [plan] = await idle.database.query<any>(
    `/* planned each time */ explain (analyze, format json) ${statement!.text}`,
    statement!.values,
  );
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const read = nodes(plan["QUERY PLAN"][0].Plan)
    .filter((node) => node["Relation Name"] === "WebhookDelivery")
    .map((node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]);
  expect(Math.max(...read)).toBeLessThan(100);
  const before = idle.database.statements();
  await claimDeliveries(idle.database, []);
  await queueEvents(idle.database, [admin.tenantId]);
  expect(idle.database.statements() - before).toBeLessThanOrEqual(3);
});
