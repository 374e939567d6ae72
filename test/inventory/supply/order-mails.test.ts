/** Purchase orders as PDF, and as mails to suppliers (docs/supply.md, "Sending"). */
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { describe, expect, test } from "vitest";
import { mailServer } from "../../mail-server.js";
import { Caller, startGateway } from "../../world.js";
import { newPerson, orderOk, stepOk, supplied } from "./purchases.js";

let code: number | undefined;
const { arrived, url } = await mailServer(() => code);
const gateway = await startGateway({ SMTP_URL: url, MAIL_FROM: "Buyer <buyer@example.com>", WEBHOOK_POLL_MS: "50" });
/** Sends nothing during a test. */
const idle = await startGateway({ SMTP_URL: url, MAIL_FROM: "buyer@example.com", WEBHOOK_POLL_MS: "3600000" });
const silent = await startGateway({});

const year = new Date().getUTCFullYear();
const mails = "mails { recipient language message status attempts error createdByPrincipal { name } }";

const mail = (caller: Caller, id: string, input?: object) =>
  caller.graphql(
    `mutation ($id: ID!, $input: MailPurchaseOrderInput) { mailPurchaseOrder(id: $id, input: $input) { status sentBy version ${mails} } }`,
    { id, input },
  );
const mailsOf = async (caller: Caller, id: string): Promise<any[]> =>
  (await caller.ask(`query ($id: ID!) { purchaseOrder(id: $id) { ${mails} } }`, { id })).purchaseOrder.mails;

/** A plant with letterhead and address, a supplier with terms, and an approved order of two lines. */
async function plant(on = gateway, contact: object | null = { email: "orders@skf.example", phone: "+46 31 337" }) {
  const tenant = await on.newTenant();
  const { supplierId, partId } = await supplied(tenant);
  await tenant.ask(
    `mutation ($supplier: UpdateSupplierInput!, $id: ID!) {
       updateSupplier(id: $id, input: $supplier) { id }
       updateStockSettings(input: { letterhead: "Łódź Paper GmbH\\nUl. Piotrkowska 1\\nPL 725-000-00-00" }) { letterhead }
       createSite(input: { name: "North", address: "Gate 3\\n1 Dock Road", timeZone: "Europe/Berlin" }) { name address }
     }`,
    { id: supplierId, supplier: { contact, paymentTerms: "30 days net", deliveryTerms: "DAP" } },
  );
  const order = await orderOk(tenant, {
    supplierId,
    site: "North",
    notes: "Ring first",
    lines: [
      { partId, quantity: 1234.5, unit: "each", price: 2.675, promisedAt: "2031-03-01T23:30:00Z" },
      { description: "Crane, one day", quantity: 1, price: 900 },
    ],
  });
  return { tenant, supplierId, partId, order, approved: await stepOk(tenant, "submit", order.id) };
}

async function northKey(tenant: Caller): Promise<Caller> {
  const { createApiKey } = await tenant.ask(
    `mutation { createApiKey(input: { name: "North", role: MANAGER, sites: ["North"], readAll: false }) { key } }`,
  );
  return new Caller(tenant.gateway, tenant.tenantId, createApiKey.key);
}

/** Pages of a PDF as lines of text. */
async function textOf(data: Uint8Array): Promise<string[][]> {
  const pdf = await getDocument({ data, verbosity: 0 }).promise;
  const pages: string[][] = [];
  for (let page = 1; page <= pdf.numPages; page++) {
    const { items } = await (await pdf.getPage(page)).getTextContent();
    pages.push(items.flatMap((item) => ("str" in item && item.str.trim() ? [item.str.replaceAll(/[\u00a0\u202f]/g, " ")] : [])));
  }
  return pages;
}

/** The attached PDF of an arrived mail. */
const attached = (text: string) =>
  new Uint8Array(Buffer.from(/Content-Type: application\/pdf[\s\S]*?\r\n\r\n([\s\S]+?)\r\n--/.exec(text)![1]!, "base64"));

const pdfOf = async (caller: Caller, id: string, language: string) =>
  (await caller.ask(`query ($id: ID!, $language: ShortText!) { purchaseOrder(id: $id) { pdfUrl(language: $language) } }`, { id, language }))
    .purchaseOrder.pdfUrl;

