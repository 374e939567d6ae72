/** Calendar feeds (docs/people.md): the secret link shows a person's due work until the feed is revoked or the person is deactivated. */
import { readFileSync } from "node:fs";
import ICAL from "ical.js";
import { expect, test } from "vitest";
import { Caller, sharedGateway, startGateway } from "../world.js";

const gateway = await sharedGateway();

/** A person who may work at all sites. */
async function person(admin: Caller, name: string, crew?: string): Promise<{ id: string; authorId: string }> {
  const { createPerson } = await admin.ask("mutation ($input: CreatePersonInput!) { createPerson(input: $input) { id authorId } }", {
    input: { name, crew },
  });
  await keyOf(admin, createPerson.id);
  return createPerson;
}

const create =
  "mutation ($input: CreateCalendarFeedInput!) { createCalendarFeed(input: $input) { url feed { id principalId name sites } } }";
const feedOf = async (admin: Caller, principalId: string) =>
  (await admin.ask(create, { input: { name: "Phone; of Anna", principalId } })).createCalendarFeed;

/** A key for the person. */
async function keyOf(admin: Caller, principalId: string, role = "TECHNICIAN", more: object = {}) {
  const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", {
    input: { name: "own", role, principalId, ...more },
  });
  return new Caller(admin.gateway, admin.tenantId, createApiKey.key);
}

async function order(admin: Caller, assetId: string, title: string, assignee?: string, more: object = {}): Promise<string> {
  const { createWorkOrder } = await admin.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", {
    input: { assetId, title, scheduledDate: "2031-03-30T07:00:00Z", ...more },
  });
  if (assignee)
    await admin.ask("mutation ($id: ID!, $to: ID!) { assignWorkOrder(id: $id, principalId: $to) { id } }", {
      id: createWorkOrder.id,
      to: assignee,
    });
  return createWorkOrder.id;
}

const read = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const events = (text: string) =>
  new ICAL.Component(ICAL.parse(text)).getAllSubcomponents("vevent").map((component) => new ICAL.Event(component));

test("contains the pending work of the person and the crew, at the planned dates, in RFC 5545 format", async () => {
  const admin = await gateway.newTenant();
  const [anna, ben, carl] = [await person(admin, "Anna", "A"), await person(admin, "Ben", "A"), await person(admin, "Carl", "B")];
  const { id: asset } = await admin.createAsset({ name: "Press 1", site: "North", area: "Hall, 2" });
  const title = `Größe prüfen; a, b\\c ${"ü".repeat(80)}`;
  const own = await order(admin, asset, title, anna.id, {
    description: "One\r\nTwo; three, four",
    priority: "HIGH",
  });
  await gateway.database.query('update "WorkOrder" set "estimatedDuration" = 90 where "tenantId" = $1 and id = $2', [admin.tenantId, own]);
  const crew = await order(admin, asset, "Crew", ben.id, { scheduledDate: "2031-04-01" });
  const byText = await order(admin, asset, "Text", undefined, { assignedTechnician: "A", scheduledDate: "2031-04-02" });
  await order(admin, asset, "Carl's", carl.id);
  await order(admin, asset, "Nobody's");
  const done = await order(admin, asset, "Cancelled", anna.id);
  await admin.ask('mutation ($id: ID!) { cancelWorkOrder(id: $id, reason: "x") { id } }', { id: done });
  const { url, feed } = await feedOf(admin, anna.id);
  expect(url).toMatch(new RegExp(`^${gateway.url}/calendar/[0-9a-f]{64}\\.ics$`));
  expect(feed).toEqual({ id: expect.any(String), principalId: anna.authorId, name: "Phone; of Anna", sites: [] });
  const { status, headers, text } = await read(url);
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    200,
    "text/calendar; charset=utf-8",
    "private, no-cache",
  ]);
  expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
  const found = events(text);
  // The estimate is 90 minutes. Work without an estimate takes an hour.
  expect(found.map(({ uid, startDate, endDate }) => [uid, startDate.toJSDate().toISOString(), endDate.toJSDate().toISOString()])).toEqual([
    [`${own}@maintenance-gateway`, "2031-03-30T07:00:00.000Z", "2031-03-30T08:30:00.000Z"],
    [`${crew}@maintenance-gateway`, "2031-04-01T00:00:00.000Z", "2031-04-01T01:00:00.000Z"],
    [`${byText}@maintenance-gateway`, "2031-04-02T00:00:00.000Z", "2031-04-02T01:00:00.000Z"],
  ]);
  expect(found.map(({ component }) => [component.getFirstPropertyValue("url"), component.getAllProperties("dtend").length])).toEqual(
    [own, crew, byText].map((id) => [`${gateway.url}/console/work/${id}`, 1]),
  );
  const [first] = found;
  expect([first!.summary, first!.description, first!.location]).toEqual([
    `${title} – Press 1`,
    `Press 1\ncorrective, high, scheduled\nOne\nTwo; three, four\n${gateway.url}/console/work/${own}`,
    "North, Hall, 2",
  ]);
  expect(first!.component.getFirstPropertyValue("priority")).toBe(3);
});

