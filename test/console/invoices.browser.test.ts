/** Invoices in the console: a buyer enters one that is too high, another manager accepts it, and a draft is corrected, matched and cancelled. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { createInvoice, invoiceOk, receiveOk } from "../inventory/supply/invoices.js";
import { sentOrder } from "../inventory/supply/purchases.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { type ConsolePage, expectContrastInDark, widthOf } from "./console.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

const sold = { unitOfMeasure: "EACH" };

const invoicesOf = async (admin: Caller) =>
  (
    await admin.ask(
      `{ supplierInvoices { nodes { number status site currency exchangeRate total notes dueDate cancellationReason
         lines { quantity amount orderedAmount matchedQuantity status acceptanceReason acceptedByPrincipal { name } } } } }`,
    )
  ).supplierInvoices.nodes;

const stockOf = async (admin: Caller, id: string) =>
  (await admin.ask("query ($id: ID!) { part(id: $id) { stockLevels { quantity totalValue } } }", { id })).part.stockLevels;

describe.runIf(hasBrowser)(`invoices in the console in ${CHROMIUM}`, () => {
  let browser: Browser;

  const button = ({ page }: ConsolePage, name: string) => page.getByRole("main").getByRole("button", { name, exact: true });
  const link = ({ page }: ConsolePage, name: string | RegExp) => page.getByRole("main").getByRole("link", { name });
  const region = ({ page }: ConsolePage, name: string) => page.getByRole("region", { name, exact: true });
  const lineOf = (own: ConsolePage, name: string) => region(own, "Lines").locator("li.unit-line").filter({ hasText: name });
  const at = async (own: ConsolePage, heading: string) => {
    await own.page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
    await own.isQuiet();
  };

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it.each(["desktop", "phone", "keyboard"] as const)("enters, posts, holds, accepts and matches an invoice on a %s", async (device) => {
    const admin = await gateway.newTenant();
    const { ann, bob, sam, order, partId } = await sentOrder(admin, sold);
    await receiveOk(sam.caller, order.lines[0].id, { accepted: 32 });
    const title = `Purchase order ${order.number}`;
    const story = new Story("an invoice", device, browser, gateway);

    const buyer = await story.signIn(ann.caller.key, `/purchases/${order.id}`, title);
    await story.press(link(buyer, "Enter invoice"));
    await at(buyer, "New invoice");
    const field = (name: string) => buyer.page.getByRole("main").getByLabel(name, { exact: true });
    const bearings = buyer.page.getByRole("group", { name: "Line 1: Ball bearing" });
    const crane = buyer.page.getByRole("group", { name: "Line 2: Crane, one day" });
    expect(await bearings.innerText()).toMatch(/Ordered 60 each · Received 32 each · Invoiced 0 each/);
    // 32 pieces at 2.50. The crane has not come.
    const values = async (line: Locator) => [
      await line.getByLabel(/^Quantity/).inputValue(),
      await line.getByLabel("Amount, EUR", { exact: true }).inputValue(),
    ];
    expect([await values(bearings), await values(crane)]).toEqual([
      ["32", "80"],
      ["", ""],
    ]);
    await story.fill(field("Number of the invoice"), "R-1");
    await story.fill(field("Due date"), "2040-03-01");
    await story.fill(bearings.getByLabel("Amount, EUR", { exact: true }), "83.20");
    await story.passes(buyer);
    await story.press(button(buyer, "Save draft"));
    await at(buyer, "Invoice R-1");
    const line = lineOf(buyer, "Ball bearing");
    const figures = (matched: number) =>
      new RegExp(
        `Ordered\\s60 each\\s€150\\.00\\sReceived\\s32 each\\s€80\\.00\\sInvoiced\\s32 each\\s€83\\.20\\sMatched\\s${matched} each`,
      );
    expect(await line.innerText()).toMatch(figures(0));
    expect(await region(buyer, "Facts").innerText()).toMatch(/PO-\d{4}-00001.*North.*1 Mar 2040.*€83\.20.*Ann/s);
    await story.passes(buyer);
    await story.press(button(buyer, "Post"));
    await line.getByText("On hold").waitFor();
    expect(await line.innerText()).toMatch(/Price: €3\.20 more than the ordered €80\.00/);
    expect(await stockOf(admin, partId)).toEqual([{ quantity: 32, totalValue: 80 }]);

    // Not by the author.
    await story.press(line.getByRole("button", { name: "Accept the difference" }));
    await story.fill(buyer.dialog.getByLabel("Reason"), "They are good");
    await story.press(buyer.dialog.getByRole("button", { name: "Accept the difference", exact: true }));
    await buyer.dialog.getByRole("alert").waitFor();
    expect(await buyer.dialog.getByRole("alert").innerText()).toContain("another person than the invoice's author");
    expect((await invoicesOf(admin))[0].lines[0]).toMatchObject({ status: "ON_HOLD", matchedQuantity: 0 });
    await story.send(buyer, "Back");

    const manager = await story.signIn(bob.caller.key, "/purchases", "Purchases");
    await story.press(link(manager, /^Invoices$/));
    await at(manager, "Invoices");
    const held = region(manager, "On hold");
    expect(await held.innerText()).toMatch(
      /Ball bearing R-1.*SKF · North · .*Received 32 each · Invoiced 32 each · Ordered €80\.00 · Invoiced €83\.20.*Price: €3\.20 more than the ordered €80\.00.*PO-/s,
    );
    if (device === "phone") expect(await widthOf(manager.page)).toBe(390);
    await story.passes(manager);
    await story.press(held.getByRole("link", { name: "Ball bearing" }));
    await at(manager, "Invoice R-1");
    const same = lineOf(manager, "Ball bearing");
    await story.press(same.getByRole("button", { name: "Accept the difference" }));
    await story.fill(manager.dialog.getByLabel("Reason"), "New price list");
    await story.passes(manager);
    await story.send(manager, "Accept the difference");
    await same.getByText("Difference accepted").waitFor();
    expect(await same.innerText()).toMatch(figures(32));
    expect(await same.innerText()).toMatch(/Accepted: .* · Bob · New price list/);
    await story.passes(manager);
    await expectContrastInDark(manager.page);
    if (device === "phone") expect(await widthOf(manager.page)).toBe(390);
    // The receipt is worth its invoice.
    expect(await stockOf(admin, partId)).toEqual([{ quantity: 32, totalValue: 83.2 }]);

    await story.press(region(manager, "Facts").getByRole("link", { name: order.number }));
    await at(manager, title);
    expect(await lineOf(manager, "Ball bearing").innerText()).toMatch(
      /32 each accepted · 32 each invoiced.*€3\.20 more invoiced than ordered/s,
    );
    expect(await region(manager, "Invoices").innerText()).toMatch(/R-1 SKF.*North · .* · due 1 Mar 2040.*€83\.20.*Posted/s);
    expect(await invoicesOf(admin)).toEqual([
      {
        number: "R-1",
        status: "POSTED",
        site: "North",
        currency: "EUR",
        exchangeRate: null,
        total: 83.2,
        notes: null,
        dueDate: "2040-03-01T12:00:00.000Z",
        cancellationReason: null,
        lines: [
          {
            quantity: 32,
            amount: 83.2,
            orderedAmount: 80,
            matchedQuantity: 32,
            status: "ACCEPTED",
            acceptanceReason: "New price list",
            acceptedByPrincipal: { name: "Bob" },
          },
        ],
      },
    ]);
    await story.end();
  });

  it("corrects a draft in another currency, matches it again after a receipt, and cancels it", async () => {
    const admin = await gateway.newTenant();
    const { ann, sam, order, supplierId } = await sentOrder(admin, sold, { currency: "USD", exchangeRate: 0.9 });
    const [bearings, crane] = order.lines;
    await receiveOk(sam.caller, bearings.id, { accepted: 24 });
    const lines = [{ orderLineId: bearings.id, quantity: 36, amount: 90 }];
    await invoiceOk(ann.caller, { supplierId, number: "R-1", lines });
    const draft = await invoiceOk(ann.caller, { supplierId, number: "R-2", lines });
    const story = new Story("a draft invoice", "desktop", browser, gateway);
    const own = await story.signIn(ann.caller.key, `/purchases/invoices/${draft.id}/edit`, "Edit R-2");
    const field = (name: string) => own.page.getByRole("main").getByLabel(name, { exact: true });
    const row = (name: string) => own.page.getByRole("group", { name });
    await story.fill(field("Number of the invoice"), "R-1");
    await story.fill(field("Value of 1 USD in EUR"), "0.5");
    await story.fill(field("Notes"), "Paid in advance");
    await story.fill(row("Line 2: Crane, one day").getByLabel("Quantity"), "1");
    expect(await row("Line 2: Crane, one day").getByLabel("Amount, USD").inputValue()).toBe("900");
    await story.press(button(own, "Save draft"));
    await own.page.getByRole("main").getByText("A supplier invoice with this number already exists").waitFor();
    expect(await field("Number of the invoice").getAttribute("aria-invalid")).toBe("true");
    await story.fill(field("Number of the invoice"), "R-2");
    await story.fill(row("Line 1: Ball bearing").getByLabel("Amount, USD"), "90.001");
    await story.press(button(own, "Save draft"));
    await row("Line 1: Ball bearing").getByRole("alert").waitFor();
    expect(await row("Line 1: Ball bearing").getByRole("alert").innerText()).toBe("must be rounded to the digits of USD");
    await story.fill(row("Line 1: Ball bearing").getByLabel("Amount, USD"), "90");
    await story.press(button(own, "Save draft"));
    await at(own, "Invoice R-2");
    const stored = async () => (await invoicesOf(admin)).find(({ number }: any) => number === "R-2");
    expect(await stored()).toMatchObject({
      status: "DRAFT",
      currency: "USD",
      exchangeRate: 0.5,
      total: 990,
      notes: "Paid in advance",
      lines: [
        { quantity: 36, amount: 90, orderedAmount: 90 },
        { quantity: 1, amount: 900, orderedAmount: 900 },
      ],
    });
    await story.press(button(own, "Post"));
    const held = lineOf(own, "Ball bearing");
    await held.getByText("On hold").waitFor();
    expect(await held.innerText()).toMatch(/Matched\s24 each.*Quantity: 12 each without a receipt/s);
    await receiveOk(sam.caller, bearings.id, { accepted: 36 });
    await receiveOk(sam.caller, crane.id, { accepted: 1 });
    await story.press(button(own, "Match again"));
    await held.getByText("Matched", { exact: true }).first().waitFor();
    await button(own, "Match again").waitFor({ state: "detached" });
    expect((await stored()).lines).toMatchObject([
      { status: "MATCHED", matchedQuantity: 36 },
      { status: "MATCHED", matchedQuantity: 1 },
    ]);
    await story.press(button(own, "Cancel invoice"));
    await story.fill(own.dialog.getByLabel("Reason"), "Billed twice");
    await story.send(own, "Cancel invoice");
    await region(own, "Facts").getByText("Billed twice").waitFor();
    expect(await stored()).toMatchObject({
      status: "CANCELLED",
      cancellationReason: "Billed twice",
      lines: [{ status: "CANCELLED" }, { status: "CANCELLED" }],
    });
    expect(await own.page.getByRole("main").getByRole("button").count()).toBe(0);
    await story.end();
  });

  it("lists invoices by state, site and supplier, and shows viewers no verbs", async () => {
    const admin = await gateway.newTenant();
    const { ann, sam, order, supplierId } = await sentOrder(admin, sold);
    await receiveOk(sam.caller, order.lines[0].id, { accepted: 24, rejected: 2, rejectionReason: "Rust" });
    const lines = [{ orderLineId: order.lines[0].id, quantity: 24, amount: 60 }];
    await admin.ask('mutation { createSupplier(input: { name: "Cranes Ltd" }) { id } }');
    for (const site of ["North", "South"]) await admin.createAsset({ name: "Pump", site });
    const { id } = await invoiceOk(ann.caller, { supplierId, number: "R-1", lines });
    await ann.caller.ask("mutation ($id: ID!) { postSupplierInvoice(id: $id) { id } }", { id });
    expect((await createInvoice(ann.caller, { supplierId, number: "R-2", lines })).errors).toBeUndefined();
    const viewer = await admin.as("viewer");
    const story = new Story("reading of invoices", "phone", browser, gateway);
    const own = await story.signIn(viewer.key, "/purchases/invoices", "Invoices");
    await region(own, "On hold").getByText("All posted invoices match").waitFor();
    const shown = region(own, "Invoices").getByRole("listitem");
    const numbers = () => shown.getByRole("link").allInnerTexts();
    for (const [view, found] of [
      ["Drafts", ["R-2 SKF"]],
      ["Posted", ["R-1 SKF"]],
    ] as const) {
      await story.press(button(own, view));
      await expect.poll(numbers).toEqual(found);
    }
    await story.press(button(own, "All invoices"));
    await expect.poll(async () => (await numbers()).sort()).toEqual(["R-1 SKF", "R-2 SKF"]);
    await own.page.getByLabel("Site", { exact: true }).selectOption({ label: "South" });
    await own.page.getByText("No invoices here").waitFor();
    await own.page.getByLabel("Site", { exact: true }).selectOption({ label: "North" });
    await own.page.getByLabel("Supplier", { exact: true }).selectOption({ label: "Cranes Ltd" });
    await own.page.getByText("No invoices here").waitFor();

    await own.go(`/suppliers/${supplierId}`, "SKF");
    await story.press(link(own, /^Invoices$/));
    await at(own, "Invoices");
    await expect.poll(async () => (await numbers()).sort()).toEqual(["R-1 SKF", "R-2 SKF"]);
    await story.press(shown.getByRole("link", { name: "R-1" }));
    await at(own, "Invoice R-1");
    const verbs = /^(Release|Send back|Post|Match again|Accept|Cancel|Enter|Edit)\b/;
    for (const path of [`/purchases/invoices/${id}`, `/purchases/${order.id}`, "/purchases?view=quarantine"]) {
      await own.go(path);
      expect(await own.page.getByRole("main").getByRole("button", { name: verbs }).count(), path).toBe(0);
      expect(await own.page.getByRole("main").getByRole("link", { name: verbs }).count(), path).toBe(0);
    }
    await story.end();
  });
});
