/** Applies a procedure to many assets at once: chosen by filter, added in one request, each with its own dates. */
import { plural, t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { useQuery } from "urql";
import { AddAssets, type AddAssetsMutation, AssetsToAdd, type AssetsToAddQuery } from "../../generated/covered.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions, DoneDialog } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { useCursor, useSettled } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { SearchField } from "../../parts/search-field.js";
import { SiteSelect } from "../../parts/site-select.js";
import { Failed, Loading, messageBeside, Refusal } from "../../parts/states.js";
import { count, day, wordOf } from "../../parts/words.js";
import { instantAt } from "../../parts/zones.js";
import { intervalWords } from "./schedule-words.js";
import type { Procedure } from "./types.js";

type Asset = NonNullable<AssetsToAddQuery["assets"]>["nodes"][number];
type Added = NonNullable<AddAssetsMutation["addProcedureAssets"]>["assets"];

/** Assets that one request can add. */
const most = 1000;

export function AddAssetsDialog({ procedure, onClose }: { procedure: Procedure; onClose: () => void }) {
  const add = useChange(AddAssets);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Asset>>(new Map());
  const [first, setFirst] = useState("");
  const [added, setAdded] = useState<Added>();
  const assets = [...chosen.values()];
  const hasDates = intervalWords(procedure) !== undefined;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const inputs = assets.map(({ id, site }) => ({
      assetId: id,
      ...(first && { anchor: instantAt(first, "08:00", site).toISOString() }),
    }));
    const now = (await add.run({ procedureId: procedure.id, assets: inputs }))?.addProcedureAssets?.assets;
    if (now) setAdded(now.filter(({ assetId }) => chosen.has(assetId)));
  };
  if (added) return <AddedAssets added={added} onClose={onClose} />;
  const refused = assets.flatMap((asset, at) => {
    const reason = add.wrong[`${at}.assetId`] ?? add.wrong[`${at}.anchor`];
    return reason ? [{ asset, reason }] : [];
  });
  const leaveOut = () => {
    setChosen(new Map([...chosen].filter(([id]) => !refused.some(({ asset }) => asset.id === id))));
    add.forget();
  };
  const verb = plural(assets.length, { one: "Add # asset", other: "Add # assets" });
  return (
    <Dialog title={t`Apply ${procedure.name} to more assets`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <Choice
          covered={new Set(procedure.assets.map(({ assetId }) => assetId))}
          chosen={chosen}
          onChange={(now) => {
            add.forget();
            setChosen(now);
          }}
        />
        {hasDates && (
          <TextField
            label={t`First due on`}
            type="date"
            max="9999-12-31"
            hint={t`Leave empty for one interval from now`}
            value={first}
            onChange={({ target }) => setFirst(target.value)}
          />
        )}
        <p className="muted">
          {t`Each asset gets its own dates and work orders. Steps, parts and rules are those of the procedure, also after later changes.`}
        </p>
        {procedure.meters.length > 0 && <p className="muted">{t`Meters count only for the asset that they belong to.`}</p>}
        {refused.length > 0 && (
          <div className="note bad" role="alert">
            <div className="stack tight">
              <span>{t`Nothing was added.`}</span>
              <ul className="stack tight">
                {refused.map(({ asset, reason }) => (
                  <li key={asset.id}>{`${asset.name}: ${reason}`}</li>
                ))}
              </ul>
              <button type="button" className="button small" onClick={leaveOut}>
                {t`Leave them out`}
              </button>
            </div>
          </div>
        )}
        <Refusal text={!refused.length && messageBeside(add.error)} />
        <DialogActions
          verb={add.isBusy ? t`Adding …` : verb}
          isDisabled={!assets.length || assets.length > most || refused.length > 0 || add.isBusy}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

interface ChoiceProps {
  covered: ReadonlySet<string>;
  chosen: ReadonlyMap<string, Asset>;
  onChange: (chosen: ReadonlyMap<string, Asset>) => void;
}

function Choice({ covered, chosen, onChange }: ChoiceProps) {
  const [text, setText] = useState("");
  const [site, setSite] = useState<string>();
  const search = useSettled(text.trim()) || undefined;
  const list = JSON.stringify([search, site]);
  const [after, setAfter] = useCursor(list);
  const [{ data, fetching, stale, error }] = useQuery({
    query: AssetsToAdd,
    variables: {
      filter: { search, site, statusIn: ["OPERATIONAL", "MAINTENANCE", "OFFLINE", "PENDING"] },
      after,
    },
  });
  const found = data?.assets;
  const free = found?.nodes.filter(({ id }) => !covered.has(id)) ?? [];
  const set = (asset: Asset, isChosen: boolean) => {
    const now = new Map(chosen);
    if (isChosen) now.set(asset.id, asset);
    else now.delete(asset.id);
    onChange(now);
  };
  return (
    <>
      <search className="row wrap">
        <div className="grow">
          <SearchField placeholder={t`Name, type or serial number`} aria-label={t`Find assets`} value={text} onChange={setText} />
        </div>
        <SiteSelect sites={data?.sites} site={site} onChange={setSite} />
      </search>
      {!found && (fetching ? <Loading lines={5} /> : <Failed error={error} />)}
      {found && (
        <ul className="list choices long" aria-label={t`Assets`} aria-busy={fetching || stale}>
          {found.nodes.map((asset) => (
            <li key={asset.id}>
              <label className="check grow choice">
                <input
                  type="checkbox"
                  disabled={covered.has(asset.id)}
                  checked={covered.has(asset.id) || chosen.has(asset.id)}
                  onChange={({ target }) => set(asset, target.checked)}
                />
                <span className="grow anywhere">{asset.name}</span>
                <span className="muted small right">
                  {covered.has(asset.id) ? t`Covered already` : [wordOf(asset.type), asset.site, asset.area].filter(Boolean).join(" · ")}
                </span>
              </label>
            </li>
          ))}
          {!found.nodes.length && <li className="muted">{t`Nothing found.`}</li>}
          {found.pageInfo.hasNextPage && (
            <li className="more-choices">
              <More hasMore isBusy={fetching || stale} onMore={() => setAfter(found.pageInfo.endCursor)} />
            </li>
          )}
        </ul>
      )}
      <div className="row wrap spread">
        <span className="muted small" role="status">
          {plural(chosen.size, { one: "# asset chosen", other: "# assets chosen" })}
        </span>
        <span className="row wrap">
          <button
            type="button"
            className="button small"
            disabled={free.every(({ id }) => chosen.has(id))}
            onClick={() => onChange(new Map([...chosen, ...free.map((asset) => [asset.id, asset] as const)]))}
          >
            {t`Choose all ${count(free.length)} shown`}
          </button>
          <button type="button" className="button small" disabled={!chosen.size} onClick={() => onChange(new Map())}>
            {t`Choose none`}
          </button>
        </span>
      </div>
    </>
  );
}

/** The result for each asset. */
function AddedAssets({ added, onClose }: { added: Added; onClose: () => void }) {
  return (
    <DoneDialog title={plural(added.length, { one: "# asset added", other: "# assets added" })} onClose={onClose}>
      <ul className="list choices long" aria-label={t`Added assets`}>
        {added.map(({ assetId, asset, nextDue }) => (
          <li key={assetId} className="row spread choice">
            <span className="anywhere">{asset?.name}</span>
            <span className="muted small nowrap">{nextDue ? t`Due ${day(nextDue, asset?.site)}` : t`No date`}</span>
          </li>
        ))}
      </ul>
    </DoneDialog>
  );
}
