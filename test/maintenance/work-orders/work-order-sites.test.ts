/** Work orders and their parts with keys limited to sites (docs/decisions.md, "parts of a work order"). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Role } from "../../../src/schema/access/enums.js";
import { type Caller, type GraphqlAnswer, startGateway } from "../../world.js";
import { act, attempt, balanced, create, expectRejected, failed, part, procedure, stock, stockOf, workOrder } from "./orders.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const message = "This key may change only records of its own sites";
const forbidden = { error: "Forbidden", message, code: "FORBIDDEN" };
/** The details of a refusal at `field`, for a part with this number at this stock site and a key of these sites. */
const beyond = (field: string, partNumber: string, site: string, sites = "North") => ({
  [field]: `exceeds what the work order plans of part ${partNumber} at stock site ${site}; enter at most that, and take more only at this key's sites: ${sites}`,
});

const createByGraphql = (caller: Caller, id: string) =>
  caller.graphql("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id });

const receive = (caller: Caller, partId: string, site: string, quantity: number) =>
  caller.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", {
    id: partId,
    input: { site, quantity },
  });

/** A procedure for an asset at `assetSite` that plans 2 of a part with a stock of 50 at `stockSite`. `extra` is in stock there too. */
async function plan(tenant: Caller, assetSite: string, stockSite: string) {
  const asset = await tenant.createAsset({ site: assetSite });
  const stocked = (partNumber: string) => part(tenant, { partNumber, site: stockSite, stockLevel: 50 });
  const [planned, extra] = [await stocked(`P-${assetSite}-${stockSite}`), await stocked(`E-${assetSite}-${stockSite}`)];
  const { id } = await procedure(tenant, { assetId: asset.id, parts: [{ partId: planned, quantity: 2 }] });
  return { id, assetId: asset.id, planned, extra };
}

type Used = [part: "planned" | "extra", quantity: number][];
/** Ways to finish an order. `isPlanned` if it uses no more than planned. */
const ends: { end: string; used?: Used; isPlanned: boolean }[] = [
  { end: "complete", isPlanned: true },
  { end: "complete", used: [["planned", 2]], isPlanned: true },
  { end: "complete", used: [["planned", 0.5]], isPlanned: true },
  { end: "complete", used: [["planned", 0]], isPlanned: true },
  { end: "complete", used: [["extra", 0]], isPlanned: true },
  { end: "complete", used: [["planned", 2.0001]], isPlanned: false },
  { end: "complete", used: [["extra", 1]], isPlanned: false },
  {
    end: "complete",
    used: [
      ["extra", 1],
      ["planned", 3],
    ],
    isPlanned: false,
  },
  { end: "cancel", isPlanned: true },
];

const keys: { role: Role; sites: string[] }[] = [
  { role: "technician", sites: [] },
  { role: "technician", sites: ["North"] },
  { role: "manager", sites: ["North"] },
  { role: "admin", sites: ["North"] },
];
const combinations = keys
  .flatMap((key) => ["North", "South", ""].flatMap((asset) => ["North", "main", "South"].map((shelf) => ({ ...key, asset, shelf }))))
  // Tests every combination for the technician only: higher roles do not differ.
  .filter(({ role, asset, shelf }) => role === "technician" || (asset === "North" && shelf === "main"));

