/** Prints labels with QR codes that lead to pages of the console. The selection is part of the URL. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Printer, SearchX } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { LabelsPage as Document } from "../../generated/labels.js";
import { NumberField, Select } from "../../parts/field.js";
import { useCursor, useDraft, useTitle } from "../../parts/hooks.js";
import { LabelSheets, type Sheet, sheetOptions, sheets } from "../../parts/label-sheets.js";
import { More } from "../../parts/more.js";
import { SearchField } from "../../parts/search-field.js";
import { SiteSelect } from "../../parts/site-select.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { count, numberOf } from "../../parts/words.js";
import { labelsOf } from "./label.js";
import { LabelChoices } from "./label-choices.js";

const tabs = [
  [undefined, t`Assets`],
  ["components", t`Components`],
  ["parts", t`Parts`],
  ["bins", t`Bins`],
] as const;

export function LabelsPage(): ReactNode {
  useTitle(t`Labels`);
  const search = useSearch({ from: "/labels" });
  const { kind, site, area, q, asset, sheet = "a4x24" } = search;
  const navigate = useNavigate({ from: "/labels" });
  const choose = (change: Partial<typeof search>) =>
    void navigate({ search: (was) => ({ ...was, ...change }), replace: true, resetScroll: false });
  const [draft, setDraft] = useDraft(q ?? "", (text) => choose({ q: text || undefined }));
  const list = JSON.stringify([kind, site, area, q, asset]);
  const [after, setAfter] = useCursor(list);
  const [omitted, setOmitted] = useState<{ list: string; ids: Set<string> }>({ list, ids: new Set() });
  const [skipped, setSkipped] = useState("0");
  const place = { site, area: site && area };
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      one: !kind && !!asset,
      asset: asset ?? "",
      assets: !kind && !asset,
      components: kind === "components",
      parts: kind === "parts",
      bins: kind === "bins",
      assetFilter: { ...place, search: q },
      componentFilter: { search: q, ...(asset ? { assetId: asset } : { asset: place }) },
      stockFilter: { site, search: q },
      after,
    },
  });
  const labels = labelsOf(data);
  const pageInfo = (data?.assets ?? data?.components ?? data?.inventory)?.pageInfo;
  const without = omitted.list === list ? omitted.ids : new Set<string>();
  const chosen = labels.filter(({ id }) => !without.has(id));
  const areas = data?.sites?.find(({ name }) => name === site)?.areas ?? [];

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Labels`}</h1>
          <p>{data ? t`${count(chosen.length)} of ${count(labels.length)} selected` : " "}</p>
        </div>
        <button type="button" className="button primary" disabled={!chosen.length || fetching} onClick={() => print()}>
          <Printer className="icon" aria-hidden />
          {t`Print`}
        </button>
      </div>
      <nav className="tabs" aria-label={t`Labels`}>
        {tabs
          .filter(([name]) => !asset || !name || name === "components")
          .map(([name, label]) => (
            <Link
              key={label}
              to="/labels"
              search={{ ...search, kind: name }}
              replace
              aria-current={kind === name ? "page" : undefined}
              activeOptions={{ exact: true, explicitUndefined: true }}
            >
              {asset && !name ? t`Asset` : label}
            </Link>
          ))}
      </nav>
      <search className="filters">
        {asset ? (
          <button type="button" className="button" onClick={() => choose({ asset: undefined })}>
            {t`Show all assets`}
          </button>
        ) : (
          <>
            <SearchField placeholder={t`Name or number`} aria-label={t`Filter labels`} value={draft} onChange={setDraft} />
            <SiteSelect sites={data?.sites} site={site} onChange={(chosen) => choose({ site: chosen, area: undefined })} />
            {areas.length > 0 && (!kind || kind === "components") && (
              <select
                className="input"
                aria-label={t`Area`}
                value={area ?? ""}
                onChange={(event) => choose({ area: event.target.value || undefined })}
              >
                <option value="">{t`All areas`}</option>
                {areas.map((one) => (
                  <option key={one.id} value={one.name}>
                    {one.displayName}
                  </option>
                ))}
              </select>
            )}
          </>
        )}
      </search>
      <div className="card label-options">
        <Select label={t`Sheet`} value={sheet} onChange={(event) => choose({ sheet: event.target.value as Sheet })}>
          {sheetOptions}
        </Select>
        {sheets[sheet].labels > 1 && (
          <NumberField
            label={t`Labels already used`}
            hint={t`Places left empty at the start of the first sheet`}
            min={0}
            max={sheets[sheet].labels - 1}
            value={skipped}
            onChange={(event) => setSkipped(event.target.value)}
          />
        )}
        <span className="row">
          <button type="button" className="button small" onClick={() => setOmitted({ list, ids: new Set() })}>
            {t`Select all`}
          </button>
          <button type="button" className="button small" onClick={() => setOmitted({ list, ids: new Set(labels.map(({ id }) => id)) })}>
            {t`Select none`}
          </button>
        </span>
      </div>
      {!data && fetching && <LoadingCard lines={6} />}
      {!data && error && <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />}
      {data && !labels.length && (
        <Empty icon={SearchX} title={t`No labels match these filters`}>
          {kind === "bins" ? t`A bin is the storage location of a part at a site.` : t`Try fewer words or another place.`}
        </Empty>
      )}
      <div aria-busy={fetching || stale}>
        <LabelChoices
          labels={labels}
          omitted={without}
          onChange={(id, isChosen) => {
            const ids = new Set(without);
            if (isChosen) ids.delete(id);
            else ids.add(id);
            setOmitted({ list, ids });
          }}
        />
        <LabelSheets labels={chosen} sheet={sheet} skipped={sheets[sheet].labels > 1 ? (numberOf(skipped) ?? 0) : 0} />
      </div>
      {pageInfo && <More hasMore={pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(pageInfo.endCursor)} />}
    </>
  );
}
