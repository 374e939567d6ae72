/** Work, calendar and alerts of the console, used by technicians and planners. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage } from "./console.js";
import { raiseAlert } from "./plant.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

if (hasBrowser) build();
const gateway = await startGateway();

/** A title without line breaks, with right-to-left text, and with HTML. */
const odd = `<img src=x onerror=alert(1)>${"Überdruckventil".repeat(8)} مضخة 💧 &amp; "O'Brien"`;

interface Person {
  id: string;
  authorId: string;
  name: string;
  caller: Caller;
}

describe.runIf(hasBrowser)(`work in the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let ann: Person;
  let bob: Person;
  let manager: Person;
  let pump: string;
  /** The technician's page and the planner's. */
  let technician: ConsolePage;
  let planner: ConsolePage;

  async function person(name: string, role: string, sites: string[] = []): Promise<Person> {
    const { createPerson } = await admin.ask(
      'mutation ($name: Name!) { createPerson(input: { name: $name, crew: "Night shift" }) { id authorId } }',
      {
        name,
      },
    );
    const input = { name, role, sites, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return { ...createPerson, name, caller: new Caller(gateway, admin.tenantId, createApiKey.key) };
  }
  const make = async (title: string, input: object = {}): Promise<string> =>
    (
      await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", {
        input: { assetId: pump, title, ...input },
      })
    ).createWorkOrder.id;
  const act = (mutation: string, id: string) => admin.ask(`mutation ($id: ID!) { ${mutation}(id: $id) { id } }`, { id });
  const assign = (id: string, to: string | null, by: Caller = admin) =>
    by.ask("mutation ($id: ID!, $to: ID) { assignWorkOrder(id: $id, principalId: $to) { id } }", { id, to });
  const stored = async (id: string) =>
    (
      await admin.ask(
        "query ($id: ID!) { workOrder(id: $id) { status holdReason laborCost assignee { name } labor { minutes rate name person { name } } steps { status value } comments { text } } }",
        { id },
      )
    ).workOrder;
  const within = async (open: ConsolePage, rules = {}): Promise<string[]> => {
    const { violations } = await open.page.evaluate(async (chosen) => (window as any).axe.run(chosen), rules);
    return violations
      .filter(({ impact }: any) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }: any) => `${id}: ${nodes[0].html}`);
  };
  const shot = async (open: ConsolePage, name: string) => {
    if (process.env.SCREENSHOTS) await open.page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
  };
  const names = (locator: Locator) => locator.getByRole("list", { name: "People" }).locator(".strong").allTextContents();

  beforeAll(async () => {
    admin = await gateway.newTenant();
    ({ id: pump } = await admin.createAsset({ name: "Feed Pump", site: "North" }));
    [ann, bob, manager] = await Promise.all([
      person("Ann Ames", "TECHNICIAN"),
      person("Bob Berg", "TECHNICIAN"),
      person("Mia Moss", "MANAGER"),
    ]);
    await person("Sue South", "TECHNICIAN", ["South"]);
    await person("Vic View", "VIEWER");
    browser = await launchBrowser();
    [technician, planner] = await Promise.all([ConsolePage.open(browser, gateway), ConsolePage.open(browser, gateway)]);
    await Promise.all([technician.signIn(ann.caller.key, "/work"), planner.signIn(manager.caller.key, "/work")]);
    for (const open of [technician, planner]) {
      await open.page.getByRole("heading", { level: 1, name: "Work" }).waitFor();
      await open.page.evaluate(axe);
    }
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("adds and removes labor, and reports when the order has been closed meanwhile", async () => {
    const id = await make("Change the seal", { type: "INSPECTION" });
    const { page } = technician;
    expect(await technician.go(`/work/${id}`, "Change the seal")).toEqual(["OrderPage"]);
    await page.getByText("No time entered yet").waitFor();
    await page.getByRole("button", { name: "Enter time" }).click();
    await technician.dialog.getByLabel("Hours").fill("1");
    await technician.dialog.getByLabel("Minutes").fill("30");
    await technician.dialog.getByLabel("Hourly rate").fill("40");
    await shot(technician, "labor-dialog");
    await technician.dialog.getByRole("button", { name: "Enter" }).click();
    await page.getByText("1 h 30 min entered").waitFor();
    const own = { minutes: 90, rate: 40, name: null, person: { name: "Ann Ames" } };
    await expect.poll(() => stored(id)).toMatchObject({ laborCost: 60, labor: [own] });

    await page.getByRole("button", { name: "Enter time" }).click();
    await technician.dialog.getByLabel("Who worked").selectOption({ label: "Someone else, by name" });
    await technician.dialog.getByLabel("Name").fill(`  ${odd.slice(0, 150)} `);
    await technician.dialog.getByLabel("Minutes").fill("7.5");
    // The rate defaults to the previous one.
    await expect.poll(() => technician.dialog.getByLabel("Hourly rate").inputValue()).toBe("40");
    await technician.dialog.getByRole("button", { name: "Enter" }).click();
    const fitter = { minutes: 7.5, rate: 40, name: odd.slice(0, 150).trim(), person: null };
    await expect.poll(() => stored(id)).toMatchObject({ laborCost: 65, labor: [own, fitter] });

    await page.getByRole("button", { name: "Remove 1 h 30 min of Ann Ames" }).click();
    await technician.dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Time removed").waitFor();
    await expect.poll(() => stored(id)).toMatchObject({ laborCost: 5, labor: [fitter] });
    await shot(technician, "labor");

    await page.getByRole("button", { name: "Enter time" }).click();
    await technician.dialog.getByLabel("Hours").fill("2");
    await act("startWorkOrder", id);
    await act("completeWorkOrder", id);
    await act("closeWorkOrder", id);
    const before = await stored(id);
    await technician.dialog.getByRole("button", { name: "Enter" }).click();
    await technician.dialog.getByRole("alert").getByText("The work order is closed").waitFor();
    await expect.poll(() => stored(id)).toEqual(before);
    await technician.dialog.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.getByRole("button", { name: /^(Enter time|Remove)/ }).count()).toBe(0);
  });

  it("assigns work to permitted persons, and reports when a person is no longer permitted", async () => {
    const id = await make(odd, { assignedTechnician: "Night shift" });
    const { page } = planner;
    await planner.go("/work?person=nobody", "Work");
    await planner.go("/work", "Work");
    const line = page.locator(".order-line").filter({ hasText: "Überdruckventil" });
    await line.getByText("Night shift").waitFor();
    await line.getByRole("button", { name: "Assign" }).click();
    const window = planner.dialog;
    await window.getByRole("button", { name: "Ann Ames" }).waitFor();
    // Excludes viewers and people of other sites. The user comes first.
    expect(await names(window)).toEqual(["Mia Moss", "admin", "Ann Ames", "Bob Berg"]);
    await window.getByLabel("Find a person").fill("bERG");
    await expect.poll(() => names(window)).toEqual(["Bob Berg"]);
    await admin.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: false }) { id } }", { id: bob.id });
    const before = await stored(id);
    await window.getByRole("button", { name: "Bob Berg" }).click();
    await window.getByRole("alert").getByText("This person is no longer active").waitFor();
    await expect.poll(() => stored(id)).toEqual(before);
    await admin.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: true }) { id } }", { id: bob.id });
    await window.getByLabel("Find a person").fill("");
    // Keyboard only from here on.
    await window.getByRole("button", { name: "Ann Ames" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Assigned to Ann Ames").waitFor();
    await expect.poll(() => window.count()).toBe(0);
    await expect.poll(async () => (await stored(id)).assignee).toEqual({ name: "Ann Ames" });
    await line.getByText("Ann Ames").waitFor();
    // The technician's list follows, and the chips count the order once.
    await technician.go("/work?person=me", "Work");
    await technician.page.locator(".order-line").filter({ hasText: "Überdruckventil" }).waitFor();

    // Another user was faster. The second user sees a message with that user's name.
    await planner.go(`/work/${id}`, /Überdruck/);
    await page.getByRole("button", { name: "Reassign" }).click();
    await window.getByRole("button", { name: "Bob Berg" }).waitFor();
    await planner.beforeArrival("AssignOrder", () => assign(id, manager.id));
    await window.getByRole("button", { name: "Bob Berg" }).click();
    await window.getByRole("alert").waitFor();
    await expect.poll(async () => (await stored(id)).assignee).toEqual({ name: "Mia Moss" });
    await window.locator("[aria-pressed=true]").getByText("Mia Moss").waitFor();
    await window.getByRole("button", { name: "Unassign" }).click();
    await page.getByText("Unassigned").waitFor();
    await expect.poll(async () => (await stored(id)).assignee).toBeNull();
  });

  it("lets a technician take unassigned work, and leaves work to a technician who took it meanwhile", async () => {
    const [free, taken] = [await make("Free work"), await make("Contested work")];
    const { page } = technician;
    await technician.go("/work?person=nobody", "Work");
    await page.getByRole("link", { name: "Free work" }).click();
    await page.getByRole("button", { name: "Take it" }).click();
    await page.getByText("Ann Ames (you)").waitFor();
    await expect.poll(async () => (await stored(free)).assignee).toEqual({ name: "Ann Ames" });
    expect(await page.getByRole("button", { name: /Take it|Assign/ }).count()).toBe(0);
    await technician.go(`/work/${taken}`, "Contested work");
    await page.getByRole("button", { name: "Take it" }).waitFor();
    await technician.beforeArrival("AssignOrder", () => assign(taken, bob.id, bob.caller));
    await page.getByRole("button", { name: "Take it" }).click();
    await page.getByText("The work order is already assigned").waitFor();
    await page.locator("dd").getByText("Bob Berg").waitFor();
    await expect.poll(async () => (await stored(taken)).assignee).toEqual({ name: "Bob Berg" });
    expect(await page.getByRole("button", { name: "Take it" }).count()).toBe(0);
  });

  it("counts each person's work once: assigned, or entered for the name or the crew", async () => {
    await Promise.all([
      make("For my crew", { assignedTechnician: "Night shift" }),
      make("For a contractor", { assignedTechnician: "Mads" }),
    ]);
    await technician.go("/work?person=me", "Work");
    const lines = await technician.page.locator(".order-line .title").allTextContents();
    expect(lines).toEqual(expect.arrayContaining(["For my crew", "Free work"]));
    expect(lines).not.toEqual(expect.arrayContaining(["For a contractor"]));
    expect(lines).not.toEqual(expect.arrayContaining(["Contested work"]));
    const chip = (name: string) => technician.page.getByRole("button", { name: new RegExp(`^${name}`) });
    expect(await chip("My day").textContent()).toBe(`My day${lines.length}`);
    expect(await chip("Mads").textContent()).toBe("Mads1");
    await chip("Mads").click();
    await expect.poll(() => technician.page.locator(".order-line .title").allTextContents()).toEqual(["For a contractor"]);
    expect(technician.address).toBe("/console/work?who=Mads");
  });

  it("asks for the reason of a hold, repeats a measurement, and rejects an invalid number", async () => {
    const { createProcedure } = await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: {
        name: "Check the oil",
        assetId: pump,
        frequency: "MONTHLY",
        steps: [{ description: "Pressure", kind: "MEASUREMENT", parameter: "pressure", unit: "bar", minimum: 2, maximum: 8 }],
      },
    });
    const { createWorkOrder } = await admin.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id title } }", {
      id: createProcedure.id,
    });
    const { id, title } = createWorkOrder;
    await act("startWorkOrder", id);
    const { page } = technician;
    await technician.go(`/work/${id}`, title);
    const field = page.getByLabel("Measured value of step 1 in bar");
    for (const wrong of ["", "7 bar", "0x10", "1e3"]) {
      await field.fill(wrong);
      await page.getByRole("button", { name: "Enter", exact: true }).click();
      await page
        .getByRole("alert")
        .getByText(wrong ? "Not a number" : "Enter a number, such as 7.5")
        .waitFor();
    }
    await expect.poll(async () => (await stored(id)).steps).toEqual([{ status: "PENDING", value: null }]);
    await field.fill("75");
    await field.press("Enter");
    await page.getByText("Outside limits").waitFor();
    await page.getByRole("button", { name: "Measure again" }).click();
    await field.fill("7,5");
    await field.press("Enter");
    await page.getByText("Within limits").waitFor();
    await expect.poll(async () => (await stored(id)).steps).toEqual([{ status: "COMPLETED", value: 7.5 }]);
    await page.getByRole("button", { name: "Hold" }).click();
    await technician.dialog.getByLabel("What does it wait for?").fill("The seal\ncomes on Monday");
    await technician.dialog.getByRole("button", { name: "Hold" }).click();
    await page.locator("main .status.filled").getByText("On hold").waitFor();
    await page.locator("dd").getByText("comes on Monday").waitFor();
    await expect.poll(() => stored(id)).toMatchObject({ status: "ON_HOLD", holdReason: "The seal\ncomes on Monday" });
  });

  it("shows changes entered without a connection, and reports those rejected when sent", async () => {
    const { createProcedure } = await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: "Grease", assetId: pump, frequency: "MONTHLY", steps: [{ description: "Grease the bearing" }] },
    });
    const { createWorkOrder } = await admin.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id title } }", {
      id: createProcedure.id,
    });
    const { id, title } = createWorkOrder;
    await act("startWorkOrder", id);
    const { page } = technician;
    await technician.go(`/work/${id}`, title);
    await page.context().setOffline(true);
    const tick = page.getByRole("checkbox");
    await tick.check();
    await page.getByRole("textbox", { name: "Comment" }).fill("In the cellar");
    await page.getByRole("button", { name: "Send the comment" }).click();
    await page.locator("p").getByText("In the cellar").waitFor();
    await page.getByRole("button", { name: "Enter time" }).click();
    await technician.dialog.getByLabel("Minutes").fill("20");
    await technician.dialog.getByRole("button", { name: "Enter" }).click();
    await page.getByText("3 changes are waiting to be sent").waitFor();
    await page.getByText("Waiting to be sent", { exact: true }).waitFor();
    await shot(technician, "offline");
    // The planner cancels the work at the same time.
    await act("cancelWorkOrder", id);
    await page.context().setOffline(false);
    await page.locator(".banner.bad").getByText("A work order step").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect.poll(() => page.locator(".banner").count()).toBe(0);
    await page.locator("main .status.filled").getByText("Cancelled").waitFor();
    expect(await tick.isChecked()).toBe(false);
    expect(await page.getByText("Waiting to be sent", { exact: true }).count()).toBe(0);
    // Cancelled work still accepts the comment and the labor, each once. Its steps are unchanged.
    await expect
      .poll(() => stored(id))
      .toMatchObject({
        status: "CANCELLED",
        steps: [{ status: "PENDING" }],
        comments: [{ text: "In the cellar" }],
        labor: [{ minutes: 20, person: { name: "Ann Ames" } }],
      });
    expect(technician.problems.splice(0).filter((problem) => !/ERR_INTERNET_DISCONNECTED|WebSocket/.test(problem))).toEqual([]);
  });

  it("shows another tab's change after the service rejects its own", async () => {
    const id = await make("Two tabs");
    const { page } = planner;
    await technician.go(`/work/${id}`, "Two tabs");
    await planner.go(`/work/${id}`, "Two tabs");
    await planner.beforeArrival("StartOrder", async () => {
      await technician.page.getByRole("button", { name: "Start work" }).click();
      await technician.page.locator("main .status.filled").getByText("In progress").waitFor();
      await expect.poll(async () => (await stored(id)).status).toBe("IN_PROGRESS");
    });
    await page.getByRole("button", { name: "Start work" }).click();
    await page.locator(".toast.bad").last().waitFor();
    await page.getByRole("button", { name: "Hold" }).waitFor();
    await expect.poll(async () => (await stored(id)).status).toBe("IN_PROGRESS");
  });

  it("moves work that another user moved meanwhile, at the second try", async () => {
    const at = new Date();
    at.setHours(12, 0, 0, 0);
    at.setDate(15);
    const to = (day: number) => new Date(at.getFullYear(), at.getMonth(), day, 12);
    const id = await make("Moved by two", { scheduledDate: at.toISOString() });
    const planned = async () =>
      (await admin.ask("query ($id: ID!) { workOrder(id: $id) { scheduledDate } }", { id })).workOrder.scheduledDate;
    const key = (day: number) => `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}-${day}`;
    const move = async (day: number) => {
      await planner.page.locator(".month").getByRole("button", { name: "Moved by two" }).press("Enter");
      await planner.page.getByLabel("Planned for").fill(key(day));
      await planner.page.getByRole("button", { name: "Move", exact: true }).click();
    };
    await planner.go("/calendar?person=nobody");
    await planner.page.locator(".month").getByRole("button", { name: "Moved by two" }).waitFor();
    await planner.beforeArrival("MoveOrder", () =>
      admin.ask("mutation ($id: ID!, $at: DateTime!) { updateWorkOrder(id: $id, input: { scheduledDate: $at }) { id } }", {
        id,
        at: to(17).toISOString(),
      }),
    );
    await move(16);
    await planner.page.locator(".toast.bad").getByText("The work order is at version").last().waitFor();
    expect(await planned()).toBe(to(17).toISOString());
    // The order is where the other user moved it, and can be moved on from there.
    await planner.page
      .locator(`[data-day="${key(17)}"]`)
      .getByText("Moved by two")
      .waitFor();
    await move(16);
    await expect.poll(planned).toBe(to(16).toISOString());
  });

  it("shows the alert that a link opens, even after it ended", async () => {
    await raiseAlert(admin, pump, "Old leak");
    const { notifications } = await admin.ask("{ notifications(first: 1) { nodes { id } } }");
    const [{ id }] = notifications.nodes;
    await admin.ask('mutation ($id: ID!) { changeNotificationStatus(id: $id, status: DISMISSED, reason: "dry") { id } }', { id });
    expect(await planner.go(`/alerts?id=${id}`, "Alerts")).toEqual(["AlertsPage"]);
    await planner.page.locator(".alert.is-chosen").getByText("Old leak").waitFor();
    await planner.go("/alerts", "Alerts");
    expect(await planner.page.getByText("Old leak").count()).toBe(0);
  });

  it("offers a viewer no changes, and distinguishes a queued report from a delivered one", async () => {
    const id = await make("To look at");
    await act("startWorkOrder", id);
    const viewer = await ConsolePage.open(browser, gateway);
    await viewer.signIn((await admin.as("viewer")).key, `/work/${id}`);
    await viewer.page.getByRole("heading", { level: 1, name: "To look at" }).waitFor();
    expect(await viewer.page.locator("main").getByRole("button").allTextContents()).toEqual([]);
    await viewer.go("/work", "Work");
    expect(await viewer.page.getByRole("button", { name: /^(Assign|My day)/ }).count()).toBe(0);
    await viewer.close();

    await technician.go(`/report?asset=${pump}`, "Report a fault");
    await technician.page.context().setOffline(true);
    await technician.page.getByLabel("What is wrong?").fill("A puddle");
    await technician.page.getByRole("button", { name: "Report the fault" }).click();
    await technician.page.getByText("The report is waiting to be sent").waitFor();
    expect(await technician.page.getByText("Maintenance will review it").count()).toBe(0);
    await technician.page.context().setOffline(false);
    await expect
      .poll(
        async () =>
          (await admin.ask('{ workRequests(filter: { descriptionContains: "A puddle" }) { totalCount } }')).workRequests.totalCount,
      )
      .toBe(1);
    technician.problems.length = 0;
  });

  it("passes axe and fits a phone, with long texts too, in light and dark", async () => {
    const id = await make(odd, { assignedTechnician: odd.slice(29, 170) });
    const long = `${odd}\n${"Z".repeat(400)}`;
    await admin.ask("mutation ($id: ID!, $text: RequiredText!) { addWorkOrderComment(id: $id, text: $text) { id } }", { id, text: long });
    const labor =
      "mutation ($id: ID!, $name: Name!) { addLaborEntry(id: $id, input: { minutes: 12345.5, rate: 99.5, name: $name }) { id } }";
    await admin.ask(labor, { id, name: "N".repeat(150) });
    await raiseAlert(admin, pump, odd.slice(0, 190));
    const { page } = planner;
    const pages = [
      ["alerts", "/alerts", "Alerts"],
      ["calendar", "/calendar", /20\d\d/],
      ["work", "/work", "Work"],
      ["order", `/work/${id}`, /Überdruck/],
    ] as const;
    const sizes = process.env.SCREENSHOTS ? [1366, 375] : [375];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // Dark mode differs only in colors.
      const rules = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
      for (const width of sizes) {
        await page.setViewportSize({ width, height: 812 });
        for (const [name, path, heading] of pages) {
          expect((await planner.go(path, heading)).length, path).toBeLessThanOrEqual(1);
          expect(await page.evaluate(() => document.documentElement.scrollWidth), `${path} at ${width}`).toBe(width);
          // No text overlaps another element.
          expect(
            await page.evaluate(
              () => [...document.querySelectorAll(".alert h3")].filter((one) => one.scrollWidth > one.clientWidth).length,
            ),
          ).toBe(0);
          expect(await within(planner, rules), path).toEqual([]);
          await shot(planner, `${name}-${width}-${colorScheme}`);
        }
      }
      for (const button of ["Assign", "Enter time"]) {
        await page.getByRole("button", { name: button, exact: true }).click();
        await planner.dialog.getByText("Ann Ames").first().waitFor({ state: "attached" });
        expect(await within(planner, rules), button).toEqual([]);
        await shot(planner, `${button}-375-${colorScheme}`);
        await page.keyboard.press("Escape");
      }
    }
    await page.setViewportSize({ width: 1366, height: 860 });
    expect(planner.problems.filter((problem) => !/status of (400|409)/.test(problem))).toEqual([]);
  });

  it("lists 500 orders to the last one, and a month of them day by day", async () => {
    const id = await make("One of 500");
    const noon = new Date();
    noon.setHours(12, 0, 0, 0);
    await gateway.database.query(
      `insert into "WorkOrder" select (jsonb_populate_record(null::"WorkOrder", to_jsonb(w) || jsonb_build_object(
         'id', w.id || '-' || n, 'title', 'One of 500, ' || n, 'scheduledDate', $3::timestamptz))).*
       from "WorkOrder" w, generate_series(1, 499) n where w."tenantId" = $1 and w.id = $2`,
      [admin.tenantId, id, noon],
    );
    const { workOrders } = await admin.ask("{ workOrders(filter: { pending: true }) { totalCount } }");
    const open = await ConsolePage.open(browser, gateway);
    // Simulates a busy browser: several observations arrive together, and the first is out of view.
    await open.page.addInitScript(() => {
      const { IntersectionObserver } = window;
      window.IntersectionObserver = class extends IntersectionObserver {
        constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
          const kept: IntersectionObserverEntry[] = [];
          const give = (observer: IntersectionObserver) => kept.length && callback(kept.splice(0), observer);
          super((entries, observer) => {
            kept.push(...entries);
            setTimeout(give, 200, observer);
          }, options);
        }
      };
    });
    await open.signIn(manager.caller.key, "/work");
    const lines = open.page.locator(".order-line");
    // Long lists have only the rows near the visible part in the document.
    const places = () =>
      open.page.locator("[aria-posinset]").evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("aria-posinset"))));
    await expect
      .poll(async () => {
        await open.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        const windowed = await places();
        return (await lines.count()) - windowed.length + Math.max(0, ...windowed);
      })
      .toBe(workOrders.totalCount);
    expect((await places()).length).toBeLessThan(100);
    await open.close();
    expect(await planner.go("/calendar")).toEqual(["CalendarPage"]);
    const today = planner.page.locator(".day.today");
    const shown = await today.locator(".entry").count();
    expect(shown).toBeLessThan(9);
    await today.getByRole("button", { name: /^\d+ more$/ }).click();
    await expect.poll(() => today.locator(".entry").count()).toBeGreaterThan(499);
  });
});
