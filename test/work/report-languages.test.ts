/** Languages of public fault pages: by Accept-Language, or by `?lang=`. */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const pageAt = async (url: string, language?: string, fields?: Record<string, string>) => {
  const response = await fetch(url, {
    ...(fields && { method: "POST", body: new URLSearchParams(fields) }),
    redirect: "manual",
    headers: { origin: "null", ...(language !== undefined && { "accept-language": language }) },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const titleOf = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
const languageOf = (text: string) => /<html lang="(\w+)">/.exec(text)?.[1];
const linkAt = async (admin: Caller, input: object): Promise<string> =>
  (
    await admin.ask("mutation ($input: CreateReportLinkInput!) { createReportLink(input: $input) { url } }", {
      input: { name: "Label", ...input },
    })
  ).createReportLink.url;

/** An asset with its link, at a site in New Zealand. */
const place = async () => {
  const admin = await gateway.newTenant();
  await admin.ask('mutation { createSite(input: { name: "North", timeZone: "Pacific/Auckland" }) { name } }');
  const { id: assetId } = await admin.createAsset({ site: "North" });
  return { admin, assetId, url: await linkAt(admin, { assetId }) };
};

test.each([
  ["en", "en", "Report a fault"],
  ["de", "de-CH, en;q=0.8", "Störung melden"],
  ["fr", "en;q=0.5, fr-FR", "Signaler une panne"],
  ["nl", "pt-BR, nl;q=0.3", "Storing melden"],
  ["es", "ES-mx", "Notificar una avería"],
  ["en", "pt, *;q=0.5", "Report a fault"],
  ["en", "de;q=0", "Report a fault"],
  ["en", "", "Report a fault"],
  ["en", "!!, x-, constructor, de_", "Report a fault"],
])("the form is in %s for Accept-Language: %s", async (language, accepted, title) => {
  const { url } = await place();
  const { text, headers } = await pageAt(url, accepted);
  expect([languageOf(text), headers.get("content-language"), titleOf(text)]).toEqual([language, language, title]);
  expect(headers.get("vary")?.split(", ")).toContain("accept-language");
});

test("lang in the address goes before the browser's languages, on every page up to the report", async () => {
  const { admin, assetId, url } = await place();
  const german = await pageAt(`${url}?lang=de`, "fr");
  expect([languageOf(german.text), german.headers.get("content-language")]).toEqual(["de", "de"]);
  const refused = await pageAt(`${url}?lang=de`, "fr", { description: "", name: "n".repeat(101) });
  expect([refused.status, languageOf(refused.text)]).toEqual([400, "de"]);
  expect(refused.text).toContain('<p class="wrong" id="description-wrong">Beschreiben Sie die Störung.</p>');
  expect(refused.text).toContain('<p class="wrong" id="name-wrong">Verwenden Sie höchstens 100 Zeichen.</p>');
  const sent = await pageAt(`${url}?lang=de`, "fr", { description: "Sie brummt" });
  expect(sent.headers.get("location")).toMatch(/^\/report\/\w{64}\/[\w-]+\?lang=de$/);
  const status = await pageAt(new URL(sent.headers.get("location")!, url).href, "fr");
  expect([languageOf(status.text), titleOf(status.text)]).toEqual(["de", "Ihre Meldung"]);
  // An unknown language leaves the choice to the browser.
  expect(languageOf((await pageAt(`${url}?lang=xx`, "fr")).text)).toBe("fr");
  const plain = await pageAt(`${url}?lang=xx`, "fr", { description: "x" });
  expect(plain.headers.get("location")).not.toContain("lang");
  // The search of a site's link keeps the language.
  const site = await linkAt(admin, { site: "North" });
  const found = await pageAt(`${site}?lang=nl&q=x`, "fr");
  expect(found.text).toContain(
    '<form method="get" role="search"><input type="hidden" name="lang" value="nl"><label for="q">Machine zoeken</label>',
  );
  expect((await pageAt(`${site}?q=x`, "nl")).text).toContain('<form method="get" role="search"><label for="q">Machine zoeken</label>');
  const choice = await pageAt(site, "es", { asset: `${assetId}x`, description: "x" });
  expect(choice.text).toContain('<p class="wrong" id="asset-wrong">Elija una máquina de la lista.</p>');
});

test("the status of a report has its words and days in the language and region", async () => {
  const { admin, url } = await place();
  const sent = await pageAt(url, "en", { description: "x" });
  const address = new URL(sent.headers.get("location")!, url).href;
  const { workRequests } = await admin.ask("{ workRequests { nodes { id } } }");
  await admin.ask(
    'mutation ($id: ID!) { acceptWorkRequest(id: $id, input: { title: "T", scheduledDate: "2031-03-30T12:00:00Z" }) { workOrder { id } } }',
    { id: workRequests.nodes[0].id },
  );
  const shown = async (language: string) =>
    /<p class="state">(.*?)<\/p><p>(.*?)<\/p>/.exec((await pageAt(address, language)).text)?.slice(1);
  expect(await shown("en")).toEqual(["Accepted", "The work is planned for 31 March 2031."]);
  expect(await shown("en-US")).toEqual(["Accepted", "The work is planned for March 31, 2031."]);
  expect(await shown("de")).toEqual(["Angenommen", "Die Arbeit ist für den 31. März 2031 geplant."]);
  expect(await shown("fr")).toEqual(["Accepté", "Le travail est prévu le 31 mars 2031."]);
  expect(await shown("nl")).toEqual(["Geaccepteerd", "Het werk is gepland voor 31 maart 2031."]);
  expect(await shown("es")).toEqual(["Aceptado", "El trabajo está programado para el 31 de marzo de 2031."]);
});

test("refusals are in the language of the reader", async () => {
  const { url } = await place();
  const unknown = `${gateway.url}/report/${"0".repeat(64)}`;
  for (const [language, title] of [
    ["en", "Page not found"],
    ["de", "Seite nicht gefunden"],
    ["fr", "Page introuvable"],
    ["nl", "Pagina niet gevonden"],
    ["es", "Página no encontrada"],
  ] as const) {
    const { status, text, headers } = await pageAt(unknown, language);
    expect([status, titleOf(text), languageOf(text), headers.get("content-language")]).toEqual([404, title, language, language]);
  }
  const long = await pageAt(url, "de", { description: "ü".repeat(20_000) });
  expect([long.status, titleOf(long.text)]).toEqual([413, "Die Meldung ist zu lang"]);
  expect(long.text).toContain("<p>Gehen Sie zurück und verwenden Sie höchstens 2000 Zeichen.</p>");
});
