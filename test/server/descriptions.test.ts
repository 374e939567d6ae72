/** /schema.graphql, /schema.json and /openapi.json, which tools read without a key. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildClientSchema, lexicographicSortSchema, printSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { sharedGateway } from "../world.js";
import { raw } from "./raw.js";

const { url } = await sharedGateway();
const file = readFileSync(fileURLToPath(new URL("../../src/schema/schema.graphql", import.meta.url)));

it("/schema.graphql equals the source file, to the byte", async () => {
  const { status, headers, body } = await raw(`${url}/schema.graphql`);
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(body.equals(file)).toBe(true);
});

it("/schema.json is the introspection of the same schema", async () => {
  const { headers, body } = await raw(`${url}/schema.json`);
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  const schema = buildClientSchema(JSON.parse(String(body)));
  expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toBe(String(file));
});

describe.each(["/schema.graphql", "/schema.json", "/openapi.json"])("%s", (path) => {
  it("has a tag, and a client that has it gets 304", async () => {
    const { headers } = await raw(url + path);
    const etag = headers.etag!;
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(headers["cache-control"]).toBe("no-cache");
    for (const known of [etag, etag.slice(2), `"other", ${etag}`]) {
      const again = await raw(url + path, { headers: { "if-none-match": known } });
      expect([again.status, again.body.length, again.headers.etag, again.headers.vary]).toEqual([304, 0, etag, "accept-encoding"]);
    }
    expect((await raw(url + path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  it("has the headers of GET for HEAD", async () => {
    const [get, head] = [await raw(url + path), await raw(url + path, { method: "HEAD" })];
    const { date, "x-request-id": id, ...expected } = get.headers;
    expect(head).toMatchObject({ status: 200, headers: expected });
    expect(head.body.length).toBe(0);
  });

  it("accepts no other method", async () => {
    const { status, headers } = await raw(url + path, { method: "POST" });
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
  });
});
