/** Routes. Search parameters are validated here, and unknown parameters are dropped. */
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { type ComponentType, createElement, type LazyExoticComponent, lazy } from "react";
import { LoadingCard } from "./parts/states.js";
import { Broken } from "./shell/broken.js";
import { Frame } from "./shell/frame.js";
import { NotFound } from "./shell/not-found.js";

const loads: (() => Promise<unknown>)[] = [];

/** A page that loads when it is first opened, or earlier through `loadPages`. A failed load is retried the next time the page is shown. */
function page(load: () => Promise<ComponentType>) {
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
  return () => createElement((shown ??= attempt()));
}

/** Preloads the other pages, so that they open without a connection. */
export const loadPages = (): Promise<unknown> => Promise.allSettled(loads.map((load) => load()));

type Raw = Record<string, unknown>;
/** A search parameter as text. Numbers become text. */
const text = (value: unknown): string | undefined =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? String(value).slice(0, 200) : undefined;
const oneOf =
  <const T extends readonly string[]>(...words: T) =>
  (value: unknown): T[number] | undefined =>
    words.includes(value as string) ? (value as T[number]) : undefined;

/** Optional parameters can also be omitted from links. */
const known = <T extends Raw>(values: T): { [K in keyof T]?: T[K] } => values;

const assetStatus = oneOf("OPERATIONAL", "MAINTENANCE", "OFFLINE", "PENDING", "DECOMMISSIONED");
const assetSort = oneOf("name", "status", "criticality", "due", "changed");
const assetTab = oneOf("components", "work", "parts", "meters", "reliability", "history");
const alertView = oneOf("open", "ended", "all");
const severity = oneOf("CRITICAL", "WARNING", "INFO");
const workView = oneOf("requests");

const stockView = oneOf("all", "approve", "counts");
const countState = oneOf("open", "pending", "ended");
const countShow = oneOf("todo", "differing");

const monthText = (value: unknown) => (typeof value === "string" && /^\d{4}-(0[1-9]|1[0-2])$/.test(value) ? value : undefined);

const reportMonths = oneOf("3", "6", "12", "24");

const adminTab = oneOf("webhooks", "import", "settings");

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const plant = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: ({ site, area, status, q, sort }: Raw) =>
    known({
      site: text(site),
      area: text(area),
      status: assetStatus(status),
      q: text(q),
      sort: assetSort(sort),
    }),
  component: page(async () => (await import("./pages/plant/plant.js")).Plant),
});

const asset = createRoute({
  getParentRoute: () => root,
  path: "/asset/$id",
  validateSearch: ({ tab }: Raw) => known({ tab: assetTab(tab) }),
  component: page(async () => (await import("./pages/asset/asset.js")).AssetPage),
});

const work = createRoute({
  getParentRoute: () => root,
  path: "/work",
  validateSearch: ({ view, person, who }: Raw) => known({ view: workView(view), person: text(person), who: text(who) }),
  component: page(async () => (await import("./pages/work/work.js")).WorkPage),
});

const order = createRoute({
  getParentRoute: () => root,
  path: "/work/$id",
  component: page(async () => (await import("./pages/work/order.js")).OrderPage),
});

const report = createRoute({
  getParentRoute: () => root,
  path: "/report",
  validateSearch: ({ asset }: Raw) => known({ asset: text(asset) }),
  component: page(async () => (await import("./pages/work/report.js")).ReportPage),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: "/alerts",
  validateSearch: ({ view, severity: one, id }: Raw) => known({ view: alertView(view), severity: severity(one), id: text(id) }),
  component: page(async () => (await import("./pages/alerts/alerts.js")).AlertsPage),
});

const stock = createRoute({
  getParentRoute: () => root,
  path: "/stock",
  validateSearch: ({ view, site, q, state }: Raw) =>
    known({ view: stockView(view), site: text(site), q: text(q), state: countState(state) }),
  component: page(async () => (await import("./pages/stock/stock.js")).StockPage),
});

const part = createRoute({
  getParentRoute: () => root,
  path: "/stock/$id",
  component: page(async () => (await import("./pages/stock/part.js")).PartPage),
});

const stockCount = createRoute({
  getParentRoute: () => root,
  path: "/stock/count/$id",
  validateSearch: ({ show }: Raw) => known({ show: countShow(show) }),
  component: page(async () => (await import("./pages/stock/count.js")).CountPage),
});

const calendar = createRoute({
  getParentRoute: () => root,
  path: "/calendar",
  validateSearch: ({ month, site, person, who }: Raw) =>
    known({ month: monthText(month), site: text(site), person: text(person), who: text(who) }),
  component: page(async () => (await import("./pages/calendar/calendar.js")).CalendarPage),
});

const reports = createRoute({
  getParentRoute: () => root,
  path: "/reports",
  validateSearch: ({ site, months }: Raw) => known({ site: text(site), months: reportMonths(String(months)) }),
  component: page(async () => (await import("./pages/reports/reports.js")).ReportsPage),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  validateSearch: ({ tab }: Raw) => known({ tab: adminTab(tab) }),
  component: page(async () => (await import("./pages/admin/admin.js")).AdminPage),
});

export const router = createRouter({
  routeTree: root.addChildren([plant, asset, work, order, report, alerts, stock, part, stockCount, calendar, reports, admin]),
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
