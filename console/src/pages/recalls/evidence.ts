/** Saves the evidence of a recall as CSV: all units with their places, work orders and replacements. */
import { t } from "@lingui/core/macro";
import type { Client } from "urql";
import { RecallPage } from "../../generated/recalls.js";
import { saveCsv } from "../../parts/csv.js";
import { wordOf } from "../../parts/words.js";
import { placeOf, type Recall, type RecalledUnit } from "./types.js";

/** All units, page by page. */
async function unitsOf(client: Client, id: string): Promise<RecalledUnit[]> {
  const units: RecalledUnit[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { data, error } = await client.query(RecallPage, { id, filter: {}, after }, { requestPolicy: "network-only" }).toPromise();
    if (error) throw error;
    const page = data!.recall!.units;
    // The cache may have joined the pages.
    const known = new Set(units.map((one) => one.id));
    units.push(...page.nodes.filter((one) => !known.has(one.id)));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  }
  return units;
}

export async function saveEvidence(client: Client, recall: Recall): Promise<void> {
  const head = [
    t`Serial number`,
    t`Located`,
    t`State when located`,
    t`Place when located`,
    t`State now`,
    t`Place now`,
    t`Work order`,
    t`Status of the work order`,
    t`Replaced`,
    t`Replaced by`,
    t`Recorded by`,
  ];
  const rows = (await unitsOf(client, recall.id)).map(({ serialNumber, locatedAt, located, unit, workOrder, replacement }) => [
    serialNumber,
    locatedAt,
    located && wordOf(located.state),
    placeOf(located),
    unit.whereabouts && wordOf(unit.whereabouts.state),
    placeOf(unit.whereabouts),
    workOrder?.title,
    workOrder && wordOf(workOrder.status),
    replacement?.installation.endedAt,
    replacement?.successor?.unit.serialNumber,
    replacement?.removal?.recordedByPrincipal?.name,
  ]);
  saveCsv(t`recall ${recall.part.partNumber}`, [head, ...rows]);
}
