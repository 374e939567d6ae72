/** Figures of purchasing in the console: the reports, a supplier and a part. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { newPart } from "../inventory/stock/stock.js";
import { newPerson, orderOk, stepOk, supplied } from "../inventory/supply/purchases.js";
import { receiveOk } from "../inventory/supply/receipts.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`figures of purchasing in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let open: ConsolePage;
  let plant: { supplierId: string; partId: string };
  const card = (name: string) => open.page.getByRole("region", { name, exact: true });
  const rowsOf = (name: string) => card(name).getByRole("row").allInnerTexts();

  /** Three boxes at 30.00: one was accepted in time, one is late, and one is promised for 2099. A critical seal was used up four days ago. */
  beforeAll(async () => {
    admin = await gateway.newTenant();
    plant = await supplied(admin);
    const clerk = (await newPerson(admin, "Clerk", "TECHNICIAN")).caller;
    const seal = await newPart(admin, { name: "Seal", isCritical: true });
    const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    for (const [verb, days] of [
      ["receiveStock", 10],
      ["issueStock", 4],
    ] as const)
      await admin.ask(
        `mutation ($id: ID!, $at: DateTime) { ${verb}(partId: $id, input: { site: "North", quantity: 1, performedAt: $at }) { id } }`,
        { id: seal, at: at(days) },
      );
    const box = (promisedAt: string) => ({ partId: plant.partId, quantity: 1, promisedAt });
    const order = await orderOk(admin, {
      supplierId: plant.supplierId,
      site: "North",
      lines: [box(at(2)), box(at(3)), box("2099-04-10T12:00:00Z")],
    });
    await stepOk(admin, "submit", order.id);
    await stepOk(admin, "send", order.id);
    const receipt = await receiveOk(clerk, order.lines[0].id, { accepted: 12 });
    const values = [admin.tenantId, order.id, at(7)];
    await gateway.database.query(`update "PurchaseOrder" set "sentAt" = $3 where "tenantId" = $1 and id = $2`, values);
    await gateway.database.query(`update "GoodsReceipt" set "receivedAt" = $3 where "tenantId" = $1 and id = $2`, [
      admin.tenantId,
      receipt.id,
      at(5),
    ]);
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway, { timezoneId: "UTC" });
    await open.signIn(admin.key, "/reports");
    await open.page.getByRole("heading", { level: 1, name: "Reports" }).waitFor();
  });
  afterAll(() => browser?.close());

  it("are a view of the reports, with suppliers, spend, commitments and stock-outs", async () => {
    await open.page.getByRole("link", { name: "Purchasing", exact: true }).click();
    await card("Suppliers").waitFor();
    // Sent 7 days ago and received 5 days ago.
    expect(await rowsOf("Suppliers")).toEqual([
      "Supplier\tLines due\tOn time in full\tLead time\t90 % within\tSpend",
      "SKF\t2\t50%\t2 d\t2 d\t€30.00",
    ]);
    expect(await rowsOf("Open commitments")).toEqual(["Due\tLines\tAmount", "Late\t1\t€30.00", "April 2099\t1\t€30.00"]);
    expect(await card("Spend by category").getByRole("listitem").allInnerTexts()).toEqual([expect.stringMatching(/^Bearings\s+€30\.00$/)]);
    expect(await rowsOf("Stock-outs of critical parts")).toEqual([
      "Part\tSite\tDays without stock\tStock-outs", // Until the start of this hour.
      expect.stringMatching(/^Seal\tNorth\t(4|3\.9\d)\t1$/),
    ]);
    expect(await seriousFindings(open.page)).toEqual([]);
    await open.page.setViewportSize({ width: 390, height: 844 });
    expect(await widthOf(open.page)).toBeLessThanOrEqual(390);
    await open.page.setViewportSize({ width: 1280, height: 900 });
    await open.page.getByRole("main").getByRole("combobox", { name: "Period" }).selectOption("3");
    await expect.poll(() => rowsOf("Suppliers")).toHaveLength(2);
  });

  it("stand on the page of a supplier", async () => {
    await card("Suppliers").getByRole("link", { name: "SKF" }).click();
    await open.page.getByRole("heading", { level: 1, name: "SKF" }).waitFor();
    const figures = card("Last 12 months");
    await figures.waitFor();
    expect((await figures.getByRole("definition").allInnerTexts()).join(", ")).toBe("50% of 2 lines, 2 days, 2 days, €30.00");
    expect(await rowsOf("Open commitments")).toHaveLength(3);
    expect(await seriousFindings(open.page)).toEqual([]);
  });

  it("are the last prices on the page of a part", async () => {
    await open.page.goto(`${gateway.url}/console/stock/${plant.partId}`);
    const prices = open.page.getByRole("list", { name: "Last prices of a unit" });
    await prices.waitFor();
    // A box of 12 costs 30.00.
    expect(await prices.getByRole("listitem").allInnerTexts()).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/SKF\s+€2\.50$/)),
    );
    expect(await seriousFindings(open.page)).toEqual([]);
  });
});
