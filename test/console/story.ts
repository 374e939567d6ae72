/** Stories: the work of one or several people in the console, on a desktop, a phone or with the keyboard only. Counts the clicks, fields and keys. */
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Gateway } from "../world.js";
import { ConsolePage, seriousFindings } from "./console.js";

/** `keyboard` is a desktop without a mouse. */
export type Device = "desktop" | "phone" | "keyboard";
type Count = "clicks" | "fields" | "keys";

const screens: Record<Device, BrowserContextOptions> = {
  desktop: {},
  keyboard: {},
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
/** A page with more stops than this between two actions is tiresome with the keyboard. */
const longestWay = 60;

/** Runs in the page. Letters in fields count as one field, and a press of a label as one click. */
function countActions(): void {
  let last: EventTarget | null = null;
  const count = (what: Count) => void (window as any).countAction?.(what);
  const isTyped = (target: EventTarget | null) =>
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit"].includes(target.type));
  addEventListener("pointerdown", (event) => event.isTrusted && count("clicks"), true);
  addEventListener("keydown", ({ key, target }) => (key.length > 1 || (key === " " && !isTyped(target))) && count("keys"), true);
  addEventListener(
    "input",
    ({ target }) => {
      if (!isTyped(target) || target === last) return;
      last = target;
      count("fields");
    },
    true,
  );
}

/** The focused element, and whether a user can see it and its focus. */
const focusOf = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (!at || at === document.body) return { name: "", isShown: true };
    const { outlineStyle, boxShadow } = getComputedStyle(at);
    const box = at.getBoundingClientRect();
    const isInView = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return { name: at.outerHTML.slice(0, 160), isShown: isInView && (outlineStyle !== "none" || boxShadow !== "none") };
  });

export class Story {
  readonly counts: Record<Count, number> = { clicks: 0, fields: 0, keys: 0 };
  readonly pages: ConsolePage[] = [];
  /** Elements that received the focus without showing it, or where the focus was lost. */
  readonly faults: string[] = [];
  private since = 0;
  private milliseconds = 0;

  constructor(
    readonly name: string,
    readonly device: Device,
    private readonly browser: Browser,
    private readonly gateway: Gateway,
    private readonly options: BrowserContextOptions = {},
  ) {}

  /** Signs a person in on a device of their own. Counting starts afterwards, and stops during other sign-ins. */
  async signIn(key: string, path: string, heading?: string | RegExp): Promise<ConsolePage> {
    this.pause();
    const own = await ConsolePage.open(this.browser, this.gateway, { ...screens[this.device], ...this.options });
    this.pages.push(own);
    await own.signIn(key, path);
    await own.page
      .getByRole("heading", { level: 1, ...(heading && { name: heading }) })
      .first()
      .waitFor();
    await own.isQuiet();
    await own.page.exposeFunction("countAction", (what: Count) => {
      if (this.since) this.counts[what]++;
    });
    await own.page.addInitScript(countActions);
    await own.page.evaluate(countActions);
    this.since = Date.now();
    return own;
  }

  /** Presses a button, link, checkbox or option as the device's user does. */
  async press(target: Locator): Promise<void> {
    if (this.device === "keyboard") {
      await this.focus(target);
      const isToggle = await target.evaluate((one) => one instanceof HTMLInputElement && ["checkbox", "radio"].includes(one.type));
      await target.page().keyboard.press(isToggle ? "Space" : "Enter");
    } else if (this.device === "phone") await target.tap();
    else await target.click();
  }

  /** Presses a button of the dialog that closes it. */
  async send(own: ConsolePage, verb: string): Promise<void> {
    await this.press(own.dialog.getByRole("button", { name: verb, exact: true }));
    await own.dialogIsClosed();
  }

  /** Types into a field. Dates and times are set at once. */
  async fill(target: Locator, text: string): Promise<void> {
    if (this.device === "keyboard") await this.focus(target);
    await target.fill(text);
  }

  /** Chooses from a list of a form by its label. With the keyboard, a typed beginning of the label selects the option. */
  async choose(target: Locator, label: string): Promise<void> {
    if (this.device !== "keyboard") return void (await target.selectOption({ label }));
    await this.focus(target);
    await target.page().keyboard.type(label);
    await expect.poll(() => target.evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.label)).toBe(label);
  }

  /** Moves the focus to the target with Tab, or Shift+Tab if it is earlier on the page. Each stop must be visible. */
  async focus(target: Locator): Promise<void> {
    await target.waitFor();
    const page = target.page();
    const isBackward = await target.evaluate((one) => {
      const at = document.activeElement;
      return !!at && at !== document.body && !!(one.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING);
    });
    const passed: string[] = [];
    while (!(await target.evaluate((one) => one === document.activeElement))) {
      if (passed.length >= longestWay) throw new Error(`${target} was not reached with Tab:\n${passed.join("\n")}`);
      await page.keyboard.press(isBackward ? "Shift+Tab" : "Tab");
      const { name, isShown } = await focusOf(page);
      passed.push(name);
      if (!isShown) this.faults.push(`focus is not visible: ${name}`);
    }
  }

  /** Notes a fault if the focus was lost, such as after a dialog closed or a pressed button disappeared. */
  async keepsFocus({ page }: ConsolePage, after: string): Promise<void> {
    if (this.device !== "keyboard") return;
    if (!(await focusOf(page)).name) this.faults.push(`focus is lost: ${after}`);
  }

  /** Checks accessibility at the current state. The time is not counted. */
  async passes({ page }: ConsolePage): Promise<void> {
    this.pause();
    expect(await seriousFindings(page)).toEqual([]);
    this.resume();
  }

  pause(): void {
    if (this.since) this.milliseconds += Date.now() - this.since;
    this.since = 0;
  }

  resume(): void {
    this.since = Date.now();
  }

  /** Prints the counts, and expects no errors in the browser except those that `isExpected` accepts. */
  async end(isExpected: (problem: string) => boolean = () => false): Promise<void> {
    this.pause();
    const { clicks, fields, keys } = this.counts;
    const actions = this.device === "keyboard" ? `${keys} keys` : `${clicks} clicks`;
    const seconds = (this.milliseconds / 1000).toFixed(1);
    console.log(`story ${this.name} (${this.device}): ${actions}, ${fields} fields, ${seconds} s`);
    expect(this.faults).toEqual([]);
    if (this.device === "keyboard") expect(clicks).toBe(0);
    expect(this.pages.flatMap(({ problems }) => problems).filter((one) => !isExpected(one))).toEqual([]);
    await Promise.all(this.pages.map((one) => one.close()));
  }
}
