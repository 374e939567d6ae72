/** Rejected goods in the console: a manager releases some, and a storekeeper sends some back. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { receiveOk } from "../inventory/supply/invoices.js";
import { sentOrder } from "../inventory/supply/purchases.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { type ConsolePage, expectContrastInDark, widthOf } from "./console.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

const receiptsOf = async (admin: Caller, id: string) =>
  (
    await admin.ask(
      `query ($id: ID!) { goodsReceipts(filter: { orderId: $id }, orderBy: { field: RECEIVED_AT }) { nodes {
         accepted rejected inQuarantine releaseReason returns { quantity reason returnNote returnedByPrincipal { name } } } } }`,
      { id },
    )
  ).goodsReceipts.nodes;

const stockOf = async (admin: Caller, id: string) =>
  (await admin.ask("query ($id: ID!) { part(id: $id) { stockLevels { quantity totalValue } } }", { id })).part.stockLevels;

describe.runIf(hasBrowser)(`quarantine in the console in ${CHROMIUM}`, () => {
  let browser: Browser;

  const field = (own: ConsolePage, name: string) => own.dialog.getByLabel(name, { exact: true });

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it.each(["desktop", "phone", "keyboard"] as const)("releases rejected goods and sends some back on a %s", async (device) => {
    const admin = await gateway.newTenant();
    const { bob, sam, order, partId } = await sentOrder(admin, { unitOfMeasure: "EACH" });
    const words = { accepted: 30, rejected: 6, rejectionReason: "Rust", deliveryNote: "DN-1" };
    await receiveOk(sam.caller, order.lines[0].id, words);
    const story = new Story("rejected goods", device, browser, gateway);

    const manager = await story.signIn(bob.caller.key, "/purchases?view=quarantine", "Purchases");
    const list = manager.page.getByRole("region", { name: "Quarantine" });
    expect(await list.innerText()).toMatch(/Ball bearing.*PO-\d{4}-00001 · SKF · North · .*Rust.*6 each/s);
    await story.passes(manager);
    await story.press(list.getByRole("button", { name: "Release" }));
    expect(await field(manager, "Quantity, each").inputValue()).toBe("6");
    await story.fill(field(manager, "Quantity, each"), "2");
    await story.fill(field(manager, "Reason"), "Polished");
    await story.passes(manager);
    await story.send(manager, "Release");
    await expect.poll(() => list.innerText()).toMatch(/4 each/);
    // 30 and 2 pieces at 2.50.
    expect(await stockOf(admin, partId)).toEqual([{ quantity: 32, totalValue: 80 }]);

    const storekeeper = await story.signIn(sam.caller.key, `/purchases/${order.id}`, `Purchase order ${order.number}`);
    const bearings = storekeeper.page.getByRole("region", { name: "Lines" }).locator("li.unit-line").first();
    expect(await bearings.innerText()).toMatch(
      /28 each open · 32 each accepted.*2 each accepted · Released from quarantine: Polished.*30 each accepted · 6 each rejected: Rust · 4 each in quarantine/s,
    );
    // Technicians don't release.
    expect(await bearings.getByRole("button", { name: "Release" }).count()).toBe(0);
    await story.press(bearings.getByRole("button", { name: "Send back" }));
    await story.fill(field(storekeeper, "Quantity, each"), "5");
    await story.fill(field(storekeeper, "Reason"), "Too rusty");
    await story.fill(field(storekeeper, "Return note"), "RN-1");
    await story.press(storekeeper.dialog.getByRole("button", { name: "Send back", exact: true }));
    await storekeeper.dialog.getByText("The quantity exceeds what is in quarantine").waitFor();
    await story.fill(field(storekeeper, "Quantity, each"), "3");
    await story.passes(storekeeper);
    await story.send(storekeeper, "Send back");
    await bearings.getByText(/3 each sent back: Too rusty · Return note RN-1 · .* · Sam/).waitFor();
    expect(await bearings.innerText()).toMatch(/28 each open.*1 each in quarantine/s);
    if (device === "phone") expect(await widthOf(storekeeper.page)).toBe(390);
    await story.passes(storekeeper);
    await expectContrastInDark(storekeeper.page);

    const back = { quantity: 3, reason: "Too rusty", returnNote: "RN-1", returnedByPrincipal: { name: "Sam" } };
    expect(await receiptsOf(admin, order.id)).toEqual([
      { accepted: 30, rejected: 6, inQuarantine: 1, releaseReason: null, returns: [back] },
      { accepted: 2, rejected: 0, inQuarantine: 0, releaseReason: "Polished", returns: [] },
    ]);
    await story.end();
  });
});
