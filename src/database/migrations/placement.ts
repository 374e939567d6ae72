/** Names of migrations, `<yyyymmddhhmmss>_<name>`, decide the order in which they are applied: a new one must come after all that have landed. */

/** The last migration that landed with a date ahead of its time. Those up to it are excused. */
const lastDatedAhead = "20261126120000_external_ids_and_calendar_feeds";

/** Clocks of developers may differ by this much. */
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

/** Misplaced migrations, each with the remedy. `names` are in landing order, those that have not landed last. */
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
