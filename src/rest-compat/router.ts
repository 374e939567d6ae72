/** The documented paths on fastify: each request is bound to its route's operation, run by the shared executor, and sent. */
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import accepts from "accepts";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isScalarType,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { checkedKey, fingerprintOf, once, type RecordedAnswer } from "../domain/idempotency.js";
import type { Actor } from "../domain/keys.js";
import { type Context, makeContext, type Services } from "../resolvers/context.js";
import { tooLarge, unauthenticated } from "../schema/errors.js";
import { streamOf } from "../schema/upload.js";
import { compileOperation, type LogFailure, type Run } from "../server/executor.js";
import { presentable } from "../server/failure.js";
import { type Bound, bind, type Parameter, parametersOf } from "./bind.js";
import type { Route } from "./route.js";
import { assetRoutes } from "./routes/asset.js";
import { componentRoutes } from "./routes/component.js";
import { inventoryRoutes } from "./routes/inventory.js";
import { notificationRoutes } from "./routes/notification.js";
import { partRoutes } from "./routes/part.js";
import { photoRoutes } from "./routes/photo.js";
import { procedureRoutes } from "./routes/procedure.js";
import { strategyRoutes } from "./routes/strategy.js";
import { templateRoutes } from "./routes/template.js";
import { dropNulls, refusal } from "./wire.js";
import { inWords } from "./words.js";

export const routes: Route[] = [
  ...assetRoutes,
  ...componentRoutes,
  ...templateRoutes,
  ...partRoutes,
  ...inventoryRoutes,
  ...photoRoutes,
  ...procedureRoutes,
  ...strategyRoutes,
  ...notificationRoutes,
];

export interface CompiledRoute {
  route: Route;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  parameters: Parameter[];
  run: Run;
  /** Names in the answer that hold objects of the client's own making. */
  freeObjects: string[];
}

/** Parses, validates and compiles every route; throws at start for a bad one. */
export function compileRoutes(schema: GraphQLSchema, logFailure: LogFailure): { schema: GraphQLSchema; compiled: CompiledRoute[] } {
  const worded = inWords(schema);
  const compiled = routes.map((route) => {
    const document = parse(route.operation, { noLocation: true });
    const [problem] = validate(worded, document);
    if (problem) throw new Error(`${route.method} ${route.path}: ${problem.message}`);
    const operation = document.definitions.find((definition) => definition.kind === "OperationDefinition")!;
    return {
      route,
      document,
      operation,
      parameters: parametersOf(worded, operation, route),
      freeObjects: freeObjectsOf(worded, document),
      run: compileOperation(worded, document, undefined, logFailure),
    };
  });
  return { schema: worded, compiled };
}

function freeObjectsOf(schema: GraphQLSchema, document: DocumentNode): string[] {
  const names: string[] = [];
  const types = new TypeInfo(schema);
  const Field = (node: FieldNode) => {
    const type = getNamedType(types.getType());
    const { type: json } = (isScalarType(type) && (type.extensions.jsonSchema as { type?: string })) || {};
    if (json === "object" || json === "array") names.push(node.alias?.value ?? node.name.value);
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return names;
}

const dig = (value: any, path: string | undefined): unknown => (path ? path.split(".").reduce((at, name) => at?.[name], value) : value);

function handlerOf(
  { route, parameters, run, freeObjects }: CompiledRoute,
  services: Services,
  baseUrlOf: (request: FastifyRequest) => string,
  logFailure: LogFailure,
) {
  const nullable = new Set(route.nullable);
  const opaque = new Set(freeObjects);

  async function execute({ variables, callersName }: Bound, context: Context): Promise<RecordedAnswer> {
    const { data, errors } = await run(variables, context);
    if (errors?.length) {
      const { status, body } = refusal(errors[0]!, context.requestId, (field) => route.renamed?.[field] ?? callersName(field));
      return { status, body: JSON.stringify(body) };
    }
    const [root] = Object.values(data!);
    let answer = dig(root, route.answer);
    if (route.shape) answer = route.shape.of(answer);
    if (typeof answer === "object" && answer !== null) dropNulls(answer, nullable, opaque);
    return { status: route.status ?? 200, body: typeof answer === "string" ? answer : JSON.stringify(answer) };
  }

  return async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const key = route.method === "GET" ? undefined : request.headers["idempotency-key"];
      const file = route.file && key !== undefined ? await readFile(request.body as Readable, services.importLimits.maxBytes) : undefined;
      const body = file ? streamOf(file) : request.body;
      const bound = bind(parameters, { params: request.params as never, query: request.query as never, body }, route.body);
      const context: Context = makeContext(services, request.actor!, { id: request.id, baseUrl: baseUrlOf(request) });
      if (bound.unknown.length)
        reply.header("warning", `299 - "Unknown fields ignored: ${bound.unknown.map(headerSafe).join(", ").slice(0, 500)}"`);
      if (key === undefined) return sendAnswer(reply, await execute(bound, context));
      const sent = file ? createHash("sha256").update(file).digest("hex") : request.body;
      const print = fingerprintOf(context.actor.keyId, request.method, request.url, sent);
      const answer = await once(context.db, checkedKey(key), print, () => execute(bound, context));
      if (answer.replayed) reply.header("idempotent-replayed", "true");
      return sendAnswer(reply, answer);
    } catch (error) {
      return sendRefusal(reply, request, error, logFailure);
    }
  };
}

