/**
 * Units of measured values, and their conversion (docs/decisions.md, "units of readings"). A unit is parsed as a product of known units
 * with prefixes and powers, such as mm/s, m³/h, N·m or W/(m²·K). Compound units therefore need no entries.
 */

interface Unit {
  /** Factor to the SI unit of the same dimension. */
  factor: number;
  /** Zero of a temperature scale, in kelvin. */
  offset: number;
  /** Exponents of base quantities, such as `{ m: 1, s: -1 }`. */
  dimension: Record<string, number>;
}

type Known = [factor: number, dimension: string, offset?: number];

const mass = "kg";
const force = "kg m s-2";
const pressure = "kg m-1 s-2";
const energy = "kg m2 s-2";
const power = "kg m2 s-3";
const inch = 0.0254;
const foot = 0.3048;
const litre = 1e-3;
const gallon = 3.785411784e-3;
const gravity = 9.80665;
const poundForce = 0.45359237 * gravity;

/** Units that accept prefixes. */
const prefixed: Record<string, Known> = {
  m: [1, "m"],
  g: [1e-3, mass],
  s: [1, "s"],
  K: [1, "K"],
  A: [1, "A"],
  Hz: [1, "s-1"],
  N: [1, force],
  Pa: [1, pressure],
  bar: [1e5, pressure],
  J: [1, energy],
  W: [1, power],
  Wh: [3600, energy],
  Nm: [1, energy],
  V: [1, "kg m2 s-3 A-1"],
  Ω: [1, "kg m2 s-3 A-2"],
  ohm: [1, "kg m2 s-3 A-2"],
  S: [1, "kg-1 m-2 s3 A2"],
  H: [1, "kg m2 s-2 A-2"],
  T: [1, "kg s-2 A-1"],
  Ah: [3600, "A s"],
  VA: [1, "VA"],
  var: [1, "var"],
  L: [litre, "m3"],
  l: [litre, "m3"],
  St: [1e-4, "m2 s-1"],
  P: [0.1, "kg m-1 s-1"],
  rad: [1, "rad"],
  lx: [1, "lx"],
};

/** Units without prefixes. `°C` and similar ones are also targets of `spellings`. */
const plain: Record<string, Known> = {
  in: [inch, "m"],
  ft: [foot, "m"],
  mil: [inch / 1000, "m"],
  mi: [5280 * foot, "m"],
  micron: [1e-6, "m"],
  t: [1000, mass],
  lb: [0.45359237, mass],
  oz: [0.45359237 / 16, mass],
  min: [60, "s"],
  h: [3600, "s"],
  d: [86_400, "s"],
  "°C": [1, "K", 273.15],
  "°F": [5 / 9, "K", 273.15 - (32 * 5) / 9],
  lbf: [poundForce, force],
  kgf: [gravity, force],
  psi: [poundForce / inch ** 2, pressure],
  atm: [101_325, pressure],
  mmHg: [133.322387415, pressure],
  hp: [550 * foot * poundForce, power],
  gal: [gallon, "m3"],
  gpm: [gallon / 60, "m3 s-1"],
  lpm: [litre / 60, "m3 s-1"],
  cfm: [foot ** 3 / 60, "m3 s-1"],
  ips: [inch, "m s-1"],
  kmh: [1 / 3.6, "m s-1"],
  gn: [gravity, "m s-2"],
  // A revolution counts as a cycle, so that 1500 rpm is 25 Hz.
  rpm: [1 / 60, "s-1"],
  cpm: [1 / 60, "s-1"],
  r: [1, ""],
  rev: [1, ""],
  "%": [0.01, ""],
  "‰": [1e-3, ""],
  ppm: [1e-6, ""],
  ppb: [1e-9, ""],
  "%RH": [1, "RH"],
  dB: [1, "dB"],
  "dB(A)": [1, "dBA"],
  pH: [1, "pH"],
  "°": [Math.PI / 180, "rad"],
};

const prefixes: Record<string, number> = { n: 1e-9, μ: 1e-6, u: 1e-6, m: 1e-3, c: 1e-2, d: 0.1, h: 100, k: 1e3, M: 1e6, G: 1e9 };

