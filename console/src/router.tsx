/** Routes. Search parameters are validated here, and unknown parameters are dropped. */
import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { type ComponentType, createElement, type LazyExoticComponent, lazy } from "react";
import { LoadingCard } from "./parts/states.js";
import type { Field } from "./session/session.js";
import { Broken } from "./shell/broken.js";
import { Closed } from "./shell/closed.js";
import { Frame } from "./shell/frame.js";
import { NotFound } from "./shell/not-found.js";

const loads: (() => Promise<unknown>)[] = [];

/**
 * A page that loads when it is first opened, or earlier through `loadPages`. A failed load is retried the next time the page is shown. Keys
 * that may use none of the fields `needs` cannot open it.
 */
function page(needs: readonly Field[], load: () => Promise<ComponentType>) {
  loads.push(load);
  let shown: LazyExoticComponent<ComponentType> | undefined;
  const attempt = () =>
    lazy(async () => {
      for (let tries = 0; ; tries++)
        try {
          return { default: await load() };
        } catch (error) {
          if (!navigator.onLine) await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
          // The service may still be starting.
          else if (tries < 3) await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** tries));
          else {
            shown = undefined;
            throw error;
          }
        }
    });
  return () => <Closed needs={needs}>{createElement((shown ??= attempt()))}</Closed>;
}

/** Preloads the other pages, so that they open without a connection. */
export const loadPages = (): Promise<unknown> => Promise.allSettled(loads.map((load) => load()));

type Raw = Record<string, unknown>;
/** A search parameter as text. Numbers become text. */
const text = (value: unknown): string | undefined =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? String(value).slice(0, 200) : undefined;
/** At most four different texts. Undefined if none is given. */
function texts(value: unknown): string[] | undefined {
  const found = (Array.isArray(value) ? value : [value]).flatMap((one) => text(one) ?? []);
  return found.length ? [...new Set(found)].slice(0, 4) : undefined;
}
const oneOf =
  <const T extends readonly string[]>(...words: T) =>
  (value: unknown): T[number] | undefined =>
    words.includes(value as string) ? (value as T[number]) : undefined;

/** Optional parameters can also be omitted from links. */
const known = <T extends Raw>(values: T): { [K in keyof T]?: T[K] } => values;

const assetStatus = oneOf("OPERATIONAL", "MAINTENANCE", "OFFLINE", "PENDING", "DECOMMISSIONED");
const assetSort = oneOf("name", "status", "criticality", "due", "changed");
const assetTab = oneOf("components", "work", "parts", "meters", "reliability", "history");
const alertView = oneOf("open", "acknowledged", "in_progress", "resolved", "dismissed", "all");
const severity = oneOf("CRITICAL", "WARNING", "INFO");
const workView = oneOf("requests");
const workDue = oneOf("overdue", "today");
const requestView = oneOf("decided", "mine");

const stockView = oneOf("all", "parts", "reorder", "approve", "counts", "transfers");
const countState = oneOf("open", "pending", "ended");
const countShow = oneOf("todo", "differing");

const monthText = (value: unknown) => (typeof value === "string" && /^\d{4}-(0[1-9]|1[0-2])$/.test(value) ? value : undefined);

const dayText = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

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
  component: page(["assets", "reportFault"], async () => (await import("./pages/home/home.js")).Home),
});

const plant = createRoute({
  getParentRoute: () => root,
  path: "/plant",
  validateSearch: plantSearch,
  component: page(["assets", "reportFault"], async () => (await import("./pages/plant/plant.js")).Plant),
});

const asset = createRoute({
  getParentRoute: () => root,
  path: "/asset/$id",
  validateSearch: ({ tab, component, rows }: Raw) => known({ tab: assetTab(tab), component: text(component), rows: text(rows) }),
  // A requester who opens a label reports the fault.
  component: page(["assets", "reportFault"], async () => (await import("./pages/asset/asset.js")).AssetPage),
});

const work = createRoute({
  getParentRoute: () => root,
  path: "/work",
  validateSearch: ({ view, reports, person, who, due }: Raw) =>
    known({ view: workView(view), reports: requestView(reports), person: text(person), who: text(who), due: workDue(due) }),
  component: page(["workOrders", "reportFault"], async () => (await import("./pages/work/work.js")).WorkPage),
});

const order = createRoute({
  getParentRoute: () => root,
  path: "/work/$id",
  component: page(["workOrders"], async () => (await import("./pages/work/order.js")).OrderPage),
});

const newOrder = createRoute({
  getParentRoute: () => root,
  path: "/work/new",
  validateSearch: ({ asset, component, follows }: Raw) => known({ asset: text(asset), component: text(component), follows: text(follows) }),
  component: page(["createWorkOrder"], async () => (await import("./pages/work/new-order.js")).NewOrderPage),
});

const printedOrder = createRoute({
  getParentRoute: () => root,
  path: "/work/$id/print",
  component: page(["workOrders"], async () => {
    // The encoder of the code is needed without a connection too.
    const [{ PrintedOrderPage }] = await Promise.all([import("./pages/work/printed-order.js"), import("uqr")]);
    return PrintedOrderPage;
  }),
});

