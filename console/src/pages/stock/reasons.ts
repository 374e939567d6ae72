/** Reasons of stock movements. Those that the service enters itself are English. */
import { t } from "@lingui/core/macro";
import { wordOf } from "../../parts/words.js";

const ofService = new Map([
  ["Inventory record deleted", t`Stock level deleted`],
  ["Opening stock", t`Opening stock`],
  ["Reservation expired", t`Reservation expired`],
  ["Transfer", wordOf("TRANSFER")],
  ["Work order", t`Work order`],
  ["Work order cancelled", t`Work order cancelled`],
  ["Work order completed", t`Work order completed`],
]);

export const reasonWord = (reason: string): string => ofService.get(reason) ?? reason;
