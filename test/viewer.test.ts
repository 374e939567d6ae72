import { expect, test } from "vitest";
import { startGateway } from "./world.js";

const gateway = await startGateway();

test("the viewer is who the key says", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician", ["North"]);
  const { viewer } = await technician.ask("{ viewer { tenantId role keyName sites } }");
  expect(viewer).toEqual({ tenantId: tenant.tenantId, role: "TECHNICIAN", keyName: "technician", sites: ["North"] });
});

test("an asset made over REST is found over GraphQL", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset({ name: "P-1", site: "North", area: "Hall" });
  const { assets } = await tenant.ask("{ assets { nodes { id name site area status } totalCount } }");
  expect(assets).toEqual({ nodes: [{ id, name: "P-1", site: "North", area: "Hall", status: "OPERATIONAL" }], totalCount: 1 });
});
