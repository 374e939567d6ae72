import { KeyRound, Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { AdminPageQuery } from "../../generated/admin.js";
import { CreateKey, RevokeKey, RotateKey } from "../../generated/admin.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { Empty } from "../../parts/states.js";
import { ago, count, day, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Secret } from "./secret.js";

type Key = NonNullable<AdminPageQuery["apiKeys"]>["nodes"][number];

const roles = ["REQUESTER", "VIEWER", "INGEST", "TECHNICIAN", "MANAGER", "ADMIN"] as const;
const roleHints: Record<(typeof roles)[number], string> = {
  REQUESTER: "Reports faults, and sees its own reports.",
  VIEWER: "Reads everything.",
  INGEST: "Sends readings and alerts.",
  TECHNICIAN: "Does work, and moves stock.",
  MANAGER: "Plans, approves, and changes the plant.",
  ADMIN: "Full access, including keys and webhooks.",
};

const isOver = ({ revokedAt, expiresAt }: Key) => !!revokedAt || (!!expiresAt && new Date(expiresAt) < new Date());

export function Keys({ data }: { data: AdminPageQuery }) {
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const keys = data.apiKeys?.nodes ?? [];
  const total = data.apiKeys?.totalCount ?? 0;
  const sorted = [...keys].sort((a, b) => Number(isOver(a)) - Number(isOver(b)));
  return (
    <section className="card" aria-label="Keys">
      <header>
        <span className="muted small">Each person and program signs in with its own key.</span>
        <button type="button" className="button small primary" onClick={() => setCreating(true)}>
          <Plus className="icon" aria-hidden />
          New key
        </button>
      </header>
      {sorted.length ? (
        <ul className="list">
          {sorted.map((key) => (
            <KeyLine key={key.id} apiKey={key} onSecret={setSecret} />
          ))}
        </ul>
      ) : (
        <Empty icon={KeyRound} title="No keys yet">
          Create a key for each person or program.
        </Empty>
      )}
      {total > keys.length && <p className="muted small list-end">{`The newest ${count(keys.length)} of ${count(total)} keys.`}</p>}
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
      {secret && <Secret title="New key" secret={secret} onClose={() => setSecret(undefined)} />}
    </section>
  );
}

function KeyLine({ apiKey, onSecret }: { apiKey: Key; onSecret: (secret: string) => void }) {
  const { id, name, prefix, role, sites, readAll, expiresAt, lastUsedAt, revokedAt } = apiKey;
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
          {isOwn && <span className="muted small"> (in use here)</span>}
        </div>
        <div className="muted small clip">
          <span className="mono">mg_{prefix}…</span> · {sites.length ? sites.join(", ") : "All sites"}
          {sites.length > 0 && readAll && ", reads all"}
        </div>
      </div>
      <span className="small nowrap">{wordOf(role)}</span>
      <span className="muted small nowrap">
        {revokedAt
          ? `Revoked ${day(revokedAt)}`
          : over
            ? `Expired ${day(expiresAt)}`
            : lastUsedAt
              ? `Used ${ago(lastUsedAt)}`
              : "Never used"}
        {!over && expiresAt && ` · expires ${day(expiresAt)}`}
      </span>
      {!over && (
        <span className="row">
          <button
            type="button"
            className="button small"
            disabled={rotate.isBusy}
            onClick={async () => {
              const made = await rotate.run({ id });
              if (made?.rotateApiKey) onSecret(made.rotateApiKey.key);
            }}
          >
            Rotate
          </button>
          <button type="button" className="button small danger" onClick={() => setRevoking(true)}>
            Revoke
          </button>
        </span>
      )}
      {isRevoking && (
        <Confirm
          title={`Revoke ${name}?`}
          text={`Requests with this key are refused from now on.${isOwn ? " You are signed in with this key and will be signed out." : ""} This cannot be undone.`}
          verb="Revoke"
          isBusy={revoke.isBusy}
          onClose={() => setRevoking(false)}
          onConfirm={async () => {
            if (await revoke.run({ id }, "Key revoked")) setRevoking(false);
          }}
        />
      )}
    </li>
  );
}

function NewKey({ sites, onClose, onMade }: { sites: string[]; onClose: () => void; onMade: (key: string) => void }) {
  const create = useChange(CreateKey, { isSecret: true });
  const [name, setName] = useState("");
  const [role, setRole] = useState<(typeof roles)[number]>("TECHNICIAN");
  const [chosen, setChosen] = useState<string[]>([]);
  const [expires, setExpires] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      name: name.trim(),
      role,
      ...(chosen.length && { sites: chosen }),
      // The key stays valid through its expiry day.
      ...(expires && { expiresAt: new Date(`${expires}T23:59:59`).toISOString() }),
    };
    const made = await create.run({ input });
    if (made?.createApiKey) onMade(made.createApiKey.key);
  };
  return (
    <Dialog title="New key" onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <TextField
          label="Name"
          hint="The person or program that uses the key"
          required
          value={name}
          wrong={create.wrong.name}
          onChange={(event) => setName(event.target.value)}
        />
        <Select
          label="Role"
          hint={roleHints[role]}
          value={role}
          wrong={create.wrong.role}
          onChange={(event) => setRole(event.target.value as typeof role)}
        >
          {roles.map((one) => (
            <option key={one} value={one}>
              {wordOf(one)}
            </option>
          ))}
        </Select>
        <fieldset>
          <legend className="strong small">Sites that the key may change (none selected: all)</legend>
          {sites.map((site) => (
            <label key={site} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(site)}
                onChange={(event) => setChosen((was) => (event.target.checked ? [...was, site] : was.filter((one) => one !== site)))}
              />
              {site}
            </label>
          ))}
        </fieldset>
        <TextField
          label="Expires on"
          hint="Valid through this day. Leave empty for a key that does not expire."
          type="date"
          value={expires}
          wrong={create.wrong.expiresAt}
          onChange={(event) => setExpires(event.target.value)}
        />
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={create.isBusy || !name.trim()}>
            Create key
          </button>
        </div>
      </form>
    </Dialog>
  );
}
