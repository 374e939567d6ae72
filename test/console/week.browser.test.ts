/** The planner's week by person in the console: the backlog, moves by drag and drop and by the dialog, capacities and refused moves. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();
const site = "North";
// 6 January 2031 is a Monday. Auckland is 13 hours ahead of UTC in summer.
const week = "/calendar?view=week&week=2031-01-08";
const heading = "Week of 6 January 2031";
const [monday, tuesday, wednesday, thursday] = ["2031-01-06", "2031-01-07", "2031-01-08", "2031-01-09"] as const;
/** Days of the site between an instant and now. */
const daysSince = (instant: string) => {
  const [then, now] = [instant, Date.now()].map((at) =>
    Date.parse(new Date(at).toLocaleDateString("sv", { timeZone: "Pacific/Auckland" })),
  );
  return (now! - then!) / 86_400_000;
};
const noonOf = (day: string) => new Date(Date.parse(`${day}T12:00:00Z`) - 13 * 3_600_000).toISOString();

describe.runIf(hasBrowser)(`the week by person in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let planner: ConsolePage;
  let pump: string;
  const ids: Record<string, string> = {};
  const keys: Record<string, string> = {};
  const persons: Record<string, string> = {};

  const person = async (name: string, role: string): Promise<void> => {
    const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    keys[name] = createApiKey.key;
    persons[name] = createPerson.id;
  };
  const make = async (title: string, scheduledDate: string, minutes?: number, input: object = {}): Promise<void> => {
    const procedure = { name: title, assetId: pump, frequency: "ANNUAL", estimatedDuration: minutes, steps: [{ description: "Do it" }] };
    const procedureId = minutes
      ? (await admin.ask("mutation ($procedure: CreateProcedureInput!) { createProcedure(input: $procedure) { id } }", { procedure }))
          .createProcedure.id
      : undefined;
    const { createWorkOrder } = await admin.ask(
      "mutation ($procedureId: ID, $input: CreateWorkOrderInput) { createWorkOrder(procedureId: $procedureId, input: $input) { id } }",
      { procedureId, input: { assetId: pump, title, scheduledDate, ...input } },
    );
    ids[title] = createWorkOrder.id;
  };
  const stored = async (title: string) =>
    (
      await admin.ask("query ($id: ID!) { workOrder(id: $id) { status scheduledDate assignedTechnician assignee { name } } }", {
        id: ids[title],
      })
    ).workOrder;
  const complete = (title: string) =>
    admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } completeWorkOrder(id: $id) { id } }", { id: ids[title] });
  const lane = (name: string, open = planner) => open.page.getByRole("region", { name, exact: true });
  const cell = (name: string, day: string, open = planner) => lane(name, open).locator(`[data-day="${day}"]`);
  const card = (title: string, open = planner) => open.page.getByRole("article", { name: title, exact: true });
  const select = async (...titles: string[]) => {
    for (const title of titles) await planner.page.getByLabel(`Select ${title}`).check();
  };
  const moveTo = async (day: string | undefined, name: string) => {
    const dialog = planner.page.getByRole("dialog");
    if (day) await dialog.getByLabel("Day").fill(day);
    await dialog.getByLabel("Person").selectOption({ label: name });
    expect(await seriousFindings(planner.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Move", exact: true }).press("Enter");
  };
  const passes = async ({ page }: ConsolePage) => expect(await seriousFindings(page)).toEqual([]);
  const shot = async ({ page }: ConsolePage, name: string) => {
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
  };

  beforeAll(async () => {
    admin = await gateway.newTenant();
    await admin.ask('mutation { createSite(input: { name: "North", timeZone: "Pacific/Auckland" }) { id } }');
    ({ id: pump } = await admin.createAsset({ name: "Feed Pump P-101", type: "pump", site }));
    await person("Mia Moss", "MANAGER");
    await person("Ann Ames", "TECHNICIAN");
    await person("Leo Lund", "TECHNICIAN");
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await make("Next year's inspection", "2032-02-02T00:00:00.000Z");
    await make("Forgotten lubrication", daysAgo(3), 90);
    await make("Forgotten in the past", daysAgo(70));
    await make("Overhaul", noonOf(monday), 540);
    await make("Grease the bearings", noonOf(tuesday));
    await make("Paint the frame", noonOf(thursday), 120, { assignedTechnician: "Night shift" });
    await make("Done by another", noonOf(thursday), 60);
    browser = await launchBrowser();
    planner = await ConsolePage.open(browser, gateway, { timezoneId: "Europe/Berlin", viewport: { width: 1366, height: 1300 } });
    await planner.signIn(keys["Mia Moss"]!, "/calendar");
    await planner.page.getByRole("heading", { level: 1, name: /20\d\d/ }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("opens beside the month, with overdue work on top of the backlog", async () => {
    const { page } = planner;
    await page.getByRole("button", { name: "Week by person" }).click();
    await page.getByRole("heading", { level: 1, name: /^Week of/ }).waitFor();
    expect(planner.address).toBe("/console/calendar?view=week");
    // Everyone who may work at the only site has a lane.
    await lane("Mia Moss").waitFor();
    await planner.isQuiet();
    expect(await planner.go(week, heading)).toEqual(["WeekPage"]);
    await page.getByText("Assumed capacity: 8 hours per weekday for each person or crew").waitFor();
    const backlog = page.getByRole("region", { name: "Backlog" }).getByRole("article");
    await expect
      .poll(() => backlog.evaluateAll((cards) => cards.map((one) => one.getAttribute("aria-label"))))
      .toEqual(["Forgotten in the past", "Forgotten lubrication", "Next year's inspection"]);
    const { scheduledDate: forgotten } = await stored("Forgotten in the past");
    await backlog
      .first()
      .getByText(`${daysSince(forgotten)} days late`)
      .waitFor();
    await backlog.nth(1).getByText("1 h 30 min", { exact: true }).waitFor();
    // So has the crew with work.
    const lanes = page.getByRole("region", { name: heading }).getByRole("heading", { level: 3 });
    expect(await lanes.allTextContents()).toEqual(["Nobody yet", "Ann Ames", "Leo Lund", "Mia Moss", "Night shift"]);
    await cell("Night shift", thursday).getByText("2 h of 8 h").waitFor();
    await cell("Nobody yet", tuesday).getByText("1 h (assumed)").waitFor();
    await shot(planner, "week");
    await passes(planner);
    await expectContrastInDark(page);
  });

  it("plans an overdue order by drag and drop", async () => {
    await card("Forgotten in the past").dragTo(cell("Ann Ames", tuesday));
    await cell("Ann Ames", tuesday).getByText("Forgotten in the past").waitFor();
    await expect.poll(async () => (await stored("Forgotten in the past")).assignee).toEqual({ name: "Ann Ames" });
    const { scheduledDate } = await stored("Forgotten in the past");
    expect(new Date(scheduledDate).toLocaleDateString("sv", { timeZone: "Pacific/Auckland" })).toBe(tuesday);
    expect(await planner.page.getByRole("region", { name: "Backlog" }).getByText("Forgotten in the past").count()).toBe(0);
  });

  it("moves selected orders together, and shows the hours beyond the capacity", async () => {
    await select("Overhaul", "Grease the bearings");
    await planner.page.getByRole("button", { name: "Move selected" }).click();
    await moveTo(wednesday, "Ann Ames");
    await planner.page.getByText("2 of 2 moved").waitFor();
    await cell("Ann Ames", wednesday).getByText("10 h of 8 h, 2 h over").waitFor();
    await lane("Ann Ames").getByText("11 h of 40 h this week").waitFor();
    const moved = { status: "SCHEDULED", scheduledDate: noonOf(wednesday), assignedTechnician: null, assignee: { name: "Ann Ames" } };
    expect(await Promise.all([stored("Overhaul"), stored("Grease the bearings")])).toEqual([moved, moved]);
    await planner.page.getByText("0 selected").waitFor();
    await passes(planner);
    await shot(planner, "week-over");

    // A selected card takes the other ones with it. A crew replaces the person.
    await select("Overhaul", "Grease the bearings");
    await card("Overhaul").dragTo(cell("Night shift", thursday));
    await cell("Night shift", thursday).getByText("12 h of 8 h, 4 h over").waitFor();
    await expect
      .poll(() => stored("Overhaul"))
      .toEqual({
        status: "SCHEDULED",
        scheduledDate: noonOf(thursday),
        assignedTechnician: "Night shift",
        assignee: null,
      });
    await planner.page.getByRole("button", { name: "Move Overhaul" }).press("Enter");
    await moveTo(undefined, "Nobody yet");
    await cell("Nobody yet", thursday).getByText("Overhaul").waitFor();
    await expect
      .poll(() => stored("Overhaul"))
      .toMatchObject({ scheduledDate: noonOf(thursday), assignedTechnician: null, assignee: null });
  });

  it("names an order that another user completed meanwhile, and leaves it where it was", async () => {
    await select("Done by another", "Paint the frame");
    await planner.beforeArrival("PlanOrder", () => complete("Done by another"));
    await planner.page.getByRole("button", { name: "Move selected" }).click();
    await moveTo(monday, "Mia Moss");
    const alert = planner.page.locator("main").getByRole("alert");
    await alert.getByText("Done by another was not moved:").waitFor();
    expect(await alert.getByRole("listitem").count()).toBe(1);
    await cell("Mia Moss", monday).getByText("Paint the frame").waitFor();
    // The completed order stays, and can no longer be moved.
    await cell("Nobody yet", thursday).getByRole("article", { name: "Done by another" }).getByText("Completed").waitFor();
    expect(await card("Done by another").getByRole("button").count()).toBe(0);
    expect(await stored("Done by another")).toEqual({
      status: "COMPLETED",
      scheduledDate: noonOf(thursday),
      assignedTechnician: null,
      assignee: null,
    });
    await passes(planner);
    await alert.getByRole("button", { name: "Dismiss" }).click();
    expect(await alert.count()).toBe(0);
  });

  it("keeps the day of an order whose new person is refused", async () => {
    await planner.beforeArrival("PlanOrder", () =>
      admin.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: false }) { id } }", { id: persons["Leo Lund"] }),
    );
    await planner.page.getByRole("button", { name: "Move Grease the bearings" }).press("Enter");
    await moveTo("2031-01-11", "Leo Lund");
    await planner.page.locator("main").getByRole("alert").getByText("Grease the bearings was not moved:").waitFor();
    await cell("Night shift", thursday).getByText("Grease the bearings").waitFor();
    expect(await stored("Grease the bearings")).toMatchObject({ scheduledDate: noonOf(thursday), assignee: null });
    await planner.page.getByRole("button", { name: "Move Grease the bearings" }).press("Enter");
    await moveTo("2031-01-11", "Mia Moss");
    await cell("Mia Moss", "2031-01-11").getByText("1 h, no capacity").waitFor();
    await expect.poll(() => planner.page.locator("main").getByRole("alert").count()).toBe(0);
  });

  it("shows other weeks, and what others move", async () => {
    const { page } = planner;
    await page.getByRole("link", { name: "Next week" }).click();
    await page.getByRole("heading", { level: 1, name: "Week of 13 January 2031" }).waitFor();
    await page.getByRole("region", { name: "Backlog" }).getByText("Overhaul").waitFor();
    await admin.ask("mutation ($id: ID!, $at: DateTime!) { updateWorkOrder(id: $id, input: { scheduledDate: $at }) { id } }", {
      id: ids.Overhaul,
      at: noonOf("2031-01-15"),
    });
    await cell("Nobody yet", "2031-01-15").getByText("Overhaul").waitFor();
    await page.getByRole("link", { name: "Previous week" }).click();
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.getByLabel("Site").selectOption({ label: "North" });
    await cell("Mia Moss", monday).getByText("Paint the frame").waitFor();
    expect(planner.address).toContain("site=North");
  });

  it("lets technicians change the day only, and viewers nothing", async () => {
    const open = async (key: string) => {
      const other = await ConsolePage.open(browser, gateway, { viewport: { width: 1366, height: 1300 } });
      await other.signIn(key, week);
      await other.page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await other.isQuiet();
      return other;
    };
    const technician = await open(keys["Ann Ames"]!);
    await card("Paint the frame", technician).dragTo(cell("Ann Ames", wednesday, technician));
    await technician.page.getByText("Only a manager can assign the work to another person.").waitFor();
    await technician.page.getByRole("button", { name: "Move Paint the frame" }).click();
    expect(await technician.page.getByRole("dialog").getByLabel("Person").count()).toBe(0);
    expect(await technician.page.getByText("Read-only").count()).toBe(0);
    await technician.close();

    const viewer = await open((await admin.as("viewer")).key);
    await card("Paint the frame", viewer).waitFor();
    await viewer.page.getByText("Read-only: technicians, managers and administrators plan the week.").waitFor();
    expect(await viewer.page.getByRole("article").getByRole("button").count()).toBe(0);
    expect(await viewer.page.getByRole("checkbox").count()).toBe(0);
    expect(await viewer.page.locator("[draggable=true]").count()).toBe(0);
    expect(viewer.problems).toEqual([]);
    await viewer.close();
  });

  it("is usable on a phone", async () => {
    const { page } = planner;
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 812 });
      expect(await widthOf(page)).toBe(width);
    }
    await page.setViewportSize({ width: 390, height: 812 });
    const top = async (name: string) => (await lane(name).boundingBox())!.y;
    expect(await top("Backlog")).toBeLessThan(await top("Ann Ames"));
    await passes(planner);
    await shot(planner, "week-phone");
    await page.getByRole("button", { name: "Move Forgotten lubrication" }).click();
    await moveTo("2031-01-10", "Mia Moss");
    await cell("Mia Moss", "2031-01-10").getByText("Forgotten lubrication").waitFor();
    expect(planner.problems).toEqual([]);
  });
});
