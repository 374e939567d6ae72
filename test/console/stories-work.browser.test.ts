/** Stories of the daily work, on a desktop and a phone: a fault report becomes a plan, a technician's day, and a closed order. */
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings, widthOf } from "./console.js";
import { type Device, Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();
const photo = {
  name: "drip.png",
  mimeType: "image/png",
  buffer: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
};
const screens: Device[] = ["desktop", "phone"];
const all: Device[] = [...screens, "keyboard"];

describe.runIf(hasBrowser)(`stories of the daily work in ${CHROMIUM}`, () => {
  let browser: Browser;
  /** A plant of its own for each story. */
  let admin: Caller;
  let pump: string;
  let grease: string;
  let ann: Caller & { principalId: string };

  const person = async (name: string, role: string): Promise<Caller & { principalId: string }> => {
    const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return Object.assign(new Caller(gateway, admin.tenantId, createApiKey.key), { principalId: createPerson.id as string });
  };
  const plant = async (): Promise<void> => {
    admin = await gateway.newTenant();
    await admin.ask('mutation { createSite(input: { name: "North", timeZone: "Europe/Copenhagen" }) { id } }');
    ({ id: pump } = await admin.createAsset({ name: "Blend Pump P-102", site: "North", area: "Hall 1" }));
    const input = { name: "Grease", partNumber: "GR-1", site: "North", stockLevel: 15.4, unitCost: 5, currency: "EUR" };
    grease = (await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", { input })).createPart.id;
    ann = await person("Ann Ames", "TECHNICIAN");
  };
  /** A repair with lockout, a measurement and its release. */
  const repair = async (): Promise<string> => {
    const input = {
      assetId: pump,
      title: "Change the seal",
      type: "CORRECTIVE",
      customSteps: [
        { description: "Lock the main switch", kind: "ISOLATE" },
        { description: "Measure the pressure", kind: "MEASUREMENT", parameter: "pressure", unit: "bar", minimum: 4.25, maximum: 6 },
        { description: "Change the seal", required: true },
        { description: "Remove the lock", kind: "RELEASE" },
      ],
    };
    const { createWorkOrder } = await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", {
      input,
    });
    const ids = { id: createWorkOrder.id, principalId: ann.principalId };
    await admin.ask("mutation ($id: ID!, $principalId: ID!) { assignWorkOrder(id: $id, principalId: $principalId) { id } }", ids);
    return ids.id;
  };
  const order = async (id: string, fields: string) =>
    (await admin.ask(`query ($id: ID!) { workOrder(id: $id) { ${fields} } }`, { id })).workOrder;
  const requests = async (fields: string) => (await admin.ask(`{ workRequests { nodes { ${fields} } } }`)).workRequests.nodes;
  const tell = (device: Device, name: string) => new Story(name, device, browser, gateway, { timezoneId: "Europe/Copenhagen" });
  const button = ({ page }: ConsolePage, name: string): Locator => page.locator("main").getByRole("button", { name, exact: true });
  /** The connection is lost, as in a cellar, until the next call. */
  const isOffline = ({ page }: ConsolePage, is: boolean) => page.context().setOffline(is);
  /**
   * The browser's own words for a request, WebSocket or check of the service worker's script that the loss of the connection ended. They
   * depend on its state at that time.
   */
  const offline = (problem: string) => /net::ERR_|WebSocket connection to .* failed|when fetching the script/.test(problem);

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it.each(screens)("a requester scans a label and reports a fault without a connection, and adds a photo: %s", async (device) => {
    await plant();
    const story = tell(device, "report a fault");
    const rob = await person("Rob Reed", "REQUESTER");
    // The address in the label's code.
    const own = await story.signIn(rob.key, `/asset/${pump}`, "Report a fault");
    const { page } = own;
    await page.evaluate(() => navigator.serviceWorker.ready);
    await isOffline(own, true);
    await story.fill(page.getByLabel("What is wrong?"), "Product drips from the shaft");
    await story.choose(page.getByLabel("How urgent is it?"), "High: today");
    await story.press(button(own, "Report the fault"));
    await page.getByRole("heading", { name: "Thank you. The report is waiting to be sent" }).waitFor();
    await story.passes(own);
    expect(await requests("id")).toEqual([]);
    await isOffline(own, false);
    await expect
      .poll(() => requests("description urgency status asset { id } createdByPrincipal { name } attachments { filename }"))
      .toEqual([
        {
          description: "Product drips from the shaft",
          urgency: "HIGH",
          status: "OPEN",
          asset: { id: pump },
          createdByPrincipal: { name: "Rob Reed" },
          attachments: [],
        },
      ]);
    await page.locator(".banner").waitFor({ state: "detached" });
    await story.press(page.getByRole("link", { name: "Show reports" }));
    const line = page.getByRole("listitem").filter({ hasText: "Product drips from the shaft" });
    await line.locator("input[type=file]").setInputFiles(photo);
    await line.getByRole("img", { name: "Reported fault" }).waitFor();
    await story.passes(own);
    expect(await requests("attachments { filename }")).toEqual([{ attachments: [{ filename: "drip.png" }] }]);
    await story.end(offline);
  });

  it.each(screens)("a planner accepts a report with a date and a person: %s", async (device) => {
    await plant();
    const rob = await person("Rob Reed", "REQUESTER");
    const mia = await person("Mia Moss", "MANAGER");
    const report = "mutation ($input: ReportFaultInput!) { reportFault(input: $input) { id } }";
    await rob.ask(report, { input: { assetId: pump, description: "Product drips from the shaft", urgency: "HIGH" } });
    const story = tell(device, "accept a report");
    const own = await story.signIn(mia.key, "/", "Home");
    const { page } = own;
    await story.press(page.locator("main").getByRole("link", { name: /Reported faults to decide/ }));
    await story.press(button(own, "Create work order"));
    await story.fill(own.dialog.getByLabel("Planned for"), "2031-01-02");
    await story.choose(own.dialog.getByLabel("Person"), "Ann Ames");
    await story.passes(own);
    await story.press(own.dialog.getByRole("button", { name: "Create work order" }));
    await page.getByRole("heading", { level: 1, name: "Product drips from the shaft" }).waitFor();
    await page.getByRole("region", { name: "Plan" }).getByText("Ann Ames").waitFor();
    const [{ workOrderId, ...request }] = await requests("status decidedByPrincipal { name } workOrderId");
    expect(request).toEqual({ status: "ACCEPTED", decidedByPrincipal: { name: "Mia Moss" } });
    expect(own.address).toBe(`/console/work/${workOrderId}`);
    expect(await order(workOrderId, "title type priority status scheduledDate assignee { name } asset { id }")).toEqual({
      title: "Product drips from the shaft",
      type: "CORRECTIVE",
      priority: "HIGH",
      status: "SCHEDULED",
      // 8:00 in Copenhagen in winter.
      scheduledDate: "2031-01-02T07:00:00.000Z",
      assignee: { name: "Ann Ames" },
      asset: { id: pump },
    });
    await story.end();
  });

  it.each(all)("a technician isolates, measures, uses a part, and goes on without a connection: %s", async (device) => {
    await plant();
    const id = await repair();
    const story = tell(device, "a technician's day");
    const own = await story.signIn(ann.key, "/", "Home");
    const { page } = own;
    await story.press(page.getByRole("region", { name: "My work today" }).getByRole("link", { name: "Change the seal" }));
    await page.getByRole("heading", { level: 1, name: "Change the seal" }).waitFor();
    await story.press(button(own, "Start work"));
    await button(own, "Complete").waitFor();
    await story.keepsFocus(own, "the work started");
    await story.press(page.getByRole("checkbox", { name: "Step 1: Lock the main switch" }));
    const value = page.getByLabel("Measured value of step 2 in bar");
    await story.fill(value, "7.5");
    await page.getByText("Outside the limits: from 4.25 to 6 bar").waitFor();
    await story.passes(own);
    await story.press(button(own, "Enter"));
    await button(own, "Measure again").waitFor();
    await story.keepsFocus(own, "the value was entered");

    await story.press(button(own, "Issue part"));
    await story.fill(own.dialog.getByLabel("Find the part"), "gre");
    await story.press(own.dialog.getByRole("list", { name: "Parts found" }).getByRole("button", { name: /Grease/ }));
    await story.fill(own.dialog.getByLabel("Quantity"), "0.5");
    await story.press(own.dialog.getByRole("button", { name: "Issue", exact: true }));
    await page.getByText("0.5 issued", { exact: true }).waitFor();
    await story.keepsFocus(own, "the part was issued");

    await isOffline(own, true);
    await story.press(page.getByRole("checkbox", { name: "Step 3: Change the seal" }));
    await page.getByText("1 change is waiting to be sent").waitFor();
    await story.press(page.getByRole("checkbox", { name: "Step 4: Remove the lock" }));
    await page.getByText("2 changes are waiting to be sent").waitFor();
    await story.passes(own);
    const done = { status: "COMPLETED", value: null, result: null };
    const steps = () => order(id, "steps { status value result }");
    expect(await steps()).toEqual({
      steps: [done, { status: "COMPLETED", value: 7.5, result: "FAIL" }, { ...done, status: "PENDING" }, { ...done, status: "PENDING" }],
    });
    await isOffline(own, false);
    await expect.poll(steps).toEqual({ steps: [done, { status: "COMPLETED", value: 7.5, result: "FAIL" }, done, done] });
    await expect.poll(() => page.locator(".banner").count()).toBe(0);
    expect(await order(id, "status isolatedBy requiredParts { quantity issuedQuantity part { name } }")).toEqual({
      status: "IN_PROGRESS",
      isolatedBy: null,
      requiredParts: [{ quantity: 0, issuedQuantity: 0.5, part: { name: "Grease" } }],
    });
    const { inventory } = await admin.ask("{ inventory { nodes { quantity } } }");
    expect(inventory.nodes).toEqual([{ quantity: 14.9 }]);
    await story.end(offline);
  });

  /** The repair after the technician's day: one value is outside its limits, and half a unit of grease was used. */
  const repaired = async (): Promise<string> => {
    const id = await repair();
    await ann.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id });
    const step =
      "mutation ($id: ID!, $order: Int!, $input: UpdateWorkOrderStepInput!) { updateWorkOrderStep(id: $id, order: $order, input: $input) { id } }";
    for (const number of [1, 2, 3, 4])
      await ann.ask(step, { id, order: number, input: { status: "COMPLETED", ...(number === 2 && { value: 7.5 }) } });
    const issue = "mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { id } }";
    await ann.ask(issue, { id, input: { partId: grease, quantity: 0.5 } });
    return id;
  };

  it.each(all)("a planner orders the follow-up, completes, and closes with the failure codes: %s", async (device) => {
    await plant();
    const id = await repaired();
    const mia = await person("Mia Moss", "MANAGER");
    const story = tell(device, "close a repair");
    const own = await story.signIn(mia.key, "/work", "Work");
    const { page } = own;
    await story.press(page.locator("main").getByRole("link", { name: "Change the seal" }));
    await page.getByRole("heading", { level: 1, name: "Change the seal" }).waitFor();
    await story.press(button(own, "Create a follow-up work order"));
    await page.getByRole("link", { name: "Follow-up: pressure is 7.5 bar: out of limits" }).waitFor();
    await story.keepsFocus(own, "the follow-up was created");

    await story.press(button(own, "Complete"));
    await story.fill(own.dialog.getByLabel("Time spent, minutes"), "45");
    expect(await own.dialog.getByLabel("Grease, not planned").inputValue()).toBe("0.5");
    await story.choose(own.dialog.getByLabel("Problem"), "Leaks at the shaft seal");
    await story.passes(own);
    await story.press(own.dialog.getByRole("button", { name: "Complete", exact: true }));
    await button(own, "Close work order").waitFor();
    await own.dialog.waitFor({ state: "detached" });
    await story.keepsFocus(own, "the work was completed");

    await story.press(button(own, "Close work order"));
    await story.choose(own.dialog.getByLabel("Cause"), "Seal worn");
    await story.choose(own.dialog.getByLabel("Remedy"), "Replaced");
    await story.passes(own);
    await story.press(own.dialog.getByRole("button", { name: "Close work order" }));
    await page.getByText("Work order closed").waitFor();
    await own.dialog.waitFor({ state: "detached" });
    await story.keepsFocus(own, "the order was closed");
    expect(
      await order(
        id,
        "status duration failureMode failureCause remedy totalCostExact requiredParts { usedQuantity } followUps { title status type followUpOfStep asset { id } }",
      ),
    ).toEqual({
      status: "CLOSED",
      duration: 45,
      failureMode: "seal-leak",
      failureCause: "seal-wear",
      remedy: "replaced",
      // 0.5 at 5 EUR.
      totalCostExact: "2.5",
      requiredParts: [{ usedQuantity: 0.5 }],
      followUps: [
        { title: "pressure is 7.5 bar: out of limits", status: "SCHEDULED", type: "CORRECTIVE", followUpOfStep: 2, asset: { id: pump } },
      ],
    });
    await story.end();
  });

  it("shows the order and its forms at 400 % zoom, with every action in reach", async () => {
    await plant();
    const id = await repaired();
    const mia = await person("Mia Moss", "MANAGER");
    const own = await ConsolePage.open(browser, gateway, { viewport: { width: 320, height: 256 } });
    const { page } = own;
    await own.signIn(mia.key, "/");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    /** No horizontal scroll, nothing cut off, and each stop of the keyboard in sight. */
    const reaches = async (within: string) => {
      await own.isQuiet();
      expect(await widthOf(page), own.address).toBe(320);
      expect(await cutOff(page, within), own.address).toEqual([]);
      expect(
        await hiddenStops(page, within),
        `${own.address} ${await page.locator(within).locator("h1, h2").first().textContent()}`,
      ).toEqual([]);
      expect(await seriousFindings(page)).toEqual([]);
    };
    await reaches("main");
    await own.go("/work", "Work");
    await reaches("main");
    await own.go(`/work/${id}`, "Change the seal");
    await reaches("main");
    // A small phone, with the bar at the bottom.
    await page.setViewportSize({ width: 320, height: 640 });
    await reaches("main");
    await page.setViewportSize({ width: 320, height: 256 });
    for (const name of ["Complete", "Issue part", "Return part", "Edit", "Put on hold"]) {
      await button(own, name).click();
      await reaches("dialog");
      await page.keyboard.press("Escape");
    }
    await ann.ask("mutation ($id: ID!) { completeWorkOrder(id: $id) { id } }", { id });
    await button(own, "Close work order").click();
    await reaches("dialog");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "New follow-up" }).click();
    await page.getByRole("heading", { level: 1, name: "New work order" }).waitFor();
    await button(own, "Add step").click();
    await reaches("main");
    expect(own.problems).toEqual([]);
    await own.close();
  });
});

