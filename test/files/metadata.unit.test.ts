/** Removed and kept metadata of photos (docs/decisions.md, "metadata of photos"). */
import { crc32, deflateSync } from "node:zlib";
import exifr from "exifr";
import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { withoutTellingMetadata } from "../../src/domain/files/metadata/clean.js";
import { type Format, image } from "./photos.js";

const serial = "SN-4711-0815";
const owner = "Olga Ownerova";
const exif = {
  IFD0: { Make: "Maker", Model: "M1" },
  IFD2: {
    BodySerialNumber: serial,
    LensSerialNumber: serial,
    CameraOwnerName: owner,
    MakerNote: `note of ${serial}`,
    LensModel: "L 50 mm",
    DateTimeOriginal: "2026:11:22 10:00:00",
  },
  IFD3: { GPSLatitudeRef: "N", GPSLatitude: "52/1 31/1 12/1", GPSLongitudeRef: "E", GPSLongitude: "13/1 24/1 36/1" },
};
const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
 xmlns:aux="http://ns.adobe.com/exif/1.0/aux/" xmlns:exif="http://ns.adobe.com/exif/1.0/" aux:SerialNumber="${serial}"
 exif:GPSLatitude="52,31.2N"/></rdf:RDF></x:xmpmeta>`;

const photo = (width = 60, height = 40) =>
  sharp({ create: { width, height, channels: 3, background: "teal", noise: { type: "gaussian", mean: 128, sigma: 50 } } });
const tellingOf = (format: Format) =>
  photo().toFormat(format).withExif(exif).withMetadata({ orientation: 6 }).withXmp(xmp).withIccProfile("p3").toBuffer();
const pixelsOf = (file: Buffer) => sharp(file, { animated: true }).raw().toBuffer();
const secrets = [serial, owner, "52,31.2N", "GPSLatitude"];

function expectClean(file: Buffer, cleaned: Buffer): void {
  expect(cleaned.length).toBe(file.length);
  for (const secret of secrets) expect(cleaned.includes(secret), secret).toBe(false);
}

describe.each(["jpeg", "png", "webp"] as const)("%s", (format) => {
  test("loses position, serial numbers, owner and maker's note, and nothing else", async () => {
    const file = await tellingOf(format);
    for (const secret of [serial, owner]) expect(file.includes(secret), secret).toBe(true);
    const cleaned = withoutTellingMetadata(file, `image/${format}`);
    expectClean(file, cleaned);
    expect((await pixelsOf(cleaned)).equals(await pixelsOf(file))).toBe(true);
    const [before, after] = await Promise.all([file, cleaned].map((buffer) => sharp(buffer).metadata()));
    expect(after!.orientation).toBe(6);
    expect(after!.icc).toEqual(before!.icc);
    if (format === "webp") return;
    const left = await exifr.parse(cleaned, { gps: true, xmp: true, makerNote: true, translateValues: false });
    expect(left).toMatchObject({ Make: "Maker", Model: "M1", LensModel: "L 50 mm", Orientation: 6 });
    expect(left).toHaveProperty("DateTimeOriginal");
    for (const name of [
      "GPSLatitude",
      "latitude",
      "BodySerialNumber",
      "SerialNumber",
      "LensSerialNumber",
      "CameraOwnerName",
      "MakerNote",
      "makerNote",
    ])
      expect(left).not.toHaveProperty(name);
  });

  test("is unchanged without such metadata, and when it is cleaned again", async () => {
    const plain = await photo()
      .toFormat(format)
      .withExif({ IFD0: { Make: "Maker" } })
      .toBuffer();
    expect(withoutTellingMetadata(plain, `image/${format}`)).toBe(plain);
    const cleaned = withoutTellingMetadata(await tellingOf(format), `image/${format}`);
    expect(withoutTellingMetadata(cleaned, `image/${format}`)).toBe(cleaned);
  });
});

const segment = (marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
};
const after = (file: Buffer, at: number, ...parts: Buffer[]) => Buffer.concat([file.subarray(0, at), ...parts, file.subarray(at)]);
const [jpeg, png, gif, webp] = (await Promise.all((["jpeg", "png", "gif", "webp"] as const).map((format) => image(format)))) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];
const endOfGif = gif.length - 1;
const blocks = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1"), Buffer.from([0])]);
const xmpOfGif = Buffer.concat([
  Buffer.from("\x21\xff\x0bXMP DataXMP", "latin1"),
  Buffer.from(xmp),
  Buffer.from([1]),
  Buffer.from(Array.from({ length: 256 }, (_, i) => 255 - i)),
  Buffer.from([0]),
]);
const riff = (type: string, data: Buffer) => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  const file = Buffer.concat([webp, Buffer.from(type), size, data, Buffer.alloc(data.length & 1)]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
};
const maker = Buffer.from(`Vendor block: SerialNumber=${serial}`);

test.each<[string, string, Buffer]>([
  ["IPTC in a JPEG", "image/jpeg", after(jpeg, 2, segment(0xed, Buffer.from(`Photoshop 3.0\0 8BIM ${owner}`)))],
  [
    "a second part of XMP in a JPEG",
    "image/jpeg",
    after(jpeg, 2, segment(0xe1, Buffer.from(`http://ns.adobe.com/xmp/extension/\0${serial}`))),
  ],
  ["a vendor's segment of a JPEG", "image/jpeg", after(jpeg, 2, segment(0xe7, maker))],
  ["a comment of a JPEG", "image/jpeg", after(jpeg, 2, segment(0xfe, Buffer.from(`GPS 52.5 13.4 ${serial}`)))],
  ["EXIF that cannot be read", "image/jpeg", after(jpeg, 2, segment(0xe1, Buffer.from(`Exif\0\0II*\0\xff\xff\0\0 ${serial}`, "latin1")))],
  ["what follows a JPEG", "image/jpeg", Buffer.concat([jpeg, Buffer.from(`film ${serial}`)])],
  [
    "another JPEG after a JPEG",
    "image/jpeg",
    Buffer.concat([after(jpeg, 2, segment(0xe2, Buffer.from("MPF\0"))), after(jpeg, 2, segment(0xe7, maker)), maker]),
  ],
  ["a text of a PNG", "image/png", after(png, 33, chunk("tEXt", Buffer.from(`Location\0${owner}`)))],
  [
    "a compressed text of a PNG",
    "image/png",
    after(png, 33, chunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(maker)]))),
  ],
  [
    "compressed XMP of a PNG",
    "image/png",
    after(png, 33, chunk("iTXt", Buffer.concat([Buffer.from("XML:com.adobe.xmp\0\x01\0\0\0"), deflateSync(xmp)]))),
  ],
  ["EXIF as ImageMagick writes it", "image/png", after(png, 33, chunk("tEXt", Buffer.from(`Raw profile type exif\0 ${serial}`)))],
  ["what follows a PNG", "image/png", Buffer.concat([png, maker])],
  ["a comment of a GIF", "image/gif", after(gif, endOfGif, Buffer.from("\x21\xfe", "latin1"), blocks(`GPS: ${serial}`))],
  ["XMP of a GIF", "image/gif", after(gif, endOfGif, xmpOfGif)],
  ["what follows a GIF", "image/gif", Buffer.concat([gif, maker])],
  ["an unknown chunk of a WebP", "image/webp", riff("VEND", maker)],
  ["what follows a WebP", "image/webp", Buffer.concat([webp, maker])],
])("%s is emptied", async (_, type, file) => {
  const cleaned = withoutTellingMetadata(file, type);
  expectClean(file, cleaned);
  expect((await pixelsOf(cleaned)).equals(await pixelsOf(file))).toBe(true);
  expect(await sharp(cleaned, { failOn: "warning" }).stats()).toBeDefined();
});

