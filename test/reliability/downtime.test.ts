/** Downtimes: kept by the status of assets, recorded and corrected by persons, told of by work orders (docs/work.md, "Downtime and reliability"). */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const fields = "id assetId startedAt endedAt cause planned description workOrderId source version";

const downtimesOf = async (tenant: Caller, assetId: string): Promise<any[]> =>
  (
    await tenant.ask(`query ($id: ID!) { asset(id: $id) { downtimes(first: 50) { nodes { ${fields} } } } }`, { id: assetId })
  ).asset.downtimes.nodes.toReversed();

const moveTo = async (tenant: Caller, assetId: string, ...statuses: string[]) => {
  for (const status of statuses) expect((await tenant.rest("PUT", `/assets/${assetId}`, { status })).status).toBe(200);
};

describe("by status", () => {
  test("offline after operational is a failure, and maintenance goes on with it", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    expect(await downtimesOf(tenant, id)).toEqual([]);
    await moveTo(tenant, id, "offline");
    expect(await downtimesOf(tenant, id)).toMatchObject([
      { cause: "FAILURE", planned: false, endedAt: null, source: "STATUS", version: 1 },
    ]);
    await moveTo(tenant, id, "maintenance");
    expect(await downtimesOf(tenant, id)).toMatchObject([{ cause: "FAILURE", endedAt: null, version: 1 }]);
    await moveTo(tenant, id, "operational");
    const log = await tenant.ask(`query ($id: ID!) { asset(id: $id) { statusChanges { nodes { changedAt } } } }`, { id });
    const [, offline, , operational] = log.asset.statusChanges.nodes.map(({ changedAt }: any) => changedAt);
    expect(await downtimesOf(tenant, id)).toMatchObject([{ startedAt: offline, endedAt: operational, version: 2 }]);
  });
});
