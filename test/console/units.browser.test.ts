/** Story of a unit: exchanged on a phone, inspected in the workshop, and installed again. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { type ConsolePage, expectContrastInDark, widthOf } from "./console.js";
import { scanPhoto } from "./scan.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`units in the console in ${CHROMIUM}`, () => {
  let browser: Browser;
  let admin: Caller;
  let bearing: string;
  let order: string;

  const heading = ({ page }: ConsolePage, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const installations = async () =>
    (
      await admin.ask(
        `query ($id: ID!) { component(id: $id) { installations { nodes { unit { id serialNumber } endedAt removalReason workOrderId notes } } } }`,
        { id: bearing },
      )
    ).component.installations.nodes;
  const scan = async (story: Story, own: ConsolePage, text: string) => {
    await story.press(own.dialog.getByRole("button", { name: "Scan", exact: true }));
    await scanPhoto(own.page, text);
    await expect.poll(() => own.page.locator("dialog").count()).toBe(1);
  };

  beforeAll(async () => {
    browser = await launchBrowser();
    admin = await gateway.newTenant();
    await admin.ask('mutation { createSite(input: { name: "North", timeZone: "Europe/Copenhagen" }) { id } }');
    const asset = await admin.createAsset({ name: "Pump P-101", site: "North" });
    await admin.createAsset({ name: "Pump P-102", site: "South" });
    bearing = (
      await admin.createComponent({
        name: "Bearing DE",
        type: "bearing",
        assetId: asset.id,
        serialNumber: "4711",
        manufacturer: "SKF",
        model: "6309",
        installDate: "2026-03-01T08:00:00Z",
      })
    ).id;
    const input = { title: "Noisy bearing", assetId: asset.id, type: "CORRECTIVE", priority: "HIGH" };
    order = (await admin.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", { input }))
      .createWorkOrder.id;
  });
  afterAll(() => browser?.close());

  it("is exchanged on a phone, inspected on the board, and installed again by a scan", async () => {
    const technician = await admin.as("technician");
    const story = new Story("exchange of a unit", "phone", browser, gateway, { timezoneId: "Europe/Copenhagen" });
    const own = await story.signIn(technician.key, "/", "Home");
    const { page } = own;

    // From anywhere, by a command.
    await story.press(page.getByRole("button", { name: "Find or do" }));
    const find = page.getByRole("combobox");
    await story.fill(find, "exchange un");
    await story.press(page.getByRole("option", { name: "Exchange unit" }));
    await story.fill(find, "4711");
    await story.press(page.getByRole("option", { name: /Bearing DE/ }));
    await heading(own, "Bearing DE");
    await own.dialog.getByRole("heading", { name: "Exchange unit" }).waitFor();
    const serial = own.dialog.getByLabel("Serial number of the new unit");
    const verb = own.dialog.getByRole("button", { name: "Exchange unit", exact: true });
    await scan(story, own, `${gateway.url}/console/component/${bearing}`);
    await own.dialog.getByText("That was the label of a record.").waitFor();
    await story.fill(serial, "4711");
    await own.dialog.getByText("This unit is in the component already").waitFor();
    await scan(story, own, "B7-1");
    expect(await serial.inputValue()).toBe("B7-1");
    expect(await verb.isDisabled()).toBe(true);
    await story.choose(own.dialog.getByLabel("Why 4711 comes out"), "Failure");
    await story.choose(own.dialog.getByLabel("Work order"), "Noisy bearing");
    await story.fill(own.dialog.getByLabel("Notes"), "Outer race");
    // Before the first installation.
    await story.fill(own.dialog.getByLabel("When (default: now)"), "2026-02-01T10:00");
    await story.press(verb);
    const when = own.dialog.getByLabel("When (default: now)");
    await expect.poll(() => when.getAttribute("aria-invalid")).toBe("true");
    expect(await installations()).toHaveLength(1);
    await story.passes(own);
    await story.fill(when, "2026-05-03T12:00");
    await story.send(own, "Exchange unit");
    const [present, former] = await installations();
    expect(present).toMatchObject({ unit: { serialNumber: "B7-1" }, endedAt: null, workOrderId: order, notes: "Outer race" });
    expect(former).toMatchObject({ unit: { serialNumber: "4711" }, endedAt: "2026-05-03T10:00:00.000Z", removalReason: "FAILURE" });
    await expect
      .poll(() => page.getByRole("list", { name: "Units over time" }).getByRole("listitem").allInnerTexts())
      .toEqual(["4711", "B7-1"]);
    await story.passes(own);

    // The board of the workshop.
    await story.press(page.getByRole("button", { name: "More" }));
    await story.press(page.getByRole("dialog").getByRole("link", { name: "Workshop" }));
    await heading(own, "Workshop");
    await own.isQuiet();
    const column = (name: string) => page.getByRole("region", { name, exact: true });
    const line = (name: string) => column(name).getByRole("listitem").filter({ hasText: "4711" });
    expect(await line("To inspect").innerText()).toContain("North · removed from Pump P-101 › Bearing DE · since 3 May 2026");
    await story.passes(own);
    expect(await widthOf(page)).toBe(390);
    await story.press(line("To inspect").getByRole("button", { name: "Send to repair 4711" }));
    await story.fill(own.dialog.getByLabel("Repaired by"), "Acme Repairs");
    await story.send(own, "Send to repair");
    await line("In repair").getByText("Repaired by Acme Repairs").waitFor();
    expect(await line("To inspect").count()).toBe(0);
    await story.press(line("In repair").getByRole("button", { name: "Serviceable 4711" }));
    await story.passes(own);
    await story.send(own, "Serviceable");
    await line("Serviceable").waitFor();
    expect(await line("In repair").count()).toBe(0);

    // A search finds units in any state, and leads to every place of a unit.
    await story.fill(page.getByLabel("Find a unit by its serial number"), "b7");
    await column("Units found").getByText("in Pump P-101 › Bearing DE since 3 May 2026").waitFor();
    await story.fill(page.getByLabel("Find a unit by its serial number"), "47");
    await story.press(column("Units found").getByRole("link", { name: "4711" }));
    await heading(own, "4711");
    await expect
      .poll(() => page.getByRole("list", { name: "Places over time" }).getByRole("listitem").allInnerTexts())
      .toEqual(["Bearing DE", "To inspect", "In repair", "Serviceable"]);
    expect(await page.getByRole("region", { name: "Places", exact: true }).getByRole("row").count()).toBe(5);
    const reliability = await page.getByRole("region", { name: "Reliability", exact: true }).innerText();
    // From 1 March 08:00 to 3 May 10:00.
    expect(reliability).toMatch(/Operating hours\s+1,514 h · by the calendar\s+Failures\s+1\s/);
    await story.passes(own);
    await expectContrastInDark(page);

    // Back in its place: the scanned number is that of a known unit.
    await own.go(`/component/${bearing}`, "Bearing DE");
    await story.press(page.getByRole("button", { name: "Exchange unit" }));
    await scan(story, own, "4711");
    const known = own.dialog.getByRole("group", { name: "Units with this serial number" });
    const choice = known.getByRole("radio", { name: /^4711, SKF 6309 Serviceable North · removed from Pump P-101 › Bearing DE/ });
    await choice.waitFor();
    expect(await choice.isChecked()).toBe(true);
    await story.choose(own.dialog.getByLabel("Why B7-1 comes out"), "Wrong item");
    await story.passes(own);
    await story.send(own, "Exchange unit");
    await expect
      .poll(() => page.getByRole("list", { name: "Units over time" }).getByRole("listitem").allInnerTexts())
      .toEqual(["4711", "B7-1", "4711"]);
    expect((await installations()).map(({ unit, removalReason }: any) => [unit.id === former.unit.id, removalReason])).toEqual([
      [true, null],
      [false, "WRONG_ITEM"],
      [true, "FAILURE"],
    ]);
    const rows = page.getByRole("region", { name: "Installations" }).getByRole("row");
    expect(await rows.nth(3).innerText()).toMatch(/4711.*1 Mar 2026, 09:00.*3 May 2026, 12:00.*63\.1 d.*Failure/s);
    expect(await widthOf(page)).toBe(390);
    await story.passes(own);

    // Removed without a successor.
    await story.press(page.getByRole("button", { name: "Remove unit" }));
    await story.choose(own.dialog.getByLabel("Why 4711 comes out"), "Taken for another asset");
    await story.send(own, "Remove unit");
    await page.getByRole("button", { name: "Install unit" }).waitFor();
    // It is to be inspected again, so a technician cannot install it.
    await story.press(page.getByRole("button", { name: "Install unit" }));
    await story.fill(own.dialog.getByLabel("Serial number of the new unit"), "4711");
    await own.dialog.getByText("Inspect it first.").waitFor();
    await story.press(own.dialog.getByRole("button", { name: "Install unit", exact: true }));
    await own.dialog
      .getByText(/inspect it first, or let a manager/)
      .first()
      .waitFor();
    expect(await own.dialog.getByLabel("Serial number of the new unit").getAttribute("aria-invalid")).toBe("true");
    expect((await installations())[0].endedAt).not.toBeNull();
    await story.end();
  });

  it("shows viewers units without verbs", async () => {
    const viewer = await admin.as("viewer");
    const story = new Story("reading of units", "desktop", browser, gateway);
    const own = await story.signIn(viewer.key, `/component/${bearing}`, "Bearing DE");
    await own.page.getByRole("list", { name: "Units over time" }).waitFor();
    expect(await own.page.locator("main").getByRole("button", { name: /unit/ }).count()).toBe(0);
    expect(await own.go("/units", "Workshop")).toEqual(["Workshop", "Places"]);
    expect(await own.page.locator("main").getByRole("listitem").getByRole("button").count()).toBe(0);
    await story.passes(own);
    const toInspect = own.page.getByRole("region", { name: "To inspect" });
    expect(await toInspect.getByRole("listitem").count()).toBe(2);
    await own.page.getByLabel("Site", { exact: true }).selectOption({ label: "South" });
    await toInspect.getByText("No units.").waitFor();
    await own.page.getByLabel("Site", { exact: true }).selectOption({ label: "North" });
    await expect.poll(() => toInspect.getByRole("listitem").count()).toBe(2);
    await story.end();
  });

  it("corrects an installation, and shows what was recorded before", async () => {
    const { id: assetId } = await admin.createAsset({ name: "Mill M-1", site: "North" });
    const { id } = await admin.createComponent({ name: "Gear", assetId, serialNumber: "G-1", installDate: "2026-03-01T08:00:00Z" });
    const spare = await admin.createComponent({ name: "Spare gear", assetId, serialNumber: "G-7", installDate: "2025-01-01T00:00:00Z" });
    const exchange = (input: object) =>
      admin.ask("mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }", { input });
    await exchange({ componentId: id, unit: { serialNumber: "G-2" }, reason: "FAILURE", at: "2026-05-03T10:00:00Z" });
    await exchange({ componentId: spare.id, reason: "CANNIBALISED", at: "2026-02-01T10:00:00Z" });
    const spareUnit = (await admin.ask('{ units(filter: { serialNumber: "G-7" }) { nodes { id } } }')).units.nodes[0].id;
    await admin.ask("mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { id } }", {
      input: { unitId: spareUnit, state: "REMOVED", condition: "SERVICEABLE", at: "2026-02-02T10:00:00Z" },
    });
    const technician = await admin.as("technician");
    const story = new Story("correction of an installation", "phone", browser, gateway, { timezoneId: "Europe/Copenhagen" });
    const own = await story.signIn(technician.key, `/component/${id}`, "Gear");
    const row = (serialNumber: string) =>
      own.page.getByRole("region", { name: "Installations" }).getByRole("row").filter({ hasText: serialNumber });
    const correct = (serialNumber: string) =>
      row(serialNumber).getByRole("button", { name: `Correct the installation of ${serialNumber}` });
    const verb = own.dialog.getByRole("button", { name: "Correct", exact: true });

    // The times and the reason. An end in the future is refused at its field.
    await story.press(correct("G-1"));
    await own.dialog.getByRole("heading", { name: "Correct installation" }).waitFor();
    expect(await own.dialog.getByLabel("Installed", { exact: true }).inputValue()).toBe("2026-03-01T09:00");
    expect(await verb.isDisabled()).toBe(true);
    await story.fill(own.dialog.getByLabel("Removed", { exact: true }), "2096-05-02T08:00");
    await story.press(verb);
    await expect.poll(() => own.dialog.getByLabel("Removed", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await story.fill(own.dialog.getByLabel("Removed", { exact: true }), "2026-05-02T08:00");
    await story.choose(own.dialog.getByLabel("Why G-1 came out"), "Preventive");
    await story.fill(own.dialog.getByLabel("Why it is corrected"), "Night shift");
    await story.passes(own);
    expect(await widthOf(own.page)).toBe(390);
    await story.send(own, "Correct");
    await row("G-1")
      .getByText(/Corrected on .+ by .+, before: G-1, 1 Mar 2026, 09:00 – 3 May 2026, 12:00, Failure/)
      .waitFor();
    expect(await row("G-1").innerText()).toMatch(/2 May 2026, 08:00.*Preventive.*Night shift/s);
    expect(await row("G-2").innerText()).toContain("2 May 2026, 08:00");

    // Another unit was installed: only known units can be named.
    await story.press(correct("G-1"));
    const serial = own.dialog.getByLabel("Serial number of the unit that was installed");
    await story.fill(serial, "G-9");
    await own.dialog.getByText("No unit has this number").waitFor();
    expect(await verb.isDisabled()).toBe(true);
    await scan(story, own, "G-7");
    await own.dialog.getByRole("radio", { name: /^G-7/ }).waitFor();
    await story.send(own, "Correct");
    await row("G-7").waitFor();
    const [, former] = (
      await admin.ask(
        `query ($id: ID!) { component(id: $id) { installations { nodes { unit { serialNumber } startedAt endedAt removalReason corrections { unit { serialNumber } removalReason } } } } }`,
        { id },
      )
    ).component.installations.nodes;
    expect(former).toEqual({
      unit: { serialNumber: "G-7" },
      startedAt: "2026-03-01T08:00:00.000Z",
      endedAt: "2026-05-02T06:00:00.000Z",
      removalReason: "PREVENTIVE",
      corrections: [
        { unit: { serialNumber: "G-1" }, removalReason: "FAILURE" },
        { unit: { serialNumber: "G-1" }, removalReason: "PREVENTIVE" },
      ],
    });
    await story.passes(own);
    await story.end();
  });

  it("swaps the units of two components", async () => {
    const { id: assetId } = await admin.createAsset({ name: "Fan F-7", site: "North" });
    const first = await admin.createComponent({ name: "Motor 1", assetId, serialNumber: "M-1", installDate: "2026-03-01T08:00:00Z" });
    const second = await admin.createComponent({ name: "Motor 2", assetId, serialNumber: "M-2", installDate: "2026-03-01T08:00:00Z" });
    const technician = await admin.as("technician");
    const story = new Story("swap of units", "phone", browser, gateway, { timezoneId: "Europe/Copenhagen" });
    const own = await story.signIn(technician.key, `/component/${first.id}`, "Motor 1");
    const verb = own.dialog.getByRole("button", { name: "Swap units", exact: true });
    await story.press(own.page.getByRole("button", { name: "Swap units" }));
    const serial = own.dialog.getByLabel("Serial number of the other unit");
    // The unit itself is no other one.
    await story.fill(serial, "M-1");
    await own.dialog.getByText("No other installed unit has this number").waitFor();
    await scan(story, own, "M-2");
    await own.dialog.getByText("in Fan F-7 › Motor 2 since 1 Mar 2026").waitFor();
    expect(await verb.isDisabled()).toBe(true);
    await story.choose(own.dialog.getByLabel("Why they are swapped"), "Unknown");
    await story.fill(own.dialog.getByLabel("When (default: now)"), "2026-02-01T08:00");
    await story.press(verb);
    await expect.poll(() => own.dialog.getByLabel("When (default: now)").getAttribute("aria-invalid")).toBe("true");
    await story.passes(own);
    await story.fill(own.dialog.getByLabel("When (default: now)"), "2026-06-01T08:00");
    await story.send(own, "Swap units");
    await expect
      .poll(() => own.page.getByRole("list", { name: "Units over time" }).getByRole("listitem").allInnerTexts())
      .toEqual(["M-1", "M-2"]);
    const components = await admin.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Component { serialNumber installDate } } }", {
      ids: [first.id, second.id],
    });
    expect(components.nodes).toEqual([
      { serialNumber: "M-2", installDate: "2026-06-01T06:00:00.000Z" },
      { serialNumber: "M-1", installDate: "2026-06-01T06:00:00.000Z" },
    ]);
    // Back again, from the page of the unit.
    await story.press(own.page.getByRole("link", { name: "M-1" }));
    await heading(own, "M-1");
    await story.press(own.page.getByRole("button", { name: "Swap units" }));
    await story.fill(serial, "M-2");
    await story.choose(own.dialog.getByLabel("Why they are swapped"), "Unknown");
    await story.send(own, "Swap units");
    await expect
      .poll(() => own.page.getByRole("list", { name: "Places over time" }).getByRole("listitem").allInnerTexts())
      .toEqual(["Motor 1", "Motor 2", "Motor 1"]);
    await story.passes(own);
    await story.end();
  });

  it("releases a repaired unit to stock, and says what follows", async () => {
    const { id: assetId } = await admin.createAsset({ name: "Pump P-9", site: "North" });
    const position = await admin.createComponent({ name: "Cartridge seal", assetId });
    const { createPart: part } = await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
      input: { partNumber: "CTX-1", name: "Cartridge", tracksSerials: true, coreValue: 40, currency: "EUR", site: "North" },
    });
    const exchange = (input: object) =>
      admin.ask("mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }", {
        input: { componentId: position.id, ...input },
      });
    await admin.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", {
      id: part.id,
      input: { quantity: 1, site: "North", unitCost: 100, serialNumbers: ["C-1"] },
    });
    await exchange({ unit: { partId: part.id, serialNumber: "C-1" } });
    // Never in stock before.
    await exchange({ unit: { partId: part.id, serialNumber: "C-2" }, reason: "FAILURE" });
    await exchange({ reason: "PREVENTIVE" });
    const technician = await admin.as("technician");
    const story = new Story("release of units to stock", "desktop", browser, gateway);
    const own = await story.signIn(technician.key, "/units", "Workshop");
    const line = (name: string, serialNumber: string) =>
      own.page.getByRole("region", { name, exact: true }).getByRole("listitem").filter({ hasText: serialNumber });
    const levels = async () =>
      (await admin.ask("query ($id: ID!) { part(id: $id) { stockLevels { quantity availableStock totalValue } } }", { id: part.id })).part
        .stockLevels;
    // To be inspected first.
    expect(await line("To inspect", "C-1").getByRole("button", { name: "Release to stock" }).count()).toBe(0);
    for (const serialNumber of ["C-1", "C-2"]) {
      await story.press(line("To inspect", serialNumber).getByRole("button", { name: `Serviceable ${serialNumber}` }));
      await story.send(own, "Serviceable");
    }
    await story.press(line("Serviceable", "C-1").getByRole("button", { name: "Release to stock C-1" }));
    await own.dialog.getByText("The stock of Cartridge at North gains one unit, at the core value of €40.00.").waitFor();
    expect(await own.dialog.getByText("another person").count()).toBe(0);
    await story.passes(own);
    await story.send(own, "Release to stock");
    await expect.poll(() => line("Serviceable", "C-1").count()).toBe(0);
    expect(await levels()).toEqual([{ quantity: 1, availableStock: 1, totalValue: 40 }]);
    await story.press(line("Serviceable", "C-2").getByRole("button", { name: "Release to stock C-2" }));
    await own.dialog.getByText("It stays blocked until another person approves it.").waitFor();
    await story.send(own, "Release to stock");
    await expect.poll(() => line("Serviceable", "C-2").count()).toBe(0);
    expect(await levels()).toEqual([{ quantity: 2, availableStock: 1, totalValue: 80 }]);
    // In stock: movements take it out, from the page of its part.
    await story.fill(own.page.getByLabel("Find a unit by its serial number"), "C-1");
    await story.press(own.page.getByRole("link", { name: "C-1" }));
    await heading(own, "C-1");
    expect(await own.page.locator(".page-head").getByRole("button").count()).toBe(0);
    await own.page.getByRole("link", { name: "Cartridge CTX-1" }).waitFor();

    // Scrapped, with its consequence for the books.
    await exchange({ unit: { partId: part.id, serialNumber: "C-3" } });
    await exchange({ reason: "FAILURE" });
    await own.go("/units", "Workshop");
    await story.press(line("To inspect", "C-3").getByRole("button", { name: "Scrap C-3" }));
    await own.dialog.getByText("The value of the stock stays, because the unit is not in stock.").waitFor();
    await story.passes(own);
    await story.send(own, "Scrap");
    await expect.poll(() => line("To inspect", "C-3").count()).toBe(0);
    expect(await levels()).toEqual([{ quantity: 2, availableStock: 1, totalValue: 80 }]);
    await story.end();
  });

  it("lists a position that eats units in the reports, and leads to its figures", async () => {
    const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString();
    const { id: assetId } = await admin.createAsset({ name: "Fan F-1", site: "North" });
    const installed = async (name: string, serialNumber: string, installDate: string): Promise<string> =>
      (await admin.createComponent({ name, assetId, serialNumber, manufacturer: "Acme", model: "X1", installDate })).id;
    for (const name of ["Belt 1", "Belt 2"]) await installed(name, name, day(300));
    const componentId = await installed("Belt 3", "X-0", day(30));
    for (const [serialNumber, at] of [
      ["X-1", day(20)],
      ["X-2", day(10)],
      ["X-3", day(5)],
    ])
      await admin.ask("mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }", {
        input: { componentId, unit: { serialNumber }, reason: "FAILURE", at },
      });
    const viewer = await admin.as("viewer");
    const story = new Story("bad actors", "desktop", browser, gateway);
    const own = await story.signIn(viewer.key, "/reports", "Reports");
    const row = own.page.getByRole("region", { name: "Bad actors" }).getByRole("row").nth(1);
    expect(await row.innerText()).toMatch(/Fan F-1 · Belt 3\s+Position\s+Acme X1\s+3\s+0\s+7[12]\d(\.\d)? h/);
    await story.passes(own);
    await story.press(row.getByRole("link"));
    await heading(own, "Belt 3");
    const figures = own.page.getByRole("region", { name: "Reliability", exact: true });
    expect(await figures.innerText()).toMatch(
      /Failures\s+3\s+Removed otherwise or still running\s+1\s+Mean time to failure \(MTTF\)\s+240 h/,
    );
    await story.passes(own);
    await story.end();
  });
});
