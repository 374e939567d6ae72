/** Forms of the GraphQL multipart request: the operation with its files, which the resolvers that take them stream. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { processRequest } from "graphql-upload-minimal";
import { badInput } from "../schema/errors.js";

// A form says by paths where its files go, and a path like `toString.call` would lead the library to a function everyone shares.
for (const { prototype } of [Object, Function, Array, String, Number, Boolean]) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value === "function" && name !== "constructor") Object.freeze(value);
  }
}

export const isForm = ({ method, headers }: FastifyRequest): boolean =>
  method === "POST" && Boolean(headers["content-type"]?.startsWith("multipart/form-data"));

/** Throws for a form that is malformed or too large. */
export async function readForm({ raw }: FastifyRequest, reply: FastifyReply, maxFileSize: number): Promise<unknown> {
  // A file that nobody read would hold up the next request on the connection.
  reply.raw.once("finish", () => raw.unpipe().resume());
  // The library hears the first error of its parser only; a second one would end the process.
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
