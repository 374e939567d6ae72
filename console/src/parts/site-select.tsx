import { t } from "@lingui/core/macro";

interface Props {
  sites: readonly { id: string; name: string; displayName: string }[] | null | undefined;
  site?: string;
  className?: string;
  onChange: (site?: string) => void;
}

/** The filter of a page by site. */
export const SiteSelect = ({ sites, site, className = "input", onChange }: Props) => (
  <select className={className} aria-label={t`Site`} value={site ?? ""} onChange={(event) => onChange(event.target.value || undefined)}>
    <option value="">{t`All sites`}</option>
    {sites?.map((one) => (
      <option key={one.id} value={one.name}>
        {one.displayName}
      </option>
    ))}
  </select>
);
