/** The query parameter `updatedSince` of the lists over REST (docs/rest.md, "Changes since a time"). */
import { describe, expect, it, test } from "vitest";
import { raise } from "../alerts/receivers.js";
import { type Caller, type RestResponse, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

interface Listed {
  path: string;
  table: string;
  /** Creates the n-th record and returns its id. */
  make(caller: Caller, n: number): Promise<string>;
  /** The column that holds the id. */
  column?: string;
  idOf(record: any): string;
  recordsOf(body: any): any[];
  /** The documented body of a list of these records. */
  answer(records: any[]): unknown;
  change(caller: Caller, id: string): Promise<unknown>;
  /** Removes the record from its list. */
  end?(caller: Caller, id: string): Promise<RestResponse>;
}

const created = async (caller: Caller, path: string, body: object) => {
  const answer = await caller.rest("POST", path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
};
const put = (path: string, body: object) => (caller: Caller, id: string) => caller.rest("PUT", `${path}/${id}`, body);
const end = (path: string) => (caller: Caller, id: string) => caller.rest("DELETE", `${path}/${id}`);
const page = (name: string) => (records: any[]) => ({
  [name]: records,
  pagination: { total: records.length, limit: 100, offset: 0, hasMore: false },
});
const ofPart = (record: any) => record.partId;
const part = (n: number) => ({ partNumber: `P-${n}`, name: "Seal", site: "North", stockLevel: n });

const lists: Listed[] = [
  {
    path: "/assets",
    table: "Asset",
    make: async (caller, n) => (await caller.createAsset({ name: `Pump ${n}` })).id,
    idOf: (record) => record.assetId,
    recordsOf: (body) => body.items.flatMap(({ areas }: any) => areas.flatMap(({ assets }: any) => assets)),
    answer: (assets) => ({
      items: assets.length ? [{ site: "", areas: [{ name: "", assets, nextToken: null }], nextToken: null }] : [],
      nextToken: null,
    }),
    change: put("/assets", { location: "Hall" }),
    end: end("/assets"),
  },
  {
    path: "/components",
    table: "Component",
    make: async (caller) => (await caller.createComponent()).id,
    idOf: (record) => record.componentId,
    recordsOf: (body) => body,
    answer: (records) => records,
    change: put("/components", { notes: "n" }),
    end: end("/components"),
  },
  {
    path: "/components/templates",
    table: "ComponentTemplate",
    make: async (caller, n) => (await created(caller, "/components/templates", { name: `T${n}`, type: "pump" })).id,
    idOf: (record) => record.id,
    recordsOf: (body) => body.templates,
    answer: (templates) => ({ templates }),
    change: put("/components/templates", { name: "U" }),
    end: end("/components/templates"),
  },
  {
    path: "/parts",
    table: "Part",
    make: async (caller, n) => (await created(caller, "/parts", part(n))).partId,
    idOf: ofPart,
    recordsOf: (body) => body,
    answer: (records) => records,
    change: put("/parts", { location: "A1" }),
    end: end("/parts"),
  },
  {
    path: "/inventory",
    table: "StockLevel",
    make: async (caller, n) => (await created(caller, "/parts", part(n))).partId,
    column: "partId",
    idOf: ofPart,
    recordsOf: (body) => body,
    answer: (records) => records,
    change: (caller, id) => caller.rest("POST", `/inventory/${id}/adjustments`, { adjustmentType: "damage", quantity: -1 }),
  },
  {
    path: "/pms",
    table: "Procedure",
    make: async (caller, n) =>
      (await created(caller, "/pms", { name: `Oil ${n}`, assetId: (await caller.createAsset()).id, frequency: "monthly" })).id,
    idOf: (record) => record.id,
    recordsOf: (body) => body.pmProcedures,
    answer: page("pmProcedures"),
    change: put("/pms", { description: "d" }),
    end: end("/pms"),
  },
  {
    path: "/workorders",
    table: "WorkOrder",
    make: async (caller, n) => {
      const { id: assetId } = await caller.createAsset();
      const { id } = await created(caller, "/pms", { name: `Oil ${n}`, assetId, frequency: "monthly" });
      return (await created(caller, `/pms/${id}/createworkorder`, {})).workOrderId;
    },
    idOf: (record) => record.workOrderId,
    recordsOf: (body) => body.workOrders,
    answer: page("workOrders"),
    change: (caller, id) => caller.rest("POST", `/workorders/${id}/start`),
  },
  {
    path: "/strategies",
    table: "Strategy",
    make: async (caller, n) => (await created(caller, "/strategies", { name: `S${n}`, type: "preventive" })).id,
    idOf: (record) => record.id,
    recordsOf: (body) => body.strategies,
    answer: page("strategies"),
    change: put("/strategies", { description: "d" }),
    end: end("/strategies"),
  },
  {
    path: "/notifications",
    table: "Notification",
    make: (caller, n) => raise(caller, `Hot ${n}`),
    idOf: (record) => record.id,
    recordsOf: (body) => body.items,
    answer: (items) => ({ items, count: items.length }),
    change: (caller, id) => caller.ask(`mutation { changeNotificationStatus(id: "${id}", status: ACKNOWLEDGED) { id } }`),
  },
];

const [winter, spring] = ["2026-01-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z"];

describe.each(lists)("GET $path", ({ path, table, make, column = "id", idOf, recordsOf, answer, change, end }) => {
  /** A tenant with two records, last changed in winter and in spring. */
  async function changed(): Promise<{ caller: Caller; old: string; young: string }> {
    const caller = await gateway.newTenant();
    const [old, young] = [await make(caller, 1), await make(caller, 2)];
    for (const [id, at] of [
      [old, winter],
      [young, spring],
    ])
      await gateway.database.query(`update "${table}" set "updatedAt" = $3 where "tenantId" = $1 and "${column}" = $2`, [
        caller.tenantId,
        id,
        at,
      ]);
    return { caller, old, young };
  }

  async function listed(caller: Caller, since?: string): Promise<any> {
    const query = since === undefined ? "" : `?updatedSince=${encodeURIComponent(since)}`;
    const { status, body } = await caller.rest("GET", path + query);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  it("lists records changed at or after the instant, in the bodies and the order of the whole list", async () => {
    const { caller, old, young } = await changed();
    const all = await listed(caller);
    const records = recordsOf(all);
    expect(all).toEqual(answer(records));
    expect(records.map(idOf).sort()).toEqual([old, young].sort());
    const ofYoung = answer(records.filter((record) => idOf(record) === young));
    expect(await listed(caller, spring)).toEqual(ofYoung);
    expect(await listed(caller, "2026-04-01T02:00:00+02:00")).toEqual(ofYoung);
    expect(await listed(caller, "2026-01-02")).toEqual(ofYoung);
    expect(await listed(caller, winter)).toEqual(all);
    expect(await listed(caller, "2026-04-01T00:00:00.001Z")).toEqual(answer([]));
    expect(await listed(await gateway.newTenant(), winter)).toEqual(answer([]));
  });

  it("lists a record once it is changed, and omits deleted records", async () => {
    const { caller, old, young } = await changed();
    await change(caller, old);
    expect(recordsOf(await listed(caller, "2026-04-01T00:00:00.001Z")).map(idOf)).toEqual([old]);
    if (!end) return;
    expect((await end(caller, old)).status).toBe(200);
    expect(recordsOf(await listed(caller, winter)).map(idOf)).toEqual([young]);
  });

  it("is the same to the byte without the parameter and with an empty one", async () => {
    const { caller } = await changed();
    const [plain, empty] = [await caller.rest("GET", path), await caller.rest("GET", `${path}?updatedSince=`)];
    // The ETag is a digest of the body.
    expect(empty.headers.get("etag")).toBe(plain.headers.get("etag"));
    expect((await caller.rest("GET", `${path}?updatedSince=${winter}`)).headers.get("etag")).toBe(plain.headers.get("etag"));
  });

  it.each([
    ["updatedSince=yesterday", "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z"],
    ["updatedSince=2026-02-30", "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z"],
    ["updatedSince=2026-01-01&updatedSince=2026-01-02", "must be given once"],
  ])("rejects %s, naming it", async (query, message) => {
    const caller = await gateway.newTenant();
    const { status, body } = await caller.rest("GET", `${path}?${query}`);
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: "Invalid input", details: { updatedSince: message }, code: "BAD_USER_INPUT", requestId: expect.any(String) },
    });
  });
});

