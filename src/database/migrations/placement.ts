/**
 * Names of migrations, `<yyyymmddhhmmss>_<name>`, define the order of application: a new migration must sort after all that have landed.
 */

/** The last migration that landed with a future date. Migrations up to it are exempt from the check. */
const lastDatedAhead = "20261126120000_external_ids_and_calendar_feeds";

/** Tolerance for the clocks of developers. */
const toleranceMs = 60_000;

const stampOf = (ms: number): string => new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14);

/** Milliseconds since 1970, or undefined if the name does not begin with a time. */
function timeOf(name: string): number | undefined {
  const [, ...fields] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_./.exec(name) ?? [];
  const [year, month, day, hour, minute, second] = fields.map(Number);
  const ms = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return Number.isFinite(ms) && name.startsWith(stampOf(ms)) ? ms : undefined;
}

/** The name of a new migration: dated now, or one second after the last of `names` if that is later. */
export function nextMigrationName(name: string, names: string[], now: number): string {
  const times = names.map((other) => timeOf(other) ?? 0);
  return `${stampOf(times.reduce((latest, ms) => Math.max(latest, ms + 1_000), now))}_${name.replace(/\W+/g, "_")}`;
}

/** Misplaced migrations, each with the remedy. `names` are in landing order, unlanded ones last. */
export function placementProblems(names: string[], now: number): string[] {
  let last: string | undefined;
  return names.flatMap((name) => {
    const before = last;
    const ms = timeOf(name);
    if (ms === undefined) return [`${name} does not begin with a time: rename it to <yyyymmddhhmmss>_<name>`];
    if (before !== undefined && name < before)
      return [`${name} sorts before ${before}, which landed first: rename it to ${nextMigrationName(name.slice(15), names, now)}`];
    last = name;
    const latest = Math.max(now + toleranceMs, (before === undefined ? 0 : timeOf(before)!) + 1_000);
    if (name <= lastDatedAhead || ms <= latest) return [];
    last = before;
    const others = names.filter((other) => other !== name);
    return [`${name} is dated in the future: rename it to ${nextMigrationName(name.slice(15), others, now)}`];
  });
}
