import { Plus, TriangleAlert, Webhook } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { WebhookEventKind } from "../../../../packages/client/src/generated/schema.js";
import type { AdminPageQuery } from "../../generated/admin.js";
import { CreateHook, DeleteHook, UpdateHook } from "../../generated/admin.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { Empty } from "../../parts/states.js";
import { ago, count, wordOf } from "../../parts/words.js";
import { Secret } from "./secret.js";

type Hook = NonNullable<AdminPageQuery["webhooks"]>["nodes"][number];

const events: WebhookEventKind[] = [
  "ASSET_STATUS_CHANGED",
  "NOTIFICATION_RAISED",
  "NOTIFICATION_STATUS_CHANGED",
  "WORK_ORDER_ASSIGNED",
  "WORK_ORDER_CREATED",
  "WORK_ORDER_STATUS_CHANGED",
];

export function Webhooks({ data }: { data: AdminPageQuery }) {
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const hooks = data.webhooks?.nodes ?? [];
  return (
    <section className="card" aria-label="Webhooks">
      <header>
        <span className="muted small">Webhooks notify other systems of events.</span>
        <button type="button" className="button small primary" onClick={() => setCreating(true)}>
          <Plus className="icon" aria-hidden />
          New webhook
        </button>
      </header>
      {hooks.length ? (
        <ul className="list">
          {hooks.map((hook) => (
            <HookLine key={hook.id} hook={hook} />
          ))}
        </ul>
      ) : (
        <Empty icon={Webhook} title="No webhooks yet">
          Create a webhook to notify another system of new work orders, alerts or low stock.
        </Empty>
      )}
      {data.webhooks && data.webhooks.totalCount > hooks.length && (
        <p className="muted small list-end">{`${count(hooks.length)} of ${count(data.webhooks.totalCount)} webhooks.`}</p>
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
      {secret && <Secret title="Signing secret" secret={secret} onClose={() => setSecret(undefined)} />}
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
            Not responding since {ago(failingSince)}
          </span>
        )}
      </div>
      {failed.totalCount > 0 && <span className="muted small nowrap">{count(failed.totalCount)} not delivered</span>}
      <label className="check">
        <input
          type="checkbox"
          checked={isActive}
          disabled={update.isBusy}
          onChange={(event) => void update.run({ id, input: { isActive: event.target.checked }, expectedVersion: version })}
        />
        On
      </label>
      <button type="button" className="button small danger" onClick={() => setDeleting(true)}>
        Delete
      </button>
      {isDeleting && (
        <Confirm
          title="Delete the webhook?"
          text={`${url} receives no more events.`}
          verb="Delete"
          isBusy={remove.isBusy}
          onClose={() => setDeleting(false)}
          onConfirm={() => void remove.run({ id }, "Webhook deleted")}
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
    <Dialog title="New webhook" onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <TextField
          label="Address"
          type="url"
          required
          placeholder="https://example.com/hook"
          value={url}
          wrong={create.wrong.url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField
          label="Description"
          value={description}
          wrong={create.wrong.description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <fieldset className="two-columns">
          <legend className="strong small">Events</legend>
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
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={create.isBusy || !chosen.length || !url.trim()}>
            Create webhook
          </button>
        </div>
      </form>
    </Dialog>
  );
}