/** A whole file, where what was sent must be known before it is used. Throws PAYLOAD_TOO_LARGE. */
async function readFile(stream: Readable, maxSize: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxSize) throw tooLarge(maxSize, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sendAnswer(reply: FastifyReply, { status, body }: RecordedAnswer) {
  if (status === 503) reply.header("retry-after", "2");
  return reply.code(status).type("application/json; charset=utf-8").send(body);
}

const headerSafe = (text: string) => text.replace(/[^\x21-\x7e]|["\\]/g, "?");

function sendRefusal(reply: FastifyReply, request: FastifyRequest, error: unknown, logFailure: LogFailure) {
  const shown = presentable(error, request.id, (cause) => logFailure(cause, request.id));
  const { status, body } = refusal(shown, request.id);
  if (status === 401) reply.header("www-authenticate", "Bearer");
  if (status === 503) reply.header("retry-after", "2");
  return reply.code(status).send(body);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the route's body is, where not JSON. */
    mediaType?: string;
  }
  interface FastifyRequest {
    actor?: Actor;
  }
}

const methods: HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Mounts the routes; a known path with another method answers 405. */
export function mountRoutes(
  app: FastifyInstance,
  compiled: CompiledRoute[],
  services: Services,
  baseUrlOf: (request: FastifyRequest) => string,
  logFailure: LogFailure,
): void {
  const authenticate = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      if (!accepts(request.raw).type("json")) throw new NotAcceptable();
      request.actor = await services.keys.authenticate(request.headers.authorization);
      if (!request.actor) throw unauthenticated();
    } catch (error) {
      if (error instanceof NotAcceptable)
        return reply
          .code(406)
          .send({ error: "Not acceptable", message: "Answers are application/json", code: "NOT_ACCEPTABLE", requestId: request.id });
      return sendRefusal(reply, request, error, logFailure);
    }
  };
  const taken = new Map<string, Set<string>>();
  for (const entry of compiled) {
    const { method, path } = entry.route;
    const options = { method, url: path, onRequest: authenticate, handler: handlerOf(entry, services, baseUrlOf, logFailure) };
    const { file } = entry.route;
    if (file) {
      app.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser(file, (_request, payload, done) => done(null, payload));
        scope.route({ ...options, config: { mediaType: file } });
      });
    } else app.route(options);
    const known = taken.get(path) ?? new Set(["OPTIONS"]);
    taken.set(path, known.add(method));
    if (method === "GET") known.add("HEAD");
  }
  for (const [url, known] of taken) {
    const allow = [...known].join(", ");
    app.route({ method: "OPTIONS", url, handler: (_, reply) => reply.header("allow", allow).code(204).send() });
    app.route({
      method: methods.filter((method) => !known.has(method as string)) as HTTPMethods[],
      url,
      handler: (request, reply) =>
        reply
          .header("allow", allow)
          .code(405)
          .send({ error: "Method not allowed", message: `Use ${allow}`, code: "METHOD_NOT_ALLOWED", requestId: request.id }),
    });
  }
}

class NotAcceptable extends Error {}
