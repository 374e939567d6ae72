/** Assignment of work to persons, with notification by webhook and e-mail. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { MailSender } from "../../../src/background/mail-sender.js";
import { settleMail } from "../../../src/domain/alerts/outbox.js";
import { claimMails } from "../../../src/domain/maintenance/work-orders/mails.js";
import type { Role } from "../../../src/schema/access/enums.js";
import { receiver, subscribe } from "../../alerts/receivers.js";
import { type Arrived, mailServer } from "../../mail-server.js";
import { Caller, startGateway } from "../../world.js";

const from = "Maintenance <gateway@example.com>";
const { arrived, url } = await mailServer();
const gateway = await startGateway({
  SMTP_URL: url,
  MAIL_FROM: from,
  PUBLIC_URL: "https://gateway.example.com",
  WEBHOOK_POLL_MS: "50",
  WEBHOOK_ALLOW_PRIVATE: "true",
});
/** A gateway that sends nothing during a test. */
const idle = await startGateway({ SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: from, WEBHOOK_POLL_MS: "3600000" });

const assign = `mutation ($id: ID!, $to: ID, $version: Int) { assignWorkOrder(id: $id, principalId: $to, expectedVersion: $version) { assigneeId assignedTechnician version } }`;
const mailsOf = `query ($id: ID!) { workOrder(id: $id) { mails { kind status attempts error settledAt recipient { name } } } }`;

/** A person with a key and a name. */
async function person(
  tenant: Caller,
  name: string,
  role: Role = "technician",
  { sites = [] as string[], email = `${name}@example.com` } = {},
) {
  const input = { name, email: email || null };
  const { createPerson } = await tenant.ask("mutation ($input: CreatePersonInput!) { createPerson(input: $input) { id authorId } }", {
    input,
  });
  const issue = "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }";
  const { createApiKey } = await tenant.ask(issue, { input: { name, role: role.toUpperCase(), sites, principalId: createPerson.id } });
  return {
    id: createPerson.id as string,
    authorId: createPerson.authorId as string,
    caller: new Caller(tenant.gateway, tenant.tenantId, createApiKey.key),
  };
}

