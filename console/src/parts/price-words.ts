import { t } from "@lingui/core/macro";
import { amount, exact } from "./words.js";

/** Prices by quantity, such as `€30.00, from 10: €28.50`. Undefined without prices. */
export const priceWords = (
  breaks: readonly { quantity: number; price: number }[],
  currency: string | null | undefined,
): string | undefined =>
  breaks
    .map(({ quantity, price }) => (quantity ? t`from ${exact(quantity)}: ${amount(price, currency)}` : amount(price, currency)))
    .join(", ") || undefined;
