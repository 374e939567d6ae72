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

/** The library says that a file never came by an error of its own, which clients would see as a failure inside. */
function arrived(file: Promise<IncomingFile>): Promise<IncomingFile> {
  const known = file.catch((error: Error & { status?: number }) => {
    throw error.status === 400 ? badInput({ file: "is named in map and does not follow; send it as a part of the form" }) : error;
  });
  // Nobody may be waiting for it yet.
  known.catch(() => {});
  return known;
}

/** Wraps a file as a value of the scalar Upload, for requests that are not multipart. */
export function asUpload(file: IncomingFile): unknown {
  const upload = new UploadValue();
  (upload as unknown as { resolve(file: IncomingFile): void }).resolve(file);
  return upload;
}

export const isUpload = (value: unknown): boolean => value instanceof UploadValue;

export const streamOf = (file: Buffer): Readable => Readable.from([file]);