describe("a mail to the supplier", () => {
  test("has the order as a PDF in the supplier's language, and records the order as sent", async () => {
    const { tenant, approved } = await plant();
    const { createPerson } = await tenant.ask(
      `mutation { createPerson(input: { name: "Ann Buyer", email: "ann@example.com", locale: "de-AT" }) { id } }`,
    );
    const { createApiKey } = await tenant.ask(
      `mutation ($id: ID!) { createApiKey(input: { name: "Ann", role: MANAGER, principalId: $id }) { key } }`,
      { id: createPerson.id },
    );
    const ann = new Caller(gateway, tenant.tenantId, createApiKey.key);
    const { data, errors } = await mail(ann, approved.id, { message: "Bitte bis März." });
    expect(errors).toBeUndefined();
    const queued = { recipient: "orders@skf.example", language: "de-AT", message: "Bitte bis März.", error: null };
    expect(data.mailPurchaseOrder).toMatchObject({ status: "SENT", mails: [{ ...queued, createdByPrincipal: { name: "Ann Buyer" } }] });
    await expect.poll(() => mailsOf(tenant, approved.id)).toMatchObject([{ ...queued, status: "DELIVERED", attempts: 1 }]);

    const { to, text } = arrived.at(-1)!;
    expect(to).toEqual(["orders@skf.example"]);
    expect(text).toMatch(/^To: SKF <orders@skf.example>$/m);
    expect(text).toMatch(/^Reply-To: ann@example.com$/m);
    expect(text).toMatch(new RegExp(`^Subject: Bestellung PO-${year}-00001$`, "m"));
    expect(text).toMatch(new RegExp(`filename=PO-${year}-00001.pdf`));
    const [page, ...more] = await textOf(attached(text));
    expect(more).toEqual([]);
    // 1,234.5 × 2.675 = 3,302.2875, rounded to cents. 23:30 UTC is the next day at the site.
    for (const line of [
      "Łódź Paper GmbH",
      `Bestellung PO-${year}-00001`,
      "Gate 3",
      "1 Dock Road",
      "30 days net",
      "DAP",
      "6204",
      "Ball bearing",
      "Liefertermin: 02.03.2031",
      "Crane, one day",
      "Ring first",
      `PO-${year}-00001 · Seite 1 von 1`,
    ])
      expect(page).toContain(line);
    expect(page!.join(" ")).toMatch(/1\.?\s?234,5 Stk\. .*€ 2,675 .*€ 3\.?\s?302,29 .*€ 900,00 .*Summe € 4\.?\s?202,29/);
  });

  test("of a sent order is sent again, also to another address, without another change", async () => {
    const { tenant, approved } = await plant();
    const sent = await stepOk(tenant, "send", approved.id);
    const { data } = await mail(tenant, approved.id, { recipient: "sales@skf.example", language: "fr" });
    expect(data.mailPurchaseOrder).toMatchObject({ status: "SENT", sentBy: sent.sentBy, mails: [{ recipient: "sales@skf.example" }] });
    await expect.poll(() => mailsOf(tenant, approved.id)).toMatchObject([{ status: "DELIVERED" }]);
    expect(arrived.at(-1)!.text).toMatch(new RegExp(`^Subject: Commande PO-${year}-00001$`, "m"));
    await mail(tenant, approved.id);
    await expect.poll(() => mailsOf(tenant, approved.id)).toMatchObject([{}, { recipient: "orders@skf.example", status: "DELIVERED" }]);
  });

  test("that the server refuses fails with its code, not with its text", async () => {
    const { tenant, approved } = await plant();
    code = 550;
    await mail(tenant, approved.id);
    const failed = { status: "FAILED", attempts: 1, error: "the mail server refused it: EENVELOPE 550" };
    await expect.poll(() => mailsOf(tenant, approved.id)).toMatchObject([failed]);
    code = undefined;
  });
});