describe("every key, asset and stock site", () => {
  test.each(combinations)("$role of $sites, asset at $asset, stock at $shelf", async ({ role, sites, asset, shelf }) => {
    const tenant = await gateway.newTenant();
    const caller = await tenant.as(role, sites);
    const may = (site: string) => !sites.length || sites.includes(site);
    const { id, planned, extra } = await plan(tenant, asset, shelf);
    const partIds = { planned, extra };
    const expected = { planned: 50, extra: 50 };
    const expectStock = async (reserved: number) => {
      expect(await stockOf(tenant, planned, shelf)).toEqual(stock(expected.planned, reserved));
      expect(await stockOf(tenant, extra, shelf)).toEqual(stock(expected.extra, 0));
    };

    if (!may(asset)) {
      await expectRejected(tenant, () => create(caller, id), 403, forbidden);
      await failed(tenant, () => createByGraphql(caller, id), { code: "FORBIDDEN", message });
      const order = await workOrder(tenant, id);
      await failed(tenant, () => attempt(caller, "start", order), { code: "FORBIDDEN", message });
      await failed(tenant, () => attempt(caller, "cancel", order), { code: "FORBIDDEN", message });
      await act(tenant, "start", order);
      for (const verb of ["hold", "complete", "cancel"] as const)
        await failed(tenant, () => attempt(caller, verb, order), { code: "FORBIDDEN", message });
      return balanced(tenant);
    }
    for (const [i, { end, used, isPlanned }] of ends.entries()) {
      // Alternates between the APIs.
      const order = i % 2 ? await workOrder(caller, id) : (await createByGraphql(caller, id)).data.createWorkOrder.id;
      await expectStock(2);
      for (const verb of ["start", "hold"] as const) await act(caller, verb, order);
      const input = used && { usedParts: used.map(([name, quantity]) => ({ partId: partIds[name], quantity })) };
      if (!isPlanned && !may(shelf)) {
        const details = used!.map(([name], at) =>
          beyond(`usedParts.${at}.quantity`, `${name === "planned" ? "P" : "E"}-${asset}-${shelf}`, shelf),
        );
        await failed(tenant, () => attempt(caller, "complete", order, input), {
          code: "FORBIDDEN",
          message,
          details: Object.assign({}, ...details),
        });
        await act(caller, "cancel", order);
      } else if (end === "cancel") {
        await act(caller, "cancel", order);
      } else {
        await act(caller, "complete", order, input);
        const quantities: Record<string, number> = { planned: 2, ...Object.fromEntries(used ?? []) };
        for (const name of ["planned", "extra"] as const) expected[name] -= quantities[name] ?? 0;
      }
      await expectStock(0);
      await balanced(tenant);
    }
  });
});

describe("stock sites of parts that the order does not plan", () => {
  /** Completes an order without planned parts for an asset at North, using one of the part. Returns the stock site it came from. */
  async function usedAt(tenant: Caller, sites: string[], levels: Record<string, number>, partSite?: string) {
    const caller = await tenant.as("technician", sites);
    const partId = await part(tenant, partSite ? { site: partSite } : {});
    for (const [site, quantity] of Object.entries(levels)) await receive(tenant, partId, site, quantity);
    const { id } = await procedure(tenant, { assetId: (await tenant.createAsset({ site: "North" })).id });
    const order = await workOrder(caller, id);
    await act(caller, "start", order);
    const done = await act(caller, "complete", order, { usedParts: [{ partId, quantity: 1 }] });
    return done.requiredParts[0].site;
  }

  test.each<[string, string[], Record<string, number>, string | undefined, string]>([
    ["the asset's site", ["North", "West"], { North: 1, West: 9, main: 9 }, "main", "North"],
    ["another site of the key", ["North", "West"], { West: 1, main: 9 }, "main", "West"],
    ["of several, the part's own site", ["North", "East", "West"], { East: 9, West: 1 }, "West", "West"],
    ["of several, the one with the most available", ["North", "East", "West"], { East: 9, West: 1 }, undefined, "East"],
    ["any site, for a key of all sites", [], { West: 1, main: 9 }, "main", "main"],
  ])("%s", async (_, sites, levels, partSite, expected) => {
    const tenant = await gateway.newTenant();
    expect(await usedAt(tenant, sites, levels, partSite)).toBe(expected);
    await balanced(tenant);
  });

  test("every rejected part is named, with its stock site and where the key may take it", async () => {
    const tenant = await gateway.newTenant();
    const caller = await tenant.as("technician", ["North", "West"]);
    const { id, planned, extra } = await plan(tenant, "North", "South");
    const [unstocked, own] = [await part(tenant, { partNumber: "U" }), await part(tenant, { site: "West", stockLevel: 5 })];
    const order = await workOrder(caller, id);
    await act(caller, "start", order);
    const quantities: [string, number][] = [
      [own, 1],
      [planned, 3],
      [unstocked, 1],
      [extra, 1],
    ];
    const usedParts = quantities.map(([partId, quantity]) => ({ partId, quantity }));
    const details = {
      ...beyond("usedParts.1.quantity", "P-North-South", "South", "North, West"),
      ...beyond("usedParts.2.quantity", "U", "main", "North, West"),
      ...beyond("usedParts.3.quantity", "E-North-South", "South", "North, West"),
    };
    const refused = () => attempt(caller, "complete", order, { usedParts });
    await failed(tenant, refused, { code: "FORBIDDEN", message, details });
    expect((await refused()).errors?.[0]?.fieldErrors).toEqual(
      Object.values(details).map((text, i) => ({ path: ["input", "usedParts", i + 1, "quantity"], code: "FORBIDDEN", message: text })),
    );
    await act(caller, "complete", order, { usedParts: [usedParts[0], { partId: planned, quantity: 2 }] });
    await balanced(tenant);
  });

  test("a technician of all sites completes an order that a technician of the site may not", async () => {
    const tenant = await gateway.newTenant();
    const { id, planned } = await plan(tenant, "North", "main");
    const order = await workOrder(await tenant.as("technician", ["North"]), id);
    const [wide, keeper] = [await tenant.as("technician"), await tenant.as("technician", ["North", "main"])];
    await act(keeper, "start", order);
    await act(keeper, "complete", order, { usedParts: [{ partId: planned, quantity: 3 }] });
    const again = await workOrder(wide, id);
    await act(wide, "start", again);
    await act(wide, "complete", again, { usedParts: [{ partId: planned, quantity: 3 }] });
    expect(await stockOf(tenant, planned)).toEqual(stock(44, 0));
    await balanced(tenant);
  });
});

