/** Kinds of files by their first bytes. */
import { expect, test } from "vitest";
import { typeOf } from "../../console/src/parts/file-type.js";

test.each<[string | undefined, string]>([
  ["image/jpeg", "\xff\xd8\xff\xe0\0\x10JFIF"],
  ["image/png", "\x89PNG\r\n\x1a\n\0\0"],
  ["image/gif", "GIF89a"],
  ["image/gif", "GIF87a\n"],
  ["image/webp", "RIFF\n\n\n\nWEBPVP8 "],
  ["application/pdf", "%PDF-1.7"],
  [undefined, "RIFF\0\0\0\0WAVEfmt "],
  [undefined, "PK\x03\x04"],
  [undefined, "<svg xmlns"],
  [undefined, " GIF89a"],
  [undefined, ""],
])("%s: %j", (type, start) => expect(typeOf(Buffer.from(start, "latin1"))).toBe(type));
