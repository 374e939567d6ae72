/**
 * Weibull distribution of lives by maximum likelihood, with right-censored lives (IEC 61649). Intervals are those of the likelihood ratio:
 * all values for which the profile likelihood is at most χ²(0.9; 1) ÷ 2 below its maximum. With few failures they cover more of the
 * promised 90 % than intervals from the Fisher matrix.
 */

/** Operating hours until the failure of an item, or until the end of its observation. */
export interface Life {
  hours: number;
  failed: boolean;
}

/** Estimate with its two-sided 90 % interval. */
export interface Estimate {
  value: number;
  lower: number;
  upper: number;
}

export interface Weibull {
  shape: Estimate;
  scale: Estimate;
  b10Life: Estimate;
}

/** Failures below which no distribution is fitted. */
export const fewestFailures = 5;

/** Half of the 90 % quantile of chi-square with one degree of freedom. */
const drop = 2.705543454095414 / 2;

/** Sums over the lives at a shape: the logarithm of Σ t^shape and its first two derivatives. Times are shares of the longest. */
interface Moments {
  log: number;
  first: number;
  second: number;
}

/** Root by Newton's method, which starts on the side from which a convex or concave function converges without passing it. */
function newton(start: number, step: (at: number) => number): number {
  let at = start;
  for (let i = 0; i < 100; i++) {
    const by = step(at);
    at -= by;
    if (Math.abs(by) <= 1e-12 * Math.abs(at)) break;
  }
  return at;
}

/** Largest value of a function with a single maximum between two ends. */
function maximum(from: number, to: number, valueAt: (at: number) => number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [from, to];
  let [a, b] = [high - golden * (high - low), low + golden * (high - low)];
  let [atA, atB] = [valueAt(a), valueAt(b)];
  while (high - low > 1e-6 * (to - from)) {
    if (atA > atB) {
      [high, b, atB] = [b, a, atA];
      a = high - golden * (high - low);
      atA = valueAt(a);
    } else {
      [low, a, atA] = [a, b, atB];
      b = low + golden * (high - low);
      atB = valueAt(b);
    }
  }
  return Math.max(atA, atB);
}

/**
 * Shape, characteristic life (scale) and B10 life. Null below five failures, and if all failures happened at the longest of all times, because
 * the likelihood has no maximum then. Lives without hours are left out.
 */
export function weibullOf(lives: readonly Life[]): Weibull | null {
  const known = lives.filter(({ hours }) => hours > 0);
  const failures = known.filter(({ failed }) => failed).length;
  if (failures < fewestFailures) return null;
  const longest = known.reduce((most, { hours }) => Math.max(most, hours), 0);
  const logs = known.map(({ hours }) => Math.log(hours / longest));
  const mean = known.reduce((sum, { failed }, i) => (failed ? sum + logs[i]! : sum), 0) / failures;
  if (mean > -1e-9) return null;

  const momentsAt = (shape: number): Moments => {
    let [sum, first, second] = [0, 0, 0];
    for (const log of logs) {
      const power = Math.exp(shape * log);
      sum += power;
      first += power * log;
      second += power * log * log;
    }
    first /= sum;
    return { log: Math.log(sum), first, second: second / sum - first * first };
  };
  // The derivative of the profile likelihood by the shape, divided by minus the failures. It only grows.
  const slopeOf = (shape: number, { first }: Moments) => first - 1 / shape - mean;
  let [low, high] = [1, 1];
  while (slopeOf(low, momentsAt(low)) > 0) low /= 2;
  while (slopeOf(high, momentsAt(high)) < 0) high *= 2;
  let shape = (low + high) / 2;
  for (let i = 0; i < 100; i++) {
    const moments = momentsAt(shape);
    const slope = slopeOf(shape, moments);
    if (slope < 0) low = shape;
    else high = shape;
    const next = shape - slope / (moments.second + 1 / shape ** 2);
    const by = next > low && next < high ? next - shape : (low + high) / 2 - shape;
    shape += by;
    if (Math.abs(by) <= 1e-13 * shape) break;
  }

  const likelihoodOf = (at: number, { log }: Moments) => failures * (Math.log(at) - log + at * mean);
  const best = likelihoodOf(shape, momentsAt(shape));
  /** By how much the profile likelihood at a shape exceeds the least that belongs to the interval. */
  const excessOf = (at: number, moments: Moments) => likelihoodOf(at, moments) - best + drop;
  const bound = (factor: number) => {
    let start = shape * factor;
    while (excessOf(start, momentsAt(start)) > 0) start *= factor;
    return newton(start, (at) => {
      const moments = momentsAt(at);
      return excessOf(at, moments) / (-failures * slopeOf(at, moments));
    });
  };
  const [lower, upper] = [bound(0.5), bound(2)];

  /** Logarithm of the time by which a share of the items has failed, for the scale that is most likely with a shape. `hazard` is its -ln(1 - share). */
  const timeOf = (at: number, { log }: Moments, hazard: number) => (log - Math.log(failures) + Math.log(hazard)) / at + Math.log(longest);
  /**
   * Distance of the scale of the region's edge from the most likely one at a shape, as a logarithm of the expected failures:
   * failures × (e^v - 1 - v) is what the likelihood loses.
   */
  const edge = (excess: number, side: 1 | -1) => {
    const loss = Math.max(0, excess) / failures;
    if (loss < 1e-15) return 0;
    return newton(side > 0 ? Math.sqrt(2 * loss) : -1 - loss, (v) => (Math.expm1(v) - v - loss) / Math.expm1(v));
  };
  const life = (hazard: number): Estimate => {
    const end = (side: 1 | -1) =>
      Math.exp(
        side *
          maximum(lower, upper, (at) => {
            const moments = momentsAt(at);
            // More expected failures mean a smaller scale.
            return side * (timeOf(at, moments, hazard) - edge(excessOf(at, moments), side > 0 ? -1 : 1) / at);
          }),
      );
    return { value: Math.exp(timeOf(shape, momentsAt(shape), hazard)), lower: end(-1), upper: end(1) };
  };
  return { shape: { value: shape, lower, upper }, scale: life(1), b10Life: life(-Math.log(0.9)) };
}
