import { type AreaKey, areas, assetTypes, type Criticality, type Part, type Parts } from "./catalogue.js";

export interface DemoAsset {
  name: string;
  type: string;
  description: string;
  location: string;
  category: string;
  criticality: string;
  status: string;
  manufacturer: string;
  model: string;
  serialNumber: string;
  site: string;
  area: string;
  installationDate: string;
  lastMaintenanceDate?: string;
  nextMaintenanceDate?: string;
  customFields: Record<string, string>;
  components: DemoComponent[];
}

export interface DemoComponent {
  name: string;
  type: string;
  description?: string;
  status: string;
  criticality?: string;
  serialNumber?: string;
  manufacturer?: string;
  model?: string;
  installDate?: string;
  maintenanceInterval?: string;
  specifications: Record<string, string | number>;
  children: DemoComponent[];
}

const perPlant = 400;
const day = 86_400_000;
const opened = Date.UTC(2005, 0, 1);
const lastInstalled = Date.UTC(2025, 11, 31);
const areaKeysOf = (object: object) => Object.keys(object) as AreaKey[];
const areaKeys = areaKeysOf(areas);
const iso = (time: number) => new Date(time).toISOString();
const cells = (row: string) => row.split("|").map((cell) => cell.trim());
const stepDown: Record<Criticality, Criticality> = { critical: "high", high: "medium", medium: "low", low: "low" };

type Shares = readonly (readonly [status: string, share: number])[];
const assetStatus: Shares = [
  ["maintenance", 0.05],
  ["offline", 0.03],
  ["pending", 0.02],
];
/** What is wrong with a component has to do with why its asset stands still. */
const componentStatus: Record<string, Shares> = {
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

/** Each type with the places it takes in turn. */
const kinds = assetTypes.map((kind) => ({
  kind,
  places: areaKeysOf(kind.where).flatMap((key) => kind.where[key]!.split(", ").map((service) => ({ key, service }))),
}));

/** The demo plant: the same for the same arguments, and a larger scale continues a smaller one. `today` only dates the maintenance. */
export function* plant(scale = 1, seed = 1, today = Date.UTC(2026, 10, 1)): Generator<DemoAsset> {
  let state = seed;
  let serials = 0;
  const credit = kinds.map(() => 0);
  const counted = new Map<string, number>();
  const total = Math.round(perPlant * scale);

  for (let index = 0; index < total; index++) {
    if (index % perPlant === 0) counted.clear();
    yield asset(Math.floor(index / perPlant) + 1);
  }

  function asset(unit: number): DemoAsset {
    const { kind, places } = kinds[turn()]!;
    const { key, service } = places[count(kind.tag) % places.length]!;
    const { site, area, location } = areas[key];
    const tag = `${kind.tag}-${(areaKeys.indexOf(key) + 1) * 100 + count(`${kind.tag} ${key}`) + 1}`;
    const [make = "", ...values] = cells(kind.rows[Math.floor(random() * kind.rows.length)]!);
    const [manufacturer = "", model = ""] = make.split(": ");
    const status = drawn(assetStatus);
    const installed = dayBetween(status === "pending" ? lastInstalled - 120 * day : opened, lastInstalled);
    const served = today - Math.floor(random() * kind.serviceDays * 1.08) * day;
    const maintained = status !== "pending" && served > installed;
    const customFields = { ...Object.fromEntries(cells(kind.columns).map((column, i) => [column, values[i] ?? ""])), ...kind.fields };
    return {
      name: `${service} ${unit > 1 ? `${unit}-` : ""}${tag}`,
      type: kind.type,
      description: `${kind.description}, ${area}`,
      location: `${location}, bay ${1 + Math.floor(random() * 12)}`,
      category: kind.category,
      criticality: random() < 0.2 ? stepDown[kind.criticality] : kind.criticality,
      status,
      manufacturer,
      model,
      serialNumber: serial(manufacturer, installed),
      site: unit > 1 ? `${site} ${unit}` : site,
      area,
      installationDate: iso(installed),
      ...(maintained && { lastMaintenanceDate: iso(served), nextMaintenanceDate: iso(served + kind.serviceDays * day) }),
      customFields,
      components: built(kind.parts, customFields, componentStatus[status], installed, manufacturer),
    };
  }

  function built(
    parts: Parts,
    stated: Record<string, string>,
    ailments: Shares | undefined,
    since: number,
    maker: string,
  ): DemoComponent[] {
    const component = (name: string, part: Part): DemoComponent => {
      const makes = part.makes ? cells(part.makes) : [];
      // A maker builds in his own parts where he has them.
      const own = makes.findIndex((row) => row.startsWith(`${maker}:`));
      const make = own < 0 ? Math.floor(random() * makes.length) : own;
      const [manufacturer, model] = makes[make]?.split(": ") ?? [];
      const installed = manufacturer && random() < 0.15 ? dayBetween(since, lastInstalled) : since;
      // What the asset states of itself holds for its parts: a 15 kW pump has a 15 kW motor.
      const specification = ([key, spec]: [string, unknown]): [string, string | number] => {
        const listed = Array.isArray(spec) ? spec[make] : spec;
        return [key, stated[key] === undefined ? listed : typeof listed === "number" ? Number(stated[key]) : stated[key]];
      };
      return {
        name,
        type: part.type,
        ...(part.description && { description: part.description }),
        ...(manufacturer && { serialNumber: serial(manufacturer, installed), manufacturer, model }),
        installDate: iso(installed),
        status: manufacturer ? drawn(ailments) : "operational",
        specifications: Object.fromEntries(Object.entries(part.specs ?? {}).map(specification)),
        ...(part.interval && { maintenanceInterval: part.interval }),
        criticality: part.criticality,
        children: built(part.parts ?? {}, stated, ailments, installed, manufacturer ?? maker),
      };
    };
    return Object.entries(parts).flatMap(([label, part]) => {
      const [name = label, times] = label.split(" ×");
      return times ? Array.from({ length: Number(times) }, (_, i) => component(`${name} ${i + 1}`, part)) : component(name, part);
    });
  }

  /** Smooth weighted round robin: any forty assets in a row have nearly the whole mix, so that a small scale keeps the averages. */
  function turn(): number {
    kinds.forEach(({ kind }, i) => (credit[i]! += kind.perForty));
    const next = credit.indexOf(Math.max(...credit));
    credit[next]! -= 40;
    return next;
  }

  function count(what: string): number {
    const before = counted.get(what) ?? 0;
    counted.set(what, before + 1);
    return before;
  }

  /** The multiplier shares no factor with 10^8: the numbers look scattered and do not repeat within 10^8 items. */
  function serial(maker: string, made: number): string {
    const number = (++serials * 61_803_399) % 1e8;
    return `${maker.replace(/\W/g, "").slice(0, 3).toUpperCase()}-${iso(made).slice(2, 4)}-${String(number).padStart(8, "0")}`;
  }

  /** mulberry32 */
  function random(): number {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  function dayBetween(from: number, to: number): number {
    return from + Math.floor((random() * (to - from)) / day) * day;
  }

  function drawn(shares: Shares = []): string {
    let left = random();
    return shares.find(([, share]) => (left -= share) < 0)?.[0] ?? "operational";
  }
}
