/** Sign-in form. A key is kept in memory only, or exchanged for a session of this browser. */

import { t } from "@lingui/core/macro";
import { KeyRound, LogIn } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { LanguageChoice } from "../language/language-choice.js";
import { useTitle } from "../parts/hooks.js";
import { Refusal } from "../parts/states.js";
import { Mark } from "../shell/mark.js";
import { openBrowserSession, resumedSession } from "./browser-session.js";
import type { Credentials } from "./client.js";
import { lastSession } from "./kept-data.js";
import { comeBack, leaveFor, type Provider } from "./provider.js";
import { type Opened, signIn, unknownKey } from "./session.js";

interface Settings {
  demoKey: string | null;
  provider: Provider | null;
  session: string | null;
}

/** Time after which the settings of the last visit are used, in milliseconds. */
const patience = 6_000;

interface Props {
  notice?: string;
  /** The key of an invitation link. It is used only after a click, so that no link signs a visitor in as somebody else. */
  invitation?: string;
  onOpened: (opened: Opened) => void;
  onRefused: () => void;
}

export function SignIn({ notice, invitation, onOpened, onRefused }: Props) {
  const [settings, setSettings] = useState<Settings>();
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState(notice);
  const [isBusy, setBusy] = useState(false);
  const [isKept, setKept] = useState(true);
  const [invited, setInvited] = useState(invitation);

  useTitle(t`Sign in`);
  useEffect(() => {
    const unknown = (): Settings => ({ demoKey: null, provider: null, session: lastSession() ?? null });
    fetch("/console/settings.json", { signal: AbortSignal.timeout(patience) })
      .then((response) => response.json() as Promise<Settings>)
      .catch(unknown)
      .then((found) => {
        setSettings(found);
        if (found.demoKey) setKey((typed) => typed || found.demoKey!);
        // After a refusal, the session is the one that ended.
        const resumed = notice || invitation || !found.session ? undefined : resumedSession(found.session);
        if (resumed) return enter(resumed, true);
      });
  }, []);

  const enter = async (credentials: Credentials, isResumed = false) => {
    setBusy(true);
    const opened = await signIn(credentials, onRefused).catch(() => t`The service sent an unexpected response. Try again later.`);
    setBusy(false);
    if (typeof opened !== "string") onOpened(opened);
    else if (opened !== unknownKey) setProblem(opened);
    else if (isResumed) setProblem(t`Your session has ended. Sign in again.`);
    else setProblem(invited ? t`This invitation has expired or was revoked. Ask an administrator for a new one.` : unknownKey);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    const typed = invited ?? key.trim().replace(/^Bearer\s+/i, "");
    void (isKept ? openBrowserSession(typed) : Promise.resolve({ token: () => typed })).then((credentials) => enter(credentials));
  };
  const refused = (error: unknown) => {
    setBusy(false);
    setProblem(error instanceof Error && !(error instanceof TypeError) ? error.message : t`The identity provider cannot be reached.`);
  };
  useEffect(() => {
    comeBack().then((credentials) => {
      if (!credentials) return;
      setBusy(true);
      return enter(credentials);
    }, refused);
  }, []);

  return (
    <main className="sign-in" id="main">
      <form className="card" onSubmit={submit} aria-busy={isBusy}>
        <div className="brand">
          <Mark />
          <span>{t`Plant console`}</span>
        </div>
        <div>
          <h1>{invited ? t`Welcome` : t`Sign in`}</h1>
          <p className="muted">
            {invited
              ? t`You are invited to the plant console. Stay signed in only on your own device.`
              : settings?.provider
                ? t`Use your account or an API key.`
                : t`Use an API key of your plant.`}
          </p>
        </div>
        {settings?.provider && !invited && (
          <button type="button" className="button" disabled={isBusy} onClick={() => leaveFor(settings.provider!).catch(refused)}>
            <LogIn className="icon" aria-hidden />
            {t`Sign in with your account`}
          </button>
        )}
        {!invited && (
          <div className="field">
            <label className="label" htmlFor="key">
              {t`Key`}
            </label>
            <span className="with-icon">
              <KeyRound className="icon" aria-hidden />
              <input
                id="key"
                className="input mono"
                type="password"
                name="key"
                autoComplete="off"
                spellCheck={false}
                required
                value={key}
                onChange={(event) => setKey(event.target.value)}
                aria-invalid={!!problem}
                aria-describedby="key-hint"
              />
            </span>
            <span className="hint" id="key-hint">
              {settings?.demoKey ? t`The demo plant's key is filled in.` : t`It begins with mg_.`}
            </span>
          </div>
        )}
        <label className="check">
          <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.target.checked)} />
          {t`Stay signed in on this device`}
        </label>
        <Refusal text={problem} />
        <button className="button primary" type="submit" disabled={isBusy || !(invited ?? key.trim())}>
          {isBusy ? t`Signing in …` : settings?.provider && !invited ? t`Sign in with the key` : t`Sign in`}
        </button>
        {invited && (
          <button
            className="button plain"
            type="button"
            disabled={isBusy}
            onClick={() => {
              setInvited(undefined);
              setProblem(undefined);
            }}
          >
            {t`Sign in in another way`}
          </button>
        )}
        <LanguageChoice />
      </form>
    </main>
  );
}
