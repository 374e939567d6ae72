export { type Client, type ClientOptions, createClient, type RequestOptions } from "./client.js";
export type { Credentials, GetToken } from "./credentials.js";
export { type AnswerError, type FieldError, GatewayError } from "./error.js";
export * from "./generated/operations.js";
export type * from "./generated/schema.js";
export type { Document, JsonObject, JsonValue, TypedDocument } from "./types.js";
