/** Exact arithmetic of the console. */
import { expect, it } from "vitest";
import { product, proportion } from "../../console/src/parts/decimals.js";

it("rounds proportions to the digits of a currency, halves away from zero", () => {
  // 32 of 12 at 30.00, a third and two thirds of 10.00, an eighth, and yen.
  expect([
    proportion(32, 30, 12, 2),
    proportion(1, 10, 3, 2),
    proportion(2, 10, 3, 2),
    proportion(1, 1, 8, 2),
    proportion(5, 10, 4, 0),
  ]).toEqual([80, 3.33, 6.67, 0.13, 13]);
  expect([product(1.005, 3, 2), product(0.1, 0.2, 4)]).toEqual([3.02, 0.02]);
});
