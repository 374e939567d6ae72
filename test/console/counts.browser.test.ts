/** Stock counts in the console, from the sheet to the approval. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();
const site = "Rotterdam Bottling";

describe.runIf(hasBrowser)(`stock counts of the console in ${CHROMIUM}`, () => {
  let manager: Caller;
  let other: Caller;
  let browser: Browser;
  let open: ConsolePage;
  /** The id of the count that the tests work through. */
  let id: string;

  const sheet = async (count = id) =>
    (
      await manager.ask(
        `query ($id: ID!) { stockCount(id: $id) { status blind reason approvedAt rejectedAt decisionReason
           lines { nodes { part { name } counted difference round current countedByPrincipal { id } } } } }`,
        { id: count },
      )
    ).stockCount;
  const countedOf = async () =>
    Object.fromEntries(
      (await sheet()).lines.nodes.filter(({ current }: any) => current).map((line: any) => [line.part.name, line.counted]),
    );
  const quantities = async () =>
    Object.fromEntries(
      (await manager.ask("{ inventory { nodes { quantity part { name } } } }")).inventory.nodes.map(({ part, quantity }: any) => [
        part.name,
        quantity,
      ]),
    );
  const line = (name: string) => open.page.getByRole("listitem").filter({ hasText: name });

  beforeAll(async () => {
    manager = await gateway.newTenant();
    other = await manager.as("manager");
    for (const [n, name] of ["Ball bearing", "Filter", "Shaft seal", "V-belt"].entries())
      await manager.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
        input: { name, partNumber: `P-${n}`, site, stockLevel: 10, unitCost: 5, currency: "EUR", location: n < 3 ? `A-0${n}` : "B-01" },
      });
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway);
    await open.signIn(manager.key, "/stock?view=counts");
    await open.page.getByText("No counts yet").waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("creates the sheet of a part of the store, and reports an empty one", async () => {
    await open.page.getByRole("button", { name: "New count" }).click();
    const dialog = open.page.getByRole("dialog");
    await dialog.getByLabel("What to count").selectOption({ label: "Part of the store" });
    await dialog.getByLabel("Locations that begin with").fill("Z-");
    await dialog.getByRole("button", { name: "Create count" }).click();
    await dialog.getByText("has no stock in this scope").waitFor();
    expect((await manager.ask("{ stockCounts { totalCount } }")).stockCounts.totalCount).toBe(0);
    await dialog.getByLabel("Locations that begin with").fill("A-");
    await dialog.getByLabel("Reason").fill("Half year");
    await dialog.getByRole("button", { name: "Create count" }).click();
    await open.page.getByRole("heading", { level: 1, name: `Count 1 ${site}` }).waitFor();
    id = open.address.split("/").at(-1)!;
    await expect.poll(() => sheet()).toMatchObject({ status: "OPEN", blind: false, reason: "Half year" });
    expect(await countedOf()).toEqual({ "Ball bearing": null, Filter: null, "Shaft seal": null });
  });

  it("creates a sheet of chosen parts with the keyboard, as a blind draft, and cancels it", async () => {
    await open.go("/stock?view=counts", "Stock");
    await open.page.getByRole("button", { name: "New count" }).click();
    const dialog = open.page.getByRole("dialog");
    await dialog.getByLabel("What to count").selectOption({ label: "Chosen parts" });
    await dialog.getByLabel("Find parts to count").fill("belt");
    await dialog.getByRole("button", { name: "V-belt" }).waitFor();
    await open.page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Remove V-belt" }).waitFor();
    await dialog.getByLabel("Blind").check();
    await dialog.getByLabel("Save as a draft").check();
    await dialog.getByRole("button", { name: "Create count" }).click();
    await open.page.getByRole("heading", { level: 1, name: "Count 2" }).waitFor();
    const second = open.address.split("/").at(-1)!;
    await expect
      .poll(() => sheet(second))
      .toMatchObject({ status: "DRAFT", blind: true, lines: { nodes: [{ part: { name: "V-belt" } }] } });
    expect(await open.page.getByRole("textbox", { name: /^Counted of/ }).count()).toBe(0);
    await open.page.getByRole("button", { name: "Cancel the count" }).click();
    await open.page.getByRole("dialog").getByRole("button", { name: "Cancel the count" }).click();
    await open.page.locator("main .status.filled").getByText("Cancelled").waitFor();
    await expect.poll(async () => (await sheet(second)).status).toBe("CANCELLED");
  });

  it("stores each number on entry, and shows it before the response", async () => {
    expect(await open.go(`/stock/count/${id}`, "Count 1")).toEqual(["CountPage"]);
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await open.page.route("**/graphql", async (route) => {
      if (route.request().postData()?.includes("RecordCount")) await held;
      await route.continue();
    });
    await open.page.getByLabel("Counted of Ball bearing at A-00").fill("10");
    await open.page.keyboard.press("Enter");
    // The focus moves to the next field, and the line is shown as counted.
    await line("Ball bearing").getByText("Counted", { exact: true }).waitFor();
    expect(await open.page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Counted of Filter at A-01");
    expect((await countedOf())["Ball bearing"]).toBe(null);
    answer();
    await line("Ball bearing").getByText("as in the books").waitFor();
    await open.page.unroute("**/graphql");
    await open.page.keyboard.type("12,5");
    await line("Filter").getByText("+2.5 to the books").waitFor();
    await open.page.keyboard.press("Enter");
    await line("Filter").getByText("+2.5", { exact: true }).waitFor();
    expect(await countedOf()).toEqual({ "Ball bearing": 10, Filter: 12.5, "Shaft seal": null });
    await open.page.getByRole("button", { name: "Differing 1" }).click();
    await expect.poll(() => open.address).toBe(`/console/stock/count/${id}?show=differing`);
    await expect.poll(() => open.page.locator(".count-line").count()).toBe(1);
    await open.page.getByRole("button", { name: "To count 1" }).click();
    await expect.poll(() => open.page.locator(".count-line .title").allTextContents()).toEqual(["Shaft seal"]);
  });

  it("restores a rejected number, with the reason, and changes nothing", async () => {
    await open.go(`/stock/count/${id}`, "Count 1");
    const { node } = await manager.ask(
      "query ($id: ID!) { node(id: $id) { ... on StockCount { lines { nodes { partId part { name } } } } } }",
      { id },
    );
    const { partId } = node.lines.nodes.find(({ part }: any) => part.name === "Shaft seal");
    await other.ask("mutation ($id: ID!, $lines: [CountedLineInput!]!) { recordCount(id: $id, lines: $lines) { id } }", {
      id,
      lines: [{ partId, counted: 7 }],
    });
    const before = await sheet();
    await open.page.getByLabel("Counted of Shaft seal at A-02").fill("9");
    await open.page.getByRole("button", { name: "Save the count of Shaft seal" }).click();
    await line("Shaft seal").getByRole("alert").getByText("already counted; request a recount").waitFor();
    expect(await open.page.getByLabel("Counted of Shaft seal at A-02").inputValue()).toBe("9");
    await expect.poll(() => sheet()).toEqual(before);
    await open.page.getByLabel("Counted of Shaft seal at A-02").fill("x");
    await line("Shaft seal").getByText("Not a number").waitFor();
  });

  it("requests a recount of a line", async () => {
    await open.go("/stock", "Stock");
    await open.go(`/stock/count/${id}`, "Count 1");
    await line("Shaft seal").getByText("-3", { exact: true }).waitFor();
    await open.page.getByRole("button", { name: "Count Shaft seal again" }).click();
    await line("Shaft seal").getByText("count 2").waitFor();
    expect((await countedOf())["Shaft seal"]).toBe(null);
    await open.page.getByLabel("Counted of Ball bearing").waitFor({ state: "detached" });
  });

  it("posts only if uncounted lines are left out on purpose, and requires a decision by somebody else", async () => {
    const stock = await quantities();
    await open.page.getByRole("button", { name: "Post", exact: true }).click();
    const post = open.page.getByRole("button", { name: "Post the count" });
    expect(await post.isDisabled()).toBe(true);
    await open.page.getByLabel("Leave the uncounted line unchanged").check();
    await post.click();
    await open.page.locator("main .status.filled").getByText("Waiting for approval").waitFor();
    await open.page.getByText("Your own: someone else must approve it").waitFor();
    await expect.poll(() => sheet()).toMatchObject({ status: "POSTED", approvedAt: null });
    expect(await quantities()).toEqual({ ...stock, Filter: 12.5 });

    const approver = await ConsolePage.open(browser, gateway, { viewport: { width: 375, height: 812 } });
    await approver.signIn((await manager.as("manager")).key, "/stock?view=approve");
    await approver.page.getByRole("link", { name: `Count 1 ${site}` }).click();
    await approver.page.getByRole("button", { name: "Reject" }).click();
    await approver.page.getByLabel("Why").fill("Counted the wrong shelf");
    await approver.page.getByRole("button", { name: "Reject the count" }).click();
    await approver.page.locator("main .status.filled").getByText("Rejected").waitFor();
    await approver.close();
    await expect.poll(() => sheet()).toMatchObject({ status: "POSTED", decisionReason: "Counted the wrong shelf", approvedAt: null });
    expect(await quantities()).toEqual(stock);
  });

  it("offers a technician only the lines", async () => {
    const { createStockCount } = await manager.ask("mutation ($input: CreateStockCountInput!) { createStockCount(input: $input) { id } }", {
      input: { site, blind: true },
    });
    const path = `/stock/count/${createStockCount.id}`;
    const technician = await ConsolePage.open(browser, gateway);
    await technician.signIn((await manager.as("technician")).key, path);
    await technician.page.getByText("Blind count:").waitFor();
    expect(await technician.page.getByText("In the books").count()).toBe(0);
    await technician.page.getByLabel("Counted of V-belt").fill("8");
    await technician.page.keyboard.press("Enter");
    await technician.page.getByRole("listitem").filter({ hasText: "V-belt" }).getByText("Counted", { exact: true }).waitFor();
    await expect
      .poll(async () => (await sheet(createStockCount.id)).lines.nodes.map(({ counted }: any) => counted))
      .toEqual([null, null, null, 8]);
    for (const name of ["Post", "Cancel the count"])
      expect(await technician.page.getByRole("button", { name, exact: true }).count()).toBe(0);
    await technician.close();
  });

  it("sends one request per page, keeps the filters in the URL, satisfies axe and fits a phone", async () => {
    const pages = ["/stock?view=counts", "/stock?view=counts&state=ended", `/stock/count/${id}`, "/stock/count/no-such"];
    for (const path of pages) {
      expect((await open.go(path)).length, path).toBe(1);
      expect(await seriousFindings(open.page), path).toEqual([]);
    }
    await open.go(`/stock/count/${id}`, "Count 1");
    await expectContrastInDark(open.page);
    await open.go("/stock?view=counts", "Stock");
    await open.page.getByRole("button", { name: "Under way" }).click();
    await expect.poll(() => open.address).toBe("/console/stock?view=counts&state=open");
    await expect.poll(() => open.page.locator(".count-entry .title").allTextContents()).toEqual([`Count 3 ${site}`]);
    await open.page.getByRole("button", { name: "New count" }).click();
    expect(await seriousFindings(open.page)).toEqual([]);
    await open.page.keyboard.press("Escape");
    await open.page.setViewportSize({ width: 375, height: 812 });
    for (const path of pages) {
      await open.go(path);
      expect(await widthOf(open.page), path).toBe(375);
    }
    // Allows for the expected rejections and missing records.
    expect(open.problems.filter((problem) => !/40[349]/.test(problem))).toEqual([]);
  });

  it("counts all lines if the responses arrive in another order", async () => {
    const create = "mutation ($input: CreateStockCountInput!) { createStockCount(input: $input) { id number } }";
    const { createStockCount: made } = await manager.ask(create, { input: { site } });
    await open.go(`/stock/count/${made.id}`, `Count ${made.number}`);
    const { page } = open;
    let onSecond = () => {};
    const second = new Promise<void>((resolve) => {
      onSecond = resolve;
    });
    let last: Promise<unknown> | undefined;
    await page.route("**/graphql", async (route) => {
      if (!route.request().postData()?.includes("RecordCount")) return route.continue();
      const isFirst = !last;
      // The service records the lines one after the other. The first response, which lacks the second line, arrives last.
      await last;
      const sent = route.fetch();
      last ??= sent;
      const response = await sent;
      if (isFirst) await second;
      await route.fulfill({ response });
      onSecond();
    });
    await page.getByLabel("Counted of Ball bearing at A-00").fill("10");
    await page.keyboard.press("Enter");
    await page.keyboard.type("10");
    await page.keyboard.press("Enter");
    await page
      .locator(".figure")
      .filter({ hasText: /^2Counted/ })
      .waitFor();
    await page.unroute("**/graphql");
    await manager.ask("mutation ($id: ID!) { cancelStockCount(id: $id) { id } }", { id: made.id });
  });
});
