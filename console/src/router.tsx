/** Routes. Search parameters are validated here, and unknown parameters are dropped. */
import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { page } from "./load-page.js";
import { LoadingCard } from "./parts/states.js";
import { dayText, known, monthText, oneOf, type Raw, text, texts } from "./search-values.js";
import { Broken } from "./shell/broken.js";
import { Frame } from "./shell/frame.js";
import { NotFound } from "./shell/not-found.js";

const assetStatus = oneOf("OPERATIONAL", "MAINTENANCE", "OFFLINE", "PENDING", "DECOMMISSIONED");
const assetSort = oneOf("name", "status", "criticality", "due", "changed");
const assetTab = oneOf("components", "work", "parts", "meters", "reliability", "history");
const alertView = oneOf("open", "acknowledged", "in_progress", "resolved", "dismissed", "all");
const severity = oneOf("CRITICAL", "WARNING", "INFO");
const unitState = oneOf("INSTALLED", "WITH_WORK_ORDER", "IN_STOCK", "IN_TRANSIT", "REMOVED", "IN_REPAIR", "SCRAPPED", "LOST");
const purchaseView = oneOf("approve", "drafts", "approved", "sent", "late", "received", "quarantine", "cancelled");
const invoiceView = oneOf("drafts", "posted", "all");
const workView = oneOf("requests");
const workDue = oneOf("overdue", "today");
const requestView = oneOf("decided", "mine");

const stockView = oneOf("all", "parts", "reorder", "approve", "counts", "transfers");
const countState = oneOf("open", "pending", "ended");
const countShow = oneOf("todo", "differing");

const procedureStatus = oneOf("DRAFT", "INACTIVE", "ARCHIVED");

const reportMonths = oneOf("3", "6", "12", "24");

const labelKind = oneOf("components", "parts", "bins");
const labelSheet = oneOf("a4x24", "a4x14", "single");

const adminTab = oneOf("people", "webhooks", "import", "settings");

/** Keys that expire soon, and webhooks that fail. */
const adminShow = oneOf("expiring", "failing");

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const plantSearch = ({ site, area, status, q, sort }: Raw) =>
  known({ site: text(site), area: text(area), status: assetStatus(status), q: text(q), sort: assetSort(sort) });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: plantSearch,
  // Links of releases in which the plant was the first page.
  beforeLoad: ({ search }) => {
    if (Object.values(search).some((value) => value !== undefined)) throw redirect({ to: "/plant", search, replace: true });
  },
  component: page(["assets", "reportFault"], "/"),
});

const plant = createRoute({
  getParentRoute: () => root,
  path: "/plant",
  validateSearch: plantSearch,
  component: page(["assets", "reportFault"], "/plant"),
});

const asset = createRoute({
  getParentRoute: () => root,
  path: "/asset/$id",
  validateSearch: ({ tab, component, rows }: Raw) => known({ tab: assetTab(tab), component: text(component), rows: text(rows) }),
  // A requester who opens a label reports the fault.
  component: page(["assets", "reportFault"], "/asset/$id"),
});

const component = createRoute({
  getParentRoute: () => root,
  path: "/component/$id",
  validateSearch: ({ act }: Raw) => known({ act: oneOf("exchange")(act) }),
  component: page(["units"], "/component/$id"),
});

const units = createRoute({
  getParentRoute: () => root,
  path: "/units",
  validateSearch: ({ site, q }: Raw) => known({ site: text(site), q: text(q) }),
  component: page(["units"], "/units"),
});

const unit = createRoute({
  getParentRoute: () => root,
  path: "/units/$id",
  component: page(["units"], "/units/$id"),
});

const recalls = createRoute({
  getParentRoute: () => root,
  path: "/recalls",
  component: page(["recalls"], "/recalls"),
});

const recall = createRoute({
  getParentRoute: () => root,
  path: "/recalls/$id",
  validateSearch: ({ state }: Raw) => known({ state: unitState(state) }),
  component: page(["recalls"], "/recalls/$id"),
});

const purchases = createRoute({
  getParentRoute: () => root,
  path: "/purchases",
  validateSearch: ({ view, site, supplier }: Raw) => known({ view: purchaseView(view), site: text(site), supplier: text(supplier) }),
  component: page(["purchaseOrders"], "/purchases"),
});

