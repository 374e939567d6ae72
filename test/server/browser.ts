import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

// The shell draws pages as the browser does, without the browser's own windows: a third less CPU.
const programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
export const CHROMIUM = process.env.CHROMIUM ?? programs.find(existsSync) ?? programs[0]!;
export const hasBrowser = existsSync(CHROMIUM);

export const launchBrowser = (...more: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-software-rasterizer",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // Requests to other hosts never leave this machine.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
      ...more,
    ],
  });