test("is unchanged until work changes: its ETag gets 304", async () => {
  const admin = await gateway.newTenant();
  const anna = await person(admin, "Anna");
  const { id: asset } = await admin.createAsset();
  const id = await order(admin, asset, "Check", anna.id);
  const { url } = await feedOf(admin, anna.id);
  const first = await read(url);
  const etag = first.headers.get("etag")!;
  const again = await read(url, { "if-none-match": etag });
  expect([again.status, again.text]).toEqual([304, ""]);
  await admin.ask('mutation ($id: ID!) { updateWorkOrder(id: $id, input: { scheduledDate: "2031-05-01" }) { id } }', { id });
  const moved = await read(url, { "if-none-match": etag });
  expect(moved.status).toBe(200);
  expect(events(moved.text).map(({ uid, sequence }) => [uid, sequence > events(first.text)[0]!.sequence])).toEqual([
    [`${id}@maintenance-gateway`, true],
  ]);
});

test.each([
  ["it is deleted", (admin: Caller, feed: string) => admin.ask("mutation ($id: ID!) { deleteCalendarFeed(id: $id) { id } }", { id: feed })],
  [
    "the person is deactivated, and stays so",
    async (admin: Caller, _: string, id: string) => {
      await admin.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: false }) { id } }", { id });
      await admin.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: true }) { id } }", { id });
    },
  ],
  [
    "the person is erased",
    (admin: Caller, _: string, id: string) => admin.ask("mutation ($id: ID!) { erasePerson(id: $id) { id } }", { id }),
  ],
])("the link is unknown after %s", async (_, end) => {
  const admin = await gateway.newTenant();
  const anna = await person(admin, "Anna");
  const { url, feed } = await feedOf(admin, anna.id);
  expect((await read(url)).status).toBe(200);
  await end(admin, feed.id, anna.id);
  const { status, text } = await read(url);
  expect([status, JSON.parse(text).error]).toEqual([404, "Calendar feed not found"]);
});

test("a person creates and sees only the own feeds; admins of all sites manage the feeds of others", async () => {
  const admin = await gateway.newTenant();
  const [anna, ben] = [await person(admin, "Anna"), await person(admin, "Ben")];
  const own = await keyOf(admin, anna.id);
  const { createCalendarFeed } = await own.ask(create, { input: { name: "Mine" } });
  const list = "{ viewer { calendarFeeds { id name } } }";
  expect(await own.ask(list)).toEqual({ viewer: { calendarFeeds: [{ id: createCalendarFeed.feed.id, name: "Mine" }] } });
  expect((await (await keyOf(admin, ben.id)).ask(list)).viewer.calendarFeeds).toEqual([]);
  const codes = async (caller: Caller, input: object) =>
    (await caller.graphql(create, { input })).errors?.map(({ extensions }) => extensions.code);
  expect(await codes(own, { name: "B", principalId: ben.id })).toEqual(["FORBIDDEN"]);
  expect(await codes(admin, { name: "System" })).toEqual(["BAD_USER_INPUT"]);
  expect(await codes(await admin.as("admin", ["North"]), { name: "A", principalId: anna.id })).toEqual(["FORBIDDEN"]);
  const others = await (await keyOf(admin, ben.id)).graphql("mutation ($id: ID!) { deleteCalendarFeed(id: $id) { id } }", {
    id: createCalendarFeed.feed.id,
  });
  expect(others.errors?.[0]?.extensions.code).toBe("NOT_FOUND");
  expect((await read(createCalendarFeed.url)).status).toBe(200);
});

test("the feed of a key limited to its sites shows only work there", async () => {
  const admin = await gateway.newTenant();
  const anna = await person(admin, "Anna");
  for (const site of ["North", "South"]) await order(admin, (await admin.createAsset({ site })).id, `At ${site}`, anna.id);
  const own = await keyOf(admin, anna.id, "TECHNICIAN", { sites: ["South"], readAll: false });
  const { createCalendarFeed } = await own.ask(create, { input: { name: "Mine" } });
  expect(createCalendarFeed.feed.sites).toEqual(["South"]);
  expect(events((await read(createCalendarFeed.url)).text).map(({ summary }) => summary)).toEqual(["At South – Pump"]);
});

