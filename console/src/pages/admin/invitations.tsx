/** Invitations that can still be accepted, to revoke one. */
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { type PeopleQuery, RevokeInvitation } from "../../generated/people.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { messageOf } from "../../parts/states.js";
import { day, wordOf } from "../../parts/words.js";

type Invitation = NonNullable<PeopleQuery["invitations"]>[number];

export function Invitations({ invitations, onReload }: { invitations: Invitation[]; onReload: () => void }) {
  return (
    <section className="card" aria-label={t`Invitations`}>
      <header>
        <h2>{t`Invitations`}</h2>
        <span className="muted small">{t`Not accepted yet`}</span>
      </header>
      <ul className="list">
        {invitations.map((invitation) => (
          <InvitationLine key={invitation.id} invitation={invitation} onReload={onReload} />
        ))}
      </ul>
    </section>
  );
}

function InvitationLine({
  invitation: { id, role, sites, expiresAt, principal },
  onReload,
}: {
  invitation: Invitation;
  onReload: () => void;
}) {
  const revoke = useChange(RevokeInvitation);
  const [isRevoking, setRevoking] = useState(false);
  const { name } = principal;
  return (
    <li style={{ flexWrap: "wrap" }}>
      <div className="grow" style={{ minWidth: 160 }}>
        <div className="strong wraps">{name}</div>
        <div className="muted small">
          {[wordOf(role), sites.length ? sites.join(", ") : t`All sites`, t`expires ${day(expiresAt)}`].join(" · ")}
        </div>
      </div>
      <button type="button" className="button small danger" onClick={() => setRevoking(true)}>
        {t`Revoke`} <span className="hidden-text">{t`invitation of ${name}`}</span>
      </button>
      {isRevoking && (
        <Confirm
          title={t`Revoke the invitation of ${name}?`}
          text={t`The link no longer works. The person can be invited again.`}
          verb={t`Revoke`}
          isBusy={revoke.isBusy}
          refused={messageOf(revoke.error)}
          onClose={() => {
            setRevoking(false);
            // It may have been accepted meanwhile.
            onReload();
          }}
          onConfirm={async () => {
            if (await revoke.run({ id }, t`Invitation revoked`)) onReload();
          }}
        />
      )}
    </li>
  );
}
