/** Actions on a procedure: create an order, edit, activate and archive. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Archive, ClipboardPlus, Copy, Pencil, Play } from "lucide-react";
import { useState } from "react";
import { UpdateProcedure } from "../../generated/procedure.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { messageOf } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { MakeOrder } from "./make-order.js";
import type { Procedure } from "./types.js";

export function ProcedureActions({ procedure, onReload }: { procedure: Procedure; onReload: () => void }) {
  const { can } = useSession();
  const update = useChange(UpdateProcedure, { onRefused: onReload });
  const [asked, setAsked] = useState<"order" | "archive">();
  const { id, name, status, version, assets } = procedure;
  const close = () => setAsked(undefined);
  const canOrder = can("createWorkOrder") && status !== "ARCHIVED" && assets.some((one) => one.asset && !one.pendingWorkOrder);
  const set = async (to: "ACTIVE" | "ARCHIVED", done: string) => {
    if (await update.run({ id, expectedVersion: version, input: { status: to } }, done)) close();
  };
  return (
    <div className="row wrap">
      {can("updateProcedure") && status !== "ARCHIVED" && (
        <button type="button" className="button icon-only" aria-label={t`Archive`} title={t`Archive`} onClick={() => setAsked("archive")}>
          <Archive className="icon" aria-hidden />
        </button>
      )}
      {can("updateProcedure") && status !== "ACTIVE" && (
        <button type="button" className="button" disabled={update.isBusy} onClick={() => void set("ACTIVE", t`${name} is active`)}>
          <Play className="icon" aria-hidden />
          {t`Activate`}
        </button>
      )}
      {can("createProcedure") && (
        <Link className="button icon-only" to="/procedures/new" search={{ copy: id }} aria-label={t`Copy`} title={t`Copy`}>
          <Copy className="icon" aria-hidden />
        </Link>
      )}
      {can("updateProcedure") && (
        <Link className="button" to="/procedures/$id/edit" params={{ id }}>
          <Pencil className="icon" aria-hidden />
          {t`Edit`}
        </Link>
      )}
      {canOrder && (
        <button type="button" className="button primary" onClick={() => setAsked("order")}>
          <ClipboardPlus className="icon" aria-hidden />
          {t`Create work order`}
        </button>
      )}
      {asked === "order" && <MakeOrder procedure={procedure} onClose={close} onRefused={onReload} />}
      {asked === "archive" && (
        <Confirm
          title={t`Archive ${name}?`}
          text={t`It creates no more work orders. Its work orders and history are kept. It can be activated again.`}
          verb={t`Archive`}
          isBusy={update.isBusy}
          refused={messageOf(update.error)}
          onConfirm={() => void set("ARCHIVED", t`${name} is archived`)}
          onClose={close}
        />
      )}
    </div>
  );
}
