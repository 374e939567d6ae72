/** Search by words and codes. */
import fc from "fast-check";
import { beforeAll, describe, expect, it, test } from "vitest";
import { matchesIn, termsOf, wordsOf } from "../../src/domain/search/words.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();

let tenant: Caller;
const ids: Record<string, string> = {};

beforeAll(async () => {
  tenant = await gateway.newTenant();
  const asset = async (name: string, fields: object = {}) => (ids[name] = (await tenant.createAsset({ name, type: "pump", ...fields })).id);
  await asset("Kühlpumpe Süd", { site: "Łódź", serialNumber: "SN-77", manufacturer: "Grundfos" });
  await asset("Pumpe Nord", { site: "Aarhus", description: "kühlt die Halle" });
  await asset("Presse", { site: "Aarhus", serialNumber: "PUMPE" });
  await asset("Насос Ёлка");
  await asset("Gone pump");
  await tenant.rest("DELETE", `/assets/${ids["Gone pump"]}`);
  ids.component = (await tenant.createComponent({ name: "Pumpe rotor", serialNumber: "SN-77", assetId: ids["Pumpe Nord"] })).id;
  const { createPart, createProcedure, createStrategy, raiseNotification } = await tenant.ask(
    `mutation ($asset: ID!) {
      createPart(input: { partNumber: "GRS-LGHP-2", name: "Grease", barcode: "4006", qrCode: "SN-77" }) { id }
      createProcedure(input: { name: "Pumpe schmieren", assetId: $asset, frequency: WEEKLY }) { id }
      createStrategy(input: { name: "Pumpe beobachten", type: PREVENTIVE }) { id }
      raiseNotification(input: { type: ANOMALY, severity: WARNING, title: "Pumpe heiß", message: "x", assetId: $asset }) { id }
    }`,
    { asset: ids["Kühlpumpe Süd"] },
  );
  Object.assign(ids, {
    part: createPart.id,
    procedure: createProcedure.id,
    strategy: createStrategy.id,
    notification: raiseNotification.id,
  });
  ids.order = (
    await tenant.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id: ids.procedure })
  ).createWorkOrder.id;
});

const query = `query ($text: ShortText!, $recordTypes: [RecordType!], $site: String, $first: Int! = 20) {
  search(text: $text, recordTypes: $recordTypes, site: $site, first: $first) { recordType title site node { id } highlights { field text matches { start length } } } }`;

const found = async (text: string, variables: object = {}) => (await tenant.ask(query, { text, ...variables })).search;
const titles = async (text: string, variables: object = {}) => (await found(text, variables)).map(({ title }: any) => title);

