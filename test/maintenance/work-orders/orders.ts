/** Helpers for tests of work orders: parts, procedures, orders and their transitions, stock, and refusals that change nothing. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Caller, GraphqlAnswer, RestResponse } from "../../world.js";

const tablesOfWork = "Procedure ProcedurePart WorkOrder WorkOrderStep WorkOrderPart WorkOrderStatusChange StockLevel StockMovement";

export async function rows(tenant: Caller, tables = tablesOfWork.split(" ")) {
  const found = tables.map((table) =>
    tenant.gateway.database.query<any>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ]),
  );
  return (await Promise.all(found)).map((list) => list.map(({ row }) => row));
}

/** Expects exactly this error, and no change. */
export async function expectRejected(tenant: Caller, call: () => Promise<RestResponse>, status: number, body: object) {
  const before = await rows(tenant);
  const response = await call();
  expect({ status: response.status, body: response.body }).toEqual({ status, body: { ...body, requestId: expect.any(String) } });
  expect(await rows(tenant)).toEqual(before);
}

export async function failed(tenant: Caller, call: () => Promise<GraphqlAnswer>, extensions: object) {
  const before = await rows(tenant);
  const { errors } = await call();
  expect(errors?.[0]?.extensions).toMatchObject(extensions);
  expect(await rows(tenant)).toEqual(before);
}

export async function part(tenant: Caller, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await tenant.rest("POST", "/parts", {
    partNumber: `N-${randomUUID()}`,
    name: "Bearing",
    unitCost: 2,
    ...fields,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.partId;
}

export async function procedure(tenant: Caller, fields: Record<string, unknown> = {}): Promise<any> {
  const assetId = fields.assetId ?? (await tenant.createAsset()).id;
  const { status, body } = await tenant.rest("POST", "/pms", {
    name: "Oil change",
    assetId,
    frequency: "monthly",
    anchor: "2031-01-31T08:00:00Z",
    ...fields,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

export const create = (caller: Caller, pmId: string, body?: unknown) => caller.rest("POST", `/pms/${pmId}/createworkorder`, body);

export async function workOrder(caller: Caller, pmId: string, body?: unknown): Promise<string> {
  const response = await create(caller, pmId, body);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.workOrderId;
}

export type Verb = "start" | "hold" | "complete" | "close" | "cancel";
const full = `id status startedAt completedAt duration technician laborCost partsCost notes
  steps { order description status notes changedBy } requiredParts { partId site quantity status usedQuantity }
  statusHistory { fromStatus toStatus reason changedBy changedByName changedAt }`;
export const attempt = (caller: Caller, verb: Verb, id: string, input?: object) =>
  caller.graphql(
    `mutation ($id: ID!${verb === "complete" ? ", $input: CompleteWorkOrderInput" : ""}) { ${verb}WorkOrder(id: $id${verb === "complete" ? ", input: $input" : ""}) { ${full} } }`,
    { id, ...(input && { input }) },
  );
export async function act(caller: Caller, verb: Verb, id: string, input?: object): Promise<any> {
  const { data, errors } = await attempt(caller, verb, id, input);
  expect(errors).toBeUndefined();
  return data[`${verb}WorkOrder`];
}

export const stockOf = async (tenant: Caller, partId: string, site = "main") =>
  (
    await tenant.ask(
      `query ($id: ID!, $site: String) { part(id: $id) { stockAt(site: $site) { quantity reservedStock availableStock } } }`,
      {
        id: partId,
        site,
      },
    )
  ).part.stockAt;
export const stock = (quantity: number, reservedStock: number) => ({ quantity, reservedStock, availableStock: quantity - reservedStock });

export const balanced = async (tenant: Caller) =>
  expect((await tenant.ask("{ verifyLedger { balanced faults { problem } } }")).verifyLedger).toEqual({ balanced: true, faults: [] });
