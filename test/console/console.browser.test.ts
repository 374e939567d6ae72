/** The console in a browser, in typical use. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage } from "./console.js";
import { type Plant, raiseAlert, smallPlant } from "./plant.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

if (hasBrowser) build();
const gateway = await startGateway();

/** Pages by URL, with their heading. */
const pages: [path: string, heading: string | RegExp][] = [
  ["/", "Home"],
  ["/plant", "Plant"],
  ["/work", "Work"],
  ["/work?view=requests", "Work"],
  ["/report", "Report a fault"],
  ["/alerts", "Alerts"],
  ["/stock", "Stock"],
  ["/stock?view=all", "Stock"],
  ["/stock?view=approve", "Stock"],
  ["/units", "Workshop"],
  ["/recalls", "Recalls"],
  ["/purchases", "Purchases"],
  ["/purchases/new", "New purchase order"],
  ["/purchases?view=quarantine", "Purchases"],
  ["/purchases/approval", "Approval"],
  ["/purchases/invoices", "Invoices"],
  ["/purchases/invoices?view=all", "Invoices"],
  ["/suppliers", "Suppliers"],
  ["/calendar", /20\d\d/],
  ["/procedures", "Procedures"],
  ["/procedures/new", "New procedure"],
  ["/procedures/templates", "Templates"],
  ["/procedures/templates/new", "New template"],
  ["/reports", "Reports"],
  ["/admin", "Administration"],
  ["/admin?tab=webhooks", "Administration"],
  ["/admin?tab=import", "Administration"],
  ["/admin?tab=settings", "Administration"],
];
const tabs = ["", "?tab=components", "?tab=work", "?tab=parts", "?tab=reliability", "?tab=history"];