describe("nothing is sent and nothing changes", () => {
  const refuses = async (tenant: Caller, call: () => Promise<any>, extensions: object) => {
    const before = await tenant.snapshot("PurchaseOrder", "PurchaseOrderMail");
    const { errors } = await call();
    expect(errors?.[0]?.extensions).toMatchObject(extensions);
    expect(await tenant.snapshot("PurchaseOrder", "PurchaseOrderMail")).toEqual(before);
  };

  test("without a mail server", async () => {
    const { tenant, approved } = await plant(silent);
    await refuses(tenant, () => mail(tenant, approved.id), { code: "CONFLICT" });
  });

  test("without a valid address", async () => {
    const { tenant, approved } = await plant(idle, { email: "ask Tom" });
    await refuses(tenant, () => mail(tenant, approved.id), {
      code: "BAD_USER_INPUT",
      details: { recipient: "is required, because the supplier has no valid e-mail address" },
    });
    await refuses(tenant, () => mail(tenant, approved.id, { recipient: "a@b.example,c@d.example" }), { code: "BAD_USER_INPUT" });
  });

  test("of a draft, a cancelled order, or one of another tenant", async () => {
    const { tenant, supplierId, partId, approved } = await plant(idle);
    const draft = await orderOk(tenant, { supplierId, site: "North", lines: [{ partId, quantity: 1 }] });
    await refuses(tenant, () => mail(tenant, draft.id), { code: "CONFLICT", status: "DRAFT" });
    await stepOk(tenant, "cancel", approved.id, { reason: "Wrong" });
    await refuses(tenant, () => mail(tenant, approved.id), { code: "CONFLICT", status: "CANCELLED" });
    const other = await idle.newTenant();
    await refuses(tenant, () => mail(other, draft.id), { code: "NOT_FOUND" });
  });

  test("while a mail to the same address waits", async () => {
    const { tenant, approved } = await plant(idle);
    const results = await Promise.all([1, 2, 3].map(() => mail(tenant, approved.id)));
    expect(results.filter(({ errors }) => !errors)).toHaveLength(1);
    expect(results.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions.code)).toEqual(["CONFLICT", "CONFLICT"]);
    expect(await mailsOf(tenant, approved.id)).toMatchObject([{ status: "PENDING", attempts: 0 }]);
  });

  test("by a key of a site, if a line is for another one", async () => {
    const { tenant, supplierId, partId } = await plant(idle);
    const order = await orderOk(tenant, {
      supplierId,
      site: "North",
      lines: [
        { partId, quantity: 1 },
        { partId, quantity: 1, site: "South" },
      ],
    });
    await stepOk(tenant, "submit", order.id);
    const north = await northKey(tenant);
    await refuses(tenant, () => mail(north, order.id), { code: "FORBIDDEN" });
  });

  test("to a supplier whose order was cancelled meanwhile", async () => {
    const { tenant, approved } = await plant(idle);
    await mail(tenant, approved.id);
    await stepOk(tenant, "cancel", approved.id, { reason: "Wrong" });
    const [row] = await idle.database.query<any>(`select id from "PurchaseOrderMail" where "tenantId" = $1`, [tenant.tenantId]);
    const { MailSender } = await import("../../../src/background/mail-sender.js");
    const before = arrived.length;
    const sender = new MailSender(idle.database, { url, from: "buyer@example.com", publicUrl: undefined });
    await sender.run();
    await sender.stop();
    expect(row.id).toEqual(expect.any(String));
    expect(await mailsOf(tenant, approved.id)).toMatchObject([{ status: "FAILED", error: "the order is cancelled" }]);
    expect(arrived.slice(before).filter(({ text }) => text.includes(row.id))).toEqual([]);
  });
});

describe("the PDF", () => {
  test("is read at a signed link, which names language and order", async () => {
    const { tenant, order } = await plant(idle);
    const link = await pdfOf(tenant, order.id, "en");
    const response = await fetch(link);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(response.headers.get("content-disposition")).toContain(`filename="${order.number}.pdf"`);
    const pages = await textOf(new Uint8Array(await response.arrayBuffer()));
    expect(pages).toHaveLength(1);
    expect(pages[0]).toEqual(expect.arrayContaining([`Purchase order ${order.number}`, "€3,302.29", "€4,202.29"]));
    for (const changed of [
      link.replace("language=en", "language=de"),
      link.replace(order.id, "other"),
      link.replace(/expires=\d/, "expires=9"),
    ]) {
      const { status, headers } = await fetch(changed);
      expect([status, headers.get("content-type")]).toEqual([403, "application/json; charset=utf-8"]);
    }
  });

  test("repeats the head of the table on each page", async () => {
    const { tenant, supplierId, partId } = await plant(idle);
    const lines = Array.from({ length: 60 }, (_, i) => ({ partId, quantity: 1, unit: "each", price: i + 1, description: `Item ${i + 1}` }));
    const order = await orderOk(tenant, { supplierId, site: "North", lines });
    const pages = await textOf(new Uint8Array(await (await fetch(await pdfOf(tenant, order.id, "nl"))).arrayBuffer()));
    expect(pages.length).toBeGreaterThan(1);
    for (const [i, page] of pages.entries()) {
      expect(page).toContain("Omschrijving");
      expect(page).toContain(`${order.number} · Pagina ${i + 1} van ${pages.length}`);
    }
    const items = pages.flat().filter((text) => /^Item \d+$/.test(text));
    expect(items).toEqual(lines.map(({ description }) => description));
    // 1 + 2 + … + 60.
    expect(pages.at(-1)).toContain("€ 1.830,00");
  });

  test("is not offered to keys that read only their sites", async () => {
    const { tenant, order } = await plant(idle);
    const north = await northKey(tenant);
    expect(await pdfOf(north, order.id, "en")).toBeNull();
    const { caller } = await newPerson(tenant, "Bob", "VIEWER");
    expect(await pdfOf(caller, order.id, "en")).toEqual(expect.stringContaining("/purchase-orders/"));
  });
});
