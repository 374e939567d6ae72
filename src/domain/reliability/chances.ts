/** Probabilities behind the figures of reliability: bounds of a mean time, and the comparison of two failure rates. */

const factorials = [0];

/** Natural logarithm of n!. */
function logFactorial(n: number): number {
  for (let i = factorials.length; i <= n; i++) factorials.push(factorials[i - 1]! + Math.log(i));
  return factorials[n]!;
}

/** Probability of at most `most` events if `mean` are expected (Poisson). */
function poissonAtMost(most: number, mean: number): number {
  let sum = 0;
  for (let k = most; k >= 0; k--) {
    const term = Math.exp(k * Math.log(mean) - mean - logFactorial(k));
    sum += term;
    if (k < mean && term < sum * 1e-17) break;
  }
  return sum;
}

/**
 * Lower bound of a mean operating time with 90 % confidence: 2 × operating time ÷ χ²(0.9; 2 × failures + 2). The quantile of an even number
 * of degrees of freedom is twice the mean of a Poisson distribution with a tenth of its probability at or below `failures`.
 */
export function meanTimeLowerBound90(operating: number, failures: number): number {
  if (failures === 0) return operating / Math.LN10;
  let low = failures;
  let high = 2 * failures + 10;
  for (let i = 0; i < 60 && high - low > 1e-13 * high; i++) {
    const mean = (low + high) / 2;
    if (poissonAtMost(failures, mean) > 0.1) low = mean;
    else high = mean;
  }
  return (2 * operating) / (low + high);
}

/** Probability of at least `least` of `count` events if each has the probability `share` (binomial). `least` is above the mean. */
export function binomialAtLeast(least: number, count: number, share: number): number {
  const odds = share / (1 - share);
  let term = Math.exp(
    logFactorial(count) -
      logFactorial(least) -
      logFactorial(count - least) +
      least * Math.log(share) +
      (count - least) * Math.log1p(-share),
  );
  let sum = term;
  for (let k = least; k < count && term > sum * 1e-17; k++) {
    term *= ((count - k) / (k + 1)) * odds;
    sum += term;
  }
  return Math.min(1, sum);
}