describe.runIf(hasBrowser)(`the console in ${CHROMIUM}`, () => {
  let demo: Caller;
  let browser: Browser;
  let open: ConsolePage;
  let loaded = 0;
  let firstLoad = 0;
  let pump: Plant["pump"];
  let order: Plant["order"];
  let part: Plant["part"];

  const { hugeAsset } = {
    /** One root, 10 groups, 999 components in each. */
    async hugeAsset(): Promise<string> {
      const { id: assetId } = await demo.createAsset({ name: "Huge line" });
      const hex = (value: string) => `to_hex(${value})`;
      const insert = (id: string, parent: string, position: string, level: number, path: string, name: string, from: string) =>
        gateway.database.query(
          `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type)
           select $1, ${id}, $2, ${parent}, ${position}, ${level}, ${path}, ${name}, 'part' from ${from}`,
          [demo.tenantId, assetId],
        );
      await insert("'huge'", "null", "0", 0, "'f0.'", "'Line'", "(select 1) one");
      await insert("'huge-' || g", "'huge'", "g", 1, `'f0.' || ${hex("g")} || '.'`, "'Group ' || g", "generate_series(0, 9) g");
      await insert(
        "'huge-' || g || '-' || n",
        "'huge-' || g",
        "n",
        2,
        `'f0.' || ${hex("g")} || '.' || ${hex("n")} || '.'`,
        "'Part ' || g || '-' || n",
        "generate_series(0, 9) g, generate_series(0, 998) n",
      );
      return assetId;
    },
  };

  beforeAll(async () => {
    demo = await gateway.newTenant();
    ({ pump, order, part } = await smallPlant(demo));
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway);
    open.page.on("response", async (response) => {
      if (!response.url().includes("/console/")) return;
      const { responseBodySize } = await response.request().sizes();
      loaded += responseBodySize;
    });
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("asks for a key, reports an invalid one, and exchanges a valid one for a session that scripts cannot read", async () => {
    await open.signIn("mg_wrong", "/?status=OFFLINE");
    await open.page.getByRole("alert").getByText("The key is unknown, expired or revoked").waitFor();
    expect(open.problems.splice(0).every((problem) => problem.includes("401"))).toBe(true);
    open.operations.length = 0;
    await open.signIn(demo.key, "/?status=OFFLINE");
    await open.page.getByRole("heading", { name: "Plant", level: 1 }).waitFor();
    await open.isQuiet();
    firstLoad = loaded;
    // After sign-in the requested page is shown. Earlier releases had the filters of the plant at the first address.
    // The session and the page are the only two requests.
    expect(open.address).toBe("/console/plant?status=OFFLINE");
    expect(open.operations).toEqual(["Session", "PlantPage"]);
    const stored = await open.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    expect(stored).not.toContain("mg_");
  });

  it("stays signed in after a reload and in a new tab, and signs all tabs out", async () => {
    const one = await ConsolePage.open(browser, gateway);
    await one.signIn(demo.key);
    await one.page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await one.page.reload();
    await one.page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    const two = await ConsolePage.beside(one);
    await two.page.goto(`${gateway.url}/console/stock`);
    await two.page.getByRole("heading", { name: "Stock", level: 1 }).waitFor();
    await two.page.getByRole("button", { name: "Sign out" }).click();
    await two.page.getByLabel("Key", { exact: true }).waitFor();
    // The service closes the stream of the other tab, which leaves the page.
    await one.page.getByText("The key is no longer valid. Sign in again.").waitFor();
    await one.page.reload();
    await one.page.getByLabel("Key", { exact: true }).waitFor();
    await one.page.close();
    await two.page.close();
  });

  it("forgets a key that is not to stay signed in", async () => {
    const shared = await ConsolePage.open(browser, gateway);
    await shared.signIn(demo.key, "/", false);
    await shared.page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await shared.page.reload();
    await shared.page.getByLabel("Key", { exact: true }).waitFor();
    await shared.page.close();
  });

  it("loads at most 250 KB before the first page is shown", () => {
    expect(firstLoad).toBeGreaterThan(50_000);
    expect(firstLoad).toBeLessThanOrEqual(250 * 1024);
  });

  it("keeps filters in the URL, back and forth", async () => {
    await open.go("/plant", "Plant");
    const rows = () => open.page.locator(".asset-row").count();
    await expect.poll(rows).toBe(50);
    await open.page.getByRole("button", { name: /^Offline/ }).click();
    await expect.poll(() => open.address).toBe("/console/plant?status=OFFLINE");
    const { assets } = await demo.ask("{ assets(filter: { status: OFFLINE }) { totalCount } }");
    await expect.poll(rows).toBe(assets.totalCount);
    await open.page.getByRole("button", { name: /Rotterdam/ }).click();
    await expect.poll(() => open.address).toBe("/console/plant?status=OFFLINE&site=Rotterdam+Bottling");
    await open.page.getByLabel("Filter assets").fill("no such thing");
    await open.page.getByText("No assets match these filters").waitFor();
    await expect.poll(() => open.address).toContain("q=no+such+thing");
    await open.go(`/plant?q=${encodeURIComponent(pump.name)}`);
    await expect.poll(() => open.page.getByLabel("Filter assets").inputValue()).toBe(pump.name);
    expect(await rows()).toBe(1);
    // Invalid search parameters are dropped.
    await open.go("/plant?status=RUSTY&sort=7");
    await expect.poll(rows).toBe(50);
  });

  it("finds records of all kinds with the keyboard", async () => {
    await open.page.keyboard.press("Control+k");
    await open.page.getByRole("combobox", { name: "Find" }).fill("P-101");
    await open.page.locator(".found").getByRole("option").first().waitFor();
    await open.page.keyboard.press("Enter");
    await open.page.getByRole("heading", { level: 1 }).waitFor();
    expect(open.address).toMatch(/^\/console\/(asset|work)\//);
  });

  it("opens the finder again at once after Escape", async () => {
    const { page } = open;
    await open.go("/plant", "Plant");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find" }).fill("Motor");
    // On a busy page, the next key arrives before the browser reports that the dialog is closed.
    await page.evaluate(async () => {
      document.querySelector("dialog")!.requestClose();
      await Promise.resolve();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }));
    });
    await expect.poll(() => page.getByRole("combobox", { name: "Find" }).inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Find" }).waitFor({ state: "detached" });
  });

  it("loads an asset with one request, and accepts a photo", async () => {
    await open.go("/alerts", "Alerts");
    expect(await open.go(`/asset/${pump.id}`, pump.name)).toEqual(["AssetPage"]);
    for (const name of ["Components", "Work", "Parts", "Reliability", "History", "Overview"]) {
      await open.page.locator(".tabs").getByRole("link", { name }).click();
      await expect.poll(() => open.page.locator(".tabs [aria-current=page]").textContent()).toContain(name);
    }
    expect(open.operations).toEqual(["AssetPage"]);
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    await open.page.getByLabel("Add photo").setInputFiles({ name: "plate.png", mimeType: "image/png", buffer: png });
    await open.page.getByRole("img", { name: "plate.png" }).waitFor();
    const { asset } = await demo.ask("query ($id: ID!) { asset(id: $id) { photos { filename } } }", { id: pump.id });
    expect(asset.photos).toEqual([{ filename: "plate.png" }]);
  });

  it("opens a tree of 10,000 components level by level, and renders only visible lines", async () => {
    const id = await hugeAsset();
    expect(await open.go(`/asset/${id}?tab=components`, "Huge line")).toEqual(["AssetPage"]);
    const line = (name: string) =>
      open.page.getByRole("treeitem").filter({ has: open.page.locator(".title", { hasText: new RegExp(`^${name}$`) }) });
    await line("Line").click();
    await line("Group 0").waitFor();
    await line("Group 0").click();
    await line("Part 0-0").waitFor();
    // With the End key. Unloaded lines keep their place, so Group 9 stays put while the second half of the level loads.
    await open.page.getByRole("tree").focus();
    await open.page.keyboard.press("End");
    await line("Group 9").waitFor();
    await line("Part 0-998").waitFor();
    await expect.poll(() => open.page.evaluate(() => document.querySelectorAll(".tree-line").length)).toBeLessThan(60);
    // From last to first, so that the groups before stay in place.
    for (let group = 9; group > 0; group--) await line(`Group ${group}`).click();
    await expect.poll(() => open.page.locator(".tree > div").evaluate((tree) => tree.clientHeight / 40)).toBe(10_001);
    const shown = await open.page.evaluate(async () => {
      const tree = document.querySelector(".tree")!;
      const counts: number[] = [];
      for (let step = 0; step < 40; step++) {
        tree.scrollTop = ((tree.scrollHeight - tree.clientHeight) / 40) * step;
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        counts.push(document.querySelectorAll(".tree-line").length);
      }
      return counts;
    });
    // Only visible lines are in the DOM, however fast the tree scrolls.
    expect(Math.min(...shown)).toBeGreaterThan(0);
    expect(Math.max(...shown)).toBeLessThan(60);
    expect(await open.page.locator(".tree-line").count()).toBeLessThan(60);
    // The tree catches up with the import.
    await open.isQuiet();
  });

  it("ticks the steps of an order immediately, reverts rejected ones, and completes the work", async () => {
    expect(await open.go(`/work/${order.id}`, order.title)).toEqual(["OrderPage"]);
    const tick = open.page.getByRole("checkbox").first();
    // The response is delayed: the tick is shown before it arrives.
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await open.page.route("**/graphql", async (route) => {
      if (route.request().postData()?.includes("UpdateStep")) await held;
      await route.continue();
    });
    await tick.click();
    await expect.poll(() => tick.isChecked()).toBe(true);
    answer();
    const stored = async () =>
      (await demo.ask("query ($id: ID!) { workOrder(id: $id) { status notes steps { status } } }", { id: order.id })).workOrder;
    await expect.poll(async () => (await stored()).steps[0].status).toBe("COMPLETED");
    await open.isQuiet();
    await open.page.unroute("**/graphql");

    await open.page.route("**/graphql", (route) =>
      route.fulfill({ json: { data: { updateWorkOrderStep: null }, errors: [{ message: "Not now", path: ["updateWorkOrderStep"] }] } }),
    );
    const second = open.page.getByRole("checkbox").nth(1);
    await second.click();
    await open.page.getByText("Not now").waitFor();
    await expect.poll(() => second.isChecked()).toBe(false);
    await open.page.unroute("**/graphql");

    await open.page.getByRole("textbox", { name: "Comment" }).fill("Coupling was loose");
    await open.page.getByRole("button", { name: "Send the comment" }).click();
    await open.page.locator("p").getByText("Coupling was loose").waitFor();
    await open.page.getByRole("button", { name: "Complete" }).click();
    await open.page.getByLabel("Notes").fill("Tightened");
    await open.page.getByRole("dialog").getByRole("button", { name: "Complete" }).click();
    await open.page.locator("main .status.filled").getByText("Completed").waitFor();
    await expect.poll(() => stored()).toMatchObject({ status: "COMPLETED", notes: "Tightened" });
  });

  it("reports a fault, which becomes a work order", async () => {
    await open.go(`/report?asset=${pump.id}`, "Report a fault");
    await open.page.getByLabel("What is wrong?").fill("It drips at the seal");
    await open.page.getByLabel("Production has stopped").check();
    await open.page.getByRole("button", { name: "Report the fault" }).click();
    await open.page.getByText("the fault is reported").waitFor();
    await open.page.getByRole("link", { name: "Show reports" }).click();
    const line = open.page.getByRole("listitem").filter({ hasText: "It drips at the seal" });
    await line.getByText("Production stopped").waitFor();
    await line.getByRole("button", { name: "Create work order" }).click();
    await open.page.getByRole("dialog").getByRole("button", { name: "Create work order" }).click();
    await expect.poll(() => open.address).toMatch(/^\/console\/work\/[\w-]+$/);
    const { workRequests } = await demo.ask(
      `{ workRequests(filter: { descriptionContains: "drips at the seal" }) { nodes { status workOrderId } } }`,
    );
    expect(workRequests.nodes).toEqual([{ status: "ACCEPTED", workOrderId: open.address.split("/").at(-1) }]);
  });

  it("shows an alert when it is raised, and handles it", async () => {
    await open.go("/alerts", "Alerts");
    const before = Number(/\d+/.exec((await open.page.locator(".rail .count").textContent())!)![0]);
    open.operations.length = 0;
    const message = `Knocking noise ${Date.now()}`;
    await raiseAlert(demo, pump.id, message);
    const line = open.page.getByRole("listitem").filter({ hasText: message });
    await line.waitFor();
    expect(open.operations).toEqual([]);
    await expect.poll(async () => /\d+/.exec((await open.page.locator(".rail .count").textContent())!)![0]).toBe(String(before + 1));
    await line.getByRole("button", { name: "Acknowledge" }).click();
    await line.locator(".alert-side .status").getByText("Acknowledged").waitFor();
    await expect.poll(async () => /\d+/.exec((await open.page.locator(".rail .count").textContent())!)![0]).toBe(String(before));
  });

  it("offers a role only its permitted actions", async () => {
    const viewer = await ConsolePage.open(browser, gateway);
    await viewer.signIn((await demo.as("viewer")).key, `/asset/${pump.id}`);
    await viewer.page.getByRole("heading", { level: 1, name: pump.name }).waitFor();
    expect(await viewer.page.getByRole("button", { name: "Add photo" }).count()).toBe(0);
    expect(await viewer.page.getByRole("link", { name: "Report a fault" }).count()).toBe(0);
    await viewer.close();

    const porter = await ConsolePage.open(browser, gateway);
    await porter.signIn((await demo.as("requester")).key);
    await porter.page.getByText("No reported faults").waitFor();
    expect(await porter.page.locator(".rail a").allTextContents()).toEqual(["Work"]);
    await porter.go(`/report?asset=${pump.id}`, "Report a fault");
    await porter.page.getByLabel("What is wrong?").fill("A puddle");
    await porter.page.getByRole("button", { name: "Report the fault" }).click();
    await porter.page.getByText("the fault is reported").waitFor();
    await porter.close();
  });

  it("queues changes without a connection, and sends them once when it is back, even after a reload", async () => {
    const order = (title: string) =>
      demo
        .ask("mutation ($id: ID!, $title: Name!) { createWorkOrder(input: { assetId: $id, title: $title }) { id } }", {
          id: pump.id,
          title,
        })
        .then(({ createWorkOrder }) => createWorkOrder.id as string);
    const stored = async (id: string) =>
      (await demo.ask("query ($id: ID!) { workOrder(id: $id) { status comments { text } } }", { id })).workOrder;
    const id = await order("Without a connection");
    const own = await ConsolePage.open(browser, gateway);
    // The other pages are preloaded some time after the first.
    const loaded = own.page.waitForResponse(/assets\/work-[\w-]+\.js$/);
    await own.signIn(demo.key, `/work/${id}`);
    await own.page.getByRole("heading", { name: "Without a connection" }).waitFor();
    await (await loaded).finished();
    await own.page.context().setOffline(true);
    await own.page.getByRole("button", { name: "Start work" }).click();
    await own.page.getByText("1 change is waiting to be sent").waitFor();
    // Shown with its expected status.
    await own.page.locator("main .status.filled").getByText("In progress").waitFor();
    await own.page.getByRole("textbox", { name: "Comment" }).fill("In the cellar");
    await own.page.getByRole("button", { name: "Send the comment" }).click();
    await own.page.getByText("2 changes are waiting to be sent").waitFor();
    // Data that was never loaded is not shown.
    await own.go("/work?who=Nobody");
    await own.page.getByText("The service cannot be reached").waitFor();
    await expect.poll(() => stored(id)).toEqual({ status: "SCHEDULED", comments: [] });

    await own.page.context().setOffline(false);
    await own.signIn(demo.key, `/work/${id}`);
    await expect.poll(() => stored(id)).toEqual({ status: "IN_PROGRESS", comments: [{ text: "In the cellar" }] });
    await expect.poll(() => own.page.locator(".banner").count()).toBe(0);
    const waiting = () => own.page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("console:waiting")));
    await expect.poll(waiting).toEqual([]);
    await own.close();
  });

  it("receives stock, and moves work to another day by drag and drop and by keyboard", async () => {
    await open.go("/stock?view=all", "Stock");
    await open.page.getByRole("link", { name: part.name }).click();
    const onHand = open.page.locator(".big").first();
    const before = Number.parseInt((await onHand.textContent())!, 10);
    await open.page.getByRole("button", { name: "Receive" }).click();
    await open.page.getByLabel("Quantity received").fill("6");
    await open.page.getByRole("button", { name: "Save" }).click();
    await open.page.getByText("6 received").waitFor();
    await expect.poll(() => onHand.textContent()).toContain(`${before + 6}`);
    // The event of the receipt makes the page read again.
    await open.isQuiet();

    const dayAt = (days: number) => {
      const date = new Date();
      return new Date(date.getFullYear(), date.getMonth(), 14 + days, 12);
    };
    const keyAt = (days: number) => {
      const date = dayAt(days);
      return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
    };
    const { createWorkOrder } = await demo.ask(
      'mutation ($id: ID!, $at: DateTime!) { createWorkOrder(input: { assetId: $id, title: "Movable", scheduledDate: $at }) { id } }',
      { id: pump.id, at: dayAt(0).toISOString() },
    );
    const planned = async () =>
      (await demo.ask("query ($id: ID!) { workOrder(id: $id) { scheduledDate } }", { id: createWorkOrder.id })).workOrder.scheduledDate;
    expect(await open.go("/calendar")).toEqual(["CalendarPage"]);
    // Overdue work is also listed above the month.
    const entry = open.page.locator(".month").getByRole("button", { name: "Movable" });
    await entry.dragTo(open.page.locator(`[data-day="${keyAt(2)}"]`));
    await expect.poll(planned).toBe(dayAt(2).toISOString());
    await open.page
      .locator(`[data-day="${keyAt(2)}"]`)
      .getByText("Movable")
      .waitFor();
    await entry.press("Enter");
    await open.page.getByLabel("Planned for").fill(keyAt(3));
    await open.page.getByRole("button", { name: "Move" }).press("Enter");
    await expect.poll(planned).toBe(dayAt(3).toISOString());
  });

  it("approves what another person adjusted, and saves a report as CSV", async () => {
    const other = await demo.as("manager");
    const { adjustStock } = await other.ask(
      'mutation ($id: ID!) { adjustStock(partId: $id, input: { site: "Rotterdam Bottling", quantity: -1, adjustmentType: DAMAGE }) { id } }',
      { id: part.id },
    );
    await open.go("/stock?view=approve", "Stock");
    const line = open.page.getByRole("listitem").filter({ hasText: part.name });
    await line.getByRole("button", { name: "Approve" }).click();
    const approved = async () =>
      (await demo.ask("query ($id: ID!) { node(id: $id) { ... on StockAdjustment { approved } } }", { id: adjustStock.id })).node;
    await expect.poll(approved).toEqual({ approved: true });
    // The page reloads after the change, and no longer lists it.
    await line.waitFor({ state: "detached" });

    await open.go("/reports", "Reports");
    const saved = open.page.waitForEvent("download");
    await open.page.getByRole("button", { name: "Stock by site as CSV" }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe("stock-by-site.csv");
    expect(readFileSync((await file.path())!, "utf8")).toMatch(/^\uFEFFSite,Stock levels,Quantity,Value,Currency\r\nRotterdam Bottling,1,/);
  });

  it("creates a key that is shown once, and runs an import dry before it stores it", async () => {
    await open.go("/admin", "Administration");
    await open.page.getByRole("button", { name: "New key" }).click();
    await open.page.getByLabel("Name").fill("Tablet 7");
    await open.page.getByRole("button", { name: "Create key" }).click();
    const secret = await open.page.locator(".secret").textContent();
    expect(secret).toMatch(/^mg_/);
    await open.page.getByRole("button", { name: "Done" }).click();
    await open.page.getByText("Tablet 7").waitFor();

    await open.go("/admin?tab=import", "Administration");
    const buffer = Buffer.from("name,type\nImported pump,pump\n,pump\n");
    await open.page.getByLabel("CSV file").setInputFiles({ name: "assets.csv", mimeType: "text/csv", buffer });
    const count = async () => (await demo.ask('{ assets(filter: { nameContains: "Imported" }) { totalCount } }')).assets.totalCount;
    await open.page.getByRole("button", { name: "Check without storing" }).click();
    await open.page.getByText("Would be imported: 1 new, 0 changed, 0 unchanged, 1 with errors").waitFor();
    expect(await open.page.locator("tbody tr").filter({ hasText: "Wrong" }).innerText()).toContain("is required");
    expect(await count()).toBe(0);
    await open.page.getByRole("button", { name: "Import 1 row" }).click();
    await open.page.getByText(/^Imported: 1 new, 0 changed, 0 unchanged, 1 with errors/).waitFor();
    expect(await count()).toBe(1);
  });

  it.each(["light", "dark"] as const)("has no serious axe finding and no superfluous request on any page in %s", async (colorScheme) => {
    await open.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open.page.evaluate(axe);
    const all = [
      ...pages,
      ...tabs.map((tab) => [`/asset/${pump.id}${tab}`, pump.name] as const),
      [`/work/${order.id}`, order.title] as const,
    ];
    for (const [path, heading] of all) {
      expect((await open.go(path, heading)).length, path).toBeLessThanOrEqual(2);
      expect(await open.page.locator(".tabs [aria-current=page]").count(), path).toBeLessThanOrEqual(1);
      // Dark mode differs only in colors.
      const found = await open.page.evaluate(
        async (rules) => (await (window as any).axe.run(rules)).violations,
        colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {},
      );
      const serious = found.filter(({ impact }: any) => ["serious", "critical"].includes(impact));
      expect(serious.map(({ id, nodes }: any) => `${path} ${id}: ${nodes[0].html} ${nodes[0].failureSummary}`)).toEqual([]);
    }
  });

  it("fits a phone: nothing is wider than the page", async () => {
    await open.page.setViewportSize({ width: 390, height: 844 });
    for (const [path, heading] of [...pages, ...tabs.map((tab) => [`/asset/${pump.id}${tab}`, pump.name] as const)]) {
      await open.go(path, heading);
      expect(await open.page.evaluate(() => document.documentElement.scrollWidth), path).toBe(390);
    }
  });

  it("contacts no other host, and causes no errors in the browser", () => {
    expect([...open.hosts]).toEqual([new URL(gateway.url).host]);
    expect(open.problems).toEqual([]);
  });
});
