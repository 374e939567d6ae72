import { expect, test } from "vitest";
import { readConfig } from "../../src/config.js";
import type { Database } from "../../src/database/database.js";
import type { Actor } from "../../src/domain/access/keys.js";
import { Admission } from "../../src/execution/admission/admission.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test.each(["slow", "long"] as const)("a %s operation behind those of its tenant does not block another tenant's", async (lane) => {
  const config = readConfig({ RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0", MAX_RUNNING: "2", MAX_RUNNING_LONG: "1" });
  const admission = new Admission(config, { kind: "embedded", load: () => ({}) } as unknown as Database);
  const order: string[] = [];
  const run = (tenantId: string, keyId: string, asked: "short" | "long", work: () => Promise<void>) =>
    admission.run(
      { actor: { tenantId, keyId } as Actor, lifetime: undefined },
      { cost: 1, lane: asked },
      async () => {
        await work();
        order.push(`${tenantId} ${keyId}`);
      },
      () => 1,
    );
  const asked = lane === "long" ? "long" : "short";
  const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 600));
  if (lane === "slow") await Promise.all([run("heavy", lane, asked, slowly), run("light", lane, asked, slowly)]);
  order.length = 0;

  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const all = Array.from({ length: 30 }, () => run("heavy", "short", "short", () => released.then(turn)));
  all.push(run("heavy", lane, asked, turn));
  await turn();
  all.push(run("light", lane, asked, turn));
  release();
  await Promise.all(all);
  expect(order).toHaveLength(32);
  expect(order.indexOf(`light ${lane}`)).toBeLessThan(10);
});
