/** Accepted photos: complete JPEG, PNG, GIF and WebP images, identified by content, without other data (docs/interface.md 8). */
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { type Format, image, photoRows, register, storedFiles, unfinished, uploaded, uploadInOneStep } from "./photos.js";

const gateway = await sharedGateway();

const bytes = (...parts: (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));

/** An image of noise. It compresses badly, so truncating the file always truncates image data. */
const noise = (width = 160, height = 120) =>
  sharp({ create: { width, height, channels: 3, background: "teal", noise: { type: "gaussian", mean: 128, sigma: 50 } } });
const formats: Format[] = ["jpeg", "png", "gif", "webp"];
const whole = Object.fromEntries(
  await Promise.all(formats.map(async (format) => [format, await noise().toFormat(format).toBuffer()])),
) as Record<Format, Buffer>;

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = bytes(type, data);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return bytes(length, body, check);
};
const pngStart = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** An 8-bit RGB PNG. The size in its header need not match the pixels. */
function png(width: number, height: number, pixels: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return bytes(pngStart, chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)), chunk("IEND", new Uint8Array()));
}

const withSize = (file: Buffer, at: number, write: "writeUInt16LE" | "writeUInt16BE", ...sizes: number[]) => {
  const copy = Buffer.from(file);
  sizes.forEach((size, i) => copy[write](size, at + 2 * i));
  return copy;
};
/** Offset of height and width in a JPEG's frame header. */
const frameOf = (file: Buffer) => file.indexOf(Buffer.from([0xff, 0xc0])) + 5;
/** Offset of width and height of a GIF's first frame, after the screen descriptor, colour table and extensions. */
function frameOfGif(file: Buffer): number {
  let at = 13 + 3 * 2 ** ((file[10]! & 7) + 1);
  while (file[at] === 0x21) {
    at += 2;
    while (file[at]) at += file[at]! + 1;
    at++;
  }
  return at + 5;
}