test.each(["/assets", "/notifications"])("a token of GET %s continues only with the same updatedSince", async (path) => {
  const caller = await gateway.newTenant();
  for (let n = 0; n < 3; n++) path === "/assets" ? await caller.createAsset({ name: `Pump ${n}` }) : await raise(caller, `Hot ${n}`);
  const since = `${path}?limit=2&updatedSince=2026-01-01`;
  const { nextToken } = (await caller.rest("GET", since)).body;
  const { recordsOf } = lists.find((one) => one.path === path)!;
  expect(recordsOf((await caller.rest("GET", `${since}&nextToken=${nextToken}`)).body)).toHaveLength(1);
  for (const other of [`${path}?limit=2`, `${path}?limit=2&updatedSince=2026-01-02`]) {
    const { status, body } = await caller.rest("GET", `${other}&nextToken=${nextToken}`);
    expect([status, Object.keys(body.details ?? {})]).toEqual([400, ["nextToken"]]);
  }
});

test("/openapi.json describes it on these lists, and on no other path", async () => {
  const { paths } = (await gateway.rest("GET", "/openapi.json")).body;
  const found = Object.entries<any>(paths).flatMap(([path, operations]) =>
    Object.entries<any>(operations).flatMap(([method, { parameters = [] }]) =>
      parameters.filter(({ name }: any) => name === "updatedSince").map((parameter: any) => [`${method} ${path}`, parameter]),
    ),
  );
  const parameter = {
    name: "updatedSince",
    in: "query",
    required: false,
    schema: { type: "string", format: "date-time" },
    description: "Only records created or changed at or after this time. Deleted records are omitted, as without this filter.",
  };
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(lists.map(({ path }) => [`get ${path}`, parameter])));
});