describe("work orders from notifications", () => {
  const make = `mutation ($id: ID!, $input: CreateWorkOrderFromNotificationInput) {
    createWorkOrderFromNotification(notificationId: $id, input: $input) { id requiredParts { partId site quantity } } }`;
  const raise = async (tenant: Caller, assetId: string): Promise<string> => {
    const input = { type: "SYSTEM", severity: "WARNING", title: "t", message: "m", assetId };
    return (await tenant.ask("mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }", { input }))
      .raiseNotification.id;
  };

  test("the procedure's parts follow the order; parts that the caller adds come from the key's sites", async () => {
    const tenant = await gateway.newTenant();
    const caller = await tenant.as("technician", ["North", "West"]);
    const { id: procedureId, assetId, planned, extra } = await plan(tenant, "North", "main");
    const notification = await raise(tenant, assetId);
    const input = (...parts: [string, number][]) => ({
      procedureId,
      parts: parts.map(([partId, quantity]) => ({ partId, quantity })),
    });
    await failed(tenant, () => caller.graphql(make, { id: notification, input: input([extra, 1], [planned, 1]) }), {
      code: "FORBIDDEN",
      message,
      details: {
        ...beyond("parts.0.quantity", "E-North-main", "main", "North, West"),
        ...beyond("parts.1.quantity", "P-North-main", "main", "North, West"),
      },
    });
    await receive(tenant, extra, "West", 5);
    const { createWorkOrderFromNotification: order } = await caller.ask(make, { id: notification, input: input([extra, 1]) });
    expect(order.requiredParts).toEqual([
      { partId: planned, site: "main", quantity: 2 },
      { partId: extra, site: "West", quantity: 1 },
    ]);
    await act(caller, "start", order.id);
    await act(caller, "complete", order.id);
    expect([await stockOf(tenant, planned), await stockOf(tenant, extra, "West")]).toEqual([stock(48, 0), stock(4, 0)]);
    await balanced(tenant);
  });

  test("reservations by a key of all sites follow the order too", async () => {
    const tenant = await gateway.newTenant();
    const caller = await tenant.as("technician", ["North"]);
    const { assetId, extra } = await plan(tenant, "North", "main");
    const input = { parts: [{ partId: extra, quantity: 3 }] };
    const { createWorkOrderFromNotification: order } = await tenant.ask(make, { id: await raise(tenant, assetId), input });
    await act(caller, "start", order.id);
    await act(caller, "complete", order.id);
    expect(await stockOf(tenant, extra)).toEqual(stock(47, 0));
    await balanced(tenant);
  });
});