const purchase = createRoute({
  getParentRoute: () => root,
  path: "/purchases/$id",
  component: page(["purchaseOrders"], "/purchases/$id"),
});

const newPurchase = createRoute({
  getParentRoute: () => root,
  path: "/purchases/new",
  validateSearch: ({ part, workOrder, supplier }: Raw) => known({ part: text(part), workOrder: text(workOrder), supplier: text(supplier) }),
  component: page(["createPurchaseOrder"], "/purchases/new"),
});

const editPurchase = createRoute({
  getParentRoute: () => root,
  path: "/purchases/$id/edit",
  component: page(["updatePurchaseOrder"], "/purchases/$id/edit"),
});

const approval = createRoute({
  getParentRoute: () => root,
  path: "/purchases/approval",
  component: page(["purchaseOrders"], "/purchases/approval"),
});

const invoices = createRoute({
  getParentRoute: () => root,
  path: "/purchases/invoices",
  validateSearch: ({ view, site, supplier }: Raw) => known({ view: invoiceView(view), site: text(site), supplier: text(supplier) }),
  component: page(["supplierInvoices"], "/purchases/invoices"),
});

const newInvoice = createRoute({
  getParentRoute: () => root,
  path: "/purchases/invoices/new",
  validateSearch: (search: Raw) => known({ order: text(search.order) }),
  component: page(["createSupplierInvoice"], "/purchases/invoices/new"),
});

const invoice = createRoute({
  getParentRoute: () => root,
  path: "/purchases/invoices/$id",
  component: page(["supplierInvoices"], "/purchases/invoices/$id"),
});

const editInvoice = createRoute({
  getParentRoute: () => root,
  path: "/purchases/invoices/$id/edit",
  component: page(["updateSupplierInvoice"], "/purchases/invoices/$id/edit"),
});

const suppliers = createRoute({
  getParentRoute: () => root,
  path: "/suppliers",
  validateSearch: ({ q }: Raw) => known({ q: text(q) }),
  component: page(["suppliers"], "/suppliers"),
});

const supplier = createRoute({
  getParentRoute: () => root,
  path: "/suppliers/$id",
  component: page(["suppliers"], "/suppliers/$id"),
});

const printedPurchase = createRoute({
  getParentRoute: () => root,
  path: "/purchases/$id/print",
  component: page(["purchaseOrders"], "/purchases/$id/print"),
});

const work = createRoute({
  getParentRoute: () => root,
  path: "/work",
  validateSearch: ({ view, reports, person, who, due }: Raw) =>
    known({ view: workView(view), reports: requestView(reports), person: text(person), who: text(who), due: workDue(due) }),
  component: page(["workOrders", "reportFault"], "/work"),
});

const order = createRoute({
  getParentRoute: () => root,
  path: "/work/$id",
  component: page(["workOrders"], "/work/$id"),
});

const newOrder = createRoute({
  getParentRoute: () => root,
  path: "/work/new",
  validateSearch: ({ asset, component, follows }: Raw) => known({ asset: text(asset), component: text(component), follows: text(follows) }),
  component: page(["createWorkOrder"], "/work/new"),
});

const printedOrder = createRoute({
  getParentRoute: () => root,
  path: "/work/$id/print",
  component: page(["workOrders"], "/work/$id/print"),
});

const report = createRoute({
  getParentRoute: () => root,
  path: "/report",
  validateSearch: ({ asset, component }: Raw) => known({ asset: text(asset), component: text(component) }),
  component: page(["reportFault"], "/report"),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: "/alerts",
  validateSearch: ({ view, severity: one, q, id }: Raw) =>
    known({ view: alertView(view), severity: severity(one), q: text(q), id: text(id) }),
  component: page(["notifications"], "/alerts"),
});

const stock = createRoute({
  getParentRoute: () => root,
  path: "/stock",
  validateSearch: ({ view, site, bin, q, state }: Raw) =>
    known({ view: stockView(view), site: text(site), bin: text(bin), q: text(q), state: countState(state) }),
  component: page(["inventory"], "/stock"),
});

const part = createRoute({
  getParentRoute: () => root,
  path: "/stock/$id",
  validateSearch: ({ act }: Raw) => known({ act: oneOf("receive")(act) }),
  component: page(["inventory"], "/stock/$id"),
});

