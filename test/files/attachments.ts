/** Uploads attachments over GraphQL as multipart forms. */
import type { Caller } from "../world.js";

export interface FileToSend {
  content: Uint8Array | string;
  filename?: string;
  contentType?: string;
}

type Answer = { data?: any; errors?: { message: string; extensions: Record<string, any> }[] };

/** Sends an operation with files at the given paths of its variables. */
export async function sendForm(
  caller: Caller,
  query: string,
  variables: object,
  files: Record<string, FileToSend>,
  idempotencyKey?: string,
): Promise<Answer> {
  const form = new FormData();
  form.append("operations", JSON.stringify({ query, variables }));
  form.append("map", JSON.stringify(Object.fromEntries(Object.keys(files).map((place, i) => [i, [`variables.${place}`]]))));
  for (const [i, { content, filename = "x.png", contentType = "image/png" }] of Object.values(files).entries())
    form.append(String(i), new Blob([content as any], { type: contentType }), filename);
  const headers = { authorization: `Bearer ${caller.key}`, ...(idempotencyKey && { "idempotency-key": idempotencyKey }) };
  const response = await fetch(`${caller.gateway.url}/graphql`, { method: "POST", body: form, headers });
  return (await response.json()) as Answer;
}

export const attachmentFields =
  "id assetId workOrderId workRequestId kind title revision description filename contentType size sha256 uploadedBy url thumbnailUrl";

const upload = `mutation ($owner: AttachmentOwnerInput!, $file: Upload!, $input: AttachmentInput) {
  uploadAttachment(owner: $owner, file: $file, input: $input) { ${attachmentFields} } }`;

export const attach = (caller: Caller, owner: object, file: FileToSend, input?: object): Promise<Answer> =>
  sendForm(caller, upload, { owner, input, file: null }, { file });

/** Attaches a file. Throws if that fails. */
export async function attached(caller: Caller, owner: object, file: FileToSend, input?: object): Promise<any> {
  const { data, errors } = await attach(caller, owner, file, input);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.uploadAttachment;
}
