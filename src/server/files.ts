/** Files over HTTP: /uploads receives files that an upload grant allows (local storage only), /files serves signed links. */
import type { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isShownInline } from "../domain/files/attachment-file.js";
import { type FileVariant, isValidLink, secondsLeft } from "../domain/files/file-links.js";
import { findFile, openFile } from "../domain/files/stored-file.js";
import { checkForm, receiveFile, tenantOfKey } from "../domain/files/upload-intake.js";
import { type Services, scopeOf } from "../resolvers/context.js";
import { badInput, forbidden, notFound, type ServiceError } from "../schema/errors.js";

export const fileHeaders = {
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
};

export const disposition = (filename: string, isInline: boolean) => {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\/]/g, "_");
  return `${isInline ? "inline" : "attachment"}; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;
};

export function registerFiles(app: FastifyInstance, services: Services): void {
  if (services.storage.kind === "local") {
    app.register(async (uploads) => {
      uploads.addContentTypeParser("multipart/form-data", (_request, _payload, done) => done(null));
      uploads.post("/uploads", async (request, reply) => {
        await receive(request, services).finally(() => {
          request.raw.unpipe();
          request.raw.resume();
        });
        return reply.code(204).send();
      });
    });
  }

  app.get("/files/:tenantId/:mediaId", async (request, reply) => {
    const { tenantId, mediaId: id } = request.params as { tenantId: string; mediaId: string };
    const { variant, expires = "", signature = "" } = request.query as Record<string, string>;
    const scope = scopeOf(services, tenantId);
    const secret = await scope.secret().catch(() => undefined);
    const target = { tenantId, id, variant: variant as FileVariant };
    if (!secret || !isValidLink(target, String(expires), String(signature), secret))
      throw forbidden("The link is not valid or has expired; ask for the photo again");
    const stored = await findFile(scope.db, id);
    const thumbnail = variant === "thumbnail";
    const file = stored && (await openFile(services.storage, stored, thumbnail));
    if (!file) throw notFound("Photo", { mediaId: id });
    return reply
      .headers(fileHeaders)
      .header("content-disposition", disposition(stored.filename, thumbnail || isShownInline(stored.contentType)))
      .header("cache-control", `private, max-age=${secondsLeft(String(expires))}, immutable`)
      .header("content-length", file.size)
      .type(thumbnail ? "image/webp" : stored.contentType)
      .send(file.stream);
  });
}

/** Reads a form: its fields first, then one file. Throws FORBIDDEN, BAD_USER_INPUT and the errors of `checkForm` and `receiveFile`. */
function receive(request: FastifyRequest, services: Services): Promise<void> {
  return new Promise((resolve, reject) => {
    const form = formOf(request);
    const fields = new Map<string, string>();
    let incoming: Readable | undefined;
    let repeated: string | undefined;
    form.on("field", (name, value) => {
      if (fields.has(name)) repeated = name;
      fields.set(name, value);
    });
    form.on("file", (_name, file) => {
      incoming = file.on("error", () => {});
      const upload = (async () => {
        if (repeated) throw badInput({ [repeated]: "must be given once" });
        const tenantId = tenantOfKey(fields.get("key"));
        const scope = tenantId ? scopeOf(services, tenantId) : undefined;
        const secret = await scope?.secret().catch(() => undefined);
        if (!scope || !secret) throw forbidden("The form is not that of a grant; send its fields before the file");
        await receiveFile(
          scope.db,
          services.storage,
          checkForm(fields, secret),
          file,
          Number(request.headers["content-length"]) || undefined,
        );
      })();
      upload.catch(() => file.resume());
      upload.then(resolve, reject);
    });
    form.on("finish", () => incoming ?? reject(badInput({ file: "is required" })));
    const incomplete = badInput({ file: "was not sent to its end" });
    const stop = (error: ServiceError) => {
      incoming?.destroy(error);
      reject(error);
    };
    form.on("error", () => stop(incomplete));
    request.raw.on("aborted", () => stop(incomplete));
    request.raw.pipe(form);
  });
}

function formOf({ headers }: FastifyRequest): BusboyInstance {
  const contentType = headers["content-type"] ?? "";
  try {
    return new Busboy({
      headers: { ...headers, "content-type": contentType },
      limits: { fields: 20, fieldSize: 20_000, files: 1, parts: 22 },
    });
  } catch {
    throw badInput({ body: "must be a multipart form" });
  }
}