const stockCount = createRoute({
  getParentRoute: () => root,
  path: "/stock/count/$id",
  validateSearch: ({ show }: Raw) => known({ show: countShow(show) }),
  component: page(["inventory"], "/stock/count/$id"),
});

const calendar = createRoute({
  getParentRoute: () => root,
  path: "/calendar",
  validateSearch: ({ view, month, week, site, person, who, late }: Raw) =>
    known({
      view: oneOf("month", "agenda", "week")(view),
      month: monthText(month),
      week: dayText(week),
      site: text(site),
      person: text(person),
      who: text(who),
      late: oneOf("unordered")(late),
    }),
  component: page(["workOrders"], "/calendar"),
});

const procedures = createRoute({
  getParentRoute: () => root,
  path: "/procedures",
  validateSearch: ({ site, asset, status, q }: Raw) =>
    known({ site: text(site), asset: text(asset), status: procedureStatus(status), q: text(q) }),
  component: page(["procedures"], "/procedures"),
});

const procedure = createRoute({
  getParentRoute: () => root,
  path: "/procedures/$id",
  component: page(["procedures"], "/procedures/$id"),
});

const newProcedure = createRoute({
  getParentRoute: () => root,
  path: "/procedures/new",
  validateSearch: ({ asset, copy }: Raw) => known({ asset: text(asset), copy: text(copy) }),
  component: page(["createProcedure"], "/procedures/new"),
});

const editProcedure = createRoute({
  getParentRoute: () => root,
  path: "/procedures/$id/edit",
  component: page(["updateProcedure"], "/procedures/$id/edit"),
});

const templates = createRoute({
  getParentRoute: () => root,
  path: "/procedures/templates",
  validateSearch: ({ q }: Raw) => known({ q: text(q) }),
  component: page(["procedures"], "/procedures/templates"),
});

const template = createRoute({
  getParentRoute: () => root,
  path: "/procedures/templates/$id",
  component: page(["procedures"], "/procedures/templates/$id"),
});

const newTemplate = createRoute({
  getParentRoute: () => root,
  path: "/procedures/templates/new",
  component: page(["createTemplate"], "/procedures/templates/new"),
});

const editTemplate = createRoute({
  getParentRoute: () => root,
  path: "/procedures/templates/$id/edit",
  component: page(["updateTemplate"], "/procedures/templates/$id/edit"),
});

const reports = createRoute({
  getParentRoute: () => root,
  path: "/reports",
  validateSearch: ({ site, months, view, by, with: compared, rows, of, when }: Raw) =>
    known({
      site: text(site),
      months: reportMonths(String(months)),
      view: oneOf("compare", "purchases")(view),
      by: oneOf("area", "type")(by),
      with: texts(compared),
      rows: text(rows),
      of: text(of),
      when: oneOf("before")(when),
    }),
  component: page(["workOrders"], "/reports"),
});

const labels = createRoute({
  getParentRoute: () => root,
  path: "/labels",
  validateSearch: ({ kind, site, area, q, asset, sheet }: Raw) =>
    known({ kind: labelKind(kind), site: text(site), area: text(area), q: text(q), asset: text(asset), sheet: labelSheet(sheet) }),
  component: page(["assets"], "/labels"),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  validateSearch: ({ tab, show }: Raw) => known({ tab: adminTab(tab), show: adminShow(show) }),
  component: page(["createApiKey", "importAssets"], "/admin"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    plant,
    asset,
    component,
    units,
    unit,
    recalls,
    recall,
    purchases,
    newPurchase,
    purchase,
    editPurchase,
    printedPurchase,
    approval,
    invoices,
    newInvoice,
    invoice,
    editInvoice,
    suppliers,
    supplier,
    work,
    newOrder,
    order,
    printedOrder,
    report,
    alerts,
    stock,
    part,
    stockCount,
    calendar,
    procedures,
    newProcedure,
    procedure,
    editProcedure,
    templates,
    newTemplate,
    template,
    editTemplate,
    reports,
    labels,
    admin,
  ]),
  basepath: "/console",
  defaultPreload: "intent",
  // Navigating back to a list restores the scroll position.
  scrollRestoration: true,
  defaultPendingComponent: LoadingCard,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Broken,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
