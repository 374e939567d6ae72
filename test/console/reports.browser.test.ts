/** Reports in the console: charts with values, comparisons, the records behind each figure, and how figures are computed. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`reports of the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let open: ConsolePage;
  const ids: Record<string, string> = {};
  const hoursAgo = (days: number, hours = 0) => new Date(Date.now() - days * 86_400_000 + hours * 3_600_000).toISOString();
  const monthOf = (value: string) =>
    new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(value));

  const done = async (title: string, assetId: string, completedAt: string, laborCost: number, input: object = {}) => {
    const { createWorkOrder } = await admin.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", {
      input: { assetId, title, ...input },
    });
    ids[title] = createWorkOrder.id;
    await admin.ask(
      "mutation ($id: ID!, $input: CompleteWorkOrderInput) { startWorkOrder(id: $id) { id } completeWorkOrder(id: $id, input: $input) { id } }",
      {
        id: createWorkOrder.id,
        input: { completedAt, startedAt: new Date(Date.parse(completedAt) - 3_600_000).toISOString(), duration: 60, laborCost },
      },
    );
  };
  const failed = (assetId: string, days: number, hours: number, workOrderId?: string) =>
    admin.ask("mutation ($input: RecordDowntimeInput!) { recordDowntime(input: $input) { id } }", {
      input: { assetId, cause: "FAILURE", startedAt: hoursAgo(days), endedAt: hoursAgo(days, hours), workOrderId },
    });
  const card = (name: string): Locator => open.page.getByRole("region", { name, exact: true });
  const dialog = () => open.page.getByRole("dialog");
  const tile = (label: string) => open.page.getByRole("list", { name: "Figures" }).getByRole("listitem").filter({ hasText: label });
  const passes = async () => expect(await seriousFindings(open.page)).toEqual([]);
  const shot = async (name: string) => {
    if (process.env.SCREENSHOTS) await open.page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
  };

  beforeAll(async () => {
    admin = await gateway.newTenant();
    for (const name of ["North", "South"])
      await admin.ask("mutation ($name: PlaceName!) { createSite(input: { name: $name }) { id } }", { name });
    await admin.ask('mutation { updateStockSettings(input: { currency: "EUR" }) { id } }');
    const make = async (name: string, type: string, site: string) =>
      (await admin.createAsset({ name, type, site, installationDate: "2020-01-01T00:00:00.000Z" })).id;
    ids.pump = await make("Feed Pump", "pump", "North");
    ids.filler = await make("Filler", "filler", "South");
    ids.silo = await make("Silo", "silo", "South");
    await done("Change the seal", ids.pump!, hoursAgo(20, 3), 120, { type: "CORRECTIVE" });
    await admin.ask(
      'mutation ($id: ID!) { addWorkOrderCost(id: $id, input: { kind: CONTRACTOR, description: "Crane", amount: 80 }) { id } }',
      { id: ids["Change the seal"] },
    );
    await done("Grease the filler", ids.filler!, hoursAgo(20, 3), 50, { type: "PREVENTIVE" });
    await done("Old repair", ids.pump!, hoursAgo(400), 100, { type: "CORRECTIVE" });
    await failed(ids.pump!, 80, 6);
    await failed(ids.pump!, 60, 12);
    await failed(ids.pump!, 20, 2, ids["Change the seal"]);
    await failed(ids.filler!, 30, 24);
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway, { timezoneId: "UTC" });
    await open.signIn(admin.key, "/reports");
    await open.page.getByRole("heading", { level: 1, name: "Reports" }).waitFor();
    await open.page.getByRole("list", { name: "Figures" }).waitFor();
  });
  afterAll(() => browser?.close());

  it("shows costs by month with axes, the currency, and the same values in a table", async () => {
    const costs = card("Cost by month");
    await shot("reports");
    expect(await costs.getByText("Cost in EUR", { exact: true }).count()).toBe(1);
    const month = monthOf(hoursAgo(20, 3));
    const name = `${month}: Labor: €170.00, Parts: €0.00, Contractors and other: €80.00, Total: €250.00`;
    const mark = costs.getByRole("button", { name });
    await mark.focus();
    await costs.locator(".chart-box").getByText("Total: €250.00").waitFor();
    await passes();
    // Months without work are part of the period.
    expect(await costs.locator("[data-mark]").count()).toBe(12);
    await costs.getByText("Values as a table").click();
    expect(await costs.getByRole("row", { name: new RegExp(`^${month}`) }).innerText()).toBe(
      [month, "€170.00", "€0.00", "€80.00", "€250.00"].join("\t"),
    );
    const ticks = await costs.locator("svg .visx-axis-left text").allTextContents();
    expect(ticks).toContain("€200.00");
  });

  it("moves through the columns by arrow keys, and opens the records of a month", async () => {
    const costs = card("Cost by month");
    const marks = costs.locator("[data-mark]");
    const last = (await marks.count()) - 1;
    expect(last).toBeGreaterThanOrEqual(0);
    await marks.nth(last).focus();
    await open.page.keyboard.press("Home");
    expect(await marks.first().evaluate((one) => one === document.activeElement)).toBe(true);
    await open.page.keyboard.press("End");
    await open.page.keyboard.press("Enter");
    await dialog().getByText("2 work orders").waitFor();
    expect(open.address).toMatch(/rows=month%3A20\d\d-\d\d-01/);
    const row = dialog().getByRole("listitem").filter({ hasText: "Change the seal" });
    expect(await row.innerText()).toContain("€200.00");
    await passes();
    await row.getByRole("link", { name: "Change the seal" }).click();
    await open.page.getByRole("heading", { level: 1, name: "Change the seal" }).waitFor();
    await open.go("/reports", "Reports");
  });

  it("compares each figure with the period before, and explains it", async () => {
    const costs = tile("Cost of completed work");
    expect(await costs.innerText()).toContain("€250.00");
    expect(await costs.innerText()).toContain("2 work orders");
    expect(await costs.innerText()).toContain("150% more than €100.00 before");
    const planned = tile("Share of planned work");
    await planned.getByText("How is “Share of planned work” computed?").click();
    await planned.getByText(/Man-hours of work approved before the week in which it began/).waitFor();
    // No plan was due: that is not 0 %.
    expect(await tile("Planned work done in time").innerText()).toContain("Unknown because no planned date fell due.");
    await shot("figures");
  });

  it("shows the times between failures as a distribution, and opens the intervals", async () => {
    expect(await tile("Median time between failures").innerText()).toContain("29.6 d");
    const between = card("Between failures");
    expect(await between.getByRole("button", { name: "14 to less than 30 days: 1" }).count()).toBe(1);
    expect(await between.getByRole("button", { name: "30 to less than 60 days: 1" }).count()).toBe(1);
    expect(await between.getByRole("row", { name: /^Pump/ }).innerText()).toBe(
      ["Pump", "2", "19.8 d", "21.7 d", "29.6 d", "37.5 d", "39.5 d"].join("\t"),
    );
    await between.getByRole("button", { name: "30 to less than 60 days: 1" }).click();
    expect(open.address).toContain("rows=gap%3A30");
    const interval = dialog().getByRole("listitem");
    await interval.getByText("39.5 d").waitFor();
    expect(await interval.count()).toBe(1);
    await passes();
    await interval.getByRole("link", { name: "Order after" }).click();
    await open.page.getByRole("heading", { level: 1, name: "Change the seal" }).waitFor();
    await open.page.goBack();
    await dialog().getByText("39.5 d").waitFor();
    await open.page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
  });

  it("opens the records of each figure", async () => {
    const opened: [label: string, text: string][] = [
      ["Cost of completed work", "2 work orders"],
      ["Planned work done in time", "0 work orders"],
      ["Share of planned work", "2 work orders"],
      ["Availability", "4 downtimes"],
      ["Failures", "4 downtimes"],
      ["Median time between failures", "Order after"],
      ["Mean time between failures (MTBF)", "4 downtimes"],
      ["Mean time to restore (MTTR)", "4 downtimes"],
    ];
    for (const [label, text] of opened) {
      await tile(label).first().locator("button").click();
      await dialog().getByText(text, { exact: true }).waitFor();
      await dialog().getByRole("heading", { level: 2, name: label }).waitFor();
      await open.page.keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
    }
    await card("Work by type").getByRole("button", { name: "Corrective" }).click();
    await dialog().getByText("1 work order", { exact: true }).waitFor();
    await open.page.keyboard.press("Escape");
    await card("What failed").getByRole("button", { name: "Not specified" }).click();
    await dialog().getByText("4 downtimes").waitFor();
    await open.page.keyboard.press("Escape");
    await card("Downtime by month")
      .getByRole("button", { name: new RegExp(`^${monthOf(hoursAgo(80))}: `) })
      .click();
    await dialog().getByText("Feed Pump").first().waitFor();
    await open.page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
  });

  it("compares up to four sites side by side, kept in the address", async () => {
    await open.page.getByRole("link", { name: "Compare", exact: true }).click();
    await open.page.getByText("Nothing chosen").waitFor();
    await passes();
    await open.page.getByRole("checkbox", { name: "North" }).check();
    await open.page.getByRole("checkbox", { name: "South" }).check();
    await open.isQuiet();
    const search = () => Object.fromEntries(new URL(open.page.url()).searchParams);
    expect(search()).toEqual({ view: "compare", with: '["North","South"]' });
    const table = card("Comparison");
    const costs = table.getByRole("row", { name: /^Cost of completed work/ });
    expect(await costs.innerText()).toContain("North: 300% more than South");
    expect(await costs.innerText()).toContain("100% more than €100.00 before");
    expect(await table.getByRole("row", { name: /^Failures/ }).innerText()).toContain("North: 200% more than South");
    await passes();
    await expectContrastInDark(open.page);
    await shot("comparison");
    await costs.getByRole("button", { name: "Cost of completed work, North, 100% more than €100.00 before" }).click();
    await dialog().getByText("Old repair").waitFor();
    expect(search()).toEqual({ view: "compare", with: '["North","South"]', rows: "costs", of: "North", when: "before" });
    await open.page.reload();
    await dialog().getByText("Old repair").waitFor();
    await open.page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    const chart = card("Cost by month, compared");
    expect(await chart.getByRole("img", { name: `${monthOf(hoursAgo(20, 3))}: North: €200.00, South: €50.00` }).count()).toBe(1);
  });

  it("compares types of assets, and says which figure is unknown for them", async () => {
    await open.page.getByRole("combobox", { name: "Compare" }).selectOption("type");
    await open.page.getByRole("checkbox", { name: "Silo" }).check();
    await open.page.getByRole("checkbox", { name: "Pump" }).check();
    await open.isQuiet();
    const table = card("Comparison");
    expect(await table.getByRole("row", { name: /^Planned work done in time/ }).innerText()).toContain(
      "Unknown because it is not computed by area or type of asset.",
    );
    // A silo never failed: its mean is unknown, with a lower bound.
    expect(await table.getByRole("row", { name: /MTBF/ }).innerText()).toMatch(
      /Unknown because nothing failed. With 90% confidence at least 1\d\d\.?\d* d\./,
    );
    await passes();
  });

  it("draws the reliability and the meters of an asset, each with its records", async () => {
    await open.go(`/asset/${ids.pump}?tab=reliability`, "Feed Pump");
    expect(await tile("Median time between failures").innerText()).toContain("29.6 d");
    await tile("Failures").first().locator("button").click();
    await dialog().getByText("3 downtimes").waitFor();
    await open.page.keyboard.press("Escape");
    await card("Between failures").getByRole("button", { name: "14 to less than 30 days: 1" }).click();
    await dialog().getByText("19.8 d").waitFor();
    await open.page.keyboard.press("Escape");
    await passes();
    await shot("reliability");
    const { createMeter } = await admin.ask("mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }", {
      input: { assetId: ids.pump, name: "Run hours", kind: "RUN_HOURS", unit: "h" },
    });
    await admin.ask("mutation ($readings: [MeterReadingInput!]!) { recordMeterReadings(readings: $readings) { recorded } }", {
      readings: [40, 30, 10].map((days) => ({ meterId: createMeter.id, value: 1000 - days * 10, takenAt: hoursAgo(days) })),
    });
    await open.go(`/asset/${ids.pump}?tab=meters`, "Feed Pump");
    const readings = card("Run hours");
    await readings.getByRole("img", { name: /: 700 h$/ }).focus();
    await readings.locator(".chart-box").getByText("700 h").waitFor();
    await passes();
    await shot("meters");
  });

  it("fits a phone in light and dark, and prints charts with their values", async () => {
    await open.page.setViewportSize({ width: 320, height: 720 });
    for (const path of ["/reports", "/reports?view=compare&with=%5B%22North%22%2C%22South%22%5D"]) {
      await open.go(path, "Reports");
      expect(await widthOf(open.page), path).toBe(320);
      await passes();
      await expectContrastInDark(open.page);
    }
    await shot("phone");
    await open.page.setViewportSize({ width: 1366, height: 860 });
    await open.go("/reports", "Reports");
    await open.page.emulateMedia({ media: "print", colorScheme: "dark" });
    await card("Cost by month").getByRole("table").waitFor();
    expect(await open.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("light");
    await open.page.emulateMedia({ media: "screen", colorScheme: "light" });
    expect(open.problems).toEqual([]);
  });
});
