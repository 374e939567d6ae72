/** The arrows of docs/architecture.md, read from the import lines; and what is printed from the source matches it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { drift } from "../src/database/migration-author.js";
import { printGatewaySchema } from "../src/resolvers/schema.js";
import { startGateway } from "./world.js";

const { url } = await startGateway();
const src = fileURLToPath(new URL("../src", import.meta.url));

interface Import {
  from: string;
  /** A path below src without its ending, or a package. */
  to: string;
  typeOnly: boolean;
}

const isTypeOnly = (keyword: string | undefined, names: string) =>
  Boolean(keyword) || /^\{\s*(type \w+( as \w+)?,?\s*)+\}$/.test(names.trim().replace(/\s+/g, " "));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), "utf8");
  const lines = [...text.matchAll(/^(?:import|export)\s+(type\s+)?([^"';]*?)\s*(?:from\s+)?"([^"]+)"/gm)];
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
const layerOf = (path: string) => path.split("/")[0]!;
const isOurs = ({ to }: Import) => files.includes(`${to}.ts`) || to.startsWith("database/generated");
const within = (path: string, place: string) => path === place || path.startsWith(`${place}/`);
const shown = ({ from, to, typeOnly }: Import) => `${from} → ${to}${typeOnly ? " (types)" : ""}`;

/** What each layer may import beside itself; `types` only as types. */
const arrows: Record<string, { may: string[]; types?: string[] }> = {
  schema: { may: [] },
  database: { may: ["schema"], types: ["config"] },
  domain: { may: ["schema", "database", "storage"] },
  resolvers: { may: ["schema", "database", "domain"], types: ["storage"] },
  "rest-compat": {
    may: ["schema", "resolvers/context", "server/executor", "server/failure", "domain/idempotency"],
    types: ["domain/keys"],
  },
  server: {
    may: ["schema", "resolvers", "rest-compat", "domain", "database/failures", "database/prisma", "storage/open", "webhooks"],
    types: ["config", "database/database"],
  },
  storage: { may: [], types: ["config"] },
  webhooks: { may: ["domain/webhooks"], types: ["database/database"] },
  demo: { may: ["schema", "database", "domain"] },
  config: { may: [] },
  main: { may: ["server", "database/open"], types: ["config", "database/database"] },
  cli: {
    may: [
      "main",
      "config",
      "schema",
      "resolvers/schema",
      "rest-compat/bind",
      "rest-compat/words",
      "server/unstorable",
      "domain",
      "database",
      "demo",
    ],
  },
};

/** Domain modules whose matter is a file on its way in: they keep it aside and read it as a stream. */
const handlesFiles = ["asset-import", "image", "photos", "upload-intake"].map((name) => `domain/${name}`);
/** They hand a stream on. */
const passesStreams = ["rest-compat/bind", "rest-compat/router", "schema/upload"];

describe("layers", () => {
  it("finds the imports", () => {
    expect(imports.map(shown)).toEqual(
      expect.arrayContaining([
        "cli → main",
        "rest-compat/router → domain/keys (types)",
        "cli → demo/load",
        "domain/photos → storage/storage (types)",
        "resolvers/context → database/generated/client (types)",
      ]),
    );
  });

  it.each(Object.entries(arrows))("%s imports what it may", (layer, { may, types = [] }) => {
    const wrong = imports
      .filter((entry) => layerOf(entry.from) === layer && isOurs(entry) && layerOf(entry.to) !== layer)
      .filter(({ to, typeOnly }) => ![...may, ...(typeOnly ? types : [])].some((place) => within(to, place)));
    expect(wrong.map(shown)).toEqual([]);
  });

  it("has a rule for every folder and file", () => {
    expect([...new Set(files.map((file) => layerOf(file.replace(/\.ts$/, ""))))].filter((layer) => !arrows[layer])).toEqual([]);
  });

  it("only database sees a driver or the raw client", () => {
    const raw = /^(pg|@electric-sql\/pglite|pglite-prisma-adapter|@prisma\/|database\/generated)/;
    const wrong = imports.filter(
      ({ from, to, typeOnly }) => raw.test(to) && layerOf(from) !== "database" && !(from === "resolvers/context" && typeOnly),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  it("only the doors see HTTP, and what is valid does no I/O", () => {
    const http = imports.filter(
      ({ from, to, typeOnly }) => /fastify|^@apollo|^node:https?$/.test(to) && !typeOnly && !["server", "webhooks"].includes(layerOf(from)),
    );
    const io = imports.filter(
      ({ from, to }) =>
        /^node:(?!crypto|util)/.test(to) &&
        ["schema", "domain", "resolvers", "rest-compat"].includes(layerOf(from)) &&
        !(handlesFiles.includes(from) && /^node:(fs|os|path|stream)(\/promises)?$/.test(to)) &&
        !(passesStreams.includes(from) && to === "node:stream"),
    );
    expect([...http, ...io].map(shown)).toEqual([]);
  });
});

describe("what is checked in", () => {
  it("schema.graphql is the schema as printed (npm run generate)", () => {
    expect(readFileSync(join(src, "schema/schema.graphql"), "utf8")).toBe(printGatewaySchema());
  });

  it("the migrations lead to schema.prisma (npm run migration NAME)", async () => {
    expect(await drift()).toBe("");
  });

  it("/openapi.json is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(await (await fetch(`${url}/openapi.json`)).json());
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });
});
