import { t } from "@lingui/core/macro";
import { Globe } from "lucide-react";
import { allZones, differs, zoneOf } from "./zones.js";

/** Says whose dates a page shows, where a site's clock differs from the browser's. Without a site, the page shows all sites. */
export function ZoneNote({ site }: { site?: string | null }) {
  const zones = site ? [zoneOf(site)] : allZones();
  if (!zones.some((zone) => differs(zone))) return null;
  return (
    <p className="zone-note row muted small">
      <Globe className="icon" aria-hidden />
      {zones.length === 1
        ? t`Dates and times in ${zones[0]!}, not in this device's time zone.`
        : t`Dates and times in each site's time zone.`}
    </p>
  );
}
