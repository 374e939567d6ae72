/** A working day in the console: requesters, technicians, planners and storekeepers at a site whose clock differs from the browser's. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();
const site = "North";
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const dayMilliseconds = 86_400_000;

describe.runIf(hasBrowser)(`a day in the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let planner: ConsolePage;
  let technician: ConsolePage;
  let requester: ConsolePage;
  let pump: string;

  const person = async (name: string, role: string): Promise<Caller> => {
    const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return new Caller(gateway, admin.tenantId, createApiKey.key);
  };
  const make = async (title: string, input: object = {}): Promise<string> =>
    (
      await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", {
        input: { assetId: pump, title, ...input },
      })
    ).createWorkOrder.id;
  const start = (id: string) => admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id });
  const raise = async (title: string): Promise<string> =>
    (
      await admin.ask("mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }", {
        input: { type: "ANOMALY", severity: "WARNING", title, message: "Bearing 2", assetId: pump },
      })
    ).raiseNotification.id;
  const alert = async (id: string) =>
    (
      await admin.ask(
        "query ($id: ID!) { notification(id: $id) { status shelvedUntil statusHistory { reason } feedback { verdict comments actionTaken } } }",
        { id },
      )
    ).notification;
  const passes = async ({ page }: ConsolePage) => expect(await seriousFindings(page)).toEqual([]);

  beforeAll(async () => {
    admin = await gateway.newTenant();
    const { createSite } = await admin.ask('mutation { createSite(input: { name: "North", timeZone: "Pacific/Auckland" }) { timeZone } }');
    expect(createSite).toEqual({ timeZone: "Pacific/Auckland" });
    ({ id: pump } = await admin.createAsset({ name: "Blend Pump P-102", site }));
    await admin.createAsset({ name: "Air Compressor K-801", site, description: "Stands next to P-102" });
    await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
      input: { name: "Grease", partNumber: "GR-1", site, stockLevel: 15.4, unitCost: 5, currency: "EUR" },
    });
    browser = await launchBrowser();
    const open = async (caller: Caller, path: string) => {
      const page = await ConsolePage.open(browser, gateway, { timezoneId: "Europe/Berlin" });
      await page.signIn(caller.key, path);
      await page.page.locator("main h1").waitFor();
      return page;
    };
    [planner, technician, requester] = await Promise.all([
      open(await person("Mia Moss", "MANAGER"), "/work"),
      open(await person("Ann Ames", "TECHNICIAN"), "/work"),
      open(await person("Rob Reed", "REQUESTER"), "/work?view=requests"),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
  });

  const find = async (open: ConsolePage, text: string) => {
    await open.page.keyboard.press("Control+k");
    await open.dialog.getByRole("combobox").fill(text);
  };

  it("opens the machine whose code was typed, also when Enter comes before the results", async () => {
    for (const text of ["P-102", "p-102"]) {
      await planner.go("/stock", "Stock");
      await find(planner, text);
      await planner.page.keyboard.press("Enter");
      await planner.page.getByRole("heading", { level: 1, name: "Blend Pump P-102" }).waitFor();
    }
  });

  it("opens the levels above a component that was found", async () => {
    const drive = await admin.createComponent({ assetId: pump, name: "Drive" });
    const motor = await admin.createComponent({ parentId: drive.id, name: "Motor" });
    await admin.createComponent({ parentId: motor.id, name: "Bearing 6205" });
    await planner.go("/stock", "Stock");
    await find(planner, "6205");
    await planner.page.keyboard.press("Enter");
    await planner.page.getByRole("treeitem", { name: /Bearing 6205/, selected: true }).waitFor();
    expect(await planner.page.getByRole("treeitem", { expanded: true }).count()).toBe(2);
  });

  it("leads viewers to the work too", async () => {
    const viewer = await ConsolePage.open(browser, gateway);
    await viewer.signIn((await admin.as("viewer")).key);
    await viewer.page.locator(".rail").getByRole("link", { name: "Work", exact: true }).click();
    await viewer.page.getByRole("heading", { level: 1, name: "Work" }).waitFor();
    await passes(viewer);
    await viewer.close();
  });

  it("runs commands from the finder with the keyboard", async () => {
    await find(planner, "calendar");
    await planner.page.getByRole("option", { name: "Go to Calendar" }).waitFor();
    await passes(planner);
    await planner.page.keyboard.press("Enter");
    await planner.page.getByRole("heading", { level: 1, name: /20\d\d/ }).waitFor();

    await find(planner, "receive");
    await planner.page.keyboard.press("Enter");
    await planner.page.getByRole("combobox", { name: "Receive stock: find the part" }).fill("grease");
    await planner.page.keyboard.press("Enter");
    await planner.dialog.getByLabel("Quantity received").fill("0.2");
    await planner.dialog.getByRole("button", { name: "Save" }).click();
    await planner.page.getByText("0.2 received").waitFor();
    expect(planner.address).not.toContain("act");
    const { inventory } = await admin.ask("{ inventory { nodes { quantity } } }");
    expect(inventory.nodes).toEqual([{ quantity: 15.6 }]);

    await find(planner, "new work order");
    await planner.page.keyboard.press("Enter");
    await planner.page.getByRole("heading", { level: 1, name: "New work order" }).waitFor();
    await planner.page.getByLabel("Asset", { exact: true }).fill("blend");
    await planner.page.getByRole("list", { name: "Assets" }).getByRole("button", { name: "Blend Pump P-102" }).click();
    await planner.page.getByLabel("Title").fill("Change the coupling");
    await planner.page.getByLabel("Planned for").fill("2031-01-02");
    await passes(planner);
    await planner.page.getByRole("button", { name: "Create work order" }).click();
    await planner.page.getByRole("heading", { level: 1, name: "Change the coupling" }).waitFor();
    const { workOrders } = await admin.ask(
      '{ workOrders(filter: { titleContains: "coupling" }) { nodes { type scheduledDate assetId } } }',
    );
    // 8:00 in Auckland in summer.
    expect(workOrders.nodes).toEqual([{ type: "CORRECTIVE", scheduledDate: "2031-01-01T19:00:00.000Z", assetId: pump }]);
  });

  it("offers a requester no commands, as it may not search", async () => {
    await requester.page.keyboard.press("Control+k");
    expect(await requester.dialog.count()).toBe(0);
  });

  it("counts a quantity with decimals exactly", async () => {
    await planner.go("/stock?view=all", "Stock");
    await planner.page.getByRole("link", { name: "Grease" }).click();
    await planner.page.getByRole("button", { name: "Count" }).click();
    await planner.dialog.getByLabel("Quantity counted").fill("15.9");
    await planner.dialog.getByText("+0.3 to the books").waitFor();
    await planner.dialog.getByRole("button", { name: "Save" }).click();
    await planner.page.getByText("Saved. Waiting for approval.").waitFor();
    const { stockAdjustments } = await admin.ask("{ stockAdjustments { nodes { quantity } } }");
    expect(stockAdjustments.nodes).toEqual([{ quantity: 0.3 }]);
  });

  it("follows a report with its photo from the requester to the work order and back", async () => {
    await requester.go("/report", "Report a fault");
    await requester.page.getByLabel("Asset", { exact: true }).fill("p102");
    await requester.page.getByRole("button", { name: "Blend Pump P-102" }).click();
    await requester.page.getByLabel("What is wrong?").fill("It drips");
    await requester.page.getByLabel("Add photos").setInputFiles({ name: "drip.png", mimeType: "image/png", buffer: png });
    await requester.page.getByRole("button", { name: "Report the fault" }).click();
    await requester.page.getByText("Thank you. The fault is reported").waitFor();
    await requester.go("/work?view=requests", "Work");
    await requester.page.getByRole("listitem").filter({ hasText: "It drips" }).waitFor();

    // The planner's page is open, and shows the report without a reload.
    await planner.go("/work?view=requests", "Work");
    await planner.page.getByRole("listitem").filter({ hasText: "It drips" }).getByRole("button", { name: "Create work order" }).click();
    await planner.dialog.getByRole("button", { name: "Create work order" }).click();
    await planner.page.getByRole("heading", { level: 1, name: "It drips" }).waitFor();
    const reported = planner.page.getByRole("region", { name: "Reported fault" });
    await reported.getByText("Rob Reed").waitFor();
    await reported.getByRole("img", { name: "drip.png" }).waitFor();
    await passes(planner);
    const id = planner.address.split("/").at(-1)!;

    await requester.go("/report", "Report a fault");
    await requester.go("/work?view=requests", "Work");
    const line = requester.page.getByRole("listitem").filter({ hasText: "It drips" });
    await line.getByText("Accepted").waitFor();
    await line.getByText("Work order: scheduled, planned for").waitFor();
    expect(requester.problems).toEqual([]);
    await start(id);
    await admin.ask("mutation ($id: ID!) { completeWorkOrder(id: $id) { id } }", { id });
    await requester.go("/report", "Report a fault");
    await requester.go("/work?view=requests", "Work");
    await line.getByText("Work order: completed, ").waitFor();
    await passes(requester);
    // The order itself stays closed to a requester.
    expect(await line.getByRole("link").count()).toBe(await line.locator("a.thumb").count());
  });

  it("shows a measurement outside its limits while typing, with a follow-up order, and warns at completion", async () => {
    const measurement = (description: string) => ({
      description,
      kind: "MEASUREMENT",
      parameter: description,
      unit: "bar",
      minimum: 4.25,
      maximum: 6,
    });
    const id = await make("Measure the pressure", {
      customSteps: [measurement("Inlet"), measurement("Outlet"), { description: "Wipe", required: false }],
    });
    await start(id);
    await technician.go(`/work/${id}`, "Measure the pressure");
    const { page } = technician;
    const inlet = page.getByLabel("Measured value of step 1 in bar");
    await inlet.fill("5");
    expect(await page.getByText("Outside the limits").count()).toBe(0);
    await inlet.fill("7,5");
    await page.getByText("Outside the limits: from 4.25 to 6 bar").waitFor();
    expect(await inlet.getAttribute("aria-invalid")).toBe("true");
    await passes(technician);
    await page.getByLabel("Create a follow-up work order").check();
    await page.getByRole("button", { name: "Enter" }).first().click();
    await page.getByText("Value entered, follow-up work order created").waitFor();
    await page.getByRole("link", { name: "Follow-up: Inlet is 7.5 bar: out of limits" }).waitFor();

    await page.getByLabel("Measured value of step 2 in bar").fill("4.2");
    await page.getByText("Outside the limits").waitFor();
    await page.getByRole("button", { name: "Enter", exact: true }).click();
    await page.getByRole("button", { name: "Create a follow-up work order" }).waitFor();

    await page.getByRole("button", { name: "Skip step 3" }).click();
    await technician.dialog.getByLabel("Reason").fill("It is clean");
    await passes(technician);
    await technician.dialog.getByRole("button", { name: "Skip the step" }).click();
    await page.getByText("Skipped: It is clean").waitFor();

    await page.getByRole("button", { name: "Complete" }).click();
    await technician.dialog.getByText("One measurement is outside its limits without a follow-up work order.").waitFor();
    await technician.dialog.getByText("Step 2, Outlet: 4.2 bar").waitFor();
    await technician.dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Create a follow-up work order" }).click();
    await page.getByRole("link", { name: "Follow-up: Outlet is 4.2 bar: out of limits" }).waitFor();
    await page.getByRole("button", { name: "Complete" }).click();
    await technician.dialog.getByLabel("Notes").waitFor();
    expect(await technician.dialog.getByText("outside its limits").count()).toBe(0);
    await technician.dialog.getByRole("button", { name: "Cancel" }).click();
    const { workOrder } = await admin.ask(
      "query ($id: ID!) { workOrder(id: $id) { steps { status value result reason } followUps { title followUpOfStep } } }",
      { id },
    );
    expect(workOrder).toEqual({
      steps: [
        { status: "COMPLETED", value: 7.5, result: "FAIL", reason: null },
        { status: "COMPLETED", value: 4.2, result: "FAIL", reason: null },
        { status: "SKIPPED", value: null, result: null, reason: "It is clean" },
      ],
      followUps: [
        { title: "Inlet is 7.5 bar: out of limits", followUpOfStep: 1 },
        { title: "Outlet is 4.2 bar: out of limits", followUpOfStep: 2 },
      ],
    });
  });

  it("lets a technician skip a required step after a manager allowed it", async () => {
    const id = await make("Skip with permission", { customSteps: [{ description: "Flush the line", required: true }] });
    await start(id);
    await technician.go(`/work/${id}`, "Skip with permission");
    await technician.page.getByText("A manager can allow skipping this step.").waitFor();
    expect(await technician.page.getByRole("button", { name: "Skip step 1" }).count()).toBe(0);
    await planner.go(`/work/${id}`, "Skip with permission");
    await planner.page.getByRole("button", { name: "Allow skipping step 1" }).click();
    await planner.dialog.getByLabel("Reason").fill("The line is new");
    await planner.dialog.getByRole("button", { name: "Allow" }).click();
    // The technician's page shows the permission without a reload.
    await technician.page.getByText("May be skipped: The line is new").waitFor();
    await technician.page.getByRole("button", { name: "Skip step 1" }).click();
    await technician.dialog.getByRole("button", { name: "Skip the step" }).click();
    await technician.page.getByText("Skipped: The line is new").waitFor();
    // The page shows the step before the service has stored it.
    const steps = async () =>
      (await admin.ask("query ($id: ID!) { workOrder(id: $id) { steps { status reason } } }", { id })).workOrder.steps;
    await expect.poll(steps).toEqual([{ status: "SKIPPED", reason: "The line is new" }]);
  });

  it("resolves, dismisses as false and rates alerts, one or several at once", async () => {
    const [hot, loud, loose, slow] = [
      await raise("Pump is hot"),
      await raise("Pump is loud"),
      await raise("Belt is loose"),
      await raise("Belt is slow"),
    ];
    await planner.go("/alerts", "Alerts");
    const line = (title: string) => planner.page.locator("li.alert").filter({ hasText: title });
    await line("Pump is hot").getByRole("button", { name: "Resolve" }).click();
    await expect.poll(async () => (await alert(hot)).status).toBe("RESOLVED");

    await line("Pump is loud").getByRole("button", { name: "Dismiss as false" }).click();
    await planner.dialog.getByLabel("Why is it false?").fill("A train passed");
    await planner.dialog.getByLabel("Until when").selectOption({ label: "Shelve for 3 days" });
    await passes(planner);
    const before = Date.now();
    await planner.dialog.getByRole("button", { name: "Dismiss" }).click();
    await planner.page.getByText("Dismissed as false").waitFor();
    await expect
      .poll(async () => (await alert(loud)).feedback)
      .toEqual({ verdict: "FALSE_ALARM", comments: "A train passed", actionTaken: null });
    const dismissed = await alert(loud);
    expect(dismissed).toMatchObject({ status: "DISMISSED", statusHistory: expect.arrayContaining([{ reason: "A train passed" }]) });
    expect(Math.round((Date.parse(dismissed.shelvedUntil) - before) / dayMilliseconds)).toBe(3);

    await planner.go("/alerts?q=belt", "Alerts");
    await line("Belt is slow").waitFor();
    expect(await planner.page.locator("li.alert").count()).toBe(2);
    await planner.page.getByLabel("Select all").check();
    await planner.page.getByText("2 selected").waitFor();
    await passes(planner);
    await planner.page.getByRole("button", { name: "Acknowledge selected" }).click();
    await planner.page.getByText("2 of 2: Acknowledged").waitFor();
    expect([(await alert(loose)).status, (await alert(slow)).status]).toEqual(["ACKNOWLEDGED", "ACKNOWLEDGED"]);
    await planner.page.getByLabel("Select Belt is slow").check();
    await planner.page.getByRole("button", { name: "Resolve selected" }).click();
    await expect.poll(async () => (await alert(slow)).status).toBe("RESOLVED");

    // Each filter lists the status that it names.
    for (const [name, titles] of [
      ["Acknowledged", ["Belt is loose"]],
      ["Resolved", ["Belt is slow"]],
      ["Dismissed", []],
    ] as const) {
      await planner.page.locator(".tabs").getByRole("link", { name }).click();
      await planner.isQuiet();
      await expect.poll(() => planner.page.locator("li.alert h3").allTextContents()).toEqual(titles);
    }
    await planner.go("/alerts?view=dismissed", "Alerts");
    await line("Pump is loud").getByRole("button", { name: "Feedback" }).click();
    await planner.dialog.getByLabel("Was the alert right?").selectOption({ label: "Right: the equipment had a problem" });
    await planner.dialog.getByLabel("What was done").fill("Bearing changed");
    await planner.dialog.getByRole("button", { name: "Save" }).click();
    await planner.page.getByText("Feedback stored").waitFor();
    expect((await alert(loud)).feedback).toEqual({ verdict: "CONFIRMED", comments: null, actionTaken: "Bearing changed" });
    await expectContrastInDark(planner.page);
  });

  it("shows overdue work in the calendar, and makes the order of due work", async () => {
    const past = new Date(Date.now() - 70 * dayMilliseconds).toISOString();
    await make("Forgotten in the past", { scheduledDate: past });
    const { createProcedure } = await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: "Grease the bearings", assetId: pump, frequency: "ANNUAL", anchor: past },
    });
    await planner.go("/calendar", /20\d\d/);
    const overdue = planner.page.getByRole("region", { name: "Overdue" });
    await overdue.getByRole("button", { name: /Forgotten in the past ?, overdue$/ }).waitFor();
    const due = overdue.getByRole("button", { name: /Grease the bearings ?, overdue, due, no work order yet$/ });
    await due.waitFor();
    await passes(planner);
    await expectContrastInDark(planner.page);
    await due.press("Enter");
    await planner.dialog.getByText("Overdue").waitFor();
    await planner.dialog.getByRole("button", { name: "Create work order" }).click();
    await planner.page.getByText("Work order created, planned for").waitFor();
    const { workOrders } = await admin.ask("query ($id: ID!) { workOrders(filter: { procedureId: $id }) { nodes { status assetId } } }", {
      id: createProcedure.id,
    });
    expect(workOrders.nodes).toEqual([{ status: "SCHEDULED", assetId: pump }]);
    await overdue.getByRole("button", { name: /Grease the bearings ?, overdue$/ }).waitFor();
    // A person's own calendar shows own overdue work only.
    await planner.go("/calendar?person=me", /20\d\d/);
    expect(await overdue.count()).toBe(0);
  });

  it("shows dates in the site's time zone, and says so", async () => {
    // 23:30 on 31 March in Auckland, half past noon of that day in Berlin.
    const id = await make("At the end of the month", { scheduledDate: "2030-03-31T10:30:00.000Z" });
    await planner.go(`/work/${id}`, "At the end of the month");
    await planner.page.getByText("Dates and times in Pacific/Auckland, not in this device's time zone.").waitFor();
    // In Auckland the 1st of May begins at noon of 30 April in UTC.
    await admin.ask("mutation ($id: ID!, $at: DateTime!) { updateWorkOrder(id: $id, input: { scheduledDate: $at }) { id } }", {
      id,
      at: "2030-04-30T13:00:00.000Z",
    });
    await planner.page.getByText("1 May 2030").waitFor();
    await planner.go("/calendar?month=2030-05", "May 2030");
    const entry = planner.page.locator('[data-day="2030-05-01"]').getByRole("button", { name: "At the end of the month" });
    await entry.press("Enter");
    expect(await planner.dialog.getByLabel("Planned for").inputValue()).toBe("2030-05-01");
    await planner.dialog.getByLabel("Planned for").fill("2030-10-08");
    await planner.dialog.getByRole("button", { name: "Move", exact: true }).click();
    await planner.page.getByText("Moved to 8 Oct").waitFor();
    // 1:00 stays 1:00, although summer time has begun: 13 instead of 12 hours ahead.
    const { workOrder } = await admin.ask("query ($id: ID!) { workOrder(id: $id) { scheduledDate } }", { id });
    expect(workOrder).toEqual({ scheduledDate: "2030-10-07T12:00:00.000Z" });
    await start(id);
    await planner.go(`/work/${id}`, "At the end of the month");
    // The time names its zone: GMT+12 or GMT+13.
    await planner.page
      .locator("dl.facts")
      .getByText(/\d\d:\d\d GMT\+1[23]$/)
      .waitFor();
  });

  it("shows one figure for the time worked, and completes with the labor", async () => {
    const id = await make("Tighten the bolts", { type: "INSPECTION" });
    await start(id);
    await admin.ask('mutation ($id: ID!) { addLaborEntry(id: $id, input: { minutes: 45, rate: 0, name: "Fitter" }) { id } }', { id });
    await technician.go(`/work/${id}`, "Tighten the bolts");
    const worked = () => technician.page.locator("dt", { hasText: "Time worked" }).locator("xpath=following-sibling::dd[1]").textContent();
    expect(await worked()).toBe("45 min");
    await technician.page.getByRole("button", { name: "Complete" }).click();
    expect(await technician.dialog.getByLabel("Time spent, minutes").inputValue()).toBe("45");
    await technician.dialog.getByRole("button", { name: "Complete" }).click();
    await technician.page.getByText("Work completed").waitFor();
    const { workOrder } = await admin.ask("query ($id: ID!) { workOrder(id: $id) { status duration } }", { id });
    expect(workOrder).toEqual({ status: "COMPLETED", duration: 45 });
    // Labor entered by somebody else afterwards appears without a reload, in both places.
    await admin.ask('mutation ($id: ID!) { addLaborEntry(id: $id, input: { minutes: 15.5, rate: 0, name: "Fitter" }) { id } }', { id });
    await expect.poll(worked).toBe("1 h 1 min");
    await technician.page.getByRole("region", { name: "Labor" }).getByText("1 h 1 min").waitFor();
  });

  it("keeps lists live", async () => {
    await technician.go("/work", "Work");
    const id = await make("Made by somebody else");
    await technician.page.getByRole("link", { name: "Made by somebody else" }).waitFor();
    await admin.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", { id });
    await technician.page.getByRole("link", { name: "Made by somebody else" }).waitFor({ state: "detached" });

    await planner.go("/plant", "Plant");
    await admin.createAsset({ name: "New Mixer", site });
    await planner.page.getByRole("link", { name: "New Mixer" }).waitFor();

    await planner.go("/stock?view=all", "Stock");
    const { parts } = await admin.ask("{ parts { nodes { id } } }");
    await admin.ask('mutation ($id: ID!) { receiveStock(partId: $id, input: { site: "North", quantity: 100 }) { id } }', {
      id: parts.nodes[0].id,
    });
    await planner.page
      .getByRole("listitem")
      .filter({ hasText: "Grease" })
      .getByText(/115\.[69]/)
      .waitFor();
    expect([...planner.problems, ...technician.problems]).toEqual([]);
  });
});
