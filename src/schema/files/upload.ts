import { Readable } from "node:stream";
import { GraphQLScalarType } from "graphql";
import { GraphQLUpload, Upload as UploadValue } from "graphql-upload-minimal";
import { badInput } from "../errors.js";

/** An uploaded file. `createReadStream` may be called only once. */
export interface IncomingFile {
  filename: string;
  mimetype: string;
  createReadStream(): Readable;
}

/** A file argument. graphql-upload-minimal provides it in GraphQL requests, `asUpload` in REST requests. */
export const Upload = new GraphQLScalarType<Promise<IncomingFile>, never>({
  name: "Upload",
  specifiedByURL: "https://github.com/jaydenseric/graphql-multipart-request-spec",
  description: "A file, sent according to the GraphQL multipart request specification.",
  parseValue: (value) => arrived(GraphQLUpload.parseValue(value) as Promise<IncomingFile>),
  parseLiteral: GraphQLUpload.parseLiteral as never,
  serialize: GraphQLUpload.serialize as never,
  extensions: { jsonSchema: { type: "string", format: "binary" } },
});

/** Reports a malformed or truncated form as a client error. Otherwise, clients would see the library's error as an internal failure. */
function arrived(file: Promise<IncomingFile>): Promise<IncomingFile> {
  const known = file.then(
    (sent) => ({
      filename: endOf(sent.filename),
      mimetype: sent.mimetype,
      createReadStream: () => Readable.from(contentOf(sent)),
    }),
    (error: Error & { status?: number }) => {
      throw error.status === 400 ? badInput({ file: "is named in map and does not follow; send it as a part of the form" }) : incomplete();
    },
  );
  // Prevents an unhandled rejection while no caller waits for the file.
  known.catch(() => {});
  return known;
}

const incomplete = () => badInput({ file: "was not sent to its end, or its part of the form is malformed" });

async function* contentOf(file: IncomingFile): AsyncGenerator<Buffer> {
  try {
    yield* file.createReadStream();
  } catch {
    throw incomplete();
  }
}

/** Returns the last 255 characters without splitting a surrogate pair. Names usually differ at the end. */
const endOf = (filename: string) => filename.slice(-255).replace(/^[\uDC00-\uDFFF]/, "");

/** Wraps a file as a value of the scalar Upload, for requests that are not multipart. */
export function asUpload(file: IncomingFile): unknown {
  const upload = new UploadValue();
  (upload as unknown as { resolve(file: IncomingFile): void }).resolve(file);
  return upload;
}

export const isUpload = (value: unknown): boolean => value instanceof UploadValue;

export const streamOf = (file: Buffer): Readable => Readable.from([file]);
