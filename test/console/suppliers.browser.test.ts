/** Suppliers, approval rules and delegations in the console. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { newPerson, orderOk, stepOk, supplied } from "../inventory/supply/purchases.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { startGateway } from "../world.js";
import type { ConsolePage } from "./console.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`suppliers in the console in ${CHROMIUM}`, () => {
  let browser: Browser;

  const field = (own: ConsolePage, name: string) => own.dialog.getByLabel(name, { exact: true });

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it("creates a supplier with a part, changes and removes it, and deactivates the supplier", async () => {
    const admin = await gateway.newTenant();
    await admin.ask('mutation { createPart(input: { partNumber: "6204", name: "Ball bearing", unitOfMeasure: EACH }) { id } }');
    const { caller } = await newPerson(admin, "Ann");
    const story = new Story("a supplier", "keyboard", browser, gateway);
    const own = await story.signIn(caller.key, "/purchases", "Purchases");
    const { page } = own;
    const main = page.getByRole("main");
    await story.press(main.getByRole("link", { name: "Suppliers" }));
    await story.press(main.getByRole("button", { name: "New supplier" }));
    for (const [name, value] of [
      ["Name", "SKF"],
      ["Supplier number", "L-100"],
      ["Currency", "EUR"],
      ["Email address", "orders@example.com"],
      ["Payment terms", "30 days net"],
    ] as const)
      await story.fill(field(own, name), value);
    await story.passes(own);
    await story.send(own, "Create supplier");
    await page.getByRole("heading", { level: 1, name: "SKF" }).waitFor();

    await story.press(main.getByRole("button", { name: "Add a part" }));
    await story.fill(field(own, "Part"), "6204");
    await story.press(own.dialog.getByRole("button", { name: "Ball bearing" }));
    for (const [name, value] of [
      ["Supplier's part number", "6204-S"],
      ["Order unit", "box"],
      ["Quantity in an order unit", "12"],
      ["Pack, order units", "2"],
      ["Minimum, order units", "4"],
      ["Lead time, days", "7"],
      ["Prices of an order unit", "10: 28.50\n0: 30"],
    ] as const)
      await story.fill(field(own, name), value);
    await story.press(field(own, "Preferred supplier of the part"));
    await story.passes(own);
    await story.send(own, "Save");
    const parts = page.getByRole("region", { name: "Parts" });
    await expect
      .poll(() => parts.innerText())
      .toMatch(
        /Ball bearing.*6204 · Supplier's number 6204-S · box of 12 each · a multiple of 2 · at least 4 · 7 days.*€30\.00, from 10: €28\.50.*Preferred/s,
      );
    const stored = async () =>
      (
        await admin.ask(`{ suppliers { nodes { name number currency isActive paymentTerms contact { email phone } parts { nodes {
           partNumber orderUnit unitFactor packSize minimumQuantity leadTime isPreferred priceBreaks { quantity price } } } } } }`)
      ).suppliers.nodes;
    const sold = {
      partNumber: "6204-S",
      orderUnit: "box",
      unitFactor: 12,
      packSize: 2,
      minimumQuantity: 4,
      leadTime: 7,
      isPreferred: true,
      priceBreaks: [
        { quantity: 0, price: 30 },
        { quantity: 10, price: 28.5 },
      ],
    };
    const skf = {
      name: "SKF",
      number: "L-100",
      currency: "EUR",
      isActive: true,
      paymentTerms: "30 days net",
      contact: { email: "orders@example.com", phone: null },
    };
    expect(await stored()).toEqual([{ ...skf, parts: { nodes: [sold] } }]);

    await story.press(parts.getByRole("button", { name: "Edit Ball bearing" }));
    expect(await field(own, "Prices of an order unit").inputValue()).toBe("0: 30\n10: 28.5");
    await story.fill(field(own, "Prices of an order unit"), "0: 31");
    await story.send(own, "Save");
    expect(await stored()).toEqual([{ ...skf, parts: { nodes: [{ ...sold, priceBreaks: [{ quantity: 0, price: 31 }] }] } }]);

    await story.press(parts.getByRole("link", { name: "Ball bearing" }));
    await page.getByRole("heading", { level: 1, name: "Ball bearing" }).waitFor();
    await own.isQuiet();
    await story.press(main.getByRole("region", { name: "Suppliers" }).getByRole("link", { name: "SKF" }));
    await page.getByRole("heading", { level: 1, name: "SKF" }).waitFor();
    await story.press(parts.getByRole("button", { name: "Remove Ball bearing" }));
    await story.send(own, "Remove");
    expect(await stored()).toEqual([{ ...skf, parts: { nodes: [] } }]);
    await story.press(main.getByRole("button", { name: "Deactivate" }));
    await main.getByRole("button", { name: "Reactivate" }).waitFor();
    expect(await stored()).toEqual([{ ...skf, isActive: false, parts: { nodes: [] } }]);
    await story.end();
  });

  it("creates, edits and deletes rules, and delegates approvals until a day", async () => {
    const admin = await gateway.newTenant();
    const { supplierId, partId } = await supplied(admin);
    const [ann, bob] = [await newPerson(admin, "Ann"), await newPerson(admin, "Bob")];
    const lines = [{ partId, quantity: 10 }];
    await orderOk(ann.caller, { supplierId, site: "North", lines });
    const order = await orderOk(admin, { supplierId, site: "North", lines });
    const story = new Story("approval rules", "phone", browser, gateway);
    const own = await story.signIn(admin.key, "/purchases/approval", "Approval");
    const rules = own.page.getByRole("region", { name: "Rules" });
    await story.press(rules.getByRole("button", { name: "New rule" }));
    await story.fill(field(own, "Amount from which it applies, EUR"), "250");
    await story.choose(field(own, "Approver"), "Bob");
    await story.passes(own);
    await story.send(own, "Create rule");
    await expect.poll(() => rules.innerText()).toMatch(/From €250\.00.*All parts and services · All sites · Approver: Bob/s);
    expect((await stepOk(admin, "submit", order.id)).status).toBe("AWAITING_APPROVAL");

    const manager = await story.signIn(bob.caller.key, "/purchases/approval", "Approval");
    expect(await manager.page.getByRole("button", { name: /rule/ }).count()).toBe(0);
    await story.press(manager.page.getByRole("button", { name: "Delegate my approvals" }));
    await story.choose(field(manager, "Person"), "Ann");
    await story.fill(field(manager, "Last day"), "2040-03-01");
    await story.passes(manager);
    await story.send(manager, "Delegate");
    const delegations = manager.page.getByRole("region", { name: "Delegations" });
    await expect.poll(() => delegations.innerText()).toMatch(/Ann approves for Bob.*until 2 Mar 2040/s);
    // Ann approves for Bob, whom the rule names.
    expect((await stepOk(ann.caller, "approve", order.id)).approvedFor).toBe(bob.id);
    await story.press(delegations.getByRole("button", { name: "End now" }));
    await delegations.getByText("Nobody approves for another person.").waitFor();
    const { purchaseDelegations } = await admin.ask("{ purchaseDelegations(filter: { active: true }) { nodes { id } } }");
    expect(purchaseDelegations.nodes).toEqual([]);

    await story.press(rules.getByRole("button", { name: "Edit the rule from €250.00" }));
    await story.fill(field(own, "Amount from which it applies, EUR"), "300");
    await story.fill(field(own, "Category"), "Bearings");
    await story.send(own, "Save");
    await expect.poll(() => rules.innerText()).toMatch(/From €300\.00.*Bearings · All sites · Approver: Bob/s);
    const { purchaseApprovalRules } = await admin.ask(
      "{ purchaseApprovalRules { nodes { minimumAmount category site approver { name } } } }",
    );
    expect(purchaseApprovalRules.nodes).toEqual([{ minimumAmount: 300, category: "Bearings", site: null, approver: { name: "Bob" } }]);

    await story.press(rules.getByRole("button", { name: "Delete the rule from €300.00" }));
    await story.send(own, "Delete");
    await rules.getByText("No rules. Submitted orders are approved at once.").waitFor();
    expect((await admin.ask("{ purchaseApprovalRules { nodes { id } } }")).purchaseApprovalRules.nodes).toEqual([]);
    await story.end();
  });
});
