/** Exact arithmetic of quantities and measures. With numbers, 15.7 - 15.4 is 0.29999999999999893. */
const places = 9;

/** The number in units of its last place. */
function unitsOf(value: number): bigint {
  const text = String(value);
  const [whole = "0", fraction = ""] = (text.includes("e") ? value.toFixed(places) : text).split(".");
  return BigInt(whole + fraction.slice(0, places).padEnd(places, "0"));
}
const numberOf = (units: bigint): number => Number(`${units}e-${places}`);

export const plus = (...values: number[]): number => numberOf(values.reduce((sum, value) => sum + unitsOf(value), 0n));
export const minus = (from: number, value: number): number => numberOf(unitsOf(from) - unitsOf(value));
export const times = (value: number, whole: number): number => numberOf(unitsOf(value) * BigInt(whole));

/** `value` × `by` ÷ `over`, rounded to a number of digits, halves away from zero. For values from 0. */
export function proportion(value: number, by: number, over: number, digits: number): number {
  const step = unitsOf(over) * 10n ** BigInt(places - digits);
  return Number(`${(unitsOf(value) * unitsOf(by) + step / 2n) / step}e-${digits}`);
}

/** The product, rounded as a proportion. */
export const product = (value: number, by: number, digits: number): number => proportion(value, by, 1, digits);
