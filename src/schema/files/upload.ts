import { Readable } from "node:stream";
import { GraphQLScalarType } from "graphql";
import { GraphQLUpload, Upload as UploadValue } from "graphql-upload-minimal";

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
  parseValue: (value) => GraphQLUpload.parseValue(value) as Promise<IncomingFile>,
  parseLiteral: GraphQLUpload.parseLiteral as never,
  serialize: GraphQLUpload.serialize as never,
  extensions: { jsonSchema: { type: "string", format: "binary" } },
});

/** Wraps a file as a value of the scalar Upload, for requests that are not multipart. */
export function asUpload(file: IncomingFile): unknown {
  const upload = new UploadValue();
  (upload as unknown as { resolve(file: IncomingFile): void }).resolve(file);
  return upload;
}

export const isUpload = (value: unknown): boolean => value instanceof UploadValue;

export const streamOf = (file: Buffer): Readable => Readable.from([file]);
