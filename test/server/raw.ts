/** HTTP without the automatic Accept-Encoding and decompression of `fetch`. */
import { type IncomingHttpHeaders, request } from "node:http";

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Names and values in turn, as sent. */
  lines: string[];
  body: Buffer;
}

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  /** Text is sent unchanged, anything else as JSON. */
  body?: unknown;
}

export function raw(url: string, { method, headers, body }: RawRequest = {}): Promise<RawResponse> {
  const isJson = body !== undefined && typeof body !== "string";
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { ...(isJson && { "content-type": "application/json" }), ...headers },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode!, headers: response.headers, lines: response.rawHeaders, body: Buffer.concat(chunks) });
      },
    );
    sent.on("error", reject);
    sent.end(isJson ? JSON.stringify(body) : body);
  });
}
