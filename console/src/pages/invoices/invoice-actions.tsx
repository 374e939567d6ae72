/** Buttons of an invoice's page, each where the status and the role allow its change. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { MatchInvoice, PostInvoice } from "../../generated/invoices.js";
import { useChange } from "../../parts/change.js";
import { messageOf, Refusal } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { ReasonDialog } from "../purchases/reason.js";
import type { Invoice } from "./types.js";

export function InvoiceActions({ invoice, onRefused }: { invoice: Invoice; onRefused: () => void }) {
  const { can } = useSession();
  const [isCancelled, setCancelled] = useState(false);
  const post = useChange(PostInvoice, { onRefused });
  const match = useChange(MatchInvoice, { onRefused });
  const { id, status, version, lines } = invoice;
  const variables = { id, expectedVersion: version };
  const refused = post.error ?? match.error;
  return (
    <div className="stack tight">
      <div className="row wrap">
        {status !== "CANCELLED" && can("cancelSupplierInvoice") && (
          <button type="button" className="button" onClick={() => setCancelled(true)}>
            {t`Cancel invoice`}
          </button>
        )}
        {status === "DRAFT" && can("updateSupplierInvoice") && (
          <Link className="button" to="/purchases/invoices/$id/edit" params={{ id }}>
            <Pencil className="icon" aria-hidden />
            {t`Edit`}
          </Link>
        )}
        {status === "DRAFT" && can("postSupplierInvoice") && (
          <button
            type="button"
            className="button primary"
            disabled={post.isBusy}
            onClick={() => void post.run(variables, t`Invoice posted`)}
          >
            {t({ context: "button", message: "Post" })}
          </button>
        )}
        {status === "POSTED" &&
          lines.some(({ quantity, matchedQuantity }) => matchedQuantity < quantity) &&
          can("matchSupplierInvoice") && (
            <button
              type="button"
              className="button"
              disabled={match.isBusy}
              onClick={() => void match.run(variables, t`Matched with the receipts`)}
            >
              {t`Match again`}
            </button>
          )}
      </div>
      <Refusal text={refused && messageOf(refused)} />
      {isCancelled && (
        <ReasonDialog id={id} change="cancelInvoice" expectedVersion={version} onRefused={onRefused} onClose={() => setCancelled(false)} />
      )}
    </div>
  );
}
