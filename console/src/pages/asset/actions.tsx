/** A manager's actions on an asset: edit, decommission, delete. */
import { plural, t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { Archive, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { DeleteAsset, UpdateAsset } from "../../generated/edit.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { messageOf } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { EditAsset } from "./edit.js";
import type { Asset } from "./types.js";

export function AssetActions({ asset, onReload }: { asset: Asset; onReload: () => void }) {
  const { can } = useSession();
  const navigate = useNavigate();
  const update = useChange(UpdateAsset);
  const remove = useChange(DeleteAsset);
  // The version shown when the dialog opened. The action applies to that version only.
  const [asked, setAsked] = useState<{ what: "edit" | "decommission" | "delete"; version: number }>();
  const ask = (what: "edit" | "decommission" | "delete") => setAsked({ what, version: asset.version });
  const close = () => setAsked(undefined);
  const { id, name, site, allComponents } = asset;
  const components = allComponents.totalCount;

  const decommission = async () => {
    const done = await update.run(
      { id, expectedVersion: asked!.version, input: { status: "DECOMMISSIONED" } },
      t`${name} is decommissioned`,
    );
    if (done) close();
    onReload();
  };
  const deleteIt = async () => {
    if (await remove.run({ id, expectedVersion: asked!.version }, t`${name} is deleted`))
      await navigate({ to: "/plant", search: { site } });
    else onReload();
  };
  return (
    <>
      {can("updateAsset") && asset.status !== "DECOMMISSIONED" && (
        <button
          type="button"
          className="button icon-only"
          aria-label={t`Decommission`}
          title={t`Decommission`}
          onClick={() => ask("decommission")}
        >
          <Archive className="icon" aria-hidden />
        </button>
      )}
      {can("deleteAsset") && (
        <button type="button" className="button danger icon-only" aria-label={t`Delete`} title={t`Delete`} onClick={() => ask("delete")}>
          <Trash2 className="icon" aria-hidden />
        </button>
      )}
      {can("updateAsset") && (
        <button type="button" className="button" onClick={() => ask("edit")}>
          <Pencil className="icon" aria-hidden />
          {t`Edit`}
        </button>
      )}
      {asked?.what === "edit" && <EditAsset asset={asset} onClose={close} onReload={onReload} />}
      {asked?.what === "decommission" && (
        <Confirm
          title={t`Decommission ${name}?`}
          text={t`It is taken out of service, and its procedures create no more work orders. Its history is kept. To undo this, change its status.`}
          verb={t`Decommission`}
          isBusy={update.isBusy}
          refused={messageOf(update.error)}
          onConfirm={() => void decommission()}
          onClose={close}
        />
      )}
      {asked?.what === "delete" && (
        <Confirm
          title={t`Delete ${name}?`}
          text={
            components
              ? plural(components, {
                  one: "It is removed from the plant with its component. A manager can restore it.",
                  other: "It is removed from the plant with its # components. A manager can restore it.",
                })
              : t`It is removed from the plant. A manager can restore it.`
          }
          verb={t`Delete`}
          isBusy={remove.isBusy}
          refused={messageOf(remove.error)}
          onConfirm={() => void deleteIt()}
          onClose={close}
        />
      )}
    </>
  );
}
