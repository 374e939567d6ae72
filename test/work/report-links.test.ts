/** Report links (docs/work.md): anyone with the link reports a fault without a key and follows the report, and sees nothing else. */
import { expect, test } from "vitest";
import { Caller, onPostgresql, sharedGateway, startGateway } from "../world.js";

const gateway = await sharedGateway();

const create =
  "mutation ($input: CreateReportLinkInput!) { createReportLink(input: $input) { url link { id name assetId site createdBy revokedAt } } }";
const linkOf = async (caller: Caller, input: object): Promise<{ url: string; link: { id: string } }> =>
  (await caller.ask(create, { input: { name: "Label at the press", ...input } })).createReportLink;
const revoke = (caller: Caller, id: string) =>
  caller.graphql("mutation ($id: ID!) { revokeReportLink(id: $id) { id revokedAt revokedBy } }", { id });
const codesOf = ({ errors }: { errors?: { extensions: Record<string, any> }[] }) => errors?.map(({ extensions }) => extensions.code);

const get = async (url: string) => {
  const response = await fetch(url, { redirect: "manual", headers: { accept: "text/html" } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const send = async (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
    // As browsers do on a page without referrer.
    headers: { origin: "null", ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
/** Sends a report and returns the address at which its status is shown. */
const report = async (url: string, fields: Record<string, string>): Promise<string> => {
  const { status, headers, text } = await send(url, fields);
  expect([status, text]).toEqual([303, ""]);
  const location = headers.get("location")!;
  expect(location).toMatch(new RegExp(`^${new URL(url).pathname}/[0-9a-f-]{36}-[0-9a-f]{32}$`));
  return new URL(location, url).href;
};
/** The texts of a page, without its markup. */
const wordsOf = (text: string) =>
  text
    .replace(/<title>.*?<\/title>|<style>.*?<\/style>/gs, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
const requestsOf = async (admin: Caller) =>
  (
    await admin.ask(
      "{ workRequests { nodes { id assetId description urgency productionStopped reporterName createdBy createdByPrincipal { id } } } }",
    )
  ).workRequests.nodes;

test("a fault is reported at the link of an asset without a key and followed until it is done", async () => {
  const admin = await gateway.newTenant();
  await admin.ask('mutation { createSite(input: { name: "North", timeZone: "Pacific/Auckland" }) { name } }');
  const { id: asset } = await admin.createAsset({ name: "Press <1> & Co", site: "North", area: "Hall 1" });
  const manager = await admin.as("manager");
  const { url, link } = await linkOf(manager, { assetId: asset });
  expect(url).toMatch(new RegExp(`^${gateway.url}/report/[0-9a-f]{64}$`));
  expect(link).toEqual({
    id: expect.any(String),
    name: "Label at the press",
    assetId: asset,
    site: null,
    createdBy: expect.any(String),
    revokedAt: null,
  });

  const form = await get(url);
  expect([form.status, form.headers.get("content-type"), form.headers.get("cache-control"), form.headers.get("referrer-policy")]).toEqual([
    200,
    "text/html; charset=utf-8",
    "no-store",
    "no-referrer",
  ]);
  const policy = form.headers.get("content-security-policy")!;
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/);
  expect(form.headers.get("x-robots-tag")).toBe("noindex, nofollow");
  expect(form.text).not.toMatch(/<script|https?:|<1>/);
  expect(form.text).toContain("<strong>Press &lt;1&gt; &amp; Co</strong>, North");

  const address = await report(url, { description: "It hums\r\nloudly", name: "Olga O'Neil", stopped: "yes" });
  expect(await requestsOf(admin)).toEqual([
    {
      id: expect.any(String),
      assetId: asset,
      description: "It hums\nloudly",
      urgency: "MEDIUM",
      productionStopped: true,
      reporterName: "Olga O'Neil",
      createdBy: link.id,
      createdByPrincipal: null,
    },
  ]);
  const [{ id: request }] = await requestsOf(admin);
  const { changes } = await admin.ask(
    "query ($id: ID!) { changes(filter: { recordId: $id }) { nodes { kind changedBy operation source } } }",
    { id: request },
  );
  expect(changes.nodes).toEqual([{ kind: "CREATED", changedBy: link.id, operation: "reportByLink", source: "REST" }]);

  const state = async () => wordsOf((await get(address)).text);
  expect(await state()).toMatch(/^Your report Received Maintenance has not decided yet\. Reported on \d+ \w+ 20\d\d\. Keep the address/);
  const { acceptWorkRequest } = await admin.ask(
    `mutation ($id: ID!) { acceptWorkRequest(id: $id, input: { title: "Secret plan", scheduledDate: "2031-03-30T12:00:00Z" }) { workOrder { id } } }`,
    { id: request },
  );
  const order = acceptWorkRequest.workOrder;
  // In the time zone of the site.
  expect(await state()).toContain("Accepted The work is planned for 31 March 2031.");
  await admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", order);
  expect(await state()).toContain("Accepted The work has begun.");
  await admin.ask("mutation ($id: ID!) { completeWorkOrder(id: $id, input: {}) { id } }", order);
  expect(await state()).toMatch(/Done The work was completed on \d+ \w+ 20\d\d\./);
  const { text } = await get(address);
  for (const hidden of ["Press", "hums", "Olga", "North", "Secret", asset, request.slice(0, 8)]) expect(text).not.toContain(hidden);
});

test("a declined report shows the reason, with everything escaped", async () => {
  const admin = await gateway.newTenant();
  const { id: asset } = await admin.createAsset();
  const { url } = await linkOf(admin, { assetId: asset });
  const address = await report(url, { description: "x" });
  const [{ id, reporterName }] = await requestsOf(admin);
  expect(reporterName).toBeNull();
  await admin.ask("mutation ($id: ID!, $reason: RequiredText!) { declineWorkRequest(id: $id, reason: $reason) { id } }", {
    id,
    reason: `No "spare" <b>part</b> & it's old`,
  });
  expect((await get(address)).text).toContain("Reason: No &quot;spare&quot; &lt;b&gt;part&lt;/b&gt; &amp; it&#39;s old");
});

test("the link of a site offers its assets only", async () => {
  const admin = await gateway.newTenant();
  const here = await admin.createAsset({ name: 'Tank "A"', site: "North", area: "<Farm>" });
  const there = await admin.createAsset({ name: "Mill", site: "South" });
  const gone = await admin.createAsset({ name: "Gone", site: "North" });
  await admin.rest("DELETE", `/assets/${gone.id}`);
  const { url } = await linkOf(admin, { site: "North" });
  const { text } = await get(url);
  expect(text).toContain(`<optgroup label="&lt;Farm&gt;"><option value="${here.id}">Tank &quot;A&quot;</option></optgroup>`);
  expect(text).not.toMatch(/Mill|Gone|Find the machine/);
  for (const asset of ["", there.id, gone.id, "no-such", `${here.id}'`]) {
    const refused = await send(url, { asset, description: '"><script>alert(1)</script>', name: "<i>" });
    expect(refused.status, asset).toBe(400);
    expect(refused.text).toContain('id="asset-wrong"');
    // The entries are kept, and escaped.
    expect(refused.text).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(refused.text).toContain('value="&lt;i&gt;"');
    expect(refused.text).not.toMatch(/<script|<i>/);
  }
  expect(await requestsOf(admin)).toEqual([]);
  await report(url, { asset: here.id, description: "Leaks" });
  expect((await requestsOf(admin)).map(({ assetId }: any) => assetId)).toEqual([here.id]);
  // Many assets are found by words.
  const { text: found } = await get(`${url}?q=${encodeURIComponent('k "')}`);
  expect(found).toContain('name="q" maxlength="100" value="k &quot;"');
  expect(found).toContain(here.id);
  expect((await get(`${url}?q=mill`)).text).not.toContain(`<option value="${here.id}`);
});

test("what cannot be stored is refused with its field named, and other bodies are refused plainly", async () => {
  const admin = await gateway.newTenant();
  const { id: asset } = await admin.createAsset();
  const { url } = await linkOf(admin, { assetId: asset });
  const wrong = async (fields: Record<string, string>) => {
    const { status, text } = await send(url, fields);
    return [status, /<p class="wrong" id="(\w+)-wrong">(.*?)<\/p>/.exec(text)?.slice(1)];
  };
  expect(await wrong({})).toEqual([400, ["description", "Describe what is wrong."]]);
  expect(await wrong({ description: " \r\n " })).toEqual([400, ["description", "Describe what is wrong."]]);
  expect(await wrong({ description: "ü".repeat(2001) })).toEqual([400, ["description", "Use at most 2000 characters."]]);
  expect(await wrong({ description: "x", name: "n".repeat(101) })).toEqual([400, ["name", "Use at most 100 characters."]]);
  const titleOf = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
  const long = await send(url, { description: "ü".repeat(20_000) });
  expect([long.status, titleOf(long.text)]).toEqual([413, "The report is too long"]);
  const zero = await send(url, { description: "a\0b" });
  expect([zero.status, titleOf(zero.text)]).toEqual([400, "The form could not be read"]);
  const json = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: '{"description":"x"}' });
  expect([json.status, json.headers.get("content-type"), titleOf(await json.text())]).toEqual([
    415,
    "text/html; charset=utf-8",
    "The form could not be read",
  ]);
  expect(await requestsOf(admin)).toEqual([]);
  // The asset is the link's, whatever is sent.
  const other = await admin.createAsset({ name: "Other" });
  await report(url, { description: "x", asset: other.id });
  expect((await requestsOf(admin)).map(({ assetId }: any) => assetId)).toEqual([asset]);
});

test("a revoked or unknown link, a deleted asset and a foreign tracking code are the same page not found", async () => {
  const admin = await gateway.newTenant();
  const { id: asset } = await admin.createAsset({ site: "North" });
  const { url, link } = await linkOf(admin, { assetId: asset });
  const other = await linkOf(admin, { site: "North" });
  const address = await report(url, { description: "x" });
  const tracking = address.slice(url.length);
  const unknown = await get(`${gateway.url}/report/${"0".repeat(64)}`);
  expect([unknown.status, wordsOf(unknown.text)]).toEqual([404, "Page not found This address is not valid, or no longer."]);
  const isUnknown = async (path: string) => {
    const { status, text, headers } = await get(path);
    expect([status, text, headers.get("content-type")], path).toEqual([404, unknown.text, "text/html; charset=utf-8"]);
  };
  for (const path of ["x", `${"0".repeat(63)}`, `${"g".repeat(64)}`]) await isUnknown(`${gateway.url}/report/${path}`);
  await isUnknown(other.url + tracking);
  for (const end of ["0", "", "g"]) await isUnknown(`${address.slice(0, -1)}${address.endsWith("0") && end === "0" ? "1" : end}`);
  await isUnknown(`${url}/${crypto.randomUUID()}-${"0".repeat(32)}`);
  expect((await get(address)).status).toBe(200);

  const revoked = await revoke(admin, link.id);
  expect(revoked.data.revokeReportLink).toEqual({ id: link.id, revokedAt: expect.any(String), revokedBy: expect.any(String) });
  // Revoking again changes nothing.
  expect((await revoke(admin, link.id)).data).toEqual(revoked.data);
  await isUnknown(url);
  await isUnknown(address);
  const before = await admin.snapshot("WorkRequest");
  expect((await send(url, { description: "x" })).status).toBe(404);
  expect(await admin.snapshot("WorkRequest")).toEqual(before);

  const second = await linkOf(admin, { assetId: asset });
  await admin.rest("DELETE", `/assets/${asset}`);
  await isUnknown(second.url);
  expect((await get(other.url)).status).toBe(200);
});

test("managers make, list and revoke links at their sites; only a hash of the secret is stored", async () => {
  const admin = await gateway.newTenant();
  const [north, south] = [await admin.createAsset({ site: "North" }), await admin.createAsset({ site: "South" })];
  const ofSouth = await admin.as("manager", ["South"], false);
  const { url, link } = await linkOf(ofSouth, { assetId: south.id });
  const atNorth = await linkOf(admin, { site: "North" });
  const assetAtNorth = await linkOf(admin, { assetId: north.id });
  const rows = await gateway.database.query<any>(`select to_jsonb(l)::text as row from "ReportLink" l where "tenantId" = $1`, [
    admin.tenantId,
  ]);
  expect(rows).toHaveLength(3);
  for (const { row } of rows) expect(row).not.toContain(url.slice(-64));

  const listed = async (caller: Caller, filter = "") =>
    (await caller.ask(`{ reportLinks${filter} { id } }`)).reportLinks.map(({ id }: any) => id);
  expect(await listed(admin)).toEqual([assetAtNorth.link.id, atNorth.link.id, link.id]);
  expect(await listed(admin, `(assetId: "${south.id}")`)).toEqual([link.id]);
  expect(await listed(admin, '(site: "North")')).toEqual([atNorth.link.id]);
  expect(await listed(ofSouth)).toEqual([link.id]);

  const before = await admin.snapshot("ReportLink");
  const readsAll = await admin.as("manager", ["South"]);
  for (const input of [{ site: "North" }, { assetId: north.id }])
    expect(codesOf(await readsAll.graphql(create, { input: { name: "L", ...input } })), JSON.stringify(input)).toEqual(["FORBIDDEN"]);
  for (const one of [atNorth, assetAtNorth]) expect(codesOf(await revoke(readsAll, one.link.id))).toEqual(["FORBIDDEN"]);
  for (const input of [{}, { site: "North", assetId: north.id }, { site: "None" }, { assetId: "none" }])
    expect(codesOf(await admin.graphql(create, { input: { name: "L", ...input } })), JSON.stringify(input)).toEqual(["BAD_USER_INPUT"]);
  const technician = await admin.as("technician");
  expect(codesOf(await technician.graphql(create, { input: { name: "L", site: "North" } }))).toEqual(["FORBIDDEN"]);
  expect(codesOf(await revoke(technician, link.id))).toEqual(["FORBIDDEN"]);
  expect(codesOf(await technician.graphql("{ reportLinks { id } }"))).toEqual(["FORBIDDEN"]);
  const stranger = await gateway.newTenant();
  expect(codesOf(await revoke(stranger, link.id))).toEqual(["NOT_FOUND"]);
  expect(codesOf(await stranger.graphql(create, { input: { name: "L", assetId: north.id } }))).toEqual(["BAD_USER_INPUT"]);
  expect(await admin.snapshot("ReportLink")).toEqual(before);

  await revoke(admin, link.id);
  expect(await listed(ofSouth)).toEqual([]);
  await revoke(admin, atNorth.link.id);
  expect(codesOf(await revoke(readsAll, atNorth.link.id))).toEqual(["FORBIDDEN"]);
  for (let n = 0; n < 20; n++) await linkOf(admin, { site: "North" });
  expect(codesOf(await admin.graphql(create, { input: { name: "L", site: "North" } }))).toEqual(["CONFLICT"]);
});

test("the database holds the wall: no key of one site writes a link of another", async () => {
  const admin = await gateway.newTenant();
  await admin.createAsset({ site: "North" });
  const { link } = await linkOf(admin, { site: "North" });
  const attempt = gateway.database.transaction(async (tx) => {
    await tx.query(`select set_config('gateway.author', '{"by":"x","sites":["South"]}', true)`);
    await tx.query(`update "ReportLink" set name = 'taken' where id = $1`, [link.id]);
  });
  await expect(attempt).rejects.toThrow();
});

test("each client sends a limited number of reports, and asset moves take the link along", async () => {
  const proxied = await startGateway({ TRUST_PROXY: "true" });
  const admin = await proxied.newTenant();
  const { id: asset } = await admin.createAsset({ site: "North" });
  const { url } = await linkOf(admin, { assetId: asset });
  const from = (address: string, description = "x") => send(url, { description }, { "x-forwarded-for": address });
  for (let n = 0; n < 20; n++) expect((await from("203.0.113.7")).status).toBe(303);
  const refused = await from("203.0.113.7");
  expect([refused.status, wordsOf(refused.text)]).toEqual([
    429,
    "Too many reports Try again later. If it is urgent, tell maintenance directly.",
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  // Others are not affected. A client of IPv6 changes its address within a network.
  expect((await from("203.0.113.8")).status).toBe(303);
  for (let n = 0; n < 20; n++) expect((await from(`2001:db8:1:2::${n + 1}`)).status).toBe(303);
  expect((await from("2001:db8:1:2:ffff::1")).status).toBe(429);
  // A link is limited too.
  for (let n = 0; n < 79; n++) expect((await from(`198.51.100.${n}`)).status).toBe(303);
  expect((await from("198.51.100.200")).status).toBe(429);
  // The page itself is still shown.
  expect((await get(url)).status).toBe(200);
  await admin.rest("PUT", `/assets/${asset}`, { site: "South" });
  expect((await get(url)).text).toContain("</strong>, South");
});

test("a place has at most 20 links, also when they are made at once", async () => {
  const admin = await gateway.newTenant();
  const { id: assetId } = await admin.createAsset({ site: "North" });
  const make = () => admin.graphql(create, { input: { name: "Gate", assetId } });
  for (let i = 0; i < 19; i++) expect(codesOf(await make())).toBeUndefined();
  const { database } = gateway;
  const waiting = async () =>
    (
      await database.query<{ count: number }>("select count(*)::int as count from pg_locks where not granted and pid <> pg_backend_pid()")
    )[0]!.count;
  // Both requests have begun before either can insert. The embedded database runs one transaction at a time.
  let made: ReturnType<typeof make>[] = [];
  if (onPostgresql)
    await database.transaction(async (tx) => {
      await tx.query('lock table "ReportLink" in share mode');
      made = [make(), make()];
      await expect.poll(waiting).toBeGreaterThanOrEqual(2);
    });
  else made = [make(), make()];
  expect((await Promise.all(made)).map(codesOf).sort()).toEqual([["CONFLICT"], undefined]);
  expect((await admin.ask("query ($id: ID!) { reportLinks(assetId: $id) { id } }", { id: assetId })).reportLinks).toHaveLength(20);
});
