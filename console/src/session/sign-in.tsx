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
import { readSettings, type Settings } from "./early.js";
import { comeBack, leaveFor } from "./provider.js";
import { type Opened, signIn, unknownKey } from "./session.js";

/** Time after which the form is shown although a session may still be resumed, in milliseconds. */
const longestPause = 1_500;

interface Props {
  notice?: string;
  /** Why the invitation of a link was refused. Shown if the browser has no session. */
  refusedInvitation?: string;
  onOpened: (opened: Opened) => void;
  onRefused: () => void;
}

export function SignIn({ notice, refusedInvitation, onOpened, onRefused }: Props) {
  const [settings, setSettings] = useState<Settings>();
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState(notice ?? refusedInvitation);
  const [isBusy, setBusy] = useState(false);
  const [isKept, setKept] = useState(true);
  const [isShown, setShown] = useState(!!notice || !!refusedInvitation);

  useTitle(t`Sign in`);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), longestPause);
    void readSettings().then(async (found) => {
      setSettings(found);
      if (found.demoKey) setKey((typed) => typed || found.demoKey!);
      // After a refusal, the session is the one that ended.
      const resumed = notice || !found.session ? undefined : resumedSession(found.session);
      if (resumed) await enter(resumed, true);
      setShown(true);
    });
    return () => clearTimeout(timer);
  }, []);

  const enter = async (credentials: Credentials, isResumed = false) => {
    setBusy(true);
    const opened = await signIn(credentials, onRefused).catch(() => t`The service sent an unexpected response. Try again later.`);
    setBusy(false);
    if (typeof opened !== "string") onOpened(opened);
    else setProblem(isResumed && opened === unknownKey ? (refusedInvitation ?? t`Your session has ended. Sign in again.`) : opened);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    const typed = key.trim().replace(/^Bearer\s+/i, "");
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

  // A reload shows its page without the form before.
  if (!isShown) return <main className="sign-in" id="main" aria-busy />;
  return (
    <main className="sign-in" id="main">
      <form className="card" onSubmit={submit} aria-busy={isBusy}>
        <div className="brand">
          <Mark />
          <span>{t`Plant console`}</span>
        </div>
        <div>
          <h1>{t`Sign in`}</h1>
          <p className="muted">{settings?.provider ? t`Use your account or an API key.` : t`Use an API key of your plant.`}</p>
        </div>
        {settings?.provider && (
          <button type="button" className="button" disabled={isBusy} onClick={() => leaveFor(settings.provider!).catch(refused)}>
            <LogIn className="icon" aria-hidden />
            {t`Sign in with your account`}
          </button>
        )}
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
        <label className="check">
          <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.target.checked)} />
          {t`Stay signed in on this device`}
        </label>
        <Refusal text={problem} />
        <button className="button primary" type="submit" disabled={isBusy || !key.trim()}>
          {isBusy ? t`Signing in …` : settings?.provider ? t`Sign in with the key` : t`Sign in`}
        </button>
        <LanguageChoice />
      </form>
    </main>
  );
}
