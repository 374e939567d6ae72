/** Helpers for meter tests: meters, their readings, and procedures that are due by them. */
import type { Caller, GraphqlAnswer } from "../../world.js";

export const hourMs = 3_600_000;

export async function meter(tenant: Caller, fields: Record<string, unknown> = {}): Promise<{ id: string; assetId: string }> {
  const assetId = fields.assetId ?? (await tenant.createAsset()).id;
  const query = "mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id assetId } }";
  return (await tenant.ask(query, { input: { name: "Engine", kind: "RUN_HOURS", ...fields, assetId } })).createMeter;
}

export interface Shown {
  meterId: string;
  value: number;
  takenAt?: string;
  [more: string]: unknown;
}

export const attemptRead = (tenant: Caller, ...readings: Shown[]): Promise<GraphqlAnswer> =>
  tenant.graphql("mutation ($readings: [MeterReadingInput!]!) { recordMeterReadings(readings: $readings) { recorded duplicates due } }", {
    readings,
  });

export async function read(tenant: Caller, ...readings: Shown[]): Promise<{ recorded: number; duplicates: number; due: string[] }> {
  const { data, errors } = await attemptRead(tenant, ...readings);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.recordMeterReadings;
}

/** The readings of a meter, oldest first, and its total. */
export async function shown(tenant: Caller, id: string): Promise<{ total: number; readings: any[] }> {
  const query = `query ($id: ID!) { meter(id: $id) { usage { total } readings(first: 200) { nodes { takenAt kind value finalValue total } } } }`;
  const { meter: found } = await tenant.ask(query, { id });
  return { total: found.usage.total, readings: found.readings.nodes.toReversed() };
}
