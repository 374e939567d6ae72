/** GraphQL multipart requests: an operation with its files, which resolvers read as streams. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { processRequest } from "graphql-upload-minimal";
import { badInput } from "../schema/errors.js";

// A form maps its files to paths, and a path like `toString.call` would let the library overwrite a shared function.
for (const { prototype } of [Object, Function, Array, String, Number, Boolean]) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value === "function" && name !== "constructor") Object.freeze(value);
  }
}

export const isForm = ({ method, headers }: FastifyRequest): boolean =>
  method === "POST" && Boolean(headers["content-type"]?.startsWith("multipart/form-data"));

/** Returns the operation of a form. Throws BAD_USER_INPUT for a malformed form, and errors with a 4xx `status`, e.g. for too many files. */
export async function readForm({ raw }: FastifyRequest, reply: FastifyReply, maxFileSize: number): Promise<unknown> {
  // A file that no resolver reads would block the next request on the connection.
  reply.raw.once("finish", () => raw.unpipe().resume());
  // The library handles only the first error of its parser; a second one would crash the process.
  const { pipe } = raw;
  raw.pipe = (parser, options) =>
    pipe.call(
      raw,
      parser.on("error", () => {}),
      options,
    ) as never;
  try {
    return await processRequest(raw, reply.raw, { maxFileSize, maxFiles: 10 });
  } catch (error) {
    const { status, message } = error as Error & { status?: number };
    throw status && status < 500 ? error : badInput({ body: `must be a multipart form with operations and map: ${message}` });
  }
}
