/** interface.md 4.6: the two notification endpoints, body for body, and what GraphQL does with notifications. */
import { createClient } from "graphql-ws";
import { afterAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { type Answer, type Caller, type GraphqlAnswer, startGateway } from "./world.js";

const gateway = await startGateway();

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const requestId = expect.any(String);

const naming = (...fields: string[]) => ({
  error: "Invalid input",
  details: Object.fromEntries(fields.map((field) => [field, expect.any(String)])),
  code: "BAD_USER_INPUT",
  requestId,
});
const unknown = { error: "Notification not found", code: "NOT_FOUND", requestId };

const tables = ["Notification", "NotificationStatusChange", "NotificationFeedback", "WorkOrder"];

async function refused(owner: Caller, call: () => Promise<Answer>, status: number, body: object) {
  const before = await owner.snapshot(...tables);
  const answer = await call();
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(await owner.snapshot(...tables)).toEqual(before);
}

async function failed(owner: Caller, call: () => Promise<GraphqlAnswer>, extensions: object) {
  const before = await owner.snapshot(...tables);
  const { errors } = await call();
  expect(errors?.map((error) => error.extensions)).toEqual([extensions]);
  expect(await owner.snapshot(...tables)).toEqual(before);
}
const input = (...fields: string[]) => ({ code: "BAD_USER_INPUT", details: naming(...fields).details });
const forbidden = { code: "FORBIDDEN", message: expect.any(String) };
const lost = { code: "NOT_FOUND" };

const plain = { type: "ANOMALY", severity: "WARNING", title: "Odd sound", message: "Bearing 2" };
const shown = `id companyName siteName sensorID assetId assetName timestamp type severity title message status dedupKey occurrences metadata createdAt updatedAt`;

const tryRaise = (caller: Caller, fields: Record<string, unknown> = {}) =>
  caller.graphql(`mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { ${shown} } }`, {
    input: { ...plain, ...fields },
  });

async function raise(caller: Caller, fields: Record<string, unknown> = {}): Promise<any> {
  const { data, errors } = await tryRaise(caller, fields);
  expect(errors).toBeUndefined();
  return data.raiseNotification;
}

const become = (caller: Caller, id: string, status: string, reason?: string) =>
  caller.graphql(
    `mutation ($id: ID!, $status: NotificationStatus!, $reason: String) { changeNotificationStatus(id: $id, status: $status, reason: $reason) { status updatedAt } }`,
    { id, status, reason },
  );
const judge = (caller: Caller, id: string, feedback: object) =>
  caller.graphql(
    `mutation ($id: ID!, $input: NotificationFeedbackInput!) { addNotificationFeedback(id: $id, input: $input) { feedbackID feedback { rating } } }`,
    {
      id,
      input: feedback,
    },
  );
const changed = async (answer: Promise<GraphqlAnswer>) => {
  const { data, errors } = await answer;
  expect(errors).toBeUndefined();
  return Object.values<any>(data)[0];
};

async function list(caller: Caller, query = ""): Promise<any> {
  const { status, body } = await caller.rest("GET", `/notifications?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.count).toBe(body.items.length);
  return body;
}

/** Many at once, past the door; the n-th has the title n. */
const fill = (tenant: Caller, count: number) =>
  gateway.database.query(
    `insert into "Notification" ("tenantId", id, "companyName", "timestamp", type, severity, title, message, "createdBy", "createdAt")
     select $1, 'n' || n, 'C', now(), 'system', 'info', n, 'M', 'k', now() - make_interval(mins => 5000 - n) from generate_series(1, $2::int) n`,
    [tenant.tenantId, count],
  );

describe("GET /notifications", () => {
  test("what is there, without what is not; feedback only when asked for", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ name: "Fan", site: "North" });
    const bare = await raise(tenant);
    const whole = await raise(tenant, {
      type: "TREND",
      severity: "CRITICAL",
      companyName: "Acme",
      sensorID: "S-1",
      assetId: asset.id,
      timestamp: "2026-03-01T12:00:00+02:00",
      metadata: { score: 0.5, modelVersion: "2" },
    });
    await changed(judge(tenant, whole.id, { rating: 4, failureMode: "Wear", actionTaken: "Greased", comments: "Good" }));
    const base = { status: "open", title: "Odd sound", message: "Bearing 2", createdAt: time, updatedAt: time };
    const items = [
      { ...base, id: bare.id, companyName: tenant.tenantId, timestamp: time, type: "anomaly", severity: "warning" },
      {
        ...base,
        id: whole.id,
        companyName: "Acme",
        siteName: "North",
        sensorID: "S-1",
        assetName: "Fan",
        timestamp: "2026-03-01T10:00:00.000Z",
        type: "trend",
        severity: "critical",
        feedbackID: uuid,
      },
    ];
    expect(await list(tenant)).toEqual({ items, count: 2 });
    expect(await list(tenant, "includeFeedback=false")).toEqual({ items, count: 2 });
    const { items: told } = await list(tenant, "includeFeedback=true");
    const feedback = { id: told[1].feedbackID, rating: 4, failureMode: "Wear", actionTaken: "Greased", comments: "Good", createdAt: time };
    expect(told).toEqual([items[0], { ...items[1], feedback }]);
    const one = await tenant.rest("GET", `/notifications/${whole.id}`);
    expect([one.status, one.body]).toEqual([200, { ...items[1], metadata: { score: 0.5, modelVersion: "2" } }]);
    expect((await tenant.rest("GET", `/notifications/${whole.id}?includeFeedback=true`)).body).toEqual({ ...one.body, feedback });
    expect((await tenant.rest("GET", `/notifications/${bare.id}?includeFeedback=true`)).body).toEqual({ ...items[0], metadata: {} });
  });

  test("filters by company, site, sensor and time, at or after", async () => {
    const tenant = await gateway.newTenant();
    const make = (title: string, companyName: string, siteName: string, sensorID: string, day: number) =>
      raise(tenant, { title, companyName, siteName, sensorID, timestamp: `2026-03-0${day}T10:00:00Z` });
    await make("a", "Acme", "North", "S-1", 1);
    await make("b", "Acme", "South", "S-2", 2);
    await make("c", "Bolt", "North", "S-2", 3);
    const found = async (query: string) => (await list(tenant, query)).items.map(({ title }: any) => title).join("");
    expect(await found("companyName=Acme")).toBe("ab");
    expect(await found("companyName=acme")).toBe("");
    expect(await found("siteName=North")).toBe("ac");
    expect(await found("sensorID=S-2")).toBe("bc");
    expect(await found("siteName=North&sensorID=S-2")).toBe("c");
    expect(await found("timestamp=2026-03-02T10:00:00Z")).toBe("bc");
    expect(await found("timestamp=2026-03-02T10:00:00.001Z")).toBe("c");
    expect(await found("timestamp=2026-03-03")).toBe("c");
    expect(await found("companyName=Acme&timestamp=2026-03-02")).toBe("b");
    expect(await found("timestamp=2026-03-04")).toBe("");
  });

  test("limit is 100 where left out, and may be 1 to 1000", async () => {
    const tenant = await gateway.newTenant();
    await fill(tenant, 1001);
    const counted = async (query: string) => {
      const { count, nextToken } = await list(tenant, query);
      return [count, typeof nextToken];
    };
    expect(await counted("")).toEqual([100, "string"]);
    expect(await counted("limit=1")).toEqual([1, "string"]);
    expect(await counted("limit=1000")).toEqual([1000, "string"]);
    await gateway.database.query(`delete from "Notification" where "tenantId" = $1 and id > 'n1000'`, [tenant.tenantId]);
    const { total } = (
      await gateway.database.query<{ total: number }>(`select count(*)::int as total from "Notification" where "tenantId" = $1`, [
        tenant.tenantId,
      ])
    )[0]!;
    // No token where exactly the last is on the page.
    expect(await counted(`limit=${total}`)).toEqual([total, "undefined"]);
  });

  test.each([
    "limit=0",
    "limit=1001",
    "limit=1.5",
    "limit=x",
    "includeFeedback=yes",
    "timestamp=yesterday",
    "timestamp=2026-02-30T00:00:00Z",
    "nextToken=x",
  ])("%s is 400 naming it", async (query) => {
    const tenant = await gateway.newTenant();
    await refused(tenant, () => tenant.rest("GET", `/notifications?${query}`), 400, naming(query.split("=")[0]!));
  });

  test("nextToken goes on without loss or repeats while new ones are raised", async () => {
    const tenant = await gateway.newTenant();
    await fill(tenant, 23);
    const seen: string[] = [];
    let token = "";
    for (let page = 0; page < 10; page++) {
      const { items, nextToken } = await list(tenant, `limit=5${token}`);
      seen.push(...items.map(({ title }: any) => title));
      // One that is dealt with meanwhile stays where it is.
      await changed(become(tenant, items[0].id, "ACKNOWLEDGED"));
      if (!nextToken) break;
      token = `&nextToken=${encodeURIComponent(nextToken)}`;
      if (page < 3) await raise(tenant, { title: `new ${page}` });
    }
    expect(seen).toEqual([...Array.from({ length: 23 }, (_, n) => `${n + 1}`), "new 0", "new 1", "new 2"]);
  });

  test("a nextToken of another filter, list or tenant is 400 naming nextToken", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    for (const each of [tenant, stranger]) await fill(each, 3);
    const { nextToken } = await list(tenant, "limit=1&companyName=C");
    const given = `nextToken=${encodeURIComponent(nextToken)}`;
    expect((await list(tenant, `companyName=C&${given}`)).items).toHaveLength(2);
    for (const query of [
      given,
      `companyName=D&${given}`,
      `companyName=C&timestamp=2026-01-01&${given}`,
      `companyName=C&${given.slice(0, -4)}`,
    ])
      await refused(tenant, () => tenant.rest("GET", `/notifications?${query}`), 400, naming("nextToken"));
    await refused(stranger, () => stranger.rest("GET", `/notifications?companyName=C&${given}`), 400, naming("nextToken"));
  });

  test("an unknown id, and another tenant's, is 404 with error alone", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const { id } = await raise(tenant);
    await refused(tenant, () => tenant.rest("GET", "/notifications/nope"), 404, unknown);
    await refused(tenant, () => stranger.rest("GET", `/notifications/${id}`), 404, unknown);
    expect(await list(stranger)).toEqual({ items: [], count: 0 });
  });

  test("the list takes the same statements for 10 as for 100", async () => {
    for (const count of [10, 100]) {
      const tenant = await gateway.newTenant();
      await fill(tenant, count);
      const { id } = await raise(tenant);
      await changed(judge(tenant, id, { rating: 1 }));
      const taken: number[] = [];
      // The least of some: the key is looked up, and its use noted, now and then.
      for (let run = 0; run < 3; run++) {
        const before = gateway.database.statements();
        expect((await list(tenant, "includeFeedback=true&limit=1000")).count).toBe(count + 1);
        taken.push(gateway.database.statements() - before);
      }
      expect(Math.min(...taken)).toBe(2);
    }
  });
});

describe("raiseNotification", () => {
  test.each(["manager", "admin", "ingest"] as const)("%s raises", async (role) => {
    const tenant = await gateway.newTenant();
    expect(await raise(await tenant.as(role))).toMatchObject({ ...plain, status: "OPEN", occurrences: 1, companyName: tenant.tenantId });
  });

  test.each(["technician", "viewer"] as const)("%s does not", async (role) => {
    const tenant = await gateway.newTenant();
    const caller = await tenant.as(role);
    await failed(tenant, () => tryRaise(caller), forbidden);
  });

  test("an asset gives its site and name; one without a site gives none; what is said counts", async () => {
    const tenant = await gateway.newTenant();
    const fan = await tenant.createAsset({ name: "Fan", site: "North" });
    const lone = await tenant.createAsset({ name: "Lone" });
    expect(await raise(tenant, { assetId: fan.id })).toMatchObject({ assetId: fan.id, assetName: "Fan", siteName: "North" });
    expect(await raise(tenant, { assetId: lone.id })).toMatchObject({ assetName: "Lone", siteName: null });
    expect(await raise(tenant, { assetId: fan.id, assetName: "Big fan", siteName: "Hall", companyName: "Acme" })).toMatchObject({
      assetName: "Big fan",
      siteName: "Hall",
      companyName: "Acme",
    });
  });

  test("unknown, deleted and foreign assets are refused; a key of another site too", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const gone = await tenant.createAsset();
    await tenant.rest("DELETE", `/assets/${gone.id}`);
    for (const assetId of ["nope", gone.id, (await stranger.createAsset()).id])
      await failed(tenant, () => tryRaise(tenant, { assetId }), input("assetId"));
    const fan = await tenant.createAsset({ site: "North" });
    const south = await tenant.as("ingest", ["South"]);
    await failed(tenant, () => tryRaise(south, { assetId: fan.id }), forbidden);
  });

  test.each([
    ["true", true],
    ["null", null],
    ["a list", [1]],
    ["an object", { a: 1 }],
  ])("metadata takes numbers and strings, not %s", async (_, value) => {
    const tenant = await gateway.newTenant();
    const metadata = { score: -0.25, modelVersion: "v2", big: 1e300, "": "empty" };
    expect((await raise(tenant, { metadata })).metadata).toEqual(metadata);
    await failed(tenant, () => tryRaise(tenant, { metadata: { ...metadata, odd: value } }), input("metadata.odd"));
  });

  test("a dedupKey updates the open one, and makes a new one once that ended", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const first = await raise(tenant, { dedupKey: "k", timestamp: "2026-03-02T00:00:00Z", assetId: asset.id, metadata: { a: 1 } });
    const again = await raise(tenant, {
      dedupKey: "k",
      timestamp: "2026-03-01T00:00:00Z",
      severity: "CRITICAL",
      title: "New",
      message: "M",
      metadata: { b: 2 },
    });
    // The later of both times; where it is stays.
    expect(again).toEqual({
      ...first,
      severity: "CRITICAL",
      title: "New",
      message: "M",
      metadata: { b: 2 },
      occurrences: 2,
      updatedAt: time,
    });
    expect(again.updatedAt > first.updatedAt).toBe(true);
    for (const status of ["ACKNOWLEDGED", "IN_PROGRESS"]) {
      await changed(become(tenant, first.id, status));
      expect(await raise(tenant, { dedupKey: "k" })).toMatchObject({ id: first.id, status });
    }
    const other = await raise(tenant, { dedupKey: "K" });
    expect(other.id).not.toBe(first.id);
    await changed(become(tenant, first.id, "RESOLVED"));
    const fresh = await raise(tenant, { dedupKey: "k" });
    expect(fresh).toMatchObject({ occurrences: 1, status: "OPEN" });
    expect((await list(tenant)).items.map(({ id, status }: any) => [id, status])).toEqual([
      [first.id, "resolved"],
      [other.id, "open"],
      [fresh.id, "open"],
    ]);
    expect((await raise(await gateway.newTenant(), { dedupKey: "k" })).occurrences).toBe(1);
  });

  test("without a dedupKey each is its own; of 20 at once with one, one is left", async () => {
    const tenant = await gateway.newTenant();
    await raise(tenant);
    await raise(tenant);
    const raised = await Promise.all(Array.from({ length: 20 }, () => raise(tenant, { dedupKey: "k" })));
    expect(new Set(raised.map(({ id }) => id)).size).toBe(1);
    expect(raised.map(({ occurrences }) => occurrences).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    const { items } = await list(tenant);
    expect(items).toHaveLength(3);
    const { notification } = await tenant.ask(`query ($id: ID!) { notification(id: $id) { occurrences statusHistory { toStatus } } }`, {
      id: raised[0].id,
    });
    expect(notification).toEqual({ occurrences: 20, statusHistory: [{ toStatus: "OPEN" }] });
  });
});

describe("status", () => {
  const statuses = ["OPEN", "ACKNOWLEDGED", "IN_PROGRESS", "RESOLVED", "DISMISSED"];
  const following: Record<string, string[]> = {
    OPEN: ["ACKNOWLEDGED", "IN_PROGRESS", "RESOLVED", "DISMISSED"],
    ACKNOWLEDGED: ["IN_PROGRESS", "RESOLVED", "DISMISSED"],
    IN_PROGRESS: ["RESOLVED", "DISMISSED"],
    RESOLVED: [],
    DISMISSED: [],
  };
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  test.each(pairs)("%s → %s", async (from, to) => {
    const tenant = await gateway.newTenant();
    const { id } = await raise(tenant);
    if (from !== "OPEN") await changed(become(tenant, id, from));
    if (following[from]!.includes(to)) {
      expect(await changed(become(tenant, id, to))).toEqual({ status: to, updatedAt: time });
      expect((await tenant.rest("GET", `/notifications/${id}`)).body.status).toBe(to.toLowerCase());
    } else {
      const allowed = following[from]!.map((status) => status.toLowerCase());
      await failed(tenant, () => become(tenant, id, to), { code: "CONFLICT", status: from.toLowerCase(), allowed });
    }
  });

  test("its history says who, from, to, when and why", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await raise(await tenant.as("ingest"));
    const technician = await tenant.as("technician");
    await changed(become(technician, id, "IN_PROGRESS"));
    await changed(become(tenant, id, "DISMISSED", "Sensor was loose"));
    const { notification } = await tenant.ask(
      `query ($id: ID!) { notification(id: $id) { statusHistory { fromStatus toStatus reason changedBy changedByName changedAt } } }`,
      { id },
    );
    const by = (changedByName: string) => ({ changedBy: uuid, changedByName, changedAt: time });
    expect(notification.statusHistory).toEqual([
      { fromStatus: null, toStatus: "OPEN", reason: null, ...by("ingest") },
      { fromStatus: "OPEN", toStatus: "IN_PROGRESS", reason: null, ...by("technician") },
      { fromStatus: "IN_PROGRESS", toStatus: "DISMISSED", reason: "Sensor was loose", ...by("admin") },
    ]);
  });

  test("of 20 who resolve it at once, one does", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await raise(tenant);
    const answers = await Promise.all(Array.from({ length: 20 }, () => become(tenant, id, "RESOLVED")));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    expect(answers.flatMap(({ errors }) => errors ?? []).every(({ extensions }) => extensions.code === "CONFLICT")).toBe(true);
  });

  test.each(["viewer", "ingest"] as const)("%s changes nothing, nor does another tenant or a key of another site", async (role) => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ site: "North" });
    const { id } = await raise(tenant, { assetId: asset.id });
    const callers: [Caller, object][] = [
      [await tenant.as(role), forbidden],
      [await gateway.newTenant(), lost],
      [await tenant.as("manager", ["South"]), forbidden],
    ];
    for (const [caller, extensions] of callers) {
      await failed(tenant, () => become(caller, id, "RESOLVED"), extensions);
      await failed(tenant, () => judge(caller, id, { rating: 5 }), extensions);
      await failed(tenant, () => order(caller, id), extensions);
    }
  });
});

describe("feedback", () => {
  test("the last one is shown, all are kept", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await raise(tenant);
    const technician = await tenant.as("technician");
    const first = await changed(judge(technician, id, { comments: "Looking" }));
    expect(first).toEqual({ feedbackID: uuid, feedback: { rating: null } });
    await changed(become(tenant, id, "RESOLVED"));
    const second = await changed(judge(technician, id, { rating: 5 }));
    expect(second).toEqual({ feedbackID: uuid, feedback: { rating: 5 } });
    const { notification } = await tenant.ask(
      `query ($id: ID!) { notification(id: $id) { feedbackHistory { id rating failureMode actionTaken comments createdAt } } }`,
      { id },
    );
    const none = { rating: null, failureMode: null, actionTaken: null, comments: null, createdAt: time };
    expect(notification.feedbackHistory).toEqual([
      { ...none, id: first.feedbackID, comments: "Looking" },
      { ...none, id: second.feedbackID, rating: 5 },
    ]);
    expect((await list(tenant, "includeFeedback=true")).items[0].feedback).toEqual({ id: second.feedbackID, rating: 5, createdAt: time });
  });

  test.each([{}, { rating: null }, { comments: "" }, { failureMode: "", actionTaken: null }])("%j says nothing", async (feedback) => {
    const tenant = await gateway.newTenant();
    const { id } = await raise(tenant);
    await failed(tenant, () => judge(tenant, id, feedback), input("feedback"));
  });

  test.each([0, 6, 2.5, "5"])("a rating of %j is refused", async (rating) => {
    const tenant = await gateway.newTenant();
    const { id } = await raise(tenant);
    await failed(tenant, () => judge(tenant, id, { rating }), expect.objectContaining({ code: "BAD_USER_INPUT" }));
  });

  test("an unknown notification is NOT_FOUND, to be judged or moved on", async () => {
    const tenant = await gateway.newTenant();
    await failed(tenant, () => judge(tenant, "nope", { rating: 5 }), lost);
    await failed(tenant, () => become(tenant, "nope", "RESOLVED"), lost);
  });

  test("precision of a detector by type and model version", async () => {
    const tenant = await gateway.newTenant();
    const made = async (fields: Record<string, unknown>, feedback?: object, status?: string) => {
      const { id } = await raise(tenant, fields);
      if (feedback) await changed(judge(tenant, id, feedback));
      if (status) await changed(become(tenant, id, status));
      return id;
    };
    const v1 = { metadata: { modelVersion: "1" } };
    const twice = await made(v1, { rating: 1 });
    await changed(judge(tenant, twice, { rating: 3 })); // the last feedback counts: right
    await made(v1, { rating: 5 }, "DISMISSED"); // a rating outweighs the status: right
    await made(v1, { rating: 2, failureMode: "Wear" }, "RESOLVED"); // wrong
    await made(v1, { failureMode: "Wear" }, "RESOLVED"); // right
    await made(v1, { comments: "No cause found" }, "RESOLVED"); // not judged
    await made(v1, { failureMode: "Wear" }); // not judged while open
    await made(v1, undefined, "DISMISSED"); // wrong
    await made({ metadata: { modelVersion: 2 } }, { rating: 2 }); // wrong
    await made({}); // not judged
    await made({ type: "TREND" }, { rating: 4 });
    await raise(await gateway.newTenant());
    const ask = async (args = "") =>
      (await tenant.ask(`{ detectorPrecision${args} { type modelVersion notifications confirmed falsePositives precision } }`))
        .detectorPrecision;
    const anomalies = [
      { type: "ANOMALY", modelVersion: null, notifications: 1, confirmed: 0, falsePositives: 0, precision: null },
      // 3 right and 2 wrong of 7: 100 × 3 / 5.
      { type: "ANOMALY", modelVersion: "1", notifications: 7, confirmed: 3, falsePositives: 2, precision: 60 },
      { type: "ANOMALY", modelVersion: "2", notifications: 1, confirmed: 0, falsePositives: 1, precision: 0 },
    ];
    expect(await ask()).toEqual([
      ...anomalies,
      { type: "TREND", modelVersion: null, notifications: 1, confirmed: 1, falsePositives: 0, precision: 100 },
    ]);
    expect(await ask("(type: ANOMALY)")).toEqual(anomalies);
    expect(await ask("(type: SYSTEM)")).toEqual([]);
  });
});

const order = (caller: Caller, id: string, fields: object = {}) =>
  caller.graphql(
    `mutation ($id: ID!, $input: CreateWorkOrderFromNotificationInput) { createWorkOrderFromNotification(notificationId: $id, input: $input) {
      id title description priority status origin notification { id } } }`,
    { id, input: fields },
  );

describe("createWorkOrderFromNotification", () => {
  test.each([
    ["INFO", "LOW"],
    ["WARNING", "HIGH"],
    ["CRITICAL", "CRITICAL"],
  ])("%s is a work order of priority %s", async (severity, priority) => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const { id } = await raise(tenant, { assetId: asset.id, severity });
    const made = await changed(order(await tenant.as("technician"), id));
    expect(made).toEqual({
      id: uuid,
      title: "Odd sound",
      description: "Bearing 2",
      priority,
      status: "SCHEDULED",
      origin: "NOTIFICATION",
      notification: { id },
    });
    const { notification } = await tenant.ask(`query ($id: ID!) { notification(id: $id) { asset { id } workOrders { id } } }`, { id });
    expect(notification).toEqual({ asset: { id: asset.id }, workOrders: [{ id: made.id }] });
  });

  test("is refused without an asset, for a deleted one, with what is another asset's, and for an unknown notification", async () => {
    const tenant = await gateway.newTenant();
    const [asset, other] = [await tenant.createAsset(), await tenant.createAsset()];
    const { id } = await raise(tenant, { assetId: asset.id });
    const { body: procedure } = await tenant.rest("POST", "/pms", { name: "P", frequency: "daily", assetId: other.id });
    const component = await tenant.createComponent({ assetId: other.id });
    await failed(tenant, () => order(tenant, id, { procedureId: procedure.id }), input("procedureId"));
    await failed(tenant, () => order(tenant, id, { procedureId: "nope" }), {
      code: "BAD_USER_INPUT",
      details: { procedureId: "names no PM procedure; use the id of an existing one" },
    });
    await failed(tenant, () => order(tenant, id, { componentId: component.componentId ?? component.id }), input("componentId"));
    await failed(
      tenant,
      () => order(tenant, id, { parts: [{ partId: "nope", quantity: 1 }] }),
      expect.objectContaining({ code: "BAD_USER_INPUT" }),
    );
    await failed(tenant, () => order(tenant, "nope"), lost);
    const nowhere = await raise(tenant);
    await failed(tenant, () => order(tenant, nowhere.id), input("notificationId"));
    await tenant.rest("DELETE", `/assets/${asset.id}`);
    await failed(tenant, () => order(tenant, id), input("notificationId"));
  });
});

describe("in GraphQL", () => {
  test("further filters, newest first, and an asset's own", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const a = await raise(tenant, { title: "a", assetId: asset.id, type: "TREND" });
    await raise(tenant, { title: "b", severity: "CRITICAL" });
    await raise(tenant, { title: "c", assetId: asset.id });
    await changed(become(tenant, a.id, "DISMISSED"));
    const found = async (args: string) =>
      (await tenant.ask(`{ notifications(${args}) { nodes { title } } }`)).notifications.nodes.map(({ title }: any) => title).join("");
    expect(await found("filter: { status: [OPEN] }")).toBe("bc");
    expect(await found("filter: { status: [OPEN, DISMISSED], type: ANOMALY }")).toBe("bc");
    expect(await found("filter: { severity: CRITICAL }")).toBe("b");
    expect(await found(`filter: { assetId: "${asset.id}" }`)).toBe("ac");
    expect(await found("orderBy: { direction: DESC }")).toBe("cba");
    const own = await tenant.ask(
      `query ($id: ID!) { asset(id: $id) { notifications(first: 1) { totalCount count nextToken nodes { title } } } }`,
      { id: asset.id },
    );
    expect(own.asset.notifications).toEqual({ totalCount: 2, count: 1, nextToken: expect.any(String), nodes: [{ title: "a" }] });
  });
});

describe("subscription notificationRaised", () => {
  function follow(key: string, args = "") {
    const heard: any[] = [];
    const client = createClient({
      url: `${gateway.url.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${key}` },
      retryAttempts: 0,
    });
    client.subscribe(
      { query: `subscription { notificationRaised${args} { id title severity occurrences assetId } }` },
      {
        next: ({ data, errors }: any) => heard.push(errors ?? data.notificationRaised),
        error: (error) => heard.push(error),
        complete: () => {},
      },
    );
    afterAll(() => client.dispose());
    return { heard, leave: () => client.dispose(), titles: () => heard.filter(({ title }) => title !== "probe").map(({ title }) => title) };
  }

  test("is heard by its tenant alone, as the filters ask, and again when it is raised again", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const viewer = await tenant.as("viewer");
    const all = follow(viewer.key);
    const critical = follow(viewer.key, "(severity: CRITICAL)");
    const own = follow(tenant.key, `(assetId: "${asset.id}")`);
    const theirs = follow(stranger.key);
    // Until all are known to listen, one is raised that each may hear.
    await expect
      .poll(
        async () => {
          await raise(tenant, { title: "probe", severity: "CRITICAL", assetId: asset.id });
          await raise(stranger, { title: "probe" });
          return [all, critical, own, theirs].every(({ heard }) => heard.length);
        },
        { timeout: 10_000, interval: 100 },
      )
      .toBe(true);
    const first = await raise(tenant, { title: "a", dedupKey: "k" });
    await raise(tenant, { title: "b", severity: "CRITICAL" });
    await raise(tenant, { title: "c", assetId: asset.id });
    await expect.poll(() => all.titles().slice().sort().join("")).toBe("abc");
    await raise(tenant, { title: "d", dedupKey: "k", severity: "CRITICAL" });
    await raise(tenant, { title: "e", severity: "CRITICAL", assetId: asset.id });
    await expect.poll(() => all.titles().slice().sort().join("")).toBe("abcde");
    await expect.poll(() => critical.titles().slice().sort().join("")).toBe("bde");
    await expect.poll(() => own.titles().slice().sort().join("")).toBe("ce");
    expect(all.heard.find(({ title }) => title === "d")).toEqual({
      id: first.id,
      title: "d",
      severity: "CRITICAL",
      occurrences: 2,
      assetId: null,
    });
    expect(theirs.titles()).toEqual([]);
  });

  test("one that was left looks at nothing any more", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const left = follow(tenant.key, `(assetId: "${asset.id}")`);
    const stays = follow(tenant.key);
    await expect
      .poll(
        async () => {
          await raise(tenant, { title: "probe", assetId: asset.id });
          return left.heard.length && stays.heard.length;
        },
        { timeout: 10_000, interval: 100 },
      )
      .toBeTruthy();
    /** The least that raising costs until it is heard; the key is looked up, and its use noted, now and then. */
    let raisedSoFar = 0;
    const least = async () => {
      const taken: number[] = [];
      for (let run = 0; run < 5; run++) {
        const before = gateway.database.statements();
        const title = `alert ${raisedSoFar++}`;
        await raise(tenant, { title });
        await expect.poll(stays.titles).toContain(title);
        taken.push(gateway.database.statements() - before);
      }
      return Math.min(...taken);
    };
    const both = await least();
    await left.leave();
    // It ends when the server hears of it.
    await expect.poll(() => least(), { timeout: 10_000 }).toBe(both - 1);
  });

  test("readings that trip a trigger are heard; a refused raise is not", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const triggerConditions = [{ parameter: "heat", threshold: 1, operator: "greater_than" }];
    await tenant.rest("POST", "/strategies", { name: "S", type: "predictive", applicableAssetTypes: ["pump"], triggerConditions });
    const { heard, titles } = follow(tenant.key);
    await expect
      .poll(
        async () => {
          await raise(tenant, { title: "probe" });
          return heard.length;
        },
        { timeout: 10_000, interval: 100 },
      )
      .toBeGreaterThan(0);
    await tryRaise(tenant, { title: "refused", assetId: "nope" });
    const { recordReadings } = await tenant.ask(
      `mutation ($id: ID!) { recordReadings(readings: [{ assetId: $id, parameter: "heat", value: 2 }]) { raised } }`,
      { id: asset.id },
    );
    await expect.poll(titles).toEqual(["heat beyond its threshold"]);
    expect(heard.at(-1).id).toBe(recordReadings.raised[0]);
  });
});

test("a key limited to sites neither raises nor moves on what is about another site, by no dedupKey and for no deleted asset", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ site: "South" });
  const raising = `mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }`;
  const { raiseNotification } = await tenant.ask(raising, { input: { ...plain, assetId, dedupKey: "k" } });
  const [detector, technician] = [await tenant.as("ingest", ["North"]), await tenant.as("technician", ["North"])];
  await failed(tenant, () => detector.graphql(raising, { input: { ...plain, severity: "INFO", dedupKey: "k" } }), forbidden);
  await tenant.rest("DELETE", `/assets/${assetId}`);
  const moving = `mutation ($id: ID!) { changeNotificationStatus(id: $id, status: DISMISSED) { id } }`;
  await failed(tenant, () => technician.graphql(moving, raiseNotification), forbidden);
});
