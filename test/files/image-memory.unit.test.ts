/** A photo with many pixels in few bytes takes little memory, and a broken photo is still detected. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { BadFile, PhotoReader } from "../../src/domain/files/image.js";

const folder = mkdtempSync(join(tmpdir(), "photos-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reader = new PhotoReader({ maxPixels: 50_000_000, maxDecoding: 2, maxDecodingBytes: 512 * 1_048_576, keepLocation: true });

function prepare(content: Buffer): Promise<Buffer> {
  const path = join(folder, "photo");
  writeFileSync(path, content);
  return reader.prepare({ path, size: content.length }, "image/webp", "tenant");
}

/** True if the system reports the peak memory of a process and can reset it. */
const peakIsKnown = existsSync("/proc/self/clear_refs");
const memory = (name: "VmRSS" | "VmHWM") =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))![1]) * 1024;

describe("a WebP image", () => {
  test.runIf(peakIsKnown)("of 49 million pixels in 2 KB is decoded in less than 4 bytes a pixel", async () => {
    const content = await sharp({ create: { width: 7_000, height: 7_000, channels: 3, background: "teal" } })
      .webp({ lossless: true })
      .toBuffer();
    expect(content.length).toBeLessThan(2_000);
    writeFileSync("/proc/self/clear_refs", "5");
    const before = memory("VmRSS");
    const thumbnail = await prepare(content);
    expect(memory("VmHWM") - before).toBeLessThan(49_000_000 * 4);
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: "webp", width: 320, height: 320 });
  });

  test.each([true, false])("whose data ends early is rejected, with any header (lossless: %s)", async (lossless) => {
    const width = 800;
    const pixels = Buffer.from(Array.from({ length: width * width * 3 }, (_, i) => (i * 7_919 * (i % 251)) & 255));
    const whole = await sharp(pixels, { raw: { width, height: width, channels: 3 } })
      .webp({ lossless })
      .toBuffer();
    expect((await sharp(await prepare(whole)).metadata()).width).toBe(320);
    const cut = Buffer.from(whole.subarray(0, Math.floor(whole.length / 2) & ~1));
    await expect(prepare(cut)).rejects.toThrow(BadFile);
    cut.writeUInt32LE(cut.length - 8, 4);
    cut.writeUInt32LE(cut.length - 20, 16);
    await expect(prepare(cut)).rejects.toThrow(BadFile);
  });
});
