/** Documents of an asset, such as manuals and drawings. */
import { t } from "@lingui/core/macro";
import { FileText, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { DeleteDocument, UploadDocument, type UploadDocumentMutationVariables } from "../../generated/documents.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { fileKinds } from "../../parts/photo-kinds.js";
import { messageBeside, messageOf, Refusal } from "../../parts/states.js";
import { Upload } from "../../parts/upload.js";
import { day, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import type { Asset } from "./types.js";

type Kind = NonNullable<NonNullable<UploadDocumentMutationVariables["input"]>["kind"]>;
const kinds: Kind[] = ["MANUAL", "DRAWING", "CERTIFICATE", "OTHER"];

export function Documents({ asset, onReload }: { asset: Asset; onReload: () => void }) {
  const { can } = useSession();
  const remove = useChange(DeleteDocument);
  const [file, setFile] = useState<File>();
  const [removing, setRemoving] = useState<Asset["documents"][number]>();
  return (
    <section className="card" aria-labelledby="documents">
      <header>
        <h2 id="documents">{t`Documents`}</h2>
        {can("uploadAttachment") && <Upload label={t`Add document`} icon="file" accept={fileKinds} onFile={setFile} />}
      </header>
      {asset.documents.length ? (
        <ul className="list">
          {asset.documents.map((one) => {
            const { id, title, filename, url, kind, revision, uploadedAt, uploadedByPrincipal } = one;
            const facts = [
              kind && wordOf(kind),
              revision && t`revision ${revision}`,
              day(uploadedAt, asset.site),
              uploadedByPrincipal?.name,
            ];
            return (
              <li key={id}>
                <div className="grow">
                  <a className="title clip block" href={url} target="_blank" rel="noreferrer">
                    {title ?? filename}
                  </a>
                  <div className="muted small clip">{facts.filter(Boolean).join(" · ")}</div>
                </div>
                {can("deleteAttachment") && (
                  <button
                    type="button"
                    className="button plain small icon-only"
                    aria-label={t`Delete ${title ?? filename}`}
                    onClick={() => setRemoving(one)}
                  >
                    <Trash2 className="icon" aria-hidden />
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      ) : (
        <div className="body">
          <p className="row muted">
            <FileText className="icon" aria-hidden /> {t`No document yet.`}
          </p>
        </div>
      )}
      {file && <NewDocument assetId={asset.id} file={file} onClose={() => setFile(undefined)} />}
      {removing && (
        <Confirm
          title={t`Delete ${removing.title ?? removing.filename}?`}
          text={t`It is removed from the asset. It can be restored through the API.`}
          verb={t`Delete`}
          isBusy={remove.isBusy}
          refused={messageOf(remove.error)}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            if (await remove.run({ id: removing.id }, t`Document deleted`)) setRemoving(undefined);
            onReload();
          }}
        />
      )}
    </section>
  );
}

function NewDocument({ assetId, file, onClose }: { assetId: string; file: File; onClose: () => void }) {
  const upload = useChange(UploadDocument);
  const [title, setTitle] = useState(file.name.replace(/\.\w+$/, ""));
  const [kind, setKind] = useState<Kind>("MANUAL");
  const [revision, setRevision] = useState("");
  const { wrong, error, isBusy } = upload;
  const message = messageBeside(error, "title", "kind", "revision");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { title: title.trim() || undefined, kind, revision: revision.trim() || undefined };
    if (await upload.run({ assetId, file, input }, t`Document added`)) onClose();
  };
  return (
    <Dialog title={t`Add document`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted anywhere">{file.name}</p>
        <TextField label={t`Title`} value={title} wrong={wrong.title} onChange={(event) => setTitle(event.target.value)} />
        <Select label={t`Kind`} value={kind} wrong={wrong.kind} onChange={(event) => setKind(event.target.value as Kind)}>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {wordOf(one)}
            </option>
          ))}
        </Select>
        <TextField label={t`Revision`} value={revision} wrong={wrong.revision} onChange={(event) => setRevision(event.target.value)} />
        <Refusal text={message} />
        <DialogActions verb={isBusy ? t`Sending …` : t`Add`} isDisabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
