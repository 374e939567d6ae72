/**
 * Upgrade from the first release (stop, migrate, start) with all its data: the REST responses of this version are byte-identical to the
 * earlier ones. Run by `npm run test:upgrade`.
 */
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { build } from "../generate.js";
import { checkedOut, command, Service } from "./releases.js";
import { type Installation, newInstallation, server, thisMain } from "./server.js";
import { Traffic } from "./traffic.js";

const commit = "e7da0b2";

describe.skipIf(!server)("from the first release", () => {
  let installation: Installation | undefined;
  const services: Service[] = [];

  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await installation?.remove();
  });

  test("every GET response is unchanged", async () => {
    await build();
    const oldMain = join(checkedOut(commit), "dist/cli.js");
    installation = await newInstallation();
    const { environment } = installation;
    const old = await Service.start(oldMain, environment);
    services.push(old);
    command(oldMain, environment, "demo");
    const key = command(oldMain, environment, "key", "--tenant", "demo", "--role", "admin");
    // The demo plant lacks some records: templates, photos, adjustments, deleted records.
    const traffic = new Traffic(key, false);
    traffic.phase = "before";
    const end = traffic.begin("first release", old.url, 3);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    // A busy machine takes longer to create one of each.
    const hasTemplate = () => [...traffic.acknowledged.keys()].some((path) => path.startsWith("/components/templates/"));
    await expect.poll(hasTemplate).toBe(true);
    await end();
    expect(traffic.faults).toEqual([]);
    await addPhoto(old.url, key);
    const { paths } = (await (await fetch(`${old.url}/openapi.json`)).json()) as { paths: Record<string, Record<string, unknown>> };
    const documented = Object.entries(paths).flatMap(([path, methods]) => (methods.get ? [path] : []));

    const before = await answers(old.url, key, documented);
    await old.stop();
    const begun = Date.now();
    const applied = command(thisMain, environment, "migrate", "status")
      .split("\n")
      .filter((line) => line.endsWith("missing"));
    command(thisMain, environment, "migrate", "apply");
    const ms = Date.now() - begun;
    const now = await Service.start(thisMain, { ...environment, MIGRATE: "check" });
    services.push(now);
    const after = await answers(now.url, key, documented);

    // Notifications are now listed newest first (docs/decisions.md).
    const newestFirst = (text: string) => {
      const [status, json] = [text.slice(0, 4), JSON.parse(text.slice(4))];
      return `${status}${JSON.stringify({ ...json, items: json.items.toReversed() })}`;
    };
    const different = [...before].flatMap(([path, text]) =>
      after.get(path) === (path.startsWith("/notifications?") ? newestFirst(text) : text)
        ? []
        : [`${path}\n  ${text.slice(0, 2000)}\n  ${after.get(path)?.slice(0, 2000)}`],
    );
    const counts = documented.map((path) => `${path} ${[...before.keys()].filter((one) => matches(path, one)).length}`);
    console.log(`${applied.length} migrations in ${ms} ms; ${before.size} answers, ${different.length} different\n${counts.join("\n")}`);
    expect(different).toEqual([]);
    expect([...after.keys()].filter((path) => !before.has(path))).toEqual([]);
    // Every documented path was requested.
    expect(documented.filter((path) => ![...before.keys()].some((one) => matches(path, one)))).toEqual([]);
    traffic.phase = "after";
    const stop = traffic.begin("this version", now.url, 3);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    await stop();
    expect(traffic.faults).toEqual([]);
    expect(command(thisMain, environment, "ledger", "verify", "--tenant", "demo")).toMatch(/^demo: balanced/);
  }, 1_200_000);
});

const matches = (path: string, asked: string) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(asked.split("?")[0]!);

/** A single pixel. */
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

async function addPhoto(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const send = async (path: string, body?: object) =>
    (await (await fetch(url + path, { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) })).json()) as any;
  const { items } = await send("/assets?limit=1");
  const path = `/assets/${items[0].areas[0].assets[0].assetId}/photos`;
  const grant = await send(`${path}/presigned-url`, { filename: "pixel.png", contentType: "image/png", size: png.length });
  const form = new FormData();
  for (const [name, value] of Object.entries<string>(grant.fields)) form.append(name, value);
  form.append("file", new Blob([png], { type: "image/png" }), "pixel.png");
  expect((await fetch(grant.uploadUrl, { method: "POST", body: form })).status).toBe(204);
  const photo = await send(path, { mediaId: grant.mediaId, filename: "pixel.png", type: "image", size: png.length });
  expect(photo.id).toBe(grant.mediaId);
}

