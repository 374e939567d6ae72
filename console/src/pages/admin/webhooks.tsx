import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { Plus, TriangleAlert, Webhook, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { WebhookEventKind } from "../../../../packages/client/src/generated/schema.js";
import type { AdminPageQuery } from "../../generated/admin.js";
import { CreateHook, DeleteHook, UpdateHook } from "../../generated/admin.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { Secret } from "../../parts/secret.js";
import { Empty } from "../../parts/states.js";
import { ago, count, wordOf } from "../../parts/words.js";

type Hook = NonNullable<AdminPageQuery["webhooks"]>["nodes"][number];

const events: WebhookEventKind[] = [
  "ASSET_STATUS_CHANGED",
  "NOTIFICATION_RAISED",
  "NOTIFICATION_STATUS_CHANGED",
  "WORK_ORDER_ASSIGNED",
  "WORK_ORDER_CREATED",
  "WORK_ORDER_STATUS_CHANGED",
];

/** `isFailing`: only webhooks whose last delivery failed are listed. */
export function Webhooks({ data, isFailing }: { data: AdminPageQuery; isFailing: boolean }) {
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const all = data.webhooks?.nodes ?? [];
  const hooks = isFailing ? all.filter(({ failingSince }) => failingSince) : all;
  return (
    <section className="card" aria-label={t`Webhooks`}>
      <header style={{ flexWrap: "wrap" }}>
        {isFailing ? (
          <button type="button" className="chip" aria-pressed onClick={() => void navigate({ to: "/admin", search: { tab: "webhooks" } })}>
            {t`Failing`}
            <X className="icon" aria-hidden />
            <span className="hidden-text">, {t`show all webhooks`}</span>
          </button>
        ) : (
          <span className="muted small">{t`Webhooks notify other systems of events.`}</span>
        )}
        <button type="button" className="button small primary" onClick={() => setCreating(true)}>
          <Plus className="icon" aria-hidden />
          {t`New webhook`}
        </button>
      </header>
      {hooks.length ? (
        <ul className="list">
          {hooks.map((hook) => (
            <HookLine key={hook.id} hook={hook} />
          ))}
        </ul>
      ) : (
        <Empty icon={Webhook} title={isFailing ? t`No webhook fails` : t`No webhooks yet`}>
          {t`Create a webhook to notify another system of new work orders, alerts or low stock.`}
        </Empty>
      )}
      {data.webhooks && data.webhooks.totalCount > all.length && (
        <p className="muted small list-end">{t`${count(all.length)} of ${count(data.webhooks.totalCount)} webhooks.`}</p>
      )}
      {isCreating && (
        <NewHook
          onClose={() => setCreating(false)}
          onMade={(made) => {
            setCreating(false);
            setSecret(made);
          }}
        />
      )}
      {secret && <Secret title={t`Signing secret`} secret={secret} onClose={() => setSecret(undefined)} />}
    </section>
  );
}

function HookLine({ hook }: { hook: Hook }) {
  const update = useChange(UpdateHook);
  const remove = useChange(DeleteHook);
  const [isDeleting, setDeleting] = useState(false);
  const { id, url, description, events: kinds, isActive, failingSince, failed, version } = hook;
  return (
    <li style={{ flexWrap: "wrap" }}>
      <div className="grow stack tight" style={{ minWidth: 240 }}>
        <span className="strong clip">{description ?? url}</span>
        {description && <span className="muted small mono clip">{url}</span>}
        <span className="muted small">{kinds.map(wordOf).join(", ")}</span>
        {failingSince && (
          <span className="status bad">
            <TriangleAlert className="icon" aria-hidden />
            {t`Not responding since ${ago(failingSince)}`}
          </span>
        )}
      </div>
      {failed.totalCount > 0 && <span className="muted small nowrap">{t`${count(failed.totalCount)} not delivered`}</span>}
      <label className="check">
        <input
          type="checkbox"
          checked={isActive}
          disabled={update.isBusy}
          onChange={(event) => void update.run({ id, input: { isActive: event.target.checked }, expectedVersion: version })}
        />
        {t`On`}
      </label>
      <button type="button" className="button small danger" onClick={() => setDeleting(true)}>
        {t`Delete`}
      </button>
      {isDeleting && (
        <Confirm
          title={t`Delete the webhook?`}
          text={t`${url} receives no more events.`}
          verb={t`Delete`}
          isBusy={remove.isBusy}
          onClose={() => setDeleting(false)}
          onConfirm={() => void remove.run({ id }, t`Webhook deleted`)}
        />
      )}
    </li>
  );
}

function NewHook({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const create = useChange(CreateHook, { isSecret: true });
  const [url, setUrl] = useState("");
  const [description, setDescription] = useState("");
  const [chosen, setChosen] = useState<WebhookEventKind[]>([]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await create.run({
      input: { url: url.trim(), events: chosen, ...(description.trim() && { description: description.trim() }) },
    });
    if (made?.createWebhook) onMade(made.createWebhook.secret);
  };
  return (
    <Dialog title={t`New webhook`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <TextField
          label={t`Address`}
          type="url"
          required
          placeholder="https://example.com/hook"
          value={url}
          wrong={create.wrong.url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField
          label={t`Description`}
          value={description}
          wrong={create.wrong.description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <fieldset className="two-columns">
          <legend className="strong small">{t`Events`}</legend>
          {events.map((kind) => (
            <label key={kind} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(kind)}
                onChange={(event) => setChosen((was) => (event.target.checked ? [...was, kind] : was.filter((one) => one !== kind)))}
              />
              {wordOf(kind)}
            </label>
          ))}
        </fieldset>
        <DialogActions verb={t`Create webhook`} isDisabled={create.isBusy || !chosen.length || !url.trim()} onClose={onClose} />
      </form>
    </Dialog>
  );
}