test("a thermal camera's measurements stay", () => {
  const file = after(jpeg, 2, segment(0xe1, Buffer.from(`FLIR\0 GPS ${serial}`)));
  expect(withoutTellingMetadata(file, "image/jpeg")).toBe(file);
});

test("EXIF that cannot be read keeps its orientation", async () => {
  const file = await tellingOf("jpeg");
  const broken = Buffer.from(file);
  // Makes the first directory point to itself.
  const tiff = broken.indexOf("Exif\0\0") + 6;
  const isLittle = broken[tiff] === 0x49;
  const start = isLittle ? broken.readUInt32LE(tiff + 4) : broken.readUInt32BE(tiff + 4);
  const count = isLittle ? broken.readUInt16LE(tiff + start) : broken.readUInt16BE(tiff + start);
  broken[isLittle ? "writeUInt32LE" : "writeUInt32BE"](start, tiff + start + 2 + 12 * count);
  const cleaned = withoutTellingMetadata(broken, "image/jpeg");
  expectClean(broken, cleaned);
  expect((await sharp(cleaned).metadata()).orientation).toBe(6);
});

test.each(["jpeg", "png", "gif", "webp"] as const)("any damage to a %s: cleaned in its size, or RangeError, and soon", async (format) => {
  const file = format === "gif" ? after(gif, endOfGif, xmpOfGif) : await tellingOf(format);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.nat(file.length),
      (changes, end) => {
        const damaged = Buffer.from(file);
        for (const [at, byte] of changes) damaged[at] = byte;
        for (const given of [damaged, damaged.subarray(0, end)]) {
          try {
            expect(withoutTellingMetadata(given, `image/${format}`).length).toBe(given.length);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        }
      },
    ),
    { numRuns: 300, seed: 5 },
  );
});
