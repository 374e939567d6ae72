/** Helpers for tests of units: exchanges at given times, and inspections in between. */
import type { Caller } from "../world.js";

/** Exchanges the unit of a component. Returns the id of the unit that is installed afterwards. */
export async function exchange(tenant: Caller, componentId: string, unit: object | null, at: string, reason?: string): Promise<string> {
  const { exchangeUnit } = await tenant.ask(`mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { unitAt { id } } }`, {
    input: { componentId, unit, at, reason },
  });
  return exchangeUnit.unitAt?.id;
}

/** Releases a removed unit. */
export const release = (tenant: Caller, unitId: string, at: string) =>
  tenant.ask(`mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { id } }`, {
    input: { unitId, state: "REMOVED", condition: "SERVICEABLE", at },
  });

export const hoursOf = async (tenant: Caller, id: string, at?: string): Promise<{ total: number; basis: string | null }> =>
  (await tenant.ask(`query ($id: ID!, $at: DateTime) { unit(id: $id) { hours(at: $at) { total basis } } }`, { id, at })).unit.hours;
