/**
 * Prepared statements for PGlite. Without them, PGlite parses and plans each statement every time, which takes more than half the time of a
 * short statement.
 */
import { protocol } from "@electric-sql/pglite";
import { LRUCache } from "lru-cache";
import { maxPrepared, statementName } from "./statement-names.js";

/** Sends a protocol message to the database and returns the messages of its response. */
type Exchange<T> = (message: Uint8Array) => Promise<T[]>;

const letterOf = (letter: string) => letter.charCodeAt(0);
const [parse, describe, bind, execute] = ["P", "D", "B", "E"].map(letterOf) as [number, number, number, number];
const ofStatement = letterOf("S");
/** Length of a message's header: the type letter and the length. */
const head = 5;

/** The text of an unnamed `Parse` message without parameter types, as PGlite sends it. */
function textOf(message: Uint8Array): string | undefined {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const [begin, end] = [head + 1, bytes.length - 3];
  const isPlain = bytes[head] === 0 && bytes[end] === 0 && bytes.readUInt16BE(end + 1) === 0;
  return isPlain ? bytes.toString("utf8", begin, end) : undefined;
}

/** Converts a `Bind` message of the unnamed statement to a statement of this name. */
function bindTo(name: string, message: Uint8Array): Buffer {
  const bytes = Buffer.concat([message.subarray(0, head + 1), Buffer.from(name), message.subarray(head + 1)]);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

/**
 * Wraps the exchange of messages between PGlite and its database. From its third use on, a statement has a name and its plan is kept; bind,
 * describe and execute are sent in one step.
 */
export function keepPrepared<T>(exchange: Exchange<T>): Exchange<T> {
  let closing: Uint8Array[] = [];
  const prepared = new LRUCache<string, { parameters?: T[] }>({
    max: maxPrepared,
    dispose: (_, name, reason) => void (reason === "evict" && closing.push(protocol.serialize.close({ type: "S", name }))),
  });
  /** The current statement of PGlite's messages; undefined if it is not prepared. */
  let name: string | undefined;
  let waiting: Uint8Array[] = [];

  async function begin(message: Uint8Array): Promise<T[]> {
    const text = textOf(message);
    name = text === undefined ? undefined : statementName(text);
    if (name === undefined) return exchange(message);
    if (prepared.has(name)) return [];
    const unwanted = closing;
    closing = [];
    const answer = await exchange(Buffer.concat([...unwanted, protocol.serialize.parse({ name, text: text! })]));
    prepared.set(name, {});
    return answer;
  }

  return async (message) => {
    const letter = message[0];
    if (letter === parse) {
      waiting = [];
      return begin(message);
    }
    if (name === undefined) return exchange(message);
    const statement = prepared.get(name)!;
    if (letter === describe && message[head] === ofStatement)
      return (statement.parameters ??= await exchange(protocol.serialize.describe({ type: "S", name })));
    if (letter === bind || letter === describe) {
      waiting.push(letter === bind ? bindTo(name, message) : message);
      return [];
    }
    if (letter === execute) return exchange(Buffer.concat([...waiting, message]));
    return exchange(message);
  };
}