describe("search", () => {
  it.each<[string, string, string[]]>([
    ["words in any order", "süd kühlpumpe", ["Kühlpumpe Süd", "Pumpe heiß"]],
    ["accents and case left out", "SUD kuhl", ["Kühlpumpe Süd", "Pumpe heiß"]],
    ["accents that the record does not have", "prèsse", ["Presse"]],
    ["letters that are two", "heiss", ["Pumpe heiß"]],
    ["other alphabets", "насос елка", ["Насос Ёлка"]],
    ["beginnings of words, not their middles", "umpe", []],
    ["a code by its parts", "lghp", ["Grease"]],
    ["a whole code", "grs-lghp-2", ["Grease"]],
    ["words of several fields", "nord halle", ["Pumpe Nord"]],
    [
      "no pattern",
      "pump%",
      [
        "Presse",
        "Pumpe Nord",
        "Pumpe beobachten",
        "Pumpe heiß",
        "Pumpe rotor",
        "Pumpe schmieren",
        "Pumpe schmieren",
        "Kühlpumpe Süd",
        "Насос Ёлка",
      ],
    ],
    ["nothing deleted", "gone", []],
  ])("finds %s", async (_, text, expected) => {
    const all = await titles(text);
    expect(all.sort()).toEqual([...expected].sort());
  });

  describe("of a plant with codes in its names", () => {
    let plant: Caller;
    beforeAll(async () => {
      plant = await gateway.newTenant();
      const make = (name: string, fields: object = {}) => plant.createAsset({ name, type: "machine", ...fields });
      await make("Air Compressor K-801", { description: "Next to P-102", model: "P-4", serialNumber: "102-7" });
      await make("Agitator", { description: "Feeds P-1020" });
      await make("Blend Pump P-102");
      await make("Booster Pump P-1024");
      await make("Conveyor 102 P");
      await make("Mixer", { serialNumber: "P-102" });
      await make("P-102");
      await make("P-102 Starter");
      await make("Zone pump");
      await make("Pumping station");
      await make("Old press", { description: "Was a pump" });
    });
    const order = async (text: string, variables: object = {}) =>
      (await plant.ask(query, { text, recordTypes: ["ASSET"], ...variables })).search.map(({ title }: any) => title);

    it("ranks exact codes and names first, then words of the name, then words elsewhere", async () => {
      // The name starts with the code, so it precedes the serial number.
      expect(await order("P-102")).toEqual([
        "P-102",
        "Mixer",
        "P-102 Starter",
        "Blend Pump P-102",
        "Booster Pump P-1024",
        "Agitator",
        "Air Compressor K-801",
      ]);
      expect(await order("pump")).toEqual(["Blend Pump P-102", "Booster Pump P-1024", "Zone pump", "Pumping station", "Old press"]);
      expect(await order("p-102 pump")).toEqual(["Blend Pump P-102", "Booster Pump P-1024"]);
    });

    it.each(["p-102", " P-102 ", "P.102", "p/102"])("finds the code %j", async (text) => {
      expect((await order(text, { first: 2 })).sort()).toEqual(/^ ?p-102/i.test(text) ? ["Mixer", "P-102"] : ["P-102", "P-102 Starter"]);
    });

    it("finds a code without its separator, and the reverse", async () => {
      expect(await order("P102", { first: 4 })).toEqual(["P-102", "P-102 Starter", "Blend Pump P-102", "Booster Pump P-1024"]);
      expect(await order("K801 air")).toEqual(["Air Compressor K-801"]);
      const other = await gateway.newTenant();
      await other.createAsset({ name: "Blower B7" });
      expect((await other.ask(query, { text: "b-7" })).search.map(({ title }: any) => title)).toEqual(["Blower B7"]);
      expect((await other.ask(query, { text: "7" })).search).toEqual([]);
    });

    it("shows assets before other records of the same rank", async () => {
      const other = await gateway.newTenant();
      const { id } = await other.createAsset({ name: "Feed pump" });
      await other.createComponent({ name: "Pump head", assetId: id });
      expect((await other.ask(query, { text: "pump" })).search.map(({ title }: any) => title)).toEqual(["Feed pump", "Pump head"]);
    });

    it("matches the parts of a code only together", async () => {
      expect(await order("P-801")).toEqual([]);
      expect(await order("801 P")).toEqual(["Air Compressor K-801"]);
      expect(await order("102-7")).toEqual(["Air Compressor K-801"]);
      const [first] = (await plant.ask(query, { text: "blend P-102" })).search;
      expect(first.highlights).toEqual([
        {
          field: "name",
          text: "Blend Pump P-102",
          matches: [
            { start: 0, length: 5 },
            { start: 11, length: 5 },
          ],
        },
      ]);
    });
  });

  it("puts codes first, then names that begin with the first word", async () => {
    const all = await found("PUMPE");
    expect(all.map(({ recordType, title }: any) => [recordType, title])).toEqual([
      ["ASSET", "Presse"],
      ["ASSET", "Pumpe Nord"],
      ["STRATEGY", "Pumpe beobachten"],
      ["NOTIFICATION", "Pumpe heiß"],
      ["COMPONENT", "Pumpe rotor"],
      ...[
        ["PROCEDURE", "Pumpe schmieren"],
        ["WORK_ORDER", "Pumpe schmieren"],
      ].sort((a, b) => {
        const id = ([type]: string[]) => (type === "PROCEDURE" ? ids.procedure! : ids.order!);
        return id(a) < id(b) ? -1 : 1;
      }),
    ]);
  });

  it("returns the positions of the words, and the site", async () => {
    expect(await found("kuhl grund")).toEqual([
      {
        recordType: "ASSET",
        title: "Kühlpumpe Süd",
        site: "Łódź",
        node: { id: ids["Kühlpumpe Süd"] },
        highlights: [
          { field: "name", text: "Kühlpumpe Süd", matches: [{ start: 0, length: 4 }] },
          { field: "manufacturer", text: "Grundfos", matches: [{ start: 0, length: 5 }] },
        ],
      },
    ]);
  });

  it("is limited to kinds, a site and a number", async () => {
    expect(await titles("pumpe", { recordTypes: ["COMPONENT", "STRATEGY"] })).toEqual(["Pumpe beobachten", "Pumpe rotor"]);
    expect(await titles("pumpe", { site: "Łódź" })).toEqual(["Pumpe heiß", "Pumpe schmieren", "Pumpe schmieren"]);
    expect(await titles("pumpe", { recordTypes: ["STRATEGY"], site: "Łódź" })).toEqual([]);
    expect(await titles("PUMPE", { first: 2 })).toEqual(["Presse", "Pumpe Nord"]);
  });

  it.each(["ASSET", "COMPONENT", "PART", "PROCEDURE", "WORK_ORDER", "STRATEGY", "NOTIFICATION"])(
    "is limited to one kind: %s",
    async (type) => {
      const all = await found("p", { first: 100 });
      const own = await found("p", { first: 100, recordTypes: [type] });
      expect(own).toEqual(all.filter(({ recordType }: any) => recordType === type));
      expect(own.length + Number(type === "PART")).toBeGreaterThan(0);
      expect(await found("p", { recordTypes: [type], site: "nowhere" })).toEqual([]);
    },
  );

  it("finds changed values", async () => {
    await tenant.rest("PUT", `/components/${ids.component}`, { notes: "x", name: "Läufer" });
    expect(await titles("laufer")).toEqual(["Läufer"]);
    expect(await titles("rotor")).toEqual([]);
  });

  it.each<[string, object, object]>([
    ["no word", { text: "--" }, { text: "must have a letter or a digit" }],
    ["too many words", { text: "a b c d e f g h i j k" }, { text: "must have at most 10 words" }],
    ["too many results", { text: "a", first: 101 }, { first: "must be from 1 to 100" }],
  ])("rejects %s", async (_, variables, details) => {
    const { errors } = await tenant.graphql(query, variables as Record<string, unknown>);
    expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", details });
  });

  it("finds the exact name, the code and the beginnings among more matches than are ranked", async () => {
    const crowded = await gateway.newTenant();
    await gateway.database.query(
      `insert into "Asset" ("tenantId", id, name, type) select $1, 'n' || n, 'Station ' || n || ' of the valve line', 'x' from generate_series(1, 2100) n`,
      [crowded.tenantId],
    );
    await crowded.createAsset({ name: "A long name with the code of a machine", serialNumber: "VALVE", description: "valve" });
    await crowded.createAsset({ name: "Valve with a name that is longer than all of the stations have" });
    await crowded.createAsset({ name: "Valve" });
    const { search } = await crowded.ask(query, { text: "valve", first: 4 });
    expect(search.map(({ title }: any) => title)).toEqual([
      "Valve",
      "A long name with the code of a machine",
      "Valve with a name that is longer than all of the stations have",
      "Station 1 of the valve line",
    ]);
  });

  it("finds nothing of another tenant", async () => {
    const other = await gateway.newTenant();
    expect((await other.ask(query, { text: "pumpe" })).search).toEqual([]);
    expect((await other.ask("query ($code: ShortText!) { scan(code: $code) { codeField } }", { code: "SN-77" })).scan).toEqual([]);
  });

  describe("components by words of their asset and their own", () => {
    const plantOf = async () => {
      const plant = await gateway.newTenant();
      const fields = { name: "Boiler North B-7", site: "Aarhus", description: "heats the hall", serialNumber: "KN-5" };
      await plant.createComponent({ name: "Rotor", assetId: (await plant.createAsset(fields)).id });
      await plant.createAsset({ name: "Boiler South", site: "Aarhus" });
      return async (text: string, variables: object = {}) =>
        (await plant.ask(query, { text, ...variables })).search.map(({ title }: any) => title);
    };

    test("are found in any order, by the asset's code with its other words, and not by the asset's words only", async () => {
      const search = await plantOf();
      for (const text of ["B-7 rotor", "Rotor boiler b7", "b-7 hall rot", "KN-5 rotor"]) expect(await search(text)).toEqual(["Rotor"]);
      expect(await search("boiler b-7")).toEqual(["Boiler North B-7"]);
      expect(await search("south b-7 rotor")).toEqual([]);
    });

    test("follow the filters of types and sites", async () => {
      const search = await plantOf();
      expect(await search("b-7 rotor", { recordTypes: ["COMPONENT"], site: "Aarhus" })).toEqual(["Rotor"]);
      expect(await search("b-7 rotor", { site: "Oslo" })).toEqual([]);
      expect(await search("b-7 rotor", { recordTypes: ["ASSET", "PART"] })).toEqual([]);
    });

    test("come after records that contain all words, and need a word that at most 100 assets contain", async () => {
      const plant = await gateway.newTenant();
      const { id } = await plant.createAsset({ name: "P-102" });
      await plant.createComponent({ name: "Drive train", assetId: id });
      await plant.createComponent({ name: "Drive of P-102", assetId: id });
      const search = async (text: string) => (await plant.ask(query, { text })).search.map(({ title }: any) => title);
      expect(await search("P-102 Drive train")).toEqual(["Drive train"]);
      expect(await search("P102 drive")).toEqual(["Drive of P-102", "Drive train"]);
      const add = (from: number, to: number) =>
        gateway.database.query(
          `insert into "Asset" ("tenantId", id, name, type, site, location, status, category)
           select $1, 'v' || n, 'P-102 ' || n, 'pump', '', '', 'operational', 'mechanical' from generate_series($2::int, $3::int) n`,
          [plant.tenantId, from, to],
        );
      await add(1, 99);
      expect(await search("P-102 train")).toEqual(["Drive train"]);
      await add(100, 100);
      expect(await search("P-102 train")).toEqual([]);
    });
  });

  test("words are folded as the database folds them", async () => {
    const letters = fc
      .array(fc.constantFrom(..."aZ9øØłŁđßæÆœÉèñüЁйΩώ½²-_%. '\\"), { minLength: 1, maxLength: 12 })
      .map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(letters, async (text) => {
        const [{ words }] = (await gateway.database.query<{ words: string }>(`select search_words($1) as words`, [text])) as any;
        expect(words.split("\x1f").filter(Boolean)).toEqual(wordsOf(text));
        for (const { start, length } of matchesIn(text, termsOf(text))) expect(length > 0 && start + length <= text.length).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("the text that REST searches is unchanged", async () => {
    const names = async (search: string) =>
      (await tenant.rest("GET", `/assets?search=${encodeURIComponent(search)}`)).body.items.flatMap(({ areas }: any) =>
        areas.flatMap(({ assets }: any) => assets.map(({ name }: any) => name)),
      );
    expect(await names("KÜHL")).toEqual(expect.arrayContaining(["Kühlpumpe Süd", "Pumpe Nord"]));
    expect(await names("kuhl")).toEqual([]);
    expect(await names("umpe")).toEqual(expect.arrayContaining(["Kühlpumpe Süd", "Pumpe Nord", "Presse"]));
  });
});

describe("scan", () => {
  const scan = async (code: string) =>
    (await tenant.ask("query ($code: ShortText!) { scan(code: $code) { codeField node { id __typename } } }", { code })).scan;

  it("finds every record with the code", async () => {
    expect(await scan("SN-77")).toEqual(
      expect.arrayContaining([
        { codeField: "SERIAL_NUMBER", node: { id: ids["Kühlpumpe Süd"], __typename: "Asset" } },
        { codeField: "SERIAL_NUMBER", node: { id: ids.component, __typename: "Component" } },
        { codeField: "QR_CODE", node: { id: ids.part, __typename: "Part" } },
      ]),
    );
    expect(await scan("4006")).toEqual([{ codeField: "BARCODE", node: { id: ids.part, __typename: "Part" } }]);
    expect(await scan("GRS-LGHP-2")).toEqual([{ codeField: "PART_NUMBER", node: { id: ids.part, __typename: "Part" } }]);
  });

  it("finds an object by its id, a stock level among them", async () => {
    await tenant.ask('mutation ($id: ID!) { receiveStock(partId: $id, input: { site: "S", quantity: 1 }) { id } }', { id: ids.part });
    expect(await scan(ids.order!)).toEqual([{ codeField: "ID", node: { id: ids.order, __typename: "WorkOrder" } }]);
    const label = `StockLevel:${ids.part}:S`;
    expect(await scan(label)).toEqual([{ codeField: "ID", node: { id: label, __typename: "StockLevel" } }]);
  });

  it("finds nothing for a part of a code", async () => {
    expect(await scan("SN-7")).toEqual([]);
  });
});