test("only a hash of the secret is stored, invalid links are unknown, and reading costs points", async () => {
  const limited = await startGateway({ RATE_LIMIT_KEY: "20", RATE_LIMIT_BURST: "10" });
  const admin = await limited.newTenant();
  const anna = await person(admin, "Anna");
  const { url } = await feedOf(admin, anna.id);
  const secret = /calendar\/(\w+)/.exec(url)![1]!;
  const rows = await limited.database.query<any>(`select to_jsonb(f)::text as row from "CalendarFeed" f where "tenantId" = $1`, [
    admin.tenantId,
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0].row).not.toContain(secret);
  for (const path of ["x.ics", `${secret}`, `${"0".repeat(64)}.ics`, `${secret}.ics.ics`])
    expect((await read(`${limited.url}/calendar/${path}`)).status).toBe(404);
  const answers = await Promise.all(Array.from({ length: 40 }, () => read(url)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 429]);
});

test("a revoked key ends the links that it created, and a rotated key passes them to its successor", async () => {
  const admin = await gateway.newTenant();
  const { createPerson } = await admin.ask('mutation { createPerson(input: { name: "Anna" }) { id } }');
  const issued = await admin.ask(
    `mutation ($id: ID!) {
      phone: createApiKey(input: { name: "phone", role: TECHNICIAN, principalId: $id }) { key apiKey { id } }
      desk: createApiKey(input: { name: "desk", role: TECHNICIAN, principalId: $id }) { key apiKey { id } }
    }`,
    createPerson,
  );
  const linkOf = async (key: string) =>
    (await new Caller(admin.gateway, admin.tenantId, key).ask(create, { input: { name: "Phone" } })).createCalendarFeed.url;
  const [phone, desk] = [await linkOf(issued.phone.key), await linkOf(issued.desk.key)];
  const statuses = async () => [(await read(phone)).status, (await read(desk)).status];
  expect(await statuses()).toEqual([200, 200]);
  const { rotateApiKey } = await admin.ask("mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { id } } }", issued.phone.apiKey);
  expect(await statuses()).toEqual([200, 200]);
  await admin.ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", issued.phone.apiKey);
  expect(await statuses()).toEqual([200, 200]);
  await admin.ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", rotateApiKey.apiKey);
  expect(await statuses()).toEqual([404, 200]);
});

test("the migration deletes the responses in which earlier releases stored links, and no others", async () => {
  const admin = await gateway.newTenant();
  const { createPerson } = await admin.ask('mutation { createPerson(input: { name: "Anna" }) { id authorId } }');
  const { url } = await feedOf(admin, createPerson.authorId);
  const responses = {
    link: JSON.stringify({ data: { createCalendarFeed: { url } } }),
    short: JSON.stringify({ data: { url: url.replace(/[0-9a-f]{64}/, "0".repeat(63)) } }),
    none: null,
  };
  await gateway.database.query(
    `insert into "IdempotencyKey" ("tenantId", key, fingerprint, status, response) select $1, k, 'f', 200, r from unnest($2::text[], $3::text[]) t(k, r)`,
    [admin.tenantId, Object.keys(responses), Object.values(responses)],
  );
  const migration = readFileSync("prisma/migrations/20261126120010_keys_and_their_secrets/migration.sql", "utf8");
  const [statement] = /^DELETE FROM "IdempotencyKey"[^;]+;/m.exec(migration)!;
  await gateway.database.query(statement!.replace(";", ` AND "tenantId" = $1`), [admin.tenantId]);
  const left = await gateway.database.query(`select key from "IdempotencyKey" where "tenantId" = $1 order by key`, [admin.tenantId]);
  expect(left).toEqual([{ key: "none" }, { key: "short" }]);
});

test("concurrent requests make at most 20 feeds for a person", async () => {
  const admin = await gateway.newTenant();
  const anna = await person(admin, "Anna");
  const own = await keyOf(admin, anna.id);
  for (let n = 0; n < 15; n++) await own.ask(create, { input: { name: `Phone ${n}` } });
  const made = await Promise.all(Array.from({ length: 12 }, (_, n) => own.graphql(create, { input: { name: `Tablet ${n}` } })));
  const codes = made.map(({ errors }) => errors?.[0]?.extensions.code ?? "made").sort();
  expect(codes).toEqual([...Array(7).fill("CONFLICT"), ...Array(5).fill("made")]);
  expect((await own.ask("{ viewer { calendarFeeds { id } } }")).viewer.calendarFeeds).toHaveLength(20);
});
