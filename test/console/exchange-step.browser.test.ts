/** The exchange of a unit as a step of a work order: on a phone, by scans and by typing, also without a connection, and planned in a procedure. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, widthOf } from "./console.js";
import { scanPhoto } from "./scan.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`exchanges as steps in ${CHROMIUM}`, () => {
  let browser: Browser;
  let admin: Caller;
  let assetId: string;
  let bearing: string;
  let seal: string;

  const orderWith = async (title: string, customSteps: object[]): Promise<string> => {
    const input = { assetId, title, customSteps };
    const { createWorkOrder } = await admin.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", {
      input,
    });
    await admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: createWorkOrder.id });
    return createWorkOrder.id;
  };
  const stepsOf = async (id: string) =>
    (
      await admin.ask(
        "query ($id: ID!) { workOrder(id: $id) { steps { status component { name } removedUnit { serialNumber } installedUnit { serialNumber } } } }",
        { id },
      )
    ).workOrder.steps;
  const pending = (name: string | null) => ({ status: "PENDING", component: name && { name }, removedUnit: null, installedUnit: null });
  const done = (name: string, out: string | null, put: string) => ({
    status: "COMPLETED",
    component: { name },
    removedUnit: out && { serialNumber: out },
    installedUnit: { serialNumber: put },
  });
  const scan = async (story: Story, own: ConsolePage, button: Locator, text: string) => {
    await story.press(button);
    await scanPhoto(own.page, text);
    await expect.poll(() => own.page.locator("dialog").count()).toBe(0);
  };

  beforeAll(async () => {
    browser = await launchBrowser();
    admin = await gateway.newTenant();
    ({ id: assetId } = await admin.createAsset({ name: "Pump P-101", site: "North" }));
    const component = (fields: object) => admin.createComponent({ assetId, ...fields });
    bearing = (await component({ name: "Bearing DE", serialNumber: "4711", manufacturer: "SKF", installDate: "2026-03-01T08:00:00Z" })).id;
    seal = (await component({ name: "Seal" })).id;
  });
  afterAll(() => browser?.close());

  it("are scanned out and in on a phone, and the service decides what is installed", async () => {
    const id = await orderWith("New bearing", [
      { description: "Exchange the bearing", kind: "EXCHANGE", required: true, componentId: bearing },
      { description: "Exchange what leaks", kind: "EXCHANGE" },
    ]);
    const technician = await admin.as("technician");
    const story = new Story("exchange as a step", "phone", browser, gateway);
    const own = await story.signIn(technician.key, `/work/${id}`, "New bearing");
    const { page } = own;
    const form = (order: number) => page.getByRole("form", { name: `Exchange of step ${order}` });
    const verb = (order: number) => form(order).getByRole("button", { name: "Exchange", exact: true });
    await page.getByText(": 4711, SKF is installed").waitFor();
    expect(await page.getByLabel("Step 1: Exchange the bearing").isDisabled()).toBe(true);
    const out = form(1).getByLabel("Serial number of the unit that comes out");
    const put = form(1).getByLabel("Serial number of the unit that goes in");
    await scan(story, own, form(1).getByRole("button", { name: "Scan out" }), `${gateway.url}/console/component/${bearing}`);
    await form(1).getByText("That was the label of a record.").waitFor();
    await scan(story, own, form(1).getByRole("button", { name: "Scan out" }), "4712");
    await form(1).getByText("4711 is installed here").waitFor();
    await scan(story, own, form(1).getByRole("button", { name: "Scan in" }), "B7-1");
    expect([await out.inputValue(), await put.inputValue(), await verb(1).isDisabled()]).toEqual(["4712", "B7-1", true]);
    await story.choose(form(1).getByLabel("Why it comes out"), "Failure");
    await story.press(verb(1));
    await page.getByText("Another unit is installed in the component: 4711").first().waitFor();
    expect(await stepsOf(id)).toEqual([pending("Bearing DE"), pending(null)]);
    await story.passes(own);
    expect(await widthOf(page)).toBe(390);
    await scan(story, own, form(1).getByRole("button", { name: "Scan out" }), "4711");
    await story.press(verb(1));
    await page.getByRole("link", { name: "B7-1" }).waitFor();
    await expect.poll(() => form(1).count()).toBe(0);
    expect(await stepsOf(id)).toEqual([done("Bearing DE", "4711", "B7-1"), pending(null)]);

    // Typed, and sent with the keyboard. The component is chosen now.
    await story.choose(form(2).getByLabel("Component"), "Seal");
    await form(2).getByText("Seal: no unit is installed").waitFor();
    expect(await form(2).getByLabel("Serial number of the unit that comes out").count()).toBe(0);
    await story.fill(form(2).getByLabel("Serial number of the unit that goes in"), "S-1");
    await story.passes(own);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "S-1" }).waitFor();
    expect((await stepsOf(id))[1]).toEqual(done("Seal", null, "S-1"));
    await own.isQuiet();
    await story.passes(own);
    await own.close();
  });

  it("wait for the connection like other steps, and come back if they are refused", async () => {
    const present = async () =>
      (await admin.ask("query ($id: ID!) { component(id: $id) { serialNumber } }", { id: bearing })).component.serialNumber;
    const before = await present();
    const id = await orderWith("In the cellar", [{ description: "Exchange the bearing", kind: "EXCHANGE", componentId: bearing }]);
    const own = await ConsolePage.open(browser, gateway);
    await own.signIn(admin.key, `/work/${id}`);
    const { page } = own;
    await page.getByText(`: ${before}, SKF is installed`).waitFor();
    await own.isQuiet();
    await page.context().setOffline(true);
    const form = page.getByRole("form", { name: "Exchange of step 1" });
    const [out, put] = ["out", "in"].map((way) =>
      form.getByLabel(`Serial number of the unit that ${way === "in" ? "goes" : "comes"} ${way}`),
    );
    await out!.fill(before);
    await put!.fill("B7-2");
    await form.getByLabel("Why it comes out").selectOption({ label: "Preventive" });
    await form.getByRole("button", { name: "Exchange", exact: true }).click();
    await page.getByText("1 change is waiting to be sent").waitFor();
    await form.waitFor({ state: "detached" });
    expect(await present()).toBe(before);
    // Another person was faster.
    await admin.ask(
      `mutation ($id: ID!) { exchangeUnit(input: { componentId: $id, unit: { serialNumber: "B7-3" }, reason: FAILURE }) { id } }`,
      { id: bearing },
    );
    await page.context().setOffline(false);
    await form.getByText("The exchange was not stored: Another unit is installed in the component: B7-3").waitFor();
    expect([await out!.inputValue(), await put!.inputValue()]).toEqual([before, "B7-2"]);
    expect(await stepsOf(id)).toEqual([pending("Bearing DE")]);
    await out!.fill("B7-3");
    await form.getByRole("button", { name: "Exchange", exact: true }).click();
    await expect.poll(() => stepsOf(id)).toEqual([done("Bearing DE", "B7-3", "B7-2")]);
    await own.close();
  });

  it("are planned in a procedure, with a component of its asset", async () => {
    const { createProcedure } = await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: "Yearly seal", assetId, frequency: "ANNUAL", steps: [{ description: "Exchange the seal" }] },
    });
    const story = new Story("exchange in a procedure", "desktop", browser, gateway);
    const own = await story.signIn(admin.key, `/procedures/${createProcedure.id}/edit`);
    const { page } = own;
    await story.choose(page.getByLabel("Kind"), "Exchange unit");
    await story.choose(page.getByLabel("Component", { exact: true }), "Seal");
    await story.passes(own);
    await story.press(page.getByRole("button", { name: "Save", exact: true }));
    await page.getByText("Exchange unit").first().waitFor();
    const { procedure } = await admin.ask("query ($id: ID!) { procedure(id: $id) { steps { kind componentId } } }", createProcedure);
    expect(procedure.steps).toEqual([{ kind: "EXCHANGE", componentId: seal }]);
    await own.close();
  });
});
