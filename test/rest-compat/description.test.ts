/** /openapi.json for readers and generators: names, examples, the linter. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { recordExamples } from "../../scripts/examples.mjs";
import { prepareDemo } from "../../src/cli/demo.js";
import { startGateway } from "../world.js";

const gateway = await startGateway({ RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" });
const description: any = await (await fetch(`${gateway.url}/openapi.json`)).json();
const operations = Object.entries<any>(description.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, ...operation })),
);
const ids: string[] = operations.map(({ operationId }) => operationId);

describe("names", () => {
  it("59 documented operations; the others are additions", () => {
    const isAddition = ({ tags }: any) => tags.includes("Additions");
    expect(operations.filter((one) => !isAddition(one))).toHaveLength(59);
    expect(new Set(operations.filter(isAddition).map(({ tags }) => tags[0]))).toEqual(
      new Set([
        "Assets",
        "Components",
        "Templates",
        "Parts",
        "Inventory",
        "Photos",
        "PM procedures",
        "Work orders",
        "Strategies",
        "Notifications",
        "Changes",
        "Import and export",
      ]),
    );
  });

  it("are unique for each operation, and start with a verb", () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      ids.filter(
        (id) =>
          !/^(list|get|create|update|delete|restore|import|export|move|bulk|register|record|apply|adjust|approve|reject|change|start|complete|deactivate|reactivate|inspect)[A-Z]/.test(
            id,
          ),
      ),
    ).toEqual([]);
  });

  it("each object is described once, under a name", () => {
    const inline: string[] = [];
    const walk = (part: any, path: string[]) => {
      if (typeof part !== "object" || part === null) return;
      if (part.type === "object" && part.properties && !(path.length === 3 && path[1] === "schemas")) inline.push(path.join("."));
      for (const [name, inner] of Object.entries(part)) if (!/^examples?$/.test(name)) walk(inner, [...path, name]);
    };
    walk(description, []);
    expect(inline).toEqual([]);
  });

  it("free JSON is an open object, not an empty one", () => {
    const { JSONObject, StringMap, Template } = description.components.schemas;
    expect([JSONObject.additionalProperties, StringMap.additionalProperties]).toEqual([true, { type: "string" }]);
    expect(Template.properties.components).toMatchObject({ type: "array", items: { $ref: "#/components/schemas/TemplateItem" } });
    const closed: string[] = [];
    const walk = (part: any, path: string[]) => {
      if (typeof part !== "object" || part === null) return;
      if (part.type === "object" && !("properties" in part) && !part.additionalProperties) closed.push(path.join("."));
      for (const [name, inner] of Object.entries(part)) if (!/^examples?$/.test(name)) walk(inner, [...path, name]);
    };
    walk(description.components.schemas, []);
    expect(closed).toEqual([]);
  });

  it("everything that is written or sent along is described", () => {
    const parameters = operations.flatMap(({ route, parameters = [] }) =>
      parameters.map((one: any) => [`${route} ${one.name}`, one] as const),
    );
    expect(parameters.filter(([, { $ref, description: text }]) => !$ref && !text).map(([name]) => name)).toEqual([]);
    for (const { route, responses } of operations) {
      for (const status of ["400", "401", "403", "429", "500", "503"]) expect(responses, route).toHaveProperty(status);
      if (route.includes("{")) expect(responses, route).toHaveProperty("404");
      if (!route.startsWith("GET")) expect(responses, route).toHaveProperty("409");
    }
    const fields = Object.entries<any>(description.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries<any>(properties).map(([field, { description: text }]) => [`${name}.${field}`, text]),
    );
    // Only docs/interface.md 4.3 describes the reports.
    const plain =
      /^(Abc|Aging|Category|Component(Tree|Descendants)|Movement(Total|s)|PartTurnover|Stock(Age|Everywhere|StatusCounts|Summary|Value)|SummaryReport|TemplateItem|Turnover|UpdatedStock|MovementHistory)/;
    expect(fields.filter(([name, text]) => !text && !plain.test(name)).map(([name]) => name)).toEqual([]);
  });
});

describe("examples", () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema(description, "api");
  const problemsOf = (place: string[], value: unknown) => {
    const validate = ajv.compile({
      $ref: `api#/${place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`,
    });
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };

  it("of every operation and every error fit their schemas", () => {
    for (const { route, requestBody, responses } of operations) {
      const [method, path] = route.split(" ") as [string, string];
      const place = ["paths", path, method.toLowerCase()];
      const json = requestBody?.content["application/json"];
      if (json?.example)
        expect(problemsOf([...place, "requestBody", "content", "application/json", "schema"], json.example), route).toBeUndefined();
      const status = Object.keys(responses).find((one) => one.startsWith("2"))!;
      const [[type, { example }]] = Object.entries<any>(responses[status].content) as [[string, any]];
      expect(example, `${route} has no example: npm run examples`).toBeDefined();
      expect(problemsOf([...place, "responses", status, "content", type, "schema"], example), route).toBeUndefined();
    }
    for (const [name, { content }] of Object.entries<any>(description.components.responses))
      for (const { value } of Object.values<any>(content["application/json"].examples))
        expect(problemsOf(["components", "schemas", "Error"], value), name).toBeUndefined();
  });

  it("are what the demo plant answers now", async () => {
    /** The fields and the types of their values. */
    const shapeOf = (value: any): unknown => {
      if (Array.isArray(value)) return value.map(shapeOf);
      if (typeof value === "object" && value !== null)
        return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, shapeOf(entry)]));
      return value === null ? "null" : typeof value;
    };
    const { examples, ofPlant } = await recordExamples(gateway.url, await prepareDemo(gateway.database, gateway.config.DATA_DIR, 30));
    expect(Object.keys(examples).sort()).toEqual([...ids].sort());
    for (const [id, recorded] of Object.entries<any>(examples)) {
      const { requestBody, responses } = operations.find(({ operationId }) => operationId === id)!;
      const { example } = Object.values<any>((responses["200"] ?? responses["201"]).content)[0];
      const request = Object.values<any>(requestBody?.content ?? {})[0]?.example;
      // The plant's history depends on the current day.
      if (!ofPlant.includes(id))
        expect({ id, shape: shapeOf(recorded.response) }, "npm run examples").toEqual({ id, shape: shapeOf(example) });
      expect({ id, request: recorded.request }).toEqual({ id, request });
    }
  });
});

it("the linter reports nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "description-"));
  try {
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(description));
    const linter = [
      "node_modules/@redocly/cli/bin/cli.js",
      "lint",
      join(folder, "openapi.json"),
      "--config",
      "redocly.yaml",
      "--format",
      "json",
    ];
    const environment = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };
    const { stdout } = await promisify(execFile)(process.execPath, linter, { env: environment }).catch((failed) => failed);
    const { totals, problems } = JSON.parse(stdout);
    expect(problems.map(({ ruleId, message, location }: any) => `${ruleId}: ${message} ${location?.[0]?.pointer}`)).toEqual([]);
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
