/** Purchase orders in the console: two people approve, send, re-promise and cancel an order. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { newPerson, orderOk, stepOk, supplied } from "../inventory/supply/purchases.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { type ConsolePage, expectContrastInDark, widthOf } from "./console.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

/** A draft of two lines by Ann, in a tenant whose orders all need another manager. */
async function plantWithDraft(admin: Caller) {
  const { supplierId, partId } = await supplied(admin);
  await admin.ask("mutation { createPurchaseApprovalRule(input: { minimumAmount: 100 }) { id } }");
  const [ann, bob] = [await newPerson(admin, "Ann"), await newPerson(admin, "Bob")];
  const lines = [
    { partId, quantity: 5, promisedAt: "2040-03-01T12:00:00Z" },
    { description: "Crane, one day", quantity: 1, price: 900 },
  ];
  return { ann, bob, order: await orderOk(ann.caller, { supplierId, site: "North", lines }) };
}

const orderOf = async (admin: Caller, id: string) =>
  (
    await admin.ask(
      `query ($id: ID!) { purchaseOrder(id: $id) { status decisionReason cancellationReason total lines { openQuantity repromisedAt } } }`,
      { id },
    )
  ).purchaseOrder;

describe.runIf(hasBrowser)(`purchase orders in the console in ${CHROMIUM}`, () => {
  let browser: Browser;

  const button = ({ page }: ConsolePage, name: string) => page.getByRole("main").getByRole("button", { name, exact: true });

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it.each(["desktop", "phone", "keyboard"] as const)(
    "declines, approves, sends, re-promises and cancels an order on a %s",
    async (device) => {
      const admin = await gateway.newTenant();
      const { ann, bob, order } = await plantWithDraft(admin);
      const title = { level: 1, name: `Purchase order ${order.number}` } as const;
      const story = new Story("a purchase order", device, browser, gateway);

      const buyer = await story.signIn(ann.caller.key, "/purchases", "Purchases");
      const list = buyer.page.getByRole("region", { name: "Purchase orders" });
      expect(await list.innerText()).toMatch(/PO-\d{4}-00001 SKF.*North · promised 1 Mar 2040.*€1,050\.00.*Draft/s);
      await story.passes(buyer);
      await story.press(list.getByRole("link"));
      await buyer.page.getByRole("heading", title).waitFor();
      await buyer.isQuiet();
      const lines = buyer.page.getByRole("region", { name: "Lines" });
      expect(await lines.innerText()).toMatch(
        /Ball bearing.*6204 · 5 box × €30\.00 · 12.*60.* open.*€150\.00.*Crane.*€900\.00.*Total.*€1,050\.00/s,
      );
      await story.press(button(buyer, "Submit"));
      await button(buyer, "Approve").waitFor();
      await story.passes(buyer);

      // Not by the author.
      await story.press(button(buyer, "Approve"));
      await story.press(buyer.dialog.getByRole("button", { name: "Approve", exact: true }));
      await buyer.dialog.getByRole("alert").waitFor();
      expect((await orderOf(admin, order.id)).status).toBe("AWAITING_APPROVAL");
      await story.send(buyer, "Back");

      const manager = await story.signIn(bob.caller.key, `/purchases/${order.id}`, title.name);
      await story.press(button(manager, "Decline"));
      await story.fill(manager.dialog.getByLabel("Reason"), "Ask for a discount");
      await story.passes(manager);
      await story.send(manager, "Decline");
      await button(manager, "Submit").waitFor();
      expect(await orderOf(admin, order.id)).toMatchObject({ status: "DRAFT", decisionReason: "Ask for a discount" });
      await stepOk(ann.caller, "submit", order.id);
      await manager.page.reload();
      await story.press(button(manager, "Approve"));
      await story.send(manager, "Approve");
      await story.press(button(manager, "Send by e-mail"));
      await story.fill(manager.dialog.getByLabel("E-mail"), "orders@example.com");
      expect(await manager.dialog.getByRole("link", { name: "Open the PDF" }).getAttribute("href")).toContain(
        `/purchase-orders/${order.id}?`,
      );
      await story.press(manager.dialog.getByRole("button", { name: "Send", exact: true }));
      await manager.dialog.getByText("The service has no mail server").waitFor();
      await story.press(manager.dialog.getByRole("button", { name: "Back" }));
      await story.press(button(manager, "Mark as sent"));
      await button(manager, "Mark as sent").waitFor({ state: "detached" });
      const approval = manager.page.getByRole("region", { name: "Approval" });
      expect(await approval.innerText()).toMatch(/From 100 EUR.*Ann.*Bob/s);

      const bearings = manager.page.getByRole("region", { name: "Lines" }).getByRole("listitem").first();
      await story.press(bearings.getByRole("button", { name: "Change date" }));
      await story.fill(manager.dialog.getByLabel("Promised date"), "2040-04-02");
      await story.passes(manager);
      await story.send(manager, "Change date");
      expect(await bearings.innerText()).toMatch(/promised 1 Mar 2040 · now promised 2 Apr 2040/);
      await story.passes(manager);
      await expectContrastInDark(manager.page);

      await story.press(bearings.getByRole("button", { name: "Cancel line" }));
      await story.fill(manager.dialog.getByLabel("Reason"), "Found in the cellar");
      await story.send(manager, "Cancel line");
      expect(await orderOf(admin, order.id)).toMatchObject({
        status: "SENT",
        total: 900,
        lines: [{ openQuantity: 0 }, { openQuantity: 1 }],
      });
      await story.press(button(manager, "Cancel purchase order"));
      await story.fill(manager.dialog.getByLabel("Reason"), "No crane needed");
      await story.send(manager, "Cancel purchase order");
      expect(await orderOf(admin, order.id)).toMatchObject({ status: "CANCELLED", cancellationReason: "No crane needed", total: 0 });
      await button(manager, "Cancel purchase order").waitFor({ state: "detached" });
      await story.end();
    },
  );

  it("lists orders by state and late lines, and shows viewers no verbs", async () => {
    const admin = await gateway.newTenant();
    const { supplierId, partId } = await supplied(admin);
    const late = await orderOk(admin, { supplierId, site: "North", lines: [{ partId, quantity: 2, promisedAt: "2026-01-05T12:00:00Z" }] });
    for (const name of ["submit", "send"]) await stepOk(admin, name, late.id);
    await orderOk(admin, { supplierId, site: "North", lines: [{ partId, quantity: 1 }] });
    const viewer = await admin.as("viewer");
    const story = new Story("reading of purchase orders", "phone", browser, gateway);
    const own = await story.signIn(viewer.key, "/purchases", "Purchases");
    const { page } = own;
    const orders = page.getByRole("region", { name: "Purchase orders" }).getByRole("listitem");
    expect(await orders.count()).toBe(2);
    expect(await widthOf(page)).toBe(390);
    await story.press(page.getByRole("button", { name: "Drafts" }));
    await expect.poll(() => orders.allInnerTexts()).toEqual([expect.stringContaining("-00002")]);
    await story.press(page.getByRole("button", { name: "Late lines" }));
    await story.press(page.getByRole("region", { name: "Late lines" }).getByRole("link", { name: "Ball bearing" }));
    await page.getByRole("heading", { level: 1, name: `Purchase order ${late.number}` }).waitFor();
    await own.isQuiet();
    expect(await page.getByRole("button", { name: /Cancel|Change date|Submit|Approve|Mark as sent/ }).count()).toBe(0);
    await story.end();
  });
});
