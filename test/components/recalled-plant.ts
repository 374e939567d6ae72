/** A plant with a bad batch of bearings, and what is done with it over the API. */
import { expect } from "vitest";
import type { Caller } from "../world.js";

export const serials = (batch: string, count: number, from = 1) =>
  Array.from({ length: count }, (_, i) => `${batch}-${String(from + i).padStart(4, "0")}`);

export const receive = (caller: Caller, partId: string, input: object) =>
  caller.ask(`mutation ($partId: ID!, $input: MoveStockInput!) { receiveStock(partId: $partId, input: $input) { id } }`, { partId, input });

export const issue = (caller: Caller, workOrderId: string, input: object) =>
  caller.graphql(`mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { id } }`, {
    id: workOrderId,
    input,
  });

export const newOrder = async (caller: Caller, assetId: string): Promise<string> =>
  (
    await caller.ask(
      `mutation ($assetId: ID!) { createWorkOrder(input: { title: "Bearings", assetId: $assetId, type: PREVENTIVE }) { id } }`,
      { assetId },
    )
  ).createWorkOrder.id;

export const unitOf = async (caller: Caller, serialNumber: string): Promise<string> =>
  (await caller.ask(`query ($n: String!) { units(filter: { serialNumber: $n }) { nodes { id } } }`, { n: serialNumber })).units.nodes[0].id;

export const exchange = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { serialNumber } }`, { input });

/**
 * P-1 and P-2 at North have bearings DE and NDE. Batch B7 came in two deliveries of 10 and 4 pieces: three are installed, one is scrapped
 * and ten are in stock, with 2.5 pieces without numbers. Batch B8 has two pieces with the work order of P-1, and two in stock.
 */
export async function recalledPlant(tenant: Caller) {
  const { createPart } = await tenant.ask(`mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }`, {
    input: { partNumber: "6309", name: "Ball bearing", unitCost: 10, site: "North" },
  });
  const part = createPart.id as string;
  await receive(tenant, part, { quantity: 10, serialNumbers: serials("B7", 10), batchNumber: "B7" });
  await receive(tenant, part, { quantity: 4, serialNumbers: serials("B7", 4, 11), batchNumber: "B7" });
  await receive(tenant, part, { quantity: 2.5, batchNumber: "B7" });
  await receive(tenant, part, { quantity: 4, serialNumbers: serials("B8", 4), batchNumber: "B8" });
  const assets: string[] = [];
  const bearings: string[] = [];
  for (const name of ["P-1", "P-2"]) {
    const { id: assetId } = await tenant.createAsset({ name, site: "North" });
    assets.push(assetId);
    for (const end of ["DE", "NDE"]) bearings.push((await tenant.createComponent({ name: `Bearing ${end}`, assetId })).id);
  }
  const orders = [await newOrder(tenant, assets[0]!), await newOrder(tenant, assets[1]!)] as const;
  const issued = [
    await issue(tenant, orders[0], { partId: part, quantity: 3, serialNumbers: serials("B7", 3) }),
    await issue(tenant, orders[1], { partId: part, quantity: 1, serialNumbers: ["B7-0014"] }),
    await issue(tenant, orders[0], { partId: part, quantity: 2, serialNumbers: serials("B8", 2) }),
  ];
  expect(issued.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined]);
  const put = async (i: number, serialNumber: string, workOrderId: string) => {
    const unit = { id: await unitOf(tenant, serialNumber) };
    expect((await exchange(tenant, { componentId: bearings[i], unit, workOrderId })).errors).toBeUndefined();
  };
  await put(0, "B7-0001", orders[0]);
  await put(1, "B7-0002", orders[0]);
  await put(2, "B7-0014", orders[1]);
  await tenant.ask(`mutation ($unitId: ID!) { moveUnit(input: { unitId: $unitId, state: SCRAPPED }) { id } }`, {
    unitId: await unitOf(tenant, "B7-0003"),
  });
  return { tenant, part, assets, bearings, orders };
}