/** Frames that differ from each other. */
const framesOf = async (width: number, height: number, count: number, format: "gif" | "webp") => {
  const frames = Array.from({ length: count }, (_, i) =>
    sharp({ create: { width, height, channels: 3, background: { r: 8 * i, g: 0, b: 0 } } })
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
};

const gifWith = (extension: Buffer) => bytes(whole.gif.subarray(0, whole.gif.length - 1), extension, "\x3b");
const comment = (text: string) => bytes("\x21\xfe", Buffer.from([text.length]), text, "\0");
const zipTail = bytes("PK\x03\x04", Buffer.alloc(26), "a.txt", "PK\x01\x02", Buffer.alloc(42), "PK\x05\x06", Buffer.alloc(18));

const isNone = "is not a JPG, PNG, GIF or WebP image";
const unreadable = "cannot be read as an image";
const isMore = "is more than an image";
const tooMany = "has more than 50 million pixels";

const bad: [name: string, type: string, file: Buffer | Promise<Buffer>, problem: string][] = [
  ["an .exe", "image/jpeg", bytes("MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0", Buffer.alloc(500)), isNone],
  ["an ELF program", "image/png", bytes("\x7fELF\x02\x01\x01", Buffer.alloc(500)), isNone],
  ["a shell script", "image/png", bytes("#!/bin/sh\nrm -rf /\n"), isNone],
  ["SVG", "image/png", bytes('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'), isNone],
  [
    "SVG after an XML declaration",
    "image/gif",
    bytes('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    isNone,
  ],
  ["HTML", "image/jpeg", bytes("<!doctype html><html><script>alert(1)</script></html>"), isNone],
  ["PHP", "image/gif", bytes("<?php system($_GET['c']); ?>"), isNone],
  ["PDF", "image/jpeg", bytes("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF\n"), isNone],
  ["ZIP", "image/webp", zipTail, isNone],
  ["text", "image/png", bytes("just some words\n"), isNone],
  ["JSON", "image/png", bytes('{"type":"image"}'), isNone],
  ["one byte", "image/jpeg", bytes("\xff"), isNone],
  ["zeros", "image/jpeg", Buffer.alloc(5000), isNone],
  [
    "BMP",
    "image/png",
    bytes("BM", Buffer.from([58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]), Buffer.alloc(28)),
    isNone,
  ],
  ["ICO", "image/png", bytes(Buffer.from([0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 32, 0, 48, 0, 0, 0, 22, 0, 0, 0]), Buffer.alloc(48)), isNone],
  ["TIFF", "image/jpeg", noise().tiff().toBuffer(), isNone],
  ["AVIF", "image/webp", noise().avif().toBuffer(), isNone],
  ["HEIC", "image/jpeg", bytes("\0\0\0\x18ftypheic\0\0\0\0heicmif1", Buffer.alloc(500)), isNone],
  ["MP4", "image/gif", bytes("\0\0\0\x18ftypisom\0\0\x02\0isomiso2", Buffer.alloc(500)), isNone],
  ["JPEG 2000", "image/jpeg", bytes("\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0\0\0jp2 ", Buffer.alloc(500)), isNone],
  ["JPEG XL", "image/jpeg", bytes("\xff\x0a", Buffer.alloc(500)), isNone],
  ["Photoshop", "image/png", bytes("8BPS\0\x01", Buffer.alloc(500)), isNone],
  ["WAV, RIFF as WebP is", "image/webp", bytes("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0", Buffer.alloc(100)), isNone],
  ["a photo after an extra byte", "image/png", bytes("x", whole.png), isNone],

  ["GIF89a<script>", "image/gif", bytes("GIF89a<script>alert(1)</script>"), isMore],
  ["GIF89a;<?php", "image/gif", bytes("GIF89a;<?php system($_GET['c']); ?>"), isMore],
  ["a GIF with a script in its comment", "image/gif", gifWith(comment("<ScRiPt>alert(1)</script>")), isMore],
  ["a GIF with PHP in its comment", "image/gif", gifWith(comment("<?php echo 1;")), isMore],
  ["a PNG with HTML appended", "image/png", bytes(whole.png, "<html><body onload=alert(1)>"), isMore],
  [
    "a PNG with a script in a text chunk",
    "image/png",
    bytes(whole.png.subarray(0, 33), chunk("tEXt", bytes("Comment\0<script>alert(1)</script>")), whole.png.subarray(33)),
    isMore,
  ],
  ["a JPEG with ZIP appended", "image/jpeg", bytes(whole.jpeg, zipTail), isMore],
  ["a JPEG with PDF appended", "image/jpeg", bytes(whole.jpeg, "%PDF-1.4\n"), isMore],
  [
    "a JPEG with a script in its comment",
    "image/jpeg",
    bytes(whole.jpeg.subarray(0, 2), "\xff\xfe\0\x1b<script>alert(1)</script", whole.jpeg.subarray(2)),
    isMore,
  ],
  ["a WebP with SVG appended", "image/webp", bytes(whole.webp, '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), isMore],
  ["a script across two read chunks", "image/png", bytes(whole.png, Buffer.alloc(262_144 - whole.png.length - 4), "<script>"), isMore],

  ...formats.map((format): (typeof bad)[number] => [
    `the first 12 bytes of ${format}`,
    `image/${format}`,
    whole[format].subarray(0, 12),
    format === "png" ? isNone : unreadable,
  ]),
  ...formats.map((format): (typeof bad)[number] => [
    `the first 40 bytes of ${format}`,
    `image/${format}`,
    whole[format].subarray(0, 40),
    unreadable,
  ]),
  ...formats.map((format): (typeof bad)[number] => [
    `half of ${format}`,
    `image/${format}`,
    whole[format].subarray(0, whole[format].length / 2),
    unreadable,
  ]),
  [
    "a PNG with corrupt image data",
    "image/png",
    bytes(whole.png.subarray(0, 200), Buffer.alloc(600, 7), whole.png.subarray(800)),
    unreadable,
  ],
  [
    "a PNG without image data",
    "image/png",
    bytes(pngStart, chunk("IHDR", Buffer.from([0, 0, 0, 9, 0, 0, 0, 9, 8, 2, 0, 0, 0])), chunk("IEND", new Uint8Array())),
    unreadable,
  ],
  ["a PNG of width 0", "image/png", png(0, 9, Buffer.alloc(9)), unreadable],

  ["a PNG that claims 100,000 × 100,000 pixels", "image/png", png(100_000, 100_000, Buffer.alloc(1000)), tooMany],
  [
    "a GIF that claims 65,000 × 65,000 pixels",
    "image/gif",
    withSize(withSize(whole.gif, 6, "writeUInt16LE", 65_000, 65_000), frameOfGif(whole.gif), "writeUInt16LE", 65_000, 65_000),
    tooMany,
  ],
  [
    "a JPEG that claims 65,500 × 65,500 pixels",
    "image/jpeg",
    withSize(whole.jpeg, frameOf(whole.jpeg), "writeUInt16BE", 65_500, 65_500),
    tooMany,
  ],
  ["a tiny WebP file whose frames have 60 million pixels together", "image/webp", framesOf(2000, 1000, 30, "webp"), tooMany],
  ["a tiny GIF file whose frames have 60 million pixels together", "image/gif", framesOf(2000, 1000, 30, "gif"), tooMany],
  ["a tiny PNG file of 8,000 × 6,251 pixels", "image/png", png(8000, 6251, Buffer.alloc(6251 * 24_001)), tooMany],

  ...formats.flatMap((given) =>
    formats
      .filter((granted) => granted !== given)
      .map((granted): (typeof bad)[number] => [
        `${given} for a grant of ${granted}`,
        `image/${granted}`,
        whole[given],
        `is image/${given}, not image/${granted}`,
      ]),
  ),
];

async function tenantWithAsset() {
  const tenant = await gateway.newTenant();
  return { tenant, id: (await tenant.createAsset()).id as string };
}

async function expectNothingStored(tenant: Caller): Promise<void> {
  expect(await photoRows(tenant)).toEqual([]);
  expect(storedFiles(tenant)).toEqual([]);
  expect(unfinished(gateway)).toEqual([]);
}

describe("rejected files, none of which is stored", () => {
  test("there are at least 60 cases", () => expect(bad.length).toBeGreaterThanOrEqual(60));

  test.each(bad)("%s as %s", async (_, type, source, problem) => {
    const file = await source;
    const { tenant, id } = await tenantWithAsset();
    const { mediaId } = await uploaded(tenant, id, file, type);
    const { status, body } = await register(tenant, id, mediaId, { filename: "holiday.jpg", type: "image", size: file.length });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: "Invalid file type or size",
        details: { file: `${problem}; request a new upload` },
        code: "BAD_USER_INPUT",
        requestId: expect.any(String),
      },
    });
    await expectNothingStored(tenant);

    const { errors } = await uploadInOneStep(tenant, id, file, { contentType: type, filename: "holiday.jpg" });
    expect(errors?.[0]).toMatchObject({
      message: "Invalid file type or size",
      extensions: { code: "BAD_USER_INPUT", details: { file: `${problem}; request a new upload` } },
    });
    await expectNothingStored(tenant);
  });

  test("an empty file gets no upload grant", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { status, body } = await tenant.rest("POST", `/assets/${id}/photos/presigned-url`, {
      filename: "a.jpg",
      contentType: "image/jpeg",
      size: 0,
    });
    expect({ status, details: body.details }).toEqual({ status: 400, details: { size: "must be a positive number of bytes" } });
    await expectNothingStored(tenant);
  });
});

