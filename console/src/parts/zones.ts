/** Dates belong to the time zone of a site. Days are texts such as `2026-11-27`. */

const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones = new Map<string, string>();

/** Stores the time zones of the sites, at sign-in and when a site is changed. */
export function setZones(sites: readonly { name: string; timeZone: string }[]): void {
  for (const { name, timeZone } of sites) zones.set(name, timeZone);
}
/** The previous user's sites are forgotten. */
export const forgetZones = (): void => zones.clear();

/** The zone of a site. Without a site, the zone that all sites share. The browser's where neither is known. */
export function zoneOf(site?: string | null): string {
  const known = site ? zones.get(site) : undefined;
  if (known) return known;
  const all = allZones();
  return all.length === 1 ? all[0]! : browserZone;
}

/** The zones of all sites. */
export const allZones = (): string[] => [...new Set(zones.values())];

/** The names of the sites of each zone. The empty name is that of assets without a site. */
export function sitesByZone(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const site of new Set(["", ...zones.keys()])) found.set(zoneOf(site), [...(found.get(zoneOf(site)) ?? []), site]);
  return found;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const partsFormat = (zone: string): Intl.DateTimeFormat => {
  if (!formats.has(zone))
    formats.set(
      zone,
      new Intl.DateTimeFormat("en", {
        timeZone: zone,
        calendar: "iso8601",
        hourCycle: "h23",
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      }),
    );
  return formats.get(zone)!;
};

/** The clock of a zone at an instant, as milliseconds of the same clock in UTC. */
function clockAt(at: number, zone: string): number {
  const parts = Object.fromEntries(
    partsFormat(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute, parts.second);
}

/** Whether a zone's clock shows another time than the browser's, at an instant. */
export const differs = (zone: string, at: number = Date.now()): boolean => clockAt(at, zone) !== clockAt(at, browserZone);

/** The day and the time of day of an instant at a site: `["2026-11-27", "14:05:00"]`. */
export function localAt(value: string | Date | number, site?: string | null): [day: string, time: string] {
  const text = new Date(clockAt(new Date(value).getTime(), zoneOf(site))).toISOString();
  return [text.slice(0, 10), text.slice(11, 19)];
}
export const dayAt = (value: string | Date | number, site?: string | null): string => localAt(value, site)[0];
export const today = (site?: string | null): string => dayAt(Date.now(), site);

/** The instant of a day and a time of day (`14:05` or `14:05:00`) at a site. */
export function instantAt(day: string, time: string, site?: string | null): Date {
  const zone = zoneOf(site);
  const clock = Date.parse(`${day}T${time.length === 5 ? `${time}:00` : time}Z`);
  // The offset of the first guess is wrong near a change of the clocks.
  const guess = clock - (clockAt(clock, zone) - clock);
  return new Date(clock - (clockAt(guess, zone) - guess));
}

/** Days later. Negative numbers are earlier. */
export const addDays = (day: string, days: number): string => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** The first day of the day's month, or of a month `months` later. */
export function monthStart(day: string, months = 0): string {
  const [year, month] = day.split("-").map(Number);
  return new Date(Date.UTC(year!, month! - 1 + months, 1)).toISOString().slice(0, 10);
}

/** True if the instant's day is before today at the site. */
export const isOverdue = (value: string, site?: string | null): boolean => dayAt(value, site) < today(site);
