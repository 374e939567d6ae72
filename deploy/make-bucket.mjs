// Makes the bucket of S3_BUCKET where it is missing, and waits a minute for a server that is not up yet.
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, HeadBucketCommand, S3Client } from "@aws-sdk/client-s3";

const { S3_BUCKET: Bucket, S3_ENDPOINT: endpoint, S3_REGION: region = "us-east-1", ...keys } = process.env;
const credentials = { accessKeyId: keys.S3_ACCESS_KEY_ID, secretAccessKey: keys.S3_SECRET_ACCESS_KEY };
const client = new S3Client({ endpoint, region, forcePathStyle: Boolean(endpoint), credentials });

const exists = () =>
  client.send(new HeadBucketCommand({ Bucket })).then(
    () => true,
    (error) => {
      if (error.$metadata?.httpStatusCode === 404) return false;
      throw error;
    },
  );

for (let left = 60; ; left--) {
  try {
    if (!(await exists())) await client.send(new CreateBucketCommand({ Bucket }));
    break;
  } catch (error) {
    if (left === 0) throw error;
    await sleep(1000);
  }
}
console.error(`the bucket ${Bucket} is there`);
