/** Two years of maintenance at the demo plant, loaded through the domain functions. */
import type { TenantDatabase } from "../database/database.js";
import type { Actor } from "../domain/access/keys.js";
import { createProcedure, updateProcedure } from "../domain/maintenance/procedures/procedures.js";
import { acceptWorkRequest, reportFault } from "../domain/maintenance/requests/work-requests.js";
import { createWorkOrder } from "../domain/maintenance/work-orders/creation.js";
import { addLabor } from "../domain/maintenance/work-orders/labor.js";
import { issueToWorkOrder } from "../domain/maintenance/work-orders/material.js";
import { closeWorkOrder, completeWorkOrder } from "../domain/maintenance/work-orders/work-orders.js";
import { recordDowntime } from "../domain/reliability/downtimes.js";
import { type Fault, faults, type Plan, plans } from "./plans.js";
import type { Storeroom } from "./storeroom.js";
import type { Happening } from "./timeline.js";

export const technicians = ["Aino Korhonen", "Mads Jensen", "Priya Nair"];

/** Length of the history in days. */
export const historyDays = 730;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Cost of an hour of work. */
const rate = 62;

export interface DemoProcedure {
  id: string;
  assetId: string;
  site: string;
  plan: Plan;
}

interface WorkedAsset {
  id: string;
  name: string;
  type: string;
  site: string;
}

export class History {
  constructor(
    private readonly db: TenantDatabase,
    private readonly actor: Actor,
    private readonly storeroom: Storeroom,
    private readonly random: () => number,
    private readonly since: number,
    private readonly until: number,
  ) {}

