/** Limits on the records that an operation reads and the bytes that it returns, regardless of its estimated cost. */
import { answerTooLarge, tooManyListed } from "../schema/errors.js";

export class Bounds {
  private listed = 0;
  private bytes = 0;
  /** Joins the pieces of a file. The API may keep a long one outside of the memory. */
  join: (pieces: AsyncIterable<string>) => Promise<string> = joined;

  constructor(
    /** Maximum number of records in lists without pages. */
    private readonly maxListed: number,
    private readonly maxBytes: number,
  ) {}

  /** The same limits for another operation. */
  renewed(): Bounds {
    return new Bounds(this.maxListed, this.maxBytes);
  }

  /** Number of records that may still be read. Reading one more shows that there are too many. */
  get left(): number {
    return this.maxListed - this.listed;
  }

  /** Throws BAD_USER_INPUT beyond the limit. */
  addListed(count: number): void {
    this.listed += count;
    if (this.listed > this.maxListed) throw tooManyListed(this.maxListed);
  }

  /** Joins the pieces of a generated file. Throws BAD_USER_INPUT as soon as the operation's files exceed the limit. */
  textOf(pieces: AsyncIterable<string>): Promise<string> {
    return this.join(this.limited(pieces));
  }

  private async *limited(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const piece of pieces) {
      this.bytes += Buffer.byteLength(piece);
      if (this.bytes > this.maxBytes) throw answerTooLarge(this.maxBytes);
      yield piece;
    }
  }

  /** Throws BAD_USER_INPUT if a text is too large to be parsed or sent. */
  check(text: string): void {
    if (isLarger(text, this.maxBytes)) throw answerTooLarge(this.maxBytes);
  }
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

/** Whether a text exceeds a number of bytes in UTF-8. Short texts are not measured. */
export const isLarger = (text: string, bytes: number): boolean => text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