async function order(tenant: Caller, { title = "Grease", site = "North" } = {}): Promise<string> {
  const { id: assetId } = await tenant.createAsset({ site, name: "Pump 7" });
  const input = { assetId, title, assignedTechnician: "Night shift" };
  return (await tenant.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", { input })).createWorkOrder
    .id;
}

/** Expects this first error, and no change. */
async function refused(tenant: Caller, caller: Caller, variables: Record<string, unknown>, extensions: object) {
  const before = await tenant.snapshot("WorkOrder", "Mail");
  const { errors } = await caller.graphql(assign, variables);
  expect(errors?.[0]?.extensions).toMatchObject(extensions);
  expect(await tenant.snapshot("WorkOrder", "Mail")).toEqual(before);
}

it("an assigned person is notified once by webhook and e-mail", async () => {
  const tenant = await gateway.newTenant();
  const hook = await receiver();
  await subscribe(tenant, hook.url, ["WORK_ORDER_ASSIGNED"]);
  const ann = await person(tenant, "Ann");
  const id = await order(tenant, { title: "Grease\r\nBcc: evil@example.com\u2028now" });
  const { assignWorkOrder } = await tenant.ask(assign, { id, to: ann.id });
  expect(assignWorkOrder).toMatchObject({ assigneeId: ann.authorId, assignedTechnician: "Night shift" });
  expect((await tenant.ask(assign, { id, to: ann.authorId })).assignWorkOrder).toEqual(assignWorkOrder);
  await expect.poll(() => arrived.length).toBe(1);
  const [{ to, text }] = arrived as [Arrived];
  expect(to).toEqual(["Ann@example.com"]);
  const [head, body] = [text.slice(0, text.indexOf("\r\n\r\n")), text.slice(text.indexOf("\r\n\r\n"))];
  expect(head).toMatch(/^Subject: Assigned to you: Grease Bcc: evil@example.com now$/m);
  expect(head).not.toMatch(/^Bcc:/m);
  expect(head).toMatch(/^To: Ann <Ann@example.com>$/m);
  expect(body.replaceAll("\r\n", "\n")).toMatch(
    /Hello Ann,\n\na work order was assigned to you:\n\n {2}Grease Bcc: evil@example.com now\n {2}Asset: Pump 7, North\n {2}Priority: medium\n {2}Planned: \d+ \w+ 20\d\d at \d\d:\d\d UTC\n {2}Number: .+\n {2}https:\/\/gateway.example.com\n/,
  );
  await expect.poll(() => hook.accepted.length).toBe(1);
  const { changedBy } = hook.accepted[0]!.event.data;
  expect(hook.accepted[0]!.event).toMatchObject({ type: "work_order.assigned", recordId: id });
  expect(hook.accepted[0]!.event.data).toEqual({ workOrderId: id, assigneeId: ann.authorId, changedBy });
  await expect
    .poll(async () => (await tenant.ask(mailsOf, { id })).workOrder.mails)
    .toEqual([
      {
        kind: "WORK_ORDER_ASSIGNED",
        status: "DELIVERED",
        attempts: 1,
        error: null,
        settledAt: expect.any(String),
        recipient: { name: "Ann" },
      },
    ]);
  const mine = "{ viewer { principal { assignedWorkOrders { nodes { id assignee { name } } totalCount } } } }";
  expect((await ann.caller.ask(mine)).viewer.principal.assignedWorkOrders).toEqual({
    nodes: [{ id, assignee: { name: "Ann" } }],
    totalCount: 1,
  });
  const filtered = "query ($of: String) { workOrders(filter: { assigneeId: $of }) { nodes { id } } }";
  expect((await tenant.ask(filtered, { of: ann.authorId })).workOrders.nodes).toEqual([{ id }]);
  expect((await tenant.ask(filtered, { of: "nobody" })).workOrders.nodes).toEqual([]);
  const counted = "{ workOrderGroups(by: [ASSIGNEE_ID]) { assigneeId assignee { name } count } }";
  expect((await tenant.ask(counted)).workOrderGroups).toEqual([{ assigneeId: ann.authorId, assignee: { name: "Ann" }, count: 1 }]);
  const planned =
    'query ($f: WorkOrderFilter) { calendar(from: "2020-01-01", until: "2020-12-31", workOrder: $f) { workOrder { id } dueDate } }';
  const { createWorkOrder: other } = await tenant.ask(
    'mutation ($of: ID!) { createWorkOrder(input: { assetId: $of, title: "Old", scheduledDate: "2020-03-01T00:00:00Z" }) { id } }',
    { of: (await tenant.createAsset()).id },
  );
  expect((await tenant.ask(planned, { f: { isNull: ["ASSIGNEE_ID"] } })).calendar).toEqual([
    { workOrder: { id: other.id }, dueDate: null },
  ]);
  expect((await tenant.ask(planned, { f: { assigneeId: ann.authorId } })).calendar).toEqual([]);
  expect((await tenant.ask(assign, { id, to: null })).assignWorkOrder).toMatchObject({ assigneeId: null });
  await expect.poll(() => hook.accepted.length).toBe(2);
  expect(hook.accepted[1]!.event.data).toEqual({ workOrderId: id, fromAssigneeId: ann.authorId, changedBy });
});

/** The text of a mail, as its reader sees it. */
function shownMail({ text }: Arrived) {
  const [head, body] = [text.slice(0, text.indexOf("\r\n\r\n")), text.slice(text.indexOf("\r\n\r\n") + 4)];
  const decoded = (quoted: string) =>
    Buffer.from(
      quoted.replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
      "latin1",
    ).toString();
  const header = (name: string) => new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, "m").exec(head)?.[1] ?? "";
  const subject = header("Subject")
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?([QB])\?(.*?)\?=/g, (_, kind, word) =>
      kind === "B" ? Buffer.from(word, "base64").toString() : decoded(word.replaceAll("_", " ")),
    );
  const encoding = header("Content-Transfer-Encoding");
  const lines =
    encoding === "base64"
      ? Buffer.from(body, "base64").toString()
      : encoding === "quoted-printable"
        ? decoded(body.replace(/=\r\n/g, ""))
        : body;
  return { subject, language: header("Content-Language"), lines: lines.trimEnd().split(/\r?\n/) };
}

