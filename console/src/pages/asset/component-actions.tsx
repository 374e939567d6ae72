/** Actions on the chosen component, and on the tree: add, edit, move, decommission, delete, apply a template. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Archive, CornerUpRight, Layers, Pencil, Plus, ScanBarcode, Trash2 } from "lucide-react";
import { useState } from "react";
import { DeleteComponent, UpdateComponent } from "../../generated/component-edit.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { messageOf } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { ApplyTemplateDialog } from "./apply-template.js";
import { EditComponent, NewComponent } from "./component-edit.js";
import { MoveDialog } from "./component-move.js";
import type { Line, Node } from "./tree.js";
import type { Asset } from "./types.js";

type Action = "add" | "template" | "edit" | "move" | "decommission" | "delete";

interface Props {
  asset: Asset;
  /** The chosen line. */
  line: Line | undefined;
  /** Called after a change of the tree. `inside` is a component whose children changed. */
  onChanged: (inside?: string) => Promise<void>;
}

export function ComponentActions({ asset, line, onChanged }: Props) {
  const { can } = useSession();
  // The component chosen when the dialog opened. The tree may change meanwhile.
  const [asked, setAsked] = useState<{ what: Action; node?: Node }>();
  const node = line?.node;
  const ask = (what: Action) => setAsked({ what, node });
  const close = () => setAsked(undefined);
  const add = can("createComponent") && (
    <button type="button" className="button small" onClick={() => ask("add")}>
      <Plus className="icon" aria-hidden />
      {t`Add a component`}
    </button>
  );
  const template = can("applyTemplate") && (
    <button type="button" className="button small" onClick={() => ask("template")}>
      <Layers className="icon" aria-hidden />
      {t`Apply a template`}
    </button>
  );
  if (!add && !template && !node) return null;
  const props = { asset, node: asked?.node, onClose: close, onChanged };
  return (
    <div className="tree-actions row wrap">
      {add}
      {template}
      {node && (
        <>
          <span className="strong small clip">{node.name}</span>
          <Link className="button small" to="/component/$id" params={{ id: node.id }}>
            <ScanBarcode className="icon" aria-hidden />
            {t({ context: "serialised items", message: "Units" })} <span className="hidden-text">{node.name}</span>
          </Link>
        </>
      )}
      {node && can("updateComponent") && (
        <>
          <button type="button" className="button small" onClick={() => ask("edit")}>
            <Pencil className="icon" aria-hidden />
            {t`Edit`} <span className="hidden-text">{node.name}</span>
          </button>
          <button type="button" className="button small" onClick={() => ask("move")}>
            <CornerUpRight className="icon" aria-hidden />
            {t`Move to …`} <span className="hidden-text">{node.name}</span>
          </button>
          {node.status !== "DECOMMISSIONED" && (
            <button
              type="button"
              className="button small icon-only"
              aria-label={t`Decommission ${node.name}`}
              title={t`Decommission`}
              onClick={() => ask("decommission")}
            >
              <Archive className="icon" aria-hidden />
            </button>
          )}
          {can("deleteComponent") && (
            <button
              type="button"
              className="button small danger icon-only"
              aria-label={t`Delete ${node.name}`}
              title={t`Delete`}
              onClick={() => ask("delete")}
            >
              <Trash2 className="icon" aria-hidden />
            </button>
          )}
        </>
      )}
      {asked?.what === "add" && <NewComponent {...props} />}
      {asked?.what === "template" && <ApplyTemplateDialog {...props} />}
      {asked?.node && <OnNode {...props} what={asked.what} node={asked.node} />}
    </div>
  );
}

interface OnNodeProps extends Pick<Props, "asset" | "onChanged"> {
  what: Action;
  node: Node;
  onClose: () => void;
}

function OnNode({ what, asset, node, onClose, onChanged }: OnNodeProps) {
  const update = useChange(UpdateComponent);
  const remove = useChange(DeleteComponent);
  const variables = { id: node.id, expectedVersion: node.version };
  const done = (result: unknown) => {
    if (result) onClose();
    void onChanged();
  };
  if (what === "edit") return <EditComponent node={node} onClose={onClose} onChanged={onChanged} />;
  if (what === "move") return <MoveDialog asset={asset} node={node} onClose={onClose} onChanged={onChanged} />;
  if (what === "decommission")
    return (
      <Confirm
        title={t`Decommission ${node.name}?`}
        text={t`It is taken out of service. Its history is kept. To undo this, change its status.`}
        verb={t`Decommission`}
        isBusy={update.isBusy}
        refused={messageOf(update.error)}
        onClose={onClose}
        onConfirm={() =>
          void update.run({ ...variables, input: { status: "DECOMMISSIONED" } }, t`${node.name} is decommissioned`).then(done)
        }
      />
    );
  if (what === "delete")
    return (
      <Confirm
        title={t`Delete ${node.name}?`}
        text={
          node.children.totalCount
            ? t`It is removed from the asset with everything in it. It can be restored through the API.`
            : t`It is removed from the asset. It can be restored through the API.`
        }
        verb={t`Delete`}
        isBusy={remove.isBusy}
        refused={messageOf(remove.error)}
        onClose={onClose}
        onConfirm={() => void remove.run(variables, t`${node.name} is deleted`).then(done)}
      />
    );
  return null;
}
