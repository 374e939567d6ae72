/** Spare parts, procedures, work orders, a strategy and alerts of the demo plant, created through the domain functions. */
import type { TenantDatabase } from "../database/database.js";
import type { Actor } from "../domain/access/keys.js";
import { addFeedback, changeNotificationStatus, raiseNotification } from "../domain/alerts/notifications.js";
import { moveStock, updateInventory } from "../domain/inventory/inventory.js";
import { createPart } from "../domain/inventory/parts.js";
import { createProcedure } from "../domain/maintenance/procedures.js";
import { recordReadings } from "../domain/maintenance/readings.js";
import { createStrategy } from "../domain/maintenance/strategies.js";
import { createWorkOrder } from "../domain/maintenance/work-order-creation.js";
import { completeWorkOrder, startWorkOrder } from "../domain/maintenance/work-orders.js";
import type { UnitOfMeasure } from "../schema/inventory/enums.js";
import type { ProcedureFrequency, SafetyRequirement } from "../schema/maintenance/enums.js";

/** partNumber | name | category | manufacturer | unit | unitCost | minimum | reorder point | maximum | in stock */
const spares = `
BRG-6205-2RS | Deep groove ball bearing 6205-2RSH | Bearings | SKF | each | 9.8 | 8 | 12 | 60 | 34
BRG-6309-2Z | Deep groove ball bearing 6309-2Z/C3 | Bearings | SKF | each | 31.5 | 4 | 8 | 40 | 18
BRG-22212 | Spherical roller bearing 22212 E | Bearings | SKF | each | 96 | 2 | 4 | 12 | 3
SEA-MG1-43 | Mechanical seal MG1 43 mm | Seals | EagleBurgmann | each | 148 | 2 | 4 | 12 | 6
SEA-LIP-40 | Rotary shaft lip seal 40x62x7 | Seals | Freudenberg | each | 4.9 | 10 | 20 | 80 | 52
GSK-EPDM-80 | EPDM flange gasket DN 80 | Seals | Klinger | each | 3.2 | 20 | 40 | 200 | 131
FLT-W962 | Oil filter W 962 | Filters | Mann+Hummel | each | 14.7 | 6 | 10 | 40 | 22
FLT-AIR-G4 | Panel air filter G4 592x592 | Filters | Camfil | each | 18.4 | 10 | 20 | 80 | 41
BLT-SPB-2000 | V-belt SPB 2000 | Belts | Gates | each | 22.6 | 6 | 10 | 40 | 9
OIL-ISO-46 | Compressor oil ISO VG 46 | Lubricants | Shell | liter | 7.1 | 40 | 80 | 400 | 220
GRS-LGHP-2 | Electric motor grease LGHP 2 | Lubricants | SKF | kilogram | 24 | 5 | 10 | 40 | 16
ELE-3RT2036 | Contactor 3RT2036 | Electrical | Siemens | each | 112 | 2 | 3 | 10 | 0
ELE-FUSE-63 | Fuse gG 63 A | Electrical | Siemens | set | 8.5 | 10 | 20 | 100 | 64
FST-M12X40 | Hexagon bolt M12x40 A4 | Fasteners | Würth | box | 19 | 4 | 6 | 20 | 11
SAF-GLV-9 | Cut-resistant gloves size 9 | Safety | Ansell | pair | 6.4 | 20 | 30 | 120 | 88`;

/** What sites keep beside main: partNumber | site | minimum | reorder point | maximum | in stock. One is short. */
const siteSpares = `
GSK-EPDM-80 | Rotterdam Bottling | 6 | 12 | 60 | 24
GSK-EPDM-80 | Antwerp Chemicals | 6 | 12 | 60 | 18
FLT-W962 | Rotterdam Bottling | 2 | 4 | 12 | 6
FLT-W962 | Aarhus Dairy | 2 | 4 | 12 | 1
OIL-ISO-46 | Aarhus Dairy | 20 | 40 | 120 | 60
BRG-6309-2Z | Rotterdam Bottling | 2 | 4 | 12 | 5
SEA-MG1-43 | Antwerp Chemicals | 1 | 2 | 6 | 3`;

interface Plan {
  name: string;
  frequency: ProcedureFrequency;
  minutes: number;
  steps: string[];
  parts: [partNumber: string, quantity: number][];
  safety: SafetyRequirement[];
}

/** Maintenance plans by asset type of the demo catalogue. */
const plans: Record<string, Plan> = {
  Pump: {
    name: "Quarterly pump service",
    frequency: "quarterly",
    minutes: 90,
    steps: [
      "Isolate and lock out",
      "Check coupling alignment",
      "Grease the motor bearings",
      "Inspect the mechanical seal for leaks",
      "Run up and record vibration",
    ],
    parts: [
      ["GRS-LGHP-2", 0.2],
      ["GSK-EPDM-80", 2],
    ],
    safety: ["lockout_tagout", "ppe"],
  },
  Compressor: {
    name: "Monthly compressor check",
    frequency: "monthly",
    minutes: 60,
    steps: ["Drain the condensate", "Top up the oil", "Change the intake filter"],
    parts: [
      ["OIL-ISO-46", 4],
      ["FLT-W962", 1],
    ],
    safety: ["ppe"],
  },
  Conveyor: {
    name: "Weekly conveyor inspection",
    frequency: "weekly",
    minutes: 30,
    steps: ["Look for worn modules", "Check belt tracking and tension"],
    parts: [],
    safety: ["lockout_tagout"],
  },
};

