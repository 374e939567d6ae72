import { Readable } from "node:stream";
import { GraphQLScalarType } from "graphql";
import { GraphQLUpload, Upload as Part } from "graphql-upload-minimal";

/** A file on its way in. `createReadStream` may be called once. */
export interface IncomingFile {
  filename: string;
  mimetype: string;
  createReadStream(): Readable;
}

/** The file part of a multipart request. Parsed by graphql-upload-minimal for GraphQL, handed over by the REST routes. */
export const Upload = new GraphQLScalarType<Promise<IncomingFile>, never>({
  name: "Upload",
  description: "A file, sent as the GraphQL multipart request specification says.",
  parseValue: (value) => GraphQLUpload.parseValue(value) as Promise<IncomingFile>,
  parseLiteral: GraphQLUpload.parseLiteral as never,
  serialize: GraphQLUpload.serialize as never,
  extensions: { jsonSchema: { type: "string", format: "binary" } },
});

/** A variable of type Upload made of a stream that is already here. */
export function asUpload(file: IncomingFile): unknown {
  const part = new Part();
  (part as unknown as { resolve(file: IncomingFile): void }).resolve(file);
  return part;
}

export const isUpload = (value: unknown): boolean => value instanceof Part;

export const streamOf = (file: Buffer): Readable => Readable.from([file]);
