import { expect, it } from "vitest";
import { byTimeLeft } from "../../src/server/unsent.js";

it("clients that do not read come first, the largest before others; then the slowest, however much is unsent", () => {
  const clients = [
    { name: "24 MB at 10 MB", unsent: 24_000_000, rate: 10_000_000 },
    { name: "2 MB at 1 KB", unsent: 2_000_000, rate: 1_000 },
    { name: "1 MB, unread", unsent: 1_000_000, rate: 0 },
    { name: "24 MB at 1 KB", unsent: 24_000_000, rate: 1_000 },
    { name: "24 MB, just begun", unsent: 24_000_000, rate: Number.POSITIVE_INFINITY },
    { name: "3 MB, unread", unsent: 3_000_000, rate: 0 },
  ];
  expect(clients.sort(byTimeLeft).map(({ name }) => name)).toEqual([
    "3 MB, unread",
    "1 MB, unread",
    "24 MB at 1 KB",
    "2 MB at 1 KB",
    "24 MB at 10 MB",
    "24 MB, just begun",
  ]);
});
