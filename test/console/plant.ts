/** A small plant with data for every page of the console. */
import type { Caller } from "../world.js";

export interface Plant {
  pump: { id: string; name: string };
  order: { id: string; title: string };
  part: { id: string; name: string };
}

const statuses = ["OPERATIONAL", "OPERATIONAL", "OPERATIONAL", "OFFLINE", "MAINTENANCE"];

export async function smallPlant(admin: Caller): Promise<Plant> {
  const create = "mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id name } }";
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) {
    const input = {
      name: n ? `Tank T-${n}` : "Feed Pump P-101",
      type: n ? "tank" : "pump",
      site: n % 2 ? "Aarhus Dairy" : "Rotterdam Bottling",
      area: `Hall ${n % 3}`,
      status: statuses[n % statuses.length],
      serialNumber: `S-${n}`,
      installationDate: "2020-01-01",
    };
    ids.push((await admin.ask(create, { input })).createAsset.id);
  }
  const pump = { id: ids[0]!, name: "Feed Pump P-101" };
  await admin.createComponent({ assetId: pump.id, name: "Motor" });
  const { createPart } = await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id name } }", {
    input: {
      name: "Shaft seal",
      partNumber: "SEAL-1",
      site: "Rotterdam Bottling",
      stockLevel: 4,
      reorderPoint: 5,
      unitCost: 12.5,
      currency: "EUR",
    },
  });
  const { createProcedure } = await admin.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
    input: {
      name: "Pump service",
      assetId: pump.id,
      frequency: "MONTHLY",
      steps: [{ description: "Isolate and lock out" }, { description: "Change the seal" }, { description: "Run up" }],
    },
  });
  const { createWorkOrder } = await admin.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id title } }", {
    id: createProcedure.id,
  });
  await admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: createWorkOrder.id });
  await admin.ask(
    'mutation ($id: ID!) { createWorkOrder(input: { assetId: $id, title: "Paint it", assignedTechnician: "Mads" }) { id } }',
    {
      id: ids[1],
    },
  );
  await raiseAlert(admin, ids[1]!, "Vibration beyond its threshold");
  return { pump, order: createWorkOrder, part: createPart };
}

export const raiseAlert = (admin: Caller, assetId: string, title: string) =>
  admin.ask("mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }", {
    input: { type: "ANOMALY", severity: "CRITICAL", title, message: "Bearing 2", assetId },
  });
