/** The console under failures of the connection, the service and the key, and after a change of users. */
import type { Browser, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage } from "./console.js";
import { raiseAlert } from "./plant.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`the console in ${CHROMIUM}, under failures`, () => {
  let admin: Caller;
  let browser: Browser;
  let asset: { id: string };

  beforeAll(async () => {
    admin = await gateway.newTenant();
    asset = await admin.createAsset({ name: "Feed pump" });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const order = async (title: string): Promise<string> =>
    (
      await admin.ask("mutation ($id: ID!, $title: Name!) { createWorkOrder(input: { assetId: $id, title: $title }) { id } }", {
        id: asset.id,
        title,
      })
    ).createWorkOrder.id;
  const statusOf = async (id: string) => (await admin.ask("query ($id: ID!) { workOrder(id: $id) { status } }", { id })).workOrder.status;
  const stored = (open: ConsolePage) =>
    open.page.evaluate(() =>
      Object.entries({ ...localStorage })
        .filter(([name]) => name.startsWith("console:waiting"))
        .map(([, text]) => JSON.parse(text))
        .sort((one, other) => one.at - other.at),
    );
  /** Opens an order and presses its button while offline. */
  const startOffline = async (open: ConsolePage, key: string, id: string, title: string) => {
    await open.signIn(key, `/work/${id}`);
    await open.page.getByRole("heading", { name: title }).waitFor();
    await open.isQuiet();
    await open.page.context().setOffline(true);
    await open.page.getByRole("button", { name: "Start work" }).click();
    await open.page.getByText("1 change is waiting to be sent").waitFor();
  };

  it("reports a rejected queued change until the user dismisses it", async () => {
    const id = await order("Grease it");
    const open = await ConsolePage.open(browser, gateway);
    await startOffline(open, admin.key, id, "Grease it");
    await admin.ask('mutation ($id: ID!) { cancelWorkOrder(id: $id, reason: "Not needed") { id } }', { id });
    await open.page.context().setOffline(false);
    // The user closed the page before the connection was back.
    await open.signIn(admin.key, "/stock");
    const told = open.page.getByRole("alert");
    await told.getByText(/Starting the work: .+/).waitFor();
    expect(await open.page.locator(".banner:not(.bad)").count()).toBe(0);
    // The refused change survives another reload.
    await open.signIn(admin.key, "/stock");
    expect(await told.getByRole("link").getAttribute("href")).toBe(`/console/work/${id}`);
    await told.getByRole("button", { name: "Dismiss" }).click();
    await expect.poll(() => open.page.locator(".banner").count()).toBe(0);
    await expect.poll(() => stored(open)).toEqual([]);
    expect(await statusOf(id)).toBe("CANCELLED");
    await open.close();
  });

  it("shows an alert that was raised while the live connection was lost, before any other had come", async () => {
    const own = await gateway.newTenant();
    const pump = await own.createAsset({ name: "Feed pump" });
    const open = await ConsolePage.open(browser, gateway);
    const connections: WebSocketRoute[] = [];
    let isLost = false;
    await open.page.routeWebSocket(/\/graphql$/, (route) => {
      if (isLost) return void route.close({ code: 1012 });
      route.connectToServer();
      connections.push(route);
    });
    await open.signIn(own.key, "/alerts");
    await open.page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    await expect.poll(() => connections.length).toBe(1);
    await open.isQuiet();
    isLost = true;
    await connections[0]!.close({ code: 1012 });
    await raiseAlert(own, pump.id, "Bearing runs hot");
    isLost = false;
    await open.page.getByRole("listitem").filter({ hasText: "Bearing runs hot" }).waitFor();
    await expect.poll(() => open.page.locator(".rail .count").textContent()).toMatch(/^1\b/);
    await open.close();
  });

  it("reads the list of alerts again after 500 live alerts, instead of growing for as long as the page is open", async () => {
    const own = await gateway.newTenant();
    const pump = await own.createAsset({ name: "Feed pump" });
    const open = await ConsolePage.open(browser, gateway);
    await open.signIn(own.key, "/alerts");
    await open.page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    await raiseAlert(own, pump.id, "First");
    const alerts = open.page.locator("main").getByRole("listitem");
    await alerts.filter({ hasText: "First" }).waitFor();
    for (let batch = 0; batch < 51; batch++)
      await Promise.all(Array.from({ length: 10 }, (_, n) => raiseAlert(own, pump.id, `Hot ${batch}-${n}`)));
    await raiseAlert(own, pump.id, "Last");
    await alerts.filter({ hasText: "Last" }).waitFor();
    await open.isQuiet();
    expect(await alerts.count()).toBeLessThan(200);
    await expect.poll(() => open.page.locator(".rail .count").textContent()).toMatch(/^512\b/);
    await open.close();
  });

  it("keeps queued changes when the key ends, and sends them when the same person signs in", async () => {
    const id = await order("Tighten it");
    const person = await admin.as("technician");
    const open = await ConsolePage.open(browser, gateway);
    await startOffline(open, person.key, id, "Tighten it");
    const prefix = person.key.split("_")[1];
    await gateway.database.query(`update "ApiKey" set "expiresAt" = now() - interval '1 hour' where prefix = $1`, [prefix]);
    // The gateway caches keys for a moment.
    await expect
      .poll(async () => (await gateway.rest("GET", "/assets", undefined, { authorization: `Bearer ${person.key}` })).status)
      .toBe(401);
    await open.page.context().setOffline(false);
    await open.page.getByRole("alert").getByText("1 unsent change is sent when the same person signs in").waitFor();
    expect((await stored(open)).map(({ variables }: any) => variables)).toEqual([{ id }]);
    expect(await statusOf(id)).toBe("SCHEDULED");
    // Another user's session does not send it.
    open.operations.length = 0;
    await open.page.getByLabel("Key", { exact: true }).fill(admin.key);
    await open.page.getByRole("button", { name: "Sign in" }).click();
    await open.page.getByRole("heading", { name: "Tighten it" }).waitFor();
    await open.isQuiet();
    expect(await statusOf(id)).toBe("SCHEDULED");
    expect(open.operations).not.toContain("StartOrder");
    await gateway.database.query(`update "ApiKey" set "expiresAt" = null where prefix = $1`, [prefix]);
    await expect
      .poll(async () => (await gateway.rest("GET", "/assets", undefined, { authorization: `Bearer ${person.key}` })).status)
      .toBe(200);
    await open.signIn(person.key, `/work/${id}`);
    await expect.poll(() => statusOf(id)).toBe("IN_PROGRESS");
    await expect.poll(() => stored(open)).toEqual([]);
    await open.close();
  });

  it("keeps queued changes in two tabs, and preserves their order", async () => {
    const [first, second] = [await order("First"), await order("Second")];
    const one = await ConsolePage.open(browser, gateway);
    const two = await ConsolePage.beside(one);
    await one.signIn(admin.key, `/work/${first}`);
    await one.page.getByRole("heading", { name: "First" }).waitFor();
    await startOffline(two, admin.key, second, "Second");
    await one.page.getByRole("button", { name: "Start work" }).click();
    await one.page.getByText("1 change is waiting to be sent").waitFor();
    expect((await stored(one)).map(({ variables }: any) => variables.id)).toEqual([second, first]);
    await one.page.context().setOffline(false);
    await expect.poll(() => statusOf(first)).toBe("IN_PROGRESS");
    await expect.poll(() => statusOf(second)).toBe("IN_PROGRESS");
    await expect.poll(() => stored(one)).toEqual([]);
    await one.close();
  });

  it("tells only managers that due work has no order", async () => {
    const plant = await gateway.newTenant();
    const { id: assetId } = await plant.createAsset();
    const anchor = new Date(Date.now() - 2 * 3_600_000).toISOString();
    await plant.rest("POST", "/pms", { name: "Check", assetId, frequency: "weekly", anchor });
    const open = await ConsolePage.open(browser, gateway);
    await open.page.clock.install();
    await open.signIn((await plant.as("manager")).key, "/");
    await open.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await open.isQuiet();
    // The scheduler may be about to run for the first time since the service started.
    expect(await open.page.getByText("has no work order yet").count()).toBe(0);
    await open.page.clock.fastForward(90_000);
    await open.page.getByText("Work that was due 2 hours ago has no work order yet.").waitFor();
    await open.close();
    const other = await ConsolePage.open(browser, gateway);
    await other.page.clock.install();
    await other.signIn((await plant.as("technician")).key, "/");
    await other.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await other.page.clock.fastForward(90_000);
    await other.isQuiet();
    expect(await other.page.getByText("has no work order yet").count()).toBe(0);
    await other.close();
  });

  it("leaves no data for the next person who signs in", async () => {
    const id = await order("Private matter");
    const open = await ConsolePage.open(browser, gateway);
    await startOffline(open, admin.key, id, "Private matter");
    await open.page.getByRole("button", { name: "Sign out" }).click();
    await open.page.getByText("1 change has not been sent yet").waitFor();
    await open.page.getByRole("button", { name: "Discard and sign out" }).click();
    await open.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect([open.address, await open.page.title()]).toEqual(["/console/", "Sign in · Plant console"]);
    expect(await open.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toMatch(
      /mg_|Private|StartOrder/,
    );
    await open.page.context().setOffline(false);
    // The service ends the session at the next visit.
    await open.page.reload();
    await open.page.getByLabel("Key", { exact: true }).waitFor();
    await expect.poll(() => open.page.evaluate(() => localStorage.getItem("console:signed-out"))).toBeNull();
    expect((await open.page.context().cookies()).map(({ name }) => name)).toEqual([]);
    open.operations.length = 0;
    const other = await admin.as("viewer");
    await open.page.getByLabel("Key", { exact: true }).fill(other.key);
    await open.page.getByRole("button", { name: "Sign in" }).click();
    await open.page.getByRole("heading", { name: "Home" }).waitFor();
    await open.isQuiet();
    expect(open.operations).toEqual(["Session", "HomePage"]);
    expect(await statusOf(id)).toBe("SCHEDULED");
    await open.close();
  });

  let signedIn: Promise<ConsolePage> | undefined;
  /** A shared page for all tests that don't need their own. */
  const page = () =>
    (signedIn ??= (async () => {
      const open = await ConsolePage.open(browser, gateway, { timezoneId: "America/New_York", serviceWorkers: "block" });
      // The script of the first page arrives late.
      let refusals = 0;
      await open.page.route(/assets\/reports-[\w-]+\.js/, (route) => (refusals++ ? route.continue() : route.abort()));
      await open.signIn(admin.key, "/reports");
      await open.page.getByRole("heading", { name: "Reports", level: 1 }).waitFor();
      expect(refusals).toBeGreaterThan(1);
      return open;
    })());

  it("reports that the service does not respond, and reloads automatically when it does, pages too", async () => {
    const open = await page();
    await open.page.route("**/graphql", (route) => route.abort());
    await open.go("/alerts?view=all", "Alerts");
    await open.page.getByText("The service cannot be reached").waitFor();
    await open.page.locator(".banner").getByText("The service does not respond").waitFor();
    await open.page.unroute("**/graphql");
    await open.page.getByText("No alert", { exact: false }).first().waitFor();
    await expect.poll(() => open.page.locator(".banner").count()).toBe(0);
  });

  it("shows why an asset could not be loaded, instead of reporting that it does not exist", async () => {
    const open = await page();
    await open.page.route("**/graphql", (route) =>
      route.fulfill({ json: { data: { asset: null }, errors: [{ message: "The database is busy", path: ["asset"] }] } }),
    );
    await open.go(`/asset/${asset.id}`);
    await open.page.getByText("The database is busy").waitFor();
    expect(await open.page.getByText("Asset not found").count()).toBe(0);
    await open.page.unroute("**/graphql");
    await open.go(`/asset/made-up`);
    await open.page.getByText("Asset not found").waitFor();
  });

  it("shows each asset's own components, also from the cache, and keeps keyboard navigation when levels are closed", async () => {
    const other = await admin.createAsset({ name: "Other pump" });
    const root = await admin.createComponent({ assetId: asset.id, name: "Motor" });
    for (const name of ["Rotor", "Stator"]) await admin.createComponent({ assetId: asset.id, parentId: root.id, name });
    await admin.createComponent({ assetId: other.id, name: "Gearbox" });
    const open = await page();
    await open.go(`/asset/${asset.id}?tab=components`, "Feed pump");
    const names = () => open.page.locator(".tree-line .title").allTextContents();
    await expect.poll(names).toEqual(["Motor"]);
    await open.go(`/asset/${other.id}?tab=components`, "Other pump");
    await open.go(`/asset/${asset.id}?tab=components`, "Feed pump");
    await open.go(`/asset/${other.id}?tab=components`, "Other pump");
    await expect.poll(names).toEqual(["Gearbox"]);
    await open.go(`/asset/${asset.id}?tab=components`, "Feed pump");
    await open.page.getByRole("tree").focus();
    await open.page.keyboard.press("ArrowRight");
    await expect.poll(names).toEqual(["Motor", "Rotor", "Stator"]);
    await open.page.keyboard.press("End");
    await open.page.getByRole("button", { name: "Close all" }).click();
    await expect.poll(names).toEqual(["Motor"]);
    await open.page.getByRole("tree").focus();
    await open.page.keyboard.press("ArrowRight");
    await expect.poll(names).toEqual(["Motor", "Rotor", "Stator"]);
  });

  it("shows no status for the time before the loaded changes", async () => {
    const busy = await admin.createAsset({ name: "Busy pump", installationDate: "2020-01-01" });
    await gateway.database.query(
      `insert into "AssetStatusChange" ("tenantId", "assetId", "fromStatus", "toStatus", "changedAt")
       select $1, $2, case when n % 2 = 0 then 'offline' else 'operational' end,
         case when n % 2 = 0 then 'operational' else 'offline' end, now() - n * interval '1 day'
       from generate_series(70, 1, -1) n`,
      [admin.tenantId, busy.id],
    );
    const open = await page();
    await open.go(`/asset/${busy.id}`, "Busy pump");
    const label = await open.page.locator(".strip > svg").getAttribute("aria-label");
    const shares = [...label!.matchAll(/([\d.]+)%/g)].map(([, share]) => Number(share));
    const sum = shares.reduce((a, b) => a + b, 0);
    expect(sum).toBeGreaterThan(15);
    expect(sum).toBeLessThan(18);
  });

  it("shows markup in the texts of any record as text, on every page", async () => {
    const markup = `<img src="x" onerror="ran = 1"><script>ran = 1</script>`;
    const { id } = await admin.createAsset({
      name: markup,
      site: markup,
      area: markup,
      description: markup,
      customFields: { [markup]: markup },
    });
    await admin.createComponent({ assetId: id, name: markup, type: markup });
    const text = JSON.stringify(markup);
    const { createWorkOrder, createPart } = await admin.ask(
      `mutation ($id: ID!) {
        createWorkOrder(input: { assetId: $id, title: ${text}, description: ${text}, assignedTechnician: ${text} }) { id }
        createPart(input: { name: ${text}, partNumber: ${text}, category: ${text}, reorderPoint: 5 }) { id }
        raiseNotification(input: { type: SYSTEM, severity: WARNING, title: ${text}, message: ${text}, assetId: $id }) { id }
        reportFault(input: { assetId: $id, description: ${text} }) { id }
        createStrategy(input: { name: ${text}, type: PREVENTIVE }) { id }
      }`,
      { id },
    );
    await admin.ask(
      `mutation ($order: ID!, $part: ID!) {
        addWorkOrderComment(id: $order, text: ${text}) { id }
        receiveStock(partId: $part, input: { quantity: 2, site: ${text}, notes: ${text} }) { id }
      }`,
      { order: createWorkOrder.id, part: createPart.id },
    );
    const open = await page();
    const known = open.problems.length;
    const paths = [
      "/",
      "/plant",
      "/work",
      "/work?view=requests",
      "/alerts",
      "/stock",
      "/stock?view=all",
      "/calendar",
      "/reports",
      "/admin",
    ];
    const own = [`/asset/${id}`, `/asset/${id}?tab=components`, `/asset/${id}?tab=work`, `/asset/${id}?tab=history`];
    for (const path of [...paths, ...own, `/work/${createWorkOrder.id}`, `/stock/${createPart.id}`]) {
      await open.go(path);
      const found = await open.page.evaluate(() => ({ images: document.querySelectorAll("img[src=x]").length, ran: "ran" in window }));
      expect({ path, ...found }).toEqual({ path, images: 0, ran: false });
      if (!/^.$|reports|admin|history/.test(path)) await open.page.getByText(markup).first().waitFor({ state: "attached" });
    }
    expect(open.problems.slice(known)).toEqual([]);
  });

  it("keeps names of any length and direction within a phone's width, and shows them as text", async () => {
    const long = `Gear${"x".repeat(190)}`;
    const names = ["<script>document.title = 1</script><img src=x>", "\u202Eمضخة", long];
    const ids: string[] = [];
    for (const name of names)
      ids.push((await admin.createAsset({ name, site: long.slice(0, 90), area: long.slice(0, 90), manufacturer: long, model: long })).id);
    await admin.ask("mutation ($id: ID!, $input: UpdateAssetInput!) { updateAsset(id: $id, input: $input) { id } }", {
      id: ids[2],
      input: { name: `${long}y` },
    });
    const open = await page();
    await open.page.setViewportSize({ width: 375, height: 812 });
    const width = () => open.page.evaluate(() => document.documentElement.scrollWidth);
    await open.go("/plant", "Plant");
    expect(await open.page.locator(".asset-row .title").allTextContents()).toEqual(
      expect.arrayContaining([names[0], names[1], `${long}y`]),
    );
    expect(await width()).toBe(375);
    for (const tab of ["", "?tab=history"]) {
      await open.go(`/asset/${ids[2]}${tab}`, `${long}y`);
      expect(await width(), tab).toBe(375);
    }
    expect(await open.page.title()).toBe(`${long}y · Plant console`);

    // Navigating back to a list restores the scroll position.
    await open.page.setViewportSize({ width: 375, height: 400 });
    await open.page.locator(".rail").getByRole("link", { name: "Plant" }).click();
    await open.page.locator(".asset-row").first().waitFor();
    await open.page.evaluate(() => scrollTo(0, 150));
    // The router stores the scroll position with a delay.
    await open.page.waitForTimeout(300);
    await open.page.locator(".asset-row a").first().dispatchEvent("click");
    await open.page.locator(".tabs").waitFor();
    await open.page.goBack();
    await open.page.locator(".asset-row").first().waitFor();
    await expect.poll(() => open.page.evaluate(() => scrollY)).toBe(150);
    await open.page.setViewportSize({ width: 1366, height: 860 });
  });

  it("names the owner of a revoked key, and lets a key work to the end of its last day", async () => {
    const open = await page();
    await open.go("/admin", "Administration");
    const own = open.page.getByRole("listitem").filter({ hasText: "in use here" });
    await own.getByRole("button", { name: "Revoke" }).click();
    await open.page.getByText("will be signed out").waitFor();
    await open.page.getByRole("button", { name: "Cancel" }).click();
    await open.page.getByRole("button", { name: "New key" }).click();
    await open.page.getByLabel("Name").fill("Until new year");
    await open.page.getByLabel("Expires on").fill("2098-12-31");
    await open.page.getByRole("button", { name: "Create key" }).click();
    await open.page.locator(".secret").waitFor();
    const rows = await gateway.database.query<any>(`select "expiresAt" from "ApiKey" where "tenantId" = $1 and name = 'Until new year'`, [
      admin.tenantId,
    ]);
    expect(rows.map(({ expiresAt }) => new Date(expiresAt).toISOString())).toEqual(["2098-12-31T23:59:59.000Z"]);
    await open.page.getByRole("button", { name: "Done" }).click();
    await open.page.getByText("expires 31 Dec 2098").waitFor();
  });
});
