import { expect, test } from "vitest";
import { startGateway } from "./world.js";

const gateway = await startGateway();

const motor = {
  name: "Motor",
  type: "motor",
  specifications: { kW: 5 },
  maintenanceInterval: "P1Y",
  components: [
    { name: "Bearing", type: "bearing" },
    { name: "Fan", type: "fan" },
  ],
};

test("a template, its versions, its use, and what is built from it", async () => {
  const tenant = await gateway.newTenant();
  const asset = await tenant.createAsset({ site: "N" });
  const created = await tenant.rest("POST", "/components/templates", {
    name: "Pump set",
    type: "pump",
    description: "d",
    components: [motor, { name: "Seal", type: "seal" }],
  });
  expect(created.status).toBe(201);
  const { id } = created.body;
  expect(created.body).toEqual({
    id,
    name: "Pump set",
    type: "pump",
    description: "d",
    version: "1.0.0",
    components: [motor, { name: "Seal", type: "seal" }],
    createdAt: expect.any(String),
  });
  const applied = await tenant.rest("POST", `/components/templates/${id}/apply-hierarchical`, {
    assetId: asset.id,
    customizations: { serialNumberPrefix: "PS-" },
  });
  expect(applied.status, JSON.stringify(applied.body)).toBe(201);
  expect(applied.body.created.map((c: any) => [c.name, c.level, c.position, c.serialNumber])).toEqual([
    ["Motor", 0, 0, "PS-001"],
    ["Seal", 0, 1, "PS-004"],
    ["Bearing", 1, 0, "PS-002"],
    ["Fan", 1, 1, "PS-003"],
  ]);
  const before = await tenant.snapshot("Component", "ComponentTemplate");
  const again = await tenant.rest("POST", `/components/templates/${id}/apply-hierarchical`, {
    assetId: asset.id,
    customizations: { serialNumberPrefix: "PS-" },
  });
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ error: "A component with this serial number already exists", serialNumber: "PS-001" });
  expect(await tenant.snapshot("Component", "ComponentTemplate")).toEqual(before);
  const updated = await tenant.rest("PUT", `/components/templates/${id}`, { components: [{ ...motor, name: "Big motor" }] });
  expect(updated.body).toMatchObject({ version: "1.1.0", name: "Pump set" });
  const { body } = await tenant.rest("GET", `/components/templates/${id}/versions`);
  expect(body.versions.map((v: any) => [v.version, v.components.length])).toEqual([
    ["1.1.0", 1],
    ["1.0.0", 2],
  ]);
  expect((await tenant.rest("POST", `/components/templates/${id}/usage`, {})).body).toEqual({
    templateId: id,
    usageCount: 2,
    lastUsedAt: expect.any(String),
  });
  const { template } = await tenant.ask(`query ($id: ID!) { template(id: $id) { drift { builtFrom differences component { name } } } }`, {
    id,
  });
  expect(template.drift).toEqual([
    { builtFrom: "1.0.0", differences: ["name"], component: { name: "Motor" } },
    { builtFrom: "1.0.0", differences: ["removed"], component: { name: "Seal" } },
  ]);
});
