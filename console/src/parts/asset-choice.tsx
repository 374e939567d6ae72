import { t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { useQuery } from "urql";
import { AssetChoices, type ChosenAssetQuery } from "../generated/asset-choice.js";
import { useSettled } from "./hooks.js";
import { ScanButton } from "./scan-button.js";
import { recordOn } from "./scanned.js";
import { SearchField } from "./search-field.js";
import { useToast } from "./toast.js";

const noAsset = t`This label names no asset. Scan the label of the asset.`;

/** A search field that lists the assets found, to choose one. */
export function AssetChoice({ onChoose }: { onChoose: (id: string, component?: string) => void }) {
  const id = useId();
  const toast = useToast();
  const [text, setText] = useState("");
  const search = useSettled(text.trim()) || undefined;
  const [{ data, fetching }] = useQuery({ query: AssetChoices, variables: { search } });
  const scanned = (code: string) => {
    const record = recordOn(code);
    if (record?.asset) onChoose(record.asset, record.component);
    else if (record) toast(noAsset, true);
    // The code of a manufacturer, such as a serial number.
    else setText(code.slice(0, 200));
  };
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {t`Asset`}
      </label>
      <div className="scan-field">
        <SearchField id={id} placeholder={t`Name or serial number`} value={text} onChange={setText} />
        <ScanButton onCode={scanned} />
      </div>
      <ul className="list choices" aria-label={t`Assets`} aria-busy={fetching}>
        {data?.assetSummaries?.map((asset) => (
          <li key={asset.id}>
            <button type="button" onClick={() => onChoose(asset.id)}>
              <span className="strong">{asset.name}</span>
              <span className="muted small">
                {asset.site} · {asset.area}
              </span>
            </button>
          </li>
        ))}
        {data?.assetSummaries?.length === 0 && <li className="muted">{t`Nothing found.`}</li>}
      </ul>
    </div>
  );
}

/** The asset that a form is about. `unknown` is shown instead of an asset that was not found. */
export function ChosenAsset({
  asset,
  component,
  unknown,
  onChange,
}: {
  asset: ChosenAssetQuery["asset"] | undefined;
  component?: ChosenAssetQuery["component"];
  unknown: string;
  onChange: () => void;
}) {
  return (
    <div className="field">
      <span className="label">{t`Asset`}</span>
      <div className="note info" style={{ alignItems: "center" }}>
        <div className="grow">
          <div className="strong">{[asset?.name ?? unknown, component?.name].filter(Boolean).join(" · ")}</div>
          <div className="muted small">{asset && `${asset.site} · ${asset.area}`}</div>
        </div>
        <button type="button" className="button small" onClick={onChange}>
          {t`Change`}
        </button>
      </div>
    </div>
  );
}
