/** Stories of the plant: the store, the reports, an invitation, and a new plant up to its first due work. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage } from "./console.js";
import { type Device, Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();
const devices: Device[] = ["desktop", "phone"];
const screens = { desktop: {}, phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, keyboard: {} };
/** Pages that a phone lists under "More". */
const minor = ["Reports", "Administration"];
const daysAgo = (days: number, hours = 0) => new Date(Date.now() - days * 86_400_000 + hours * 3_600_000).toISOString();
/** Such as `2026-11-27`. */
const dayInCopenhagen = (at: Date) => new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Copenhagen" }).format(at);

describe.runIf(hasBrowser)(`stories of the plant in ${CHROMIUM}`, () => {
  let browser: Browser;

  const person = async (admin: Caller, name: string, role: string): Promise<Caller> => {
    const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return new Caller(gateway, admin.tenantId, createApiKey.key);
  };
  const site = (admin: Caller, name: string, timeZone: string) =>
    admin.ask("mutation ($input: CreateSiteInput!) { createSite(input: $input) { id } }", { input: { name, timeZone } });
  const button = (within: Locator | ConsolePage["page"], name: string | RegExp) =>
    within.getByRole("button", { name, exact: typeof name === "string" });
  const heading = ({ page }: ConsolePage, name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();
  /** Opens a page by the main navigation. */
  const visit = async (story: Story, own: ConsolePage, name: string) => {
    const rail = own.page.getByRole("navigation", { name: "Main" });
    const isUnderMore = story.device === "phone" && minor.includes(name);
    if (isUnderMore) await story.press(button(rail, "More"));
    await story.press((isUnderMore ? own.dialog : rail).getByRole("link", { name: new RegExp(`^${name}`) }));
    await heading(own, name);
  };
  const tab = (story: Story, { page }: ConsolePage, name: string, list: string) =>
    story.press(page.getByRole("navigation", { name: list, exact: true }).getByRole("link", { name: new RegExp(`^${name}`) }));

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  describe.each(devices)("on a %s", (device) => {
    it("receives, counts and transfers stock, and orders what is missing", async () => {
      const admin = await gateway.newTenant();
      await site(admin, "North", "Europe/Copenhagen");
      await site(admin, "South", "Europe/Lisbon");
      await admin.ask('mutation { updateStockSettings(input: { currency: "EUR" }) { id } }');
      await admin.createAsset({ name: "Gearbox", site: "South" });
      const part = async (input: object) =>
        (
          await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
            input: { site: "South", currency: "EUR", ...input },
          })
        ).createPart.id;
      const oil = await part({
        name: "Gear oil",
        partNumber: "OIL-1",
        tracksBatches: true,
        unitOfMeasure: "LITER",
        unitCost: 8,
        reorderPoint: 10,
        maximumStock: 30,
      });
      await part({ name: "Filter", partNumber: "FIL-1", stockLevel: 6, unitCost: 5, location: "A-01" });
      const [sam, mia] = [await person(admin, "Sam Store", "MANAGER"), await person(admin, "Mia Moss", "MANAGER")];
      const story = new Story("storekeeper", device, browser, gateway);
      const store = await story.signIn(sam.key, "/", "Home");
      const { page } = store;

      await visit(story, store, "Stock");
      await tab(story, store, "Parts", "Stock");
      await story.press(page.getByRole("link", { name: "Gear oil" }));
      await heading(store, "Gear oil");
      await story.press(button(page, "Receive"));
      await store.dialog.getByRole("heading", { name: "Receive stock at South" }).waitFor();
      await story.fill(store.dialog.getByLabel("Quantity received"), "20");
      await story.fill(store.dialog.getByLabel("Unit cost, EUR"), "9,5");
      await story.fill(store.dialog.getByLabel("Bin"), "B-07");
      await story.fill(store.dialog.getByLabel("Delivery note or order"), "DN-77");
      await story.fill(store.dialog.getByLabel("Batch", { exact: true }), "LOT-1");
      await story.passes(store);
      await story.send(store, "Save");
      const south = page.getByRole("region", { name: "Stock at South" });
      await south.getByText("Bin B-07").waitFor();

      await visit(story, store, "Stock");
      await tab(story, store, "Counts", "Stock");
      await story.press(button(page, "New count"));
      await story.press(button(store.dialog, "Create count"));
      await heading(store, "Count 1 South");
      for (const [label, found] of [
        ["Filter at A-01", "7"],
        ["Gear oil at B-07", "20"],
      ]) {
        await story.fill(page.getByLabel(`Counted of ${label}`, { exact: true }), found!);
        if (device === "phone") await story.press(button(page, `Save the count of ${label!.split(" at ")[0]}`));
        else await page.keyboard.press("Enter");
      }
      await page.getByText("as in the books").waitFor();
      await story.press(button(page, "Post"));
      await story.send(store, "Post the count");
      await page.getByText("Your own: someone else must approve it").waitFor();

      const office = await story.signIn(mia.key, "/", "Home");
      await story.press(office.page.getByRole("link", { name: /Approvals waiting/ }));
      await story.press(office.page.getByRole("link", { name: "Count 1 South" }));
      await heading(office, "Count 1 South");
      await story.press(button(office.page, "Approve"));
      await office.page.locator("main .status.filled").getByText("Approved").waitFor();

      await visit(story, store, "Stock");
      await tab(story, store, "All stock", "Stock");
      await story.press(page.getByRole("link", { name: "Gear oil" }));
      await heading(store, "Gear oil");
      await story.press(button(south, "Transfer"));
      await story.choose(store.dialog.getByLabel("To site"), "North");
      await story.fill(store.dialog.getByLabel("Quantity"), "12");
      await story.choose(store.dialog.getByLabel("Batch"), "LOT-1: 20");
      await story.press(store.dialog.getByLabel("Reserve it now"));
      await story.send(store, "Transfer");
      await story.press(button(page, "Ship"));
      await story.press(button(page, "Receive from South"));
      await story.send(store, "Receive");
      await page.getByRole("region", { name: "Stock at North" }).getByText("12").first().waitFor();

      await visit(story, store, "Stock");
      await tab(story, store, "Orders", "Stock");
      const proposal = page.getByRole("region", { name: "Proposed orders" }).getByRole("listitem");
      expect(await proposal.innerText()).toContain("22 l");
      expect(await proposal.innerText()).toContain("€176.00");
      await story.press(button(proposal, "Ordered … Gear oil"));
      await story.send(store, "Record the order");
      await page.getByText("Nothing to order").waitFor();
      await story.end();

      const {
        part: found,
        stockTransfers,
        stockCounts,
        reorderProposals,
        inventory,
      } = await admin.ask(
        `query ($id: ID!) {
           part(id: $id) {
             lastOrderQuantity
             stockLevels { site quantity unitCost totalValue location onOrder }
             movements(orderBy: { direction: ASC }) { nodes { type site quantity value batchNumber reference } }
           }
           stockTransfers { nodes { id status fromSite toSite quantity value } }
           stockCounts { nodes { status valueDifference postedByPrincipal { name } approvedByPrincipal { name } } }
           reorderProposals { quantity }
           inventory(filter: { site: "South" }) { nodes { quantity availableStock part { name } } }
         }`,
        { id: oil },
      );
      const [transfer] = stockTransfers.nodes;
      expect(found).toEqual({
        lastOrderQuantity: 22,
        stockLevels: [
          { site: "North", quantity: 12, unitCost: 9.5, totalValue: 114, location: null, onOrder: 0 },
          { site: "South", quantity: 8, unitCost: 9.5, totalValue: 76, location: "B-07", onOrder: 22 },
        ],
        movements: {
          nodes: [
            { type: "RECEIPT", site: "South", quantity: 20, value: 190, batchNumber: "LOT-1", reference: "DN-77" },
            { type: "RESERVE", site: "South", quantity: 12, value: 0, batchNumber: null, reference: transfer.id },
            { type: "TRANSFER", site: "South", quantity: -12, value: -114, batchNumber: "LOT-1", reference: transfer.id },
            { type: "TRANSFER", site: "North", quantity: 12, value: 114, batchNumber: "LOT-1", reference: transfer.id },
          ],
        },
      });
      expect(stockTransfers.nodes).toEqual([
        { id: transfer.id, status: "RECEIVED", fromSite: "South", toSite: "North", quantity: 12, value: 114 },
      ]);
      expect(stockCounts.nodes).toEqual([
        { status: "POSTED", valueDifference: 5, postedByPrincipal: { name: "Sam Store" }, approvedByPrincipal: { name: "Mia Moss" } },
      ]);
      expect(inventory.nodes).toContainEqual({ quantity: 7, availableStock: 7, part: { name: "Filter" } });
      expect(reorderProposals).toEqual([]);
    });

    it("compares sites and periods, opens the rows behind a figure, and rates an alert as false", async () => {
      const admin = await gateway.newTenant();
      for (const name of ["North", "South"]) await site(admin, name, "UTC");
      await admin.ask('mutation { updateStockSettings(input: { currency: "EUR" }) { id } }');
      const make = async (name: string, at: string) =>
        (await admin.createAsset({ name, site: at, installationDate: "2020-01-01T00:00:00.000Z" })).id;
      const [pump, filler] = [await make("Feed pump", "North"), await make("Filler", "South")];
      const done = async (assetId: string, title: string, days: number, laborCost: number) => {
        const { createWorkOrder } = await admin.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", {
          input: { assetId, title },
        });
        await admin.ask(
          "mutation ($id: ID!, $input: CompleteWorkOrderInput) { startWorkOrder(id: $id) { id } completeWorkOrder(id: $id, input: $input) { id } }",
          { id: createWorkOrder.id, input: { startedAt: daysAgo(days, -1), completedAt: daysAgo(days), duration: 60, laborCost } },
        );
      };
      const failed = (assetId: string, days: number, hours: number) =>
        admin.ask("mutation ($input: RecordDowntimeInput!) { recordDowntime(input: $input) { id } }", {
          input: { assetId, cause: "FAILURE", startedAt: daysAgo(days), endedAt: daysAgo(days, hours) },
        });
      // The period of three months begins 59 to 92 days ago, and the one before at least 150 days ago.
      await done(pump, "Change the seal", 5, 120);
      await done(pump, "Change the bearing", 110, 100);
      await done(filler, "Grease the filler", 6, 50);
      await done(filler, "Replace the belt", 120, 200);
      await failed(pump, 10, 3);
      await failed(pump, 30, 5);
      await failed(pump, 110, 2);
      await failed(filler, 20, 6);
      const { raiseNotification } = await admin.ask(
        "mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }",
        { input: { type: "ANOMALY", severity: "WARNING", title: "Vibration", message: "Bearing 2", assetId: pump } },
      );
      const story = new Story("reliability engineer", device, browser, gateway, { timezoneId: "UTC" });
      const desk = await story.signIn((await person(admin, "Rea Reed", "MANAGER")).key, "/", "Home");
      const { page } = desk;

      await visit(story, desk, "Reports");
      await story.choose(page.getByLabel("Period", { exact: true }), "3 months");
      await tab(story, desk, "Compare", "Reports");
      for (const name of ["North", "South"]) await story.press(page.getByRole("checkbox", { name }));
      const row = (label: string) =>
        page.getByRole("region", { name: "Comparison", exact: true }).getByRole("row", { name: new RegExp(`^${label}`) });
      await button(row("Failures"), "Failures, South, more than 0 before").waitFor();
      const shown = async (label: string) =>
        (await row(label).innerText())
          .split(/[\n\t]+/)
          .map((text) => text.trim())
          .filter((text) => text && !text.startsWith("How "));
      expect(await shown("Cost of completed work")).toEqual([
        "Cost of completed work",
        "North: 140% more than South",
        "€120.00",
        "20% more than €100.00 before",
        "€50.00",
        "75% less than €200.00 before",
      ]);
      expect(await shown("Failures")).toEqual([
        "Failures",
        "North: 100% more than South",
        "2",
        "100% more than 1 before",
        "1",
        "more than 0 before",
      ]);
      await story.passes(desk);
      await story.press(button(row("Failures"), "Failures, North: 2"));
      await desk.dialog.getByText("2 downtimes").waitFor();
      expect(await desk.dialog.getByRole("link", { name: "Feed pump" }).count()).toBe(2);
      await page.goBack();
      await desk.dialog.waitFor({ state: "detached" });
      await story.press(button(row("Failures"), "Failures, North, 100% more than 1 before"));
      await desk.dialog.getByText("1 downtime", { exact: true }).waitFor();
      await story.press(desk.dialog.getByRole("link", { name: "Feed pump" }));
      await heading(desk, "Feed pump");

      await visit(story, desk, "Alerts");
      await story.press(button(page, "Dismiss as false"));
      await story.fill(desk.dialog.getByLabel("Why is it false?"), "The sensor was loose");
      await story.send(desk, "Dismiss");
      await page.getByText("False alarm: The sensor was loose").waitFor();
      await story.end();

      const { notification, north, south } = await admin.ask(
        `query ($id: ID!, $from: DateTime!) {
           notification(id: $id) { status updatedByPrincipal { name } feedback { verdict comments } statusChanges { nodes { toStatus reason } } }
           north: reliability(from: $from, site: "North") { failures downtime mttr }
           south: reliability(from: $from, site: "South") { failures downtime mttr }
         }`,
        { id: raiseNotification.id, from: daysAgo(50) },
      );
      expect(notification).toMatchObject({
        status: "DISMISSED",
        updatedByPrincipal: { name: "Rea Reed" },
        feedback: { verdict: "FALSE_ALARM", comments: "The sensor was loose" },
      });
      expect([north, south]).toEqual([
        { failures: 2, downtime: 8, mttr: 4 },
        { failures: 1, downtime: 6, mttr: 6 },
      ]);
    });

    it("invites a person by link, shows what the key may do, and revokes the key", async () => {
      const admin = await gateway.newTenant();
      await admin.createAsset({ name: "Feed pump", site: "North" });
      const story = new Story("invitation", device, browser, gateway);
      const office = await story.signIn(admin.key, "/", "Home");
      const { page } = office;

      await visit(story, office, "Administration");
      await tab(story, office, "People", "Sections");
      await story.press(button(page, "Invite a person"));
      await story.fill(office.dialog.getByLabel("Name"), "Ann Ames");
      await story.choose(office.dialog.getByLabel("Role"), "Viewer");
      await story.press(office.dialog.getByLabel("North"));
      await story.press(button(office.dialog, "Create the link"));
      await page.getByRole("heading", { name: "Invitation of Ann Ames" }).waitFor();
      const link = (await page.locator(".secret").textContent())!;
      await story.send(office, "Done");

      story.pause();
      const ann = await ConsolePage.open(browser, gateway, screens[device]);
      story.pages.push(ann);
      await ann.page.goto(link);
      story.resume();
      await story.press(button(ann.page, "Accept"));
      await heading(ann, "Home");
      await visit(story, ann, "Plant");

      await tab(story, office, "Keys", "Sections");
      const key = page.getByRole("region", { name: "Keys" }).getByRole("listitem").filter({ hasText: "Ann Ames" });
      await story.press(button(key, "Viewer: what Ann Ames may do"));
      const abilities = office.dialog.getByRole("list", { name: "What this key may do" }).getByRole("listitem");
      await abilities.first().waitFor();
      const may = (await abilities.allInnerTexts())
        .map((text) => text.replace(/\s+/g, " ").trim())
        .filter((text) => !text.startsWith("Not:"));
      expect(may).toEqual(["See the plant, its work, alerts and stock"]);
      await story.passes(office);
      await story.press(button(office.dialog, "Close"));
      await story.press(button(key, "Revoke key Ann Ames"));
      await story.send(office, "Revoke");
      await key.getByText(/^Revoked/).waitFor();

      // The page may have noticed the revocation already.
      await ann.page.goto(`${gateway.url}/console/work`);
      await button(ann.page, "Sign in").waitFor();
      expect(await ann.page.getByText("Feed pump").count()).toBe(0);
      await story.end((problem) => problem.includes("401"));

      const { apiKeys } = await admin.ask("{ apiKeys { nodes { name role sites lastUsedAt revokedAt } } }");
      expect(apiKeys.nodes.find(({ name }: any) => name === "Ann Ames")).toEqual({
        name: "Ann Ames",
        role: "VIEWER",
        sites: ["North"],
        lastUsedAt: expect.any(String),
        revokedAt: expect.any(String),
      });
      const headers = { authorization: `Invitation ${link.split("#invitation=")[1]}` };
      expect((await fetch(`${gateway.url}/console/invitation`, { method: "POST", headers })).status).toBe(410);
    });

    it("leads from an empty plant to the first due work within 60 clicks and fields", async () => {
      const admin = await gateway.newTenant();
      const story = new Story("first due work", device, browser, gateway, { timezoneId: "Europe/Copenhagen" });
      const desk = await story.signIn(admin.key, "/", "Home");
      const { page } = desk;
      const setUp = page.getByRole("region", { name: "Set up the plant" });

      await story.press(button(setUp, "New site"));
      await story.fill(desk.dialog.getByLabel("Name"), "Aarhus");
      expect(await desk.dialog.getByLabel("Time zone").inputValue()).toBe("Europe/Copenhagen");
      await story.send(desk, "Create site");

      await story.press(setUp.getByRole("link", { name: "Import a CSV file" }));
      await page.getByLabel("CSV file").setInputFiles({
        name: "machines.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(
          "Bezeichnung;Typ;Werk;Serien-Nr.;Inbetriebnahme\r\nRührwerk;mixer;Aarhus;R-1;31.12.2020\r\nMühle;mill;Aarhus;M-2;01.02.2021\r\n",
          "latin1",
        ),
      });
      await page.getByText("Rührwerk · Mühle").waitFor();
      await story.press(button(page, "Check without storing"));
      await page.getByText("Would be imported: 2 new, 0 changed, 0 unchanged, 0 with errors").waitFor();
      await story.press(button(page, "Import 2 rows"));
      await page.getByText(/^Imported: 2 new/).waitFor();

      await visit(story, desk, "Home");
      await setUp.getByText("2 of 7 done").waitFor();
      await story.press(setUp.getByRole("link", { name: "New procedure" }));
      await heading(desk, "New procedure");
      await story.press(button(page, "Change"));
      await story.press(page.getByRole("list", { name: "Assets" }).getByRole("button", { name: "Mühle" }));
      const form = page.locator("form");
      await story.fill(form.getByLabel("Name", { exact: true }), "Lubrication");
      await story.choose(form.getByLabel("Every", { exact: true }), "Every week");
      const today = dayInCopenhagen(new Date());
      await story.fill(form.getByLabel("First due on"), today);
      for (const [at, text] of ["Isolate the mill", "Grease the bearing"].entries()) {
        await story.press(button(form, "Add step"));
        await story.fill(form.getByLabel(`Step ${at + 1}`, { exact: true }).and(page.locator("input")), text);
      }
      await story.fill(form.getByLabel("Planned duration, minutes"), "30");
      await story.passes(desk);
      await story.press(button(form, "Create procedure"));
      await heading(desk, "Lubrication");

      await visit(story, desk, "Home");
      await story.press(button(setUp, "Create the order now"));
      await story.press(setUp.getByRole("link", { name: "Open the first planned work order" }));
      await heading(desk, "Lubrication");
      await page.getByText("Isolate the mill").waitFor();
      await story.end();
      expect(story.counts.clicks + story.counts.fields).toBeLessThanOrEqual(60);

      const { assets, workOrders } = await admin.ask(
        `{ assets(orderBy: { field: NAME }) { nodes { name type site serialNumber installationDate } }
           workOrders { nodes { title status scheduledDate asset { name } procedure { frequency estimatedDuration } steps { description } } } }`,
      );
      expect(assets.nodes).toEqual([
        { name: "Mühle", type: "mill", site: "Aarhus", serialNumber: "M-2", installationDate: "2021-02-01T00:00:00.000Z" },
        { name: "Rührwerk", type: "mixer", site: "Aarhus", serialNumber: "R-1", installationDate: "2020-12-31T00:00:00.000Z" },
      ]);
      expect(
        workOrders.nodes.map(({ scheduledDate, ...order }: any) => ({ ...order, due: dayInCopenhagen(new Date(scheduledDate)) })),
      ).toEqual([
        {
          due: today,
          title: "Lubrication",
          status: "SCHEDULED",
          asset: { name: "Mühle" },
          procedure: { frequency: "WEEKLY", estimatedDuration: 30 },
          steps: [{ description: "Isolate the mill" }, { description: "Grease the bearing" }],
        },
      ]);
    });
  });
});
