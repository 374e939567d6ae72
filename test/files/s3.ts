/** Runs a real S3 server (Ceph), which checks upload policies as S3 does, until the test file ends. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterAll } from "vitest";

const isInstalled = (program: string) => (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));

export const hasS3 = ["radosgw", "ceph-mon", "ceph-osd", "ceph"].every(isInstalled);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the server, again with other ports if another program took one. Returns its port. */
async function startServer(attempts = 3): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "gateway-s3-"));
  const [port, monitor] = [await freePort(), await freePort()];
  const script = new URL("s3-server.sh", import.meta.url).pathname;
  const server = spawn("bash", [script, folder, String(port), String(monitor)], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  afterAll(async () => {
    server.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const code = await new Promise<number | null | undefined>((resolve) => {
    server.stdout.once("data", () => resolve(undefined));
    server.once("exit", resolve);
  });
  if (code === undefined) return port;
  if (attempts > 1) return startServer(attempts - 1);
  throw new Error(`the S3 server ended with ${code}`);
}

/** Starts the server with a new bucket. Returns the gateway settings for it and a way to list its files. */
export async function startS3() {
  const port = await startServer();
  const [Bucket, accessKeyId, secretAccessKey, endpoint] = ["photos", "AKTEST", "SKTESTSKTEST", `http://127.0.0.1:${port}`];
  const client = new S3Client({ region: "us-east-1", endpoint, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  await client.send(new CreateBucketCommand({ Bucket }));
  afterAll(() => client.destroy());
  return {
    settings: { S3_BUCKET: Bucket, S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
    /** Keys in the bucket that contain this text. */
    async storedFiles(text: string): Promise<string[]> {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
      return Contents.map(({ Key }) => Key!).filter((key) => key.includes(text));
    },
  };
}
