import { AsyncLocalStorage } from "node:async_hooks";
import { expect, it } from "vitest";
import { FairQueue } from "../../src/database/connection/serial-queue.js";

/** Adds calls to a queue and lists their names in the order in which they ran. */
function recorded() {
  const queue = new FairQueue();
  const order: string[] = [];
  let running = 0;
  const add = (name: string, tenant = "", isYielding = false) =>
    queue.run(
      async () => {
        expect(++running).toBe(1);
        order.push(name);
        await Promise.resolve();
        running--;
      },
      tenant,
      isYielding,
    );
  return { add, order };
}

it("runs calls one at a time; yielding calls run after the others, and after 20 of them at the latest", async () => {
  const { add, order } = recorded();
  const first = add("first");
  const all = [add("y1", "", true), add("y2", "", true), ...Array.from({ length: 23 }, (_, i) => add(`o${i}`))];
  await Promise.all([first, ...all]);
  expect(order.slice(0, 4)).toEqual(["first", "o0", "o1", "o2"]);
  expect([order.indexOf("y1"), order.indexOf("y2")]).toEqual([21, 25]);
});

it("serves tenants in turns, each in the order of its calls", async () => {
  const { add, order } = recorded();
  await Promise.all([
    ...["a1", "a2", "a3", "a4"].map((name) => add(name, "a")),
    ...["b1", "b2"].map((name) => add(name, "b")),
    add("c1", "c"),
    ...["y1", "y2"].map((name) => add(name, "a", true)),
    add("z1", "b", true),
  ]);
  expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4", "y1", "z1", "y2"]);
});

it("lets a call that arrives during a long one run before the waiting calls of a busy tenant", async () => {
  const { add, order } = recorded();
  const queue = new FairQueue();
  const busy = (name: string) =>
    queue.run(async () => {
      order.push(name);
      // Blocks the process, as the embedded database does.
      for (const end = performance.now() + 10; performance.now() < end; );
    }, "busy");
  const all = ["busy 1", "busy 2", "busy 3"].map(busy);
  const arrived = new Promise<void>((resolve) => setImmediate(() => resolve(queue.run(async () => void order.push("other"), "other"))));
  await Promise.all([...all, arrived, add("unrelated")]);
  expect(order.filter((name) => name !== "unrelated")).toEqual(["busy 1", "other", "busy 2", "busy 3"]);
});

it("lets a request run between the calls of a long operation, although it takes several rounds of the event loop", async () => {
  const { order } = recorded();
  const queue = new FairQueue();
  const rounds = async (count: number) => {
    for (let i = 0; i < count; i++) await new Promise(setImmediate);
  };
  const block = async (name: string) => {
    order.push(name);
    for (const end = performance.now() + 10; performance.now() < end; );
  };
  // Each call follows the one before, so that the queue is empty in between.
  const operation = async () => {
    for (const name of ["long 1", "long 2", "long 3"]) await queue.run(() => block(name), "busy", true);
  };
  const request = async () => {
    await rounds(5);
    await queue.run(async () => void order.push("statement"), "other");
    await rounds(5);
    order.push("response");
  };
  await Promise.all([operation(), request()]);
  expect(order).toEqual(["long 1", "statement", "response", "long 2", "long 3"]);
});

it("runs each call in the context of its caller, also if another caller started the loop", async () => {
  const queue = new FairQueue();
  const context = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const call = (name: string) =>
    context.run(name, () =>
      queue.run(async () => {
        seen.push(context.getStore());
        for (const end = performance.now() + 10; performance.now() < end; );
        await Promise.resolve();
        seen.push(context.getStore());
      }, name),
    );
  const first = call("a");
  const later = new Promise<void>((resolve) => setImmediate(() => resolve(call("c"))));
  await Promise.all([first, call("b"), later]);
  expect([...seen].sort()).toEqual(["a", "a", "b", "b", "c", "c"]);
  for (let i = 0; i < seen.length; i += 2) expect(seen[i]).toBe(seen[i + 1]);
});

it("runs the next call after one that fails", async () => {
  const queue = new FairQueue();
  const failed = queue.run(() => Promise.reject(new Error("no")));
  const next = queue.run(async () => "next");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
});
