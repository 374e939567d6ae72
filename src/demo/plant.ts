import type { Inserts } from "../database/rows/catalogue.js";
import type { BranchFields } from "../domain/components/tree.js";
import { type AreaKey, areas, assetTypes, type Criticality, type Part, type Parts, sites } from "./catalogue.js";
import { randomFrom } from "./random.js";

/** An asset to insert, with its component tree. */
export type DemoAsset = Inserts["Asset"] & { components: DemoComponent[] };

/** A component to insert; its position in the tree follows from `children`. */
export type DemoComponent = BranchFields & { children: DemoComponent[] };

type AssetStatus = NonNullable<Inserts["Asset"]["status"]>;
type ComponentStatus = NonNullable<Inserts["Component"]["status"]>;

const perPlant = 400;
const day = 86_400_000;
const opened = Date.UTC(2005, 0, 1);
const lastInstalled = Date.UTC(2025, 11, 31);
const areaKeysOf = (object: object) => Object.keys(object) as AreaKey[];
const areaKeys = areaKeysOf(areas);
const cells = (row: string) => row.split("|").map((cell) => cell.trim());
const stepDown: Record<Criticality, Criticality> = { critical: "high", high: "medium", medium: "low", low: "low" };

/** Shares of the statuses other than operational. */
type Shares<S> = readonly (readonly [status: S, share: number])[];

const assetStatusShares: Shares<AssetStatus> = [
  ["maintenance", 0.05],
  ["offline", 0.03],
  ["pending", 0.02],
];
/** By status of the asset. */
const componentStatusShares: Partial<Record<AssetStatus, Shares<ComponentStatus>>> = {
  operational: [
    ["faulty", 0.025],
    ["failed", 0.004],
  ],
  maintenance: [
    ["maintenance", 0.1],
    ["faulty", 0.05],
    ["failed", 0.02],
  ],
  offline: [
    ["failed", 0.1],
    ["faulty", 0.05],
  ],
};

/** Asset types with their locations, which are assigned round robin. */
const types = assetTypes.map((assetType) => ({
  assetType,
  places: areaKeysOf(assetType.where).flatMap((key) => assetType.where[key]!.split(", ").map((service) => ({ key, service }))),
}));

/** The name of a site in one of several plants. */
const nameIn = (unit: number, site: string) => (unit > 1 ? `${site} ${unit}` : site);

/** Sites and areas with assets in `plant`. An area's code is the hundred that its tags begin with. */
export function placesOf(scale: number): { sites: Inserts["SiteSetting"][]; areas: Inserts["AreaSetting"][] } {
  const units = Array.from({ length: Math.ceil(scale) }, (_, i) => i + 1);
  return {
    sites: units.flatMap((unit) =>
      Object.entries(sites).map(([site, { displayName, code }], i) => ({
        site: nameIn(unit, site),
        displayName: nameIn(unit, displayName),
        code: unit > 1 ? `${code}-${unit}` : code,
        position: (unit - 1) * Object.keys(sites).length + i + 1,
      })),
    ),
    areas: units.flatMap((unit) =>
      areaKeys.map((key, i) => ({
        site: nameIn(unit, areas[key].site),
        area: areas[key].area,
        code: String((i + 1) * 100),
        position: i + 1,
      })),
    ),
  };
}

/**
 * Yields the assets of the demo plant, 400 per unit of `scale`. Deterministic; a larger scale extends a smaller one. `today` (milliseconds
 * since the epoch) affects only maintenance dates.
 */
