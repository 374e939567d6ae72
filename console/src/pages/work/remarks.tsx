import { t } from "@lingui/core/macro";
import { FileText, Send } from "lucide-react";
import { type FormEvent, useState } from "react";
import { AddComment, AddFile } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { fileKinds } from "../../parts/photo-kinds.js";
import { Said } from "../../parts/said.js";
import { Upload } from "../../parts/upload.js";
import { ago } from "../../parts/words.js";
import { isWaiting } from "../../session/cache.js";
import { useSession } from "../../session/session.js";
import type { Order } from "./types.js";

export function Remarks({ order }: { order: Order }) {
  const { can } = useSession();
  const add = useChange(AddComment, { waits: true });
  const [text, setText] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() && (await add.run({ id: order.id, text: text.trim() }))) setText("");
  };
  return (
    <section className="card" aria-labelledby="remarks">
      <header>
        <h2 id="remarks">{t`Comments`}</h2>
      </header>
      <div className="body stack">
        {order.comments.length > 0 && (
          <ul className="stack">
            {order.comments.map(({ id, text: said, createdAt, createdByPrincipal }) => (
              <li key={id}>
                <div className="small muted">
                  <strong className="comment-by">{createdByPrincipal?.name ?? t`Somebody`}</strong>{" "}
                  {isWaiting(id) ? t`waiting to be sent` : ago(createdAt)}
                </div>
                <Said text={said} />
              </li>
            ))}
          </ul>
        )}
        {can("addWorkOrderComment") ? (
          <form className="row" onSubmit={submit}>
            <input
              className="input"
              placeholder={t`Write a comment`}
              aria-label={t`Comment`}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <button type="submit" className="button icon-only" aria-label={t`Send the comment`} disabled={add.isBusy || !text.trim()}>
              <Send className="icon" aria-hidden />
            </button>
          </form>
        ) : (
          !order.comments.length && <p className="muted">{t`No comments.`}</p>
        )}
      </div>
    </section>
  );
}

export function Files({ order }: { order: Order }) {
  const { can } = useSession();
  const add = useChange(AddFile, { waits: true });
  return (
    <section className="card" aria-labelledby="files">
      <header>
        <h2 id="files">{t`Photos and files`}</h2>
        {can("uploadAttachment") && (
          <Upload
            label={t`Add photo`}
            accept={fileKinds}
            isBusy={add.isBusy}
            onFile={(file) => void add.run({ owner: { workOrderId: order.id }, file }, t`Added`)}
          />
        )}
      </header>
      <div className="body">
        {order.attachments.length ? <FileList files={order.attachments} /> : <p className="muted">{t`None yet.`}</p>}
      </div>
    </section>
  );
}

export function FileList({ files }: { files: Order["attachments"] }) {
  return (
    <div className="photos">
      {files.map(({ id, url, thumbnailUrl, title, filename }) => (
        <a key={id} href={url} target="_blank" rel="noreferrer" title={title ?? filename}>
          {thumbnailUrl ? (
            <img src={thumbnailUrl} alt={title ?? filename} loading="lazy" />
          ) : (
            <>
              <FileText className="icon" aria-hidden />
              <span className="hidden-text">{title ?? filename}</span>
            </>
          )}
        </a>
      ))}
    </div>
  );
}
