/** Addresses of every page of the console, by route, on a plant with data for each. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root } from "../../scripts/stale.mjs";
import { newPerson } from "../inventory/supply/purchases.js";
import type { Caller } from "../world.js";
import { type Plant, smallPlant } from "./plant.js";

/** Routes of the console, as its list of pages names them. */
export const routes: string[] = [...readFileSync(join(root, "console/src/pages.ts"), "utf8").matchAll(/^ {2}"(\/[^"]*)": /gm)].map(
  ([, route]) => route!,
);

export interface FullPlant extends Plant {
  /** A completed work order. */
  done: string;
  count: string;
  procedure: string;
  template: string;
  /** A component with a unit, and the unit. */
  position: string;
  unit: string;
  /** A serviceable unit that was removed. */
  removed: string;
  recall: string;
  /** A purchase order that was sent, with a late line. */
  purchase: string;
  /** A draft of a purchase order. */
  draft: string;
  /** An invoice of the purchase order with a line on hold, and a draft. */
  invoice: string;
  draftInvoice: string;
  /** Its supplier, which sells a part. */
  supplier: string;
}

/** The small plant with a meter, a template, a count, a transfer, a report, people, links and webhooks. */
export async function fullPlant(admin: Caller): Promise<FullPlant> {
  const plant = await smallPlant(admin);
  const make = async (name: string, input: object): Promise<any> => {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input!`;
    return (await admin.ask(`mutation ($input: ${type}) { ${name}(input: $input) { id } }`, { input }))[name];
  };
  const site = "Rotterdam Bottling";
  const components = [{ name: "Motor", type: "motor", components: [{ name: "Fan", type: "fan" }] }];
  const template = await make("createTemplate", { name: "Pump set", type: "pump", components });
  const count = await make("createStockCount", { site });
  const meter = await make("createMeter", { assetId: plant.pump.id, name: "Running hours", kind: "RUN_HOURS" });
  await admin.ask("mutation ($readings: [MeterReadingInput!]!) { recordMeterReadings(readings: $readings) { recorded } }", {
    readings: [100, 220].map((value, n) => ({ meterId: meter.id, value, takenAt: new Date(Date.now() - (2 - n) * 86_400_000) })),
  });
  await make("reportFault", { assetId: plant.pump.id, description: "A puddle below the pump", urgency: "HIGH" });
  const triggerConditions = [{ parameter: "vibration", threshold: 7, unit: "mm/s", operator: "GREATER_THAN" }];
  await make("createStrategy", { name: "Vibration", type: "CONDITION_BASED", applicableAssetTypes: ["pump"], triggerConditions });
  // An alert whose condition is still met.
  await admin.ask('mutation ($id: ID!) { recordReadings(readings: [{ assetId: $id, parameter: "vibration", value: 8 }]) { raised } }', {
    id: plant.pump.id,
  });
  const person = await make("createPerson", { name: "Ann Ames" });
  await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", {
    input: { name: "Tablet", role: "TECHNICIAN", principalId: person.id },
  });
  await admin.ask("mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }", {
    input: { url: "https://hooks.example.com/", description: "Planning", events: ["WORK_ORDER_CREATED"] },
  });
  const { id } = plant.order;
  await admin.ask('mutation ($id: ID!) { addLaborEntry(id: $id, input: { name: "Mads", minutes: 30, rate: 60 }) { id } }', { id });
  await admin.ask(
    'mutation ($id: ID!) { addWorkOrderCost(id: $id, input: { kind: CONTRACTOR, description: "Crane", amount: 90 }) { id } }',
    {
      id,
    },
  );
  const done = await make("createWorkOrder", { assetId: plant.pump.id, title: "Tighten the belt", type: "CORRECTIVE" });
  for (const act of ["startWorkOrder", "completeWorkOrder"])
    await admin.ask(`mutation ($id: ID!) { ${act}(id: $id) { id } }`, { id: done.id });
  const { id: position } = await make("createComponent", {
    assetId: plant.pump.id,
    name: "Bearing",
    type: "bearing",
    serialNumber: "4711",
  });
  const { units } = await admin.ask("{ units { nodes { id } } }");
  const { id: recalled } = await make("createComponent", { assetId: plant.pump.id, name: "Seal", type: "seal" });
  await make("exchangeUnit", { componentId: recalled, unit: { partId: plant.part.id, serialNumber: "B7-1" } });
  const recall = await make("openRecall", { partId: plant.part.id, serialNumbers: ["B7-1"], reason: "Hard rubber" });
  const { id: spare } = await make("createComponent", { assetId: plant.pump.id, name: "Spare seal", type: "seal" });
  await make("exchangeUnit", { componentId: spare, unit: { partId: plant.part.id, serialNumber: "B7-2" } });
  await make("exchangeUnit", { componentId: spare, reason: "PREVENTIVE" });
  const former = (await admin.ask('{ units(filter: { serialNumber: "B7-2" }) { nodes { id } } }')).units.nodes[0];
  await make("moveUnit", { unitId: former.id, state: "REMOVED", condition: "SERVICEABLE" });
  const supplier = await make("createSupplier", { name: "Seals Ltd", currency: "EUR" });
  await admin.ask("mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }", {
    input: { supplierId: supplier.id, partId: plant.part.id, partNumber: "S-1", priceBreaks: [{ quantity: 0, price: 12.5 }] },
  });
  await admin.ask("mutation { createPurchaseApprovalRule(input: { minimumAmount: 100000 }) { id } }");
  const purchase = await make("createPurchaseOrder", {
    supplierId: supplier.id,
    site,
    lines: [
      { partId: plant.part.id, quantity: 5, price: 12.5, promisedAt: "2026-01-05T12:00:00Z" },
      { description: "Crane, one day", quantity: 1, price: 900, workOrderId: plant.order.id },
    ],
  });
  for (const act of ["submit", "send"]) await admin.ask(`mutation ($id: ID!) { ${act}PurchaseOrder(id: $id) { id } }`, { id: purchase.id });
  const { caller: storekeeper } = await newPerson(admin, "Sam Store", "TECHNICIAN");
  const { purchaseOrder } = await admin.ask("query ($id: ID!) { purchaseOrder(id: $id) { lines { id } } }", { id: purchase.id });
  const receive = `mutation ($id: ID!) { receivePurchaseOrderLine(id: $id, input: { accepted: 1, rejected: 2, rejectionReason: "Scratched" }) { id } }`;
  const [{ id: orderLineId }] = purchaseOrder.lines;
  await storekeeper.ask(receive, { id: orderLineId });
  const billed = { supplierId: supplier.id, site, invoiceDate: "2026-11-01", lines: [{ orderLineId, quantity: 1, amount: 13 }] };
  const invoice = await make("createSupplierInvoice", { ...billed, number: "R-1" });
  await admin.ask("mutation ($id: ID!) { postSupplierInvoice(id: $id) { id } }", { id: invoice.id });
  const draftInvoice = await make("createSupplierInvoice", { ...billed, number: "R-2", notes: "Paid in advance" });
  const draft = await make("createPurchaseOrder", {
    supplierId: supplier.id,
    site,
    lines: [{ partId: plant.part.id, quantity: 2, price: 12.5 }],
  });
  const { procedures } = await admin.ask("{ procedures { nodes { id } } }");
  return {
    ...plant,
    done: done.id,
    count: count.id,
    procedure: procedures.nodes[0].id,
    template: template.id,
    position,
    unit: units.nodes[0].id,
    removed: former.id,
    recall: recall.id,
    purchase: purchase.id,
    draft: draft.id,
    invoice: invoice.id,
    draftInvoice: draftInvoice.id,
    supplier: supplier.id,
  };
}

/** Addresses by route. Tabs and views are addresses of their own. */
export const addressesOf = ({
  pump,
  order,
  done,
  part,
  count,
  procedure,
  template,
  position,
  unit,
  removed,
  recall,
  purchase,
  draft,
  invoice,
  draftInvoice,
  supplier,
}: FullPlant): Record<string, string[]> => {
  const views = (path: string, name: string, ...values: string[]) => [path, ...values.map((value) => `${path}?${name}=${value}`)];
  return {
    "/": ["/"],
    "/plant": ["/plant", "/plant?site=Rotterdam%20Bottling"],
    "/asset/$id": views(`/asset/${pump.id}`, "tab", "components", "work", "parts", "meters", "reliability", "history"),
    "/component/$id": [`/component/${position}`],
    "/units": ["/units"],
    "/units/$id": [`/units/${unit}`, `/units/${removed}`],
    "/recalls": ["/recalls"],
    "/recalls/$id": [`/recalls/${recall}`],
    "/purchases": views("/purchases", "view", "sent", "late", "received", "quarantine"),
    "/purchases/$id": [`/purchases/${purchase}`],
    "/purchases/new": ["/purchases/new", `/purchases/new?part=${part.id}&workOrder=${order.id}`],
    "/purchases/$id/edit": [`/purchases/${draft}/edit`],
    "/purchases/$id/print": [`/purchases/${purchase}/print`],
    "/purchases/approval": ["/purchases/approval"],
    "/purchases/invoices": views("/purchases/invoices", "view", "drafts", "all"),
    "/purchases/invoices/new": ["/purchases/invoices/new", `/purchases/invoices/new?order=${purchase}`],
    "/purchases/invoices/$id": [`/purchases/invoices/${invoice}`, `/purchases/invoices/${draftInvoice}`],
    "/purchases/invoices/$id/edit": [`/purchases/invoices/${draftInvoice}/edit`],
    "/suppliers": ["/suppliers"],
    "/suppliers/$id": [`/suppliers/${supplier}`],
    "/work": ["/work", "/work?view=requests"],
    "/work/$id": [`/work/${order.id}`, `/work/${done}`],
    "/work/new": [`/work/new?asset=${pump.id}`],
    "/work/$id/print": [`/work/${order.id}/print`],
    "/report": ["/report"],
    "/alerts": ["/alerts"],
    "/stock": views("/stock", "view", "all", "parts", "reorder", "approve", "counts", "transfers"),
    "/stock/$id": [`/stock/${part.id}`],
    "/stock/count/$id": [`/stock/count/${count}`],
    "/calendar": views("/calendar", "view", "agenda", "week"),
    "/procedures": ["/procedures"],
    "/procedures/$id": [`/procedures/${procedure}`],
    "/procedures/new": ["/procedures/new"],
    "/procedures/$id/edit": [`/procedures/${procedure}/edit`],
    "/procedures/templates": ["/procedures/templates"],
    "/procedures/templates/$id": [`/procedures/templates/${template}`],
    "/procedures/templates/new": ["/procedures/templates/new"],
    "/procedures/templates/$id/edit": [`/procedures/templates/${template}/edit`],
    "/reports": ["/reports", "/reports?view=compare", "/reports?view=purchases"],
    "/labels": views("/labels", "kind", "components", "parts", "bins"),
    "/admin": views("/admin", "tab", "webhooks", "import", "settings"),
  };
};

/** Texts that are cut off, and elements outside the page. Elements that scroll or shorten names on purpose are left out. */
export const cutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const faults: string[] = [];
    const scrolls = (one: Element) => /auto|scroll/.test(getComputedStyle(one).overflowX) || one.matches(".clip, .hidden-text, svg");
    const isScrolled = (one: Element) => {
      for (let at: Element | null = one.parentElement; at && at !== document.body; at = at.parentElement) if (scrolls(at)) return true;
      return false;
    };
    for (const one of document.querySelectorAll<HTMLElement>("main *, nav.rail *, dialog *")) {
      const { left, right, width } = one.getBoundingClientRect();
      if (!width || !one.checkVisibility() || one.closest(".hidden-text, svg, option, input, select, textarea") || isScrolled(one))
        continue;
      const { overflowX } = getComputedStyle(one);
      const isCut = !scrolls(one) && ["hidden", "clip"].includes(overflowX) && one.scrollWidth > one.clientWidth + 1;
      const isOutside = left < -1 || right > innerWidth + 1;
      const isWide = one.matches("button, .button, .chip, h1, h2, label, th, .status") && one.scrollWidth > one.clientWidth + 1;
      if (isCut || isOutside || isWide) faults.push(`${isCut ? "cut" : isOutside ? "outside" : "wider"}: ${one.outerHTML.slice(0, 200)}`);
    }
    return faults;
  });