export function* plant(scale = 1, seed = 1, today = Date.UTC(2026, 10, 1)): Generator<DemoAsset> {
  const random = randomFrom(seed);
  let serials = 0;
  const credits = types.map(() => 0);
  const counts = new Map<string, number>();
  const total = Math.round(perPlant * scale);

  for (let index = 0; index < total; index++) {
    if (index % perPlant === 0) counts.clear();
    yield asset(Math.floor(index / perPlant) + 1);
  }

  function asset(unit: number): DemoAsset {
    const { assetType, places } = types[nextType()]!;
    const { key, service } = places[count(assetType.tag) % places.length]!;
    const { site, area, location } = areas[key];
    const tag = `${assetType.tag}-${(areaKeys.indexOf(key) + 1) * 100 + count(`${assetType.tag} ${key}`) + 1}`;
    const [make = "", ...values] = cells(assetType.rows[Math.floor(random() * assetType.rows.length)]!);
    const [manufacturer = "", model = ""] = make.split(": ");
    const status = pickStatus(assetStatusShares);
    const installed = dayBetween(status === "pending" ? lastInstalled - 120 * day : opened, lastInstalled);
    const maintained = today - Math.floor(random() * assetType.serviceDays * 1.08) * day;
    const isMaintained = status !== "pending" && maintained > installed;
    const customFields = {
      ...Object.fromEntries(cells(assetType.columns).map((column, i) => [column, values[i] ?? ""])),
      ...assetType.fields,
    };
    return {
      name: `${service} ${unit > 1 ? `${unit}-` : ""}${tag}`,
      type: assetType.type,
      description: `${assetType.description}, ${area}`,
      location: `${location}, bay ${1 + Math.floor(random() * 12)}`,
      category: assetType.category,
      criticality: random() < 0.2 ? stepDown[assetType.criticality] : assetType.criticality,
      status,
      manufacturer,
      model,
      serialNumber: serial(manufacturer, installed),
      site: nameIn(unit, site),
      area,
      installationDate: new Date(installed),
      ...(isMaintained && {
        lastMaintenanceDate: new Date(maintained),
        nextMaintenanceDate: new Date(maintained + assetType.serviceDays * day),
      }),
      customFields,
      components: componentsOf(assetType.parts, customFields, componentStatusShares[status], installed, manufacturer),
    };
  }

  function componentsOf(
    parts: Parts,
    assetFields: Record<string, string>,
    statusShares: Shares<ComponentStatus> | undefined,
    installedSince: number,
    parentManufacturer: string,
  ): DemoComponent[] {
    const component = (name: string, part: Part): DemoComponent => {
      const makes = part.makes ? cells(part.makes) : [];
      // Manufacturers prefer their own parts.
      const own = makes.findIndex((row) => row.startsWith(`${parentManufacturer}:`));
      const make = own < 0 ? Math.floor(random() * makes.length) : own;
      const [manufacturer, model] = makes[make]?.split(": ") ?? [];
      const installed = manufacturer && random() < 0.15 ? dayBetween(installedSince, lastInstalled) : installedSince;
      // Custom fields of the asset override specifications of the same name: a 15 kW pump has a 15 kW motor.
      const specification = ([key, spec]: [string, unknown]): [string, string | number] => {
        const listed = Array.isArray(spec) ? spec[make] : spec;
        return [key, assetFields[key] === undefined ? listed : typeof listed === "number" ? Number(assetFields[key]) : assetFields[key]];
      };
      return {
        name,
        type: part.type,
        ...(part.description && { description: part.description }),
        ...(manufacturer && { serialNumber: serial(manufacturer, installed), manufacturer, model }),
        installDate: new Date(installed),
        status: manufacturer ? pickStatus(statusShares) : "operational",
        specifications: Object.fromEntries(Object.entries(part.specs ?? {}).map(specification)),
        ...(part.interval && { maintenanceInterval: part.interval }),
        criticality: part.criticality,
        children: componentsOf(part.parts ?? {}, assetFields, statusShares, installed, manufacturer ?? parentManufacturer),
      };
    };
    return Object.entries(parts).flatMap(([label, part]) => {
      const [name = label, times] = label.split(" ×");
      return times ? Array.from({ length: Number(times) }, (_, i) => component(`${name} ${i + 1}`, part)) : component(name, part);
    });
  }

  /** Smooth weighted round robin: any 40 consecutive assets have nearly the full mix of types, so that a small scale keeps the averages. */
  function nextType(): number {
    types.forEach(({ assetType }, i) => (credits[i]! += assetType.perForty));
    const next = credits.indexOf(Math.max(...credits));
    credits[next]! -= 40;
    return next;
  }

  function count(key: string): number {
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    return before;
  }

  /** The multiplier is coprime to 10^8, so that numbers look random and do not repeat within 10^8 items. */
  function serial(manufacturer: string, installed: number): string {
    const number = (++serials * 61_803_399) % 1e8;
    return `${manufacturer.replace(/\W/g, "").slice(0, 3).toUpperCase()}-${new Date(installed).toISOString().slice(2, 4)}-${String(number).padStart(8, "0")}`;
  }

  function dayBetween(from: number, to: number): number {
    return from + Math.floor((random() * (to - from)) / day) * day;
  }

  function pickStatus<S extends string>(shares: Shares<S> = []): S | "operational" {
    let remainder = random();
    return shares.find(([, share]) => (remainder -= share) < 0)?.[0] ?? "operational";
  }
}
