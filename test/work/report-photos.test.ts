/** Photos on public fault pages: sent with the report, checked like other photos, and stored only with it. */
import { expect, test } from "vitest";
import { image } from "../files/photos.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway({ TRUST_PROXY: "true", MAX_PHOTO_BYTES: "1048576" });
const png = await image("png", 60, 40);

const place = async () => {
  const admin = await gateway.newTenant();
  const { id: assetId } = await admin.createAsset({ site: "North" });
  const create = "mutation ($input: CreateReportLinkInput!) { createReportLink(input: $input) { url link { id } } }";
  const { createReportLink } = await admin.ask(create, { input: { name: "Label", assetId } });
  return { admin, assetId, url: createReportLink.url as string, linkId: createReportLink.link.id as string };
};
type Part = [name: string, value: string | { content: Uint8Array | string; name: string; type?: string }];
const photo = (name: string, content: Uint8Array | string = png, type = "image/png"): Part => ["photos", { name, content, type }];

const send = async (url: string, parts: Part[], headers: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [name, value] of parts)
    if (typeof value === "string") form.append(name, value);
    else form.append(name, new Blob([value.content as any], { type: value.type ?? "" }), value.name);
  const response = await fetch(url, { method: "POST", body: form, redirect: "manual", headers: { origin: "null", ...headers } });
  return { status: response.status, location: response.headers.get("location"), text: await response.text() };
};
const requestsOf = async (admin: Caller) =>
  (
    await admin.ask(
      "{ workRequests { nodes { description reporterName productionStopped createdBy attachments { filename contentType url uploadedBy } } } }",
    )
  ).workRequests.nodes;
const rowsOf = async ({ tenantId }: Caller) =>
  (await gateway.database.query<{ n: number }>(`select count(*)::int as n from "Attachment" where "tenantId" = $1`, [tenantId]))[0]!.n;
const wrongOf = (text: string) =>
  [...text.matchAll(/<p class="wrong" id="(\w+)-wrong">(.*?)<\/p>/g)].map(([, field, said]) => [field, said]);

test("a report is sent with up to three photos", async () => {
  const { admin, url, linkId } = await place();
  const page = await (await fetch(url)).text();
  expect(page).toContain('<form method="post" enctype="multipart/form-data">');
  expect(page).toContain(
    '<label for="photos">Photos (optional, at most 3)</label><input type="file" id="photos" name="photos" accept="image/jpeg,image/png,image/gif,image/webp" multiple>',
  );
  const fields: Part[] = [
    ["description", "It drips\r\nfast"],
    ["name", "Olga"],
    ["stopped", "yes"],
  ];
  const photos = [photo("a.png"), photo("b.jpg", await image("jpeg", 30, 30), "image/jpeg"), photo("c.png")];
  const { status, location } = await send(url, [...fields, ...photos]);
  expect([status, location]).toEqual([303, expect.stringMatching(/^\/report\/\w{64}\/[0-9a-f-]{36}-\w{32}$/)]);
  const [report] = await requestsOf(admin);
  report.attachments.sort((a: any, b: any) => a.filename.localeCompare(b.filename));
  const shown = (filename: string, contentType: string) => ({ filename, contentType, url: expect.any(String), uploadedBy: linkId });
  expect(report).toEqual({
    description: "It drips\nfast",
    reporterName: "Olga",
    productionStopped: true,
    createdBy: linkId,
    attachments: [shown("a.png", "image/png"), shown("b.jpg", "image/jpeg"), shown("c.png", "image/png")],
  });
  expect((await fetch(report.attachments[1].url)).status).toBe(200);
  // The page of the report shows no photo.
  expect(await (await fetch(new URL(location!, url))).text()).not.toMatch(/<img|\.png/);
});

test("a form without photos is sent, as browsers send it", async () => {
  const { admin, url } = await place();
  const none: Part = ["photos", { name: "", content: "", type: "application/octet-stream" }];
  expect((await send(url, [["description", "Leaks"], ["name", ""], none])).status).toBe(303);
  expect((await requestsOf(admin)).map(({ description, attachments }: any) => [description, attachments])).toEqual([["Leaks", []]]);
});

test("too many, foreign or too large files refuse the report, and store nothing", async () => {
  const { admin, url } = await place();
  const text: Part = ["description", "Leaks"];
  const bad = [["photos", "Use photos in JPG, PNG, GIF or WebP of at most 1 MB. Choose them again."]];
  for (const [photos, wrong] of [
    [["a", "b", "c", "d"].map((name) => photo(name)), [["photos", "Use at most 3 photos. Choose them again."]]],
    [[photo("a.png"), photo("b.png", "<svg onload='alert(1)'>")], bad],
    [[photo("a.html", "<script>", "text/html")], bad],
    [[photo("a.pdf", "%PDF-1.7", "application/pdf")], bad],
    [[photo("a.png", new Uint8Array(1_100_000))], bad],
  ] as [Part[], string[][]][]) {
    const refused = await send(url, [text, ...photos]);
    expect([refused.status, wrongOf(refused.text)]).toEqual([400, wrong]);
    expect(refused.text).toContain(">Leaks</textarea>");
  }
  // A form with another fault stores no photo.
  const empty = await send(url, [["description", " "], photo("a.png")]);
  expect([empty.status, wrongOf(empty.text)]).toEqual([
    400,
    [
      ["description", "Describe what is wrong."],
      ["photos", "Choose the photos again."],
    ],
  ]);
  const german = await send(`${url}?lang=de`, [["description", ""], photo("a.png")]);
  expect(wrongOf(german.text)).toEqual([
    ["description", "Beschreiben Sie die Störung."],
    ["photos", "Wählen Sie die Fotos erneut aus."],
  ]);
  for (const [parts, status] of [
    [[photo("a.png"), text], 400],
    [[text, photo("a.png"), ["name", "Olga"]], 400],
    [[["description", "ü".repeat(20_000)]], 413],
  ] as [Part[], number][])
    expect((await send(url, parts)).status).toBe(status);
  expect((await send(url.replace(/\w{64}$/, "0".repeat(64)), [text, photo("a.png")])).status).toBe(404);
  const cut = await fetch(url, { method: "POST", headers: { "content-type": "multipart/form-data" }, body: "x" });
  expect(cut.status).toBe(400);
  expect(await requestsOf(admin)).toEqual([]);
  await expect.poll(() => rowsOf(admin)).toBe(0);
});

test("a client that sent its reports of the hour stores no more photos", async () => {
  const { admin, url } = await place();
  const from = (parts: Part[]) => send(url, parts, { "x-forwarded-for": "203.0.113.9" });
  // A photo that is refused counts too, because it was received.
  expect((await from([["description", "x"], photo("a.html", "<p>", "text/html")])).status).toBe(400);
  for (let n = 0; n < 18; n++) expect((await from([["description", "x"]])).status).toBe(303);
  expect((await from([["description", "x"], photo("a.png")])).status).toBe(303);
  const stored = await rowsOf(admin);
  expect((await from([["description", "x"], photo("b.png")])).status).toBe(429);
  expect((await from([["description", "x"]])).status).toBe(429);
  expect([stored, await rowsOf(admin)]).toEqual([1, 1]);
});
