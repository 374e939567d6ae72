/** Buttons of a purchase order's page, each where the status and the role allow its change. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Mail, Pencil, Printer } from "lucide-react";
import { useState } from "react";
import { SendPurchase, SubmitPurchase } from "../../generated/purchases.js";
import { useChange } from "../../parts/change.js";
import { messageOf, Refusal } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { MailPurchaseDialog } from "./mail-purchase.js";
import { ReasonDialog } from "./reason.js";
import type { Purchase } from "./types.js";

export function PurchaseActions({ order, onRefused }: { order: Purchase; onRefused: () => void }) {
  const { can } = useSession();
  const [asked, setAsked] = useState<"approve" | "decline" | "cancel" | "close" | "mail">();
  const submit = useChange(SubmitPurchase, { onRefused });
  const send = useChange(SendPurchase, { onRefused });
  const { id, status, version } = order;
  const variables = { id, expectedVersion: version };
  const refused = submit.error ?? send.error;
  const isAwaiting = status === "AWAITING_APPROVAL";
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Link className="button" to="/purchases/$id/print" params={{ id }}>
          <Printer className="icon" aria-hidden />
          {t`Print`}
        </Link>
        {["DRAFT", "AWAITING_APPROVAL", "APPROVED", "SENT"].includes(status) && can("cancelPurchaseOrder") && (
          <button type="button" className="button" onClick={() => setAsked("cancel")}>
            {t`Cancel purchase order`}
          </button>
        )}
        {status === "DRAFT" && can("updatePurchaseOrder") && (
          <Link className="button" to="/purchases/$id/edit" params={{ id }}>
            <Pencil className="icon" aria-hidden />
            {t`Edit`}
          </Link>
        )}
        {(status === "PARTLY_RECEIVED" || status === "RECEIVED") && can("closePurchaseOrder") && (
          <button type="button" className="button" onClick={() => setAsked("close")}>
            {t`Close purchase order`}
          </button>
        )}
        {status === "DRAFT" && can("submitPurchaseOrder") && (
          <button
            type="button"
            className="button primary"
            disabled={submit.isBusy}
            onClick={() => void submit.run(variables, t`Purchase order submitted`)}
          >
            {t`Submit`}
          </button>
        )}
        {isAwaiting && can("declinePurchaseOrder") && (
          <button type="button" className="button" onClick={() => setAsked("decline")}>
            {t`Decline`}
          </button>
        )}
        {isAwaiting && can("approvePurchaseOrder") && (
          <button type="button" className="button primary" onClick={() => setAsked("approve")}>
            {t`Approve`}
          </button>
        )}
        {["APPROVED", "SENT", "PARTLY_RECEIVED"].includes(status) && can("mailPurchaseOrder") && (
          <button type="button" className={status === "APPROVED" ? "button primary" : "button"} onClick={() => setAsked("mail")}>
            <Mail className="icon" aria-hidden />
            {t`Send by e-mail`}
          </button>
        )}
        {status === "APPROVED" && can("sendPurchaseOrder") && (
          <button
            type="button"
            className="button"
            disabled={send.isBusy}
            onClick={() => void send.run(variables, t`Purchase order marked as sent`)}
          >
            {t`Mark as sent`}
          </button>
        )}
      </div>
      <Refusal text={refused && messageOf(refused)} />
      {asked === "mail" && <MailPurchaseDialog order={order} onRefused={onRefused} onClose={() => setAsked(undefined)} />}
      {asked && asked !== "mail" && (
        <ReasonDialog id={id} change={asked} expectedVersion={version} onRefused={onRefused} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}