it("a mail is in the recipient's language, with the time at the site", async () => {
  const tenant = await gateway.newTenant();
  await tenant.ask('mutation { createSite(input: { name: "North", timeZone: "Pacific/Auckland" }) { name } }');
  const { id: assetId } = await tenant.createAsset({ site: "North", name: "Pump 7" });
  const mailFor = async (locale: string | null) => {
    const ann = await person(tenant, "Ann");
    await tenant.ask("mutation ($id: ID!, $locale: ShortText) { updatePerson(id: $id, input: { locale: $locale }) { id } }", {
      id: ann.id,
      locale,
    });
    const { createWorkOrder } = await tenant.ask(
      'mutation ($asset: ID!) { createWorkOrder(input: { assetId: $asset, title: "Grease", priority: HIGH, scheduledDate: "2031-03-30T12:00:00Z" }) { id } }',
      { asset: assetId },
    );
    const before = arrived.length;
    await tenant.ask(assign, { id: createWorkOrder.id, to: ann.id });
    await expect.poll(() => arrived.length).toBe(before + 1);
    return { id: createWorkOrder.id, ...shownMail(arrived.at(-1)!) };
  };
  const german = await mailFor("de_AT");
  expect(german).toEqual({
    id: german.id,
    subject: "Ihnen zugewiesen: Grease",
    language: "de",
    lines: [
      "Guten Tag Ann,",
      "",
      "Ihnen wurde ein Auftrag zugewiesen:",
      "",
      "  Grease",
      "  Anlage: Pump 7, North",
      "  Priorität: hoch",
      "  Geplant: 31. März 2031 um 01:00 GMT+13",
      `  Nummer: ${german.id}`,
      "  https://gateway.example.com",
    ],
  });
  const planned = async (locale: string | null) => {
    const { subject, language, lines } = await mailFor(locale);
    return [language, subject, lines[7]];
  };
  expect(await planned("fr-FR")).toEqual([
    "fr",
    "Ordre de travail affecté\u202f: Grease",
    "  Date prévue\u202f: 31 mars 2031 à 01:00 UTC+13",
  ]);
  expect(await planned("nl")).toEqual(["nl", "Aan u toegewezen: Grease", "  Gepland: 31 maart 2031 om 01:00 GMT+13"]);
  expect(await planned("es-ES")).toEqual([
    "es",
    "Orden de trabajo asignada: Grease",
    "  Fecha prevista: 31 de marzo de 2031 a las 01:00 GMT+13",
  ]);
  for (const locale of [null, "Klingon", "pt-BR"])
    expect(await planned(locale), locale ?? "none").toEqual(["en", "Assigned to you: Grease", "  Planned: 31 March 2031 at 01:00 GMT+13"]);
});

it("technicians take unassigned work; of two concurrent ones one gets it, and neither gets a mail", async () => {
  const tenant = await idle.newTenant();
  const [ann, bob] = [await person(tenant, "Ann"), await person(tenant, "Bob")];
  const id = await order(tenant);
  await refused(tenant, ann.caller, { id, to: bob.id }, { code: "FORBIDDEN" });
  await refused(tenant, ann.caller, { id, to: null }, { code: "FORBIDDEN" });
  const both = await Promise.all([ann, bob].map(({ caller, id: to }) => caller.graphql(assign, { id, to })));
  const [winner] = both.flatMap(({ data }) => data?.assignWorkOrder ?? []);
  expect(both.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions)).toEqual([
    { code: "CONFLICT", assigneeId: winner.assigneeId },
  ]);
  expect((await tenant.ask(mailsOf, { id })).workOrder.mails).toEqual([]);
  await refused(tenant, tenant, { id, to: ann.id, version: 1 }, { code: "CONFLICT" });
});

