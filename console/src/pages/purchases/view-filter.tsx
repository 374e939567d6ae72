import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { ButtonGroup } from "../../parts/button-group.js";
import { usePlaces } from "../../parts/places.js";
import { SiteSelect } from "../../parts/site-select.js";

interface Props<View> {
  views: readonly (readonly [value: View | undefined, label: string])[];
  view: View | undefined;
  site: string | undefined;
  onChange: (chosen: { view?: View | undefined; site?: string | undefined }) => void;
}

/** The states of a list as chips, and its site if the plant has several. */
export function ViewFilter<View extends string>({ views, view, site, onChange }: Props<View>): ReactNode {
  const sites = usePlaces();
  return (
    <div className="row wrap" style={{ marginBottom: 14 }}>
      <ButtonGroup className="chips" aria-label={t`State`}>
        {views.map(([value, label]) => (
          <button key={label} type="button" className="chip" aria-pressed={view === value} onClick={() => onChange({ view: value })}>
            {label}
          </button>
        ))}
      </ButtonGroup>
      {sites.length > 1 && <SiteSelect sites={sites} site={site} onChange={(one) => onChange({ site: one })} />}
    </div>
  );
}
