/** The module of each page by its route. The entry loads the module of its address beside the app. */
import type { ComponentType } from "react";

export const pages = {
  "/": async () => (await import("./pages/home/home.js")).Home,
  "/plant": async () => (await import("./pages/plant/plant.js")).Plant,
  "/asset/$id": async () => (await import("./pages/asset/asset.js")).AssetPage,
  "/component/$id": async () => (await import("./pages/units/position.js")).PositionPage,
  "/units": async () => (await import("./pages/units/workshop.js")).WorkshopPage,
  "/units/$id": async () => (await import("./pages/units/unit.js")).UnitPage,
  "/recalls": async () => (await import("./pages/recalls/recalls.js")).RecallsPage,
  "/recalls/$id": async () => (await import("./pages/recalls/recall.js")).RecallPage,
  "/purchases": async () => (await import("./pages/purchases/purchases.js")).PurchasesPage,
  "/purchases/new": async () => (await import("./pages/purchases/new-purchase.js")).NewPurchasePage,
  "/purchases/$id": async () => (await import("./pages/purchases/purchase.js")).PurchasePage,
  "/purchases/$id/edit": async () => (await import("./pages/purchases/edit-purchase.js")).EditPurchasePage,
  "/purchases/$id/print": async () => (await import("./pages/purchases/printed-purchase.js")).PrintedPurchasePage,
  "/purchases/approval": async () => (await import("./pages/purchases/approval.js")).ApprovalPage,
  "/purchases/invoices": async () => (await import("./pages/invoices/invoices.js")).InvoicesPage,
  "/purchases/invoices/new": async () => (await import("./pages/invoices/new-invoice.js")).NewInvoicePage,
  "/purchases/invoices/$id": async () => (await import("./pages/invoices/invoice.js")).InvoicePage,
  "/purchases/invoices/$id/edit": async () => (await import("./pages/invoices/edit-invoice.js")).EditInvoicePage,
  "/suppliers": async () => (await import("./pages/suppliers/suppliers.js")).SuppliersPage,
  "/suppliers/$id": async () => (await import("./pages/suppliers/supplier.js")).SupplierPage,
  "/work": async () => (await import("./pages/work/work.js")).WorkPage,
  "/work/$id": async () => (await import("./pages/work/order.js")).OrderPage,
  "/work/new": async () => (await import("./pages/work/new-order.js")).NewOrderPage,
  "/work/$id/print": async () => {
    // The encoder of the code is needed without a connection too.
    const [{ PrintedOrderPage }] = await Promise.all([import("./pages/work/printed-order.js"), import("uqr")]);
    return PrintedOrderPage;
  },
  "/report": async () => (await import("./pages/work/report.js")).ReportPage,
  "/alerts": async () => (await import("./pages/alerts/alerts.js")).AlertsPage,
  "/stock": async () => (await import("./pages/stock/stock.js")).StockPage,
  "/stock/$id": async () => (await import("./pages/stock/part.js")).PartPage,
  "/stock/count/$id": async () => (await import("./pages/stock/count.js")).CountPage,
  "/calendar": async () => (await import("./pages/calendar/calendar.js")).CalendarPage,
  "/procedures": async () => (await import("./pages/procedures/procedures.js")).ProceduresPage,
  "/procedures/$id": async () => (await import("./pages/procedures/procedure.js")).ProcedurePage,
  "/procedures/new": async () => (await import("./pages/procedures/new-procedure.js")).NewProcedurePage,
  "/procedures/$id/edit": async () => (await import("./pages/procedures/edit-procedure.js")).EditProcedurePage,
  "/procedures/templates": async () => (await import("./pages/templates/templates.js")).TemplatesPage,
  "/procedures/templates/$id": async () => (await import("./pages/templates/template.js")).TemplatePage,
  "/procedures/templates/new": async () => (await import("./pages/templates/new-template.js")).NewTemplatePage,
  "/procedures/templates/$id/edit": async () => (await import("./pages/templates/edit-template.js")).EditTemplatePage,
  "/reports": async () => (await import("./pages/reports/reports.js")).ReportsPage,
  "/labels": async () => (await import("./pages/labels/labels.js")).LabelsPage,
  "/admin": async () => (await import("./pages/admin/admin.js")).AdminPage,
} satisfies Record<string, () => Promise<ComponentType>>;
export type PagePath = keyof typeof pages;

const fits = (route: string, path: string): boolean => new RegExp(`^/console${route.replace(/\$id/g, "[^/]+")}/?$`).test(path);

/** Loads the module of an address. Fixed names come before ids. */
export function loadPage(path: string): void {
  const routes = (Object.keys(pages) as PagePath[]).filter((route) => fits(route, path));
  const route = routes.sort((a, b) => Number(a.includes("$")) - Number(b.includes("$")))[0];
  if (route) pages[route]().catch(() => undefined);
}
