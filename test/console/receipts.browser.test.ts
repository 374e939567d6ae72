/** Receipts in the console: a storekeeper receives by scan and rejects some, a manager reverses, and the order is closed. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { sentOrder } from "../inventory/supply/purchases.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { type ConsolePage, expectContrastInDark, widthOf } from "./console.js";
import { scanPhoto } from "./scan.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

const sold = { barcode: "04006381333931" };

const stateOf = async (admin: Caller, id: string, partId: string) =>
  admin.ask(
    `query ($id: ID!, $partId: ID!) { purchaseOrder(id: $id) { status lines { accepted openQuantity receipts { nodes {
       accepted rejected rejectionReason deliveryNote exchangeRate reversedAt receivedByPrincipal { name } movement { quantity value }
     } } } } part(id: $partId) { stockLevels { site quantity totalValue } } }`,
    { id, partId },
  );

describe.runIf(hasBrowser)(`receipts in the console in ${CHROMIUM}`, () => {
  let browser: Browser;

  const lineOf = ({ page }: ConsolePage, name: string) =>
    page.getByRole("region", { name: "Lines" }).locator("li.unit-line").filter({ hasText: name });
  const scan = async (story: Story, own: ConsolePage, text: string) => {
    await story.press(own.page.getByRole("button", { name: "Receive by scan" }));
    await scanPhoto(own.page, text);
    await own.page.getByRole("heading", { name: "Scan a label" }).waitFor({ state: "detached" });
  };

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it.each(["desktop", "phone", "keyboard"] as const)("receives by scan, rejects some, reverses and closes on a %s", async (device) => {
    const admin = await gateway.newTenant();
    const { ann, bob, sam, order, partId } = await sentOrder(admin, sold);
    const title = `Purchase order ${order.number}`;
    const story = new Story("a delivery", device, browser, gateway);

    const storekeeper = await story.signIn(sam.caller.key, `/purchases/${order.id}`, title);
    await scan(story, storekeeper, "no such part");
    await storekeeper.page.getByText("No open line has the code no such part.").waitFor();
    // The GTIN of the barcode, in a code of GS1.
    await scan(story, storekeeper, "010400638133393117281231");
    await storekeeper.dialog.getByRole("heading", { name: "Receive Ball bearing" }).waitFor();
    const field = (name: string) => storekeeper.dialog.getByLabel(name, { exact: true });
    expect(await field("Accepted").inputValue()).toBe("60");
    await story.fill(field("Accepted"), "30");
    await story.fill(field("Rejected"), "6");
    await story.fill(field("Reason of the rejection"), "Rust");
    await story.fill(field("Delivery note"), "DN-1");
    await story.passes(storekeeper);
    await story.send(storekeeper, "Receive");
    const bearings = lineOf(storekeeper, "Ball bearing");
    expect(await bearings.innerText()).toMatch(
      /30.* open · 30.* accepted.*30.* accepted · 6.* rejected: Rust.*Sam · Delivery note DN-1.*Stock movements/s,
    );
    // Technicians don't reverse, close or cancel.
    expect(await storekeeper.page.getByRole("button", { name: /^(Reverse|Close|Cancel|Change date)/ }).count()).toBe(0);
    const received = {
      accepted: 30,
      rejected: 6,
      rejectionReason: "Rust",
      deliveryNote: "DN-1",
      exchangeRate: null,
      reversedAt: null,
      receivedByPrincipal: { name: "Sam" },
      movement: { quantity: 30, value: 75 },
    };
    expect(await stateOf(admin, order.id, partId)).toEqual({
      purchaseOrder: {
        status: "PARTLY_RECEIVED",
        lines: [
          { accepted: 30, openQuantity: 30, receipts: { nodes: [received] } },
          { accepted: 0, openQuantity: 1, receipts: { nodes: [] } },
        ],
      },
      part: { stockLevels: [{ site: "North", quantity: 30, totalValue: 75 }] },
    });
    await story.passes(storekeeper);
    if (device === "phone") expect(await widthOf(storekeeper.page)).toBe(390);
    await expectContrastInDark(storekeeper.page);

    // More than is open is refused at the field.
    await story.press(bearings.getByRole("button", { name: "Receive" }));
    await story.fill(field("Accepted"), "31");
    await story.press(storekeeper.dialog.getByRole("button", { name: "Receive", exact: true }));
    await storekeeper.dialog.getByRole("alert").waitFor();
    expect(await storekeeper.dialog.getByRole("alert").innerText()).toBe("The quantity exceeds what is open of the line");
    await story.fill(field("Accepted"), "30");
    await story.send(storekeeper, "Receive");

    // Not by the author.
    const buyer = await story.signIn(ann.caller.key, `/purchases/${order.id}`, title);
    await story.press(lineOf(buyer, "Crane").getByRole("button", { name: "Receive" }));
    await story.press(buyer.dialog.getByRole("button", { name: "Receive", exact: true }));
    await buyer.dialog.getByRole("alert").waitFor();
    expect(await buyer.dialog.getByRole("alert").innerText()).toContain("another person than the order's author");
    await story.send(buyer, "Cancel");

    const manager = await story.signIn(bob.caller.key, `/purchases/${order.id}`, title);
    const first = lineOf(manager, "Ball bearing").getByRole("list", { name: "Receipts" }).getByRole("listitem").last();
    await story.press(first.getByRole("button", { name: "Reverse" }));
    await story.fill(manager.dialog.getByLabel("Reason"), "Wrong bearing");
    await story.passes(manager);
    await story.send(manager, "Reverse");
    await first.getByText(/Reversed/).waitFor();
    const { purchaseOrder, part } = await stateOf(admin, order.id, partId);
    expect(purchaseOrder.lines[0]).toMatchObject({ accepted: 30, openQuantity: 30 });
    expect(part.stockLevels).toEqual([{ site: "North", quantity: 30, totalValue: 75 }]);

    await story.press(manager.page.getByRole("button", { name: "Close purchase order" }));
    await story.send(manager, "Close purchase order");
    expect((await stateOf(admin, order.id, partId)).purchaseOrder).toMatchObject({
      status: "CLOSED",
      lines: [
        { accepted: 30, openQuantity: 0 },
        { accepted: 0, openQuantity: 0 },
      ],
    });
    expect(await manager.page.getByRole("button", { name: /Receive|Cancel|Close purchase order/ }).count()).toBe(0);

    await story.press(manager.page.getByRole("link", { name: "Print" }));
    await manager.page.getByRole("heading", { level: 1, name: order.number }).waitFor();
    await manager.isQuiet();
    const sheet = manager.page.getByRole("article");
    expect(await sheet.innerText()).toMatch(/SKF.*Deliver to.*North.*1.*Ball bearing.*6204.*5 box.*€30\.00.*2.*Crane.*€900\.00/s);
    await story.passes(manager);
    await manager.page.emulateMedia({ media: "print" });
    expect(await manager.page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
    expect(await sheet.isVisible()).toBe(true);
    await story.end();
  });

  it("asks for the rate of an order in another currency", async () => {
    const admin = await gateway.newTenant();
    const { sam, order, partId } = await sentOrder(admin, sold, { currency: "USD" });
    const story = new Story("a delivery in dollars", "desktop", browser, gateway);
    const own = await story.signIn(sam.caller.key, `/purchases/${order.id}`, `Purchase order ${order.number}`);
    await story.press(lineOf(own, "Ball bearing").getByRole("button", { name: "Receive" }));
    await story.fill(own.dialog.getByLabel("Accepted", { exact: true }), "24");
    await story.fill(own.dialog.getByLabel("Value of 1 USD in EUR"), "0.9");
    await story.send(own, "Receive");
    // 24 of 12 at 30.00 USD are 60.00 USD.
    const { purchaseOrder, part } = await stateOf(admin, order.id, partId);
    expect(purchaseOrder.lines[0].receipts.nodes).toMatchObject([{ accepted: 24, exchangeRate: 0.9, movement: { value: 54 } }]);
    expect(part.stockLevels).toEqual([{ site: "North", quantity: 24, totalValue: 54 }]);
    await story.end();
  });
});
