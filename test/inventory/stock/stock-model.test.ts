/**
 * Stock and its value compared with a model in exact decimals: after any operations, every response, movement and view agrees to the last
 * digit. `npm run test:ledger` runs 10,000 operations. This test runs few.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { sharedGateway } from "../../world.js";
import { type Document, Documents, document, shown } from "./stock-documents.js";
import type { Adjusted } from "./stock-model.js";
import { atOnce, type Operation, operation, Pair } from "./stock-pair.js";

const gateway = await sharedGateway();
const operationsOfRun = Number(process.env.LEDGER_OPERATIONS ?? 150);
const runs = Number(process.env.LEDGER_RUNS ?? 3);
/** Number of operations between two comparisons of the views. */
const every = Number(process.env.LEDGER_EVERY ?? 50);

const ofDocuments = new Set(["reverse", "use", "giveBack", "count", "approveCount", "rejectCount", "history", "close", "reopen"]);
const isDocument = (op: Operation | Document): op is Document => ofDocuments.has(op.kind);

test(`${operationsOfRun} operations have the same results as in the model`, { timeout: 300_000 + operationsOfRun * 400 }, async () => {
  const kinds = new Map<string, number>();
  const property = fc.asyncProperty(
    fc.array(fc.oneof({ weight: 3, arbitrary: operation }, { weight: 1, arbitrary: document }), {
      minLength: operationsOfRun,
      maxLength: operationsOfRun,
      size: "max",
    }),
    fc.infiniteStream(fc.double({ min: 0, max: 0.999_999, noNaN: true })),
    async (operations, numbers) => {
      const random = () => numbers.next().value as number;
      const pair = await Pair.begin(gateway);
      const documents = await Documents.begin(pair);
      for (const [index, op] of operations.entries()) {
        const [actual, expected] = await (isDocument(op) ? documents.both(op) : pair.both(op));
        expect(actual, `operation ${index}: ${shown(op)}`).toEqual(expected);
        const name = `${op.kind} ${expected.status}`;
        kinds.set(name, (kinds.get(name) ?? 0) + 1);
        if (index % every === every - 1) await pair.compare(random);
      }
    },
  );
  await fc.assert(property, { numRuns: runs, endOnFailure: true });
  // A short run may not cover every operation.
  if (operationsOfRun * runs < 1_000) return;
  for (const kind of [
    "receipt 200",
    "issue 200",
    "transfer 200",
    "gain 200",
    "loss 200",
    "set 200",
    "reject 200",
    "issue 409",
    "reserve 409",
    "reverse 200",
    "use 200",
    "giveBack 200",
    "count 200",
    "history 200",
    "history 409",
    "close 200",
  ])
    expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(0);
});

test("concurrent operations have the same result as their movements one after the other", {
  timeout: 300_000 + operationsOfRun * 400,
}, async () => {
  const random = fc.sample(fc.double({ min: 0, max: 0.999_999, noNaN: true }), 200)[Symbol.iterator]();
  const pair = await Pair.begin(gateway);
  const operations = fc.sample(operation, operationsOfRun).map(atOnce);
  for (let start = 0; start < operations.length; start += every) {
    const turn = operations.slice(start, start + every).values();
    const client = async () => {
      for (const op of turn) {
        const { status, id } = await pair.send(op);
        expect([200, 400, 403, 404, 409], op.kind).toContain(status);
        if (id && "by" in op) pair.adjusted.unshift({ id } as Adjusted);
      }
    };
    await Promise.all(Array.from({ length: 6 }, client));
    await pair.reckon();
    await pair.compare(() => random.next().value ?? 0);
  }
});
