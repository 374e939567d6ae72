/** `simulatePlan` beside a year that happens: the scheduler runs each day, and each work order is completed on its day. */
import { afterAll, expect, test } from "vitest";
import { createDueWorkOrders } from "../../../src/background/scheduler.js";
import { stopClock } from "../../../src/database/clock.js";
import { type Caller, startGateway } from "../../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" });
afterAll(() => stopClock());

const dayMs = 86_400_000;
const start = Date.UTC(2031, 0, 1);
const end = Date.UTC(2032, 0, 1);
const iso = (at: number) => new Date(at).toISOString();

/** Pumps with services from 90 minutes to 10 hours, and a fan. Overhauls cover the services of their days. */
async function plant(tenant: Caller): Promise<void> {
  await tenant.ask(`mutation { createSite(input: { name: "North", timeZone: "Europe/Copenhagen" }) { id } }`);
  const seal = await tenant.ask(
    `mutation { createPart(input: { partNumber: "SEAL", name: "Seal", site: "North", stockLevel: 1000, unitCost: 12.5 }) { id } }`,
  );
  const create = async (input: object) =>
    (await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", { input })).createProcedure.id;
  for (const [i, frequency] of ["WEEKLY", "BI_WEEKLY", "MONTHLY", "QUARTERLY"].entries()) {
    const { id: assetId } = await tenant.createAsset({ type: "pump", site: "North" });
    const anchor = iso(start + (7 + i) * dayMs);
    const suppressedById = await create({ name: "Overhaul", assetId, frequency: "SEMI_ANNUAL", anchor, estimatedDuration: 600 });
    const parts = [{ partId: seal.createPart.id, quantity: 2 }];
    const rules = { schedulingBasis: i === 1 ? "FLOATING" : "FIXED", workingDaysOnly: i === 2 };
    await create({ name: "Service", assetId, frequency, anchor, estimatedDuration: 90, parts, suppressedById, ...rules });
  }
  const { id: fan } = await tenant.createAsset({ type: "fan", site: "North" });
  await create({ name: "Fan", assetId: fan, frequency: "MONTHLY", anchor: iso(start + 7 * dayMs), estimatedDuration: 30 });
}

interface Made {
  count: number;
  hours: number;
  seals: number;
}

/** Completes the pending orders on their dates, and adds those of pumps that are due in the year. */
async function work(tenant: Caller, made: Made): Promise<void> {
  const { workOrders } = await tenant.ask(
    "{ workOrders(first: 50, filter: { pending: true }) { nodes { id estimatedDuration scheduledDate asset { type } requiredParts { quantity } } } }",
  );
  for (const { id, estimatedDuration, scheduledDate, asset, requiredParts } of workOrders.nodes) {
    if (asset.type === "pump" && Date.parse(scheduledDate) < end) {
      made.count++;
      made.hours += estimatedDuration / 60;
      made.seals += requiredParts.reduce((sum: number, { quantity }: any) => sum + quantity, 0);
    }
    await tenant.ask(
      "mutation ($id: ID!, $at: DateTime!) { completeWorkOrder(id: $id, input: { startedAt: $at, completedAt: $at }) { id } }",
      { id, at: scheduledDate },
    );
  }
}

const simulate = async (tenant: Caller) =>
  (
    await tenant.ask(
      `query ($from: DateTime!, $to: DateTime!) { simulatePlan(changes: [{ assetType: "pump", intervalFactor: 2 }], from: $from, to: $to) {
        planned { occurrences hours } simulated { occurrences hours } parts { planned simulated }
        procedures { procedure { id } isChanged frequency customIntervalDays } } }`,
      { from: iso(start), to: iso(end - 1) },
    )
  ).simulatePlan;

test("the year happens as the plan says, and with twice the intervals of all pumps as the simulation says", async () => {
  const [planned, changed] = [await gateway.newTenant(), await gateway.newTenant()];
  stopClock(new Date(start));
  for (const tenant of [planned, changed]) await plant(tenant);
  const [said] = [await simulate(planned), await simulate(changed)].map(({ procedures: _, ...sums }) => sums);
  const { procedures } = await simulate(changed);
  for (const { procedure, isChanged, frequency, customIntervalDays } of procedures)
    if (isChanged)
      await changed.ask("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", {
        id: procedure.id,
        input: { frequency, customIntervalDays },
      });
  const happened = [planned, changed].map(() => ({ count: 0, hours: 0, seals: 0 }));
  const fail = (error: unknown) => {
    throw error;
  };
  for (let evening = start + dayMs - 1; evening <= end; evening += dayMs) {
    stopClock(new Date(evening));
    if (!(await createDueWorkOrders(gateway.database, new Date(evening), fail))) continue;
    for (const [i, tenant] of [planned, changed].entries()) await work(tenant, happened[i]!);
  }
  const sums = (figures: any, seals: number) => ({ count: figures.occurrences, hours: figures.hours, seals });
  expect(happened).toEqual([sums(said.planned, said.parts[0].planned), sums(said.simulated, said.parts[0].simulated)]);
  // 8 overhauls of 10 hours, and 52 + 26 + 12 + 4 services of 90 minutes, less the 8 that overhauls cover. Then 4 overhauls, and
  // 26 + 13 + 6 + 2 services, less 4.
  expect([said.planned, said.simulated]).toEqual([
    { occurrences: 8 + 86, hours: 80 + 129 },
    { occurrences: 4 + 43, hours: 40 + 64.5 },
  ]);
});
