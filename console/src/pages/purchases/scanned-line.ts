/** Finds the open line of a scanned code. */
import { recordOn } from "../../parts/scanned.js";

/** A line with the codes of its part. */
interface Line {
  openQuantity: number;
  part: (Record<"partNumber" | "manufacturerPartNumber" | "barcode" | "qrCode", string | null> & { id: string }) | null;
}

/** GTINs of 8, 12 and 13 digits are the same with leading zeros. */
const plainCode = (text: string) => (/^\d{8,14}$/.test(text) ? text.replace(/^0+/, "") : text.toLowerCase());

/** The GTIN in the text of a GS1 code, which starts with the application identifier 01. */
const gtinIn = (text: string) => /^(?:\][A-Za-z]\d)?\(?01\)?(\d{14})(?=\D|$|1[0157]|2[01])/.exec(text)?.[1];

/** The first open line whose part has the code: its label, part number, number of the manufacturer, barcode or GTIN. */
export function lineOfCode<L extends Line>(lines: L[], code: string): L | undefined {
  const text = code.trim();
  const partId = /^\/stock\/([^/?]+)/.exec(recordOn(text)?.path ?? "")?.[1];
  const wanted = plainCode(gtinIn(text) ?? text);
  return lines.find(
    ({ part, openQuantity }) =>
      part &&
      openQuantity > 0 &&
      (part.id === (partId && decodeURIComponent(partId)) ||
        [part.partNumber, part.manufacturerPartNumber, part.barcode, part.qrCode].some((one) => one && plainCode(one.trim()) === wanted)),
  );
}
