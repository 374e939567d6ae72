/**
 * Failures of the demo plant recorded by operators. Most are short. The few that wait for spare parts or the manufacturer cause most of the
 * downtime.
 */

import type { TenantDatabase } from "../database/database.js";
import { newId } from "../database/records/ids.js";
import type { Inserts } from "../database/rows/catalogue.js";
import { insertRows } from "../database/rows/writer.js";
import type { Actor } from "../domain/access/keys.js";
import { batches } from "./batches.js";

const hour = 3_600_000;
const yearHours = 8_760;

interface Kind {
  description: string;
  share: number;
  /** Mean duration. */
  hours: number;
}

const kinds: readonly Kind[] = [
  { description: "Tripped, restarted by the operator", share: 0.45, hours: 1 },
  { description: "Sensor replaced on the spot", share: 0.25, hours: 4 },
  { description: "Repaired by the manufacturer", share: 0.15, hours: 40 },
  { description: "Out of order until the spare part arrived", share: 0.15, hours: 90 },
];

/** Mean number of failures per asset and year. */
const perYear = 15;

function kindAt(luck: number): Kind {
  let left = luck;
  return kinds.find(({ share }) => (left -= share) < 0) ?? kinds[0]!;
}

/** Failures of an asset in chronological order. Times are in milliseconds. */
function* stoppagesOf(assetId: string, actor: Actor, random: () => number, since: number, until: number): Generator<Inserts["Downtime"]> {
  /** Sample of an exponential distribution. */
  const wait = (mean: number) => -Math.log(1 - random()) * mean;
  const interval = yearHours / (perYear * (0.2 + 1.6 * random()));
  for (let at = since + wait(interval) * hour; at < until; at += wait(interval) * hour) {
    const { description, hours } = kindAt(random());
    const end = at + Math.max(wait(hours), 0.1) * hour;
    if (end >= until) return;
    yield {
      id: newId(),
      assetId,
      startedAt: new Date(at),
      endedAt: new Date(end),
      cause: "failure",
      description,
      source: "person",
      createdBy: actor.principalId,
      updatedBy: actor.principalId,
    };
    at = end;
  }
}

/** Records failures of all assets in service from `since` to `until`, in milliseconds since the epoch. */
export async function recordStoppages(db: TenantDatabase, actor: Actor, random: () => number, since: number, until: number): Promise<void> {
  const assets = await db.query<{ id: string }>(
    `select id from "Asset" where "tenantId" = $1 and status <> all('{decommissioned,pending}') order by "createdAt", id`,
  );
  const rows = function* () {
    for (const { id } of assets) yield* stoppagesOf(id, actor, random, since, until);
  };
  for (const batch of batches(rows(), 1_000)) await db.transaction((tx) => insertRows(tx, "Downtime", batch));
}