const rowsOf = (table: string) =>
  table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));

/** Call once, after `loadDemo`. Returns the number of parts and procedures. */
export async function loadDemoWork(db: TenantDatabase, actor: Actor): Promise<{ parts: number; procedures: number }> {
  const partIds = new Map<string, string>();
  for (const [partNumber = "", name = "", category, manufacturer, unit, ...figures] of rowsOf(spares)) {
    const [unitCost, minimumStock, reorderPoint, maximumStock, stockLevel] = figures.map(Number);
    const part = await createPart(db, actor, {
      ...{ partNumber, name, category, manufacturer, unitOfMeasure: unit as UnitOfMeasure, unitCost, currency: "EUR" },
      ...{ minimumStock, reorderPoint, maximumStock, stockLevel, isCritical: category === "Bearings", site: "main" },
    });
    partIds.set(partNumber, part.id);
  }
  for (const [partNumber = "", site, ...figures] of rowsOf(siteSpares)) {
    const [minimumStock, reorderPoint, maximumStock, quantity = 0] = figures.map(Number);
    const partId = partIds.get(partNumber)!;
    await moveStock(db, actor, partId, "receipt", { site, quantity, reason: "Opening stock" });
    await updateInventory(db, actor, partId, { site, minimumStock, reorderPoint, maximumStock });
  }
  const procedureIds: string[] = [];
  for (const [type, plan] of Object.entries(plans)) procedureIds.push(...(await loadProcedures(db, actor, type, plan, partIds)));
  await loadOrders(db, actor, procedureIds);
  await loadAlerts(db, actor, procedureIds);
  return { parts: partIds.size, procedures: procedureIds.length };
}

async function loadProcedures(db: TenantDatabase, actor: Actor, type: string, plan: Plan, partIds: Map<string, string>): Promise<string[]> {
  const assets = await db.query<{ id: string; name: string }>(
    `select id, name from "Asset" where "tenantId" = $1 and type = $2 and status <> 'decommissioned' order by id limit 10`,
    type,
  );
  const ids: string[] = [];
  for (const [i, asset] of assets.entries()) {
    // Spreads due dates over the coming weeks.
    const anchor = new Date(Date.now() + (i - 1) * 3 * 86_400_000);
    anchor.setUTCHours(7, 0, 0, 0);
    const procedure = await createProcedure(db, actor, {
      ...{
        name: `${plan.name} ${asset.name.split(" ").at(-1)}`,
        assetId: asset.id,
        frequency: plan.frequency,
        estimatedDuration: plan.minutes,
        anchor,
      },
      ...{ safetyRequirements: plan.safety, schedulingRules: { avoidWeekends: true, leadTime: 3 } },
      steps: plan.steps.map((description) => ({ description, estimatedTime: Math.round(plan.minutes / plan.steps.length) })),
      parts: plan.parts.map(([partNumber, quantity]) => ({ partId: partIds.get(partNumber)!, quantity })),
    });
    ids.push(procedure.id);
  }
  return ids;
}

/** Creates completed, started and scheduled work orders in equal shares. */
async function loadOrders(db: TenantDatabase, actor: Actor, procedureIds: string[]): Promise<void> {
  const technicians = ["Aino Korhonen", "Mads Jensen", "Priya Nair"];
  for (const [i, procedureId] of procedureIds.slice(0, 9).entries()) {
    const { id } = await createWorkOrder(db, actor, procedureId, { assignedTechnician: technicians[i % technicians.length] });
    if (i % 3 < 2) await startWorkOrder(db, actor, id);
    if (i % 3 === 0) await completeWorkOrder(db, actor, id, { duration: 55 + 10 * i, laborCost: 60 + 10 * i });
  }
}

async function loadAlerts(db: TenantDatabase, actor: Actor, procedureIds: string[]): Promise<void> {
  await createStrategy(db, actor, {
    ...{ name: "Rotating equipment by vibration", type: "condition-based", criticality: "high", frequency: "continuous" },
    ...{ applicableAssetTypes: ["Pump"], procedures: procedureIds.slice(0, 5), costs: { labor: 1200, materials: 450, downtime: 3000 } },
    triggerConditions: [
      { parameter: "vibration", threshold: 7.1, unit: "mm/s", operator: "greater_than", violations: 2, samples: 3, hysteresis: 0.6 },
    ],
  });
  const [pump] = await db.query<{ id: string }>(
    `select "assetId" as id from "Procedure" where "tenantId" = $1 and id = $2`,
    procedureIds[0],
  );
  if (!pump) return;
  await recordReadings(
    db,
    actor,
    [4.1, 4.3, 7.4, 7.9].map((value, i) => ({
      ...{ assetId: pump.id, parameter: "vibration", value, unit: "mm/s", sensorID: "VIB-001" },
      recordedAt: new Date(Date.now() - (4 - i) * 3_600_000),
    })),
  );
  const anomaly = await raiseNotification(db, actor, {
    ...{
      type: "anomaly",
      severity: "warning",
      title: "Unusual motor current",
      message: "The pattern resembles bearing wear",
      assetId: pump.id,
    },
    metadata: { modelVersion: "2.1.0", score: 0.83 },
  });
  await changeNotificationStatus(db, actor, anomaly.id, "resolved");
  await addFeedback(db, actor, anomaly.id, { rating: 4, failureMode: "Bearing wear", actionTaken: "Bearing changed at the next service" });
}
