/** Home of the console: the work that waits for each role, the first steps of a new plant, and invitations. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";
import { raiseAlert } from "./plant.js";

if (hasBrowser) build();
const gateway = await startGateway();
const day = 86_400_000;
const later = (days: number) => new Date(Date.now() + days * day).toISOString();

describe.runIf(hasBrowser)(`home of the console in ${CHROMIUM}`, () => {
  let browser: Browser;
  let admin: Caller;
  let pump: string;
  const opened: ConsolePage[] = [];

  const person = async (of: Caller, name: string, role: string, more: object = {}): Promise<Caller & { principalId: string }> => {
    const { createPerson } = await of.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id, ...more };
    const { createApiKey } = await of.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return Object.assign(new Caller(gateway, of.tenantId, createApiKey.key), { principalId: createPerson.id });
  };
  const open = async (caller: Caller, heading = "Home"): Promise<ConsolePage> => {
    const page = await ConsolePage.open(browser, gateway);
    opened.push(page);
    await page.signIn(caller.key);
    await page.page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.isQuiet();
    return page;
  };
  const order = async (title: string, days: number, principalId?: string): Promise<string> => {
    const { createWorkOrder } = await admin.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", {
      input: { assetId: pump, title, scheduledDate: later(days) },
    });
    if (principalId)
      await admin.ask("mutation ($id: ID!, $principalId: ID!) { assignWorkOrder(id: $id, principalId: $principalId) { id } }", {
        id: createWorkOrder.id,
        principalId,
      });
    return createWorkOrder.id;
  };
  const figures = async ({ page }: ConsolePage): Promise<Record<string, string>> =>
    Object.fromEntries(
      await page
        .locator("a.figure")
        .evaluateAll((links) => links.map((one) => [one.querySelector(".label")!.textContent!, one.querySelector(".value")!.textContent!])),
    );
  /** Opens the figure's rows. */
  const follow = async (from: ConsolePage, label: string, path: string): Promise<void> => {
    await from.go("/", "Home");
    await from.page.locator("a.figure", { hasText: label }).click();
    await expect.poll(() => from.address).toBe(`/console${path}`);
    await from.isQuiet();
  };
  const passes = async ({ page }: ConsolePage): Promise<void> => {
    expect(await seriousFindings(page)).toEqual([]);
    await expectContrastInDark(page);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await widthOf(page)).toBe(320);
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 1366, height: 860 });
  };

  beforeAll(async () => {
    browser = await launchBrowser();
    admin = await gateway.newTenant();
    for (const [name, timeZone] of [
      ["North", "Europe/Copenhagen"],
      ["South", "Australia/Sydney"],
    ])
      await admin.ask("mutation ($input: CreateSiteInput!) { createSite(input: $input) { id } }", { input: { name, timeZone } });
    pump = (await admin.createAsset({ name: "Feed pump", site: "North" })).id;
    await admin.createAsset({ name: "Spare pump", site: "South", status: "offline" });
  });
  afterAll(async () => {
    await browser?.close();
  });

  it("shows a technician today's orders: own ones first, overdue ones on top, and those that nobody has taken", async () => {
    const ann = await person(admin, "Ann Ames", "TECHNICIAN");
    await order("Grease the bearing", 0, ann.principalId);
    await order("Change the seal", -3, ann.principalId);
    await order("Next week's check", 7, ann.principalId);
    await order("Tighten the belt", -1);
    const home = await open(ann);
    expect(home.operations).toEqual(["Session", "HomePage"]);
    const titles = (name: string) => home.page.getByRole("region", { name }).locator(".order-line .title").allTextContents();
    expect(await titles("My work today")).toEqual(["Change the seal", "Grease the bearing"]);
    expect(await titles("Not assigned today")).toEqual(["Tighten the belt"]);
    // A technician neither plans nor administers.
    expect(await home.page.locator(".figures-title").allTextContents()).toEqual(["Condition of the plant", "Stock"]);
    await passes(home);
    await home.page.getByRole("region", { name: "My work today" }).getByRole("link", { name: "2 orders" }).click();
    await expect.poll(() => home.address).toBe("/console/work?person=me&due=today");
    await home.isQuiet();
    expect(await home.page.locator(".order-line .title").allTextContents()).toEqual(["Change the seal", "Grease the bearing"]);
    await home.page.getByRole("button", { name: "Any day" }).click();
    await home.page.getByText("Next week's check").waitFor();
    await home.go("/", "Home");
    await home.page.getByRole("link", { name: "Report a fault" }).click();
    await home.page.getByRole("heading", { level: 1, name: "Report a fault" }).waitFor();
  });

  it("shows a planner overdue work, due work without an order, waiting reports and planned hours, each with its rows", async () => {
    const { createProcedure } = await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: "Lubrication", assetId: pump, frequency: "WEEKLY", estimatedDuration: 90, anchor: later(-2) },
    });
    const due = await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: "Inspection", assetId: pump, frequency: "MONTHLY", estimatedDuration: 30, anchor: later(20) },
    });
    await admin.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id: due.createProcedure.id });
    await admin.ask("mutation ($input: ReportFaultInput!) { reportFault(input: $input) { id } }", {
      input: { assetId: pump, description: "A puddle" },
    });
    const home = await open(await person(admin, "Mia Moss", "MANAGER"));
    expect(await figures(home)).toMatchObject({
      "Overdue work orders": "2",
      "Overdue work without an order": "1",
      "Reported faults to decide": "1",
      "Planned hours of open orders": "0.5 h",
    });
    await passes(home);
    await follow(home, "Overdue work orders", "/work?due=overdue");
    expect(await home.page.locator(".order-line .title").allTextContents()).toEqual(["Change the seal", "Tighten the belt"]);
    await passes(home);
    await follow(home, "Overdue work without an order", "/calendar?late=unordered");
    expect(await home.page.getByRole("region", { name: "Overdue, no work order yet" }).getByRole("button").allTextContents()).toEqual([
      "Show all overdue work",
      expect.stringContaining("Lubrication"),
    ]);
    await home.page.getByRole("button", { name: "Show all overdue work" }).click();
    await home.page.getByRole("region", { name: "Overdue", exact: true }).getByText("Change the seal").waitFor();
    await follow(home, "Reported faults to decide", "/work?view=requests");
    await home.page.getByText("A puddle").waitFor();

    // Another user's work appears without a reload.
    await home.go("/", "Home");
    await admin.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id: createProcedure.id });
    await expect.poll(async () => (await figures(home))["Overdue work without an order"]).toBe("0");
    expect((await figures(home))["Planned hours of open orders"]).toBe("2 h");
  });

  it("shows a storekeeper shortages, proposed orders, counts, approvals and transfers, each with its rows", async () => {
    const { createPart } = await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
      input: { name: "Shaft seal", partNumber: "SEAL-1", site: "North", stockLevel: 4, reorderPoint: 5, maximumStock: 10 },
    });
    const id = createPart.id;
    await admin.ask("mutation ($id: ID!, $input: StartTransferInput!) { startTransfer(partId: $id, input: $input) { id } }", {
      id,
      input: { fromSite: "North", toSite: "South", quantity: 1 },
    });
    await admin.ask(
      'mutation ($id: ID!) { adjustStock(partId: $id, input: { site: "North", quantity: -1, adjustmentType: DAMAGE }) { id } }',
      { id },
    );
    await admin.ask('mutation { createStockCount(input: { site: "North" }) { id } }');
    const home = await open(await person(admin, "Sam Store", "TECHNICIAN"));
    expect(await figures(home)).toMatchObject({
      "Levels below the reorder point": "1",
      "Shortages for planned work": "0",
      "Proposed orders": "1",
      "Counts under way": "1",
      "Approvals waiting": "1",
      "Transfers under way": "1",
    });
    await follow(home, "Levels below the reorder point", "/stock");
    await home.page.getByRole("region", { name: "Stock levels" }).getByText("Shaft seal").waitFor();
    await follow(home, "Proposed orders", "/stock?view=reorder");
    await home.page.getByText("Shaft seal").first().waitFor();
    await follow(home, "Counts under way", "/stock?view=counts&state=open");
    expect(await home.page.getByRole("region", { name: "Stock counts" }).getByRole("listitem").count()).toBe(1);
    await follow(home, "Approvals waiting", "/stock?view=approve");
    await home.page.getByText("Shaft seal").waitFor();
    await follow(home, "Transfers under way", "/stock?view=transfers");
    const transfer = home.page.getByRole("region", { name: "Transfers" }).getByRole("listitem");
    await transfer.getByRole("link", { name: "Shaft seal" }).waitFor();
    await passes(home);
    await transfer.getByRole("button", { name: "Ship" }).click();
    await transfer.getByText("In transit").waitFor();
  });

  it("shows a viewer critical alerts and assets that are down, when they come", async () => {
    const home = await open(await person(admin, "Vera View", "VIEWER"));
    expect(await figures(home)).toEqual({ "Open critical alerts": "0", "Assets offline": "1", "Assets in maintenance": "0" });
    expect(await home.page.getByRole("link", { name: "Report a fault" }).count()).toBe(0);
    await raiseAlert(admin, pump, "Vibration beyond its threshold");
    await expect.poll(async () => (await figures(home))["Open critical alerts"]).toBe("1");
    await passes(home);
    await follow(home, "Open critical alerts", "/alerts?severity=CRITICAL");
    await home.page.getByText("Vibration beyond its threshold").first().waitFor();
    await follow(home, "Assets offline", "/plant?status=OFFLINE");
    expect(await home.page.locator(".asset-row .title").allTextContents()).toEqual(["Spare pump"]);
  });

  it("shows an administrator keys that expire and webhooks that fail", async () => {
    await person(admin, "Tom Temp", "TECHNICIAN", { expiresAt: later(10) });
    await person(admin, "Ida Idle", "TECHNICIAN", { expiresAt: later(90) });
    const make = "mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }";
    const hooks: string[] = [];
    for (const description of ["Broken", "Sound"])
      hooks.push(
        (await admin.ask(make, { input: { url: "https://hooks.example.com/", description, events: ["WORK_ORDER_CREATED"] } })).createWebhook
          .webhook.id,
      );
    await gateway.database.query(`update "Webhook" set "failingSince" = now() where "tenantId" = $1 and id = $2`, [
      admin.tenantId,
      hooks[0],
    ]);
    const home = await open(admin);
    expect(await figures(home)).toMatchObject({ "Keys that expire within 30 days": "1", "Failing webhooks": "1" });
    await passes(home);
    await follow(home, "Keys that expire within 30 days", "/admin?show=expiring");
    const keys = home.page.getByRole("region", { name: "Keys" });
    expect(await keys.getByRole("listitem").count()).toBe(1);
    await keys.getByText("Tom Temp").waitFor();
    await passes(home);
    await keys.getByRole("button", { name: /^Expires within 30 days.*show all keys$/ }).click();
    await keys.getByText("Ida Idle").waitFor();
    await follow(home, "Failing webhooks", "/admin?tab=webhooks&show=failing");
    const webhooks = home.page.getByRole("region", { name: "Webhooks" });
    expect(await webhooks.getByRole("listitem").count()).toBe(1);
    await webhooks.getByText("Broken").waitFor();
    await passes(home);
  });

  it("leads a requester to the reports, and earlier links with filters to the plant", async () => {
    await open(await admin.as("requester"), "Work");
    const viewer = await ConsolePage.open(browser, gateway);
    opened.push(viewer);
    await viewer.signIn((await admin.as("viewer")).key, "/?site=South&status=OFFLINE");
    await viewer.page.getByRole("heading", { level: 1, name: "South" }).waitFor();
    expect(viewer.address).toBe("/console/plant?site=South&status=OFFLINE");
    await viewer.page.locator(".rail").getByRole("link", { name: "Home" }).click();
    await viewer.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(viewer.address).toBe("/console/");
  });

  it("leads the administrator of an empty plant to the first due work order", async () => {
    const owner = await gateway.newTenant();
    const home = await open(owner);
    const setUp = home.page.getByRole("region", { name: "Set up the plant" });
    const done = (count: string) => setUp.getByText(count).waitFor();
    await done("0 of 7 done");
    expect(await home.page.locator("a.figure").count()).toBe(0);
    await passes(home);
    const fill = async (values: Record<string, string>) => {
      for (const [label, value] of Object.entries(values)) await home.dialog.getByLabel(label, { exact: true }).fill(value);
    };
    const send = async (verb: string) => {
      expect(await seriousFindings(home.page)).toEqual([]);
      await home.dialog.getByRole("button", { name: verb }).click();
      await home.dialog.waitFor({ state: "detached" });
    };

    await setUp.getByRole("button", { name: "New site" }).click();
    await fill({ Name: "Aarhus", "Time zone": "Europe/Copenhagen" });
    await send("Create site");
    await done("1 of 7 done");
    await setUp.getByRole("link", { name: "Import a CSV file" }).waitFor();

    await setUp.getByRole("link", { name: "Open the settings" }).waitFor();
    await home.go("/stock", "Stock");
    await home.page.getByText("No currency is set.").waitFor();
    await home.page.getByRole("link", { name: "Set the currency" }).click();
    await home.page.getByLabel("Currency").fill("EUR");
    await home.page.getByRole("button", { name: "Save" }).first().click();
    await home.page.getByText("Settings stored").waitFor();
    await home.go("/stock", "Stock");
    await home.page.getByText("No currency is set.").waitFor({ state: "detached" });
    await home.go("/", "Home");
    await done("2 of 7 done");

    await setUp.getByRole("button", { name: "New asset" }).click();
    expect(await home.dialog.getByLabel("Site", { exact: true }).inputValue()).toBe("Aarhus");
    await fill({ Name: "Feed pump", Type: "pump" });
    await send("Create asset");
    await done("3 of 7 done");

    await setUp.getByRole("link", { name: "Open the components" }).click();
    await home.page.getByRole("heading", { level: 1, name: "Feed pump" }).waitFor();
    await home.page.getByRole("button", { name: "Add a component" }).first().click();
    await fill({ Name: "Motor", Type: "motor" });
    await send("Add component");
    await home.go("/", "Home");
    await done("4 of 7 done");

    await setUp.getByRole("link", { name: "New procedure" }).click();
    await home.page.getByRole("heading", { level: 1, name: "New procedure" }).waitFor();
    await home.page.locator("form").getByText("Feed pump").waitFor();
    await home.page.getByLabel("Name", { exact: true }).fill("Lubrication");
    for (const [at, text] of ["Isolate the pump", "Grease the bearing"].entries()) {
      await home.page.getByRole("button", { name: "Add step" }).click();
      await home.page
        .getByLabel(`Step ${at + 1}`, { exact: true })
        .and(home.page.locator("input"))
        .fill(text);
    }
    await home.page.getByRole("button", { name: "Create procedure" }).click();
    await home.page.getByRole("heading", { level: 1, name: "Lubrication" }).waitFor();
    await home.go("/", "Home");
    await done("5 of 7 done");
    await passes(home);

    await setUp.getByRole("button", { name: "Create the order now" }).click();
    await done("6 of 7 done");
    await setUp.getByRole("link", { name: "Open the first planned work order" }).click();
    await home.page.getByRole("heading", { level: 1, name: "Lubrication" }).waitFor();
    const { workOrders } = await owner.ask("{ workOrders { nodes { title asset { name } steps { description } } } }");
    expect(workOrders.nodes).toEqual([
      {
        title: "Lubrication",
        asset: { name: "Feed pump" },
        steps: [{ description: "Isolate the pump" }, { description: "Grease the bearing" }],
      },
    ]);

    await home.go("/", "Home");
    await setUp.getByRole("button", { name: "Hide" }).click();
    await setUp.waitFor({ state: "detached" });
    await home.page.reload();
    await home.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(await setUp.count()).toBe(0);
  });

  it("invites a person, whose link signs in once without a key to copy, until its key is revoked", async () => {
    const owner = await gateway.newTenant();
    await owner.createAsset({ name: "Feed pump", site: "North" });
    const office = await open(owner);
    await office.go("/admin?tab=people", "Administration");
    await office.page.getByRole("button", { name: "Invite a person" }).click();
    const form = office.dialog;
    await form.getByLabel("Name").fill("Ann Ames");
    await form.getByLabel("Email address").fill("ann@plant.example");
    await form.getByLabel("Role").selectOption("TECHNICIAN");
    await form.getByLabel("North").check();
    await form.getByLabel("Expires on").fill("2020-01-02");
    await passes(office);
    await form.getByRole("button", { name: "Create the link" }).click();
    // The person exists by now, and is not created again.
    await expect.poll(() => form.getByLabel("Expires on").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Expires on").fill("2030-01-02");
    await form.getByRole("button", { name: "Create the link" }).click();
    await office.page.getByRole("heading", { name: "Invitation of Ann Ames" }).waitFor();
    const link = (await office.page.locator(".secret").textContent())!;
    const secret = link.split("#invitation=")[1]!;
    expect(link).toBe(`${gateway.url}/console/#invitation=${secret}`);
    await office.page.getByRole("img", { name: "Code of the link for Ann Ames" }).waitFor();
    const letter = new URL((await office.page.getByRole("link", { name: "Write an email" }).getAttribute("href"))!);
    expect([letter.pathname, letter.searchParams.get("body")]).toEqual(["ann%40plant.example", expect.stringContaining(link)]);
    await passes(office);
    await office.page.getByRole("button", { name: "Done" }).click();
    const line = office.page.getByRole("region", { name: "People" }).getByRole("listitem").filter({ hasText: "Ann Ames" });
    await line.getByText("ann@plant.example · no key").waitFor();
    const pending = office.page.getByRole("region", { name: "Invitations" }).getByRole("listitem");
    await pending.getByText(/^Technician · North · expires /).waitFor();
    await passes(office);

    const ann = await ConsolePage.open(browser, gateway, { viewport: { width: 390, height: 844 } });
    opened.push(ann);
    const sent: string[] = [];
    ann.page.on("request", (request) => sent.push(`${request.method()} ${request.url()} ${request.headers().referer ?? ""}`));
    await ann.page.goto(link);
    await ann.page.getByRole("heading", { name: "Welcome, Ann Ames" }).waitFor();
    await ann.page.getByText(`admin invites you to the plant ${owner.tenantId}.`).waitFor();
    expect(await ann.page.getByRole("definition").allTextContents()).toEqual(["Technician", "North", expect.stringContaining("2030")]);
    expect(ann.page.url()).toBe(`${gateway.url}/console/`);
    expect(await ann.page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    // Nothing is used before the click, so that no link signs a visitor in as somebody else.
    expect([ann.operations, sent.filter((one) => one.startsWith("POST"))]).toEqual([[], []]);
    expect(await seriousFindings(ann.page)).toEqual([]);
    await ann.page.getByRole("button", { name: "Accept" }).click();
    await ann.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await ann.isQuiet();
    expect(sent.filter((one) => one.includes(secret))).toEqual([]);
    const stored = await ann.page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    expect([stored.includes(secret), stored.includes("mg_")]).toEqual([false, false]);
    await ann.page.reload();
    await ann.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await line.getByText("ann@plant.example · 1 key: Technician").waitFor();
    await pending.waitFor({ state: "detached" });
    const { principals } = await owner.ask(
      "{ principals(filter: { kind: PERSON }) { nodes { name keys { nodes { name role sites expiresAt } } } } }",
    );
    expect(principals.nodes).toEqual([
      {
        name: "Ann Ames",
        keys: { nodes: [{ name: "Ann Ames", role: "TECHNICIAN", sites: ["North"], expiresAt: expect.stringMatching(/^2030-01-0/) }] },
      },
    ]);

    // The link does not sign in a second time, but on her device it opens the console.
    const other = await ConsolePage.open(browser, gateway);
    await other.page.goto(link);
    await other.page.getByRole("alert").getByText("This invitation was accepted already, and works only once.").waitFor();
    await other.page.getByLabel("Key", { exact: true }).waitFor();
    expect(other.problems.every((problem) => problem.includes("410"))).toBe(true);
    await other.close();
    await ann.page.goto("about:blank");
    await ann.page.goto(link);
    await ann.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();

    await line.getByRole("button", { name: "Keys of Ann Ames" }).click();
    await passes(office);
    await office.dialog.getByRole("button", { name: "Revoke Ann Ames" }).click();
    await office.dialog.getByRole("button", { name: "Revoke", exact: true }).click();
    await office.dialog.getByText("No valid key.").waitFor();
    await office.page.keyboard.press("Escape");
    await ann.page.reload();
    await ann.page.getByText("Your session has ended. Sign in again.").waitFor();

    await line.getByRole("button", { name: "Invite Ann Ames" }).click();
    await office.dialog.getByRole("heading", { name: "Invite Ann Ames" }).waitFor();
    await office.dialog.getByRole("button", { name: "Create the link" }).click();
    await office.page.getByRole("heading", { name: "Invitation of Ann Ames" }).waitFor();
    const next = (await office.page.locator(".secret").textContent())!;
    await office.page.getByRole("button", { name: "Done" }).click();
    // A link that is pasted into the open console is used too.
    await ann.page.goto(next);
    await ann.page.getByRole("heading", { name: "Welcome, Ann Ames" }).waitFor();
    await pending.getByRole("button", { name: "Revoke invitation of Ann Ames" }).click();
    await office.dialog.getByRole("button", { name: "Revoke", exact: true }).click();
    await pending.waitFor({ state: "detached" });
    await ann.page.getByRole("button", { name: "Accept" }).click();
    await ann.page.getByRole("alert").getByText("This invitation was revoked. Ask an administrator for a new one.").waitFor();
    await ann.page.getByLabel("Key", { exact: true }).waitFor();
    // Requests of a page without a key may still be refused.
    await ann.close();
    expect(ann.problems.splice(0).every((problem) => /401|410/.test(problem))).toBe(true);
  });

  it("tells a viewer of an empty plant who sets it up", async () => {
    const home = await open(await (await gateway.newTenant()).as("viewer"));
    await home.page.getByText("A manager or an administrator sets up the plant.").waitFor();
    expect(await seriousFindings(home.page)).toEqual([]);
  });

  it("causes no errors in the browser", () => {
    expect(opened.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
