/** Sites and their areas: a tree beside the list, or a single field on a phone. */
import { t } from "@lingui/core/macro";
import { ChevronRight } from "lucide-react";
import type { PlantPageQuery } from "../../generated/plant.js";
import { count } from "../../parts/words.js";

type Site = NonNullable<PlantPageQuery["sites"]>[number];
export interface Place {
  site: string | undefined;
  area: string | undefined;
}

export function Places({ sites, site, area, onChoose }: Place & { sites: Site[]; onChoose: (place: Place) => void }) {
  const all = { site: undefined, area: undefined };
  return (
    <>
      <nav className="places" aria-label={t`Places`}>
        <button type="button" aria-pressed={!site} onClick={() => onChoose(all)}>
          <span className="grow">{t`All sites`}</span>
          <span className="num">{sites.length > 0 && count(sites.reduce((sum, one) => sum + one.assetCount, 0))}</span>
        </button>
        {sites.map((one) => (
          <div key={one.id}>
            <button
              type="button"
              aria-pressed={site === one.name && !area}
              aria-expanded={site === one.name}
              onClick={() => onChoose({ site: one.name, area: undefined })}
            >
              <ChevronRight className="icon turn" aria-hidden />
              <span className="grow clip">{one.displayName}</span>
              <span className="num">{count(one.assetCount)}</span>
            </button>
            {site === one.name &&
              one.areas.map((within) => (
                <button
                  key={within.id}
                  type="button"
                  className="inner"
                  aria-pressed={area === within.name}
                  onClick={() => onChoose({ site: one.name, area: within.name })}
                >
                  <span className="grow clip">{within.displayName}</span>
                  <span className="num">{count(within.assetCount)}</span>
                </button>
              ))}
          </div>
        ))}
      </nav>
      <select
        className="input only-phone"
        aria-label={t`Place`}
        style={{ marginBottom: 12 }}
        value={JSON.stringify([site, area])}
        onChange={(event) => {
          const [nextSite, nextArea] = JSON.parse(event.target.value) as (string | null)[];
          onChoose({ site: nextSite ?? undefined, area: nextArea ?? undefined });
        }}
      >
        <option value="[null,null]">{t`All sites`}</option>
        {sites.map((one) => (
          <optgroup key={one.id} label={one.displayName}>
            <option value={JSON.stringify([one.name, undefined])}>{t`${one.displayName}: all areas`}</option>
            {one.areas.map((within) => (
              <option key={within.id} value={JSON.stringify([one.name, within.name])}>
                {within.displayName}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </>
  );
}
