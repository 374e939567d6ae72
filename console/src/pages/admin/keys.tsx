import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { KeyRound, Plus, X } from "lucide-react";
import { useState } from "react";
import type { AdminPageQuery } from "../../generated/admin.js";
import { RevokeKey, RotateKey } from "../../generated/admin.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog } from "../../parts/dialog.js";
import { Secret } from "../../parts/secret.js";
import { Empty } from "../../parts/states.js";
import { ago, count, day, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Abilities } from "./abilities.js";
import { NewKey } from "./new-key.js";

type Key = NonNullable<AdminPageQuery["apiKeys"]>["nodes"][number];

const isOver = ({ revokedAt, expiresAt }: Key) => !!revokedAt || (!!expiresAt && new Date(expiresAt) < new Date());

/** `isExpiring`: the data holds only keys that expire soon. */
export function Keys({ data, isExpiring }: { data: AdminPageQuery; isExpiring: boolean }) {
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const keys = data.apiKeys?.nodes ?? [];
  const total = data.apiKeys?.totalCount ?? 0;
  const sorted = [...keys].sort((a, b) => Number(isOver(a)) - Number(isOver(b)));
  return (
    <section className="card" aria-label={t`Keys`}>
      <header style={{ flexWrap: "wrap" }}>
        {isExpiring ? (
          <button type="button" className="chip" aria-pressed onClick={() => void navigate({ to: "/admin", search: {} })}>
            {t`Expires within 30 days`}
            <X className="icon" aria-hidden />
            <span className="hidden-text">, {t`show all keys`}</span>
          </button>
        ) : (
          <span className="muted small">{t`Each person and program signs in with its own key.`}</span>
        )}
        <button type="button" className="button small primary" onClick={() => setCreating(true)}>
          <Plus className="icon" aria-hidden />
          {t`New key`}
        </button>
      </header>
      {sorted.length ? (
        <ul className="list">
          {sorted.map((key) => (
            <KeyLine key={key.id} apiKey={key} onSecret={setSecret} />
          ))}
        </ul>
      ) : (
        <Empty icon={KeyRound} title={isExpiring ? t`No key expires soon` : t`No keys yet`}>
          {t`Create a key for each person or program.`}
        </Empty>
      )}
      {total > keys.length && <p className="muted small list-end">{t`The newest ${count(keys.length)} of ${count(total)} keys.`}</p>}
      {isCreating && (
        <NewKey
          sites={data.sites?.map(({ name }) => name) ?? []}
          onClose={() => setCreating(false)}
          onMade={(made) => {
            setCreating(false);
            setSecret(made);
          }}
        />
      )}
      {secret && <Secret title={t`New key`} secret={secret} onClose={() => setSecret(undefined)} />}
    </section>
  );
}

function KeyLine({ apiKey, onSecret }: { apiKey: Key; onSecret: (secret: string) => void }) {
  const { id, name, prefix, role, sites, readAll, principal, expiresAt, lastUsedAt, revokedAt } = apiKey;
  const [isExplained, setExplained] = useState(false);
  const { keyId } = useSession();
  const isOwn = id === keyId;
  const rotate = useChange(RotateKey, { isSecret: true });
  const revoke = useChange(RevokeKey);
  const [isRevoking, setRevoking] = useState(false);
  const over = isOver(apiKey);
  return (
    <li style={{ flexWrap: "wrap" }}>
      <div className="grow" style={{ minWidth: 200 }}>
        <div className={`wraps ${over ? "muted" : "strong"}`}>
          {name}
          {isOwn && <span className="muted small"> {t`(in use here)`}</span>}
        </div>
        <div className="muted small clip">
          <span className="mono">{`mg_${prefix}…`}</span>
          {principal.name !== name && ` · ${principal.name}`} · {sites.length ? sites.join(", ") : t`All sites`}
          {sites.length > 0 && readAll && `, ${t`reads all`}`}
        </div>
      </div>
      <button
        type="button"
        className="button plain small"
        aria-label={t`${wordOf(role)}: what ${name} may do`}
        onClick={() => setExplained(true)}
      >
        {wordOf(role)}
      </button>
      <span className="muted small nowrap">
        {revokedAt
          ? t`Revoked ${day(revokedAt)}`
          : over
            ? t`Expired ${day(expiresAt)}`
            : lastUsedAt
              ? t`Used ${ago(lastUsedAt)}`
              : t`Never used`}
        {!over && expiresAt && ` · ${t`expires ${day(expiresAt)}`}`}
      </span>
      {!over && (
        <span className="row">
          <button
            type="button"
            className="button small"
            aria-label={t`Rotate key ${name}`}
            disabled={rotate.isBusy}
            onClick={async () => {
              const made = await rotate.run({ id });
              if (made?.rotateApiKey) onSecret(made.rotateApiKey.key);
            }}
          >
            {t`Rotate`}
          </button>
          <button type="button" className="button small danger" aria-label={t`Revoke key ${name}`} onClick={() => setRevoking(true)}>
            {t`Revoke`}
          </button>
        </span>
      )}
      {isExplained && (
        <Dialog title={t`What ${name} may do`} onClose={() => setExplained(false)}>
          <div className="dialog-body">
            <Abilities role={role} sites={sites} readAll={readAll} />
          </div>
        </Dialog>
      )}
      {isRevoking && (
        <Confirm
          title={t`Revoke ${name}?`}
          text={[
            t`Requests with this key are refused from now on. This cannot be undone.`,
            isOwn && t`You are signed in with this key and will be signed out.`,
          ]
            .filter(Boolean)
            .join(" ")}
          verb={t`Revoke`}
          isBusy={revoke.isBusy}
          onClose={() => setRevoking(false)}
          onConfirm={async () => {
            if (await revoke.run({ id }, t`Key revoked`)) setRevoking(false);
          }}
        />
      )}
    </li>
  );
}
