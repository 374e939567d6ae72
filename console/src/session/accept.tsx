/** The page of an invitation link. The invitation is used only after a click, so that no link signs a visitor in as somebody else. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { LanguageChoice } from "../language/language-choice.js";
import { useTitle } from "../parts/hooks.js";
import { Refusal } from "../parts/states.js";
import { day, wordOf } from "../parts/words.js";
import { Mark } from "../shell/mark.js";
import { acceptInvitation, type Invited, type Refused, readInvitation } from "./browser-session.js";
import { type Opened, signIn } from "./session.js";

const refusals: Record<Exclude<Refused, "failed">, string> = {
  used: t`This invitation was accepted already, and works only once. If you did not accept it, tell an administrator.`,
  expired: t`This invitation has expired. Ask an administrator for a new one.`,
  revoked: t`This invitation was revoked. Ask an administrator for a new one.`,
  unknown: t`This invitation is unknown. Check that the link is complete.`,
};

interface Props {
  secret: string;
  onOpened: (opened: Opened) => void;
  onRefused: () => void;
  /** The invitation is not used here. `reason` is shown if nobody is signed in. */
  onLeave: (reason?: string) => void;
}

export function AcceptInvitation({ secret, onOpened, onRefused, onLeave }: Props) {
  const [invited, setInvited] = useState<Invited>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(true);
  useTitle(t`Invitation`);
  const refuse = useCallback(
    (refused: Refused) => {
      setBusy(false);
      if (refused === "failed") setProblem(t`The service cannot be reached. Check the connection and try again.`);
      else onLeave(refusals[refused]);
    },
    [onLeave],
  );
  const read = useCallback(async () => {
    setBusy(true);
    setProblem(undefined);
    const found = await readInvitation(secret);
    if (typeof found === "string") return refuse(found);
    setInvited(found);
    setBusy(false);
  }, [secret, refuse]);
  useEffect(() => void read(), [read]);
  const accept = async (event: FormEvent) => {
    event.preventDefault();
    if (!invited) return read();
    setBusy(true);
    setProblem(undefined);
    const credentials = await acceptInvitation(secret);
    if (typeof credentials === "string") return refuse(credentials);
    const opened = await signIn(credentials, onRefused).catch(() => undefined);
    // The invitation is used by now: the session of this browser is resumed instead.
    if (typeof opened === "object") onOpened(opened);
    else onLeave(opened);
  };
  return (
    <main className="sign-in" id="main">
      <form className="card" onSubmit={accept} aria-busy={isBusy}>
        <div className="brand">
          <Mark />
          <span>{t`Plant console`}</span>
        </div>
        {invited && <Terms invited={invited} />}
        <Refusal text={problem} />
        <button className="button primary" type="submit" disabled={isBusy}>
          {invited || !problem ? t`Accept` : t`Try again`}
        </button>
        <button className="button plain" type="button" disabled={isBusy} onClick={() => onLeave()}>
          {t`Sign in in another way`}
        </button>
        <LanguageChoice />
      </form>
    </main>
  );
}

function Terms({ invited: { tenantId, name, invitedBy, role, sites, keyExpiresAt } }: { invited: Invited }) {
  return (
    <div className="stack">
      <h1>{t`Welcome, ${name}`}</h1>
      <p>{invitedBy ? t`${invitedBy} invites you to the plant ${tenantId}.` : t`You are invited to the plant ${tenantId}.`}</p>
      <dl className="facts">
        <dt>{t`Role`}</dt>
        <dd>{wordOf(role.toUpperCase())}</dd>
        <dt>{t`Sites`}</dt>
        <dd>{sites.length ? sites.join(", ") : t`All sites`}</dd>
        {keyExpiresAt && (
          <>
            <dt>{t`Access until`}</dt>
            <dd>{day(keyExpiresAt)}</dd>
          </>
        )}
      </dl>
      <p className="muted small">
        {t`The invitation works once and signs you in on this device until your access ends. Accept it only on your own device. After signing out, you need a new invitation.`}
      </p>
    </div>
  );
}
