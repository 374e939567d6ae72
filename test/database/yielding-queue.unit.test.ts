import { expect, it } from "vitest";
import { YieldingQueue } from "../../src/database/connection/serial-queue.js";

it("calls run one at a time; yielding calls run after the others, and after 20 of them at the latest", async () => {
  const queue = new YieldingQueue();
  const order: string[] = [];
  let running = 0;
  const add = (name: string, isYielding = false) =>
    queue.run(async () => {
      expect(++running).toBe(1);
      order.push(name);
      await Promise.resolve();
      running--;
    }, isYielding);
  const first = add("first");
  const all = [add("y1", true), add("y2", true), ...Array.from({ length: 23 }, (_, i) => add(`o${i}`))];
  await Promise.all([first, ...all]);
  expect(order.slice(0, 4)).toEqual(["first", "o0", "o1", "o2"]);
  expect([order.indexOf("y1"), order.indexOf("y2")]).toEqual([21, 25]);
});

it("a call that fails does not hold up the next", async () => {
  const queue = new YieldingQueue();
  const failed = queue.run(() => Promise.reject(new Error("no")));
  const next = queue.run(async () => "next");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
});
