/** A phone that shows the console. */
export const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, locale: "en-GB" };

export async function signedIn(browser, address, key) {
  const context = await browser.newContext(phone);
  const page = await context.newPage();
  await page.goto(`${address}/console/`);
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  return { context, page };
}
