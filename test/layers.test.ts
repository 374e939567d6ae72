/** The dependency rules of docs/architecture.md, checked on the imports. Also checks committed generated files. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { printGatewaySchema } from "../src/resolvers/schema.js";
import { sharedGateway } from "./world.js";

const { url } = await sharedGateway();
const src = fileURLToPath(new URL("../src", import.meta.url));

interface Import {
  from: string;
  /** A path below src without its extension, or a package name. */
  to: string;
  typeOnly: boolean;
}

const isTypeOnly = (keyword: string | undefined, names: string) =>
  Boolean(keyword) || /^\{\s*(type \w+( as \w+)?,?\s*)+\}$/.test(names.trim().replace(/\s+/g, " "));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), "utf8");
  const lines = [...text.matchAll(/^(?:import|export)\s+(type\s+)?([^"';=]*?)\s*(?:from\s+)?"([^"]+)"/gm)];
  const dynamic = [...text.matchAll(/import\("([^"]+)"\)/g)].map(([, name]) => [undefined, undefined, "", name] as const);
  return [...lines, ...dynamic].map(([, keyword, names, name]) => ({
    from: file.replace(/\.ts$/, ""),
    to: name!.startsWith(".") ? relative(src, join(src, dirname(file), name!)).replace(/\.js$/, "") : name!,
    typeOnly: isTypeOnly(keyword, names!),
  }));
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !file.startsWith("database/generated"),
);
const imports = files.flatMap(importsOf);
/** The program src/server.ts has the name of a folder. */
const layerOf = (path: string) => (path === "server" ? "program" : path.split("/")[0]!);
const isOurs = ({ to }: Import) => files.includes(`${to}.ts`) || to.startsWith("database/generated");
const within = (path: string, place: string) => path === place || path.startsWith(`${place}/`);
const shown = ({ from, to, typeOnly }: Import) => `${from} → ${to}${typeOnly ? " (types)" : ""}`;

/** Modules that every layer may import. They import nothing. */
const everywhere = ["log", "version"];

/** Allowed imports of each layer besides itself. `types` are allowed as type imports only. */
const layerRules: Record<string, { may: string[]; types?: string[] }> = {
  schema: { may: [] },
  database: { may: ["schema"], types: ["config"] },
  messages: { may: [] },
  storage: { may: [], types: ["config"] },
  archive: { may: [] },
  domain: { may: ["schema", "database", "storage"] },
  resolvers: { may: ["schema", "database", "domain"], types: ["storage"] },
  execution: { may: ["schema", "resolvers", "database", "domain/changes"], types: ["config", "domain/access/keys"] },
  "rest-compat": { may: ["schema", "execution", "resolvers/context"], types: ["domain/access/keys"] },
  background: {
    may: ["schema", "messages", "database", "domain", "execution/operation/idempotency"],
    types: ["config", "execution", "resolvers/context", "storage"],
  },
  server: {
    may: ["schema", "messages", "resolvers", "execution", "rest-compat", "background", "domain", "storage/open", "database/watch"],
    types: ["config", "database/database", "storage/storage"],
  },
  demo: { may: ["schema", "database", "domain"] },
  config: { may: [] },
  log: { may: [] },
  version: { may: [] },
  main: { may: ["server", "database/connection/open"], types: ["config", "database/database"] },
  cli: {
    may: [
      "main",
      "config",
      "schema",
      "resolvers/schema",
      "rest-compat",
      "execution",
      "domain",
      "database",
      "demo",
      "archive",
      "storage/open",
      // Used by doctor to check the mail settings like the service.
      "background/mail-sender",
      "background/scheduler-state",
      "server/oidc",
      "server/workers",
    ],
    types: ["storage/storage"],
  },
  program: { may: ["cli"] },
};

const areas = [
  "assets",
  "components",
  "inventory",
  "reliability",
  "maintenance",
  "alerts",
  "access",
  "changes",
  "files",
  "search",
  "tenants",
  "exchange",
];

/** Allowed imports of each domain area from other areas: only areas listed above it, so there are no cycles. */
const areaRules: Record<string, string[]> = {
  changes: [],
  access: ["changes"],
  search: [],
  files: ["access"],
  components: ["access"],
  alerts: ["access", "changes"],
  inventory: ["access", "alerts"],
  reliability: ["access"],
  maintenance: ["access", "components", "inventory", "alerts", "reliability", "files"],
  assets: ["access", "components", "maintenance"],
  tenants: ["changes", "alerts", "files", "maintenance", "reliability"],
  exchange: ["access", "assets", "components", "inventory", "reliability", "maintenance"],
};

/** Domain modules that read or write temporary files. */
const handlesFiles = [
  "exchange/asset-sheet",
  "exchange/engine",
  "exchange/inspect",
  "exchange/rows",
  "exchange/spool",
  "files/attachment-file",
  "files/attachments",
  "files/image",
  "files/photos",
  "files/upload-intake",
  "tenants/import",
].map((name) => `domain/${name}`);
/** Modules that forward a stream without reading it. */
const passesStreams = ["rest-compat/bind", "rest-compat/progress", "rest-compat/router", "schema/files/upload"];

describe("layers", () => {
  it("admission imports nothing of the operation that it admits", () => {
    const found = imports.filter(({ from, to }) => within(from, "execution/admission") && within(to, "execution/operation"));
    expect(found.map(shown)).toEqual([]);
  });

  it("no folder has more than 40 files", () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 40)).toEqual([]);
  });

  it("the imports are found", () => {
    expect(imports.map(shown)).toEqual(
      expect.arrayContaining([
        "cli/serve → main",
        "rest-compat/router → domain/access/keys (types)",
        "cli/demo → demo/load",
        "domain/files/upload-intake → storage/storage (types)",
      ]),
    );
  });

  it.each(Object.entries(layerRules))("%s imports only the layers it may", (layer, { may, types = [] }) => {
    const wrong = imports
      .filter((entry) => layerOf(entry.from) === layer && isOurs(entry) && layerOf(entry.to) !== layer)
      .filter(({ to, typeOnly }) => ![...everywhere, ...may, ...(typeOnly ? types : [])].some((place) => within(to, place)));
    expect(wrong.map(shown)).toEqual([]);
  });

  const areaOf = (path: string) => areas.find((area) => path.split("/")[1] === area);

  it.each(Object.entries(areaRules))("the area %s imports only the areas it may", (area, may) => {
    const wrong = imports
      .filter(({ from, to }) => layerOf(from) === "domain" && layerOf(to) === "domain" && areaOf(from) === area)
      .filter(({ to }) => areaOf(to) !== area && !may.includes(areaOf(to) ?? ""));
    expect(wrong.map(shown)).toEqual([]);
  });

  it("resolvers and routes of an area do not import those of another area", () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        ["resolvers", "rest-compat"].includes(layerOf(from)) &&
        layerOf(from) === layerOf(to) &&
        areaOf(from) &&
        areaOf(to) &&
        areaOf(from) !== areaOf(to),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  it("there are no import cycles, not even of types", () => {
    const targets = new Map<string, string[]>();
    for (const { from, to } of imports.filter(isOurs)) targets.set(from, [...(targets.get(from) ?? []), to]);
    const done = new Set<string>();
    const cycle = (path: string[]): string[] | undefined => {
      const last = path.at(-1)!;
      if (path.indexOf(last) < path.length - 1) return path;
      if (done.has(last)) return undefined;
      for (const to of targets.get(last) ?? []) {
        const found = cycle([...path, to]);
        if (found) return found;
      }
      done.add(last);
      return undefined;
    };
    expect([...targets.keys()].map((from) => cycle([from])).filter(Boolean)).toEqual([]);
  });

  it("every folder and file has a rule", () => {
    expect([...new Set(files.map((file) => layerOf(file.replace(/\.ts$/, ""))))].filter((layer) => !layerRules[layer])).toEqual([]);
  });

  it("only the database layer imports a driver or the raw client", () => {
    const raw = /^(pg|@electric-sql\/pglite|pglite-prisma-adapter|@prisma\/|database\/generated)/;
    const wrong = imports.filter(
      ({ from, to, typeOnly }) => raw.test(to) && layerOf(from) !== "database" && !(from === "resolvers/context" && typeOnly),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  it("only the server layer imports HTTP libraries, and inner layers do no I/O", () => {
    const http = imports.filter(
      ({ from, to, typeOnly }) =>
        /fastify|^@apollo|^node:https?$/.test(to) && !typeOnly && !(layerOf(from) === "server" || from === "background/webhook-sender"),
    );
    const io = imports.filter(
      ({ from, to }) =>
        /^node:(?!crypto|events|timers|util)/.test(to) &&
        ["schema", "domain", "resolvers", "rest-compat"].includes(layerOf(from)) &&
        !(handlesFiles.includes(from) && /^node:(fs|os|path|stream)(\/promises)?$/.test(to)) &&
        !(passesStreams.includes(from) && to === "node:stream"),
    );
    expect([...http, ...io].map(shown)).toEqual([]);
  });
});

describe("generated files that are checked in", () => {
  it("schema.graphql is up to date (npm run generate)", () => {
    expect(readFileSync(join(src, "schema/schema.graphql"), "utf8")).toBe(printGatewaySchema());
  });

  it("/openapi.json is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(await (await fetch(`${url}/openapi.json`)).json());
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });
});
