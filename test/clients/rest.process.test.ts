/** REST clients: a client generated from /openapi.json, and a handwritten Java client. Both compile and work against a running service. */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { cache, root } from "../../scripts/stale.mjs";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();
const run = promisify(execFile);

/** Code that a team would write on the generated types. Lines below `@ts-expect-error` must not compile. */
const consumer = `import createClient from "openapi-fetch";
import type { components, paths } from "./gateway.js";

type Asset = components["schemas"]["Asset"];
type AssetInput = components["schemas"]["AssetInput"];

export async function smoke(baseUrl: string, key: string) {
  const gateway = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
  const input: AssetInput = { name: "Feed pump A", type: "pump", serialNumber: "FP-1", specifications: { power: "5 kW" } };
  const created = await gateway.POST("/assets", { body: input, params: { header: { "Idempotency-Key": "one" } } });
  if (created.error) throw new Error(created.error.error);
  const assetId: string = created.data.id;
  const replayed = await gateway.POST("/assets", { body: input, params: { header: { "Idempotency-Key": "one" } } });

  const read = await gateway.GET("/assets/{assetId}", { params: { path: { assetId } } });
  const asset: Asset = read.data!;
  const power: string | undefined = asset.customFields.power;
  const header = { "If-Match": read.response.headers.get("etag")! };
  const updated = await gateway.PUT("/assets/{assetId}", { params: { path: { assetId }, header }, body: { status: "maintenance", location: null } });
  const status: "operational" | "maintenance" | "offline" | "decommissioned" | "pending" = updated.data!.status;

  const refused = await gateway.POST("/assets", { body: { name: "", type: "pump" } });
  const code: components["schemas"]["Error"]["code"] | undefined = refused.error?.code;
  const stale = await gateway.PUT("/assets/{assetId}", { params: { path: { assetId }, header }, body: { status: "offline" } });

  const list = await gateway.GET("/assets", { params: { query: { limit: 10, type: "pump" } } });
  const names = list.data!.items.flatMap(({ areas }) => areas.flatMap(({ assets }) => assets.map(({ name }) => name)));
  const part = await gateway.POST("/parts", { body: { partNumber: "B-1", name: "Bearing", specifications: { any: [1, { json: true }] } } });
  const any: unknown = part.data!.specifications.any;
  const report = await gateway.GET("/inventory/reports", { params: { query: { reportType: "summary" } } });
  const parts = report.data!.reportType === "summary" ? report.data!.summary.totalParts : undefined;

  // @ts-expect-error A status that there is not.
  void (() => gateway.PUT("/assets/{assetId}", { params: { path: { assetId } }, body: { status: "broken" } }));
  // @ts-expect-error The name is required.
  void (() => gateway.POST("/assets", { body: { type: "pump" } }));
  // @ts-expect-error No such field.
  void asset.colour;
  // @ts-expect-error A path that there is not.
  void (() => gateway.GET("/machines"));

  return {
    sameAsset: replayed.data?.id === assetId,
    power, status, code, names, any, parts,
    details: refused.error?.details,
    stale: [stale.response.status, stale.error?.code],
  };
}
`;

describe("a client that openapi-typescript generates for openapi-fetch", () => {
  it("compiles strictly, rejects wrong types, and works", async () => {
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "rest-client-"));
    try {
      const description = join(folder, "openapi.json");
      writeFileSync(description, await (await fetch(`${gateway.url}/openapi.json`)).text());
      await run(process.execPath, [join(root, "scripts/openapi-types.mjs"), description, join(folder, "gateway.d.ts")]);
      writeFileSync(join(folder, "package.json"), '{"type":"module"}');
      writeFileSync(join(folder, "consumer.ts"), consumer);
      const options = [
        "--strict",
        "--noUncheckedIndexedAccess",
        "--exactOptionalPropertyTypes",
        "--module",
        "nodenext",
        "--target",
        "es2022",
      ];
      const compiler = join(root, "node_modules/typescript/bin/tsc");
      const { stdout } = spawnSync(
        process.execPath,
        [compiler, ...options, "--ignoreConfig", "--skipLibCheck", join(folder, "consumer.ts")],
        {
          encoding: "utf8",
        },
      );
      expect(stdout).toBe("");
      const { smoke } = await import(/* @vite-ignore */ pathToFileURL(join(folder, "consumer.js")).href);
      const { key } = await gateway.newTenant();
      expect(await smoke(gateway.url, key)).toEqual({
        sameAsset: true,
        power: "5 kW",
        status: "maintenance",
        names: ["Feed pump A"],
        parts: 0,
        code: "BAD_USER_INPUT",
        details: { name: "must not be empty" },
        any: [1, { json: true }],
        stale: [412, "PRECONDITION_FAILED"],
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

const hasJava = spawnSync("javac", ["-version"]).status === 0;

describe.runIf(hasJava)("the handwritten Java client", () => {
  it("lists, creates once, reads errors and updates at a version", async () => {
    const folder = mkdtempSync(join(tmpdir(), "java-client-"));
    try {
      execFileSync("javac", ["-Xlint:all", "-Werror", "-d", folder, join(root, "examples/GatewayClient.java")]);
      const { key } = await gateway.newTenant();
      const { stdout } = await run("java", ["-cp", folder, "GatewayClient", gateway.url, key]);
      expect(stdout.trim().split("\n")).toEqual([
        "listed 200 HTTP_1_1",
        "created once: true",
        "refused 400 BAD_USER_INPUT with id",
        "updated maintenance",
        "stale 412 PRECONDITION_FAILED",
        "now maintenance",
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
