/** The life of a work order in the console: created, edited, printed, completed, closed, reopened, followed up and cancelled. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();
const site = "North";

describe.runIf(hasBrowser)(`work orders in the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let planner: ConsolePage;
  let technician: ConsolePage;
  let pump: string;
  let motor: string;
  /** Address of the order that the planner creates first. */
  let path: string;

  const person = async (name: string, role: string): Promise<Caller> => {
    const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return new Caller(gateway, admin.tenantId, createApiKey.key);
  };
  const createPart = (input: object) =>
    admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", { input: { site, ...input } });
  const make = async (title: string, input: object = {}): Promise<string> =>
    (
      await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", {
        input: { assetId: pump, title, ...input },
      })
    ).createWorkOrder.id;
  const stored = async (id: string, fields: string) =>
    (await admin.ask(`query ($id: ID!) { workOrder(id: $id) { ${fields} } }`, { id })).workOrder;
  const idOf = (address: string) => address.split("/").at(-1)!;
  const passes = async ({ page }: ConsolePage) => expect(await seriousFindings(page)).toEqual([]);
  const shot = async ({ page }: ConsolePage, name: string) => {
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
  };
  const press = (open: ConsolePage, name: string) => open.page.locator("main").getByRole("button", { name, exact: true }).click();

  beforeAll(async () => {
    admin = await gateway.newTenant();
    await admin.ask('mutation { createSite(input: { name: "North", timeZone: "Pacific/Auckland" }) { id } }');
    await admin.ask('mutation { updateStockSettings(input: { currency: "EUR" }) { currency } }');
    ({ id: pump } = await admin.createAsset({ name: "Feed Pump P-101", type: "pump", site, area: "Hall 1" }));
    ({ id: motor } = await admin.createComponent({ assetId: pump, name: "Motor" }));
    await createPart({ name: "Shaft seal", partNumber: "SEAL-1", location: "Rack A-12", stockLevel: 4, unitCost: 12.5 });
    await createPart({ name: "Grease", partNumber: "GR-1", location: "Rack B-2", stockLevel: 15.4, unitCost: 5 });
    await make("An earlier order");
    const [mia, ann] = await Promise.all([person("Mia Moss", "MANAGER"), person("Ann Ames", "TECHNICIAN")]);
    browser = await launchBrowser();
    const open = async (caller: Caller) => {
      const page = await ConsolePage.open(browser, gateway, { timezoneId: "Europe/Berlin" });
      await page.signIn(caller.key, "/work");
      await page.page.locator("main h1").waitFor();
      return page;
    };
    [planner, technician] = await Promise.all([open(mia), open(ann)]);
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("creates an order for a component, with ordered steps, a part and a person", async () => {
    const { page } = planner;
    await planner.go(`/work/new?asset=${pump}`, "New work order");
    await page.getByLabel("Component").selectOption({ label: "Motor" });
    await page.getByLabel("Title").fill("Change the seal");
    await page.getByLabel("Planned for").fill("2031-01-02");
    await page.getByLabel("Person").selectOption({ label: "Ann Ames" });
    await page.getByLabel("Crew").fill("Night shift");
    const step = (number: number) => page.getByRole("group", { name: `Step ${number}`, exact: true });
    const add = async (number: number, text: string, kind: string) => {
      await page.getByRole("button", { name: "Add step" }).click();
      // The cursor is in the new step.
      await page.keyboard.type(text);
      await step(number).getByLabel("Kind").selectOption({ label: kind });
    };
    await add(1, "Change the seal", "Task");
    await step(1).getByLabel("Estimated minutes").fill("45");
    await step(1).getByLabel("Required").check();
    await add(2, "Lock out the pump", "Isolate");
    await page.getByRole("button", { name: "Move step 2 up" }).press("Enter");
    await page.getByRole("status").getByText("Step 2 is now step 1").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Move step 1 down");
    await add(3, "Not needed", "Task");
    await add(4, "Measure the pressure", "Measurement");
    await step(4).getByLabel("Measured quantity").fill("pressure");
    await step(4).getByLabel("Unit").fill("bar");
    await step(4).getByLabel("Highest allowed").fill("6.5");
    await page.getByRole("button", { name: "Remove step 3" }).click();
    await page.getByLabel("Add a part").fill("seal");
    await page.getByRole("list", { name: "Parts found" }).getByRole("button", { name: "Shaft seal" }).click();
    await page.getByRole("textbox", { name: "Shaft seal" }).fill("2");
    await passes(planner);
    // An isolation without a release is refused at its step.
    await page.getByRole("button", { name: "Create work order" }).click();
    await step(1).getByText("needs a RELEASE step after it").waitFor();
    await passes(planner);
    await shot(planner, "new-order");
    await add(4, "Remove the lock", "Release");
    await page.getByRole("button", { name: "Create work order" }).click();
    await page.getByRole("heading", { level: 1, name: "Change the seal" }).waitFor();
    path = planner.address.replace("/console", "");
    await page.getByRole("region", { name: "Plan" }).getByText("Ann Ames").waitFor();
    await page.getByRole("region", { name: "Plan" }).getByText("Motor").waitFor();
    const fields = `componentId scheduledDate assignee { name } assignedTechnician steps { order kind description required estimatedTime parameter unit maximum }
      requiredParts { quantity part { name } }`;
    const plain = { required: false, estimatedTime: null, parameter: null, unit: null, maximum: null };
    expect(await stored(idOf(path), fields)).toEqual({
      componentId: motor,
      // 8:00 in Auckland in summer.
      scheduledDate: "2031-01-01T19:00:00.000Z",
      assignee: { name: "Ann Ames" },
      assignedTechnician: "Night shift",
      steps: [
        { ...plain, order: 1, kind: "ISOLATE", description: "Lock out the pump" },
        { ...plain, order: 2, kind: "TASK", description: "Change the seal", required: true, estimatedTime: 45 },
        { ...plain, order: 3, kind: "MEASUREMENT", description: "Measure the pressure", parameter: "pressure", unit: "bar", maximum: 6.5 },
        { ...plain, order: 4, kind: "RELEASE", description: "Remove the lock" },
      ],
      requiredParts: [{ quantity: 2, part: { name: "Shaft seal" } }],
    });
  });

  it("edits the order, and adopts what another person changed meanwhile", async () => {
    const { page } = planner;
    await press(planner, "Edit");
    const form = planner.dialog;
    expect(await form.getByLabel("Time", { exact: true }).inputValue()).toBe("08:00");
    await form.getByLabel("Title").fill("Change the shaft seal");
    await form.getByLabel("Priority").selectOption({ label: "High" });
    await form.getByLabel("Planned for").fill("2031-01-03");
    await passes(planner);
    await shot(planner, "edit-order");
    await planner.beforeArrival("UpdateOrder", () =>
      admin.ask('mutation ($id: ID!) { updateWorkOrder(id: $id, input: { notes: "Bring the puller" }) { id } }', { id: idOf(path) }),
    );
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").getByText("Someone else changed this record while you edited it: Notes.").waitFor();
    await passes(planner);
    await form.getByRole("button", { name: "Load their changes" }).click();
    expect(await form.getByLabel("Notes").inputValue()).toBe("Bring the puller");
    expect(await form.getByLabel("Title").inputValue()).toBe("Change the shaft seal");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").waitFor();
    await page.getByRole("heading", { level: 1, name: "Change the shaft seal" }).waitFor();
    expect(await stored(idOf(path), "title priority notes scheduledDate")).toEqual({
      title: "Change the shaft seal",
      priority: "HIGH",
      notes: "Bring the puller",
      scheduledDate: "2031-01-02T19:00:00.000Z",
    });
  });

  it("changes description, steps and parts of the plan", async () => {
    const { page } = planner;
    const before = await stored(idOf(path), "description");
    await press(planner, "Change the plan");
    const form = planner.dialog;
    await form.getByLabel("Description").first().fill("Use the new puller");
    await form.getByRole("button", { name: "Add step" }).click();
    await form.getByLabel("Step 1", { exact: true }).fill("Wipe the flange");
    await form.getByRole("textbox", { name: "Shaft seal" }).fill("3");
    await passes(planner);
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Wipe the flange").waitFor();
    await page.getByText("Use the new puller").waitFor();
    const selection = "description steps { order description } requiredParts { partId quantity }";
    const { description, steps, requiredParts } = await stored(idOf(path), selection);
    const { order, description: last } = steps.at(-1);
    expect([description, last, requiredParts]).toEqual([
      "Use the new puller",
      "Wipe the flange",
      [expect.objectContaining({ quantity: 3 })],
    ]);
    // The following tests continue with the former plan.
    const parts = [{ partId: requiredParts[0].partId, quantity: 2 }];
    await admin.ask("mutation ($id: ID!, $input: WorkOrderPlanInput!) { changeWorkOrderPlan(id: $id, input: $input) { id } }", {
      id: idOf(path),
      input: { ...before, removeSteps: [order], parts },
    });
  });

  it("prints steps with boxes, the lockout's signatures, parts with their bin, and the code of its address", async () => {
    const { page } = technician;
    await technician.go(path, "Change the shaft seal");
    await page.getByRole("link", { name: "Print" }).click();
    await page.getByRole("button", { name: "Print" }).waitFor();
    await passes(technician);
    await page.evaluate(() => {
      (window as any).printed = 0;
      window.print = () => (window as any).printed++;
    });
    await page.getByRole("button", { name: "Print" }).click();
    expect(await page.evaluate(() => (window as any).printed)).toBe(1);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("button", { name: "Print" }).count()).toBe(0);
    expect(await page.locator("main").ariaSnapshot()).not.toContain("button");
    const sheet = page.getByRole("article");
    expect(await sheet.locator(".printed-order-steps > li").count()).toBe(4);
    expect(await sheet.locator(".box:visible").count()).toBe(4);
    const isolation = sheet.getByRole("listitem").filter({ hasText: "Lock out the pump" });
    await isolation.getByText("Lockout/tagout: isolated and locked").waitFor();
    await isolation.getByText("Lock or tag number").waitFor();
    await isolation.getByText("Signature").waitFor();
    expect(await sheet.getByRole("row").nth(1).getByRole("cell").allTextContents()).toEqual([
      "Shaft seal",
      "SEAL-1",
      "North, Rack A-12",
      "2",
      "",
    ]);
    // The number fits on a line. The whole id is at the end.
    expect(await sheet.locator("dd .mono").textContent()).toBe(idOf(path).slice(0, 8));
    await sheet.getByText(idOf(path), { exact: true }).waitFor();
    for (const text of ["Feed Pump P-101", "Motor", "North, Hall 1", "Checked by"]) await sheet.getByText(text).first().waitFor();
    const code = sheet.getByRole("img", { name: "Address of the work order" });
    await expect.poll(async () => (await code.locator("path").getAttribute("d"))?.length ?? 0).toBeGreaterThan(1000);
    await shot(technician, "printed-order");
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize({ width: 320, height: 812 });
    expect(await widthOf(page)).toBe(320);
    await page.setViewportSize({ width: 1366, height: 860 });
  });

  it("tells records with the same title apart in the finder", async () => {
    const { page } = planner;
    await make("Grease the line", { scheduledDate: "2031-03-04T01:00:00Z" });
    const started = await make("Grease the line", { scheduledDate: "2031-03-06T01:00:00Z" });
    await admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: started });
    await planner.go("/work", "Work");
    const found = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Find" }).fill(text);
      const options = page.locator(".found[aria-busy=false]").getByRole("option");
      await options.first().waitFor();
      const details = await options.evaluateAll((all) => all.map((one) => one.querySelector(".muted.clip")?.textContent));
      await page.keyboard.press("Escape");
      return details.sort();
    };
    expect(await found("Grease the line")).toEqual([
      "Feed Pump P-101 · In progress · 6 Mar 2031",
      "Feed Pump P-101 · Scheduled · 4 Mar 2031",
    ]);
    expect(await found("Motor")).toContain("Feed Pump P-101 · Hall 1");
  });

  it("completes with a part that was not planned", async () => {
    const { page } = technician;
    await page.getByRole("link", { name: "Work order" }).click();
    await press(technician, "Start work");
    // The tick appears one turn of the event loop after the click.
    for (const step of ["Step 1:", "Step 2:", "Step 4:"]) {
      await page.getByLabel(step).click();
      await expect.poll(() => page.getByLabel(step).isChecked()).toBe(true);
    }
    const form = technician.dialog;
    // One seal too many is issued, and returned.
    await press(technician, "Issue part");
    expect(await form.getByLabel("Quantity").inputValue()).toBe("2");
    await passes(technician);
    await form.getByRole("button", { name: "Issue", exact: true }).click();
    await page.getByText("2 issued", { exact: true }).waitFor();
    await press(technician, "Return part");
    await form.getByLabel("Quantity").fill("1");
    await passes(technician);
    await form.getByRole("button", { name: "Return", exact: true }).click();
    await page.getByRole("region", { name: "Parts" }).getByText("· 1 issued").waitFor();
    expect(await stored(idOf(path), "requiredParts { issuedQuantity returnedQuantity }")).toEqual({
      requiredParts: [{ issuedQuantity: 2, returnedQuantity: 1 }],
    });
    await press(technician, "Complete");
    expect(await form.getByLabel("Shaft seal, planned 2").inputValue()).toBe("1");
    await form.getByLabel("Add a part that was not planned").fill("grease");
    await form.getByRole("button", { name: "Grease" }).click();
    await form.getByRole("textbox", { name: "Grease" }).fill("99");
    await passes(technician);
    await shot(technician, "complete-order");
    await form.getByRole("button", { name: "Complete", exact: true }).click();
    // More than the books show.
    await form.getByRole("alert").waitFor();
    await form.getByRole("textbox", { name: "Grease" }).fill("0.2");
    await form.getByLabel("Problem").selectOption({ label: "Leaks at the shaft seal" });
    await form.getByRole("button", { name: "Complete", exact: true }).click();
    await page.getByText("Work completed").waitFor();
    await page.getByRole("region", { name: "Parts" }).getByText("not planned").waitFor();
    expect(await stored(idOf(path), "status failureMode requiredParts { quantity usedQuantity part { name } }")).toEqual({
      status: "COMPLETED",
      failureMode: "seal-leak",
      requiredParts: expect.arrayContaining([
        { quantity: 2, usedQuantity: 1, part: { name: "Shaft seal" } },
        { quantity: 0, usedQuantity: 0.2, part: { name: "Grease" } },
      ]),
    });
    // A technician neither closes nor reopens.
    expect(await page.getByRole("button", { name: /^(Close work order|Reopen|Edit|Cancel work order)$/ }).count()).toBe(0);
  });

  it("adds up the costs, and closes with the failure codes after a reopening", async () => {
    const { page } = planner;
    await planner.go(path, "Change the shaft seal");
    const costs = page.getByRole("region", { name: "Costs" });
    await costs.getByRole("button", { name: "Add cost" }).click();
    await planner.dialog.getByLabel("Description").fill("Seal service, invoice 17");
    await planner.dialog.getByLabel("Amount in EUR").fill("1250.10");
    await passes(planner);
    await planner.dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Cost added").waitFor();
    // 1 seal and 0.2 of grease.
    const lines = () => costs.locator("li > .num").allTextContents();
    await expect.poll(lines).toEqual(["€0.00", "€13.50", "€1,250.10", "€1,263.60"]);
    expect(await stored(idOf(path), "totalCostExact costs { kind amount }")).toEqual({
      totalCostExact: "1263.6",
      costs: [{ kind: "CONTRACTOR", amount: 1250.1 }],
    });

    await costs.getByRole("button", { name: "Add cost" }).click();
    await planner.dialog.getByLabel("Kind").selectOption({ label: "Other" });
    await planner.dialog.getByLabel("Description").fill("Entered by mistake");
    await planner.dialog.getByLabel("Amount in EUR").fill("3");
    await planner.dialog.getByRole("button", { name: "Add", exact: true }).click();
    await expect.poll(lines).toContain("€1,266.60");
    await costs.getByRole("button", { name: "Remove Entered by mistake" }).click();
    await passes(planner);
    await planner.dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Cost removed").waitFor();
    await expect.poll(lines).toEqual(["€0.00", "€13.50", "€1,250.10", "€1,263.60"]);

    await press(planner, "Reopen");
    await planner.dialog.getByLabel("Reason").fill("Still leaks");
    await passes(planner);
    await planner.dialog.getByRole("button", { name: "Reopen" }).click();
    await page.getByRole("region", { name: "Plan" }).getByText("Still leaks").waitFor();
    // Parts issued before stay counted, unless the user returns them.
    await press(planner, "Complete");
    expect(await planner.dialog.getByLabel("Grease, not planned").inputValue()).toBe("0.2");
    expect(await planner.dialog.getByLabel("Shaft seal").inputValue()).toBe("1");
    await planner.dialog.getByRole("button", { name: "Complete", exact: true }).click();
    await page.getByText("Work completed").waitFor();

    await press(planner, "Close work order");
    const form = planner.dialog;
    expect(await form.getByLabel("Problem").inputValue()).toBe("seal-leak");
    await form.getByLabel("Cause").selectOption({ label: "Seal worn" });
    // A code of all equipment.
    await form.getByLabel("Remedy").selectOption({ label: "Replaced" });
    await passes(planner);
    await shot(planner, "close-order");
    await form.getByRole("button", { name: "Close work order" }).click();
    await page.getByText("Work order closed").waitFor();
    await page.getByRole("region", { name: "Plan" }).getByText("Seal worn").waitFor();
    expect(await stored(idOf(path), "status failureMode failureCause remedy")).toEqual({
      status: "CLOSED",
      failureMode: "seal-leak",
      failureCause: "seal-wear",
      remedy: "replaced",
    });
    expect(await costs.getByRole("button").count()).toBe(0);
    await shot(planner, "order");
    await expectContrastInDark(page);
  });

  it("creates a follow-up, with links in both directions", async () => {
    const { page } = planner;
    await page.getByRole("link", { name: "New follow-up" }).click();
    await page.getByText("Follow-up of “Change the shaft seal”").waitFor();
    await page.getByLabel("Component").waitFor();
    expect(await page.getByLabel("Component").inputValue()).toBe(motor);
    await page.getByLabel("Title").fill("Check the seal after a week");
    await page.getByLabel("Type").selectOption({ label: "Inspection" });
    await page.getByRole("button", { name: "Create work order" }).click();
    await page.getByRole("heading", { level: 1, name: "Check the seal after a week" }).waitFor();
    await page.getByRole("link", { name: "Follow-up of “Change the shaft seal”" }).click();
    await page.getByRole("heading", { level: 1, name: "Change the shaft seal" }).waitFor();
    await passes(planner);
    await page.getByRole("link", { name: "Follow-up: Check the seal after a week" }).click();
    await page.getByRole("heading", { level: 1, name: "Check the seal after a week" }).waitFor();
    expect(await stored(idOf(planner.address), "type componentId description followUpOf { id }")).toEqual({
      type: "INSPECTION",
      componentId: motor,
      description: null,
      followUpOf: { id: idOf(path) },
    });
  });

  it("cancels with a reason, also without a connection", async () => {
    const { page } = planner;
    const id = idOf(planner.address);
    await press(planner, "Cancel work order");
    expect(await planner.dialog.getByRole("button", { name: "Cancel work order" }).isDisabled()).toBe(true);
    await planner.dialog.getByLabel("Reason").fill("The pump is replaced");
    await passes(planner);
    await page.context().setOffline(true);
    await planner.dialog.getByRole("button", { name: "Cancel work order" }).click();
    await page.locator("main .status.filled").getByText("Cancelled").waitFor();
    expect(await stored(id, "status")).toEqual({ status: "SCHEDULED" });
    await page.context().setOffline(false);
    await page.getByRole("region", { name: "Plan" }).getByText("The pump is replaced").waitFor();
    expect(await stored(id, "status")).toEqual({ status: "CANCELLED" });
    planner.problems.length = 0;
  });

  it("creates an order without a connection, which is sent when it is back", async () => {
    const { page } = planner;
    await planner.go(`/work/new?asset=${pump}`, "New work order");
    await page.getByLabel("Title").fill("Tighten the bolts");
    await page.getByLabel("Crew").fill("Night shift");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Create work order" }).click();
    await page.getByRole("heading", { level: 1, name: "Work", exact: true }).waitFor();
    await page.getByText("The change is sent when the connection is back").first().waitFor();
    await page.context().setOffline(false);
    await expect
      .poll(
        async () =>
          (await admin.ask('{ workOrders(filter: { titleContains: "bolts" }) { nodes { assignedTechnician } } }')).workOrders.nodes,
      )
      .toEqual([{ assignedTechnician: "Night shift" }]);
    planner.problems.length = 0;
  });

  it("accepts a reported fault with date and person", async () => {
    await admin.ask('mutation ($id: ID!) { reportFault(input: { assetId: $id, description: "It drips", urgency: HIGH }) { id } }', {
      id: pump,
    });
    const { page } = planner;
    await planner.go("/work?view=requests", "Work");
    await page.getByRole("listitem").filter({ hasText: "It drips" }).getByRole("button", { name: "Create work order" }).click();
    const form = planner.dialog;
    await form.getByLabel("Planned for").fill("2031-02-03");
    await form.getByLabel("Person").selectOption({ label: "Ann Ames" });
    await passes(planner);
    await shot(planner, "accept-request");
    await form.getByRole("button", { name: "Create work order" }).click();
    await page.getByRole("heading", { level: 1, name: "It drips" }).waitFor();
    await page.getByRole("region", { name: "Plan" }).getByText("Ann Ames").waitFor();
    expect(await stored(idOf(planner.address), "priority scheduledDate assignee { name } request { description }")).toEqual({
      priority: "HIGH",
      scheduledDate: "2031-02-02T19:00:00.000Z",
      assignee: { name: "Ann Ames" },
      request: { description: "It drips" },
    });
  });

  it("offers a viewer no changes", async () => {
    const viewer = await ConsolePage.open(browser, gateway);
    await viewer.signIn((await admin.as("viewer")).key, path);
    await viewer.page.getByRole("heading", { level: 1, name: "Change the shaft seal" }).waitFor();
    await viewer.page.getByRole("region", { name: "Costs" }).getByText("€1,263.60").waitFor();
    expect(await viewer.page.locator("main").getByRole("button").allTextContents()).toEqual([]);
    expect(await viewer.page.getByRole("link", { name: "New follow-up" }).count()).toBe(0);
    await passes(viewer);
    for (const width of [320, 1366]) {
      await viewer.page.setViewportSize({ width, height: 812 });
      expect(await widthOf(viewer.page)).toBe(width);
      await shot(viewer, `order-${width}`);
    }
    expect(viewer.problems).toEqual([]);
    await viewer.close();
  });
});
