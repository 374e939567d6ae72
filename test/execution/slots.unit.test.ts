import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Cancellation } from "../../src/database/cancellation.js";
import { type ReleaseSlot, Slots } from "../../src/execution/admission/slots.js";

const limits = { size: 4, tenantQueue: 3, queue: 5, waitMs: 10_000 };

/** Names of the started requests in order. `end` finishes a request. */
function recorder(slots: Slots) {
  const started: string[] = [];
  const ends = new Map<string, ReleaseSlot>();
  const refused: string[] = [];
  const start = (name: string) => (end: ReleaseSlot) => {
    started.push(name);
    ends.set(name, end);
  };
  return {
    started,
    refused,
    ends,
    enter(tenant: string, name: string, holds = false) {
      try {
        const turn = slots.enter(tenant, undefined, { holds });
        if (typeof turn === "function") start(name)(turn);
        else turn.then(start(name), () => refused.push(name));
      } catch (error) {
        refused.push(`${name} ${(error as { code: string }).code}`);
      }
    },
    async end(name: string) {
      ends.get(name)!();
      ends.delete(name);
      await Promise.resolve();
    },
  };
}

describe("slots", () => {
  it("a single tenant has all; a second one gets the next free slots, until both have half", async () => {
    const { enter, end, started } = recorder(new Slots(limits));
    for (const name of ["a1", "a2", "a3", "a4", "a5", "a6"]) enter("a", name);
    for (const name of ["b1", "b2", "b3"]) enter("b", name);
    expect(started).toEqual(["a1", "a2", "a3", "a4"]);
    for (const name of ["a1", "a2", "a3", "a4"]) await end(name);
    expect(started.slice(4)).toEqual(["b1", "b2", "a5", "a6"]);
  });

  it("a holder of a slot in a lane of few waits next to the other operations of its tenant, in its share of the slots", async () => {
    const { enter, end, started } = recorder(new Slots({ size: 2, tenantQueue: 30, queue: 60, waitMs: 10_000 }));
    for (let i = 1; i <= 9; i++) enter("a", `a${i}`);
    enter("a", "slow", true);
    enter("b", "b1");
    for (const name of ["a1", "a2", "a3", "b1"]) await end(name);
    expect(started).toEqual(["a1", "a2", "b1", "a3", "slow", "a4"]);
  });

  it("refuses a request with 429 if its tenant's queue is full, and with 503 if the common queue is full", () => {
    const { enter, refused } = recorder(new Slots(limits));
    for (const name of ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"]) enter("a", name);
    for (const name of ["b1", "b2", "b3"]) enter("b", name);
    expect(refused).toEqual(["a8 RATE_LIMITED", "b3 SERVICE_UNAVAILABLE"]);
  });

  it("refuses waiting requests while the running ones make no progress, and only then", async () => {
    let isStuck = false;
    const slots = new Slots({ ...limits, size: 1, isStuck: () => isStuck });
    const end = slots.enter("a") as ReleaseSlot;
    const patient = slots.enter("a") as Promise<ReleaseSlot>;
    await sleep(900);
    end();
    const last = await patient;
    isStuck = true;
    await expect(slots.enter("b")).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect([slots.load, slots.refused.wait]).toEqual([{ running: 1, waiting: 0 }, 1]);
    last();
    expect(typeof slots.enter("b")).toBe("function");
  });

  it("gives up a wait that is too long, and a request whose client is gone", async () => {
    const slots = new Slots({ ...limits, size: 1, waitMs: 20 });
    const end = slots.enter("a") as ReleaseSlot;
    await expect(slots.enter("a")).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    const client = new Cancellation();
    const waiting = slots.enter("a", client);
    client.cancel(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    expect(slots.load).toEqual({ running: 1, waiting: 0 });
    end();
    end();
    expect(slots.load).toEqual({ running: 0, waiting: 0 });
  });

  it("never leaves a slot free while a request waits, never grants more than there are, and serves each tenant in order", async () => {
    const step = fc.oneof(fc.record({ tenant: fc.constantFrom("a", "b", "c") }), fc.record({ ended: fc.nat() }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const slots = new Slots(limits);
        const { enter, end, started, ends } = recorder(slots);
        let count = 0;
        for (const action of steps) {
          const running = [...ends.keys()];
          if ("tenant" in action) enter(action.tenant, `${action.tenant}${count++}`);
          else if (running.length) await end(running[action.ended % running.length]!);
          const { running: taken, waiting } = slots.load;
          expect(taken).toBe(ends.size);
          expect(taken).toBeLessThanOrEqual(limits.size);
          if (waiting) expect(taken).toBe(limits.size);
          for (const tenant of ["a", "b", "c"]) {
            const order = started.filter((name) => name.startsWith(tenant)).map((name) => Number(name.slice(1)));
            expect(order).toEqual([...order].sort((x, y) => x - y));
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
