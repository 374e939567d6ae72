/** The keys of a person that are still valid, to revoke one. */
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { RevokeKey } from "../../generated/admin.js";
import type { PeopleQuery } from "../../generated/people.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog } from "../../parts/dialog.js";
import { messageOf } from "../../parts/states.js";
import { ago, day, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";

export type Person = NonNullable<PeopleQuery["principals"]>["nodes"][number];
type Key = Person["keys"]["nodes"][number];

export const validKeys = ({ keys }: Person): Key[] =>
  keys.nodes.filter(({ revokedAt, expiresAt }) => !revokedAt && !(expiresAt && new Date(expiresAt) < new Date()));

interface Props {
  person: Person;
  onClose: () => void;
  onReload: () => void;
}

export function PersonKeys({ person, onClose, onReload }: Props) {
  const [asked, setAsked] = useState<Key>();
  const { keyId } = useSession();
  const revoke = useChange(RevokeKey);
  const keys = validKeys(person);
  if (asked)
    return (
      <Confirm
        title={t`Revoke ${asked.name}?`}
        text={[
          t`Requests with this key are refused from now on, and its sessions end. This cannot be undone.`,
          asked.id === keyId && t`You are signed in with this key and will be signed out.`,
        ]
          .filter(Boolean)
          .join(" ")}
        verb={t`Revoke`}
        isBusy={revoke.isBusy}
        refused={messageOf(revoke.error)}
        onClose={() => setAsked(undefined)}
        onConfirm={async () => {
          if (!(await revoke.run({ id: asked.id }, t`Key revoked`))) return;
          setAsked(undefined);
          onReload();
        }}
      />
    );
  return (
    <Dialog title={t`Keys of ${person.name}`} onClose={onClose}>
      <div className="dialog-body">
        {keys.length === 0 && <p className="muted">{t`No valid key.`}</p>}
        <ul className="list">
          {keys.map((key) => (
            <li key={key.id} style={{ flexWrap: "wrap" }}>
              <div className="grow" style={{ minWidth: 160 }}>
                <div className="strong wraps">{key.name}</div>
                <div className="muted small">
                  {[
                    wordOf(key.role),
                    key.sites.length ? key.sites.join(", ") : t`All sites`,
                    key.lastUsedAt ? t`used ${ago(key.lastUsedAt)}` : t`never used`,
                    key.expiresAt && t`expires ${day(key.expiresAt)}`,
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </div>
              </div>
              <button type="button" className="button small danger" onClick={() => setAsked(key)}>
                {t`Revoke`} <span className="hidden-text">{key.name}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
