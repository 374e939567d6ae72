import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { badInput } from "../schema/errors.js";

/** Accepts JSON bodies only. Rejects invalid UTF-8 and the keys `__proto__` and `constructor.prototype` with BAD_USER_INPUT. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    // Many clients send the content type without a body, e.g. on DELETE.
    if (!body.length) return done(null, undefined);
    if (!isUtf8(body)) return done(badInput({ body: "must be UTF-8" }));
    parseJson(request, body.toString(), done);
  });
}
