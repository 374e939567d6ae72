import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildClientSchema, parse, validate } from "graphql";
import type { Browser, BrowserContextOptions, Page, Response } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES, nameOf } from "../../explorer/examples.js";
import { prepareDemo } from "../../src/cli/demo.js";
import { build } from "../generate.js";
import { Caller, startGateway } from "../world.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "./browser.js";

// Before the gateway starts, because it looks for the built files only once.
if (hasBrowser) build();
const gateway = await startGateway();

const FIRST_TABS = ["Plant", "MyWork", "Calendar", "StockChanges", "AddPhoto", "Changes"];
/** Examples that read or write and need no file. */
const PLAIN = EXAMPLES.filter(({ query }) => !/^subscription|Upload!/m.test(query));

describe.runIf(hasBrowser)(`the explorer in ${CHROMIUM}`, () => {
  let demo: Caller;
  let browser: Browser;
  let page: Page;
  let introspection: Promise<Response>;
  const hosts = new Set<string>();
  const workers: string[] = [];
  const browserErrors: string[] = [];
  const sockets: Duplex[] = [];

  beforeAll(async () => {
    demo = new Caller(gateway, "demo", await prepareDemo(gateway.database, gateway.config.DATA_DIR, 60));
    gateway.app.server.on("upgrade", (_request, socket) => sockets.push(socket));
    browser = await launchBrowser();
    page = await newPage({ viewport: { width: 1280, height: 800 } });
    page.context().on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol !== "data:" && protocol !== "blob:") hosts.add(host);
    });
    page.on("worker", (worker) => workers.push(worker.url()));
    page.on("pageerror", (error) => browserErrors.push(`page error: ${error.message}`));
    // Violations of the Content-Security-Policy are reported as errors too.
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) browserErrors.push(`${message.type()}: ${message.text()}`);
    });
    introspection = responseTo("IntrospectionQuery");
    introspection.catch(() => {}); // The failure is reported where the promise is awaited.
    const response = await openExplorer(page);
    expect(response?.headers()["content-security-policy"]).toContain("script-src 'self'");
  });

  afterAll(async () => {
    await browser?.close();
  });

  const authorization = (key: string) => JSON.stringify({ Authorization: `Bearer ${key}` });

  async function newPage(options: BrowserContextOptions, key = demo.key): Promise<Page> {
    const opened = await (await browser.newContext(options)).newPage();
    await opened.addInitScript((headers) => localStorage.setItem("graphiql:headers", headers), authorization(key));
    return opened;
  }

  async function openExplorer(target: Page) {
    const response = await target.goto(`${gateway.url}/graphql`);
    await target.locator(".graphiql-query-editor .view-line").first().waitFor();
    return response;
  }

  const responseTo = (operationName: string) =>
    page.waitForResponse((response) => Boolean(response.request().postData()?.includes(`"operationName":"${operationName}"`)));

  /** GraphiQL updates the operation name 100 ms after a switch of tabs, together with this entry. */
  const isInEditor = (name: string, target = page) =>
    target.waitForFunction(
      (title) => localStorage.getItem("graphiql:query")?.match(/^(?:query|mutation|subscription) (\w+)/m)?.[1] === title,
      name,
    );

  async function openTab(title: string, target = page): Promise<void> {
    await target.getByRole("button", { name: title, exact: true }).click();
    await isInEditor(title, target);
  }

  async function openQuery(query: string): Promise<void> {
    await page.getByLabel("New tab").click();
    await page.locator(".graphiql-query-editor .view-line").first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(query);
    // The editor may have added closing brackets.
    await page.keyboard.press("Control+Shift+End");
    await page.keyboard.press("Delete");
    await isInEditor(/\w+ (\w+)/.exec(query)![1]!);
  }

  const execute = (target = page) => target.locator(".graphiql-execute-button").click();
  const shownResult = async (target = page) =>
    (await target.locator(".result-window .view-lines").textContent())!.replaceAll("\u00a0", " ");
  const status = () => page.locator(".status").textContent();

  async function screenshot(name: string, target = page): Promise<void> {
    if (!process.env.UPDATE_SCREENSHOT) return;
    await target.getByRole("button", { name: "Variables", exact: true }).click();
    await target.waitForTimeout(1000); // The editors color their text bit by bit.
    await sharp(await target.screenshot())
      .png({ palette: true, quality: 80, compressionLevel: 9 })
      .toFile(fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url)));
  }

  it("has examples for every role that are valid in the schema", async () => {
    const schema = buildClientSchema((await (await introspection).json()).data);
    for (const { query } of EXAMPLES) expect(validate(schema, parse(query)), query).toEqual([]);
    expect([...new Set(EXAMPLES.map(({ role }) => role))]).toEqual([
      "Technician",
      "Planner",
      "Storekeeper",
      "Manager",
      "Admin",
      "Integrator",
    ]);
    expect(await page.locator(".graphiql-tab-button").allTextContents()).toEqual(FIRST_TABS);
  });

  it("shows the whole plant", async () => {
    await execute();
    await expect.poll(shownResult).toContain("Rotterdam Bottling");
    await screenshot("explorer");
  });

  describe("subscriptions", () => {
    const receive = async (reference: string) => {
      const { parts } = await demo.ask("{ parts(first: 1) { nodes { id } } }");
      const { receiveStock } = await demo.ask(
        `mutation ($id: ID!, $reference: ShortText) { receiveStock(partId: $id, input: { quantity: 1, site: "main", reference: $reference }) { newBalance } }`,
        { id: parts.nodes[0].id, reference },
      );
      return receiveStock.newBalance;
    };

    it("show events, and reconnect after the connection was lost", async () => {
      await openTab("StockChanges");
      await execute();
      await expect.poll(status).toBe("Live: waiting for the first event.");
      const first = await receive("PO-1");
      await expect.poll(shownResult).toContain(`"newBalance": ${first}`);
      await expect.poll(status).toContain("Live: 1 event, the last at");
      await screenshot("explorer-subscription");

      for (const socket of sockets.splice(0)) socket.destroy();
      await expect.poll(status).toContain("Live again");
      // The page is live once its socket is, a moment before the service has the subscription: an event in between is missed, as it says.
      let latest = "";
      const showsNewStock = async () => {
        const shown = (await shownResult()) ?? "";
        if (latest && shown.includes(latest)) return true;
        latest = `"newBalance": ${await receive("PO-2")}`;
        return false;
      };
      await expect.poll(showsNewStock, { interval: 500 }).toBe(true);
      await execute(); // Ends the subscription.
      await expect.poll(status).toBe("");
    });

    it("show a refusal in words, without a stack", async () => {
      await openQuery(`subscription Refused { stockChanged(site: 7) { id } }`);
      await execute();
      await expect.poll(shownResult).toContain("must be a string");
      expect(await shownResult()).not.toContain("stack");

      const stranger = await newPage({}, "mg_unknown");
      await openExplorer(stranger);
      await openTab("StockChanges", stranger);
      await execute(stranger);
      await expect.poll(() => shownResult(stranger)).toContain("The service refuses the key");
      expect(await shownResult(stranger)).not.toContain("stack");
      await stranger.context().close();
    });
  });

  describe("uploads", () => {
    it("ask for the file, and send it with the other variables", async () => {
      await openTab("AddPhoto");
      await execute();
      await expect.poll(shownResult).toContain("Choose a file for $file");

      const buffer = await sharp({ create: { width: 64, height: 48, channels: 3, background: "teal" } })
        .png()
        .toBuffer();
      await page.getByLabel("File for $file").setInputFiles({ name: "type-plate.png", mimeType: "image/png", buffer });
      await expect.poll(() => page.locator(".files").textContent()).toContain("type-plate.png");
      const sent = page.waitForRequest((request) => Boolean(request.headers()["content-type"]?.startsWith("multipart/form-data")));
      await execute();
      await sent;
      await expect.poll(shownResult).toContain(`"contentType": "image/png"`);
      await screenshot("explorer-upload");
      const { assets } = await demo.ask("{ assets(first: 1) { nodes { photos { filename description } } } }");
      expect(assets.nodes[0].photos).toEqual([{ filename: "type-plate.png", description: "Type plate" }]);
    });

    it("keep a file to its tab", async () => {
      await page.getByLabel("Show Examples").click();
      await page.getByRole("button", { name: "Check a CSV file" }).click();
      await page.getByLabel("Hide Examples").click();
      await isInEditor("CheckImport");
      await expect.poll(() => page.locator(".files").textContent()).toContain("no file chosen");
      const buffer = Buffer.from("name,type\nFeed pump,pump\n,pump\n");
      await page.getByLabel("File for $file").setInputFiles({ name: "assets.csv", mimeType: "text/csv", buffer });
      await execute();
      await expect.poll(shownResult).toContain(`"imported": 1`);
      expect(await shownResult()).toContain(`"failed": 1`);
    });
  });

  it.each(PLAIN.map((example) => [nameOf(example)!, example] as const))("runs the example %s unchanged", async (name, { task }) => {
    if (await page.getByLabel("Show Examples").isVisible()) await page.getByLabel("Show Examples").click();
    await page.getByRole("button", { name: task }).click();
    await isInEditor(name);
    const response = responseTo(name);
    await execute();
    const result = await (await response).json();
    expect(result.errors).toBeUndefined();
    await expect.poll(shownResult).toContain(`"${Object.keys(result.data)[0]}"`);
    const cutOff = await page.evaluate(() => {
      const { right } = document.querySelector(".graphiql-query-editor .monaco-scrollable-element")!.getBoundingClientRect();
      const lines = document.querySelectorAll(".graphiql-query-editor .view-line > span");
      return [...lines].filter((line) => line.getBoundingClientRect().right > right).map((line) => line.textContent);
    });
    expect(cutOff).toEqual([]);
  });

  it("fits the examples beside the result at 1280 px without wrapping", async () => {
    await page.getByLabel("Hide Examples").click();
    for (const { query } of EXAMPLES) for (const line of query.split("\n")) expect(line.length, line).toBeLessThanOrEqual(51);
    for (const name of FIRST_TABS) {
      await openTab(name);
      const { query } = EXAMPLES.find((example) => nameOf(example) === name)!;
      await expect.poll(() => page.locator(".graphiql-query-editor .view-line").count()).toBe(query.split("\n").length);
    }
  });

  describe("errors", () => {
    it.each([
      "query Literal { assets(filter: { status: RUSTY }) { totalCount } }",
      `mutation Asset { createAsset(input: { name: "", type: "x" }) { id } }`,
    ])("of an input are shown once, with their path: %s", async (query) => {
      await openQuery(query);
      await execute();
      await expect.poll(shownResult).toContain("fieldErrors");
      const { errors } = JSON.parse(await shownResult());
      const [{ path, message }] = errors[0].extensions.fieldErrors;
      expect(errors).toHaveLength(1);
      expect(path.slice(1)).toEqual([query.includes("RUSTY") ? "status" : "name"]);
      expect((await shownResult()).split(JSON.stringify(message))).toHaveLength(2);
      await expect.poll(status).toContain("Clients get both");
    });

    it("of the network are shown without a stack", async () => {
      await openTab("Plant");
      await page.route("**/graphql", (route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" }), { times: 1 });
      await execute();
      await expect.poll(shownResult).toContain("The answer is not GraphQL's: 502");
      expect(await shownResult()).not.toContain("stack");
      await expect.poll(() => browserErrors.splice(0)).toEqual([expect.stringContaining("502")]);
    });
  });

  describe("the docs", () => {
    const panel = () => page.locator(".graphiql-plugin").innerText();

    it("start with a guide to this graph", async () => {
      await page.getByLabel("Show Documentation Explorer").click();
      await expect.poll(panel).toContain("Maintenance of equipment");
      for (const part of ["Identity.", "Authorization: Bearer", "Errors.", "Pages.", "Where to go", "/schema.graphql"])
        expect(await panel()).toContain(part);
      expect(await panel()).not.toContain("A GraphQL schema provides a root type");
    });

    it("show a picture of the types that leads to their docs", async () => {
      expect(await page.locator(".type-picture path").count()).toBeGreaterThan(15);
      await page.getByRole("button", { name: "Docs of Asset" }).click();
      await expect.poll(panel).toContain("A piece of equipment.");
      await page.getByLabel("Go back to Docs").click();
      await page.locator(".graphiql-plugin").getByText("Query", { exact: true }).click();
      await expect.poll(panel).toContain("sites");
      await page.getByLabel("Go back to Docs").click();
      await page.locator(".graphiql-plugin").getByRole("button", { name: "Examples" }).click();
      await expect.poll(panel).toContain("Storekeeper");
      await page.getByLabel("Hide Examples").click();
    });
  });

  it.each(["light", "dark"] as const)("is legible in %s", async (colorScheme) => {
    const themed = await newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
    await openExplorer(themed);
    await themed.getByLabel("Show Documentation Explorer").click();
    await themed.getByText("The records").waitFor();
    await expect.poll(() => themed.locator(".root-type").count()).toBe(3);
    await execute(themed);
    await expect.poll(() => shownResult(themed)).toContain("Rotterdam Bottling");
    const [text, box] = await themed.evaluate(() =>
      [".type-picture text", ".type-picture rect"].map((selector) => {
        const [red, green, blue] = getComputedStyle(document.querySelector(selector)!).fill.match(/\d+/g)!.map(Number);
        return 0.21 * red! + 0.72 * green! + 0.07 * blue!;
      }),
    );
    expect(box! > text!).toBe(colorScheme === "light");
    expect(Math.abs(box! - text!)).toBeGreaterThan(110);
    if (colorScheme === "dark") await screenshot("explorer-dark", themed);
    await themed.context().close();
  });

  it("shows one part at a time on a phone, each over the whole width", async () => {
    const phone = await newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await openExplorer(phone);
    const parts = {
      query: phone.locator(".graphiql-query-editor .monaco-editor").first(),
      variables: phone.locator(".graphiql-editor-tool .graphiql-editor:not(.hidden)"),
      result: phone.locator(".result-window .monaco-editor").first(),
      panel: phone.locator(".graphiql-plugin"),
    };
    const choose = (name: string) => phone.locator(".phone-bar").getByRole("button", { name }).tap();
    const expectShown = async (...names: (keyof typeof parts)[]) => {
      for (const [name, part] of Object.entries(parts)) {
        const isShown = names.includes(name as keyof typeof parts);
        await expect.poll(() => part.isVisible()).toBe(isShown);
        if (!isShown) continue;
        const { x, width, height } = (await part.boundingBox())!;
        expect(x, name).toBeGreaterThanOrEqual(0);
        expect(x + width, name).toBeLessThanOrEqual(390);
        expect(width, name).toBeGreaterThan(280);
        expect(height, name).toBeGreaterThan(name === "variables" ? 100 : 300);
      }
      expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    };

    await expectShown("query", "variables");
    await execute(phone);
    await expectShown("result");
    await expect.poll(() => shownResult(phone)).toContain("Rotterdam Bottling");
    await choose("Docs");
    await expectShown("panel");
    await phone.getByText("The records").waitFor();
    await choose("Examples");
    await expectShown("panel");
    await phone.getByRole("button", { name: "What runs short" }).tap();
    await expectShown("query", "variables");
    await isInEditor("Shortages", phone);
    await screenshot("explorer-phone", phone);
    await choose("Result");
    await expectShown("result");
    await phone.context().close();
  });

  it("restores the user's own tabs", async () => {
    await openTab("Changes");
    await page.locator(".graphiql-tab-active").getByLabel("Close Tab").click();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("graphiql:tabState"))).not.toContain('"Changes"');
    const titles = await page.locator(".graphiql-tab-button").allTextContents();
    await page.reload();
    await page.locator(".graphiql-query-editor .view-line").first().waitFor();
    expect(await page.locator(".graphiql-tab-button").allTextContents()).toEqual(titles);
  });

  it("does not store a key that the user types in the browser", async () => {
    const secret = "typed-and-not-to-be-stored";
    await openTab("Calendar");
    await page.getByRole("button", { name: "Headers", exact: true }).click();
    await page.locator('section[aria-label="Headers"] .graphiql-editor:not(.hidden) .view-line').first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(authorization(secret));
    await page.keyboard.press("Control+Shift+End");
    await page.keyboard.press("Delete");
    const sent = page.waitForRequest((request) => request.headers().authorization === `Bearer ${secret}`);
    await page.route("**/graphql", (route) => route.fulfill({ json: { data: {} } }), { times: 1 });
    await execute();
    await sent;
    const history = () => page.evaluate(() => JSON.parse(localStorage.getItem("graphiql:queries") ?? "").queries);
    await expect.poll(async () => (await history()).at(-1).operationName).toBe("Calendar");
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(secret);
  });

  it("requests no other host, starts its workers, and logs no errors in the browser", async () => {
    expect([...hosts]).toEqual([new URL(gateway.url).host]);
    expect(workers.filter((url) => url.includes("/graphql.worker-"))).not.toEqual([]);
    expect(browserErrors).toEqual([]);
  });
});
