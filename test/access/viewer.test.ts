import { expect, test } from "vitest";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();

test("viewer returns the tenant, role and sites of the key", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician", ["North"]);
  const { viewer } = await technician.ask("{ viewer { tenantId role keyName sites } }");
  expect(viewer).toEqual({ tenantId: tenant.tenantId, role: "TECHNICIAN", keyName: "technician", sites: ["North"] });
});

test("an asset created over REST can be read over GraphQL", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset({ name: "P-1", site: "North", area: "Hall" });
  const { assets } = await tenant.ask("{ assets { nodes { id name site area status } totalCount } }");
  expect(assets).toEqual({ nodes: [{ id, name: "P-1", site: "North", area: "Hall", status: "OPERATIONAL" }], totalCount: 1 });
});
