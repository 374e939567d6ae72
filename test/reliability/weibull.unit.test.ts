/** Weibull fits, bounds and probabilities against published results and against direct computations. */
import { expect, test } from "vitest";
import { binomialAtLeast, meanTimeLowerBound90 } from "../../src/domain/reliability/chances.js";
import { type Life, type Weibull, weibullOf } from "../../src/domain/reliability/weibull.js";

const livesOf = (failed: number[], running: number[]): Life[] => [
  ...failed.map((hours) => ({ hours, failed: true })),
  ...running.map((hours) => ({ hours, failed: false })),
];

/**
 * Distance to failure of 38 shock absorbers in km: Meeker and Escobar, Statistical Methods for Reliability Data (1998), table C.2;
 * data set `shock` of the R packages SPREDA and weibulltools. Published: mu 10.23, sigma 0.3164, scale 27,719 km.
 */
const shockAbsorbers = livesOf(
  [6_700, 9_120, 12_200, 13_150, 14_300, 17_520, 20_100, 20_900, 22_700, 26_510, 27_490],
  [
    6_950, 7_820, 8_790, 9_660, 9_820, 11_310, 11_690, 11_850, 11_880, 12_140, 12_870, 13_330, 13_470, 14_040, 17_540, 17_890, 18_450,
    18_960, 18_980, 19_410, 20_100, 20_150, 20_320, 23_490, 27_410, 27_890, 28_100,
  ],
);

/** NIST/SEMATECH e-Handbook of Statistical Methods, 8.4.1.3: 20 units, ended at 500 h. Published: shape 1.7208, scale 606.5280. */
const handbook = livesOf([54, 187, 216, 240, 244, 335, 361, 373, 375, 386], Array(10).fill(500));

/** Abernethy, The New Weibull Handbook, appendix C.5. Published: shape 2.257, scale 4,900.1. */
const fewest = livesOf([1_500, 2_250, 4_000, 4_300, 7_000], [1_750, 5_000]);

/** Five significant digits. */
const digits = (value: number) => Number(value.toPrecision(5));
const shown = (fit: Weibull | null) =>
  fit && Object.fromEntries(Object.entries(fit).map(([name, { value, lower, upper }]) => [name, [value, lower, upper].map(digits)]));

test("agrees with published estimates", () => {
  const shock = weibullOf(shockAbsorbers)!;
  expect(Math.log(shock.scale.value)).toBeCloseTo(10.23, 2);
  expect(1 / shock.shape.value).toBeCloseTo(0.3164, 4);
  expect(Math.round(shock.scale.value)).toBe(27_719);
  const nist = weibullOf(handbook)!;
  expect(nist.shape.value).toBeCloseTo(1.7208, 4);
  expect(nist.scale.value).toBeCloseTo(606.528, 2);
  const abernethy = weibullOf(fewest)!;
  expect(abernethy.shape.value).toBeCloseTo(2.257, 3);
  expect(abernethy.scale.value).toBeCloseTo(4_900.1, 1);
});

/** Computed with SciPy 1.17: Nelder-Mead for the estimates, Brent's method on numeric profiles for the intervals. */
test("agrees with another numerical method, intervals included", () => {
  expect(shown(weibullOf(shockAbsorbers))).toEqual({
    shape: [3.1605, 2.0787, 4.4877],
    scale: [27_719, 23_896, 35_439],
    b10Life: [13_600, 10_103, 16_709],
  });
  expect(shown(weibullOf(handbook))).toEqual({
    shape: [1.7208, 1.0146, 2.6735],
    scale: [606.53, 458.93, 975.01],
    b10Life: [164.02, 74.834, 254.76],
  });
  expect(shown(weibullOf(fewest))).toEqual({
    shape: [2.257, 1.1578, 3.7755],
    scale: [4_900.1, 3_443.5, 7_494.5],
    b10Life: [1_808, 639.73, 3_043.4],
  });
});

test("does not depend on the unit of time or on the order of the lives", () => {
  const [inHours, inYears] = [
    weibullOf(handbook)!,
    weibullOf(handbook.map(({ hours, failed }) => ({ hours: hours / 8_760, failed })).reverse())!,
  ];
  expect(inYears.shape.upper).toBeCloseTo(inHours.shape.upper, 9);
  expect(inYears.b10Life.lower * 8_760).toBeCloseTo(inHours.b10Life.lower, 6);
});

test("is null below five failures, and if all failures happened at the longest time", () => {
  expect(weibullOf(livesOf([1, 2, 3, 4], [5, 6]))).toBeNull();
  expect(weibullOf(livesOf([0, 1, 2, 3, 4], [5, 6]))).toBeNull();
  expect(weibullOf(livesOf([100, 100, 100, 100, 100], [40, 60]))).toBeNull();
  expect(weibullOf(livesOf([100, 100, 100, 100, 100], [40, 160]))).not.toBeNull();
});

test("finds steep and flat distributions", () => {
  const steep = weibullOf(livesOf([999, 1_000, 1_001, 1_002, 1_003], []))!;
  expect(steep.shape.value).toBeGreaterThan(500);
  expect(steep.b10Life.lower).toBeGreaterThan(990);
  const flat = weibullOf(livesOf([0.001, 1, 50, 9_000, 80_000], Array(500).fill(100_000)))!;
  expect(flat.shape.value).toBeLessThan(0.5);
  expect(flat.scale.upper).toBeGreaterThan(flat.scale.value);
});

test("bounds a mean time by chi-square", () => {
  // χ²(0.9; 2) = 4.60517, χ²(0.9; 4) = 7.77944, χ²(0.9; 12) = 18.5493, χ²(0.9; 202) = 228.149 (2 × SciPy's gamma quantile).
  for (const [failures, quantile] of [
    [0, 4.60517019],
    [1, 7.77944034],
    [5, 18.5493478],
    [100, 228.149074],
  ] as const)
    expect(meanTimeLowerBound90(1_000, failures)).toBeCloseTo(2_000 / quantile, 3);
  expect(meanTimeLowerBound90(1e6, 20_000)).toBeCloseTo(49.548, 3);
});

test("sums the upper end of a binomial distribution", () => {
  // 6 × 0.2⁵ × 0.8 + 0.2⁶.
  expect(binomialAtLeast(5, 6, 0.2)).toBeCloseTo(0.0016, 12);
  expect(binomialAtLeast(3, 3, 0.1)).toBeCloseTo(0.001, 12);
  // Beyond the range of factorials: SciPy says 2.17494e-6.
  expect(binomialAtLeast(10_400, 40_000, 0.25)).toBeCloseTo(2.17494e-6, 10);
});