/** Other spellings. C and F are temperatures: coulombs and farads are not measured on machines. */
const spellings: Record<string, string> = {
  C: "°C",
  degC: "°C",
  "deg C": "°C",
  Celsius: "°C",
  F: "°F",
  degF: "°F",
  "deg F": "°F",
  Fahrenheit: "°F",
  deg: "°",
  K: "K",
  sec: "s",
  hr: "h",
  hour: "h",
  hours: "h",
  day: "d",
  days: "d",
  inch: "in",
  lbs: "lb",
  liter: "L",
  litre: "L",
  RPM: "rpm",
  "U/min": "rpm",
  "1/min": "rpm",
  "r/min": "rpm",
  "km/hr": "kmh",
  PSI: "psi",
  Bar: "bar",
  BAR: "bar",
  HP: "hp",
  CFM: "cfm",
  GPM: "gpm",
  IPS: "ips",
  percent: "%",
  "% RH": "%RH",
  dBA: "dB(A)",
  g0: "gn",
  Hertz: "Hz",
};

const entryOf = <T>(table: Record<string, T>, name: string): T | undefined => (Object.hasOwn(table, name) ? table[name] : undefined);

const dimensionOf = (text: string): Record<string, number> =>
  Object.fromEntries([...text.matchAll(/([A-Za-z]+)(-?\d+)?/g)].map(([, base, power]) => [base!, Number(power ?? 1)]));

function namedUnit(text: string): Unit | undefined {
  const name = entryOf(spellings, text) ?? text;
  const whole = entryOf(plain, name) ?? entryOf(prefixed, name);
  const scale = whole ? 1 : entryOf(prefixes, name.slice(0, 1));
  const known = whole ?? entryOf(prefixed, name.slice(1));
  if (!known || scale === undefined) return undefined;
  const [factor, dimension, offset = 0] = known;
  return { factor: scale * factor, offset, dimension: dimensionOf(dimension) };
}

/** Multiplies by a factor such as `m3` or `s^-2`, or divides by it. */
function times(unit: Unit, factor: string, sign: 1 | -1): Unit | undefined {
  const [, name, power] = /^(.*?)\^?(-?\d)?$/s.exec(factor.replaceAll("−", "-"))!;
  const named = name && namedUnit(name);
  if (!named) return undefined;
  const by = sign * Number(power ?? 1);
  const dimension = { ...unit.dimension };
  for (const [base, own] of Object.entries(named.dimension)) dimension[base] = (dimension[base] ?? 0) + by * own;
  return { factor: unit.factor * named.factor ** by, offset: 0, dimension };
}

/** Parses a unit. Undefined if it is unknown. Everything after a `/` is a divisor. */
function parse(text: string): Unit | undefined {
  const whole = namedUnit(text);
  if (whole) return whole;
  let unit: Unit | undefined = { factor: 1, offset: 0, dimension: {} };
  for (const [at, part] of (entryOf(spellings, text) ?? text).split("/").entries()) {
    if (at === 0 && part.trim() === "1") continue;
    const factors = part
      .trim()
      .replace(/^\((.*)\)$/, "$1")
      .split(/\s*[·⋅*.]\s*|\s+|(?<=[A-Za-z])-(?=[A-Za-z])/);
    for (const factor of factors) if (unit) unit = times(unit, factor, at === 0 ? 1 : -1);
  }
  return unit;
}

/** Normalizes equivalent characters, such as ² and 2, or the two micro signs. */
const normalized = (text: string) => text.normalize("NFKC").replaceAll("µ", "μ").trim();

const isSame = (a: Unit, b: Unit) =>
  [...new Set([...Object.keys(a.dimension), ...Object.keys(b.dimension)])].every(
    (base) => (a.dimension[base] ?? 0) === (b.dimension[base] ?? 0),
  );

type Converter = (value: number) => number;

/** Clamps infinite results to the largest number. */
const finite = (value: number) => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));

const asItIs: Converter = (value) => value;

function makeConverter(from: string, to: string): Converter | undefined {
  if (from === to) return asItIs;
  // "g" is a gram or, for vibration, the acceleration of gravity.
  const meanings = (text: string) => (text === "g" ? ["g", "gn"] : [text]).flatMap((name) => parse(name) ?? []);
  for (const source of meanings(from))
    for (const target of meanings(to)) {
      if (!isSame(source, target)) continue;
      // Rounded to 12 digits, so that exact conversions compare as equal.
      return (value) => finite(Number(((value * source.factor + source.offset - target.offset) / target.factor).toPrecision(12)));
    }
  return undefined;
}

const maxKept = 1_000;
const converters = new Map<string, Converter | undefined>();

/**
 * Returns the conversion of values from one unit to another. Undefined if the dimensions differ, or if a unit is unknown and the spellings
 * differ.
 */
export function converterOf(from: string, to: string): Converter | undefined {
  const key = JSON.stringify([from, to]);
  if (converters.has(key)) return converters.get(key);
  const converter = makeConverter(normalized(from), normalized(to));
  if (converters.size >= maxKept) converters.clear();
  converters.set(key, converter);
  return converter;
}
