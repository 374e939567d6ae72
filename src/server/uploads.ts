/** GraphQL multipart requests: an operation with its files, which resolvers read as streams. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ASTNode, parse, visit } from "graphql";
import { processRequest } from "graphql-upload-minimal";
import { badInput, ServiceError } from "../schema/errors.js";
import { isUpload } from "../schema/files/upload.js";

// A form maps its files to paths, and a path like `toString.call` would let the library overwrite a shared function.
for (const { prototype } of [Object, Function, Array, String, Number, Boolean]) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value === "function" && name !== "constructor") Object.freeze(value);
  }
}

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
    const operations = await processRequest(raw, reply.raw, { maxFileSize, maxFiles: 10 });
    checkUsedOnce(operations);
    return operations;
  } catch (error) {
    const { status, message } = error as Error & { status?: number };
    if (error instanceof ServiceError) throw error;
    throw status && status < 500 ? error : badInput({ body: `must be a multipart form with operations and map: ${message}` });
  }
}

/** A file is a stream that only one field can read. A second field would find it empty after the first has done its work. */
function checkUsedOnce(operations: unknown): void {
  const { query, variables } = operations as { query?: unknown; variables?: unknown };
  const places = [...uploadsIn(variables, ["variables"])];
  const seen = new Set<unknown>();
  for (const { value, path } of places) {
    if (seen.has(value)) throw badInput({ [path.join(".")]: usedTwice });
    seen.add(value);
  }
  if (typeof query !== "string" || !places.length) return;
  for (const name of repeatedVariables(query))
    if (places.some(({ path }) => path[1] === name)) throw badInput({ [`variables.${name}`]: usedTwice });
}

const usedTwice = "is a file that is used twice; send it once for each place";

function* uploadsIn(value: unknown, path: string[]): Generator<{ value: unknown; path: string[] }> {
  if (isUpload(value)) yield { value, path };
  else if (typeof value === "object" && value !== null && path.length < 64)
    for (const [key, entry] of Object.entries(value)) yield* uploadsIn(entry, [...path, key]);
}

/** Variables that an operation of the document uses more than once. Documents that cannot be parsed are refused later. */
function repeatedVariables(query: string): Set<string> {
  const repeated = new Set<string>();
  try {
    for (const definition of parse(query, { maxTokens: 5_000 }).definitions) {
      const used = new Set<string>();
      visit(definition as ASTNode, {
        VariableDefinition: () => false,
        Variable({ name }) {
          if (used.has(name.value)) repeated.add(name.value);
          used.add(name.value);
        },
      });
    }
  } catch {}
  return repeated;
}