/** Removes values that depend on the moment: report times, time in status, expiry and signature of links, and the service's address. */
const still = (text: string, url: string) =>
  text
    .replaceAll(url, "")
    .replace(/"generatedAt":"[^"]*"/g, `"generatedAt":"…"`)
    // Since 0.3.0 based on the value averaged over the days with stock, which the response includes, and annualized (docs/stock.md,
    // "Reports").
    .replace(/"basisDays":[\d.]+,/g, "")
    .replace(/"(averageTurnover|turnover|daysOnHand|averageStockValue)":(?:[\d.]+|null)/g, `"$1":"…"`)
    .replace(/"availability":[\d.]+/g, `"availability":0`)
    // Since 0.3.0 includes every kind of cost, divided by the months since the installation (docs/decisions.md).
    .replace(/"costPerMonth":[\d.]+/g, `"costPerMonth":"…"`)
    .replace(/expires=\d+&signature=[\w-]+/g, "expires=…");

/** All readable responses by path: complete lists, and each listed record. */
async function answers(url: string, key: string, documented: string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const get = async (path: string): Promise<any> => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    found.set(path, `${response.status} ${still(text, url)}`);
    return response.ok ? JSON.parse(text) : undefined;
  };
  const each = async <T>(values: T[], work: (value: T) => Promise<unknown>) => {
    const left = [...values];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let value = left.pop(); value !== undefined; value = left.pop()) await work(value);
      }),
    );
  };
  const idOf = (record: any): string => record.componentId ?? record.partId ?? record.templateId ?? record.id;
  /** All ids of a list with offsets. */
  const ids = async (path: string, list: (answer: any) => any[]): Promise<string[]> => {
    const all: string[] = [];
    for (let offset = 0; ; offset += 500) {
      const page = list(await get(`${path}?limit=500&offset=${offset}`)).map(idOf);
      all.push(...page);
      if (page.length < 500) return all;
    }
  };
  const below = async (prefix: string, values: string[], only: (path: string) => boolean = () => true) => {
    const paths = documented.filter((path) => path.startsWith(`${prefix}/{`) && only(path));
    await each(
      values.flatMap((value) => paths.map((path) => path.replace(/\{\w+\}/, value))),
      get,
    );
  };

  const assets: string[] = [];
  for (let token = ""; ; ) {
    const page = await get(`/assets?limit=200${token && `&nextToken=${encodeURIComponent(token)}`}`);
    for (const { areas } of page.items) for (const area of areas) for (const { assetId } of area.assets) assets.push(assetId);
    if (!page.nextToken) break;
    token = page.nextToken;
  }
  await below("/assets", assets);
  for (const path of [
    "/assets?search=pump",
    "/assets?type=pump",
    "/components?search=bearing",
    "/parts?search=seal",
    "/parts?inStock=true",
    "/parts?critical=true",
    "/inventory?lowStock=true",
    "/inventory?outOfStock=true",
  ])
    await get(path);
  const parts = await ids("/parts", (answer) => answer);
  await below("/parts", parts);
  await get("/parts?all=true&limit=1000");
  await ids("/inventory", (answer) => answer);
  await below("/inventory", parts);
  for (const type of ["summary", "movements", "abc_analysis", "turnover", "aging"])
    await get(`/inventory/reports?reportType=${type}&startDate=2020-01-01T00:00:00Z&endDate=2026-12-31T00:00:00Z`);
  await below("/pms", await ids("/pms", (answer) => answer.pmProcedures));
  await below("/strategies", await ids("/strategies", (answer) => answer.strategies));
  const { items } = await get("/notifications?limit=1000&includeFeedback=true");
  await below("/notifications", items.map(idOf));
  const components = await ids("/components", (answer) => answer);
  await each(components, (id) => get(`/components/${id}`));
  // Every tenth record, because the tree has thousands.
  await below(
    "/components",
    components.filter((_, i) => i % 10 === 0),
    (path) => !path.includes("template"),
  );
  await each(
    components.filter((_, i) => i % 10 === 0),
    (id) => get(`/components/tree/${id}`),
  );
  const { templates } = await get("/components/templates");
  await below("/components/templates", templates.map(idOf));
  return found;
}
