/** Streams the progress of long requests as JSON lines; the last line is the response (docs/rest.md, "Import"). */
import { PassThrough } from "node:stream";
import accepts from "accepts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RecordedResponse } from "../execution/operation/idempotency.js";

export const linesType = "application/jsonl";

/** Minimum milliseconds between two lines. */
const leastMs = 250;

export const wantsLines = (request: FastifyRequest): boolean => accepts(request.raw).type(["json", linesType]) === linesType;

export class Progress {
  private readonly lines = new PassThrough();
  private toldAt = 0;
  private start!: () => void;
  /** Resolves with the first progress. */
  readonly started = new Promise<void>((resolve) => (this.start = resolve));

  tell = (rows: number): void => {
    const at = performance.now();
    if (rows === 0 || at - this.toldAt < leastMs) return;
    this.toldAt = at;
    this.lines.write(`{"rows":${rows}}\n`);
    this.start();
  };

  /** Sends the lines, and the response in the last line. `refusal` converts an error to a response. */
  send(reply: FastifyReply, answer: Promise<RecordedResponse>, refusal: (error: unknown) => RecordedResponse): FastifyReply {
    void answer.catch(refusal).then(({ status, body }) => this.lines.end(`{"status":${status},"body":${body}}\n`));
    // Proxies would otherwise buffer the lines.
    return reply
      .type(`${linesType}; charset=utf-8`)
      .headers({ "x-accel-buffering": "no", "cache-control": "no-store, no-transform" })
      .send(this.lines);
  }
}