/** Texts and controls that are wider than their place, or outside the page. */
const cutOff = (page: Page, within: string): Promise<string[]> =>
  page.evaluate((selector) => {
    const faults: string[] = [];
    for (const one of document.querySelectorAll<HTMLElement>(`${selector} *`)) {
      const { left, right, width } = one.getBoundingClientRect();
      const style = getComputedStyle(one);
      if (!width || one.closest(".hidden-text, svg, .chips, .tabs, option") || style.visibility === "hidden") continue;
      const isOutside = left < -1 || right > innerWidth + 1;
      const isCut = style.overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1 && !one.matches("input, select, textarea");
      if (isOutside || isCut) faults.push(`${isCut ? "cut" : "outside"}: ${one.outerHTML.slice(0, 140)}`);
    }
    return faults;
  }, within);

/** Moves through all links, buttons and fields with Tab. Returns those that stay hidden, such as below a fixed bar. */
async function hiddenStops(page: Page, within: string): Promise<string[]> {
  const count = await page.evaluate((selector) => {
    const place = document.querySelector<HTMLElement>(selector)!;
    place.tabIndex = -1;
    place.focus();
    return [...place.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary")].filter(
      (one) => one.tabIndex >= 0 && !one.matches(":disabled") && one.checkVisibility(),
    ).length;
  }, within);
  const faults: string[] = [];
  for (let at = 0; at < count; at++) {
    await page.keyboard.press("Tab");
    const fault = await page.evaluate((selector) => {
      const one = document.activeElement!;
      if (!one.closest(selector)) return `outside of ${selector}: ${one.outerHTML.slice(0, 140)}`;
      const { left, top, width, height } = one.getBoundingClientRect();
      // The browser shows the first line of a long field.
      const isSeen = [0.1, 0.5, 0.9].every((part) => {
        const seen = document.elementFromPoint(left + width / 2, top + Math.min(height, 40) * part);
        return !!seen && (one.contains(seen) || seen.contains(one) || !!seen.closest("label")?.contains(one));
      });
      return isSeen ? undefined : `hidden: ${one.outerHTML.slice(0, 140)}`;
    }, within);
    if (fault) faults.push(fault);
  }
  return faults;
}