/** An uncompressed PNG whose pixels contain this text. Image data may contain the magic bytes of other formats. */
const pixelsWith = (words: string) => {
  const pixels = Buffer.alloc(64 * 64 * 3, 0xaa);
  pixels.write(words, 3000, "latin1");
  return sharp(pixels, { raw: { width: 64, height: 64, channels: 3 } })
    .png({ compressionLevel: 0, adaptiveFiltering: false })
    .toBuffer();
};

const frames = (format: "gif" | "webp") =>
  sharp([whole.png, whole.jpeg, whole.webp], { join: { animated: true } })
    .toFormat(format, { loop: 0, delay: [100, 100, 100] })
    .toBuffer();

const good: [name: string, type: string, file: Buffer | Promise<Buffer>][] = [
  ...formats.map((format): (typeof good)[number] => [format, `image/${format}`, whole[format]]),
  ["one pixel", "image/png", image("png", 1, 1)],
  ["a progressive JPEG", "image/jpeg", noise().jpeg({ progressive: true }).toBuffer()],
  ["a CMYK JPEG", "image/jpeg", noise().toColourspace("cmyk").jpeg().toBuffer()],
  ["a grey JPEG", "image/jpeg", noise().greyscale().jpeg().toBuffer()],
  ["a JPEG without subsampling", "image/jpeg", noise().jpeg({ chromaSubsampling: "4:4:4", quality: 100 }).toBuffer()],
  [
    "a JPEG with EXIF and XMP",
    "image/jpeg",
    noise()
      .jpeg()
      .withExif({ IFD0: { Make: "Maker" } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>')
      .toBuffer(),
  ],
  ["a JPEG with a colour profile", "image/jpeg", noise().jpeg().withIccProfile("p3").toBuffer()],
  ["a JPEG padded with zeros, as cameras do", "image/jpeg", bytes(whole.jpeg, Buffer.alloc(4096))],
  ["a 16-bit PNG", "image/png", noise().toColourspace("rgb16").png().toBuffer()],
  ["a PNG with a palette", "image/png", noise().png({ palette: true, colours: 16 }).toBuffer()],
  ["a PNG with transparency", "image/png", noise().ensureAlpha(0.5).png().toBuffer()],
  ["an interlaced PNG", "image/png", noise().png({ progressive: true }).toBuffer()],
  ["an animated GIF", "image/gif", frames("gif")],
  ["an animated WebP", "image/webp", frames("webp")],
  ["a lossless WebP", "image/webp", noise().webp({ lossless: true }).toBuffer()],
  [
    "a WebP with transparency and EXIF",
    "image/webp",
    noise()
      .ensureAlpha(0.5)
      .webp()
      .withExif({ IFD0: { Make: "Maker" } })
      .toBuffer(),
  ],
  ["a GIF with a comment", "image/gif", gifWith(comment("made by hand"))],
  ["an image of 50 million pixels", "image/png", png(8000, 6250, Buffer.alloc(6250 * 24_001))],
  ["pixels that contain <svg", "image/png", pixelsWith("<svg\x01\x02<SVG\xaa")],
  ["pixels that contain PK and <htm", "image/png", pixelsWith("PK\x03\x04PK\x01\x02 <htm <scrip %PDF")],
];

test.each(good)("accepted: %s as %s", async (_, type, source) => {
  const file = await source;
  const { tenant, id } = await tenantWithAsset();
  const { mediaId } = await uploaded(tenant, id, file, type);
  const { status, body } = await register(tenant, id, mediaId, { size: file.length });
  expect(status, JSON.stringify(body)).toBe(201);
  const read = await fetch(body.url);
  expect(read.headers.get("content-type")).toBe(type);
  expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true);
  const thumbnail = await sharp(Buffer.from(await (await fetch(body.thumbnailUrl)).arrayBuffer())).metadata();
  expect(thumbnail).toMatchObject({ format: "webp", space: "srgb" });
  expect(Math.max(thumbnail.width, thumbnail.height)).toBeLessThanOrEqual(320);
  expect(thumbnail.pages ?? 1).toBe(1);
});

test("large images of noise are accepted, whatever bytes they contain", async () => {
  const { tenant, id } = await tenantWithAsset();
  for (const format of ["jpeg", "webp"] as const) {
    const file = await noise(2400, 1800).toFormat(format, { quality: 98 }).toBuffer();
    const { mediaId } = await uploaded(tenant, id, file, `image/${format}`);
    expect((await register(tenant, id, mediaId)).status).toBe(201);
  }
});