  private pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }

  private between(from: number, to: number): number {
    return from + this.random() * (to - from);
  }

  private assetsOf(types: string[]): Promise<WorkedAsset[]> {
    return this.db.query<WorkedAsset>(
      `select id, name, type, site from "Asset" where "tenantId" = $1 and type = any($2) and status <> all('{decommissioned,pending}') order by "createdAt", id`,
      types,
    );
  }

  /** Creates the plans without parts. `planParts` adds them later, because its reservations prevent loading earlier stock history. */
  async createPlans(): Promise<DemoProcedure[]> {
    const assets = await this.assetsOf(Object.keys(plans));
    const procedures: DemoProcedure[] = [];
    for (const [type, plan] of Object.entries(plans))
      for (const [i, asset] of assets
        .filter((one) => one.type === type)
        .slice(0, plan.assets)
        .entries())
        procedures.push(await this.createPlan(plan, asset, i));
    return procedures;
  }

  private async createPlan(plan: Plan, asset: WorkedAsset, i: number): Promise<DemoProcedure> {
    // Rolled out asset by asset.
    const since = Math.max(this.since, this.until - plan.since * day);
    const anchor = new Date(since + (0.8 * i * (this.until - since)) / plan.assets);
    anchor.setUTCHours(7, 0, 0, 0);
    const { id } = await createProcedure(this.db, this.actor, {
      name: `${plan.name} ${asset.name.split(" ").at(-1)}`,
      assetId: asset.id,
      frequency: plan.frequency,
      anchor,
      estimatedDuration: plan.minutes,
      safetyRequirements: [...plan.safety],
      schedulingRules: { avoidWeekends: true, leadTime: 3 },
      steps: plan.steps.map((description) => ({ description, estimatedTime: Math.round(plan.minutes / plan.steps.length) })),
    });
    return { id, assetId: asset.id, site: asset.site, plan };
  }

  async planParts(procedures: DemoProcedure[]): Promise<void> {
    for (const { id, plan } of procedures) {
      const parts = plan.parts.map(([partNumber, quantity]) => ({ partId: this.storeroom.partId(partNumber), quantity }));
      if (parts.length) await updateProcedure(this.db, this.actor, id, { parts });
    }
  }

  /** The next work of a procedure, usually on time. Its due date depends on the previous work. */
  async nextWork(procedure: DemoProcedure): Promise<Happening[]> {
    const [found] = await this.db.query<{ nextDue: Date | null }>(
      `select "nextDue" from "Procedure" where "tenantId" = $1 and id = $2`,
      procedure.id,
    );
    if (!found?.nextDue) return [];
    const luck = this.random();
    const delay = luck < 0.85 ? this.between(-0.8, 0.6) : luck < 0.96 ? this.between(2, 9) : this.between(20, 45);
    const at = found.nextDue.getTime() + delay * day + this.between(1, 8) * hour;
    return [{ at, load: () => this.maintain(procedure, at) }];
  }

  private async maintain(procedure: DemoProcedure, at: number): Promise<Happening[]> {
    const { plan, site } = procedure;
    const technician = this.pick(technicians);
    const minutes = Math.round(plan.minutes * this.between(0.8, 1.5));
    const { id } = await createWorkOrder(this.db, this.actor, procedure.id, { assignedTechnician: technician });
    // Not every part is worn each time.
    await this.useParts(
      id,
      site,
      plan.parts.filter(() => this.random() < 0.5),
      at,
    );
    await completeWorkOrder(this.db, this.actor, id, {
      startedAt: new Date(at - minutes * minute),
      completedAt: new Date(at),
      duration: minutes,
      technician,
      laborCost: Math.round((minutes / 60) * rate * 100) / 100,
    });
    return this.nextWork(procedure);
  }

  private async useParts(id: string, site: string, parts: Plan["parts"], at: number): Promise<void> {
    for (const [partNumber, quantity] of parts) {
      const taken = this.storeroom.take(partNumber, site, quantity);
      if (taken) await issueToWorkOrder(this.db, this.actor, id, { ...taken, performedAt: new Date(at) });
    }
  }

  /** Faults over the years. Some assets have many, and one fails increasingly often. */
  async *breakdowns(): AsyncGenerator<Happening> {
    const assets = await this.assetsOf(Object.keys(faults));
    for (const [i, asset] of assets.entries()) {
      const count = i % 40 === 0 ? 5 : this.random() < 0.14 ? 1 : 0;
      for (let nth = 0; nth < count; nth++) {
        const share = i === 0 ? Math.sqrt((nth + this.random()) / count) : this.random();
        const begun = this.since + share * (this.until - this.since - 3 * day);
        const fault = this.pick(faults[asset.type]!);
        const waited = this.between(0.2, 2) * hour;
        const repaired = begun + waited + fault.repair * this.between(0.7, 1.8) * hour;
        yield { at: repaired, load: () => this.repair(asset, fault, { begun, started: begun + waited, repaired }) };
      }
    }
  }

  private async repair(
    asset: WorkedAsset,
    fault: Fault,
    { begun, started, repaired }: { begun: number; started: number; repaired: number },
  ): Promise<Happening[]> {
    const { db, actor } = this;
    const { mode: failureMode, cause: failureCause, remedy, found: asFound, left: asLeft, stopsProduction } = fault;
    const request = await reportFault(db, actor, {
      assetId: asset.id,
      description: fault.seen,
      urgency: stopsProduction ? "high" : "medium",
      productionStopped: stopsProduction,
      occurredAt: new Date(begun),
    });
    const name = this.pick(technicians);
    const { workOrderId } = await acceptWorkRequest(db, actor, request.id, { scheduledDate: new Date(started), assignedTechnician: name });
    const id = workOrderId!;
    await this.useParts(id, asset.site, fault.parts, repaired);
    const minutes = Math.round((repaired - started) / minute);
    await addLabor(db, actor, id, { name, minutes, rate, workedAt: new Date(repaired) });
    await completeWorkOrder(db, actor, id, {
      startedAt: new Date(started),
      completedAt: new Date(repaired),
      duration: minutes,
      technician: name,
      failureMode,
      failureCause,
      remedy,
      asFound,
      asLeft,
      ...(stopsProduction && { downtime: { from: new Date(begun), to: new Date(repaired + 10 * minute) } }),
    });
    await closeWorkOrder(db, actor, id, {});
    return [];
  }

  /**
   * Sets the times of creation: the domain functions record the present. Plans precede their first work, faults are reported within minutes,
   * and work of a plan is approved a week ahead, as the scheduler does.
   */
  async setCreationTimes(): Promise<void> {
    await this.db.query(
      `with requests as (
         update "WorkRequest" r set "createdAt" = r."occurredAt" + interval '10 minutes', "decidedAt" = r."occurredAt" + interval '15 minutes'
         from "WorkOrder" w where r."tenantId" = $1 and w."tenantId" = $1 and w.id = r."workOrderId" and w."completedAt" is not null
         returning r."workOrderId", r."decidedAt"
       ), orders as (
         update "WorkOrder" w set "createdAt" = coalesce((select r."decidedAt" from requests r where r."workOrderId" = w.id), w."startedAt" - interval '7 days')
         where w."tenantId" = $1 and w."completedAt" is not null
       )
       update "Procedure" p set "createdAt" = least(p."createdAt", p.anchor - interval '30 days') where p."tenantId" = $1`,
    );
  }

  /** Two planned overhauls of reactors and boilers. */
  async *overhauls(): AsyncGenerator<Happening> {
    for (const [i, asset] of (await this.assetsOf(["Reactor", "Boiler"])).slice(0, 10).entries())
      for (const year of [0, 1]) {
        const startedAt = new Date(this.since + (90 + 365 * year + 2 * i) * day);
        startedAt.setUTCHours(6, 0, 0, 0);
        const endedAt = new Date(startedAt.getTime() + this.between(20, 60) * hour);
        const description = "Yearly overhaul and inspection";
        const load = () =>
          recordDowntime(this.db, this.actor, { assetId: asset.id, cause: "planned", startedAt, endedAt, description }).then(() => []);
        yield { at: endedAt.getTime(), load };
      }
  }
}
