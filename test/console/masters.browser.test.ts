/** Master data in the console: a storekeeper's parts and stock, an engineer's assets, an administrator's people. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`master data of the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let open: ConsolePage;
  let viewer: ConsolePage;
  let people: ConsolePage;
  let tess: Caller;

  const person = async (name: string, role: string): Promise<Caller> => {
    const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return new Caller(gateway, admin.tenantId, createApiKey.key);
  };
  const dialog = ({ page } = open): Locator => page.getByRole("dialog");
  const button = (name: string | RegExp, within: Locator = open.page.locator("main")) => within.getByRole("button", { name, exact: true });
  const fill = async (values: Record<string, string>, within = open) => {
    for (const [label, value] of Object.entries(values)) await dialog(within).getByLabel(label, { exact: true }).fill(value);
  };
  /** Checks the dialog, then sends it. */
  const send = async (name: string, within = open) => {
    expect(await seriousFindings(within.page)).toEqual([]);
    await button(name, dialog(within)).click();
    await dialog(within).waitFor({ state: "detached" });
  };
  const stockOf = async (partNumber: string) =>
    (
      await admin.ask(
        `query ($partNumber: String!) { partByNumber(by: { partNumber: $partNumber }) {
          stockLevels { site quantity location minimumStock maximumStock reorderPoint totalValue } } }`,
        { partNumber },
      )
    ).partByNumber.stockLevels;

  beforeAll(async () => {
    admin = await gateway.newTenant();
    for (const name of ["North", "South"])
      await admin.ask("mutation ($name: PlaceName!) { createSite(input: { name: $name }) { id } }", { name });
    await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
      input: { name: "Grease", partNumber: "GR-1", site: "North", stockLevel: 2, reorderPoint: 5, maximumStock: 10 },
    });
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway);
    await open.signIn((await person("Sam Store", "MANAGER")).key, "/stock");
    await open.page.getByRole("heading", { level: 1, name: "Stock" }).waitFor();
    people = await ConsolePage.open(browser, gateway);
    await people.signIn(admin.key, "/admin");
    await people.page.getByRole("heading", { level: 1, name: "Administration" }).waitFor();
    viewer = await ConsolePage.open(browser, gateway);
    await viewer.signIn((await person("Vera View", "VIEWER")).key, "/stock");
    await viewer.page.getByRole("heading", { level: 1, name: "Stock" }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("creates a part, and shows a taken number beside its field", async () => {
    await button("New part").click();
    await fill({ "Part number": "GR-1", Name: "Shaft seal", Supplier: "Seal & Co", "Supplier's phone": "+45 1", "Lead time, days": "7" });
    await dialog().getByLabel("Unit", { exact: true }).selectOption("EACH");
    await dialog().getByLabel("Movements need a batch").check();
    await button("Create part", dialog()).click();
    await expect.poll(() => dialog().getByLabel("Part number", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    expect(await dialog().getByRole("alert").count()).toBe(1);
    await fill({ "Part number": "SEAL-1", "Unit cost": "12,5", Currency: "EUR" });
    await send("Create part");
    await open.page.getByRole("heading", { level: 1, name: "Shaft seal" }).waitFor();
    await open.page.getByText("No stock yet").waitFor();
    const { partByNumber } = await admin.ask(
      `{ partByNumber(by: { partNumber: "SEAL-1" }) { name unitOfMeasure unitCost currency leadTime tracksBatches isCritical supplier { name contact { phone } } } }`,
    );
    expect(partByNumber).toEqual({
      name: "Shaft seal",
      unitOfMeasure: "EACH",
      unitCost: 12.5,
      currency: "EUR",
      leadTime: 7,
      tracksBatches: true,
      isCritical: false,
      supplier: { name: "Seal & Co", contact: { phone: "+45 1" } },
    });
  });

  it("edits a part, and overwrites nothing that somebody else changed meanwhile", async () => {
    const { partByNumber } = await admin.ask('{ partByNumber(by: { partNumber: "SEAL-1" }) { id } }');
    await button("Edit").click();
    await fill({ Category: "Seals", "Supplier's part number": "4711" });
    await admin.ask('mutation ($id: ID!) { updatePart(id: $id, input: { manufacturer: "Seal Works" }) { id } }', { id: partByNumber.id });
    await button("Save", dialog()).click();
    await dialog().getByText("Someone else changed this record while you edited it: Manufacturer.").waitFor();
    expect(await seriousFindings(open.page)).toEqual([]);
    await button("Load their changes", dialog()).click();
    expect(await dialog().getByLabel("Manufacturer", { exact: true }).inputValue()).toBe("Seal Works");
    await send("Save");
    await open.page.getByText("4711").first().waitFor();
    const { part } = await admin.ask(
      "query ($id: ID!) { part(id: $id) { category manufacturer supplier { name partNumber contact { phone } } } }",
      { id: partByNumber.id },
    );
    expect(part).toEqual({
      category: "Seals",
      manufacturer: "Seal Works",
      supplier: { name: "Seal & Co", partNumber: "4711", contact: { phone: "+45 1" } },
    });
  });

  it("sets a stock level, and receives a batch with its cost and bin", async () => {
    await button("Add a site").click();
    await fill({ Site: "North", Bin: "A-1", "Reorder point": "5", Minimum: "3", Maximum: "2" });
    await button("Save", dialog()).click();
    await dialog().getByRole("alert").waitFor();
    await fill({ Maximum: "20" });
    await send("Save");
    const north = open.page.getByRole("region", { name: "Stock at North" });
    await north.getByText("Bin A-1 · minimum 3 · maximum 20").waitFor();

    await button("Receive", north).click();
    await fill({ "Quantity received": "10", "Unit cost, EUR": "12.25", Batch: "B-7", "Expires on": "2031-05-06", Bin: "A-2" });
    await fill({ "Delivery note or order": "PO-99" });
    await expectContrastInDark(open.page);
    await open.page.setViewportSize({ width: 320, height: 700 });
    expect(await widthOf(open.page)).toBe(320);
    await open.page.setViewportSize({ width: 1366, height: 860 });
    await send("Save");
    await open.page.getByText("10 received").waitFor();
    await north.getByRole("list", { name: "Batches at North" }).getByText("10 each, expires 6 May 2031").waitFor();
    expect(await stockOf("SEAL-1")).toEqual([
      { site: "North", quantity: 10, location: "A-2", minimumStock: 3, maximumStock: 20, reorderPoint: 5, totalValue: 122.5 },
    ]);
  });

  it("issues, returns and transfers stock", async () => {
    const north = open.page.getByRole("region", { name: "Stock at North" });
    await button("Issue", north).click();
    await fill({ "Quantity issued": "12", Reason: "Repair of P-1" });
    await dialog().getByLabel("Batch", { exact: true }).selectOption("B-7");
    await button("Save", dialog()).click();
    await dialog().getByRole("alert").waitFor();
    expect((await stockOf("SEAL-1"))[0].quantity).toBe(10);
    await fill({ "Quantity issued": "4" });
    await send("Save");
    await expect.poll(async () => (await stockOf("SEAL-1"))[0].quantity).toBe(6);

    await button("Return", north).click();
    await fill({ "Quantity returned": "1" });
    await dialog().getByLabel("Returned from").selectOption({ index: 1 });
    expect(await dialog().getByLabel("Unit cost, EUR").count()).toBe(0);
    await fill({ Batch: "B-7" });
    await send("Save");

    await button("Transfer", north).click();
    await dialog().getByLabel("To site").selectOption("South");
    await fill({ Quantity: "3" });
    await dialog().getByLabel("Batch", { exact: true }).selectOption("B-7");
    await send("Transfer");
    await open.page.getByRole("region", { name: "Stock at South" }).getByText("B-7").waitFor();
    const levels = await stockOf("SEAL-1");
    expect(levels.map(({ site, quantity, totalValue }: any) => ({ site, quantity, totalValue }))).toEqual([
      { site: "North", quantity: 4, totalValue: 49 },
      { site: "South", quantity: 3, totalValue: 36.75 },
    ]);
  });

  it("reserves a transfer, ships it, and receives it in two parts", async () => {
    await button("Transfer", open.page.getByRole("region", { name: "Stock at South" })).click();
    await dialog().getByLabel("To site").selectOption("North");
    await fill({ Quantity: "2" });
    await dialog().getByLabel("Batch", { exact: true }).selectOption("B-7");
    await dialog().getByLabel("Reserve it now, ship and receive it later").check();
    await send("Transfer");
    const transfers = open.page.getByRole("region", { name: "Transfers" });
    await transfers.getByText("Reserved", { exact: true }).waitFor();
    await button("Ship", transfers).click();
    await transfers.getByText("In transit").waitFor();
    for (const quantity of ["1", "1"]) {
      await button("Receive from South", transfers).click();
      await fill({ "Quantity received": quantity });
      await send("Receive");
    }
    await transfers.waitFor({ state: "detached" });
    expect((await stockOf("SEAL-1")).map(({ quantity }: any) => quantity)).toEqual([6, 1]);
    // Back to where it was.
    await button("Transfer", open.page.getByRole("region", { name: "Stock at North" })).click();
    await dialog().getByLabel("To site").selectOption("South");
    await fill({ Quantity: "2" });
    await dialog().getByLabel("Batch", { exact: true }).selectOption("B-7");
    await send("Transfer");
    await expect.poll(async () => (await stockOf("SEAL-1")).map(({ quantity }: any) => quantity)).toEqual([4, 3]);
  });

  it("leads from a shortage to the proposed order, and keeps the page live", async () => {
    await open.go("/stock", "Stock");
    await open.page.getByRole("listitem").filter({ hasText: "Shaft seal" }).filter({ hasText: "North" }).waitFor();
    await open.page.getByRole("link", { name: "Proposed orders" }).click();
    const line = open.page.getByRole("region", { name: "Proposed orders" }).getByRole("listitem").filter({ hasText: "SEAL-1" });
    await line.filter({ hasText: "North" }).getByText("16 each").waitFor();
    await line.filter({ hasText: "North" }).getByText("Seal & Co").waitFor();
    expect(await seriousFindings(open.page)).toEqual([]);
    await open.page.setViewportSize({ width: 320, height: 700 });
    expect(await widthOf(open.page)).toBe(320);
    await open.page.setViewportSize({ width: 1366, height: 860 });
    await button("Ordered … Grease").click();
    expect(await dialog().getByLabel("Quantity ordered").inputValue()).toBe("8");
    await send("Record the order");
    await open.page.getByText("8 on order").waitFor();
    await open.page.getByRole("link", { name: "Grease" }).waitFor({ state: "detached" });
    expect((await admin.ask('{ partByNumber(by: { partNumber: "GR-1" }) { onOrder } }')).partByNumber).toEqual({ onOrder: 8 });
    // A receipt by somebody else ends the shortage on this page.
    const { partByNumber } = await admin.ask('{ partByNumber(by: { partNumber: "SEAL-1" }) { id } }');
    await admin.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", {
      id: partByNumber.id,
      input: { site: "North", quantity: 15, batchNumber: "B-8" },
    });
    await line.filter({ hasText: "North" }).waitFor({ state: "detached" });
  });

  it("deactivates a part, lists it, and reactivates it", async () => {
    await open.go("/stock?view=parts", "Stock");
    const parts = open.page.getByRole("region", { name: "Parts" });
    await parts.getByRole("link", { name: "Grease" }).click();
    await button("Deactivate").click();
    await send("Deactivate");
    await button("Reactivate").waitFor();
    await open.go("/stock?view=parts", "Stock");
    await parts.getByRole("link", { name: "Shaft seal" }).waitFor();
    expect(await parts.getByRole("link", { name: "Grease" }).count()).toBe(0);
    await open.page.getByRole("button", { name: "Deactivated" }).click();
    await parts.getByRole("link", { name: "Shaft seal" }).waitFor({ state: "detached" });
    expect(await seriousFindings(open.page)).toEqual([]);
    await parts.getByRole("link", { name: "Grease" }).click();
    await button("Reactivate").click();
    await button("Deactivate").waitFor();
    expect((await admin.ask('{ partByNumber(by: { partNumber: "GR-1" }) { isActive } }')).partByNumber).toEqual({ isActive: true });
  });

  it("prints a count sheet with a box for each line", async () => {
    const { createStockCount } = await admin.ask('mutation { createStockCount(input: { site: "North", blind: true }) { id } }');
    await open.go(`/stock/count/${createStockCount.id}`, /Count/);
    await open.page.evaluate(() => {
      window.print = () => document.body.setAttribute("data-printed", document.querySelector(".print-sheet")!.textContent!);
    });
    await button("Print the sheet").click();
    await expect.poll(() => open.page.locator("body").getAttribute("data-printed")).toContain("A-2SEAL-1Shaft seal");
    await open.page.emulateMedia({ media: "print" });
    expect(await open.page.getByRole("heading", { level: 1 }).allTextContents()).toEqual([expect.stringContaining("North")]);
    expect(await open.page.locator(".print-sheet").textContent()).not.toContain("In the books");
    await open.page.emulateMedia({ media: "screen" });
    await open.page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await open.page.locator(".print-sheet").waitFor({ state: "detached" });
  });

  it("creates an asset in the place that is shown, with all its facts", async () => {
    await open.go("/plant?site=North", /North/);
    await button("New asset").click();
    expect(await dialog().getByLabel("Site", { exact: true }).inputValue()).toBe("North");
    await fill({ Name: "Blend Pump P-7", Type: "pump", Area: "Hall 1", "Serial number": "P7", Installed: "2024-02-03" });
    await fill({ "More fields": "Voltage 400 V" });
    await dialog().getByText("Each line needs a name, a colon and a value").waitFor();
    await fill({ "More fields": "Voltage: 400 V" });
    await send("Create asset");
    await open.page.getByRole("heading", { level: 1, name: "Blend Pump P-7" }).waitFor();
    await open.page.getByText("400 V").waitFor();
    const { assets } = await admin.ask(
      '{ assets(filter: { search: "P-7" }) { nodes { site area status serialNumber installationDate customFields } } }',
    );
    expect(assets.nodes).toEqual([
      {
        site: "North",
        area: "Hall 1",
        status: "OPERATIONAL",
        serialNumber: "P7",
        installationDate: new Date("2024-02-03T12:00").toISOString(),
        customFields: { Voltage: "400 V" },
      },
    ]);
  });

  const tree = async () => {
    const { components } = await admin.ask("{ components(orderBy: { field: NAME }) { nodes { name status parent { name } } } }");
    return Object.fromEntries(
      components.nodes.map(({ name, status, parent }: any) => [
        name,
        [parent?.name ?? "top", ...(status === "OPERATIONAL" ? [] : [status])].join(" "),
      ]),
    );
  };
  const line = (name: string) => open.page.getByRole("treeitem").filter({ has: open.page.getByText(name, { exact: true }) });

  it("builds a tree of components, edits one, and moves one with the keyboard and one by dragging", async () => {
    await open.page.getByRole("link", { name: "Components" }).click();
    await open.page.getByText("No components yet").waitFor();
    for (const name of ["Motor", "Gearbox", "Bearing", "Coupling"]) {
      await button("Add a component").click();
      await fill({ Name: name, Type: "part" });
      await send("Add component");
      await line(name).waitFor();
    }
    // The bearing goes below the gearbox, with keys only.
    await line("Bearing").click();
    await open.page.getByRole("button", { name: "Move to … Bearing" }).focus();
    await open.page.keyboard.press("Enter");
    await dialog().getByLabel("Find the new place").focus();
    await open.page.keyboard.type("gear");
    await expect
      .poll(() => dialog().getByRole("list", { name: "New place" }).getByRole("button").allTextContents())
      .toEqual(["GearboxPart"]);
    expect(await seriousFindings(open.page)).toEqual([]);
    await open.page.keyboard.press("Tab");
    await open.page.keyboard.press("Enter");
    await dialog().waitFor({ state: "detached" });
    await expect.poll(() => line("Bearing").getAttribute("aria-level")).toBe("2");
    // The coupling goes below the motor, by dragging.
    await line("Coupling").dragTo(line("Motor"));
    await expect.poll(() => line("Coupling").getAttribute("aria-level")).toBe("2");
    expect(await tree()).toEqual({ Bearing: "Gearbox", Coupling: "Motor", Gearbox: "top", Motor: "top" });
    // A component cannot be moved below itself.
    await line("Gearbox").dragTo(line("Bearing"));
    await open.page.getByText("Circular reference").waitFor();
    expect(await tree()).toEqual({ Bearing: "Gearbox", Coupling: "Motor", Gearbox: "top", Motor: "top" });

    await line("Coupling").click();
    await open.page.getByRole("button", { name: "Edit Coupling" }).click();
    await fill({ Name: "Coupling disc", "Serial number": "C-1" });
    await send("Save");
    await line("Coupling disc").getByText("C-1").waitFor();
    await button("Decommission Coupling disc").click();
    await send("Decommission");
    await line("Coupling disc").getByText("Decommissioned").waitFor();
    expect(await tree()).toMatchObject({ "Coupling disc": "Motor DECOMMISSIONED" });
    expect(await seriousFindings(open.page)).toEqual([]);
  });

  it("shows what others add to the tree, and applies a template below a component", async () => {
    const { assets } = await admin.ask('{ assets(filter: { search: "P-7" }) { nodes { id } } }');
    await admin.createComponent({ assetId: assets.nodes[0].id, name: "Base frame" });
    await line("Base frame").waitFor();
    await admin.ask("mutation ($input: CreateTemplateInput!) { createTemplate(input: $input) { id } }", {
      input: { name: "Sensor set", type: "sensor", components: [{ name: "Thermometer", type: "sensor" }] },
    });
    await line("Base frame").click();
    await button("Apply a template").click();
    await dialog().getByLabel("Template", { exact: true }).waitFor();
    await dialog().getByLabel("Place").selectOption({ label: "In Base frame" });
    await fill({ "Start of the serial numbers": "T-" });
    await send("Apply");
    await line("Thermometer").getByText("T-001").waitFor();
    expect(await tree()).toMatchObject({ Thermometer: "Base frame" });
  });

  it("adds and edits a meter, and adds and deletes a document", async () => {
    await open.page.getByRole("link", { name: "Meters" }).click();
    await button("New meter").click();
    await fill({ Name: "Hours", "Rolls over at": "99999" });
    await send("Create meter");
    await open.page.getByRole("heading", { level: 2, name: "Hours" }).waitFor();
    await button("Edit Hours").click();
    await fill({ Name: "Running hours" });
    await send("Save");
    await open.page.getByRole("heading", { level: 2, name: "Running hours" }).waitFor();
    const { meters } = await admin.ask("{ meters { nodes { name kind unit rolloverAt } } }");
    expect(meters.nodes).toEqual([{ name: "Running hours", kind: "RUN_HOURS", unit: "h", rolloverAt: 99999 }]);

    await open.page.getByRole("link", { name: "Overview" }).click();
    const documents = open.page.getByRole("region", { name: "Documents" });
    await documents
      .getByLabel("Add document")
      .last()
      .setInputFiles({ name: "manual.txt", mimeType: "text/plain", buffer: Buffer.from("Grease it.") });
    await fill({ Title: "Pump manual", Revision: "B" });
    await send("Add");
    await documents.getByRole("link", { name: "Pump manual" }).waitFor();
    await documents.getByText("Manual · revision B").waitFor();
    await button("Delete Pump manual", documents).click();
    await send("Delete");
    await documents.getByText("No document yet.").waitFor();
    await open.page.setViewportSize({ width: 320, height: 700 });
    for (const tab of ["", "?tab=components", "?tab=meters"]) {
      await open.go(open.address.replace("/console", "").split("?")[0] + tab, "Blend Pump P-7");
      expect(await widthOf(open.page)).toBe(320);
    }
    await open.page.setViewportSize({ width: 1366, height: 860 });
  });

  it("creates a person, and a key that belongs to the person, with its role in words", async () => {
    await people.page.getByRole("link", { name: "People" }).click();
    const list = people.page.getByRole("region", { name: "People" });
    await button("New person", list).click();
    await fill({ Name: "Tess Tech", "Crew or shift": "Night", "Email address": "tess" }, people);
    await button("Create person", dialog(people)).click();
    await expect.poll(() => dialog(people).getByLabel("Email address").getAttribute("aria-invalid")).toBe("true");
    await fill({ "Email address": "tess@example.com" }, people);
    await send("Create person", people);
    const line = list.getByRole("listitem").filter({ hasText: "Tess Tech" });
    await line.getByText("Night · tess@example.com · no key").waitFor();

    await button("New key for Tess Tech", line).click();
    expect(await dialog(people).getByLabel("Name", { exact: true }).inputValue()).toBe("Tess Tech");
    const fields = ["reportFault", "assets", "recordMeterReadings", "raiseNotification", "receiveStock", "createPart", "createPerson"];
    const words = [
      "Report faults",
      "See the plant",
      "Record meter readings",
      "Raise alerts",
      "Receive, issue",
      "Create and edit parts",
      "Manage people",
    ];
    for (const role of ["REQUESTER", "VIEWER", "INGEST", "TECHNICIAN", "MANAGER", "ADMIN"] as const) {
      await dialog(people).getByLabel("Role", { exact: true }).selectOption(role);
      const caller = await admin.as(role.toLowerCase() as "viewer");
      const { viewer: rights } = await caller.ask("query ($fields: [String!]) { viewer { permissions(fields: $fields) { isAllowed } } }", {
        fields,
      });
      const shown = await dialog(people).getByRole("list", { name: "What this key may do" }).getByRole("listitem").allTextContents();
      expect(words.map((one) => shown.some((text) => text.startsWith(one)))).toEqual(
        rights.permissions.map(({ isAllowed }: any) => isAllowed),
      );
    }
    await dialog(people).getByLabel("Role", { exact: true }).selectOption("TECHNICIAN");
    await dialog(people).getByLabel("North").check();
    await dialog(people).getByText("Changes records of North only, and reads only these.").waitFor();
    await fill({ "Expires on": "2031-05-06" }, people);
    expect(await seriousFindings(people.page)).toEqual([]);
    await button("Create key", dialog(people)).click();
    const secret = await dialog(people).locator(".secret").textContent();
    await button("Done", dialog(people)).click();
    await line.getByText("1 key: Technician").waitFor();
    tess = new Caller(gateway, admin.tenantId, secret!);
    expect((await tess.ask("{ viewer { role sites readAll principal { name crew } } }")).viewer).toEqual({
      role: "TECHNICIAN",
      sites: ["North"],
      readAll: false,
      principal: { name: "Tess Tech", crew: "Night" },
    });

    await people.page.getByRole("link", { name: "Keys" }).click();
    await people.page.getByRole("button", { name: "Technician: what Tess Tech may do" }).click();
    await dialog(people).getByText("Receive, issue, return and transfer stock").waitFor();
    expect(await seriousFindings(people.page)).toEqual([]);
    await people.page.keyboard.press("Escape");
  });

  it("edits and deactivates a person, whose key is refused then", async () => {
    await people.page.getByRole("link", { name: "People" }).click();
    const list = people.page.getByRole("region", { name: "People" });
    const line = list.getByRole("listitem").filter({ hasText: "Tess Tech" });
    await button("Edit Tess Tech", line).click();
    await fill({ "Crew or shift": "Day" }, people);
    await send("Save", people);
    await line.getByText("Day · tess@example.com").waitFor();
    await button("Deactivate Tess Tech", line).click();
    await send("Deactivate", people);
    await line.getByText("Deactivated", { exact: true }).waitFor();
    expect(await line.getByRole("button").count()).toBe(2);
    await expect.poll(async () => (await tess.graphql("{ viewer { role } }")).errors?.[0]?.extensions?.code).toBe("UNAUTHENTICATED");
    const state = async () =>
      (await admin.ask('{ principals(filter: { nameContains: "Tess" }) { nodes { crew isActive } } }')).principals.nodes;
    expect(await state()).toEqual([{ crew: "Day", isActive: false }]);
    await people.page.setViewportSize({ width: 320, height: 700 });
    expect(await widthOf(people.page)).toBe(320);
    await people.page.setViewportSize({ width: 1366, height: 860 });
    // A person that somebody else creates appears without a reload.
    await person("Nora New", "VIEWER");
    await list.getByRole("listitem").filter({ hasText: "Nora New" }).waitFor();
    // The refused email address.
    expect(people.problems).toEqual([expect.stringContaining("400")]);
  });

  it("offers a viewer none of it", async () => {
    const { partByNumber } = await admin.ask('{ partByNumber(by: { partNumber: "SEAL-1" }) { id } }');
    await viewer.go("/stock", "Stock");
    expect(await viewer.page.getByRole("button", { name: "New part" }).count()).toBe(0);
    await viewer.go(`/stock/${partByNumber.id}`, "Shaft seal");
    await viewer.page.getByRole("region", { name: "Stock at North" }).waitFor();
    expect(await viewer.page.locator("main").getByRole("button").count()).toBe(0);
    const { assets } = await admin.ask('{ assets(filter: { search: "P-7" }) { nodes { id } } }');
    await viewer.go("/plant", "Plant");
    expect(await viewer.page.getByRole("button", { name: "New asset" }).count()).toBe(0);
    for (const tab of ["", "?tab=components", "?tab=meters"]) {
      await viewer.go(`/asset/${assets.nodes[0].id}${tab}`, "Blend Pump P-7");
      expect(await viewer.page.locator("main").getByRole("button").count()).toBe(0);
    }
    await viewer.go("/admin?tab=people");
    await viewer.page.getByText("You cannot open this page").waitFor();
    expect(open.problems).toEqual([]);
    expect(viewer.problems).toEqual([]);
  });
});
