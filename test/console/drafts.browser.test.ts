/** Draft purchase orders in the console: a buyer writes, corrects and submits one. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { newPerson, orderOk, supplied, updateOrder } from "../inventory/supply/purchases.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { type ConsolePage, expectContrastInDark, widthOf } from "./console.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

/** Boxes of twelve, sold by pairs from four on, and a work order that needs a crane. */
async function plantToOrder(admin: Caller) {
  const { supplierId, partId } = await supplied(admin);
  await admin.ask('mutation { createSite(input: { name: "North", timeZone: "Europe/Copenhagen" }) { id } }');
  await admin.ask("mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }", {
    input: { supplierId, partId, partNumber: "6204-S", packSize: 2, minimumQuantity: 4 },
  });
  const asset = await admin.createAsset({ name: "Pump P-101", site: "North" });
  const input = { title: "Lift the motor", assetId: asset.id, type: "CORRECTIVE", priority: "HIGH" };
  const { createWorkOrder } = await admin.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", {
    input,
  });
  return { supplierId, partId, workOrderId: createWorkOrder.id as string };
}

const ordersOf = async (admin: Caller) =>
  (
    await admin.ask(`{ purchaseOrders { nodes { id number status currency site total notes exchangeRate
       lines { description quantity unit unitFactor price amount openQuantity promisedAt site workOrderId part { partNumber } } } } }`)
  ).purchaseOrders.nodes;