test("an order does not extend manual access: stock of another site stays closed to the key", async () => {
  const tenant = await gateway.newTenant();
  const caller = await tenant.as("manager", ["North"]);
  const { id, planned } = await plan(tenant, "North", "main");
  const order = await workOrder(caller, id);
  await act(caller, "start", order);
  const path = `/inventory/${planned}`;
  const byRest: [method: string, path: string, body?: unknown][] = [
    ["POST", `${path}/adjustments`, { adjustmentType: "loss", quantity: -1, reference: order }],
    ["PUT", path, { currentStock: 1 }],
    ["DELETE", `${path}?site=main`],
  ];
  for (const call of byRest) await expectRejected(tenant, () => caller.rest(...call), 403, forbidden);
  for (const verb of ["receive", "return", "issue", "reserve", "unreserve"])
    await failed(
      tenant,
      () =>
        caller.graphql(`mutation ($id: ID!, $input: MoveStockInput!) { ${verb}Stock(partId: $id, input: $input) { id } }`, {
          id: planned,
          input: { site: "main", quantity: 1, reference: order },
        }),
      { code: "FORBIDDEN", message },
    );
  for (const [fromSite, toSite] of [
    ["main", "North"],
    ["North", "main"],
  ])
    await failed(
      tenant,
      () =>
        caller.graphql("mutation ($id: ID!, $input: TransferStockInput!) { transferStock(partId: $id, input: $input) { id } }", {
          id: planned,
          input: { fromSite, toSite, quantity: 1 },
        }),
      { code: fromSite === "main" ? "FORBIDDEN" : "CONFLICT" },
    );
  await act(caller, "complete", order);
  await balanced(tenant);
});

test("missing stock at completion is named with part and site", async () => {
  const tenant = await gateway.newTenant();
  const caller = await tenant.as("technician", ["North"]);
  const asset = await tenant.createAsset({ site: "North" });
  const [there, short] = [await part(tenant, { stockLevel: 5 }), await part(tenant, { partNumber: "S", stockLevel: 1 })];
  const parts = [there, short].map((partId) => ({ partId, quantity: 2 }));
  const order = await workOrder(caller, (await procedure(tenant, { assetId: asset.id, parts })).id);
  await act(caller, "start", order);
  const text = "exceeds what is available of part S at stock site main; enter what was used, or have the stock there corrected";
  const refusal = { code: "CONFLICT", partId: short, site: "main", available: 1, requested: 2 };
  await failed(tenant, () => attempt(caller, "complete", order), { ...refusal, details: { usedParts: text } });
  const usedParts = [{ partId: short, quantity: 2 }];
  const named = await attempt(caller, "complete", order, { usedParts });
  expect(named.errors).toEqual([
    {
      message: "Insufficient stock",
      path: ["completeWorkOrder"],
      extensions: { ...refusal, details: { "usedParts.0.quantity": text } },
      fieldErrors: [{ path: ["input", "usedParts", 0, "quantity"], code: "CONFLICT", message: text }],
    },
  ]);
  await act(caller, "complete", order, { usedParts: [{ partId: short, quantity: 1 }] });
  expect([await stockOf(tenant, there), await stockOf(tenant, short)]).toEqual([stock(3, 0), stock(0, 0)]);
  await balanced(tenant);
});

describe("concurrency", () => {
  test("20 creations and 20 completions by a key of the site: one order, its parts at another site move once", async () => {
    const tenant = await gateway.newTenant();
    const caller = await tenant.as("technician", ["North"]);
    const { id, planned } = await plan(tenant, "North", "main");
    const created = await Promise.all(Array.from({ length: 20 }, () => create(caller, id)));
    expect(created.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const order = created.find(({ status }) => status === 201)!.body.workOrderId;
    expect(await stockOf(tenant, planned)).toEqual(stock(50, 2));
    await act(caller, "start", order);
    const ended = await Promise.all(Array.from({ length: 20 }, () => attempt(caller, "complete", order)));
    expect(ended.filter(({ errors }) => errors)).toHaveLength(19);
    expect(await stockOf(tenant, planned)).toEqual(stock(48, 0));
    await balanced(tenant);
  });

  test("if two sites' orders need the last of main, one is completed", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 3 });
    const orders = await Promise.all(
      ["North", "South"].map(async (site) => {
        const caller = await tenant.as("technician", [site]);
        const asset = await tenant.createAsset({ site });
        const order = await workOrder(caller, (await procedure(tenant, { assetId: asset.id, parts: [{ partId, quantity: 2 }] })).id);
        await act(caller, "start", order);
        return { caller, order };
      }),
    );
    expect(await stockOf(tenant, partId)).toEqual(stock(3, 4));
    const ended = await Promise.all(orders.map(({ caller, order }) => attempt(caller, "complete", order)));
    const refusals = ended.flatMap(({ errors }) => errors ?? []);
    expect(refusals).toMatchObject([{ extensions: { code: "CONFLICT", partId, site: "main", requested: 2 } }]);
    expect(await stockOf(tenant, partId)).toEqual(stock(1, 2));
    await balanced(tenant);
  });
});

