/** Detects and decodes the text encodings in which spreadsheets save CSV: UTF-8, UTF-16 and Windows-1252. */
import { badInput } from "../../schema/errors.js";
import type { CsvEncoding } from "../../schema/exchange/enums.js";

export const notUtf8 = () => badInput({ body: "must be UTF-8 text; save the file as CSV UTF-8" }, "Invalid CSV");

/** Excel saves a workbook as a ZIP file (.xlsx), or in earlier releases as a compound file (.xls). */
const workbooks = [Buffer.from("PK\x03\x04"), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];
const workbook = () =>
  badInput(
    { body: "must be CSV, but is an Excel workbook; in Excel, save it with the file type CSV UTF-8 (comma delimited)" },
    "Invalid CSV",
  );

const multibyte = /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}/g;

/** Examines the chunks of a file as they arrive. */
export class EncodingCheck {
  private readonly utf8 = new TextDecoder("utf-8", { fatal: true });
  private head = Buffer.alloc(0);
  private isUtf8 = true;
  private hasNul = false;
  /** Characters beyond ASCII: valid sequences of UTF-8, and other bytes. */
  private sequences = 0;
  private others = 0;

  add(chunk: Buffer): void {
    if (this.head.length < 4) this.head = Buffer.concat([this.head, chunk.subarray(0, 4)]).subarray(0, 4);
    this.hasNul ||= chunk.includes(0);
    this.decode(chunk);
    const text = chunk.toString("latin1");
    if (!/[\x80-\xff]/.test(text)) return;
    this.sequences += text.match(multibyte)?.length ?? 0;
    this.others += text.replace(multibyte, "").match(/[\x80-\xff]/g)?.length ?? 0;
  }

  private decode(chunk: Buffer | undefined): void {
    try {
      if (this.isUtf8) this.utf8.decode(chunk, { stream: chunk !== undefined });
    } catch {
      this.isUtf8 = false;
    }
  }

  /** The encoding of the whole file. Throws BAD_USER_INPUT for a workbook and other data, and for text that is not in the given encoding. */
  end(given?: CsvEncoding): CsvEncoding {
    this.decode(undefined);
    if (workbooks.some((start) => start.equals(this.head))) throw workbook();
    const found = given ?? this.encoding();
    if (!found || (found === "utf-8" && !this.isUtf8)) throw notUtf8();
    return found;
  }

  private encoding(): CsvEncoding | undefined {
    const [a, b, c, d] = this.head;
    if (a === 0xff && b === 0xfe) return "utf-16le";
    if (a === 0xfe && b === 0xff) return "utf-16be";
    if (a && b === 0 && c && d === 0) return "utf-16le";
    if (a === 0 && b && c === 0 && d) return "utf-16be";
    if (this.isUtf8) return "utf-8";
    // Mostly valid UTF-8 is a damaged file. Read as Windows-1252, each umlaut would become two wrong characters.
    const hasMark = a === 0xef && b === 0xbb && c === 0xbf;
    return hasMark || this.hasNul || this.sequences >= this.others ? undefined : "windows-1252";
  }
}

/** Characters 0x80 to 0x9F. The decoder of some releases of Node.js reads them as ISO 8859-1. */
const windows = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** A function that decodes consecutive chunks; called without a chunk at the end. Throws BAD_USER_INPUT for invalid data. */
export function decoderOf(encoding: CsvEncoding): (chunk?: Buffer) => string {
  if (encoding === "windows-1252")
    return (chunk) => (chunk?.toString("latin1") ?? "").replace(/[\x80-\x9f]/g, (one) => windows[one.charCodeAt(0) - 0x80]!);
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw notUtf8();
    }
  };
}