it("only permitted persons are assigned", async () => {
  const tenant = await idle.newTenant();
  const [viewer, south, north] = [
    await person(tenant, "Vic", "viewer"),
    await person(tenant, "Sue", "technician", { sites: ["South"] }),
    await person(tenant, "Nat", "technician", { sites: ["North"] }),
  ];
  const gone = await person(tenant, "Gus");
  const idleOne = await person(tenant, "Ida");
  await tenant.ask("mutation ($id: ID!) { erasePerson(id: $id) { id } }", { id: gone.id });
  await tenant.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: false }) { id } }", { id: idleOne.id });
  const foreign = await person(await idle.newTenant(), "Eve");
  const id = await order(tenant);
  const details = { principalId: "names no active person who may work at the asset's site" };
  for (const { id: to } of [viewer, south, gone, idleOne, foreign, { id: "none" }])
    await refused(tenant, tenant, { id, to }, { code: "BAD_USER_INPUT", details });
  await refused(tenant, tenant, { id: "none", to: north.id }, { code: "NOT_FOUND", workOrderId: "none" });
  // The offered persons are exactly the accepted ones, for everyone who may assign.
  const offered = "query ($id: ID!, $name: String) { assignees(workOrderId: $id, nameContains: $name) { id name } }";
  const { assignees } = await tenant.ask(offered, { id });
  expect(assignees.map(({ name }: any) => name)).toEqual(["admin", "Nat"]);
  // A key limited to its sites sees no keys of other sites.
  expect((await north.caller.ask(offered, { id })).assignees).toEqual([{ id: north.id, name: "Nat" }]);
  expect((await tenant.ask(offered, { id, name: "AT" })).assignees).toEqual([{ id: north.id, name: "Nat" }]);
  expect((await tenant.ask(offered, { id, name: "%" })).assignees).toEqual([]);
  // The same people can be chosen before there is an order.
  const before = "query ($asset: ID, $order: ID) { assignees(assetId: $asset, workOrderId: $order) { id name } }";
  const { workOrder } = await tenant.ask("query ($id: ID!) { workOrder(id: $id) { assetId } }", { id });
  expect((await tenant.ask(before, { asset: workOrder.assetId })).assignees).toEqual(assignees);
  for (const both of [{}, { asset: workOrder.assetId, order: id }])
    expect((await tenant.graphql(before, both)).errors?.[0]?.extensions).toMatchObject({
      code: "BAD_USER_INPUT",
      details: { workOrderId: "give either workOrderId or assetId" },
    });
  expect((await tenant.graphql(before, { asset: "none" })).errors?.[0]?.extensions).toMatchObject({ code: "NOT_FOUND", assetId: "none" });
  for (const [caller, extensions] of [
    [viewer.caller, { code: "FORBIDDEN" }],
    [await idle.newTenant(), { code: "NOT_FOUND", workOrderId: id }],
  ] as const)
    expect((await caller.graphql(offered, { id })).errors?.[0]?.extensions).toMatchObject(extensions);
  await refused(tenant, south.caller, { id, to: south.id }, { code: "FORBIDDEN" });
  expect((await north.caller.ask(assign, { id, to: north.id })).assignWorkOrder.assigneeId).toBe(north.authorId);
  await tenant.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", { id });
  await refused(tenant, tenant, { id, to: null }, { code: "CONFLICT", status: "CANCELLED" });
  await expect(
    idle.database.query(`update "WorkOrder" set "assigneeId" = 'none' where "tenantId" = $1 and id = $2`, [tenant.tenantId, id]),
  ).rejects.toThrow();
});