test("any sequence of work by keys of different sites: stock that a key moves elsewhere is planned by its own orders", async () => {
  const sites = ["North", "South"];
  const shelves = ["main", ...sites];
  // The key of a site mostly works on its own orders. The third key covers all sites.
  const who = fc.constantFrom(
    ...[
      [0, 0],
      [0, 0],
      [1, 1],
      [1, 1],
      [0, 1],
      [1, 0],
      [2, 0],
      [2, 1],
    ].map(([by, at]) => ({ by: by!, at: at! })),
  );
  const used = fc.uniqueArray(fc.record({ part: fc.nat(2), quantity: fc.nat(5) }), { selector: ({ part }) => part, maxLength: 3 });
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("create" as const), who }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("complete" as const), who, used }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel" as const), who }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("receive" as const, "issue" as const),
        who,
        part: fc.nat(2),
        shelf: fc.nat(2),
        quantity: fc.integer({ min: 1, max: 5 }),
      }),
    },
  );
  let elsewhere = 0;
  const property = fc.asyncProperty(fc.array(operation, { minLength: 25, maxLength: 40, size: "max" }), async (operations) => {
    const tenant = await gateway.newTenant();
    const callers = [...(await Promise.all(sites.map((site) => tenant.as("technician", [site])))), await tenant.as("technician")];
    const partIds = await Promise.all(shelves.map((site) => part(tenant, { site, stockLevel: 9 })));
    const procedures = await Promise.all(
      sites.map(async (site) => {
        const asset = await tenant.createAsset({ site });
        return (await procedure(tenant, { assetId: asset.id, parts: partIds.map((partId, i) => ({ partId, quantity: i + 1 })) })).id;
      }),
    );
    const orders: string[] = [];
    const run = async (op: (typeof operations)[number]): Promise<{ errors?: GraphqlAnswer["errors"] }> => {
      const caller = callers[op.who.by]!;
      if ("shelf" in op)
        return caller.graphql(`mutation ($id: ID!, $input: MoveStockInput!) { ${op.kind}Stock(partId: $id, input: $input) { id } }`, {
          id: partIds[op.part],
          input: { site: shelves[op.shelf], quantity: op.quantity },
        });
      if (op.kind === "create") {
        const answer = await createByGraphql(caller, procedures[op.who.at]!);
        if (answer.data?.createWorkOrder) orders[op.who.at] = answer.data.createWorkOrder.id;
        return answer;
      }
      const order = orders[op.who.at];
      if (!order) return {};
      if (op.kind === "cancel") return attempt(caller, "cancel", order);
      await attempt(caller, "start", order);
      return attempt(caller, "complete", order, { usedParts: op.used.map(({ part, quantity }) => ({ partId: partIds[part], quantity })) });
    };
    // Three at a time, so that they race.
    for (let from = 0; from < operations.length; from += 3)
      for (const { errors } of await Promise.all(operations.slice(from, from + 3).map(run)))
        for (const { extensions } of errors ?? []) expect(["FORBIDDEN", "CONFLICT"]).toContain(extensions.code);

    await balanced(tenant);
    const differences = await gateway.database.query(
      `select 1 from "StockLevel" s where "tenantId" = $1 and reserved <> (select coalesce(sum(quantity), 0) from "WorkOrderPart" p
       where p."tenantId" = $1 and p."partId" = s."partId" and p.site = s.site and p.status = 'reserved')`,
      [tenant.tenantId],
    );
    expect(differences).toEqual([]);
    for (const [i, site] of sites.entries()) {
      const { viewer } = await callers[i]!.ask("{ viewer { keyId } }");
      const moved = await gateway.database.query<any>(
        `select m.type, -m.quantity::float as quantity, a.site as "assetSite", p.quantity::float as planned from "StockMovement" m
         left join "WorkOrder" w on w."tenantId" = $1 and w.id = m.reference left join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
         left join "WorkOrderPart" p on p."tenantId" = $1 and p."workOrderId" = w.id and p."partId" = m."partId" and p.site = m.site
         where m."tenantId" = $1 and m."performedBy" = $2 and m.site <> $3`,
        [tenant.tenantId, viewer.keyId, site],
      );
      elsewhere += moved.filter(({ type }) => type === "issue").length;
      for (const { assetSite, quantity, planned } of moved) {
        expect(assetSite).toBe(site);
        expect(Math.abs(quantity)).toBeLessThanOrEqual(planned);
      }
    }
  });
  await fc.assert(property, { numRuns: 12 });
  expect(elsewhere).toBeGreaterThan(0);
});
