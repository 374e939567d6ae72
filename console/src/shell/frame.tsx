/** Frame around every page: navigation, search and connection status. */
import { t } from "@lingui/core/macro";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { LogOut, Menu, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { LanguageChoice } from "../language/language-choice.js";
import { Dialog } from "../parts/dialog.js";
import { mayDiscard } from "../parts/unsaved.js";
import { wordOf } from "../parts/words.js";
import { useOpenAlerts } from "../session/live.js";
import { useSession, useWaiting } from "../session/session.js";
import { Banner } from "./banner.js";
import { places } from "./commands.js";
import { Discard } from "./discard.js";
import { Finder } from "./finder.js";
import { useKeptFocus } from "./kept-focus.js";
import { Mark } from "./mark.js";
import { SignOut } from "./sign-out.js";
import { ThemeButton } from "./theme.js";

export function Frame() {
  const session = useSession();
  const openAlerts = useOpenAlerts();
  const waiting = useWaiting();
  const [isFinding, setFinding] = useState(false);
  const [isMore, setMore] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const leave = async () => {
    if (!(await mayDiscard())) return;
    if (waiting) setLeaving(true);
    else session.signOut();
  };
  const canFind = session.can("assets");
  const offered = places.filter(({ needs }) => needs.some(session.can));
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const lastPath = useRef(path);
  useKeptFocus();

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
        {t`Skip to content`}
      </a>
      <nav className="rail" aria-label={t`Main`}>
        <div className="brand">
          <Mark />
          <span>{t`Plant console`}</span>
        </div>
        {offered.map(({ to, label, icon: Icon, also, isMinor }) => (
          <Link
            key={to}
            to={to}
            className={isMinor ? "minor" : undefined}
            activeOptions={{ exact: to === "/", includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
            {...(also && path.startsWith(also) && { "aria-current": "page" })}
          >
            <Icon className="icon" aria-hidden />
            <span>{label}</span>
            {to === "/alerts" && openAlerts > 0 && (
              <span className="count">
                {openAlerts}
                <span className="hidden-text"> {t`open`}</span>
              </span>
            )}
          </Link>
        ))}
        <button type="button" className="only-phone" aria-haspopup="dialog" onClick={() => setMore(true)}>
          <Menu className="icon" aria-hidden />
          <span>{t`More`}</span>
        </button>
        <div className="who">
          <strong className="clip">{session.name}</strong>
          {wordOf(session.role)}
          {session.sites.length > 0 && ` · ${session.sites.join(", ")}`}
        </div>
        <ThemeButton />
        <LanguageChoice />
        <button type="button" className="minor" onClick={leave}>
          <LogOut className="icon" aria-hidden />
          <span>{t`Sign out`}</span>
        </button>
      </nav>
      <Banner />
      <header className="top">
        {canFind && (
          <button type="button" className="find" onClick={() => setFinding(true)}>
            <Search className="icon" aria-hidden />
            <span className="clip">{t`Find or do …`}</span>
            <kbd>{t`Ctrl K`}</kbd>
          </button>
        )}
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      {isFinding && <Finder onClose={() => setFinding(false)} />}
      <Discard />
      {isLeaving && <SignOut onClose={() => setLeaving(false)} />}
      {isMore && (
        <Dialog title={session.name} onClose={() => setMore(false)}>
          <nav className="dialog-body more" aria-label={t`More`}>
            {offered
              .filter(({ isMinor }) => isMinor)
              .map(({ to, label, icon: Icon }) => (
                <Link key={to} to={to} onClick={() => setMore(false)}>
                  <Icon className="icon" aria-hidden />
                  {label}
                </Link>
              ))}
            <ThemeButton />
            <LanguageChoice />
            <button
              type="button"
              onClick={() => {
                setMore(false);
                void leave();
              }}
            >
              <LogOut className="icon" aria-hidden />
              {t`Sign out`}
            </button>
          </nav>
        </Dialog>
      )}
    </div>
  );
}
