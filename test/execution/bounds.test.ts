/** Limits on the cost and size of an operation, measured on real data: trees, exports and responses that would be too large. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();
const narrow = await startGateway({ MAX_ANSWER_BYTES: "20000", MAX_QUERY_COST: "60000" });
let caller: Caller;
let narrowly: Caller;

beforeAll(async () => {
  caller = await gateway.newTenant();
  narrowly = await narrow.newTenant();
});

const times = (count: number, text: (i: number) => string) => Array.from({ length: count }, (_, i) => text(i)).join(" ");

/** The errors and the number of statements. */
async function refusal(of: Caller, query: string, variables?: Record<string, unknown>) {
  await of.ask("{ viewer { role } }");
  const before = of.gateway.database.statements();
  const { errors } = await of.graphql(query, variables);
  return { errors, statements: of.gateway.database.statements() - before };
}

const tooManyListed = {
  message:
    "The lists without pages, such as `ancestors` and `descendants`, have too many records; ask for fewer objects, or for connections such as `descendantComponents`; the limit is 50000 (listed records)",
  extensions: { code: "BAD_USER_INPUT", limit: "listed records", value: 50_000 },
};
const tooLarge = {
  message:
    "The answer is too large; ask for smaller pages, fewer fields or, of an export, with a filter; the limit is 20000 (answer bytes)",
  extensions: { code: "BAD_USER_INPUT", limit: "answer bytes", value: 20_000 },
};

/** A chain of components, each the parent of the next. */
async function chain(of: Caller, length: number): Promise<void> {
  await of.gateway.database.query(
    `insert into "Component" ("tenantId", id, name, type, "parentId", position, level, path)
     select $1, 'c' || i, 'C', 'part', case when i > 1 then 'c' || i - 1 end, 0, i - 1,
       (select string_agg(to_hex(j) || '.', '' order by j) from generate_series(1, i) j)
     from generate_series(1, $2::int) i`,
    [of.tenantId, length],
  );
}

describe("trees", () => {
  it.each([
    ["ancestors { ancestors { id } }", "ancestors", "ancestors"],
    ["descendants { descendants { id } }", "descendants", "descendants"],
    ["ancestors { descendants { ancestors { id } } }", "descendants", "ancestors"],
    ["descendants { children { nodes { parent { ... on Component { ...A } } } } }", "ancestors", "descendants"],
  ])("%s is refused before anything runs", async (selection, field, above) => {
    const query = `{ components { nodes { ${selection} } } } ${selection.includes("...A") ? "fragment A on Component { ancestors { id } }" : ""}`;
    expect(await refusal(caller, query)).toEqual({
      errors: [
        {
          message: `The query has the list \`${field}\` below \`${above}\`, both without pages; ask for it of one component, or use \`descendantComponents\`, \`children\` or \`parent\` (lists below lists)`,
          extensions: { code: "BAD_USER_INPUT", limit: "lists below lists", value: 1 },
        },
      ],
      statements: 0,
    });
  });

  it("stop where their lists exceed the records that a query may cost", async () => {
    const deep = await gateway.newTenant();
    await chain(deep, 700);
    for (const field of ["ancestors", "descendants"]) {
      const query = `{ components(first: 500) { nodes { ${field} { id } } } }`;
      const { errors } = await deep.graphql(query);
      expect(errors!.slice(0, 1)).toEqual([{ ...tooManyListed, path: ["components", "nodes", 0, field] }]);
      // For a single component the list is complete, over REST too.
      const { component } = await deep.ask(`{ component(id: "${field === "ancestors" ? "c700" : "c1"}") { ${field} { id level } } }`);
      expect(component[field].map(({ level }: { level: number }) => level)).toEqual(
        Array.from({ length: 699 }, (_, i) => (field === "ancestors" ? i : i + 1)),
      );
    }
    expect((await deep.rest("GET", "/components/c1/descendants")).body.descendants).toHaveLength(699);
  });
});

describe("an export", () => {
  it("has a cost, so that many in one document are refused", async () => {
    expect(await refusal(caller, `{ ${times(18, (i) => `a${i}: exportAssets`)} }`)).toEqual({
      errors: [
        {
          message:
            "The query may cost 360001 points (page sizes multiplied); ask for smaller pages or fewer levels; the limit is 50000 (cost)",
          extensions: { code: "BAD_USER_INPUT", limit: "cost", value: 50_000 },
        },
      ],
      statements: 0,
    });
    expect((await caller.ask("{ exportAssets }")).exportAssets).toMatch(/^name,/);
  });

  it("stops if the response is too large, all exports of the document together", async () => {
    await narrowly.createAsset({ description: "x".repeat(9_000) });
    expect(Object.keys(await narrowly.ask("{ exportAssets b: exportAssets }"))).toHaveLength(2);
    await narrowly.createAsset({ description: "ü".repeat(4_500) });
    expect((await narrowly.ask("{ exportAssets }")).exportAssets).toHaveLength(13_813);
    const { data, errors } = await narrowly.graphql("{ exportAssets b: exportAssets }");
    expect(errors!.map(({ path: _, ...error }) => error)).toEqual([tooLarge]);
    expect(Object.values(data).filter((value) => value === null)).toHaveLength(1);
  });
});

describe("a response", () => {
  const text = "{ assets { nodes { description } } }";

  it("that is too large is refused, on every path", async () => {
    const tenant = await narrow.newTenant();
    for (let i = 0; i < 3; i++) await tenant.createAsset({ description: "x".repeat(7_000) });
    // Answered by code, and as rows.
    for (const query of [
      text,
      "{ assets { nodes { description photos { id } } pageInfo { endCursor } } }",
      "{ assets { edges { cursor node { description } } } }",
    ])
      for (let use = 0; use < 3; use++)
        expect((await tenant.graphql(query)).errors!.map(({ path: _, ...error }) => error)).toContainEqual(tooLarge);
    expect((await tenant.ask("{ assets(first: 2) { nodes { description } } }")).assets.nodes).toHaveLength(2);
    const { status, body } = await tenant.rest("GET", "/assets");
    const { message: error, extensions } = tooLarge;
    expect({ status, body }).toEqual({ status: 400, body: { error, ...extensions, requestId: body.requestId } });
  });
});

it("an import with more errors than a response can hold is refused, and nothing of it is stored", async () => {
  const tenant = await narrow.newTenant();
  const csv = { "content-type": "text/csv" };
  const before = await tenant.snapshot();
  const file = `name,type,installDate\nGood,g,\n${"Bad,b,yesterday\n".repeat(500)}`;
  for (const path of ["/import/assets", "/import/assets?failedRows=true", "/assets/import"]) {
    const { status, body } = await tenant.rest("POST", path, file, csv);
    expect([path, status, body.error, body.details]).toEqual([
      path,
      400,
      "Invalid CSV",
      {
        body: expect.stringMatching(
          /^has more errors up to row \d+ than an answer can tell, such as: installDate must be .*; mend these first, or split the file$/,
        ),
      },
    ]);
  }
  expect(await tenant.snapshot()).toEqual(before);
  const few = "name,type,installDate\nGood,g,\nBad,b,yesterday\n";
  expect((await tenant.rest("POST", "/import/assets", few, csv)).body).toMatchObject({ created: 1, failed: 1 });
});
