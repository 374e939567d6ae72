/** The console in a browser: signs in, opens pages, and counts requests. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Locator, Page, Request } from "playwright-core";
import { expect } from "vitest";
import type { Gateway } from "../world.js";

export class ConsolePage {
  /** Names of the operations sent, except subscriptions. Repeats count once, because a page reloads after changes of others. */
  readonly operations: string[] = [];
  readonly problems: string[] = [];
  readonly hosts = new Set<string>();
  /** GraphQL requests without a response so far. */
  private readonly asked = new Set<Request>();

  private constructor(
    readonly page: Page,
    readonly gateway: Gateway,
    private readonly sharesSession = false,
  ) {
    page.on("request", (request) => {
      const { protocol, host, pathname } = new URL(request.url());
      if (protocol !== "data:" && protocol !== "blob:") this.hosts.add(host);
      if (pathname !== "/graphql" || request.method() !== "POST") return;
      this.asked.add(request);
      const sent = request.postData() ?? "";
      const name = /"operationName":"(\w+)"/.exec(sent)?.[1] ?? "unnamed";
      if (this.operations.at(-1) !== name) this.operations.push(name);
    });
    page.on("requestfinished", (request) => this.asked.delete(request));
    page.on("requestfailed", (request) => this.asked.delete(request));
    page.on("pageerror", (error) => this.problems.push(`page error: ${error.message}`));
    // Violations of the Content-Security-Policy are reported as errors too.
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.problems.push(`${message.type()}: ${message.text()}`);
    });
  }

  static async open(browser: Browser, gateway: Gateway, options: BrowserContextOptions = {}): Promise<ConsolePage> {
    const context = await browser.newContext({
      viewport: { width: 1366, height: 860 },
      locale: "en-GB",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(60_000);
    return new ConsolePage(await context.newPage(), gateway);
  }

  /** Opens another tab in the same browser. */
  static async beside({ page, gateway }: ConsolePage): Promise<ConsolePage> {
    return new ConsolePage(await page.context().newPage(), gateway, true);
  }

  /** Signs in at the form. A tab beside another one is signed in by that one's session, unless it was not to be kept. */
  async signIn(key: string, path = "/", isKept = true): Promise<void> {
    if (!this.sharesSession) await this.page.context().clearCookies();
    await this.page.goto(`${this.gateway.url}/console${path}`);
    if (this.sharesSession) return;
    await this.page.getByLabel("Stay signed in on this device").setChecked(isKept);
    await this.page.getByLabel("Key", { exact: true }).fill(key);
    await this.page.getByRole("button", { name: "Sign in" }).click();
  }

  /**
   * Navigates without a reload, which would forget the key, and without the question about unsaved changes. Returns the operations sent
   * until the page was idle.
   */
  async go(path: string, heading?: string | RegExp): Promise<string[]> {
    this.operations.length = 0;
    await this.page.evaluate((to) => history.pushState({}, "", `/console${to}`), path);
    if (heading) await this.page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await this.isQuiet();
    return [...this.operations];
  }

  /** The open dialog, or the first of several. */
  get dialog(): Locator {
    return this.page.getByRole("dialog").first();
  }

  /** Resolves once the dialog has closed and no request is pending. */
  async dialogIsClosed(): Promise<void> {
    await this.dialog.waitFor({ state: "detached" });
    await this.isQuiet();
  }

  /** Resolves once no request is pending. */
  async isQuiet(): Promise<void> {
    await this.page.waitForLoadState("networkidle");
    await expect.poll(async () => (await this.page.locator("[aria-busy=true], .bone").count()) + this.asked.size).toBe(0);
  }

  /** Runs `act`, such as another user's change, when the page has sent the operation and before the service receives it. */
  async beforeArrival(operation: string, act: () => Promise<unknown>): Promise<void> {
    let isHeld = false;
    await this.page.route("**/graphql", async (route) => {
      if (isHeld || !route.request().postData()?.includes(`"operationName":"${operation}"`)) return route.fallback();
      isHeld = true;
      await act();
      await route.continue();
    });
  }

  /** Resolves once the page is drawn at the width, with what it requests there. */
  async resize(width: number): Promise<void> {
    await this.page.setViewportSize({ width, height: this.page.viewportSize()!.height });
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await this.isQuiet();
  }

  get address(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious axe findings on the current page. */
export async function seriousFindings(page: Page, rules: object = {}): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async (chosen) => {
    const { violations } = await (window as any).axe.run(chosen);
    return violations
      .filter(({ impact }: any) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }: any) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
  }, rules);
}

/** Findings of any impact on the current page by the rules of WCAG 2.2 AA, or by the named rules. */
export async function findings(page: Page, only?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async (names) => {
    // Bars that stay at the bottom cover what is below them until the page is scrolled.
    if (document.querySelector(".actions.stays")) scrollTo(0, document.documentElement.scrollHeight);
    const level = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const options = names ? { runOnly: names } : { runOnly: level, rules: { "target-size": { enabled: true } } };
    const { violations } = await (window as any).axe.run(options);
    return violations.flatMap(({ id, nodes }: any) =>
      nodes.slice(0, 3).map(({ html, failureSummary }: any) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
    );
  }, only);
}

/** Checks contrast only, because dark mode differs only in colors. */
export async function expectContrastInDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  expect(await seriousFindings(page, { runOnly: ["color-contrast"] })).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

export const widthOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
