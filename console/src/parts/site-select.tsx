import { t } from "@lingui/core/macro";

interface Props {
  sites: { id: string; name: string; displayName: string }[] | null | undefined;
  site?: string;
  onChange: (site?: string) => void;
}

export const SiteSelect = ({ sites, site, onChange }: Props) => (
  <select className="input" aria-label={t`Site`} value={site ?? ""} onChange={(event) => onChange(event.target.value || undefined)}>
    <option value="">{t`All sites`}</option>
    {sites?.map((one) => (
      <option key={one.id} value={one.name}>
        {one.displayName}
      </option>
    ))}
  </select>
);
