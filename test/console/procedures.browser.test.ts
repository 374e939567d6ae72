/** Procedures in the console: a planner lists, reads, creates and edits them. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

const dayMs = 86_400_000;
const noonIn = (days: number) => `${new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)}T12:00:00.000Z`;
const dayWord = (at: string) =>
  new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

describe.runIf(hasBrowser)(`procedures of the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let open: ConsolePage;
  let viewer: ConsolePage;
  let pump: string;
  let tank: string;
  let seal: string;
  let meter: string;
  let service: string;

  const person = async (name: string, role: string): Promise<Caller> => {
    const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return new Caller(gateway, admin.tenantId, createApiKey.key);
  };
  const make = async (input: object): Promise<string> =>
    (await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", { input })).createProcedure.id;
  const read = async (id: string, fields: string) =>
    (await admin.ask(`query ($id: ID!) { procedure(id: $id) { ${fields} } }`, { id })).procedure;
  const main = (): Locator => open.page.locator("main");
  const dialog = (): Locator => open.page.getByRole("dialog");
  const button = (name: string | RegExp, within: Locator = main()) => within.getByRole("button", { name, exact: true });
  const field = (label: string, within: Locator = main()) => within.getByLabel(label, { exact: true });
  const list = () => open.page.getByRole("region", { name: "Procedures" });
  /** Axe, contrast in the dark, and no wider than the smallest phone. */
  const check = async ({ page } = open) => {
    expect(await seriousFindings(page)).toEqual([]);
    await expectContrastInDark(page);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await widthOf(page)).toBe(320);
    await page.setViewportSize({ width: 1366, height: 860 });
  };

  beforeAll(async () => {
    admin = await gateway.newTenant();
    pump = (await admin.createAsset({ name: "Feed Pump", site: "North", area: "Hall 1" })).id;
    tank = (await admin.createAsset({ name: "Milk Tank", site: "South", area: "Hall 2" })).id;
    seal = (await admin.ask('mutation { createPart(input: { name: "Shaft seal", partNumber: "SEAL-1", unitOfMeasure: EACH }) { id } }'))
      .createPart.id;
    meter = (
      await admin.ask("mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }", {
        input: { assetId: pump, name: "Run hours", kind: "RUN_HOURS" },
      })
    ).createMeter.id;
    await admin.ask("mutation ($readings: [MeterReadingInput!]!) { recordMeterReadings(readings: $readings) { recorded } }", {
      readings: [{ meterId: meter, value: 100, takenAt: new Date(Date.now() - dayMs).toISOString() }],
    });
    service = await make({
      name: "Pump service",
      assetId: pump,
      frequency: "MONTHLY",
      anchor: noonIn(-3),
      description: "Service the pump in place.",
      statutory: true,
      priority: "HIGH",
      estimatedDuration: 90,
      requiredSkills: ["Mechanic"],
      safetyRequirements: ["PPE", "LOCKOUT_TAGOUT"],
      schedulingRules: { leadTime: 5 },
      meters: [{ meterId: meter, interval: 500 }],
      conditions: [{ parameter: "vibration", operator: "GREATER_THAN", threshold: 7.1, unit: "mm/s", violations: 2, samples: 3 }],
      steps: [
        { description: "Lock the main switch", kind: "ISOLATE", safetyNote: "400 V" },
        {
          description: "Change the seal",
          tools: ["Puller", "Torque wrench"],
          checkpoints: ["No leak"],
          estimatedTime: 45,
          parts: [{ partId: seal, quantity: 1 }],
        },
        {
          description: "Measure the bearing",
          kind: "MEASUREMENT",
          parameter: "vibration",
          unit: "mm/s",
          minimum: 0,
          maximum: 7,
          required: true,
        },
        { description: "Unlock", kind: "RELEASE" },
      ],
    });
    await make({ name: "Tank cleaning", assetId: tank, frequency: "WEEKLY" });
    await make({ name: "Old inspection", assetId: tank, frequency: "CUSTOM", customIntervalDays: 10, status: "ARCHIVED" });
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway, { timezoneId: "UTC" });
    await open.signIn((await person("Pia Plan", "MANAGER")).key, "/procedures");
    await open.page.getByRole("heading", { level: 1, name: "Procedures" }).waitFor();
    viewer = await ConsolePage.open(browser, gateway, { timezoneId: "UTC" });
    await viewer.signIn((await person("Vera View", "VIEWER")).key, "/procedures");
    await viewer.page.getByRole("heading", { level: 1, name: "Procedures" }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("lists procedures by due date, filters them by words, site and status, and follows changes of others", async () => {
    await open.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Procedures" }).waitFor();
    const lines = list().getByRole("listitem");
    await expect.poll(() => lines.count()).toBe(2);
    expect(await lines.first().textContent()).toContain(`Due ${dayWord(noonIn(-3))}`);
    expect(await lines.first().textContent()).toContain("Every month · Every 500 h of Run hours · By vibration");
    await check();
    await open.page.getByLabel("Filter procedures").fill("milk");
    await expect.poll(() => lines.allTextContents()).toEqual([expect.stringContaining("Tank cleaning")]);
    await open.page.getByLabel("Filter procedures").fill("");
    await open.page.getByLabel("Site", { exact: true }).selectOption("North");
    await expect.poll(() => lines.allTextContents()).toEqual([expect.stringContaining("Pump service")]);
    await open.page.getByLabel("Site", { exact: true }).selectOption("");
    await button("Archived").click();
    await expect.poll(() => lines.allTextContents()).toEqual([expect.stringContaining("Every 10 days")]);
    await button("Active").click();
    await expect.poll(() => lines.count()).toBe(2);
    await make({ name: "Leak check", assetId: pump, frequency: "DAILY" });
    await expect.poll(() => lines.count()).toBe(3);
  });

  it("shows a procedure with its steps, parts, schedule in words, next dates and orders", async () => {
    await list().getByRole("link", { name: "Pump service" }).click();
    await open.page.getByRole("heading", { level: 1, name: "Pump service" }).waitFor();
    const steps = open.page.getByRole("region", { name: "Steps" });
    await steps.getByText("Isolate and lock out").waitFor();
    await steps.getByText("Measure vibration, from 0 to 7 mm/s").waitFor();
    await steps.getByText("Tools: Puller, Torque wrench").waitFor();
    await steps.getByText("Check: No leak").waitFor();
    await steps.getByRole("list", { name: "Parts of step 2" }).getByRole("link", { name: "Shaft seal" }).waitFor();
    const schedule = open.page.getByRole("region", { name: "Schedule" });
    expect(await schedule.getByRole("paragraph").allTextContents()).toEqual([
      "Whichever comes first:",
      "Every month",
      "Every 500 h of Run hours",
      "When 2 of 3 readings of vibration are above 7.1 mm/s",
      `Counted from ${dayWord(noonIn(-3))}.`,
      "Missed dates are collapsed into the latest.",
      "Work orders are created 5 days before the due date.",
    ]);
    const dates = open.page.getByRole("list", { name: "Next dates" });
    await dates.getByText(dayWord(noonIn(-3))).waitFor();
    expect(await dates.getByRole("listitem").count()).toBe(6);
    await open.page.getByRole("region", { name: "Facts" }).getByText("Protective equipment, Lockout and tagout").waitFor();
    await check();
    await viewer.go(`/procedures/${service}`, "Pump service");
    await viewer.page.getByRole("list", { name: "Next dates" }).waitFor();
    for (const name of ["Archive", "Create work order", "Edit", "Copy"])
      expect(await viewer.page.getByRole("main").getByText(name, { exact: true }).count()).toBe(0);
  });

  it("creates a work order now, and links the order and the procedure", async () => {
    await button("Create work order").click();
    await check();
    await button("Create work order", dialog()).click();
    await open.page.getByRole("heading", { level: 1, name: "Pump service" }).waitFor();
    await open.page.getByRole("button", { name: "Start work" }).waitFor();
    await open.page.getByRole("region", { name: "Plan" }).getByRole("link", { name: "Pump service" }).click();
    await open.page.getByRole("region", { name: "Assets" }).getByRole("link", { name: "Open work order" }).waitFor();
    await expect.poll(() => button("Create work order").count()).toBe(0);
    const [order] = (await read(service, "workOrders { nodes { scheduledDate occurrence } }")).workOrders.nodes;
    expect(order).toEqual({ scheduledDate: expect.stringContaining(new Date().toISOString().slice(0, 10)), occurrence: 1 });
  });

  it("archives and activates a procedure", async () => {
    await button("Archive").click();
    await button("Archive", dialog()).click();
    await dialog().waitFor({ state: "detached" });
    expect((await read(service, "status")).status).toBe("ARCHIVED");
    await button("Activate").click();
    await button("Archive").waitFor();
    expect((await read(service, "status")).status).toBe("ACTIVE");
  });

  it("creates a procedure from the finder, with a preview of its dates that follows the fields", async () => {
    await open.page.keyboard.press("Control+k");
    await dialog().getByRole("combobox").fill("new proc");
    await open.page.keyboard.press("Enter");
    await open.page.getByRole("heading", { level: 1, name: "New procedure" }).waitFor();
    await main().getByLabel("Asset", { exact: true }).fill("feed");
    await button(/^Feed Pump/).click();
    await field("Name").fill("Gearbox oil");
    await field("Every").selectOption("CUSTOM");
    await field("Days").fill("10");
    // A Saturday.
    await field("First due on").fill("2031-02-01");
    const dates = open.page.getByRole("list", { name: "Next dates" });
    await expect.poll(() => dates.getByRole("listitem").first().textContent()).toBe("1 Feb 2031");
    await field("Move weekend dates to Monday").check();
    await expect.poll(() => dates.getByRole("listitem").first().textContent()).toBe("3 Feb 2031off the weekend to Monday");
    expect(await dates.getByRole("listitem").nth(1).textContent()).toBe("11 Feb 2031");
    await field("Also due by a meter").selectOption(meter);
    await field("Every, h of Run hours").fill("250");
    await button("Also due by readings").click();
    await field("Measured quantity").fill("oil temperature");
    await field("Threshold").fill("80");
    await field("Unit").fill("°C");
    await button("Add step").click();
    await field("Step 1").fill("Drain and fill");
    await open.page.getByText("Safety, tools, checks and parts of step 1").click();
    await field("Tools").fill("Pump\nFunnel, large");
    await field("Add a part to step 1").fill("seal");
    await button(/^Shaft seal/).click();
    await field("Shaft seal, each").fill("2");
    await button("Add step").click();
    await field("Step 2").fill("Measure");
    await field("Kind").nth(1).selectOption("MEASUREMENT");
    await button("Create procedure").isEnabled();
    await field("Measured quantity").last().fill("oil level");
    await field("Lowest allowed").fill("5");
    await field("Highest allowed").fill("3");
    await check();
    await button("Create procedure").click();
    await expect.poll(() => main().locator("[aria-invalid=true]").count()).toBeGreaterThan(0);
    await field("Highest allowed").fill("9");
    await button("Create procedure").click();
    await open.page.getByRole("heading", { level: 1, name: "Gearbox oil" }).waitFor();
    await dates.getByText("3 Feb 2031").waitFor();
    const id = open.address.split("/").at(-1)!;
    expect(
      await read(
        id,
        `asset { name } frequency customIntervalDays nextDue status priority schedulingRules { avoidWeekends leadTime }
         meters { interval } conditions { parameter operator threshold unit violations samples }
         steps { description kind tools parameter minimum maximum parts { quantity part { name } } }`,
      ),
    ).toEqual({
      asset: { name: "Feed Pump" },
      frequency: "CUSTOM",
      customIntervalDays: 10,
      nextDue: "2031-02-03T08:00:00.000Z",
      status: "ACTIVE",
      priority: "MEDIUM",
      schedulingRules: { avoidWeekends: true, leadTime: null },
      meters: [{ interval: 250 }],
      conditions: [{ parameter: "oil temperature", operator: "GREATER_THAN", threshold: 80, unit: "°C", violations: 1, samples: 1 }],
      steps: [
        {
          description: "Drain and fill",
          kind: "TASK",
          tools: ["Pump", "Funnel, large"],
          parameter: null,
          minimum: null,
          maximum: null,
          parts: [{ quantity: 2, part: { name: "Shaft seal" } }],
        },
        { description: "Measure", kind: "MEASUREMENT", tools: [], parameter: "oil level", minimum: 5, maximum: 9, parts: null },
      ],
    });
  });

  it("edits a procedure without losing what it does not show or what somebody else changed meanwhile", async () => {
    const before = await read(
      service,
      "steps { order kind description safetyNote tools checkpoints parts { partId quantity } } meters { interval dueAtTotal } anchor",
    );
    await open.go(`/procedures/${service}/edit`, "Edit Pump service");
    await field("Name").fill("Pump service, monthly");
    await button("Move step 2 down").click();
    await admin.ask(
      'mutation ($id: ID!) { updateProcedure(id: $id, input: { estimatedDuration: 120, description: "Service it." }) { id } }',
      {
        id: service,
      },
    );
    await button("Save").click();
    await main().getByRole("alert").waitFor();
    expect(await main().getByRole("alert").textContent()).toContain(
      "Someone else changed this record while you edited it: Description, Planned duration.",
    );
    await check();
    await button("Load their changes").click();
    expect(await field("Planned duration, minutes").inputValue()).toBe("120");
    expect(await field("Name").inputValue()).toBe("Pump service, monthly");
    await button("Save").click();
    await open.page.getByRole("heading", { level: 1, name: "Pump service, monthly" }).waitFor();
    const after = await read(
      service,
      "name description estimatedDuration steps { order kind description safetyNote tools checkpoints parts { partId quantity } } meters { interval dueAtTotal } anchor",
    );
    const [first, second, third, fourth] = before.steps;
    expect(after).toEqual({
      ...before,
      name: "Pump service, monthly",
      description: "Service it.",
      estimatedDuration: 120,
      steps: [first, { ...third, order: 2 }, { ...second, order: 3 }, fourth],
    });
  });

  it("applies a procedure to many assets at once, shows the result of each, and removes one", async () => {
    for (const n of [1, 2, 3]) await admin.createAsset({ name: `Silo ${n}`, site: "South", area: "Yard" });
    const assets = open.page.getByRole("region", { name: "Assets" });
    await button("Add assets", assets).click();
    await dialog().getByLabel("Find assets").fill("silo");
    await expect.poll(() => dialog().getByRole("checkbox").count()).toBe(3);
    await button("Choose all 3 shown", dialog()).click();
    await dialog().getByText("3 assets chosen").waitFor();
    await dialog().getByRole("checkbox", { name: "Silo 3" }).uncheck();
    await dialog().getByLabel("Find assets").fill("feed pump");
    await expect.poll(() => dialog().getByRole("checkbox").count()).toBe(1);
    expect(await dialog().getByRole("checkbox", { name: "Feed Pump" }).isDisabled()).toBe(true);
    await dialog().getByLabel("Find assets").fill("milk tank");
    await dialog().getByRole("checkbox", { name: "Milk Tank" }).check();
    await dialog().getByLabel("First due on").fill("2031-05-06");
    await check();
    // One of them is deleted by somebody else: nothing is added, and the asset is named.
    await admin.ask("mutation ($id: ID!) { deleteAsset(id: $id) { id } }", { id: tank });
    await button("Add 3 assets", dialog()).click();
    await dialog().getByText("Milk Tank: names no asset; use the id of an existing one").waitFor();
    await check();
    expect((await read(service, "assets { assetId }")).assets).toEqual([{ assetId: pump }]);
    await button("Leave them out", dialog()).click();
    await button("Add 2 assets", dialog()).click();
    await expect
      .poll(() => dialog().getByRole("list", { name: "Added assets" }).getByRole("listitem").allTextContents())
      .toEqual(["Silo 1Due 6 May 2031", "Silo 2Due 6 May 2031"]);
    await check();
    await button("Done", dialog()).click();
    await button("Remove Silo 2", assets).click();
    await button("Remove", dialog()).click();
    await dialog().waitFor({ state: "detached" });
    await expect.poll(() => assets.getByRole("listitem").count()).toBe(2);
    expect((await read(service, "assets { nextDue asset { name } }")).assets[1]).toEqual({
      nextDue: "2031-05-06T08:00:00.000Z",
      asset: { name: "Silo 1" },
    });
    // The dates of each asset.
    await open.page.getByRole("region", { name: "Next dates" }).getByLabel("Asset").selectOption("Silo 1");
    const dates = open.page.getByRole("list", { name: "Next dates" }).getByRole("listitem");
    await expect.poll(() => dates.first().textContent()).toBe("6 May 2031");
    await button("Create work order").click();
    await button("Create work order", dialog()).click();
    await open.page.getByRole("button", { name: "Start work" }).waitFor();
    await main().getByRole("link", { name: "Silo 1" }).first().waitFor();
    await open.page.goBack();
    await open.page.getByRole("heading", { level: 1, name: "Pump service, monthly" }).waitFor();
  });

  it("copies a procedure, and lists the procedures of an asset", async () => {
    await main().getByRole("link", { name: "Copy" }).click();
    await open.page.getByText("Copy of “Pump service, monthly”").waitFor();
    await field("Name").fill("Pump service, again");
    await button("Create procedure").click();
    await open.page.getByRole("heading", { level: 1, name: "Pump service, again" }).waitFor();
    await open.go(`/asset/${pump}?tab=work`, "Feed Pump");
    const procedures = open.page.getByRole("region", { name: "Procedures" });
    await procedures.getByRole("link", { name: "Pump service, again" }).waitFor();
    await check();
    await procedures.getByRole("link", { name: "New procedure" }).click();
    await open.page.getByRole("heading", { level: 1, name: "New procedure" }).waitFor();
    await main().getByText("Feed Pump").waitFor();
  });

  const tree = async (assetId: string) =>
    (
      await admin.ask(
        "query ($id: ID!) { components(filter: { assetId: $id }, orderBy: { field: NAME }) { nodes { name type parent { name } } } }",
        { id: assetId },
      )
    ).components.nodes.map(({ name, type, parent }: any) => `${parent?.name ?? "top"} > ${name} (${type})`);

  it("creates a template from the components of an asset", async () => {
    const motor = await admin.createComponent({ assetId: pump, name: "Motor", type: "motor", maintenanceInterval: "6 months" });
    await admin.createComponent({ parentId: motor.id, name: "Bearing", type: "bearing" });
    await admin.createComponent({ assetId: pump, name: "Gearbox", type: "gearbox" });
    await open.go("/procedures", "Procedures");
    await open.page.getByRole("navigation", { name: "Procedures and templates" }).getByRole("link", { name: "Templates" }).click();
    await open.page.getByText("No templates yet").waitFor();
    await check();
    await main().getByRole("link", { name: "New template" }).click();
    await button("Copy from an asset").click();
    await main().getByLabel("Asset", { exact: true }).fill("feed");
    await button(/^Feed Pump/).click();
    await expect.poll(() => field("Name").inputValue()).toBe("Feed Pump");
    await field("Name").fill("Pump set");
    expect(await field("Component 2").inputValue()).toBe("Bearing");
    await button("Add component").click();
    await field("Component 4").fill("Coupling");
    await field("Type").nth(3).fill("coupling");
    await button("Move Coupling into the one above").click();
    await check();
    await button("Create template").click();
    await open.page.getByRole("heading", { level: 1, name: "Pump set" }).waitFor();
    await open.page.getByText("There is only version 1.0.0.").waitFor();
    await check();
    const { template } = await admin.ask(
      "query ($id: ID!) { template(id: $id) { version items { name type parentKey maintenanceInterval key } } }",
      { id: open.address.split("/").at(-1) },
    );
    const nameOf = (key: string | null) => template.items.find((one: any) => one.key === key)?.name ?? null;
    expect(template.items.map((one: any) => [one.name, nameOf(one.parentKey), one.maintenanceInterval])).toEqual([
      ["Motor", null, "6 months"],
      ["Bearing", "Motor", null],
      ["Gearbox", null, null],
      ["Coupling", "Gearbox", null],
    ]);
  });

  it("compares versions, and upgrades components after a dry run that shows what is kept", async () => {
    const id = open.address.split("/").at(-1)!;
    const { id: silo } = await admin.createAsset({ name: "Silo 9", site: "South", area: "Yard" });
    const apply = "mutation ($id: ID!, $input: ApplyTemplateInput!) { applyTemplate(id: $id, input: $input) { created { id name } } }";
    const { applyTemplate } = await admin.ask(apply, { id, input: { assetId: silo } });
    const idOf = (name: string) => applyTemplate.created.find((one: any) => one.name === name).id;
    await admin.ask('mutation ($id: ID!) { updateComponent(id: $id, input: { type: "worm gearbox" }) { id } }', { id: idOf("Gearbox") });
    await main().getByRole("link", { name: "New version" }).click();
    await open.page.getByRole("heading", { level: 1, name: "New version of Pump set" }).waitFor();
    await field("Component 2").fill("Roller bearing");
    await field("Type").nth(2).fill("spur gearbox");
    await button("Move Motor down").click();
    await button("Remove Coupling").click();
    await button("Add component").click();
    await field("Component 4").fill("Sensor");
    await field("Type").nth(3).fill("sensor");
    await button("Move Sensor out").click();
    await check();
    // Somebody else creates a version first.
    await admin.ask('mutation ($id: ID!) { updateTemplate(id: $id, input: { description: "For feed lines" }) { id } }', { id });
    await button("Create version").click();
    await main().getByText("Someone else changed this record while you edited it: Description.").waitFor();
    await button("Load their changes").click();
    expect(await field("Description").inputValue()).toBe("For feed lines");
    expect(await field("Component 3").inputValue()).toBe("Roller bearing");
    await button("Create version").click();
    await open.page.getByRole("heading", { level: 1, name: "Pump set" }).waitFor();
    const rows = open.page.getByRole("region", { name: "Differences" }).getByRole("row");
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([
        "Component1.1.01.2.0",
        "Gearbox: typegearboxspur gearbox",
        "Roller bearing: nameBearingRoller bearing",
        "Sensor–Added",
        "CouplingIn GearboxRemoved",
      ]);
    await field("Before").selectOption("1.0.0");
    await expect.poll(() => rows.nth(1).textContent()).toBe("Description of the template–For feed lines");
    await check();

    const used = open.page.getByRole("region", { name: "Where it is used" });
    await used.getByText(/differences/).click();
    await used.getByText("here worm gearbox, in the template spur gearbox").waitFor();
    await button("Upgrade …", used).click();
    const plan = dialog().getByRole("list", { name: "Changes of Silo 9" });
    await plan.getByText("Sensor is new in the template").waitFor();
    expect(await plan.textContent()).toContain("(kept: ");
    expect(await tree(silo)).toContain("Motor > Bearing (bearing)");
    await check();
    await dialog().getByLabel("Delete components that the template no longer has").check();
    await expect
      .poll(() => plan.getByRole("listitem").filter({ hasText: "Coupling" }).textContent())
      .toBe("Coupling is no longer in the template");
    await button("Upgrade 1", dialog()).click();
    await dialog().getByRole("list", { name: "Results" }).getByText("Upgraded").waitFor();
    await check();
    await button("Done", dialog()).click();
    expect(await tree(silo)).toEqual([
      "top > Gearbox (worm gearbox)",
      "top > Motor (motor)",
      "Motor > Roller bearing (bearing)",
      "top > Sensor (sensor)",
    ]);
    await used.getByText("version 1.2.0").waitFor();
    await open.go("/procedures/templates", "Templates");
    await open.page.getByRole("region", { name: "Templates" }).getByText("Pump · version 1.2.0").waitFor();
    expect(open.problems).toEqual([]);
    expect(viewer.problems).toEqual([]);
  });
});