const report = createRoute({
  getParentRoute: () => root,
  path: "/report",
  validateSearch: ({ asset, component }: Raw) => known({ asset: text(asset), component: text(component) }),
  component: page(["reportFault"], async () => (await import("./pages/work/report.js")).ReportPage),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: "/alerts",
  validateSearch: ({ view, severity: one, q, id }: Raw) =>
    known({ view: alertView(view), severity: severity(one), q: text(q), id: text(id) }),
  component: page(["notifications"], async () => (await import("./pages/alerts/alerts.js")).AlertsPage),
});

const stock = createRoute({
  getParentRoute: () => root,
  path: "/stock",
  validateSearch: ({ view, site, bin, q, state }: Raw) =>
    known({ view: stockView(view), site: text(site), bin: text(bin), q: text(q), state: countState(state) }),
  component: page(["inventory"], async () => (await import("./pages/stock/stock.js")).StockPage),
});

const part = createRoute({
  getParentRoute: () => root,
  path: "/stock/$id",
  validateSearch: ({ act }: Raw) => known({ act: oneOf("receive")(act) }),
  component: page(["inventory"], async () => (await import("./pages/stock/part.js")).PartPage),
});

const stockCount = createRoute({
  getParentRoute: () => root,
  path: "/stock/count/$id",
  validateSearch: ({ show }: Raw) => known({ show: countShow(show) }),
  component: page(["inventory"], async () => (await import("./pages/stock/count.js")).CountPage),
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
  component: page(["workOrders"], async () => (await import("./pages/calendar/calendar.js")).CalendarPage),
});

const procedures = createRoute({
  getParentRoute: () => root,
  path: "/procedures",
  validateSearch: ({ site, asset, status, q }: Raw) =>
    known({ site: text(site), asset: text(asset), status: procedureStatus(status), q: text(q) }),
  component: page(["procedures"], async () => (await import("./pages/procedures/procedures.js")).ProceduresPage),
});

const procedure = createRoute({
  getParentRoute: () => root,
  path: "/procedures/$id",
  component: page(["procedures"], async () => (await import("./pages/procedures/procedure.js")).ProcedurePage),
});

const newProcedure = createRoute({
  getParentRoute: () => root,
  path: "/procedures/new",
  validateSearch: ({ asset, copy }: Raw) => known({ asset: text(asset), copy: text(copy) }),
  component: page(["createProcedure"], async () => (await import("./pages/procedures/new-procedure.js")).NewProcedurePage),
});

const editProcedure = createRoute({
  getParentRoute: () => root,
  path: "/procedures/$id/edit",
  component: page(["updateProcedure"], async () => (await import("./pages/procedures/edit-procedure.js")).EditProcedurePage),
});

const templates = createRoute({
  getParentRoute: () => root,
  path: "/procedures/templates",
  validateSearch: ({ q }: Raw) => known({ q: text(q) }),
  component: page(["procedures"], async () => (await import("./pages/templates/templates.js")).TemplatesPage),
});

const template = createRoute({
  getParentRoute: () => root,
  path: "/procedures/templates/$id",
  component: page(["procedures"], async () => (await import("./pages/templates/template.js")).TemplatePage),
});

const newTemplate = createRoute({
  getParentRoute: () => root,
  path: "/procedures/templates/new",
  component: page(["createTemplate"], async () => (await import("./pages/templates/new-template.js")).NewTemplatePage),
});

const editTemplate = createRoute({
  getParentRoute: () => root,
  path: "/procedures/templates/$id/edit",
  component: page(["updateTemplate"], async () => (await import("./pages/templates/edit-template.js")).EditTemplatePage),
});

const reports = createRoute({
  getParentRoute: () => root,
  path: "/reports",
  validateSearch: ({ site, months, view, by, with: compared, rows, of, when }: Raw) =>
    known({
      site: text(site),
      months: reportMonths(String(months)),
      view: oneOf("compare")(view),
      by: oneOf("area", "type")(by),
      with: texts(compared),
      rows: text(rows),
      of: text(of),
      when: oneOf("before")(when),
    }),
  component: page(["workOrders"], async () => (await import("./pages/reports/reports.js")).ReportsPage),
});

const labels = createRoute({
  getParentRoute: () => root,
  path: "/labels",
  validateSearch: ({ kind, site, area, q, asset, sheet }: Raw) =>
    known({ kind: labelKind(kind), site: text(site), area: text(area), q: text(q), asset: text(asset), sheet: labelSheet(sheet) }),
  component: page(["assets"], async () => (await import("./pages/labels/labels.js")).LabelsPage),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  validateSearch: ({ tab, show }: Raw) => known({ tab: adminTab(tab), show: adminShow(show) }),
  component: page(["createApiKey", "importAssets"], async () => (await import("./pages/admin/admin.js")).AdminPage),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    plant,
    asset,
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
