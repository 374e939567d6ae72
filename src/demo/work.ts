/** Spare parts, procedures, two years of work, a strategy and alerts of the demo plant, created through the domain functions. */
import type { TenantDatabase } from "../database/database.js";
import type { Actor } from "../domain/access/keys.js";
import { addFeedback, changeNotificationStatus, raiseNotification } from "../domain/alerts/notifications.js";
import { closeStockPeriod } from "../domain/inventory/stock/periods.js";
import { recordReadings } from "../domain/maintenance/meters/readings.js";
import { declineWorkRequest, reportFault } from "../domain/maintenance/requests/work-requests.js";
import { createStrategy } from "../domain/maintenance/strategies/strategies.js";
import { createWorkOrder } from "../domain/maintenance/work-orders/creation.js";
import { completeWorkOrder, startWorkOrder } from "../domain/maintenance/work-orders/work-orders.js";
import { loadExchanges } from "./exchanges.js";
import { type DemoProcedure, History, historyDays, technicians } from "./history.js";
import { randomFrom } from "./random.js";
import { recordStoppages } from "./stoppages.js";
import { Storeroom } from "./storeroom.js";
import { loadSuppliers } from "./suppliers.js";
import { type Happening, play } from "./timeline.js";

const hour = 3_600_000;
const day = 24 * hour;

const collect = async (happenings: AsyncGenerator<Happening>): Promise<Happening[]> => {
  const all: Happening[] = [];
  for await (const happening of happenings) all.push(happening);
  return all;
};

/** Call once, after `loadDemo`. `days`: length of the history. Returns the number of parts and procedures. */
export async function loadDemoWork(db: TenantDatabase, actor: Actor, days = historyDays): Promise<{ parts: number; procedures: number }> {
  const random = randomFrom(2);
  const until = Date.now() - day;
  const since = until - days * day;
  const storeroom = await Storeroom.open(db, actor, random);
  const history = new History(db, actor, storeroom, random, since, until);
  const procedures = await history.createPlans();
  const first: Happening[] = [];
  for (const procedure of procedures) first.push(...(await history.nextWork(procedure)));
  const others = [...(await collect(history.breakdowns())), ...(await collect(history.overhauls()))];
  await play(db, [...storeroom.fortnights(since, until), ...first, ...others], until);
  await loadExchanges(db, actor, since, until);
  await history.setCreationTimes();
  await recordStoppages(db, actor, random, since, until);
  await storeroom.setLimits();
  await closeMonths(db, actor, since);
  await history.planParts(procedures);
  await loadOrders(db, actor, procedures);
  await loadSuppliers(db, actor);
  await loadRequests(db, actor, procedures);
  await loadAlerts(db, actor, procedures, days);
  return { parts: storeroom.partCount, procedures: procedures.length };
}

/** The last two months stay open. */
async function closeMonths(db: TenantDatabase, actor: Actor, since: number): Promise<void> {
  const month = new Date(since);
  month.setUTCDate(1);
  const open = new Date();
  open.setUTCMonth(open.getUTCMonth() - 1, 1);
  for (; month.toISOString().slice(0, 7) < open.toISOString().slice(0, 7); month.setUTCMonth(month.getUTCMonth() + 1))
    await closeStockPeriod(db, actor, month.toISOString().slice(0, 7));
}

/** Current work orders: completed, started and scheduled in equal shares. */
async function loadOrders(db: TenantDatabase, actor: Actor, procedures: DemoProcedure[]): Promise<void> {
  for (const [i, procedure] of procedures.slice(0, 9).entries()) {
    const { id } = await createWorkOrder(db, actor, procedure.id, { assignedTechnician: technicians[i % technicians.length] });
    if (i % 3 < 2) await startWorkOrder(db, actor, id);
    if (i % 3 === 0) await completeWorkOrder(db, actor, id, { duration: 55 + 10 * i, laborCost: 60 + 10 * i });
  }
}

async function loadRequests(db: TenantDatabase, actor: Actor, procedures: DemoProcedure[]): Promise<void> {
  const seen = ["Handrail beside the pump is loose", "Gauge glass is fogged, cannot be read", "Smells of burnt rubber when it starts"];
  for (const [i, description] of seen.entries()) {
    const { assetId } = procedures[(3 + 4 * i) % procedures.length]!;
    const occurredAt = new Date(Date.now() - (3 + 5 * i) * hour);
    const { id } = await reportFault(db, actor, { assetId, description, urgency: i === 2 ? "high" : "low", occurredAt });
    if (i === 0) await declineWorkRequest(db, actor, id, "Belongs to the building; passed on to facilities");
  }
}

/** Weekly vibration of a pump, which rises slightly each year. */
const weeklyVibration = (assetId: string, sensor: number, days: number) =>
  Array.from({ length: days / 7 }, (_, week) => ({
    assetId,
    parameter: "vibration",
    unit: "mm/s",
    sensorID: `VIB-00${sensor}`,
    value: Math.round((2.2 + sensor / 5 + week / 80 + 0.4 * Math.sin(week * 1.7 + sensor)) * 100) / 100,
    recordedAt: new Date(Date.now() - (days - 7 * week) * day),
  }));

async function loadAlerts(db: TenantDatabase, actor: Actor, procedures: DemoProcedure[], days: number): Promise<void> {
  const pumps = procedures.slice(0, 5);
  await recordReadings(
    db,
    actor,
    pumps.flatMap(({ assetId }, i) => weeklyVibration(assetId, i + 1, days)),
  );
  await createStrategy(db, actor, {
    name: "Rotating equipment by vibration",
    type: "condition-based",
    criticality: "high",
    frequency: "continuous",
    applicableAssetTypes: ["Pump"],
    costs: { labor: 1200, materials: 450, downtime: 3000 },
    procedures: pumps.map(({ id }) => id),
    triggerConditions: [
      { parameter: "vibration", threshold: 7.1, unit: "mm/s", operator: "greater_than", violations: 2, samples: 3, hysteresis: 0.6 },
    ],
  });
  const pump = pumps[0];
  if (!pump) return;
  await recordReadings(
    db,
    actor,
    [4.1, 4.3, 7.4, 7.9].map((value, i) => ({
      assetId: pump.assetId,
      parameter: "vibration",
      value,
      unit: "mm/s",
      sensorID: "VIB-001",
      recordedAt: new Date(Date.now() - (4 - i) * hour),
    })),
  );
  const anomaly = await raiseNotification(db, actor, {
    type: "anomaly",
    severity: "warning",
    title: "Unusual motor current",
    message: "The pattern resembles bearing wear",
    assetId: pump.assetId,
    metadata: { modelVersion: "2.1.0", score: 0.83 },
  });
  await changeNotificationStatus(db, actor, anomaly.id, { status: "resolved" });
  await addFeedback(db, actor, anomaly.id, { rating: 4, failureMode: "Bearing wear", actionTaken: "Bearing changed at the next service" });
}