describe.runIf(hasBrowser)(`drafts of purchase orders in the console in ${CHROMIUM}`, () => {
  let browser: Browser;

  const lineOf = ({ page }: ConsolePage, number: number): Locator => page.getByRole("group", { name: new RegExp(`^Line ${number}`) });

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it.each(["phone", "keyboard"] as const)("writes, corrects and submits a draft on a %s", async (device) => {
    const admin = await gateway.newTenant();
    const { workOrderId } = await plantToOrder(admin);
    const { caller } = await newPerson(admin, "Ann");
    const story = new Story("a draft", device, browser, gateway);
    const own = await story.signIn(caller.key, "/purchases", "Purchases");
    const { page } = own;
    const main = page.getByRole("main");
    const save = main.getByRole("button", { name: "Save draft" });

    await story.press(main.getByRole("link", { name: "New purchase order" }));
    await page.getByRole("heading", { level: 1, name: "New purchase order" }).waitFor();
    await own.isQuiet();
    await story.choose(main.getByLabel("Supplier", { exact: true }), "SKF");
    await story.choose(main.getByLabel("Site", { exact: true }), "North");
    await story.fill(main.getByLabel("Add a part"), "bearing");
    await story.press(main.getByRole("list", { name: "Parts found" }).getByRole("button", { name: "Ball bearing" }));
    const field = (number: number, name: string | RegExp) => lineOf(own, number).getByLabel(name);
    await expect.poll(() => field(1, "Order unit").inputValue()).toBe("box");
    expect(await field(1, "In a unit").inputValue()).toBe("12");
    expect(await lineOf(own, 1).innerText()).toMatch(
      /6204 · 6204-S.*a multiple of 2, at least 4.*from 1: €30\.00, from 10: €28\.50.*Amount.*€30\.00/s,
    );
    await story.fill(field(1, "Quantity"), "5");
    expect(await field(1, "Price of a unit, EUR").inputValue()).toBe("30");
    await story.press(save);
    await expect
      .poll(() => lineOf(own, 1).getByRole("alert").allInnerTexts())
      .toEqual(["must be a multiple of 2, the pack size of the supplier part"]);
    expect(await ordersOf(admin)).toEqual([]);

    await story.fill(field(1, "Quantity"), "10");
    expect(await field(1, "Price of a unit, EUR").inputValue()).toBe("28.5");
    await story.fill(field(1, "Promised date"), "2040-03-01");
    await story.press(main.getByRole("button", { name: "Add a service" }));
    await story.fill(field(2, "Description"), "Crane, one day");
    await story.fill(field(2, "Price of a unit, EUR"), "900");
    await story.press(lineOf(own, 2).getByText("Work order", { exact: true }));
    await story.fill(field(2, "Work order that needs it"), "lift");
    await story.press(lineOf(own, 2).getByRole("button", { name: "Lift the motor" }));
    expect(await main.innerText()).toMatch(/Amount\s+€285\.00.*Amount\s+€900\.00.*Total\s+€1,185\.00/s);
    await story.passes(own);
    if (device === "phone") expect(await widthOf(page)).toBe(390);
    await expectContrastInDark(page);
    await story.press(save);
    await page.getByRole("heading", { level: 1, name: /^Purchase order PO-/ }).waitFor();
    const stored = {
      id: expect.any(String),
      number: expect.stringContaining("-00001"),
      status: "DRAFT",
      currency: "EUR",
      site: "North",
      total: 1185,
      notes: null,
      exchangeRate: null,
      lines: [
        {
          description: null,
          quantity: 10,
          unit: "box",
          unitFactor: 12,
          price: 28.5,
          amount: 285,
          openQuantity: 120,
          promisedAt: "2040-03-01T22:59:00.000Z",
          site: "North",
          workOrderId: null,
          part: { partNumber: "6204" },
        },
        {
          description: "Crane, one day",
          quantity: 1,
          unit: null,
          unitFactor: 1,
          price: 900,
          amount: 900,
          openQuantity: 1,
          promisedAt: null,
          site: "North",
          workOrderId,
          part: null,
        },
      ],
    };
    expect(await ordersOf(admin)).toEqual([stored]);

    await story.press(main.getByRole("link", { name: "Edit" }));
    await page.getByRole("heading", { level: 1, name: /^Edit PO-/ }).waitFor();
    await own.isQuiet();
    await story.fill(field(1, "Quantity"), "12");
    await story.press(main.getByRole("button", { name: "Remove line 2" }));
    await story.fill(main.getByLabel("Notes for the supplier"), "Gate 3");
    await story.passes(own);
    await story.press(save);
    await page.getByRole("heading", { level: 1, name: /^Purchase order PO-/ }).waitFor();
    await story.press(main.getByRole("button", { name: "Submit" }));
    await main.getByRole("button", { name: "Mark as sent" }).waitFor();
    expect(await ordersOf(admin)).toEqual([
      {
        ...stored,
        status: "APPROVED",
        total: 342,
        notes: "Gate 3",
        lines: [{ ...stored.lines[0], quantity: 12, amount: 342, openQuantity: 144 }],
      },
    ]);
    await story.end();
  });

  it("keeps the lines of a buyer whose draft someone else changed, and the rate of another currency", async () => {
    const admin = await gateway.newTenant();
    const { supplierId, partId } = await plantToOrder(admin);
    const lines = [{ partId, quantity: 4, price: 30, unit: "box", unitFactor: 12 }];
    const order = await orderOk(admin, { supplierId, site: "North", currency: "USD", lines });
    const story = new Story("a concurrent change", "desktop", browser, gateway);
    const own = await story.signIn(admin.key, `/purchases/${order.id}/edit`, /^Edit PO-/);
    const main = own.page.getByRole("main");
    const { errors } = await updateOrder(admin, order.id, { notes: "Gate 3" });
    expect(errors).toBeUndefined();
    await story.fill(lineOf(own, 1).getByLabel("Quantity"), "6");
    await story.fill(main.getByLabel("Value of 1 USD in EUR"), "0.9");
    await story.press(main.getByRole("button", { name: "Save draft" }));
    await story.press(main.getByRole("button", { name: "Load their changes" }));
    expect(await main.getByLabel("Notes for the supplier").inputValue()).toBe("Gate 3");
    await story.press(main.getByRole("button", { name: "Save draft" }));
    await own.page.getByRole("heading", { level: 1, name: /^Purchase order PO-/ }).waitFor();
    expect(await ordersOf(admin)).toMatchObject([{ notes: "Gate 3", exchangeRate: 0.9, total: 180, lines: [{ quantity: 6, price: 30 }] }]);
    await story.end();
  });
});
