/** What one operation reads and returns at most, whatever it was estimated to cost. */
import { answerTooLarge, tooManyListed } from "../schema/errors.js";

export class Bounds {
  private listed = 0;
  private bytes = 0;

  constructor(
    /** Records of lists without pages. */
    private readonly maxListed: number,
    private readonly maxBytes: number,
  ) {}

  /** The same for another operation. */
  renewed(): Bounds {
    return new Bounds(this.maxListed, this.maxBytes);
  }

  /** Records that may still be read; one more tells that there are too many. */
  get left(): number {
    return this.maxListed - this.listed;
  }

  /** Throws BAD_USER_INPUT beyond the limit. */
  addListed(count: number): void {
    this.listed += count;
    if (this.listed > this.maxListed) throw tooManyListed(this.maxListed);
  }

  /** A file that is made piece by piece, as one text. Throws BAD_USER_INPUT as soon as the operation's files are too large. */
  async textOf(pieces: AsyncIterable<string>): Promise<string> {
    let text = "";
    for await (const piece of pieces) {
      this.bytes += Buffer.byteLength(piece);
      if (this.bytes > this.maxBytes) throw answerTooLarge(this.maxBytes);
      text += piece;
    }
    return text;
  }

  /** Throws BAD_USER_INPUT for a text that is too large to be parsed or sent. */
  check(text: string): void {
    if (isLarger(text, this.maxBytes)) throw answerTooLarge(this.maxBytes);
  }
}

/** Whether a text has more bytes in UTF-8. Short ones are not counted. */
export const isLarger = (text: string, bytes: number): boolean => text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
