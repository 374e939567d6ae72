import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { createPresignedPost } from "@aws-sdk/s3-presigned-post";
import { Breaker } from "./breaker.js";
import { type Storage, StorageUnavailable } from "./storage.js";

export interface S3Options {
  bucket: string;
  endpoint?: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const isMissing = (error: unknown) => ["NoSuchKey", "NotFound"].includes((error as Error).name);

/** Timeouts in milliseconds: to connect, until a response begins, and between bytes. */
const patience = { connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true, socketTimeout: 20_000 };

/** Distinguishes an unreachable storage from errors of the storage and of the file's sender. */
function storageError(error: unknown): unknown {
  const { name, code, $metadata } = error as Error & { code?: string; $metadata?: { httpStatusCode?: number } };
  const isUnanswered = name === "TimeoutError" || /^(ECONN|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|EPIPE)/.test(code ?? "");
  return isUnanswered || ($metadata?.httpStatusCode ?? 0) >= 500 ? new StorageUnavailable("S3 does not answer", { cause: error }) : error;
}

/** Consecutive failures until S3 counts as unavailable, and the pause before a retry. */
const breaking = { failures: 5, pauseMs: 5_000 };

const rethrow = (error: unknown): never => {
  throw storageError(error);
};

/** Stores files in an S3-compatible bucket. Clients upload directly to the bucket, which enforces the policy. */
export function s3Storage({ bucket, endpoint, region, accessKeyId, secretAccessKey }: S3Options): Storage {
  const client = new S3Client({
    region,
    endpoint,
    forcePathStyle: Boolean(endpoint),
    credentials: { accessKeyId, secretAccessKey },
    // Some S3-compatible servers reject the checksum trailers that the SDK adds by default.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: patience,
    maxAttempts: 2,
  });
  const breaker = new Breaker({
    ...breaking,
    isFailure: (error) => storageError(error) instanceof StorageUnavailable,
    refused: () => new StorageUnavailable("S3 did not answer a moment ago"),
  });
  // Wraps each command including its retries.
  client.middlewareStack.add((next) => (args) => breaker.run(() => next(args)), { step: "initialize", priority: "high", name: "breaker" });
  const storage: Storage = {
    kind: "s3",
    load: () => breaker.load,
    async grant({ key, contentType, size, seconds }) {
      const { url, fields } = await createPresignedPost(client, {
        Bucket: bucket,
        Key: key,
        Fields: { "Content-Type": contentType, StorageAccessKeyId: accessKeyId },
        Conditions: [
          ["content-length-range", size, size],
          { "Content-Type": contentType },
          { StorageAccessKeyId: accessKeyId },
          ["starts-with", "$signature", ""],
        ],
        Expires: seconds,
      });
      const { Policy: policy, ...others } = fields;
      return { uploadUrl: url, fields: { ...others, policy: policy!, signature: fields["X-Amz-Signature"]! } };
    },
    async put(key, source, contentType, accept) {
      const params = { Bucket: bucket, Key: key, Body: source, ContentType: contentType };
      await new Upload({ client, params, queueSize: 2 }).done().catch(rethrow);
      await accept?.().catch(async (error) => {
        await storage.remove([key]);
        throw error;
      });
    },
    async withFile(key, use) {
      const found = await storage.open(key);
      if (!found) return undefined;
      const folder = await mkdtemp(join(tmpdir(), "gateway-file-"));
      try {
        const path = join(folder, "file");
        await pipeline(found.stream, createWriteStream(path)).catch(rethrow);
        const { size } = await stat(path);
        // Uploads the validated copy instead of copying in the bucket, where the client may have replaced the file in the meantime.
        const moveTo = async (to: string, contentType: string) => {
          const params = { Bucket: bucket, Key: to, Body: createReadStream(path), ContentLength: size, ContentType: contentType };
          await client.send(new PutObjectCommand(params)).catch(rethrow);
          await storage.remove([key]);
        };
        return await use({ path, size, moveTo });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async open(key) {
      try {
        const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return { stream: Body as Readable, size: ContentLength! };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw storageError(error);
      }
    },
    async remove(keys) {
      const Objects = keys.map((Key) => ({ Key }));
      if (keys.length) await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } })).catch(rethrow);
    },
    async removeFolder(folder) {
      // Restarts the listing each time, because the listed files are gone.
      for (;;) {
        const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${folder}/` })).catch(rethrow);
        if (!Contents.length) return;
        await storage.remove(Contents.map(({ Key }) => Key!));
      }
    },
    /** A lifecycle rule of the bucket aborts incomplete multipart uploads. */
    async removeIncomplete() {},
  };
  return storage;
}