it("a process killed midway loses no mail; a failed mail is retried, one without a recipient is given up", async () => {
  const tenant = await idle.newTenant();
  const { database } = idle;
  const [ann, mute] = [await person(tenant, "Ann"), await person(tenant, "Moe", "technician", { email: "" })];
  const id = await order(tenant);
  await tenant.ask(assign, { id, to: ann.id });
  await tenant.ask(assign, { id, to: mute.id });
  await tenant.ask(assign, { id, to: ann.id });
  const mine = async () => (await claimMails(database)).filter(({ tenantId }) => tenantId === tenant.tenantId);
  // The column rounds to milliseconds, so a stored now() may lie in the future.
  const due = () =>
    database.query(`update "Mail" set "nextAttemptAt" = now() - interval '1 second' where "tenantId" = $1`, [tenant.tenantId]);
  const claimed = await mine();
  expect(claimed.map(({ attempts }) => attempts)).toEqual([1, 1]);
  expect(await mine()).toEqual([]);
  await due();
  const again = await mine();
  expect(again.map(({ id: mail, attempts }) => [mail, attempts]).sort()).toEqual(claimed.map(({ id: mail }) => [mail, 2]).sort());
  await settleMail(database, "Mail", again[0]!, { isSent: true });
  await due();
  const failing = await mailServer((n) => (n === 1 ? 451 : undefined));
  const sender = new MailSender(database, { url: failing.url, from, publicUrl: undefined });
  const states = async () => (await tenant.ask(mailsOf, { id })).workOrder.mails.map(({ status, error }: any) => [status, error]);
  await sender.run();
  expect((await states()).sort()).toEqual([
    ["DELIVERED", null],
    ["PENDING", "the mail server refused it: EENVELOPE 451"],
  ]);
  await due();
  await sender.run();
  expect((await states()).map(([status]: any) => status)).toEqual(["DELIVERED", "DELIVERED"]);
  expect(failing.arrived).toHaveLength(1);
  await tenant.ask(assign, { id, to: null });
  await tenant.ask(assign, { id, to: ann.id });
  await tenant.ask("mutation ($id: ID!) { erasePerson(id: $id) { id } }", { id: ann.id });
  await sender.run();
  expect((await states()).at(-1)).toEqual(["FAILED", "the person has no valid e-mail address"]);
  expect(failing.arrived).toHaveLength(1);
  await sender.stop();
});

it("a permanently rejected mail is given up, and counted", async () => {
  const tenant = await idle.newTenant();
  const ann = await person(tenant, "Ann");
  const id = await order(tenant);
  await tenant.ask(assign, { id, to: ann.id });
  const refusing = await mailServer(() => 550);
  const sender = new MailSender(idle.database, { url: refusing.url, from, publicUrl: undefined });
  await sender.run();
  await sender.stop();
  const { mails } = (await tenant.ask(mailsOf, { id })).workOrder;
  expect(mails).toMatchObject([{ status: "FAILED", attempts: 1, error: "the mail server refused it: EENVELOPE 550" }]);
  const technician = await tenant.as("technician");
  expect((await technician.graphql(mailsOf, { id })).errors?.[0]?.extensions.code).toBe("FORBIDDEN");
});

it("a person deactivated meanwhile gets no mail", async () => {
  const tenant = await idle.newTenant();
  const ann = await person(tenant, "Ann");
  const id = await order(tenant);
  await tenant.ask(assign, { id, to: ann.id });
  await tenant.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: false }) { id } }", { id: ann.id });
  const taking = await mailServer();
  const sender = new MailSender(idle.database, { url: taking.url, from, publicUrl: undefined });
  await sender.run();
  await sender.stop();
  const { mails } = (await tenant.ask(mailsOf, { id })).workOrder;
  expect(mails).toMatchObject([{ status: "FAILED", attempts: 1, error: "the work order is not the person's to do any more" }]);
  expect(taking.arrived).toEqual([]);
});

it("a server that never finishes delays neither the mails nor the process", async () => {
  const tenant = await idle.newTenant();
  const ann = await person(tenant, "Ann");
  const id = await order(tenant);
  await tenant.ask(assign, { id, to: ann.id });
  const sockets: Socket[] = [];
  const dripping = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    socket.write("220 here\r\n");
    const timer = setInterval(() => socket.write("250-still\r\n"), 50);
    socket.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => dripping.listen(0, "127.0.0.1", resolve));
  const { port } = dripping.address() as AddressInfo;
  const sender = new MailSender(idle.database, { url: `smtp://127.0.0.1:${port}`, from, publicUrl: undefined, attemptMs: 500 });
  await sender.run();
  await sender.stop();
  for (const socket of sockets) socket.destroy();
  dripping.close();
  const { mails } = (await tenant.ask(mailsOf, { id })).workOrder;
  expect(mails).toMatchObject([{ status: "PENDING", attempts: 1, error: "the mail server refused it: ETIMEDOUT" }]);
});
