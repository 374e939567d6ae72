/** Long texts are compressed with a method that the client accepts. Short texts, images, and responses to other clients are not. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { addPhoto } from "../files/photos.js";
import { type Caller, sharedGateway, startGateway } from "../world.js";
import { type RawRequest, type RawResponse, raw } from "./raw.js";

const gateway = await sharedGateway();
const off = await startGateway({ COMPRESSION: "off" });

let tenant: Caller;
const ask = (path: string, { headers, ...request }: RawRequest = {}, of = tenant): Promise<RawResponse> =>
  raw(of.gateway.url + path, { ...request, headers: { authorization: `Bearer ${of.key}`, ...headers } });

const names = "{ assets(first: 100) { nodes { id name type createdAt } } }";
const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
/** Request ids differ. */
const textOf = (body: Buffer) => String(body).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id");

let photo: { url: string; thumbnailUrl: string };

beforeAll(async () => {
  tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  for (let i = 0; i < 30; i++) await tenant.createAsset({ name: `Pump ${i}` });
  photo = await addPhoto(tenant, id);
});

/** Apollo answers a unique query the first time. After that the query bypasses Apollo. */
let queries = 0;
const fresh = () => `${names} # ${queries++}`;
const unknownFields = `{ ${Array.from({ length: 30 }, (_, i) => `unknown${i}`).join(" ")} }`;

const answers: Record<string, [status: number, path: string, request?: () => RawRequest]> = {
  "GraphQL, the first time": [200, "/graphql", () => ({ body: { query: fresh() } })],
  "GraphQL, known": [200, "/graphql", () => ({ body: { query: names } })],
  "GraphQL, by GET": [200, `/graphql?query=${encodeURIComponent(names)}`],
  "GraphQL errors": [200, "/graphql", () => ({ body: { query: unknownFields } })],
  REST: [200, "/assets?limit=100"],
  "REST errors": [404, `/assets/${"none".repeat(500)}`],
  "/openapi.json": [200, "/openapi.json"],
  "/schema.graphql": [200, "/schema.graphql"],
  "/schema.json": [200, "/schema.json"],
};

describe.each(Object.entries(answers))("%s", (_, [status, path, request]) => {
  it.each(["br", "gzip"] as const)("comes as %s", async (encoding) => {
    const plain = await ask(path, request?.());
    const packed = await ask(path, { ...request?.(), headers: { "accept-encoding": encoding } });
    expect([plain.status, packed.status]).toEqual([status, status]);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(packed.headers["content-encoding"]).toBe(encoding);
    for (const { headers, body } of [plain, packed]) {
      expect(headers.vary).toMatch(/\baccept-encoding$/);
      expect(headers["content-length"]).toBe(String(body.length));
    }
    expect(packed.headers["content-type"]).toBe(plain.headers["content-type"]);
    expect(textOf(unpack[encoding](packed.body))).toBe(textOf(plain.body));
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
  });
});

describe("the encoding", () => {
  it.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["deflate", undefined],
    ["gzip;q=0", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["gzip", "gzip"],
    ["GZIP;q=0.1", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, br;q=0.9", "gzip"],
    ["br;q=0, *", "gzip"],
    ["*", "br"],
  ])("of a client that accepts %s is %s", async (accepted, encoding) => {
    const { headers } = await ask("/assets?limit=100", { headers: accepted === undefined ? {} : { "accept-encoding": accepted } });
    expect(headers["content-encoding"]).toBe(encoding);
  });
});

const packing = { headers: { "accept-encoding": "br, gzip" } };

it("responses below 1 KB are sent unchanged", async () => {
  for (const { headers, body } of [await ask("/assets?limit=1", packing), await ask("/assets/none", packing)]) {
    expect(body.length).toBeLessThan(1024);
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
  }
});

it("images are sent unchanged", async () => {
  for (const url of [photo.url, photo.thumbnailUrl]) {
    const [plain, packed] = [await raw(url), await raw(url, packing)];
    expect([packed.headers["content-encoding"], packed.headers.vary]).toEqual([undefined, undefined]);
    expect(packed.headers["content-type"]).toMatch(/^image\//);
    expect(packed.body.equals(plain.body)).toBe(true);
  }
});

it("HEAD has the headers of GET", async () => {
  for (const path of ["/assets?limit=100", "/schema.graphql", `/graphql?query=${encodeURIComponent(names)}`]) {
    const [get, head] = [await ask(path, packing), await ask(path, { ...packing, method: "HEAD" })];
    const { date, "x-request-id": id, ...expected } = get.headers;
    expect(expected["content-encoding"], path).toBe("br");
    expect(head).toMatchObject({ status: 200, headers: expected });
    expect(head.body.length).toBe(0);
  }
});

it("a repeated write gets its first response, in any encoding", async () => {
  const sent = { body: { name: "Pump", type: "pump", description: "long ".repeat(300) } };
  const first = await ask("/assets", { ...sent, headers: { "idempotency-key": "packed", "accept-encoding": "gzip" } });
  const again = await ask("/assets", { ...sent, headers: { "idempotency-key": "packed", "accept-encoding": "br" } });
  expect([first.status, again.status, again.headers["idempotent-replayed"]]).toEqual([201, 201, "true"]);
  expect(brotliDecompressSync(again.body).equals(gunzipSync(first.body))).toBe(true);
});

it("COMPRESSION=off sends everything unchanged", async () => {
  const other = await off.newTenant();
  for (const path of ["/schema.json", `/assets/${"none".repeat(500)}`]) {
    const { headers } = await ask(path, packing, other);
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
  }
});
