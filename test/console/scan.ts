/** Codes that the console scans: as a picture, and from a photo where there is no camera. */
import type { Page } from "playwright-core";
import encodeQR from "qr";
import sharp from "sharp";

export const pictureOf = (text: string, size: number): Promise<Buffer> =>
  sharp(Buffer.from(encodeQR(text, "svg")))
    .resize(size, size, { kernel: "nearest" })
    .extend({ top: 40, bottom: 40, left: 120, right: 120, background: "#fff" })
    .png()
    .toBuffer();

/** Chooses a photo of a code in the open scanner. */
export async function scanPhoto(page: Page, text: string): Promise<void> {
  await page.getByText("The camera cannot be used here.").waitFor();
  await page.getByLabel("Choose a photo").setInputFiles({ name: "code.png", mimeType: "image/png", buffer: await pictureOf(text, 300) });
}
