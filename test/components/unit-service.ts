/** Units, positions and stock as the service shows them, and what it leaves the notebook to learn: its times and ids. */
import { expect } from "vitest";
import type { Caller } from "../world.js";
import { isUnknown, type Notebook, type Stay, unknownId } from "./unit-notebook.js";
import type { Operation } from "./unit-operation.js";

export interface Actual {
  units: { id: string; serialNumber: string; part: string | null; stays: (Stay & { period?: string })[] }[];
  positions: { id: string; asset: string; parent: string | null; serialNumber: string | null; installDate: number | null }[];
  levels: { part: string; site: string; quantity: number; blocked: number; reserved: number }[];
  pending: { id: string; part: string; site: string; quantity: number }[];
  transfers: { id: string; status: string }[];
  orders: { id: string; isDone: boolean }[];
}

/** Settings of a gateway whose callers read everything after each operation. */
export const readsAll = { MAX_QUERY_COST: "100000000", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" };

const time = (text: string | null) => (text === null ? Number.POSITIVE_INFINITY : Date.parse(text));
const byId = <T extends { id: string }>(rows: T[]): T[] => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

const query = (assets: string[], parts: string[], sites: string[]) => `{
  units(first: 500) { nodes { id serialNumber partId periods(first: 500, orderBy: { field: STARTED_AT }) {
    nodes { id state condition componentId site workOrderId removalReason startedAt endedAt } } } }
  ${assets.map((id, i) => `asset${i}: asset(id: "${id}") { components(scope: ALL, first: 100) { nodes { id assetId parentId serialNumber installDate } } }`).join("\n")}
  ${parts.map((id, i) => `part${i}: part(id: "${id}") { ${sites.map((site, s) => `site${s}: stockAt(site: "${site}") { quantity blockedStock reservedStock }`).join(" ")} }`).join("\n")}
  stockAdjustments(filter: { pending: true }, first: 500) { nodes { id partId site quantity } }
  stockTransfers(first: 500) { nodes { id status } }
  workOrders(first: 500) { nodes { id steps { status } } }
}`;

/** All that the service shows now. */
export async function read(caller: Caller, { sites }: Notebook, parts: string[]): Promise<Actual> {
  const assets = Object.keys(sites);
  const places = Object.values(sites);
  const found = await caller.ask(query(assets, parts, places));
  return {
    units: byId(
      found.units.nodes.map(({ id, serialNumber, partId, periods }: any) => ({
        id,
        serialNumber,
        part: partId,
        stays: periods.nodes.map((period: any) => ({
          state: period.state,
          condition: period.condition,
          position: period.componentId,
          site: period.site,
          order: period.workOrderId,
          reason: period.removalReason,
          from: time(period.startedAt),
          to: time(period.endedAt),
          period: period.id,
        })),
      })),
    ),
    positions: byId(
      assets.flatMap((_, i) =>
        found[`asset${i}`].components.nodes.map(({ id, assetId, parentId, serialNumber, installDate }: any) => ({
          id,
          asset: assetId,
          parent: parentId,
          serialNumber,
          installDate: installDate && Date.parse(installDate),
        })),
      ),
    ),
    levels: parts.flatMap((part, i) =>
      places.map((site, s) => {
        const { quantity = 0, blockedStock = 0, reservedStock = 0 } = found[`part${i}`][`site${s}`] ?? {};
        return { part, site, quantity, blocked: blockedStock, reserved: reservedStock };
      }),
    ),
    pending: byId(found.stockAdjustments.nodes.map(({ id, partId, site, quantity }: any) => ({ id, part: partId, site, quantity }))),
    transfers: byId(found.stockTransfers.nodes),
    orders: byId(found.workOrders.nodes.map(({ id, steps }: any) => ({ id, isDone: steps[0].status === "COMPLETED" }))),
  };
}

/** The notebook in the form of `Actual`, without ids of periods. */
export const shown = (book: Notebook, parts: string[]): Actual => ({
  units: byId(book.units.map(({ id, serialNumber, part, stays }) => ({ id, serialNumber, part, stays }))),
  positions: byId(book.live().map(({ deletedBy: _, ...position }) => position)),
  levels: parts.flatMap((part) =>
    Object.values(book.sites).map((site) => {
      const { quantity, blocked, reserved } = book.stock(part, site);
      return { part, site, quantity, blocked, reserved };
    }),
  ),
  pending: byId(book.pending.map(({ id, part, site, quantity }) => ({ id, part, site, quantity }))),
  transfers: byId(book.transfers.map(({ id, status }) => ({ id, status }))),
  orders: byId(book.orders.map(({ id, isDone }) => ({ id, isDone }))),
});

export const withoutPeriods = (actual: Actual): Actual => ({
  ...actual,
  units: actual.units.map((unit) => ({ ...unit, stays: unit.stays.map(({ period: _, ...stay }) => stay) })),
});

/** Fills in ids and times that the service chose since the operation was sent, where the rest agrees with what it shows. */
export function learn(book: Notebook, actual: Actual, sentAt: number): void {
  const ids = new Map<string, string>();
  const times = new Map<number, number>();
  const known = new Set([...book.units, ...book.pending, ...book.transfers].map(({ id }) => id));
  const take = <T extends { id: string }>(id: string, rows: T[], matches: (row: T) => boolean) => {
    const row = rows.find((one) => !known.has(one.id) && matches(one));
    if (!row) return;
    known.add(row.id);
    ids.set(id, row.id);
  };
  for (const unit of book.units) {
    const { id, serialNumber, part, stays } = unit;
    const like = (one: Actual["units"][number]) =>
      one.serialNumber === serialNumber && one.part === part && one.stays.at(-1)?.position === stays.at(-1)?.position;
    if (unknownId(id)) take(id, actual.units, like);
    const found = actual.units.find((one) => one.id === (ids.get(id) ?? id));
    if (found?.stays.length !== stays.length) continue;
    for (const [i, stay] of stays.entries())
      for (const end of ["from", "to"] as const) {
        const at = found.stays[i]![end];
        if (isUnknown(stay[end]) && !times.has(stay[end]) && sentAt - 5 <= at && at <= Date.now() + 5) times.set(stay[end], at);
      }
  }
  for (const { id, part, site, quantity } of book.pending)
    if (unknownId(id)) take(id, actual.pending, (one) => one.part === part && one.site === site && one.quantity === quantity);
  for (const { id } of book.transfers) if (unknownId(id)) take(id, actual.transfers, () => true);
  const idOf = (id: string) => ids.get(id) ?? id;
  const timeOf = (at: number) => times.get(at) ?? at;
  for (const unit of book.units) {
    unit.id = idOf(unit.id);
    for (const stay of unit.stays) Object.assign(stay, { from: timeOf(stay.from), to: timeOf(stay.to) });
  }
  for (const one of [...book.pending, ...book.transfers]) Object.assign(one, { id: idOf(one.id), unit: idOf(one.unit) });
  for (const one of book.positions) if (one.installDate !== null) one.installDate = timeOf(one.installDate);
}

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
const pieces = ({ site, serialNumber }: { site: string; serialNumber: string }) => ({ site, quantity: 1, serialNumbers: [serialNumber] });
type Request = { text: string; variables: object } | { method: string; path: string; body?: object };
const mutation = (field: string, types: string, variables: object, selected = "{ id }"): Request => ({
  text: `mutation (${types}) { ${field} ${selected} }`,
  variables,
});

const withInput = (field: string, type: string, input: object): Request =>
  mutation(`${field}(input: $input)`, `$input: ${type}!`, { input });
const ofPart = (field: string, type: string, p: string, input: object): Request =>
  mutation(`${field}(partId: $p, input: $input)`, `$p: ID!, $input: ${type}!`, { p, input });
const ofId = (field: string, id: string): Request => mutation(`${field}(id: $id)`, "$id: ID!", { id });

function requestOf(operation: Operation): Request {
  switch (operation.kind) {
    case "exchange": {
      const { kind: _, position: componentId, order: workOrderId, at, ...rest } = operation;
      return withInput("exchangeUnit", "ExchangeUnitInput", { componentId, workOrderId, at: iso(at), withContents: false, ...rest });
    }
    case "step": {
      const { order: id, removed, unit: installed, reason, at, notes } = operation;
      const input = { status: "COMPLETED", notes, exchange: { removed, installed, reason, at: iso(at), withContents: false } };
      return mutation("updateWorkOrderStep(id: $id, order: 1, input: $input)", "$id: ID!, $input: UpdateWorkOrderStepInput!", {
        id,
        input,
      });
    }
    case "swap": {
      const { kind: _, positions: componentIds, order: workOrderId, at, ...rest } = operation;
      return withInput("swapUnits", "SwapUnitsInput", { componentIds, workOrderId, at: iso(at), withContents: false, ...rest });
    }
    case "move": {
      const { unit: unitId, state, condition, at } = operation;
      return withInput("moveUnit", "MoveUnitInput", { unitId, state, condition, at: iso(at) });
    }
    case "correct": {
      const { period: periodId, startedAt, endedAt, unitId, notes } = operation;
      const input = { periodId, unitId, notes, startedAt: iso(startedAt), endedAt: iso(endedAt) };
      return withInput("correctInstallation", "CorrectInstallationInput", input);
    }
    case "receive":
    case "return":
    case "issue":
      return ofPart(`${operation.kind}Stock`, "MoveStockInput", operation.part, {
        ...pieces(operation),
        ...(operation.kind === "receive" && { unitCost: 100 }),
      });
    case "gain":
    case "writeOff": {
      const isGain = operation.kind === "gain";
      const input = { ...pieces(operation), adjustmentType: isGain ? "CORRECTION" : "DAMAGE", quantity: isGain ? 1 : -1, reason: "Seen" };
      return ofPart("adjustStock", "AdjustStockInput", operation.part, input);
    }
    case "issueToOrder":
    case "returnFromOrder": {
      const [field, type] = operation.kind === "issueToOrder" ? ["issueToWorkOrder", "Issue"] : ["returnFromWorkOrder", "Return"];
      const input = { partId: operation.part, ...pieces(operation) };
      const name = `${type}${type === "Issue" ? "To" : "From"}WorkOrderInput`;
      return mutation(`${field}(id: $id, input: $input)`, `$id: ID!, $input: ${name}!`, { id: operation.order, input });
    }
    case "transfer":
    case "start": {
      const { kind, part, serialNumber, from, to } = operation;
      const input = { fromSite: from, toSite: to, quantity: 1, serialNumbers: [serialNumber] };
      const [field, type] = kind === "start" ? ["startTransfer", "StartTransferInput"] : ["transferStock", "TransferStockInput"];
      return ofPart(field!, type!, part, input);
    }
    case "ship":
    case "arrive":
    case "cancel":
      return ofId({ ship: "shipTransfer", arrive: "receiveTransfer", cancel: "cancelTransfer" }[operation.kind], operation.transfer);
    case "approve":
    case "reject":
      return ofId(`${operation.kind}Adjustment`, operation.pending);
    case "put": {
      const { position, serialNumber, installDate } = operation;
      return { method: "PUT", path: `/components/${position}`, body: { serialNumber, installDate: iso(installDate) } };
    }
    case "delete": {
      if (operation.way === "rest") return { method: "DELETE", path: `/components/${operation.position}` };
      const variables = { id: operation.position, all: operation.way === "remove" };
      return mutation("deleteComponent(id: $id, removeUnits: $all)", "$id: ID!, $all: Boolean!", variables, "{ componentCount }");
    }
    case "restore":
      return ofId("restoreComponent", operation.position);
    case "rehome": {
      const { position: id, asset, parent } = operation;
      return mutation("moveComponent(id: $id, newParentId: $parent, assetId: $asset)", "$id: ID!, $parent: ID, $asset: ID", {
        id,
        parent,
        asset,
      });
    }
  }
}

/** `accepted` is undefined if the connection breaks. `says` is the text of a refusal. */
export interface Answer {
  accepted: boolean | undefined;
  says?: string;
}

const refusals = ["CONFLICT", "BAD_USER_INPUT", "NOT_FOUND"];

/** Sends an operation. Any error that is neither a refusal nor a broken connection is a defect. */
export async function send(caller: Caller, approver: Caller, operation: Operation): Promise<Answer> {
  const request = requestOf(operation);
  const by = operation.kind === "approve" || operation.kind === "reject" ? approver : caller;
  try {
    if ("method" in request) {
      const { status, body } = await by.rest(request.method, request.path, request.body);
      expect([200, 404, 409], JSON.stringify(body)).toContain(status);
      return { accepted: status === 200, says: JSON.stringify(body) };
    }
    const { errors } = await by.graphql(request.text, { ...request.variables });
    const says = JSON.stringify(errors);
    if (errors) expect(refusals, `${JSON.stringify(operation)} ${says}`).toContain(errors[0]!.extensions.code);
    return { accepted: !errors, says };
  } catch (error) {
    // The connection broke.
    if (error instanceof TypeError) return { accepted: undefined };
    throw error;
  }
}
