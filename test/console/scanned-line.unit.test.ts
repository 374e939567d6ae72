/** Codes that open an order line: part numbers, barcodes, GTINs and GS1 codes. */
import { expect, test } from "vitest";
import { lineOfCode } from "../../console/src/pages/purchases/scanned-line.js";

const part = (id: string, barcode: string | null) => ({
  id,
  partNumber: id.toUpperCase(),
  manufacturerPartNumber: `m-${id}`,
  barcode,
  qrCode: null,
});
const lines = [
  { id: "done", openQuantity: 0, part: part("a", "4006381333931") },
  { id: "open", openQuantity: 3, part: part("a", "4006381333931") },
  { id: "other", openQuantity: 3, part: part("b", null) },
  { id: "service", openQuantity: 1, part: null },
];

test.each([
  ["A", "open"],
  [" a ", "open"],
  ["M-B", "other"],
  ["4006381333931", "open"],
  ["04006381333931", "open"],
  ["(01)04006381333931(17)281231", "open"],
  ["010400638133393117281231", "open"],
  ["]d20104006381333931", "open"],
  ["0104006381333932", undefined],
  ["400638133393", undefined],
  ["C", undefined],
  ["", undefined],
])("%s opens the line %s", (code, id) => {
  expect(lineOfCode(lines, code)?.id).toBe(id);
});
