/** The agenda of the calendar in the console: days with work, overdue work above them, and phones, where it is the first view. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const month = "/calendar?view=agenda&month=2031-01";

describe.runIf(hasBrowser)(`the agenda in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let planner: ConsolePage;
  const assets: Record<string, string> = {};

  const make = async (title: string, scheduledDate: string, site = "North", assignedTechnician?: string): Promise<void> => {
    const input = { assetId: assets[site], title, scheduledDate, assignedTechnician };
    await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", { input });
  };
  const day = (date: string) => planner.page.locator(`.agenda [data-day="${date}"]`);
  const shownDays = (page = planner.page) =>
    page.locator(".agenda [data-day]").evaluateAll((days) => days.map((one) => one.getAttribute("data-day")));

  beforeAll(async () => {
    admin = await gateway.newTenant();
    for (const [site, timeZone] of [
      ["North", "Pacific/Auckland"],
      ["South", "Europe/Berlin"],
    ] as const) {
      await admin.ask("mutation ($input: CreateSiteInput!) { createSite(input: $input) { id } }", { input: { name: site, timeZone } });
      assets[site] = (await admin.createAsset({ name: `Pump of ${site}`, site })).id;
    }
    // 1:00 on 8 January in Auckland, which is 13 hours ahead of UTC, and 13:00 on the 7th in Berlin.
    await make("Change the oil", "2031-01-07T12:00:00.000Z", "North", "Night shift");
    await make("Paint the fence", "2031-01-07T12:00:00.000Z", "South");
    await make("In February", "2031-02-03T12:00:00.000Z");
    await make("Forgotten", new Date(Date.now() - 70 * 86_400_000).toISOString());
    await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: "Grease", assetId: assets.South, frequency: "ANNUAL", anchor: "2031-01-20T12:00:00.000Z" },
    });
    browser = await launchBrowser();
    planner = await ConsolePage.open(browser, gateway);
    await planner.signIn(admin.key, "/");
    await planner.page.getByRole("heading", { level: 1 }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it("lists the month's days with work, in the time zone of each site, with one query", async () => {
    await planner.isQuiet();
    expect(await planner.go(month, "January 2031")).toEqual(["CalendarPage"]);
    expect(await shownDays()).toEqual(["2031-01-07", "2031-01-08", "2031-01-20"]);
    expect(await day("2031-01-08").getByRole("button").innerText()).toMatch(
      /^Change the oil\s+Pump of North, North · Night shift · Scheduled$/,
    );
    expect(await day("2031-01-20").getByRole("button").innerText()).toMatch(/^Grease\s+Pump of South, South · Due, no work order yet$/);
    expect(await planner.page.getByRole("region", { name: "Overdue" }).getByRole("button").innerText()).toContain("Forgotten");
    expect(await seriousFindings(planner.page)).toEqual([]);
    await expectContrastInDark(planner.page);
  });

  it("filters by site and by crew", async () => {
    await planner.go(month, "January 2031");
    await planner.page.getByLabel("Site").selectOption({ label: "South" });
    await expect.poll(() => shownDays()).toEqual(["2031-01-07", "2031-01-20"]);
    await planner.page.getByLabel("Site").selectOption({ label: "All sites" });
    await planner.page.getByLabel("Person").selectOption({ label: "Night shift" });
    await expect.poll(() => shownDays()).toEqual(["2031-01-08"]);
    await planner.page.getByRole("link", { name: "Next month" }).click();
    await planner.page.getByText("Nothing is planned or due in this period").waitFor();
  });

  it("makes the order of due work with the keyboard", async () => {
    await planner.go(month, "January 2031");
    await day("2031-01-20").getByRole("button").press("Enter");
    await planner.page.getByRole("dialog").getByRole("button", { name: "Create work order" }).press("Enter");
    await day("2031-01-20")
      .getByRole("button", { name: /Grease.*Scheduled/ })
      .waitFor();
    const { workOrders } = await admin.ask('{ workOrders(filter: { titleContains: "Grease" }) { nodes { status } } }');
    expect(workOrders.nodes).toEqual([{ status: "SCHEDULED" }]);
  });

  it("is the first view on a phone, from today on, and fits", async () => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await make("Soon", soon, "South");
    const own = await ConsolePage.open(browser, gateway, phone);
    await own.signIn(admin.key, "/calendar");
    const { page } = own;
    await page.getByRole("heading", { level: 1, name: /^From .* 20\d\d$/ }).waitFor();
    await page
      .locator(".agenda")
      .getByRole("button", { name: /^Soon.*Pump of South/ })
      .tap();
    await page.getByRole("dialog").getByRole("link", { name: "Pump of South" }).waitFor();
    await page.getByRole("button", { name: "Close" }).tap();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await widthOf(page)).toBe(390);
    await page.getByRole("button", { name: "Month", exact: true }).tap();
    await page.locator(".days").waitFor();
    expect(own.address).toContain("view=month");
    expect(await planner.go("/calendar", /^\w+ 20\d\d$/)).toEqual(["CalendarPage"]);
    expect([own.problems, planner.problems]).toEqual([[], []]);
    await own.close();
  });
});
