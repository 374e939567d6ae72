/** A manager's actions on a part: edit, deactivate, reactivate, stock at another site. */
import { t } from "@lingui/core/macro";
import { Archive, ArchiveRestore, MapPinPlus, Pencil } from "lucide-react";
import { useState } from "react";
import { DeactivatePart, ReactivatePart } from "../../generated/part-edit.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { messageOf } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { EditLevel, EditPart } from "./part-edit.js";
import type { Part } from "./types.js";

export function PartActions({ part, onReload }: { part: Part; onReload: () => void }) {
  const { can } = useSession();
  const deactivate = useChange(DeactivatePart);
  const reactivate = useChange(ReactivatePart);
  const [asked, setAsked] = useState<"edit" | "deactivate" | "site">();
  const close = () => setAsked(undefined);
  const variables = { id: part.id, expectedVersion: part.version };
  if (!can("updatePart")) return null;
  return (
    <div className="row wrap">
      {part.isActive ? (
        <button
          type="button"
          className="button icon-only"
          aria-label={t`Deactivate`}
          title={t`Deactivate`}
          onClick={() => setAsked("deactivate")}
        >
          <Archive className="icon" aria-hidden />
        </button>
      ) : (
        <button
          type="button"
          className="button"
          disabled={reactivate.isBusy}
          onClick={() => void reactivate.run(variables, t`${part.name} is active again`).then(onReload)}
        >
          <ArchiveRestore className="icon" aria-hidden />
          {t`Reactivate`}
        </button>
      )}
      {can("updateInventory") && (
        <button type="button" className="button" onClick={() => setAsked("site")}>
          <MapPinPlus className="icon" aria-hidden />
          {t`Add a site`}
        </button>
      )}
      <button type="button" className="button" onClick={() => setAsked("edit")}>
        <Pencil className="icon" aria-hidden />
        {t`Edit`}
      </button>
      {asked === "edit" && <EditPart part={part} onClose={close} onReload={onReload} />}
      {asked === "site" && <EditLevel part={part} onClose={close} onReload={onReload} />}
      {asked === "deactivate" && (
        <Confirm
          title={t`Deactivate ${part.name}?`}
          text={t`Lists no longer show it. It keeps its number and its stock, and can be reactivated.`}
          verb={t`Deactivate`}
          isBusy={deactivate.isBusy}
          refused={messageOf(deactivate.error)}
          onClose={close}
          onConfirm={async () => {
            if (await deactivate.run(variables, t`${part.name} is deactivated`)) close();
            onReload();
          }}
        />
      )}
    </div>
  );
}
