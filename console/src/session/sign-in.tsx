/** Sign-in form. The key is kept in memory only. */
import { KeyRound, LogIn } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { useTitle } from "../parts/hooks.js";
import { Mark } from "../shell/mark.js";
import type { Credentials } from "./client.js";
import { comeBack, leaveFor, type Provider } from "./provider.js";
import { type Opened, signIn } from "./session.js";

interface Settings {
  demoKey: string | null;
  provider: Provider | null;
}

export function SignIn({ notice, onOpened, onRefused }: { notice?: string; onOpened: (opened: Opened) => void; onRefused: () => void }) {
  const [settings, setSettings] = useState<Settings>();
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState(notice);
  const [isBusy, setBusy] = useState(false);

  useTitle("Sign in");
  useEffect(() => {
    fetch("/console/settings.json")
      .then((response) => response.json() as Promise<Settings>)
      .then((found) => {
        setSettings(found);
        if (found.demoKey) setKey((typed) => typed || found.demoKey!);
      })
      .catch(() => setSettings({ demoKey: null, provider: null }));
  }, []);

  const enter = async (credentials: Credentials) => {
    const opened = await signIn(credentials, onRefused).catch(() => "The service sent an unexpected response. Try again later.");
    setBusy(false);
    if (typeof opened === "string") setProblem(opened);
    else onOpened(opened);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    const typed = key.trim().replace(/^Bearer\s+/i, "");
    void enter({ token: () => typed });
  };
  const refused = (error: unknown) => {
    setBusy(false);
    setProblem(error instanceof Error && !(error instanceof TypeError) ? error.message : "The identity provider cannot be reached.");
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
          <span>Plant console</span>
        </div>
        <div>
          <h1>Sign in</h1>
          <p className="muted">{settings?.provider ? "Use your account or an API key." : "Use an API key of your plant."}</p>
        </div>
        {settings?.provider && (
          <button type="button" className="button" disabled={isBusy} onClick={() => leaveFor(settings.provider!).catch(refused)}>
            <LogIn className="icon" aria-hidden />
            Sign in with your account
          </button>
        )}
        <div className="field">
          <label className="label" htmlFor="key">
            Key
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
            {settings?.demoKey ? "The demo plant's key is filled in." : "It begins with mg_."} It is kept only until you reload the page.
          </span>
        </div>
        {problem && (
          <p className="note bad" role="alert">
            {problem}
          </p>
        )}
        <button className="button primary" type="submit" disabled={isBusy || !key.trim()}>
          {isBusy ? "Signing in …" : settings?.provider ? "Sign in with the key" : "Sign in"}
        </button>
      </form>
    </main>
  );
}
