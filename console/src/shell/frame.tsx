/** Frame around every page: navigation, search and connection status. */
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import {
  Bell,
  CalendarDays,
  ChartColumn,
  ClipboardList,
  Factory,
  LogOut,
  type LucideIcon,
  Menu,
  Package,
  Search,
  Settings2,
} from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Dialog } from "../parts/dialog.js";
import { wordOf } from "../parts/words.js";
import { useOpenAlerts } from "../session/live.js";
import { type Field, useSession, useWaiting } from "../session/session.js";
import { Banner } from "./banner.js";
import { Finder } from "./finder.js";
import { Mark } from "./mark.js";
import { SignOut } from "./sign-out.js";
import { ThemeButton } from "./theme.js";

interface Place {
  to: string;
  label: string;
  icon: LucideIcon;
  needs: Field;
  /** On a phone the entry is under "More". */
  isMinor?: boolean;
}

const places: Place[] = [
  { to: "/", label: "Plant", icon: Factory, needs: "assets" },
  { to: "/work", label: "Work", icon: ClipboardList, needs: "reportFault" },
  { to: "/calendar", label: "Calendar", icon: CalendarDays, needs: "workOrders" },
  { to: "/alerts", label: "Alerts", icon: Bell, needs: "notifications" },
  { to: "/stock", label: "Stock", icon: Package, needs: "inventory" },
  { to: "/reports", label: "Reports", icon: ChartColumn, needs: "workOrders", isMinor: true },
  { to: "/admin", label: "Administration", icon: Settings2, needs: "importAssets", isMinor: true },
];

export function Frame() {
  const session = useSession();
  const openAlerts = useOpenAlerts();
  const waiting = useWaiting();
  const [isFinding, setFinding] = useState(false);
  const [isMore, setMore] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const leave = () => (waiting ? setLeaving(true) : session.signOut());
  const canFind = session.can("assets");
  const offered = places.filter(({ needs }) => session.can(needs));
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const lastPath = useRef(path);

  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      // Autofill fires keyboard events without a key.
      if (event.key?.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setFinding(canFind);
    };
    addEventListener("keydown", find);
    return () => removeEventListener("keydown", find);
  }, [canFind]);
  useEffect(() => {
    if (lastPath.current === path) return;
    lastPath.current = path;
    // Screen readers start at the new page.
    main.current?.focus({ preventScroll: true });
  }, [path]);

  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <nav className="rail" aria-label="Main">
        <div className="brand">
          <Mark />
          <span>Plant console</span>
        </div>
        {offered.map(({ to, label, icon: Icon, isMinor }) => (
          <Link
            key={to}
            to={to}
            className={isMinor ? "minor" : undefined}
            activeOptions={{ exact: to === "/", includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
          >
            <Icon className="icon" aria-hidden />
            <span>{label}</span>
            {to === "/alerts" && openAlerts > 0 && (
              <span className="count">
                {openAlerts}
                <span className="hidden-text"> open</span>
              </span>
            )}
          </Link>
        ))}
        <button type="button" className="only-phone" aria-haspopup="dialog" onClick={() => setMore(true)}>
          <Menu className="icon" aria-hidden />
          <span>More</span>
        </button>
        <div className="who">
          <strong className="clip">{session.name}</strong>
          {wordOf(session.role)}
          {session.sites.length > 0 && ` · ${session.sites.join(", ")}`}
        </div>
        <ThemeButton />
        <button type="button" className="minor" onClick={leave}>
          <LogOut className="icon" aria-hidden />
          <span>Sign out</span>
        </button>
      </nav>
      <Banner />
      <header className="top">
        {canFind && (
          <button type="button" className="find" onClick={() => setFinding(true)}>
            <Search className="icon" aria-hidden />
            <span className="clip">Find assets, work, parts …</span>
            <kbd>Ctrl K</kbd>
          </button>
        )}
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      {isFinding && <Finder onClose={() => setFinding(false)} />}
      {isLeaving && <SignOut onClose={() => setLeaving(false)} />}
      {isMore && (
        <Dialog title={session.name} onClose={() => setMore(false)}>
          <nav className="dialog-body more" aria-label="More">
            {offered
              .filter(({ isMinor }) => isMinor)
              .map(({ to, label, icon: Icon }) => (
                <Link key={to} to={to} onClick={() => setMore(false)}>
                  <Icon className="icon" aria-hidden />
                  {label}
                </Link>
              ))}
            <ThemeButton />
            <button
              type="button"
              onClick={() => {
                setMore(false);
                leave();
              }}
            >
              <LogOut className="icon" aria-hidden />
              Sign out
            </button>
          </nav>
        </Dialog>
      )}
    </div>
  );
}
