/** Sends a purchase order to its supplier by e-mail, and shows earlier e-mails and the PDF. */
import { t } from "@lingui/core/macro";
import { FileText } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useQuery } from "urql";
import { MailPurchase, PurchaseMails } from "../../generated/purchases.js";
import { type Language, languages, language as own } from "../../language/language.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { Select, TextArea, TextField } from "../../parts/field.js";
import { messageBeside, messageOf, Refusal } from "../../parts/states.js";
import { moment, wordOf } from "../../parts/words.js";
import type { Purchase } from "./types.js";

export function MailPurchaseDialog({ order, onRefused, onClose }: { order: Purchase; onRefused: () => void; onClose: () => void }) {
  const [recipient, setRecipient] = useState("");
  const [language, setLanguage] = useState<Language>(own);
  const [message, setMessage] = useState("");
  const send = useChange(MailPurchase, { onRefused });
  const { id, version: expectedVersion } = order;
  const [{ data, error }] = useQuery({ query: PurchaseMails, variables: { id, language }, requestPolicy: "network-only" });
  const { supplier, mails = [], pdfUrl } = data?.purchaseOrder ?? {};
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { recipient: recipient.trim() || null, language, message: message.trim() || null };
    if (await send.run({ id, input, expectedVersion }, t`The purchase order is being sent`)) onClose();
  };
  return (
    <Dialog title={t`Send by e-mail`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>{t`The supplier gets the purchase order as a PDF.`}</p>
        <Refusal text={error ? messageOf(error) : messageBeside(send.error, "recipient")} />
        <TextField
          label={t`E-mail`}
          type="email"
          value={recipient}
          placeholder={supplier?.contact?.email ?? ""}
          required={!!data && !supplier?.contact?.email}
          wrong={send.wrong.recipient}
          onChange={(event) => setRecipient(event.target.value)}
        />
        <Select label={t`Language`} value={language} onChange={(event) => setLanguage(event.target.value as Language)}>
          {Object.entries(languages).map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
        <TextArea label={t`Text above the order`} value={message} onChange={(event) => setMessage(event.target.value)} />
        {mails.length > 0 && (
          <ul className="list">
            {mails.map(({ recipient, status, createdAt, error }) => (
              <li key={createdAt}>
                {moment(createdAt, order.site)} · {recipient} · {wordOf(status)}
                {error && <> · {error}</>}
              </li>
            ))}
          </ul>
        )}
        <div className="actions">
          {pdfUrl && (
            <a className="button" href={pdfUrl} target="_blank" rel="noreferrer">
              <FileText className="icon" aria-hidden />
              {t`Open the PDF`}
            </a>
          )}
          <button type="button" className="button" onClick={onClose}>
            {t`Back`}
          </button>
          <button type="submit" className="button primary" disabled={send.isBusy}>
            {t`Send`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
