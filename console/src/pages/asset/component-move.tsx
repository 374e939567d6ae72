/** Moves a component with its subtree: below another component, to the top of its asset, or to another asset. */
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { useQuery } from "urql";
import { MoveComponent, MoveTargets } from "../../generated/component-edit.js";
import { AssetChoice } from "../../parts/asset-choice.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { useSettled } from "../../parts/hooks.js";
import { SearchField } from "../../parts/search-field.js";
import { Failed, Loading, messageOf } from "../../parts/states.js";
import { wordOf } from "../../parts/words.js";
import type { Node } from "./tree.js";
import type { Asset } from "./types.js";

interface Props {
  asset: Asset;
  node: Node;
  onClose: () => void;
  onChanged: (inside?: string) => Promise<void>;
}

export function MoveDialog({ asset, node, onClose, onChanged }: Props) {
  const move = useChange(MoveComponent);
  const [isElsewhere, setElsewhere] = useState(false);
  const [text, setText] = useState("");
  const search = useSettled(text.trim()) || undefined;
  const [{ data, fetching, error }, retry] = useQuery({ query: MoveTargets, variables: { assetId: asset.id, search } });
  // A component cannot be moved below itself.
  const targets = data?.components?.nodes.filter(({ id, ancestors }) => id !== node.id && !ancestors.some((one) => one.id === node.id));
  const to = async (place: string, input: { newParentId: string | null; assetId?: string }) => {
    if (await move.run({ id: node.id, expectedVersion: node.version, ...input }, t`${node.name} moved to ${place}`)) {
      onClose();
      await onChanged(input.newParentId ?? undefined);
    } else await onChanged();
  };
  return (
    <Dialog title={t`Move ${node.name} to …`} onClose={onClose}>
      <div className="dialog-body">
        {move.error && (
          <p className="note bad" role="alert">
            {messageOf(move.error)}
          </p>
        )}
        {isElsewhere ? (
          <AssetChoice onChoose={(assetId) => void to(t`the other asset`, { newParentId: null, assetId })} />
        ) : (
          <>
            <SearchField placeholder={t`Find a component`} aria-label={t`Find the new place`} value={text} onChange={setText} />
            {!targets && (fetching ? <Loading lines={4} /> : <Failed error={error} onRetry={() => retry()} />)}
            {targets && (
              <ul className="list choices long" aria-label={t`New place`} aria-busy={fetching}>
                {!search && (
                  <li>
                    <button type="button" disabled={move.isBusy} onClick={() => void to(t`the top level`, { newParentId: null })}>
                      <span className="strong">{t`Top level`}</span>
                      <span className="muted small">{asset.name}</span>
                    </button>
                  </li>
                )}
                {targets.map(({ id, name, type, ancestors }) => (
                  <li key={id}>
                    <button type="button" disabled={move.isBusy} onClick={() => void to(name, { newParentId: id })}>
                      <span className="strong">{name}</span>
                      <span className="muted small">{[...ancestors.map((one) => one.name), wordOf(type)].join(" › ")}</span>
                    </button>
                  </li>
                ))}
                {search && !targets.length && <li className="muted">{t`Nothing found.`}</li>}
              </ul>
            )}
            {data?.components && data.components.totalCount > data.components.nodes.length && (
              <p className="muted small">{t`The first ${data.components.nodes.length}. Type a name to find others.`}</p>
            )}
          </>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={() => setElsewhere(!isElsewhere)}>
            {isElsewhere ? t`In this asset` : t`To another asset`}
          </button>
          <button type="button" className="button" onClick={onClose}>
            {t`Cancel`}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
